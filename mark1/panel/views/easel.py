"""The easel: a black card to draw on, and the camera's frame (chosen) around what it sees."""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import steel
from mark1.panel.camera import frame_of
from mark1.panel.cards import SIDE
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME
from mark1.panel.views.base import Kit, View


class EaselView(View):
    """What the visitor draws."""

    name = "easel"

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit)
        self.card = kit.box("easel.field").inset(kit.px(6)).square()

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the card's holder."""
        self.kit.title(surface, "easel", self.kit.words("EASEL"))
        self.kit.note(surface, "easel", self.kit.words("draw on the card"))
        steel.bezel(surface, self.card, self.kit.scale, colour=(70, 58, 44), rim=7)

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The drawing's version."""
        return desk.easel.version, desk.easel.blank

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Chalk on black, and the camera's frame."""
        box = self.card
        ink = (desk.easel.picture.T[..., None] * (np.asarray(THEME.chalk) - 15) + 15).astype(np.uint8)
        picture = pygame.surfarray.make_surface(ink)
        surface.blit(pygame.transform.smoothscale(picture, (box.w, box.h)), (box.x, box.y))
        words, kit = self.kit.words, self.kit
        if desk.easel.blank:
            kit.lettering.put(surface, words("draw here"), box, 44, (150, 150, 144), (15, 15, 15))
            return
        text = words("frame: what the camera sees (chosen)") if desk.easel.drawn else words("printed card")
        kit.engrave(surface, text, kit.box("easel.caption"), TEXT, colour=THEME.engraved_soft)
        if desk.easel.drawn:
            self._frame(surface, desk)

    def _frame(self, surface: pygame.Surface, desk: Desk) -> None:
        frame = frame_of(desk.easel.picture)
        if frame is None:
            return
        k = self.card.w / SIDE
        x, y, side = (v * k for v in frame)
        box = Box(round(self.card.x + x - side / 2), round(self.card.y + y - side / 2), round(side), round(side))
        old = surface.get_clip()
        surface.set_clip(self.card)
        arm, w = round(side * 0.12), self.kit.px(2)
        for cx, sx in ((box.x, 1), (box.right, -1)):
            for cy, sy in ((box.y, 1), (box.bottom, -1)):
                cx1, cy1 = (
                    min(max(cx, self.card.x + 1), self.card.right - 3),
                    min(max(cy, self.card.y + 1), self.card.bottom - 3),
                )
                pygame.draw.line(surface, (170, 170, 160), (cx1, cy1), (cx1 + sx * arm, cy1), w)
                pygame.draw.line(surface, (170, 170, 160), (cx1, cy1), (cx1, cy1 + sy * arm), w)
        surface.set_clip(old)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """A point on the card, 0 to 1 each way."""
        return (x - self.card.x) / self.card.w, (y - self.card.y) / self.card.h
