"""The loupe: one card of eight A-units, large. Touch one: its wires on the retina, its value, its R-unit; pull it out.

Excitatory wires are filled amber discs, inhibitory ones open blue rings: apart by colour and by shape.
"""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.core import commands as c
from mark1.core.state import MachineState
from mark1.panel import dials, tiles
from mark1.panel.desk import Desk
from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.lettering import HEAVY, LIGHT
from mark1.panel.pages.base import Page
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, TEXT, THEME
from mark1.panel.views.base import Kit

ON_CARD = 8


class LoupePage(Page):
    """Eight units and the wires of one."""

    name = "loupe"
    title = "LOUPE"

    def lay(self) -> None:
        """Dials above, the retina at the left, keys below."""
        px = self.kit.px
        inside = self.box.inset(px(26), px(70), px(26), px(24))
        rest, keys = inside.rows((1, 0.16), px(14))
        self.map, self.side = rest.columns((1, 1.15), px(24))
        self.map, self.legend = map_place(self.map, px(40))
        top, self.words = self.side.rows((1, 0.85), px(12))
        self.dials = [cell for row in top.rows((1, 1), px(8)) for cell in row.columns((1, 1, 1, 1), px(8))]
        names = ("loupe.back", "loupe.pull", "loupe.wires", "loupe.on", "page.close")
        self.keys = dict(zip(names, keys.columns((0.7, 1.2, 1.2, 0.7, 1), px(12)), strict=True))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Everything about these eight."""
        state, first = scene.state, self.unit // ON_CARD * ON_CARD
        these = slice(first, first + ON_CARD)
        return (super().key(scene, desk), self.unit, state.values[:, these].tobytes(), state.active[these].tobytes(),
                state.pulled[these].tobytes(), state.cells.tobytes(), state.motors[:, these].tobytes(), desk.bank,
                state.table[self.unit % len(state.table)].tobytes())  # fmt: skip

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """Keys."""
        words = self.kit.words
        out = bool(scene.state.pulled[self.unit])
        return {
            "loupe.back": ("<", ""),
            "loupe.on": (">", ""),
            "loupe.pull": (words("PUT BACK") if out else words("PULL OUT"), words("unit A{n}", n=self.unit + 1)),
            "loupe.wires": (words("WIRES"), words("of A{n}", n=self.unit + 1)),
            "page.close": (words("CLOSE"), ""),
        }[name]

    def act(self, name: str, desk: Desk) -> str:
        """Another unit, pull out, put back."""
        units = len(desk.state().active)
        if name in ("loupe.back", "loupe.on"):
            self.unit = (self.unit + (1 if name == "loupe.on" else -1)) % units
        elif name == "loupe.pull":
            out = bool(desk.state().pulled[self.unit])
            text = "A{n} is back in the rack." if out else "A{n} is out of the rack."
            command = c.PutBackUnit((self.unit,)) if out else c.PullUnit((self.unit,))
            desk.submit(command, desk.words(text, n=self.unit + 1))
        return {"page.close": "close", "loupe.wires": "plugpage"}.get(name, "")

    def touch(self, x: float, y: float, desk: Desk) -> None:
        """Chooses one of the eight."""
        for i, box in enumerate(self.dials):
            if box.holds(x, y):
                self.unit = min(self.unit // ON_CARD * ON_CARD + i, len(desk.state().active) - 1)

    def content(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Wires, dials, words."""
        state = scene.state
        self.unit = min(self.unit, len(state.active) - 1)
        draw_map(surface, self.kit, self.map, state, state.table[self.unit])
        draw_legend(surface, self.kit, self.legend)
        first = self.unit // ON_CARD * ON_CARD
        bank = min(desk.bank, state.values.shape[0] - 1)
        looks = self._looks(state, bank)
        for i, box in enumerate(self.dials):
            if first + i < len(state.active):
                self._dial(surface, box, first + i, int(looks[first + i]), first + i == self.unit)
        self._facts(surface, state, bank)

    def _looks(self, state: MachineState, bank: int) -> np.ndarray:
        stops = state.config.potentiometer.stops
        glow = state.active.astype(np.float32)
        return dials.dial_numbers(
            state.values[bank], float(stops[1]) if stops else 11e6, glow, state.motors[bank], state.pulled
        )

    def _dial(self, surface: pygame.Surface, box: Box, unit: int, look: int, chosen: bool) -> None:
        kit = self.kit
        pygame.draw.rect(surface, THEME.field, box)
        side = min(box.w - kit.px(8), box.h - kit.px(30))
        picture = pygame.surfarray.make_surface(dials.one_dial(side, look).transpose(1, 0, 2))
        surface.blit(picture, (box.centre[0] - side // 2, box.y + kit.px(4)))
        label = Box(box.x, box.bottom - kit.px(30), box.w, kit.px(28))
        kit.lettering.put(surface, f"A{unit + 1}", label, TEXT, THEME.ivory, THEME.field)
        if chosen:
            pygame.draw.rect(surface, THEME.ivory, box.inset(-kit.px(3)), kit.px(3))

    def _facts(self, surface: pygame.Surface, state: MachineState, bank: int) -> None:
        kit, words, unit = self.kit, self.kit.words, self.unit
        wires = state.table[unit][state.table[unit] != 0]
        lit = state.cells[np.abs(wires) - 1]
        sum_now = int(np.sum(np.sign(wires)[lit])) if len(wires) else 0
        status = (
            words("pulled out") if state.pulled[unit] else words("fires") if state.active[unit] else words("silent")
        )
        value = state.values[bank, unit] / 1e6
        lines = (
            words("A{n}: {status}", n=unit + 1, status=status),
            words("value {v:+.2f} V, for R{r}", v=value, r=int(state.feeds[bank, unit]) + 1),
            words("{e} excitatory and {i} inhibitory wires", e=int((wires > 0).sum()), i=int((wires < 0).sum())),
            words("lit wires give {s:+d}; threshold {t}", s=sum_now, t=int(state.thresholds[unit])),
        )
        for i, (row, text) in enumerate(zip(self.words.rows((1,) * len(lines), 0), lines, strict=True)):
            kit.engrave(surface, text, row, 30 if i == 0 else LABEL, align="left", weight=HEAVY if i == 0 else LIGHT)


def map_place(room: Box, foot: int) -> tuple[Box, Box]:
    """A square for the retina at the top of a room, and a line below it."""
    side = min(room.w, room.h - foot)
    return Box(room.x, room.y, side, side), Box(room.x, room.y + side, side, foot)


def draw_legend(surface: pygame.Surface, kit: Kit, box: Box) -> None:
    """What the marks on the retina mean."""
    left, right = box.columns((1, 1), 0)
    for half, sign, text in ((left, 1, kit.words("excitatory")), (right, -1, kit.words("inhibitory"))):
        size = kit.px(22)
        surface.blit(wire_mark(size, sign), (half.x, half.centre[1] - size // 2))
        room = Box(half.x + size + kit.px(8), half.y, half.w - size - kit.px(8), half.h)
        kit.engrave(surface, text, room, TEXT, align="left")


def draw_map(surface: pygame.Surface, kit: Kit, box: Box, state: MachineState, wires: np.ndarray) -> tiles.Field:
    """The retina with some wires' cells marked: filled for excitatory, open ring for inhibitory."""
    retina = state.config.retina
    pygame.draw.rect(surface, THEME.field, box)
    field = tiles.place(box.inset(kit.px(6)), retina.columns, retina.rows, (0, 0), 0)
    atlas = tiles.mapped(dials.lamp_looks(field.tile) // 2, surface)
    looks = dials.lamp_numbers(state.cells.astype(np.float32)).reshape(retina.rows, retina.columns)
    tiles.paint(surface, field, atlas, looks)
    marks = {sign: wire_mark(field.tile, sign) for sign in (1, -1)}
    for wire in wires[wires != 0]:
        row, column = divmod(abs(int(wire)) - 1, retina.columns)
        surface.blit(marks[1 if wire > 0 else -1], field.tile_box(column, row)[:2])
    return field


def wire_mark(size: int, sign: int) -> pygame.Surface:
    """A plug at a cell."""
    p, m = Picture(size, size), size / 2
    p.lay(p.disc(m, m, size * 0.47), (8, 8, 8))
    if sign > 0:
        p.lay(p.disc(m, m, size * 0.36), THEME.excitatory)
    else:
        p.lay(p.ring(m, m, size * 0.32, max(2, size * 0.16)), THEME.inhibitory)
    return p.surface()


PAGE = LoupePage
