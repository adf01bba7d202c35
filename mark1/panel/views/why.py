"""Why: the A-units that spoke for and against the last answer, drawn back on the retina. For filled, against open."""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import steel
from mark1.panel.answer import Why
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, mix
from mark1.panel.views.base import View

PAPER = (247, 242, 226)


class WhyView(View):
    """A small retina and the loudest voices."""

    name = "why"

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the paper."""
        self.kit.title(surface, "why", self.kit.words("WHY"))
        box = self._map_box()
        steel.bezel(surface, box, self.kit.scale, rim=3)
        pygame.draw.rect(surface, PAPER, box)

    def _map_box(self) -> Box:
        return self.kit.box("why.field").inset(self.kit.px(4)).square()

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The explanation itself; not redrawn while cards pass too fast to read."""
        return "averaged" if scene.averaged else id(desk.why)

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Cells and voices."""
        kit, words = self.kit, self.kit.words
        if desk.why is None or scene.averaged:
            text = words("after an answer")
            kit.note(surface, "why", text)
            return
        why, retina = desk.why, scene.state.config.retina
        note = words("R{r}: {n} speak", r=why.response + 1, n=why.firing)
        kit.note(surface, "why", note)
        self._cells(surface, why, scene.state.cells, retina.rows, retina.columns)
        self._voices(surface, why)
        kit.engrave(
            surface, words("filled: for   open: against"), kit.box("why.caption"), TEXT, colour=THEME.engraved_soft
        )

    def _cells(self, surface: pygame.Surface, why: Why, lit: np.ndarray, rows: int, columns: int) -> None:
        """Filled squares where the voices for it came from, open ones where those against did."""
        box = self._map_box()
        most = max(1.0, float(np.max(np.abs(why.cells), initial=0)))
        for cell in np.flatnonzero(lit):
            row, column = divmod(int(cell), columns)
            x0, y0 = box.x + box.w * column // columns, box.y + box.h * row // rows
            pygame.draw.rect(surface, mix(PAPER, THEME.ink, 0.1), (x0, y0, box.w // columns + 1, box.h // rows + 1))
        for cell in np.flatnonzero(why.cells):
            row, column = divmod(int(cell), columns)
            x0, x1 = (box.x + box.w * (column + i) // columns for i in (0, 1))
            y0, y1 = (box.y + box.h * (row + i) // rows for i in (0, 1))
            share = abs(float(why.cells[cell])) / most
            colour = mix(PAPER, THEME.record, 0.25 + 0.75 * share)
            if why.cells[cell] > 0:
                pygame.draw.rect(surface, colour, (x0, y0, x1 - x0, y1 - y0))
            else:
                pygame.draw.rect(
                    surface, mix(PAPER, THEME.ink, 0.35 + 0.65 * share), (x0 + 1, y0 + 1, x1 - x0 - 2, y1 - y0 - 2), 1
                )

    def _voices(self, surface: pygame.Surface, why: Why) -> None:
        kit, box = self.kit, self.kit.box("why.list")
        count = max(1, min(6, len(why.units), box.h // kit.px(25)))
        if not len(why.units):
            kit.engrave(surface, kit.words("no A-unit of R{r} fires", r=why.response + 1), box, TEXT, lines=4)
            return
        most = max(1.0, float(np.max(np.abs(why.values))))
        for i, row in enumerate(box.rows((1,) * max(count, box.h // kit.px(34)), 0)[:count]):
            unit, value = int(why.units[i]), float(why.values[i])
            label = Box(row.x, row.y, kit.px(66), row.h)
            kit.engrave(surface, f"A{unit + 1}", label, TEXT, align="left")
            room = row.w - kit.px(70)
            width = max(2, round(room * abs(value) / most))
            bar = (row.x + kit.px(68), row.centre[1] - kit.px(8), width, kit.px(17))
            if value > 0:
                pygame.draw.rect(surface, THEME.record, bar)
            elif value < 0:
                pygame.draw.rect(surface, THEME.ink, bar, kit.px(2))
