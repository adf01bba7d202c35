"""The plugboard page: the wires of one A-unit; cut one, move one to another cell, add one, rewire all.

Touch a cell: with a wire there, it is chosen; without, it is where MOVE and ADD go.
"""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.core import commands as c
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.lettering import HEAVY
from mark1.panel.pages.base import Page
from mark1.panel.pages.loupe import draw_legend, draw_map, map_place
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, TEXT, THEME
from mark1.panel.tiles import Field
from mark1.panel.views.base import Kit

NAMES = ("plugpage.back", "plugpage.on", "plugpage.cut", "plugpage.move", "plugpage.excite", "plugpage.inhibit",
         "plugpage.turn", "plugpage.rewire", "page.close")  # fmt: skip


class PlugPage(Page):
    """Wires one at a time: of an A-unit (its cells) or of an S-unit (its A-units)."""

    name = "plugpage"
    title = "PLUGBOARD"

    def __init__(self, kit: Kit) -> None:
        self.wire, self.cell = -1, -1
        self.by_cell = False
        self.field: Field | None = None
        super().__init__(kit)

    def show_cell(self, cell: int | None) -> None:
        """Which A-units this S-unit feeds."""
        self.by_cell, self.cell = True, -1 if cell is None else cell

    def lay(self) -> None:
        """The retina at the left, words and keys at the right."""
        px = self.kit.px
        inside = self.box.inset(px(26), px(70), px(26), px(24))
        left, right = inside.columns((1, 0.95), px(24))
        self.map, self.legend = map_place(left, px(40))
        self.words, keys = right.rows((0.75, 1), px(12))
        cells = [cell for row in keys.rows((1,) * 5, px(10)) for cell in row.columns((1, 1), px(10))]
        cells[-2] = Box(cells[-2].x, cells[-2].y, cells[-1].right - cells[-2].x, cells[-2].h)
        self.keys = dict(zip(NAMES, cells, strict=False))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The wires."""
        state = scene.state
        return (
            super().key(scene, desk),
            self.unit,
            self.wire,
            self.cell,
            self.by_cell,
            hash(state.table.tobytes()),
            state.cells.tobytes(),
        )

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """Keys."""
        words = self.kit.words
        return {
            "plugpage.back": (words("UNIT BEFORE"), ""),
            "plugpage.on": (words("NEXT UNIT"), ""),
            "plugpage.cut": (words("CUT"), ""),
            "plugpage.move": (words("MOVE"), ""),
            "plugpage.excite": (words("ADD EXCITATORY"), ""),
            "plugpage.inhibit": (words("ADD INHIBITORY"), ""),
            "plugpage.turn": (words("BY A-UNIT") if self.by_cell else words("BY S-UNIT"), ""),
            "plugpage.rewire": (words("REWIRE ALL"), ""),
            "page.close": (words("CLOSE"), ""),
        }[name]

    def act(self, name: str, desk: Desk) -> str:
        """Cuts, moves, adds."""
        units = len(desk.state().active)
        if name in ("plugpage.back", "plugpage.on"):
            self._step(1 if name.endswith("on") else -1, units, desk)
        elif name == "plugpage.turn":
            self.by_cell = not self.by_cell
        elif name == "plugpage.rewire":
            desk.rewire()
        elif name != "page.close":
            self._change(name, desk)
        return "close" if name == "page.close" else ""

    def _step(self, way: int, units: int, desk: Desk) -> None:
        """The next A-unit; by S-unit, the next that this S-unit feeds, its wire chosen."""
        cell = self.wire if self.wire >= 0 else self.cell
        if not self.by_cell or cell < 0:
            self.unit, self.wire, self.cell = (self.unit + way) % units, -1, -1
            return
        fed = [int(u) for u in np.flatnonzero((np.abs(desk.state().table) == cell + 1).any(axis=1))]
        if fed:
            after = [u for u in fed if (u - self.unit) * way > 0]
            self.unit = (after or fed)[0 if way > 0 else -1]
            self.wire, self.cell = cell, -1

    def _change(self, name: str, desk: Desk) -> None:
        words, unit = desk.words, self.unit
        if name in ("plugpage.cut", "plugpage.move") and self.wire < 0:
            desk.message = words("First touch a cell that has a wire.")
        elif name != "plugpage.cut" and self.cell < 0:
            desk.message = words("First touch a free cell.")
        elif name == "plugpage.cut":
            if desk.submit(
                c.CutWire(unit, self.wire), words("Wire from S{s} to A{a} cut.", s=self.wire + 1, a=unit + 1)
            ):
                self.wire = -1
        elif name == "plugpage.move":
            if desk.submit(c.MoveWire(unit, self.wire, self.cell), words("Wire moved to S{s}.", s=self.cell + 1)):
                self.wire, self.cell = self.cell, -1
        else:
            kind = "excitatory" if name == "plugpage.excite" else "inhibitory"
            if desk.submit(
                c.AddWire(unit, self.cell, kind), words("New wire from S{s} to A{a}.", s=self.cell + 1, a=unit + 1)
            ):
                self.wire, self.cell = self.cell, -1

    def touch(self, x: float, y: float, desk: Desk) -> None:
        """A cell of the retina."""
        place = self.field.at(x, y) if self.field else None
        if place is None:
            return
        cell = place[1] * desk.machine.config.retina.columns + place[0]
        if cell in np.abs(desk.state().table[self.unit][desk.state().table[self.unit] != 0]) - 1:
            self.wire = cell
        else:
            self.cell = cell

    def content(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """The retina with the wires, and what is chosen."""
        state = scene.state
        self.unit = min(self.unit, len(state.active) - 1)
        chosen = self.wire if self.wire >= 0 else self.cell
        feeding = np.argwhere(np.abs(state.table) == chosen + 1) if self.by_cell and chosen >= 0 else None
        wires = state.table[self.unit]
        self.field = draw_map(surface, self.kit, self.map, state, wires)
        for cell, colour in ((self.wire, THEME.ivory), (self.cell, THEME.motor)):
            if cell >= 0:
                row, column = divmod(cell, state.config.retina.columns)
                pygame.draw.rect(surface, colour, self.field.tile_box(column, row).inset(-1), self.kit.px(3))
        draw_legend(surface, self.kit, self.legend)
        self._lines(surface, state.table, feeding, chosen)

    def _lines(self, surface: pygame.Surface, table: np.ndarray, feeding: np.ndarray | None, chosen: int) -> None:
        kit, words = self.kit, self.kit.words
        own = table[self.unit][table[self.unit] != 0]
        if feeding is not None:
            names = ", ".join(f"A{int(unit) + 1}" for unit, _ in feeding[:24])
            title = words("S{s} feeds {n} A-units; shown is A{a}", s=chosen + 1, n=len(feeding), a=self.unit + 1)
        else:
            title = words(
                "A{n}: {e} excitatory, {i} inhibitory", n=self.unit + 1, e=int((own > 0).sum()), i=int((own < 0).sum())
            )
            names = words("Touch a wired cell to choose its wire, a free cell to say where to.")
        head, body, foot = self.words.rows((0.5, 1, 0.7), 0)
        kit.engrave(surface, title, head, 28, align="left", weight=HEAVY)
        kit.engrave(surface, names, body, TEXT, align="left", lines=5)
        where = words(
            "wire: {w}   cell: {c}",
            w=f"S{self.wire + 1}" if self.wire >= 0 else "–",
            c=f"S{self.cell + 1}" if self.cell >= 0 else "–",
        )
        kit.engrave(surface, where, foot, LABEL, align="left")


PAGE = PlugPage
