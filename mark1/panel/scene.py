"""What the eye sees of the state: lamps with thermal lag, meter needles with inertia, never more than the state says.

Lamps and needles move towards the machine's state and come to rest at it exactly. When cards change faster than
about two and a half a second the lag grows to well over a second, so that lamps show an averaged glow: at most three
visible flashes a second. Lags are chosen.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mark1.core.state import MachineState

LAMP_LAG_S, AVERAGED_LAG_S, NEEDLE_LAG_S = 0.14, 1.6, 0.16
FAST = 2.4  # presentations a second from which on glow is averaged
WINDOW_S = 1.0
SCALES_V = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

Glow = NDArray[np.float32]


@dataclass
class Attention:
    """Where the person is: what is held down, where the keyboard is, which page of the tray, which marks are shown."""

    held: str = ""
    focus: str = ""
    tray_page: int = 0
    documented: bool = False
    muted: bool = False


def lag(now: Glow, target: NDArray[np.generic], seconds: float, lag_s: float) -> Glow:
    """One step of a first-order lag, at rest when it is close."""
    goal = np.asarray(target, np.float32)
    moved: Glow = now + (goal - now) * np.float32(1 - np.exp(-seconds / lag_s))
    return np.where(np.abs(goal - moved) < 0.012, goal, moved)


def full_scale(sums: NDArray[np.float64], now_v: int) -> int:
    """The meter range in volts that shows all sums; it changes only when it must."""
    most = float(np.max(np.abs(sums), initial=0.0)) / 1e6
    if most <= now_v and most >= now_v / 8:
        return now_v
    return next((v for v in SCALES_V if v >= most * 1.15), SCALES_V[-1])


class Scene:
    """The moving picture of one machine."""

    def __init__(self, state: MachineState) -> None:
        self.state = state
        self.cells: Glow = np.asarray(state.cells, np.float32)
        self.units: Glow = np.asarray(state.active, np.float32)
        self.responses: Glow = np.zeros(len(state.sums), np.float32)
        self.needles: Glow = np.zeros(len(state.sums), np.float32)
        self.full_v = 5
        self.attention = Attention()
        self.averaged = False
        self._seen: deque[tuple[float, int]] = deque(maxlen=256)
        self._now_s = 0.0

    def update(self, state: MachineState, seconds: float, stale: bool = False) -> None:
        """So many seconds later. stale: the sums are of a card, values or units that are no more; needles rest."""
        self._now_s += seconds
        self._note_rate(state)
        self.state = state
        lamp = AVERAGED_LAG_S if self.averaged else LAMP_LAG_S
        self.cells = lag(_same(self.cells, state.cells), state.cells, seconds, lamp)
        self.units = lag(_same(self.units, state.active), state.active, seconds, lamp)
        on = (
            np.where(state.states > 0, np.where(state.undecided, 0.3, 1.0), 0.0)
            if state.presentations
            else state.sums * 0
        )
        self.responses = lag(_same(self.responses, on), on, seconds, lamp)
        sums = state.sums * 0 if stale else state.sums
        self.full_v = self.full_v if stale else full_scale(sums, self.full_v)
        deflection = np.clip(sums / (self.full_v * 1e6), -1, 1)
        needle = AVERAGED_LAG_S if self.averaged else NEEDLE_LAG_S
        self.needles = lag(_same(self.needles, deflection), deflection, seconds, needle)

    def _note_rate(self, state: MachineState) -> None:
        """Cards a second, over the last second."""
        self._seen.append((self._now_s, state.presentations))
        while self._seen[0][0] < self._now_s - WINDOW_S:
            self._seen.popleft()
        shown = state.presentations - self._seen[0][1]
        self.averaged = state.training.running and shown > FAST

    def at_rest(self) -> bool:
        """Whether nothing on the panel will move until the machine does."""
        return bool((self.cells == self.state.cells).all() and (self.units == self.state.active).all())


def _same(glow: Glow, target: NDArray[np.generic]) -> Glow:
    """The glow, or darkness if the machine has become another one with other numbers of units."""
    return glow if glow.shape == target.shape else np.zeros(target.shape, np.float32)
