"""The plugboard: the wires from S-units to A-units, and the sum of signals that they carry to each A-unit.

The truth is the table (wiring.py); the index below is made from it for speed: np.take of an int8 signal with a
(wires, A-units) layout is three times as fast as the transposed one, and five times as fast as a dense product.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core.errors import CommandError
from mark1.core.wiring import Table

KINDS = {"excitatory": 1, "inhibitory": -1}
MOST_INT8_WIRES = 120


class Plugboard:
    """Wires as they are now."""

    def __init__(self, table: Table, cells: int, limit: int) -> None:
        self.cells, self.limit = cells, limit
        self.plug(table)

    def plug(self, table: Table) -> None:
        """Takes up a table; the table must not be changed afterwards."""
        self.table = table
        width = max(1, table.shape[1])
        narrow = width <= MOST_INT8_WIRES
        self._kind: Any = np.int8 if narrow else np.int16
        place = np.where(table > 0, table - 1, np.where(table < 0, self.cells - table - 1, 2 * self.cells))
        self._index = np.full((width, len(table)), 2 * self.cells, np.intp)
        self._index[: table.shape[1]] = place.T
        self._signal = np.zeros(2 * self.cells + 1, self._kind)
        self._carried = np.empty(self._index.shape, self._kind)

    def excitation(self, outputs: NDArray[np.bool_]) -> NDArray[Any]:
        """Excitatory minus inhibitory lit wires of each A-unit."""
        signal, cells = self._signal, self.cells
        signal[:cells] = outputs
        np.negative(signal[:cells], out=signal[cells : 2 * cells])
        signal.take(self._index, out=self._carried, mode="clip")
        total: NDArray[Any] = np.add.reduce(self._carried, axis=0, dtype=self._kind)
        return total

    def excitations(self, outputs: NDArray[np.bool_]) -> NDArray[Any]:
        """The same for many cards: (cards, A-units), by gathering whole columns of the transposed tray."""
        signal = np.zeros((2 * self.cells + 1, len(outputs)), self._kind)
        signal[: self.cells] = outputs.T
        np.negative(signal[: self.cells], out=signal[self.cells : 2 * self.cells])
        total = np.zeros((self._index.shape[1], len(outputs)), self._kind)
        for wire in self._index:
            total += signal[wire]
        return total.T

    def wires(self, unit: int) -> list[int]:
        """Signed cell numbers of one A-unit, counted from 1."""
        return [int(w) for w in self.table[unit] if w]

    def count(self) -> int:
        """All wires."""
        return int(np.count_nonzero(self.table))

    def fan_out(self) -> NDArray[np.int64]:
        """How many A-units each S-unit feeds."""
        used = np.abs(self.table[self.table != 0]) - 1
        return np.bincount(used, minlength=self.cells).astype(np.int64)

    def cut(self, unit: int, cell: int) -> None:
        """Removes one wire."""
        wire = self._find(unit, cell)
        self._set(unit, [w for w in self.wires(unit) if w != wire])

    def add(self, unit: int, cell: int, kind: str) -> None:
        """Plugs one wire."""
        if kind not in KINDS:
            raise CommandError(f"a wire is excitatory or inhibitory, not {kind!r}.")
        self._refuse_if_taken(unit, cell)
        self._set(unit, [*self.wires(unit), KINDS[kind] * (cell + 1)])

    def move(self, unit: int, cell: int, to_cell: int) -> None:
        """Moves one wire to another cell; it keeps its kind and its place."""
        wire = self._find(unit, cell)
        self._refuse_if_taken(unit, to_cell)
        new = (to_cell + 1) * (1 if wire > 0 else -1)
        self._set(unit, [new if w == wire else w for w in self.wires(unit)])

    def _find(self, unit: int, cell: int) -> int:
        for wire in self.wires(unit):
            if abs(wire) == cell + 1:
                return wire
        raise CommandError(f"A-unit {unit + 1} has no wire to S-unit {cell + 1}.")

    def _refuse_if_taken(self, unit: int, cell: int) -> None:
        if cell + 1 in map(abs, self.wires(unit)):
            raise CommandError(f"A-unit {unit + 1} already has a wire to S-unit {cell + 1}.")
        if self.limit and self.fan_out()[cell] >= self.limit:
            raise CommandError(f"S-unit {cell + 1} already feeds {self.limit} A-units, which is its limit.")

    def _set(self, unit: int, wires: list[int]) -> None:
        width = max(self.table.shape[1], len(wires))
        table = np.zeros((len(self.table), width), np.int32)
        table[:, : self.table.shape[1]] = self.table
        table[unit] = wires + [0] * (width - len(wires))
        needed = int(np.count_nonzero(table, axis=1).max())  # equal boards have equal tables
        self.plug(table[:, : max(1, needed)].copy())


def as_lines(table: Table) -> list[str]:
    """The table as text, one A-unit a line: '+12 +250 -7'."""
    return [" ".join(f"{w:+d}" for w in row if w) for row in table.tolist()]


def from_lines(lines: list[str], units: int, cells: int) -> Table:
    """The reverse; refuses what is not a plugboard of this size."""
    if len(lines) != units:
        raise CommandError(f"the plugboard table has {len(lines)} rows, but this machine has {units} A-units.")
    try:
        rows = [[int(word) for word in line.split()] for line in lines]
    except ValueError:
        raise CommandError("the plugboard table has a word that is not a whole number.") from None
    return from_rows(rows, cells)


def from_rows(rows: Any, cells: int) -> Table:
    """A table from rows of signed cell numbers, checked."""
    width = max([1, *map(len, rows)])
    table = np.zeros((len(rows), width), np.int32)
    for unit, row in enumerate(rows):
        if any(isinstance(w, bool) or not hasattr(w, "__index__") for w in row):
            raise CommandError(f"A-unit {unit + 1}: wires are whole numbers.")
        if len({abs(w) for w in row}) != len(row) or any(not 1 <= abs(w) <= cells for w in row):
            raise CommandError(
                f"A-unit {unit + 1}: wires must go to different cells, numbered from 1 to {cells}, with a sign."
            )
        table[unit, : len(row)] = row
    return table
