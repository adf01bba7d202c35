"""The retina: a lamp for each S-unit, the field divided 4 x 4 by thin engraved lines (as in photographs)."""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import dials, steel, tiles
from mark1.panel.desk import Desk
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, THEME
from mark1.panel.views.base import Kit, View

BLOCKS = 4
BLOOM = (58, 34, 8)  # how much light falls between lit lamps


class RetinaView(View):
    """20 x 20 lamps."""

    name = "retina"

    def __init__(self, kit: Kit, rows: int, columns: int) -> None:
        super().__init__(kit)
        self.rows, self.columns = rows, columns
        group = (columns // BLOCKS if columns % BLOCKS == 0 else 0, rows // BLOCKS if rows % BLOCKS == 0 else 0)
        room = kit.box("retina.field").inset(kit.px(8))
        self.field = tiles.place(room, columns, rows, group, kit.px(3))
        self._atlas: np.ndarray | None = None

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the black field with its engraved lines."""
        self.kit.title(surface, "retina", self.kit.words("RETINA"))
        self.kit.note(surface, "retina", self.kit.words("{n} photocells", n=self.rows * self.columns))
        box = self.field.box
        steel.bezel(surface, box.inset(-self.kit.px(5)), self.kit.scale)
        pygame.draw.rect(surface, THEME.field, box.inset(-self.kit.px(5)))
        line = (74, 74, 70)
        for i in range(1, self.columns // self.field.group_w):
            x = self.field.tile_box(i * self.field.group_w, 0).x - (self.field.gap_x + 1) // 2
            pygame.draw.line(surface, line, (x, box.y), (x, box.bottom - 1))
        for i in range(1, self.rows // self.field.group_h):
            y = self.field.tile_box(0, i * self.field.group_h).y - (self.field.gap + 1) // 2
            pygame.draw.line(surface, line, (box.x, y), (box.right - 1, y))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Lamp levels."""
        return dials.lamp_numbers(scene.cells).tobytes(), int(scene.state.cells.sum()), scene.averaged

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """All lamps in one move."""
        if self._atlas is None:
            self._atlas = tiles.mapped(dials.lamp_looks(self.field.tile), surface)
        looks = dials.lamp_numbers(scene.cells).reshape(self.rows, self.columns)
        tiles.paint(surface, self.field, self._atlas, looks)
        self._bloom(surface, scene)
        words = self.kit.words
        text = words("averaged glow") if scene.averaged else words("{n} cells lit", n=int(scene.state.cells.sum()))
        self.kit.engrave(surface, text, self.kit.box("retina.caption"), LABEL)

    def _bloom(self, surface: pygame.Surface, scene: Scene) -> None:
        """The light that lit lamps throw around them."""
        glow = scene.cells.reshape(self.rows, self.columns).T[..., None] * np.asarray(BLOOM, np.float32)
        if glow.any():
            small = pygame.surfarray.make_surface(glow.astype(np.uint8))
            light = pygame.transform.smoothscale(small, self.field.box[2:])
            surface.blit(light, self.field.box[:2], special_flags=pygame.BLEND_RGB_ADD)

    def cell_at(self, x: float, y: float) -> int | None:
        """The cell under a point."""
        place = self.field.at(x, y)
        return None if place is None else place[1] * self.columns + place[0]
