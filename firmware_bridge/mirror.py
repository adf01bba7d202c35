"""Keeps one board's values equal to the wanted ones: state synchronisation, never a queue of events. Pure.

A dirty set of absolute values, whatever changed since; a digest of all of them to prove it; where many channels share
one step, "move by delta where the bit is set" instead. After a lost session everything is unknown and sent as
absolutes. A value counts as shown only after a digest agreed. Left out: where wanted values come from (rig.py), the
port and the thread (host.py).
"""

from binascii import crc_hqx
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from firmware_bridge.link import Link
from firmware_bridge.messages import (
    CHANNEL_STATES,
    EVENT_BUTTON,
    EVENT_HAND,
    FEATURE_CALIBRATES,
    FLAG_STOPPED,
    Message,
    Wire,
    digest,
)

DIGEST_IDLE_US = 1_000_000  # a proof each second while nothing changes
DIGEST_BUSY_US = 2_000_000  # and every two while everything does
ANSWER_LIMIT_US = 300_000
GAP = 4  # a frame of its own costs as much as four values
REPORT_PERIOD_MS = 100
LOOKS = 2
BENDING = ("CALIBRATE", "LIMITS")  # what the digest of settings covers


@dataclass(frozen=True, slots=True)
class Limits:
    """What the host asks of the firmware's safety; 0 is the firmware's own. It may only be stricter."""

    motors_at_once: int = 0
    silence_ms: int = 0
    stall_ms: int = 0
    overtime_ms: int = 0


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pushed."""

    button: int


@dataclass(frozen=True, slots=True)
class Hand:
    """A knob was turned by hand and came to rest."""

    channel: int
    wire: int


@dataclass(slots=True)
class MirrorStatistics:
    """Counts for the panel and the tests."""

    digests: int = 0
    mismatches: int = 0
    value_frames: int = 0
    step_frames: int = 0
    values_sent: int = 0
    events: int = 0
    stalls: int = 0


@dataclass(slots=True)
class Mirror:
    """One board's values. want() may be called at any time; poll() gives the link what fits its window."""

    link: Link
    calibration: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    limits: Limits = Limits()
    reports: bool = True
    statistics: MirrorStatistics = field(default_factory=MirrorStatistics)
    wanted: Wire = field(default_factory=lambda: np.zeros(0, np.int16))
    measured: Wire = field(default_factory=lambda: np.zeros(0, np.int16))
    states: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    light: bytearray = field(default_factory=bytearray)
    flags: int = 0
    moving: int = 0
    in_step: bool = False  # the last digest agreed, and nothing has changed since
    events: deque[Press | Hand] = field(default_factory=deque)
    ready: bool = False  # want() was called: before that nothing is known, so nothing is sent
    read_back: Wire | None = None  # the answer to ask_read_back(), when complete
    _shadow: Wire = field(default_factory=lambda: np.zeros(0, np.int16))
    _unknown: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    _settings: deque[tuple[str, tuple[int, ...]]] = field(default_factory=deque)
    _orders: deque[tuple[str, tuple[int, ...]]] = field(default_factory=deque)
    _session: int = 0
    _asked: tuple[int, tuple[int, int], int, int] | None = None  # seq, sums, settings, time
    _unproved: bool = True  # values or settings were sent since a digest was last asked for
    _looks: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))  # states heard since in step
    _proved_us: int = -DIGEST_BUSY_US
    _next_event: int = 0
    _reading: "npt.NDArray[np.int32] | None" = None
    _read_asked_us: int | None = None

    # ---- from above ----
    def want(self, wire: Wire) -> None:
        """The values that the board should show, one per channel; channels that nobody maps show 0, the middle."""
        self.ready = True
        room = self.wanted[: len(wire)]
        if not np.array_equal(room, wire[: len(room)]):
            self.in_step = False
            room[:] = wire[: len(room)]

    def release(self, channels: Iterable[int]) -> None:
        """The reports of these knobs were taken: after the values, their motors may move again."""
        self._orders.extend(("RELEASE", (channel,)) for channel in channels)

    def resume(self) -> None:
        """Lifts an emergency stop."""
        self._orders.append(("RESUME", ()))

    def forget_resume(self) -> None:
        """A RESUME that was not sent yet must not lift a stop that was asked for after it."""
        self._orders = deque(order for order in self._orders if order[0] != "RESUME")

    def set_limits(self, limits: Limits) -> None:
        """New limits, sent as soon as there is room."""
        self.limits = limits
        self.in_step = False
        self._settings.append(("LIMITS", self._limit_numbers()))

    def calibrate(self, channel: int, ends: tuple[int, int, int]) -> None:
        """A channel's own curve."""
        self.calibration[channel] = ends
        self.in_step = False
        self._settings.append(("CALIBRATE", (channel, *ends)))

    def ask_read_back(self) -> None:
        """Reads every value back from the board; read_back has them when they are all there."""
        self.read_back = None
        self._reading = np.full(len(self.wanted), 1 << 20, np.int32)
        self._read_asked_us = None

    def fresh(self) -> npt.NDArray[np.bool_]:
        """Whose state was reported after the values were proved; twice, since the first may have been under way."""
        return self._looks >= LOOKS

    @property
    def stopped(self) -> bool:
        """The board says that its emergency stop is latched."""
        return bool(self.flags & FLAG_STOPPED)

    # ---- to the board ----
    def poll(self, now_us: int) -> None:
        """Fills the link's window with what is most needed."""
        if not self.link.lively(now_us):
            self.in_step = False
        if self.link.board is None:
            return
        if self.link.statistics.sessions != self._session:
            self._session = self.link.statistics.sessions
            self._next_event, self.flags = 0, 0  # what the board said before it forgot everything
            self._send_all_again()
        while self._send_one(now_us):
            continue

    def _send_all_again(self, every_curve: bool = False) -> None:
        """A board that was not reset may have curves of an earlier session: then all are sent, zeros included."""
        board = self.link.board
        assert board is not None
        self.wanted = _resized(self.wanted, board.channels)
        self.measured = _resized(self.measured, board.channels)
        self.states = np.full(board.channels, CHANNEL_STATES.index("off"), np.uint8)  # until the board says more
        self._shadow = np.zeros(board.channels, np.int16)
        self._unknown = np.ones(board.channels, bool)
        self._looks = np.zeros(board.channels, np.uint8)
        self._asked, self.in_step = None, False
        self._read_asked_us = None
        self._settings = deque([("LIMITS", self._limit_numbers())])
        if board.features & FEATURE_CALIBRATES:
            curves = self.calibration | ({c: self._curve(c) for c in range(board.channels)} if every_curve else {})
            self._settings.extend(("CALIBRATE", (c, *e)) for c, e in sorted(curves.items()) if c < board.channels)
        if self.reports:
            self._settings.append(("REPORTS", (REPORT_PERIOD_MS,)))

    def _curve(self, channel: int) -> tuple[int, int, int]:
        return self.calibration.get(channel, (0, 0, 0))

    def _limit_numbers(self) -> tuple[int, int, int, int]:
        limits = self.limits
        return limits.motors_at_once, limits.silence_ms, limits.stall_ms, limits.overtime_ms

    def _send_one(self, now_us: int) -> bool:
        """Sends one message if there is room; True if there may be more."""
        dirty = self._unknown | (self.wanted != self._shadow)
        if self._settings:
            return self._send_order(self._settings)
        if not self.ready:
            return self._reading is not None and self._ask_values(now_us)
        if now_us - self._proved_us >= DIGEST_BUSY_US and self._asked is None:
            return self._ask_digest(now_us)
        if dirty.any():
            self.in_step = False
            return self._send_values(dirty)
        if self._orders:
            return self._send_order(self._orders)
        if self._asked is None and (not self.in_step or now_us - self._proved_us >= DIGEST_IDLE_US):
            return self._ask_digest(now_us)
        if self._asked is not None and now_us - self._asked[3] > ANSWER_LIMIT_US:
            self._asked = None  # the answer was lost; ask again
            return True
        return self._reading is not None and self._ask_values(now_us)

    def _send_order(self, orders: deque[tuple[str, tuple[int, ...]]]) -> bool:
        if not self.link.room(8):
            return False
        name, numbers = orders.popleft()
        self.link.send(name, *numbers)
        self._unproved |= name in BENDING
        return True

    def _send_values(self, dirty: npt.NDArray[np.bool_]) -> bool:
        assert self.link.board is not None
        most = (self.link.board.largest_payload - 2) // 2
        changed = np.flatnonzero(dirty)
        start = int(changed[0])
        step = self._shared_step(dirty, start)
        if step is not None:
            return self._send_step(start, *step)
        within = changed[changed < start + most]
        breaks = np.flatnonzero(np.diff(within) > GAP)
        end = int(within[breaks[0]] if len(breaks) else within[-1]) + 1
        if not self.link.room(2 + 2 * (end - start)):
            return False
        values = self.wanted[start:end].copy()
        self.link.send("VALUES", start, tail=values.astype("<i2").tobytes())
        self._shadow[start:end] = values
        self._unknown[start:end] = False
        self._unproved = True
        self.statistics.value_frames += 1
        self.statistics.values_sent += end - start
        return True

    def _shared_step(self, dirty: npt.NDArray[np.bool_], start: int) -> tuple[int, npt.NDArray[np.bool_]] | None:
        """The delta of the first dirty channel and who shares it, where that is shorter than absolutes."""
        assert self.link.board is not None
        span = min(8 * (self.link.board.largest_payload - 4), len(dirty) - start)
        block = slice(start, start + span)
        if self._unknown[block].any():
            return None
        deltas = self.wanted[block].astype(np.int32) - self._shadow[block]
        delta = int(deltas[0])
        mask = deltas == delta
        last = int(np.flatnonzero(mask)[-1]) + 1
        if abs(delta) > 32767 or 2 * int(mask.sum()) <= (last + 7) // 8 + 10:
            return None
        return delta, mask[:last]

    def _send_step(self, start: int, delta: int, mask: npt.NDArray[np.bool_]) -> bool:
        tail = np.packbits(mask, bitorder="little").tobytes()
        if not self.link.room(4 + len(tail)):
            return False
        self.link.send("STEP", start, delta, tail=tail)
        self._shadow[start : start + len(mask)][mask] += np.int16(delta)
        self._unproved = True
        self.statistics.step_frames += 1
        self.statistics.values_sent += int(mask.sum())
        return True

    def _ask_digest(self, now_us: int) -> bool:
        if self._unknown.any() or not self.link.room(0):
            if not self._unknown.any():
                return False
            self._proved_us = now_us  # nothing to prove yet
            return True
        seq = self.link.send("ASK_DIGEST")
        self._asked = (seq, digest(self._shadow), self._settings_digest(), now_us)
        self._proved_us, self._unproved = now_us, False
        return True

    def _settings_digest(self) -> int:
        board = self.link.board
        assert board is not None
        data = bytearray()
        if board.features & FEATURE_CALIBRATES:
            for channel in range(board.channels):
                data += b"".join(end.to_bytes(2, "little") for end in self._curve(channel))
        motors, *times = self._limit_numbers()
        data += bytes((motors,)) + b"".join(time.to_bytes(2, "little") for time in times)
        return crc_hqx(bytes(data), 0xFFFF)

    def _ask_values(self, now_us: int) -> bool:
        assert self._reading is not None
        if self._read_asked_us is not None and now_us - self._read_asked_us < ANSWER_LIMIT_US:
            return False
        missing = np.flatnonzero(self._reading == 1 << 20)
        if not len(missing) or not self.link.room(3):
            return False
        self.link.send("ASK_VALUES", int(missing[0]), min(255, int(missing[-1]) - int(missing[0]) + 1))
        self._read_asked_us = now_us
        return False

    # ---- from the board ----
    def take(self, messages: Iterable[Message]) -> None:
        """What the link received."""
        for message in messages:
            if message.name == "DIGEST":
                self._compare(message)
            elif message.name in ("ACK", "STATUS"):
                self.flags, self.moving = message.number("flags"), message.number("moving")
            elif message.name == "VALUES_ARE":
                self._values_are(message)
            elif message.name == "EVENT":
                self._event(message)
            elif message.name in ("MEASURED", "STATES", "LIGHT"):
                self._report(message)

    def _compare(self, message: Message) -> None:
        if self._asked is None or message.number("asked") != self._asked[0]:
            return
        _, sums, settings, _ = self._asked
        self._asked = None
        self.statistics.digests += 1
        equal = (message.number("first"), message.number("second")) == sums
        bent = message.number("settings") != settings
        if equal and not bent:
            self._prove(not self._settings and not self._unproved and bool((self.wanted == self._shadow).all()))
            return
        self.statistics.mismatches += 1
        self._send_all_again(every_curve=bent)

    def _prove(self, proved: bool) -> None:
        if proved and not self.in_step:
            self._looks[:] = 0
        self.in_step = proved

    def _values_are(self, message: Message) -> None:
        if self._reading is None:
            return
        values, start = message.values(), message.number("start")
        room = self._reading[start : start + len(values)]
        room[:] = values[: len(room)]
        missing = self._reading == 1 << 20
        if not missing.any():
            self.read_back, self._reading = self._reading.astype(np.int16), None
        elif start + len(values) >= len(self._reading) or not missing[start + len(values) :].any():
            self._read_asked_us = None  # the answer is over and something is missing: ask for that now

    def _event(self, message: Message) -> None:
        event = message.number("event")
        if event == self._next_event:
            self._next_event = (event + 1) & 0xFF
            self._new_event(message)
        self._settings.append(("TAKE", (event,)))  # said again for one heard before: the first may have been lost

    def _new_event(self, message: Message) -> None:
        kind, index = message.number("kind"), message.number("index")
        self.statistics.events += 1
        if kind == EVENT_BUTTON:
            self.events.append(Press(index))
        elif kind == EVENT_HAND:
            self.events.append(Hand(index, message.number("value")))
        else:
            self.statistics.stalls += 1

    def _report(self, message: Message) -> None:
        start = message.number("start")
        if message.name == "MEASURED":
            values = message.values()
            room = self.measured[start : start + len(values)]
            room[:] = values[: len(room)]
        elif message.name == "STATES":
            items = np.frombuffer(message.tail, np.uint8)
            states = self.states[start : start + len(items)]
            states[:] = items[: len(states)]
            looks = self._looks[start : start + len(items)]
            np.minimum(looks + 1, LOOKS, out=looks)
        else:
            grown = max(len(self.light), start + len(message.tail))
            self.light.extend(bytes(grown - len(self.light)))
            self.light[start : start + len(message.tail)] = message.tail


def _resized(values: Wire, size: int) -> Wire:
    out = np.zeros(size, np.int16)
    kept = min(size, len(values))
    out[:kept] = values[:kept]
    return out
