"""Training as state: the tray, its targets, the order, the pass, the place in it. No control flow of its own.

Because training is state, it can be saved in the middle of a pass and gone on with, by the event loop or by the
rehearsal, to the same bits.
"""

from __future__ import annotations  # numpy.random is loaded when the first machine is built, not before

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance
from mark1.core.config import MODES, one_of, whole
from mark1.core.errors import CommandError, ConfigError
from mark1.core.retina import Light, tray_ppm

ORDERS = ("fixed", "shuffled")
HISTORY = 1000  # passes remembered; older ones are forgotten, so that training for months needs no more room
MOST_CARDS = 10_000_000


@dataclass(slots=True)
class Tray:
    """Cards and what they should be called; never changed once made."""

    lights: Light
    targets: NDArray[np.int8]


def checked_tray(lights: Any, targets: Any, cells: int, in_use: int) -> Tray:
    """A tray, or a sentence about what is wrong with it. Targets may be absent (spontaneous learning)."""
    light = tray_ppm(lights, cells)
    if not len(light):
        raise CommandError("the tray is empty; put at least one card in it.")
    wanted = np.ones((len(light), in_use), np.int8) if targets is None else np.asarray(targets)
    if wanted.shape != (len(light), in_use):
        raise CommandError(
            f"the targets have shape {wanted.shape}, but {len(light)} cards and {in_use} R-units in use "
            f"need {(len(light), in_use)}."
        )
    if not np.isin(wanted, (-1, 0, 1)).all():
        raise CommandError("every target must be -1, +1, or 0 for an R-unit that is not in use.")
    return Tray(light, wanted.astype(np.int8))


@dataclass(slots=True)
class Sequencer:
    """Where training stands."""

    running: bool = False
    tray: Tray | None = None
    mode: str = "error correction"
    passes: int = 0  # 0: until stopped
    order: str = "fixed"
    until_correct: bool = False
    passes_done: int = 0
    position: int = 0
    queue: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    errors: int = 0  # presentations answered wrongly in this pass
    corrections: int = 0  # R-units corrected in this pass
    error_history: list[int] = field(default_factory=list)
    correction_history: list[int] = field(default_factory=list)
    blind: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    outcome: str = ""
    disturbed: bool = False  # whether anything but this training has touched values, wiring or settings since its start
    corrected_before: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # of each R-unit

    @staticmethod
    def start(tray: Tray, mode: str, passes: int, order: str, until_correct: bool, bits: np.random.PCG64) -> Sequencer:
        """A new training."""
        try:
            one_of("mode", mode, MODES)
            one_of("order", order, ORDERS)
            whole("passes", passes, 0, 10**12)
        except ConfigError as error:
            raise CommandError(str(error)) from None
        if until_correct and mode == "spontaneous":
            raise CommandError("spontaneous learning knows no right answer, so not 'until correct'; give passes.")
        blind = np.zeros(tray.targets.shape, np.int64)
        new = Sequencer(True, tray, mode, passes, order, bool(until_correct), blind=blind)
        new._deal(bits)
        return new

    def _deal(self, bits: np.random.PCG64) -> None:
        """The order of the next pass."""
        assert self.tray is not None
        cards = len(self.tray.lights)
        self.queue = chance.shuffled(bits, cards) if self.order == "shuffled" else np.arange(cards)
        self.position = 0

    def card(self) -> int:
        """The card that is to be shown next, or is being shown."""
        return int(self.queue[self.position])

    def advance(self, bits: np.random.PCG64) -> bool:
        """One card is done; True if that ended a pass."""
        self.position += 1
        if self.position < len(self.queue):
            return False
        self.passes_done += 1
        self.error_history.append(self.errors)
        self.correction_history.append(self.corrections)
        del self.error_history[:-HISTORY], self.correction_history[:-HISTORY]
        if self.until_correct and not self.errors:
            self._end("correct")
        elif self.passes and self.passes_done >= self.passes:
            self._end("passes done")
        else:
            self._deal(bits)
            self.errors = self.corrections = 0
        return True

    def _end(self, outcome: str) -> None:
        self.running, self.outcome = False, outcome

    def stop(self) -> None:
        """Ends training here."""
        self._end("stopped")

    def disturb(self) -> None:
        """Something else has touched the machine; without a tray there is no training to disturb."""
        self.disturbed = self.tray is not None

    def rewound(self, bits: np.random.PCG64) -> Sequencer:
        """The same tray from its first card, not running."""
        if self.tray is None:
            return Sequencer()
        new = Sequencer.start(self.tray, self.mode, self.passes, self.order, self.until_correct, bits)
        new.running = False
        return new
