"""Source-sets: which potentiometers feed which R-unit. An object, because history and folklore differ.

Documented (manual, Figure 1): "many-to-one", so every A-unit has one potentiometer and feeds one R-unit: one bank of
512. Not historic: "every", a bank of potentiometers for each R-unit. Chosen: the split of the 512 among the R-units.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core.config import ResponseConfig

Floats = NDArray[np.float64]


class SourceSets:
    """Sums and counts over source-sets; shapes are (banks, A-units) for potentiometers, (R-units,) for responses."""

    def __init__(self, config: ResponseConfig, units: int) -> None:
        self.responses, self.units = config.in_use, units
        self.every = config.split == "every"
        self.banks = self.responses if self.every else 1
        unit = np.arange(units)
        row = unit % self.responses if config.split == "interleaved" else unit * self.responses // units
        self.feeds = (
            np.repeat(np.arange(self.responses)[:, None], units, axis=1) if self.every else row[None, :]
        ).astype(np.int64)
        self._row = self.feeds[0]
        self.places = [self._place(r, config.split) for r in range(self.responses)]  # of each source-set, in a bank
        self.sizes = [units if self.every else int(np.count_nonzero(self._row == r)) for r in range(self.responses)]

    def _place(self, response: int, split: str) -> slice:
        """A source-set as a slice: operations on a slice cost half of those on a list of numbers."""
        if split == "every":
            return slice(None)
        if split == "interleaved":
            return slice(response, None, self.responses)
        own = np.flatnonzero(self._row == response)
        return slice(int(own[0]), int(own[-1]) + 1)

    def sums(self, values: Floats, active: Floats) -> Floats:
        """What each R-unit is given: the values of its active A-units, added up."""
        total: Any = values @ active if self.every else np.bincount(self._row, values[0] * active, self.responses)
        return total  # type: ignore[no-any-return]

    def blind(self, active: Floats) -> NDArray[np.bool_]:
        """The R-units of whose source-set no A-unit is active."""
        if self.every:
            return np.full(self.responses, not active.any())
        counts = np.bincount(self._row, active, self.responses)
        return np.equal(counts, 0)

    def spread(self, per_response: NDArray[np.int8]) -> NDArray[np.int8]:
        """A number for each R-unit, handed to each of its potentiometers; broadcasts against (banks, A-units)."""
        return per_response[:, None] if self.every else per_response[self._row][None, :]

    def members(self, response: int) -> NDArray[np.int64]:
        """The A-units of one source-set."""
        return np.arange(self.units) if self.every else np.flatnonzero(self._row == response)

    def in_order(self) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...]]:
        """A-units ordered by source-set; and for each R-unit its bank, and where its units begin and end."""
        order = np.arange(self.units) if self.every else np.argsort(self._row, kind="stable")
        sizes = [len(self.members(r)) for r in range(self.responses)]
        ends = np.array(sizes) if self.every else np.cumsum(sizes)
        banks = np.arange(self.responses) if self.every else np.zeros(self.responses)
        return order, tuple(places.astype(np.int64) for places in (banks, ends - sizes, ends))

    def bank_of(self, unit: int, response: int | None) -> int | None:
        """The bank that holds this A-unit's potentiometer for a response; None if there is no such potentiometer."""
        if self.every:
            return response
        return 0 if response is None or self._row[unit] == response else None
