"""One link to one board: handshake, sequence numbers, byte window, resends. No I/O; the time is passed in.

Go-back-N: the board takes frames only in order and acknowledges the next one that it expects; what is not
acknowledged in time is sent again. Bytes in flight never exceed the window that the board advertises. A board without
a session (reset, reflashed, other host) says so, and the host says HELLO again. Left out: what the values mean and
which need sending (mirror.py), and the port itself (port.py).
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.frame import Splitter, decode, encode, wire_length
from firmware_bridge.messages import (
    BROWN_OUT,
    PROTOCOL_MAX,
    PROTOCOL_MIN,
    STOP_WORD,
    Message,
    pack,
    table_hash,
    unpack,
)

HELLO_EVERY_US = 300_000
# When HELLO is said: (from, to) in microseconds after the first. Opening a port resets an Uno or Mega. In its first
# 65 ms the board hears nothing, so those cost nothing, and reach boards that did not reset. Then silence: a Mega's
# bootloader that hears anything in its first second stays until it has heard nothing for five
# (docs/decisions/bridge.md). A board that starts announces itself, which ends any silence.
HELLO_TIMES = ((0, 20_000), (1_600_000, 3_200_000), (10_500_000, 30_000_000))
HELLO_CYCLE_US = 30_000_000
PING_AFTER_US = 250_000  # chosen: eight pings within the board's default silence limit of two seconds
JUST_HEARD_US = 30_000
SUSPICIOUS_US = 130_000  # reports come every 100 ms
LIVELY_US = 600_000  # no valid frame for so long: nothing is claimed any more
LOST_AFTER_US = 1_800_000  # the session counts as lost; longer than Optiboot, which must not be disturbed
SHORTEST_WAIT_US = 30_000
FIRST_WAIT_US = 150_000
LONGEST_WAIT_US = 500_000


@dataclass(frozen=True, slots=True)
class Board:
    """What a board said about itself in HELLO_ACK."""

    name: str
    channels: int
    window: int
    largest_payload: int
    motors_at_once: int
    motors_limit: int
    features: int
    boot_cause: int
    sessions: int  # since the board started, this one included
    version: int


@dataclass(slots=True)
class LinkStatistics:
    """Counts since the link was made, for the panel and the tests."""

    sessions: int = 0
    hellos: int = 0
    frames_sent: int = 0
    frames_resent: int = 0
    bytes_sent: int = 0
    frames_received: int = 0
    checksum_failures: int = 0
    naks: int = 0
    timeouts: int = 0
    round_trip_us: int = 0
    last_log: str = ""
    brown_outs: int = 0


@dataclass(slots=True)
class _Sent:
    seq: int
    data: bytes
    at_us: int
    tries: int = 1


@dataclass(slots=True)
class _Clocks:
    """When things last happened; None is never."""

    hello: int | None = None
    seeking: int = 0
    retry: int | None = None  # when a board that was busy may be free
    sent: int = 0
    heard: int = 0
    resent: int = 0
    report: int = -10 * LOST_AFTER_US
    wait_us: int = FIRST_WAIT_US
    smooth_us: int = 0
    spread_us: int = 0


@dataclass(slots=True)
class Link:
    """The host's side of one session after another. nonces gives 32 fresh random bits at each call."""

    nonces: Callable[[], int]
    host: int = 1
    board: Board | None = None  # None: no session
    session: int = 0
    trouble: str = "The board has not answered yet."
    statistics: LinkStatistics = field(default_factory=LinkStatistics)
    _nonce: int = 0
    _next_seq: int = 0
    _flight: deque[_Sent] = field(default_factory=deque)
    _fresh: deque[_Sent] = field(default_factory=deque)
    _plain: bytearray = field(default_factory=bytearray)
    _clock: _Clocks = field(default_factory=_Clocks)
    _splitter: Splitter = field(default_factory=Splitter)
    _again: bool = False
    _announced: bool = False
    _unheard: bool = False  # a resend went out, and nothing was heard since

    # ---- sending -------------------------------------------------------------------------------------------------
    def room(self, payload: int) -> bool:
        """May a message with so long a payload be sent now?"""
        if self.board is None or payload > self.board.largest_payload or len(self._flight) + len(self._fresh) > 100:
            return False
        waiting = sum(len(s.data) for s in self._flight) + sum(len(s.data) for s in self._fresh)
        return waiting + wire_length(payload) <= self.board.window or not waiting

    def send(self, name: str, *head: int | bytes, tail: bytes = b"") -> int:
        """Queues one message of the session; gives its sequence number. Ask room() first."""
        assert self.board is not None, "no session"
        kind, payload = pack(name, *head, tail=tail)
        seq = self._next_seq
        self._next_seq = (seq + 1) & 0xFF
        self._fresh.append(_Sent(seq, encode(kind, seq, payload, self.session), 0))
        return seq

    def stop(self) -> None:
        """Emergency stop: needs no session, no window and no sequence number; said three times against noise."""
        kind, payload = pack("STOP", STOP_WORD)
        self._plain += b"\0" + encode(kind, 0, payload) * 3

    def lively(self, now_us: int) -> bool:
        """Has the board spoken lately? It answers a ping at least every quarter of a second."""
        return self.board is not None and now_us - self._clock.heard < LIVELY_US

    def transmit(self, now_us: int) -> bytes:
        """The bytes to write now; empty when there is nothing to say."""
        out = bytearray(self._plain)
        self._plain.clear()
        if self.board is not None and now_us - self._clock.heard > LOST_AFTER_US:
            self.forget("The board fell silent; check its cable and power.")
        if self.board is None:
            out += self._hello(now_us)
        elif not self._holding(now_us):
            out += self._resend(now_us)
            out += self._send_fresh(now_us)
        if out:
            self._clock.sent = now_us
            self.statistics.bytes_sent += len(out)
        return bytes(out)

    def _hello(self, now_us: int) -> bytes:
        if self._clock.hello is None:
            self._nonce = self._fresh_nonce()
            self._clock.seeking = now_us
        elif not self._hello_due(now_us):
            return b""
        self._announced, self._clock.retry = False, None
        self._clock.hello = now_us
        self.statistics.hellos += 1
        kind, payload = pack("HELLO", self._nonce, self.host, PROTOCOL_MIN, PROTOCOL_MAX, table_hash())
        return b"\0" + encode(kind, 0, payload)

    def _hello_due(self, now_us: int) -> bool:
        if self._announced or (self._clock.retry is not None and now_us >= self._clock.retry):
            return True
        assert self._clock.hello is not None
        sought = (now_us - self._clock.seeking) % HELLO_CYCLE_US
        every = HELLO_EVERY_US if sought > HELLO_TIMES[0][1] else HELLO_TIMES[0][1] // 2
        speaking = any(first <= sought <= last for first, last in HELLO_TIMES)
        return speaking and now_us - self._clock.hello >= every

    def _fresh_nonce(self) -> int:
        while (nonce := self.nonces() & 0xFFFFFFFF) & 0xFFFF == 0xFFFF:  # 0xffff is the seed of frames with no session
            continue
        return nonce

    def _holding(self, now_us: int) -> bool:
        """Is a board that reports suspiciously silent? If it was reset, its bootloader must hear nothing until it
        has let go (docs/decisions/bridge.md)."""
        return self._reports(now_us) and (self._unheard or now_us - self._clock.heard > SUSPICIOUS_US)

    def _resend(self, now_us: int) -> bytes:
        if not self._flight:
            return b""
        late = now_us - self._flight[0].at_us >= self._clock.wait_us
        if late:
            self.statistics.timeouts += 1
            self._clock.wait_us = min(self._clock.wait_us * 2, LONGEST_WAIT_US)
        if not late and not self._again:
            return b""
        self._again = False
        self._unheard = True
        self._clock.resent = now_us
        for sent in self._flight:
            sent.at_us, sent.tries = now_us, sent.tries + 1
        self.statistics.frames_resent += len(self._flight)
        return b"\0" + b"".join(sent.data for sent in self._flight)

    def _send_fresh(self, now_us: int) -> bytes:
        if not self._fresh and not self._flight and self._ping_due(now_us):
            self.send("PING")
        out = bytearray()
        while self._fresh:
            sent = self._fresh.popleft()
            sent.at_us = now_us
            self._flight.append(sent)
            self.statistics.frames_sent += 1
            out += sent.data
        return bytes(out)

    def _ping_due(self, now_us: int) -> bool:
        """To a board that reports, only right after it was heard: a board that was just reset must not hear a ping."""
        quiet_us = now_us - self._clock.sent
        just_heard = now_us - self._clock.heard < JUST_HEARD_US
        return quiet_us >= PING_AFTER_US and (just_heard or quiet_us >= 3 * PING_AFTER_US and not self._reports(now_us))

    def _reports(self, now_us: int) -> bool:
        return now_us - self._clock.report <= 2 * LOST_AFTER_US

    # ---- receiving -----------------------------------------------------------------------------------------------
    def receive(self, data: bytes, now_us: int) -> list[Message]:
        """Takes bytes from the port; gives the messages that the layer above should see."""
        passed = []
        for chunk in self._splitter.feed(data):
            frame = decode(chunk, self.session)
            message = None if frame is None else unpack(frame.type, frame.seq, frame.payload)
            if message is None:
                self.statistics.checksum_failures += 1
            elif self._handle(message, now_us):
                passed.append(message)
        return passed

    def _handle(self, message: Message, now_us: int) -> bool:
        self.statistics.frames_received += 1
        if message.name == "HELLO_ACK":
            return self._hello_ack(message, now_us)
        if message.name == "NO_SESSION":
            if self.board is not None:
                self.forget("The board restarted; starting again.")
            self._announced = True
            return False
        if message.name == "BUSY":
            self.trouble = "Another program holds the rig; close it first."
            self._clock.retry = now_us + 1000 * message.number("left_ms") + SHORTEST_WAIT_US
            return False
        if message.name == "LOG":
            self.statistics.last_log = message.text()
            return True
        return self._in_session(message, now_us)

    def _in_session(self, message: Message, now_us: int) -> bool:
        if self.board is None:
            return False
        self._clock.heard = now_us
        self._unheard = False
        if message.name == "STATUS":
            self._clock.report = now_us
        if message.name == "ACK":
            self._acknowledged(message.seq, now_us)
        elif message.name == "NAK":
            self.statistics.naks += 1
            self._acknowledged(message.seq, now_us)
            # A hint only: frames already on their way cause more naks, so one resend per round trip is enough.
            patience = max(SHORTEST_WAIT_US // 2, self._clock.smooth_us)
            self._again = bool(self._flight) and now_us - self._clock.resent >= patience
        return message.name != "NAK"

    def _acknowledged(self, expected: int, now_us: int) -> None:
        if not self._flight or (expected - self._flight[0].seq) & 0xFF > len(self._flight):
            return
        if self._flight[0].seq != expected:
            self._set_wait()  # progress: the long waits after a bad patch are over
        while self._flight and self._flight[0].seq != expected:
            sent = self._flight.popleft()
            if sent.tries == 1:  # the answer to a frame sent twice tells nothing about the round trip
                self._measure(max(1, now_us - sent.at_us))

    def _measure(self, sample_us: int) -> None:
        clock = self._clock
        clock.spread_us += (abs(sample_us - clock.smooth_us) - clock.spread_us) // 4
        clock.smooth_us += (sample_us - clock.smooth_us) // 8 if clock.smooth_us else sample_us
        self._set_wait()
        self.statistics.round_trip_us = clock.smooth_us

    def _set_wait(self) -> None:
        wait_us = self._clock.smooth_us + 4 * self._clock.spread_us if self._clock.smooth_us else FIRST_WAIT_US
        self._clock.wait_us = min(max(wait_us, SHORTEST_WAIT_US), LONGEST_WAIT_US)

    def _hello_ack(self, message: Message, now_us: int) -> bool:
        if self.board is not None or self._clock.hello is None or message.number("nonce") != self._nonce:
            return False
        self.trouble = _refusal(message)
        if self.trouble:
            return False
        self.board = _board(message)
        self.session = self._nonce & 0xFFFF
        self._next_seq = 0
        self._clock = _Clocks(hello=now_us, sent=now_us, heard=now_us)
        self.statistics.sessions += 1
        self.statistics.brown_outs += self.board.boot_cause == BROWN_OUT and self.board.sessions == 1
        return True

    def forget(self, reason: str) -> None:
        """Drops the session; the next transmit says HELLO with a new nonce."""
        self.board = None
        self.trouble = reason
        self._flight.clear()
        self._fresh.clear()
        self._clock.hello = None
        self._again = self._announced = self._unheard = False


def _board(message: Message) -> Board:
    numbers = {name: message.number(name) for name in message.head if name not in ("nonce", "table")}
    return Board(name=message.text(), **numbers)


def _refusal(message: Message) -> str:
    """Why this board cannot be used, as one sentence with the cure; empty if it can."""
    flash = "flash the sketch that 'mark1 rig sketch' gives"
    if message.number("version") == 0:
        return f"The sketch on '{message.text()}' speaks another protocol version; {flash}."
    if message.number("table") != table_hash():
        return f"The sketch on '{message.text()}' has another message table; {flash}."
    return ""
