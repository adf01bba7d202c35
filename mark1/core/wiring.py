"""Drawing a plugboard: which cells each A-unit is wired to, at random, under the limit of each S-unit.

Documented: "random" connections; an S-unit feeds at most 40 A-units; (1957 design) the same number of excitatory and
of inhibitory wires for every A-unit, on different cells. Chosen: how the draw keeps the limit (swap repair), and the
topological layout (wires from a square neighbourhood of a random centre).
A table has a row per A-unit: cell numbers counted from 1, + excitatory, - inhibitory, 0 no wire.
"""

from __future__ import annotations  # numpy.random is loaded when the first machine is built, not before

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance
from mark1.core.config import MachineConfig
from mark1.core.errors import ConfigError

Table = NDArray[np.int32]
CHUNK = 4096  # rows shuffled at once; the draw does not depend on it


def draw(config: MachineConfig, seed: int) -> Table:
    """The table for a seed."""
    bits = chance.stream(seed, "wiring")
    units = config.association.units
    cells = np.concatenate([_rows(config, bits, min(CHUNK, units - i)) for i in range(0, units, CHUNK)])
    if config.plugboard.fan_out_limit:
        _Repair(config, cells, bits).run()
    signs = np.ones(config.plugboard.wires, np.int32)
    signs[config.plugboard.excitatory :] = -1
    return (cells.astype(np.int32) + 1) * signs


def _rows(config: MachineConfig, bits: np.random.PCG64, rows: int) -> NDArray[np.int64]:
    """Different cells for each of so many A-units: a partial Fisher-Yates shuffle of all rows side by side."""
    wires, topological = config.plugboard.wires, config.plugboard.layout == "topological"
    places = int(np.prod(_window(config)))
    bounds = np.concatenate([[config.retina.cells] if topological else [], places - np.arange(wires)])
    drawn = chance.below(bits, bounds.astype(np.int64), (rows, len(bounds)))
    picks = drawn[:, 1:] if topological else drawn
    deck = np.tile(np.arange(places), (rows, 1))
    row = np.arange(rows)
    for j in range(wires):
        k = j + picks[:, j]
        taken = deck[row, k]
        deck[row, k] = deck[:, j]
        deck[:, j] = taken
    chosen: NDArray[np.int64] = deck[:, :wires]
    return _placed(config, drawn[:, 0], chosen) if topological else chosen


def _window(config: MachineConfig) -> tuple[int, int]:
    """Height and width of the field that one A-unit's wires come from."""
    rows, columns = config.retina.rows, config.retina.columns
    if config.plugboard.layout == "random":
        return rows, columns
    side = 2 * config.plugboard.reach + 1
    return min(side, rows), min(side, columns)


def _placed(config: MachineConfig, centres: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places in a window around each centre, as cells; at the border the window is moved inwards."""
    height, width = _window(config)
    columns, reach = config.retina.columns, config.plugboard.reach
    top = np.clip(centres // columns - reach, 0, config.retina.rows - height)
    left = np.clip(centres % columns - reach, 0, columns - width)
    cells: NDArray[np.int64] = (top[:, None] + places // width) * columns + left[:, None] + places % width
    return cells


class _Repair:
    """Moves wires away from S-units that feed too many A-units, until none does."""

    def __init__(self, config: MachineConfig, cells: NDArray[np.int64], bits: np.random.PCG64) -> None:
        self.cells, self.bits, self.limit = cells, bits, config.plugboard.fan_out_limit
        self.load = np.bincount(cells.ravel(), minlength=config.retina.cells)
        self.columns = config.retina.columns
        self.topological = config.plugboard.layout == "topological"

    def run(self) -> None:
        for cell in np.flatnonzero(self.load > self.limit):
            wires = np.argwhere(self.cells == cell)
            for unit, slot in wires[chance.shuffled(self.bits, len(wires))]:
                if self.load[cell] <= self.limit:
                    break
                if not self._move(unit, slot):
                    self._swap(unit, slot)
        if (self.load > self.limit).any():
            raise ConfigError(
                f"plugboard.fan_out_limit is {self.limit}, and no such wiring was found; raise it, or set 0 to lift it."
            )

    def _move(self, unit: int, slot: int) -> bool:
        """To a cell with room that the unit does not have yet."""
        room = np.setdiff1d(np.flatnonzero(self.load < self.limit), self.cells[unit])
        if self.topological:  # stay within the neighbourhood that was drawn
            room = room[self._within(room, self.cells[unit])]
        if not len(room):
            return False
        self._put(unit, slot, room[self._pick(len(room))])
        return True

    def _within(self, room: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which cells lie in the smallest rectangle around a unit's own."""
        inside = np.ones(len(room), np.bool_)
        for place, mine in zip(divmod(room, self.columns), divmod(own, self.columns), strict=True):
            inside &= (place >= mine.min()) & (place <= mine.max())
        return inside

    def _swap(self, unit: int, slot: int) -> None:
        """All cells with room are wired to this unit already: another unit takes one, and gives up one of its own."""
        if self.topological:
            return
        full = np.flatnonzero(self.load < self.limit)
        for other in chance.shuffled(self.bits, len(self.cells)):
            new = np.setdiff1d(full, self.cells[other])
            given = np.flatnonzero(~np.isin(self.cells[other], self.cells[unit]))
            if len(new) and len(given):
                place = given[self._pick(len(given))]
                freed = self.cells[other, place]
                self._put(other, place, new[self._pick(len(new))])
                self._put(unit, slot, freed)
                return

    def _put(self, unit: int, slot: int, cell: int) -> None:
        self.load[self.cells[unit, slot]] -= 1
        self.cells[unit, slot] = cell
        self.load[cell] += 1

    def _pick(self, count: int) -> int:
        return int(chance.below(self.bits, count, ()))
