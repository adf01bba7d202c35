"""What passes between the rehearsal and its engines: cards and their activity, and what presenting them came to."""

from dataclasses import dataclass, field
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
        self._ordered: NDArray[np.float32] | None = None
        self._masks: NDArray[np.int8] | None = None

    def floats(self, rows: Any, kind: Any) -> NDArray[Any]:
        """0.0 and 1.0 for some cards."""
        some: NDArray[Any] = self.fired[rows].astype(kind, order="C")
        return some

    def ordered(self, rows: Any, order: NDArray[np.int64], kind: Any) -> NDArray[Any]:
        """The same with the units in an order."""
        if self._ordered is None and self.fired.size * 4 <= KEPT_BYTES:
            self._ordered = self.masks(order).astype(np.float32)
        kept = self.masks(order) if self._ordered is None else self._ordered
        some: NDArray[Any] = kept[rows].astype(kind, copy=False)
        return some

    def masks(self, order: NDArray[np.int64]) -> NDArray[np.int8]:
        """0 and 1 for all cards, with the units in an order (always the same one)."""
        if self._masks is None:
            straight = (order[1:] > order[:-1]).all()
            self._masks = (self.fired if straight else np.ascontiguousarray(self.fired[:, order])).view(np.int8)
        return self._masks


@dataclass(slots=True)
class Hand:
    """Presentations to be made: rows of an activity, in order, with targets and the errors of worn wipers."""

    activity: Activity
    rows: NDArray[np.int64]
    targets: NDArray[np.int8]
    fires: NDArray[np.bool_]  # for each R-unit, whether any A-unit of its source-set fires (else the card is blind)
    wiper_errors: Floats | None
    in_a_row: bool = field(init=False)

    def __post_init__(self) -> None:
        self.in_a_row = bool((np.diff(self.rows) == 1).all())

    def ordered(self, start: int, stop: int, order: NDArray[np.int64], kind: Any) -> NDArray[Any]:
        """The same with the units in an order (always the same one)."""
        first = int(self.rows[0])
        rows = slice(first + start, first + stop) if self.in_a_row else self.rows[start:stop]
        return self.activity.ordered(rows, order, kind)

    def active(self, start: int, stop: int, kind: Any) -> NDArray[Any]:
        """The activity of some of the presentations, as floats of a kind."""
        first = int(self.rows[0])
        rows = slice(first + start, first + stop) if self.in_a_row else self.rows[start:stop]
        return self.activity.floats(rows, kind)


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
