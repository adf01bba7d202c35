"""What passes between the rehearsal and its engines: cards and their activity, and what presenting them came to."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mark1.core.response import Response
from mark1.core.works import Works

Floats = NDArray[np.float64]
KEPT_BYTES = 1 << 29  # activity as floats is kept if it takes no more than this


class Activity:
    """Which A-units fire for each card, in the form that an engine likes; each form is made once, when asked for."""

    def __init__(self, fired: NDArray[np.bool_]) -> None:
        self.fired = fired
        self._floats: Floats | None = None
        self._lists: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    def floats(self, rows: Any) -> Floats:
        """0.0 and 1.0 for some cards: a view where that is possible."""
        if self._floats is None and self.fired.size * 8 <= KEPT_BYTES:
            self._floats = self.fired.astype(np.float64, order="C")
        kept = self._floats
        return self.fired[rows].astype(np.float64, order="C") if kept is None else kept[rows]

    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """For all cards one after the other: where each card's list starts, and the numbers of the units that fire."""
        if self._lists is None:
            starts = np.zeros(len(self.fired) + 1, np.int64)
            np.cumsum(np.count_nonzero(self.fired, axis=1), out=starts[1:])
            self._lists = starts, np.nonzero(self.fired)[1].astype(np.int32)
        return self._lists


@dataclass(slots=True)
class Hand:
    """Presentations to be made: rows of an activity, in order, with targets and the errors of worn wipers."""

    activity: Activity
    rows: NDArray[np.int64]
    targets: NDArray[np.int8]
    wiper_errors: Floats | None

    def active(self, start: int, stop: int) -> Floats:
        """The activity of some of the presentations."""
        rows = self.rows[start:stop]
        in_a_row = len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all()
        return self.activity.floats(slice(int(rows[0]), int(rows[-1]) + 1) if in_a_row else rows)


@dataclass(slots=True)
class Tally:
    """What a hand of presentations came to."""

    answer: Response
    corrections: NDArray[np.int64]
    errors: int = 0
    runs: int = 0
    end_stops: int = 0
    facts: int = 0
    time_us: int = 0


class Engine(Protocol):
    """Presents a hand of cards to the works, in order; changes values, lash and nothing else."""

    def __call__(self, works: Works, hand: Hand) -> Tally: ...
