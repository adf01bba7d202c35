"""The only wall clock: how fast machine time passes for somebody who watches.

The machine never waits for the picture, nor the picture for the machine: each frame asks pace to let machine time
pass. A frame that came late is not made up for beyond a quarter of a second, so a stall never ends in a spiral.
"""

import time
from collections.abc import Callable

from mark1.core.machine import Mark1

SPEEDS = (1, 10, 100)  # times the speed of 1960, whose own timing is chosen
FULL = 0  # as fast as this computer can: training is rehearsed
LONGEST_FRAME_S = 0.25
FRAME_BUDGET_S = 0.008


def wall_clock() -> float:
    """Seconds that pass for people; for what only measures itself (progress, budgets) and never for the machine."""
    return time.perf_counter()


class Pace:
    """Lets a machine run with the clock on the wall."""

    def __init__(self, clock: Callable[[], float] = wall_clock, budget_s: float = FRAME_BUDGET_S) -> None:
        self._clock, self._budget_s = clock, budget_s
        self._last: float | None = None
        self._left_us = 0.0  # machine time owed by rounding
        self._rate = 1000.0  # presentations a second that rehearsal manages; measured as we go

    def advance(self, machine: Mark1, speed: int) -> None:
        """One frame: lets machine time pass at a multiple of 1960's, or at full speed."""
        now = self._clock()
        passed = 0.0 if self._last is None else min(now - self._last, LONGEST_FRAME_S)
        self._last = now
        if speed == FULL and machine.state().training.running:
            self._rehearse(machine)
        elif speed == FULL:
            machine.settle()
        else:
            self._left_us += passed * 1e6 * speed
            whole = int(self._left_us)
            self._left_us -= whole
            machine.run_until(machine.now_us + whole)

    def _rehearse(self, machine: Mark1) -> None:
        """As many presentations as fit in the frame's budget."""
        count = max(1, int(self._rate * self._budget_s))
        began, before = self._clock(), machine.presentations
        machine.rehearse(max_presentations=count, engine="numpy")
        took, done = self._clock() - began, machine.presentations - before
        if took > 0 and done:
            self._rate = min(0.5 * (self._rate + done / took), 2 * self._rate)

    def forget(self) -> None:
        """Time that passes until the next frame does not count (a dialog was open, the window was hidden)."""
        self._last = None
