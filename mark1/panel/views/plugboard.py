"""The plugboard: all wires, always visible; those that made units fire are lit."""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import steel, wires
from mark1.panel.desk import Desk
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL
from mark1.panel.views.base import Kit, View

REFRESH = 24  # frames between pictures while glow is averaged: under three a second


class PlugboardView(View):
    """Wires from the retina (left) to the rack (right)."""

    name = "plugboard"

    def __init__(self, kit: Kit, unit_height: np.ndarray) -> None:
        super().__init__(kit)
        self.field = kit.box("plugboard.field").inset(kit.px(5))
        self._height = unit_height  # where each A-unit is on the right edge, 0 to 1
        self._curves: wires.Curves | None = None
        self._base: np.ndarray | None = None
        self._table = b""
        self._mean: np.ndarray | None = None
        self._frames = 0

    def still(self, surface: pygame.Surface) -> None:
        """The plate and its black field."""
        self.kit.title(surface, "plugboard", self.kit.words("PLUGBOARD"), 1.0)
        steel.bezel(surface, self.field, self.kit.scale)
        pygame.draw.rect(surface, (11, 11, 11), self.field)

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Which wires there are, and which are lit."""
        state = scene.state
        wires_now = hash(state.table.tobytes())
        if scene.averaged:
            self._frames += 1
            return wires_now, self._frames // REFRESH
        return wires_now, state.active.tobytes(), state.cells.tobytes()

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """A long exposure of the wires."""
        state = scene.state
        table = state.table.tobytes()
        if self._curves is None or self._table != table:
            self._table = table
            self._take(state.table, len(state.cells))
        assert self._curves is not None and self._base is not None
        lit = wires.lit_wires(self._curves, state.cells, state.active)
        density = self._curves.density(lit) if len(lit) else np.zeros(self._base.shape[:2], np.float32)
        if scene.averaged and self._mean is not None:
            density = 0.75 * self._mean + 0.25 * density
        self._mean = density
        picture = wires.exposure(self._base, density)
        surface.blit(pygame.surfarray.make_surface(picture.transpose(1, 0, 2)), (self.field.x, self.field.y))
        count = int(np.count_nonzero(state.table))
        self.kit.engrave(surface, self.kit.words("{n:,} wires", n=count), self.kit.box("plugboard.caption"), LABEL)

    def _take(self, table: np.ndarray, cells: int) -> None:
        self._curves = wires.Curves(table, cells, self._height, self.field.w, self.field.h)
        self._base = wires.insulation(*self._curves.tangle())
        self._mean = None
