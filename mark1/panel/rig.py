"""The rig as the panel sees it: what the app lends, a steady count of channels in step, and what to say of changes.

No serial port here: the app hands in a Rig, and nothing in it waits. A channel counts as in step when its board has
it at the wanted value and at rest. While motors move that flickers, so a channel falls out of step only after a while,
and the count changes at most once a second (both chosen).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

PATIENCE_S = 1.5
CHANGES_S = 1.0
CLOSE_V = 0.3  # chosen: a little more than the dead band of the motors (8 of 492 counts are 0.18 V)
FULL_V = 11.0
STATES = ("resting", "moving", "held", "reported", "stalled", "overtime", "off", "waiting")
RESTING, MOVING = 0, 1
Ends = tuple[int, int, int]  # low, middle, high in the actuator's own units


class Outcome(NamedTuple):
    """How a search for stops ended."""

    channel: int
    ends: Ends | None
    trouble: str


class LinkFacts(NamedTuple):
    """Statistics of one board's link."""

    round_trip_ms: float = 0.0
    values_sent: int = 0
    digests: int = 0
    mismatches: int = 0
    resent: int = 0
    damaged: int = 0
    sessions: int = 0
    openings: int = 0


class BoardView(NamedTuple):
    """One board now; a copy. Arrays have one entry for each channel."""

    device: str
    name: str  # what the board calls itself; empty while there is none
    trouble: str  # one sentence with the cure
    note: str  # what was changed by itself, and why
    proved: bool  # a digest agreed: it shows the newest values
    stopped: bool
    measures: bool
    at_once: int
    wanted_v: NDArray[np.float64]
    measured_v: NDArray[np.float64]
    states: NDArray[np.uint8]
    sources: tuple[Any, ...]  # str() of each is its name
    held: frozenset[int]
    finding: int | None
    found: Outcome | None
    link: LinkFacts


class Rig(Protocol):
    """What the app lends. Boards and channels count from 0; nothing waits."""

    def attend(self, machine: Any) -> None:
        """Once a frame."""

    def boards(self) -> list[BoardView]:
        """Every board."""

    def curve(self, board: int, channel: int) -> tuple[Ends, bool]:
        """The ends of a channel; False where they are the firmware's own."""

    def bend(self, board: int, channel: int, ends: Ends) -> None:
        """Other ends."""

    def hold(self, board: int, channel: int, volts: float) -> None:
        """A value by hand, until let_go()."""

    def let_go(self) -> None:
        """Every channel follows the machine."""

    def find_stops(self, board: int, channel: int) -> None:
        """Begins to look for the stops of a channel that measures."""

    def listen(self, on: bool) -> None:
        """While on, a knob that is turned is only named."""

    def named(self) -> tuple[int, int] | None:
        """The board and channel whose knob was turned while listening."""

    def shows(self, board: int, channel: int, unit: int) -> None:
        """The channel shows this A-unit from now on."""

    def swap(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        """Two channels change what they show."""

    def keep(self) -> tuple[str, dict[str, object]]:
        """Writes map and curves to a file; what to say."""

    def stop(self) -> None:
        """Emergency stop of every board."""

    def resume(self) -> None:
        """Lifts it."""


def in_step(board: BoardView) -> NDArray[np.bool_]:
    """Which channels stand where they should."""
    at_rest = board.states == RESTING
    if board.measures:
        at_rest = at_rest & (np.abs(board.measured_v - board.wanted_v) <= CLOSE_V)
    return at_rest if board.name else np.zeros(len(board.states), bool)


class StepCount:
    """How many of one board's channels are in step, without flicker."""

    def __init__(self) -> None:
        self.shown = 0
        self._seen_s = np.zeros(0)
        self._changed_s = -CHANGES_S

    def look(self, board: BoardView, now_s: float) -> int:
        """The count to show now."""
        steady = in_step(board)
        if len(self._seen_s) != len(steady) or not board.name:
            self._seen_s = np.full(len(steady), -np.inf)
        self._seen_s[steady] = now_s
        count = int((now_s - self._seen_s <= PATIENCE_S).sum())
        if count != self.shown and now_s - self._changed_s >= CHANGES_S:
            self.shown, self._changed_s = count, now_s
        return min(self.shown, len(steady))


class RigWatch:
    """The rig beside the desk: looked at once a frame, with a line for the header and sentences when it changes."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.boards: list[BoardView] = []
        self._counts: list[StepCount] = []
        self._there: list[bool] = []
        self._told: set[str] = set()  # since a board was last there
        self.in_step = self.channels = 0

    def frame(self, machine: Any, now_s: float) -> None:
        """Takes what the rig says, gives it the newest values, counts."""
        self.rig.attend(machine)
        self.boards = self.rig.boards()
        if len(self._counts) != len(self.boards):
            self._counts = [StepCount() for _ in self.boards]
        self.in_step = sum(c.look(b, now_s) for c, b in zip(self._counts, self.boards, strict=True))
        self.channels = sum(len(b.states) for b in self.boards if b.name)

    @property
    def connected(self) -> bool:
        """Whether any board is there."""
        return any(board.name for board in self.boards)

    @property
    def stopped(self) -> bool:
        """Whether an emergency stop is latched."""
        return any(board.name and board.stopped for board in self.boards)

    @property
    def well(self) -> bool:
        """Every board is there, none is stopped, and every channel is in step."""
        there = bool(self.boards) and all(board.name for board in self.boards)
        return there and not self.stopped and self.in_step == self.channels

    def line(self, words: Any) -> str:
        """For the header."""
        if self.stopped:
            return str(words("rig: stopped"))
        if self.connected:
            return str(words("rig: {n} of {m} in step", n=self.in_step, m=self.channels))
        return str(words("rig: not there"))

    def news(self, words: Any) -> str:
        """One sentence when a board came, went or gave a new reason for not coming; else nothing."""
        now = [bool(board.name) for board in self.boards]
        was, self._there = self._there, now
        for board, before in zip(self.boards, was or [False] * len(now), strict=False):
            if board.name and not before:
                self._told = {board.note}
                return str(words("The rig is there: {name}, {n} channels.", name=board.name, n=len(board.states)))
            text = board.note if board.name else board.trouble
            if text not in self._told and not text.endswith(" yet."):  # nobody has answered yet: no news
                self._told.add(text)
                return text
        return ""
