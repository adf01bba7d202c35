"""The stage: all views on one canvas. Still parts are drawn once per size; moving parts only when their key changes."""

from collections.abc import Hashable

import pygame

from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.layout import arrange
from mark1.panel.lettering import Note
from mark1.panel.scene import Scene
from mark1.panel.theme import THEME, mix
from mark1.panel.views.answer import AnswerView
from mark1.panel.views.base import Kit, View
from mark1.panel.views.chart import ChartView
from mark1.panel.views.controls import ControlsView
from mark1.panel.views.easel import EaselView
from mark1.panel.views.header import HeaderView
from mark1.panel.views.plugboard import PlugboardView
from mark1.panel.views.rack import RackView, unit_heights
from mark1.panel.views.responses import ResponsesView
from mark1.panel.views.retina import RetinaView
from mark1.panel.views.why import WhyView


class Stage:
    """A canvas of one size with its views."""

    def __init__(self, size: tuple[int, int], desk: Desk, marks: bool = False, notes: list[Note] | None = None) -> None:
        state = desk.state()
        self.arrangement = arrange(*size, len(desk.cards.cards))
        self.kit = Kit(self.arrangement, desk.words)
        self.kit.marks, self.kit.lettering.notes = marks, notes
        self.canvas = pygame.Surface(size, 0, 32)
        retina = state.config.retina
        self.retina = RetinaView(self.kit, retina.rows, retina.columns)
        self.plugboard = PlugboardView(self.kit, unit_heights(len(state.active)))
        self.rack = RackView(self.kit, len(state.active), state.values.shape[0])
        self.responses, self.easel = ResponsesView(self.kit), EaselView(self.kit)
        upper: list[View] = [HeaderView(self.kit), self.retina, self.plugboard, self.rack, self.responses]
        lower: list[View] = [ControlsView(self.kit), AnswerView(self.kit), ChartView(self.kit), WhyView(self.kit)]
        self.views = [*upper, self.easel, *lower]
        self._keys: dict[str, Hashable] = {}
        self._still = self._draw_still()

    def _draw_still(self) -> pygame.Surface:
        still = self.canvas
        still.fill(THEME.frame)
        head = self.arrangement.boxes["header"]
        for y in range(head.h):
            pygame.draw.line(still, mix(THEME.frame, (255, 255, 255), 0.16 * (1 - y / head.h)), (0, y), (head.w, y))
        for view in self.views:
            view.still(still)
        steel.texture(still)
        return still.copy()

    def draw(self, scene: Scene, desk: Desk) -> list[pygame.Rect]:
        """Draws what has changed; the places where."""
        changed = []
        for view in self.views:
            key = view.key(scene, desk)
            if view.name in self._keys and self._keys[view.name] == key:
                continue
            self._keys[view.name] = key
            self.canvas.set_clip(view.box)  # a lamp's halo must not spill over what is not restored
            self.canvas.blit(self._still, view.box[:2], view.box)
            view.draw(self.canvas, scene, desk)
            changed.append(pygame.Rect(view.box))
        self.canvas.set_clip(None)
        return changed

    def refresh(self) -> None:
        """Draw everything at the next frame."""
        self.canvas.blit(self._still, (0, 0))
        self._keys.clear()
