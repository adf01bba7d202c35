"""The association rack: 512 modules in the rack's own order, 8 x 8 cards of eight units, each a dial and a window.

EXPANDED has a bank of dials for each R-unit: the chosen bank is shown large, below it all banks as small fields of
shades.
"""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.core.state import MachineState
from mark1.panel import dials, steel, tiles
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME
from mark1.panel.views.base import Kit, View

CARD = (4, 2)  # units of a card: four across, two down (chosen; eight a card is documented once)
GAP = 3
ALL = slice(None)
MOST_ACROSS, LABEL = 8, 26  # small fields in a line; the room for a name over each


def grid(units: int) -> tuple[int, int]:
    """Columns and rows of a rack of so many units."""
    if units == 512:
        return 32, 16
    columns = int(np.ceil(np.sqrt(units * 2)))
    return columns, -(-units // columns)


def order(units: int) -> np.ndarray:
    """Which unit stands at each place, row by row; -1 for none. Cards are filled one after the other."""
    columns, rows = grid(units)
    if units != 512:
        places = np.full(columns * rows, -1)
        places[:units] = np.arange(units)
        return places.reshape(rows, columns)
    cards = np.arange(512).reshape(8, 8, CARD[1], CARD[0])
    return cards.transpose(0, 2, 1, 3).reshape(16, 32)


def unit_heights(units: int) -> np.ndarray:
    """Where each unit's wires end, 0 above to 1 below: by its row, and by its column within the row."""
    places = order(units)
    rows, columns = np.indices(places.shape)
    height = (rows + (columns + 0.5) / places.shape[1]) / places.shape[0]
    result = np.zeros(units)
    result[places[places >= 0]] = height[places >= 0]
    return result


class RackView(View):
    """Dials that turn while their motors run."""

    name = "rack"

    def __init__(self, kit: Kit, units: int, banks: int) -> None:
        super().__init__(kit)
        self.units, self.banks, self.places = units, banks, order(units)
        self.filled = self.places >= 0
        self.full = bool(self.filled.all())
        self.index = np.maximum(self.places, 0)
        columns, rows = grid(units)
        room = kit.box("rack.field").inset(kit.px(9))
        self.thumbs: list[tiles.Field] = []
        if banks > 1:
            room, cells = self._split(room)
            self.thumbs = self._thumb_fields(cells, columns, rows)
        group = CARD if units == 512 else (0, 0)
        self.field = tiles.place(room, columns, rows, group, kit.px(GAP), spread=True)
        self._atlas: np.ndarray | None = None
        self._thumb_atlas: np.ndarray | None = None
        self._alive = False

    def _split(self, room: Box) -> tuple[Box, list[Box]]:
        """The chosen bank above, below it a place for each bank with its letter over it."""
        across = -(-self.banks // -(-self.banks // MOST_ACROSS))
        lines = -(-self.banks // across)
        high = min(room.w // across // 2 + self.kit.px(LABEL), room.h // (2 * lines))
        strip = Box(room.x, room.bottom - lines * high, room.w, lines * high)
        cells = [cell for row in strip.rows((1,) * lines, 0) for cell in row.columns((1,) * across, self.kit.px(2))]
        return Box(room.x, room.y, room.w, strip.y - room.y - self.kit.px(4)), cells[: self.banks]

    def _thumb_fields(self, cells: list[Box], columns: int, rows: int) -> list[tiles.Field]:
        label = self.kit.px(LABEL)
        w, h = min(cell.w for cell in cells), min(cell.h for cell in cells) - label  # all of one size, to the pixel
        return [tiles.place(Box(cell.x, cell.y + label, w, h), columns, rows, (0, 0), 0) for cell in cells]

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the black field."""
        self.kit.title(surface, "rack", self.kit.words("ASSOCIATION UNITS"))
        field = self.kit.box("rack.field").inset(self.kit.px(3))
        steel.bezel(surface, field, self.kit.scale)
        pygame.draw.rect(surface, THEME.field, field)
        self._cards(surface)
        for i, thumb in enumerate(self.thumbs):
            label = Box(thumb.box.x, thumb.box.y - self.kit.px(LABEL), thumb.box.w, self.kit.px(LABEL))
            self.kit.lettering.put(surface, f"R{i + 1}", label, TEXT, THEME.ivory, THEME.field)

    def _cards(self, surface: pygame.Surface) -> None:
        """The edge of each card of eight units."""
        field = self.field
        if field.group_w == field.columns or field.gap < 2:
            return
        wide, high = field.group_w * field.tile, field.group_h * field.tile
        out_x, out_y = min(field.gap_x // 2 - 1, self.kit.px(4)), min(field.gap // 2, self.kit.px(4))
        for row in range(0, field.rows, field.group_h):
            for column in range(0, field.columns, field.group_w):
                x, y = field.tile_box(column, row)[:2]
                edge = Box(x, y, wide, high).inset(-max(1, out_x), -max(1, out_y))
                pygame.draw.rect(surface, (46, 46, 43), edge, 1, border_radius=self.kit.px(3))

    def looks(self, scene: Scene, bank: int | slice) -> np.ndarray:
        """The look of every unit in one bank or several, in rack order."""
        state = scene.state
        stops = state.config.potentiometer.stops
        stop_uv = float(stops[1]) if stops else 11e6
        looks = dials.dial_numbers(state.values[bank], stop_uv, scene.units, state.motors[bank], state.pulled)
        shown: np.ndarray = looks[..., self.index]
        if not self.full:
            shown[..., ~self.filled] = dials.EMPTY
        return shown

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Looks of all banks, and the counts."""
        texts = self._caption(scene.state, scene.averaged), self._legend(scene.state)
        return self.looks(scene, ALL).tobytes(), desk.bank, texts

    def _caption(self, state: MachineState, averaged: bool) -> str:
        words = self.kit.words
        parts = (
            [words("{n} of {all} fire", n=int(state.active.sum()), all=self.units)]
            if not averaged
            else [words("averaged glow")]
        )
        parts.append(words("{n} motors run", n=int(np.count_nonzero(state.motors))))
        return " · ".join(parts)

    def _legend(self, state: MachineState) -> str:
        """How to read the dials; units that are out take the place of what is known best."""
        words, out = self.kit.words, int(state.pulled.sum())
        if self.thumbs and out:
            return words("{n} pulled out   lit: it fires   R1 to R8: light is above 0, dark below", n=out)
        if self.thumbs:
            return words("lit: the unit fires   needle: its value   R1 to R8: light is above 0, dark below")
        if out:
            return words("{n} pulled out (crosses)   lit: the unit fires   arc: its motor runs", n=out)
        return words("lit: the unit fires   needle: its value, −11 V to +11 V   arc: its motor runs")

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """All dials in one move, and the counts."""
        self.paint_dials(surface, scene, desk)
        kit = self.kit
        kit.note(surface, "rack", self._caption(scene.state, scene.averaged))
        kit.engrave(surface, self._legend(scene.state), kit.box("rack.caption"), colour=THEME.engraved_soft)

    def paint_dials(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """The dials alone."""
        alive = bool(scene.state.motors.any() or scene.units.any())
        if self._atlas is None or (alive and not self._alive):
            self._alive = alive
            self._atlas = self._looks_of(self.field.tile, surface)
            if self.thumbs:
                self._thumb_atlas = tiles.mapped(dials.chip_looks(self.thumbs[0].tile), surface)
        tiles.paint(surface, self.field, self._atlas, self.looks(scene, min(desk.bank, self.banks - 1)))
        if self.thumbs:
            self._draw_thumbs(surface, scene, desk)

    def _looks_of(self, tile: int, surface: pygame.Surface) -> np.ndarray:
        """Ready pixels of all looks; lit ones only once a unit has fired or a motor run. The socket is always last."""
        looks = tiles.mapped(dials.dial_looks(tile, only_dark=not self._alive), surface)
        whole = np.zeros((dials.EMPTY + 1, tile, tile), np.uint32)
        whole[: len(looks) - 1], whole[-1] = looks[:-1], looks[-1]
        return whole

    def _draw_thumbs(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        assert self._thumb_atlas is not None
        for bank, (thumb, looks) in enumerate(zip(self.thumbs, self.looks(scene, ALL), strict=True)):
            tiles.paint(surface, thumb, self._thumb_atlas, looks)
            if bank == desk.bank:
                pygame.draw.rect(surface, THEME.ivory, thumb.box.inset(-self.kit.px(3)), self.kit.px(2))

    def unit_at(self, x: float, y: float) -> int | None:
        """The unit under a point."""
        place = self.field.at(x, y)
        if place is None:
            return None
        unit = int(self.places[place[1], place[0]])
        return unit if unit >= 0 else None

    def bank_at(self, x: float, y: float) -> int | None:
        """The small field under a point, or its name."""
        over = self.kit.px(LABEL)
        boxes = (Box(t.box.x, t.box.y - over, t.box.w, t.box.h + over) for t in self.thumbs)
        return next((i for i, box in enumerate(boxes) if box.holds(x, y)), None)
