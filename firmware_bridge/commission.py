"""Commissioning: a person's hand on single channels while the others go on, and the search for a channel's stops. Pure.

The firmware's own stall cut-off finds stops: a motor at its stop no longer turns the potentiometer, and goes off.
Left out: actuators without feedback, whose ends only a person can see (mark1 rig calibrate and the panel ask).
"""

from dataclasses import dataclass, field

import numpy as np

from firmware_bridge.link import Board
from firmware_bridge.messages import CHANNEL_STATES, FEATURE_MEASURES, FULL_WIRE, Wire
from firmware_bridge.mirror import Mirror
from mark1.errors import BridgeError

FIRMWARE_ENDS = (20, 511, 1003)  # M1_END_LOW, M1_END_MIDDLE, M1_END_HIGH of the motors back end
MARGIN = 5  # counts kept from a stop, so that it is never leaned on
LEAST_SPAN = 100
SERVO_ENDS = (600, 1500, 2400)  # microseconds: M1_END_LOW and M1_END_HIGH of the servo back ends
DIGIPOT_ENDS = (1, 128, 256)
FIND_LIMIT_US = 60_000_000
STOP_AGAIN_US = 250_000
REPORT_US = 350_000  # three reports: what they say was measured after the target arrived
AT_REST = tuple(CHANNEL_STATES.index(name) for name in ("resting", "stalled", "overtime"))


def usual_ends(board: Board | None) -> tuple[int, int, int]:
    """The firmware's own ends: converter counts, taps or microseconds."""
    if board is not None and board.features & FEATURE_MEASURES:
        return FIRMWARE_ENDS
    return DIGIPOT_ENDS if board is not None and "digipot" in board.name else SERVO_ENDS


def counts_of(wire: int) -> int:
    """Converter counts of a measured wire value, on the firmware's own curve."""
    low, middle, high = FIRMWARE_ENDS
    return middle + round((high - middle if wire >= 0 else middle - low) * wire / FULL_WIRE)


@dataclass(slots=True)
class StopFinder:
    """Drives one channel to both ends; ends is the curve to use when poll() says that it is done."""

    mirror: Mirror
    channel: int
    ends: tuple[int, int, int] | None = None
    _low: int | None = None
    target: int = 0  # wire value that it drives to now
    _since_us: int = -1

    def poll(self, now_us: int) -> bool:
        """One look; True when both ends are known."""
        if self.ends is not None:
            return True
        if self.target == 0:
            self.mirror.calibrate(self.channel, (0, 0, 0))
            self._go(-FULL_WIRE)
        if not self._rests(now_us):
            return False
        place = counts_of(int(self.mirror.measured[self.channel]))
        if self._low is None:
            self._low = place
            self._go(FULL_WIRE)
            return False
        self.ends = self._found(self._low, place)
        return True

    def _go(self, wire: int) -> None:
        self.target, self._since_us = wire, -1
        values = self.mirror.wanted.copy()
        values[self.channel] = wire
        self.mirror.want(values)
        if not self.mirror.stopped:
            self.mirror.resume()  # a motor that stalled at the other end may move again

    def _rests(self, now_us: int) -> bool:
        asked = self.mirror.wanted[self.channel] == self.target
        if not asked or not self.mirror.in_step or self.mirror.states[self.channel] not in AT_REST:
            self._since_us = -1
            return False
        if self._since_us < 0:
            self._since_us = now_us
        return now_us - self._since_us >= REPORT_US

    def _found(self, low: int, high: int) -> tuple[int, int, int]:
        if high - low < LEAST_SPAN:
            raise BridgeError(
                f"Channel {self.channel} moved only {abs(high - low)} counts; it is jammed, has no power, or its two "
                "motor wires are swapped."
            )
        return (low + MARGIN, (low + high) // 2, high - MARGIN)


@dataclass(frozen=True, slots=True)
class Found:
    """How a search for stops ended: the curve to use, or one sentence about why there is none."""

    channel: int
    ends: tuple[int, int, int] | None
    trouble: str = ""


@dataclass(slots=True)
class Bench:
    """A person's values over the machine's, for one port. Belongs to the port's thread, like its mirror."""

    mirror: Mirror
    held: dict[int, int] = field(default_factory=dict)  # channel -> wire value
    found: Found | None = None
    _machine: Wire = field(default_factory=lambda: np.zeros(0, np.int16))
    _finder: StopFinder | None = None
    _began_us: int = -1
    _before: tuple[int, int, int] = (0, 0, 0)  # the curve to go back to
    _stop_wanted: bool = False  # until a person lifts it, in every session: a board that was reset has forgotten it
    _stop_session: int = -1  # in which it was said last
    _stop_said_us: int = 0

    @property
    def finding(self) -> int | None:
        """The channel whose stops are being looked for."""
        return None if self._finder is None else self._finder.channel

    def show(self, wire: Wire) -> None:
        """The machine's newest values."""
        self._machine = wire
        self._want()

    def _want(self) -> None:
        values = np.zeros(len(self.mirror.wanted), np.int16)
        room = values[: len(self._machine)]
        room[:] = self._machine[: len(room)]
        for channel, wire in self.held.items():
            if channel < len(values):
                values[channel] = wire
        self.mirror.want(values)

    def hold(self, channel: int, wire: int) -> None:
        """This channel shows this value, whatever the machine says, until it is let go."""
        self.held[channel] = max(-FULL_WIRE, min(FULL_WIRE, wire))
        self._want()

    def let_go(self) -> None:
        """Every channel follows the machine again."""
        self._end_search(None, "The search for its stops was broken off.")
        self.held.clear()
        self._want()

    def find(self, channel: int) -> None:
        """Begins to look for the stops of a channel; found tells how it ended."""
        self._end_search(None, "Another search began.")
        self.found, self._began_us = None, -1
        self._before = self.mirror.calibration.get(channel, (0, 0, 0))
        self._finder = StopFinder(self.mirror, channel)

    def stop(self) -> None:
        """Emergency stop. Said again until the board agrees: a RESUME still on its way must not lift it."""
        self._end_search(None, "The search for its stops was stopped.")
        self.mirror.forget_resume()
        self.mirror.link.stop()
        self._stop_wanted, self._stop_session, self._stop_said_us = True, self.mirror.link.statistics.sessions, -1

    def resume(self) -> None:
        """Lifts the emergency stop."""
        self._stop_wanted = False
        self.mirror.resume()

    def poll(self, now_us: int) -> None:
        """Keeps a stop, goes on with a search."""
        if self._stop_wanted and self.mirror.link.board is not None:
            self._keep_stop(now_us)
        if self._finder is not None:
            self._search(self._finder, now_us)

    def _keep_stop(self, now_us: int) -> None:
        """In a new session at once, before any value; in an old one now and then, until the board agrees."""
        link = self.mirror.link
        new = self._stop_session != link.statistics.sessions
        if new or (not self.mirror.stopped and 0 <= self._stop_said_us <= now_us - STOP_AGAIN_US):
            link.stop()
            self._stop_said_us = now_us
        self._stop_session = link.statistics.sessions
        self._stop_said_us = now_us if self._stop_said_us < 0 else self._stop_said_us

    def _search(self, finder: StopFinder, now_us: int) -> None:
        self._began_us = now_us if self._began_us < 0 else self._began_us
        if self.mirror.link.board is None or self.mirror.stopped:
            self._end_search(None, f"Channel {finder.channel}: the search for its stops was broken off.")
        elif now_us - self._began_us > FIND_LIMIT_US:
            self._end_search(None, restless(finder.channel))
        else:
            self._look(finder, now_us)

    def _look(self, finder: StopFinder, now_us: int) -> None:
        try:
            done = finder.poll(now_us)
        except BridgeError as error:
            self._end_search(None, str(error))
            return
        self.held[finder.channel] = finder.target
        if done:
            self._end_search(finder.ends, "")

    def _end_search(self, ends: tuple[int, int, int] | None, trouble: str) -> None:
        finder, self._finder = self._finder, None
        if finder is None:
            return
        self.found = Found(finder.channel, ends, trouble)
        self.held.pop(finder.channel, None)
        self.mirror.calibrate(finder.channel, ends or self._before)
        self._want()


def restless(channel: int) -> str:
    """A channel that never came to rest."""
    return f"Channel {channel} found no rest in a minute; check its motor and potentiometer."
