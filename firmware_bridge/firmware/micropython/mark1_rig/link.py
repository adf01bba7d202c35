"""The board's side of the link, in the Python that MicroPython and CPython share. The C twin is mark1_link.h.

Takes bytes, keeps one session, takes frames only in order, keeps the wire values, answers digests and read-backs,
queues events until the host takes them. Never blocks: output is built when there is room for it. Left out: motors and
pins (motors.py, main.py). No import but struct and array, so that it fits a small board.
"""

import struct
from array import array

PROTOCOL = 1
TABLE_HASH = 0x9A17  # messages.table_hash(); a test compares
PLAIN = 0xFFFF
HOLD_MS = 1000  # a session heard within this time is not given to another host
EVENT_AGAIN_MS = 200
VALUES_PER_REPLY = 15
EVENTS_KEPT = 8


def crc16(data: bytes, crc: int) -> int:
    """CRC-16/IBM-3740 one byte at a time; MicroPython has no crc_hqx."""
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1
    return crc


def stuff(data: bytes) -> bytes:
    """COBS for bodies below 254 bytes, closing zero included."""
    out = bytearray(1)
    code = 0
    for byte in data:
        if byte == 0:
            out[code] = len(out) - code
            code = len(out)
        out.append(byte)
    out[code] = len(out) - code
    out.append(0)
    return bytes(out)


class Decoder:
    """COBS, one byte at a time, into a buffer of fixed size."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.body = bytearray()
        self.left = 0
        self.code = 0
        self.bad = False

    def feed(self, byte: int) -> "bytes | None":
        """The finished body at a zero (empty if damaged), else None."""
        if byte == 0:
            body = b"" if self.bad or self.left else bytes(self.body)
            something = self.code
            self.body = bytearray()
            self.left = self.code = 0
            self.bad = False
            return body if something else None
        if self.left == 0:
            if self.code and self.code != 255:
                self._append(0)
            self.code = byte
            self.left = byte - 1
            return None
        self._append(byte)
        self.left -= 1
        return None

    def _append(self, byte: int) -> None:
        if len(self.body) >= self.limit:
            self.bad = True
        else:
            self.body.append(byte)


class Link:
    """One board. rig is what moves: it is told of targets, limits, releases and stops (see motors.Rig)."""

    def __init__(self, rig, name: str, channels: int, window: int = 1024, largest: int = 200, cause: int = 1) -> None:  # type: ignore[no-untyped-def]
        self.rig = rig
        self.name = name.encode()
        self.window = window
        self.largest = largest
        self.cause = cause
        self.values = array("h", [0] * channels)
        self.decoder = Decoder(largest + 4)
        self.session = None  # type: int | None
        self.nonce = 0
        self.host = 0
        self.sessions = 0
        self.expected = 0
        self.heard_ms = 0
        self.heard = False  # since the rig last looked
        self.checksum_failures = 0
        self.overruns = 0
        self.period_ms = 0
        self.reported_ms = 0
        self.limits = (0, 0, 0, 0)
        self.calibration = array("H", [0] * (3 * channels if rig.calibrates else 0))
        self.event_id = 0
        self.events = []  # type: list[tuple[int, int, int]]
        self.event_ms = None  # type: int | None
        self.log = b""
        self._forget_replies()
        self.orphan = True  # said at once, so that a host notices a reset without waiting for its next ping

    def _forget_replies(self) -> None:
        self.ack = self.hello = self.orphan = False
        self.nak = 0
        self.busy = None  # type: tuple[int, int] | None
        self.digest = None  # type: int | None
        self.read_from = self.read_to = 0
        self.report_at = None  # type: int | None

    # ---- in ----
    def receive(self, data: bytes, now_ms: int) -> None:
        """Takes bytes from the host."""
        for byte in data:
            body = self.decoder.feed(byte)
            if body is not None:
                self._frame(body, now_ms)

    def _frame(self, body: bytes, now_ms: int) -> None:
        if len(body) < 4:
            return self._damaged()
        kind = body[0]
        seed = PLAIN if kind < 0x10 else self.session
        if seed is None:
            self.orphan = True
            return None
        if crc16(body[:-2], seed) != body[-2] | body[-1] << 8:
            return self._damaged()
        payload = body[2:-2]
        if kind == 0x01 and len(payload) == 12:
            self._hello_heard(payload, now_ms)
        elif kind == 0x03 and payload == b"STOP":
            self.rig.stop()
        elif kind >= 0x10:
            self._in_order(kind, body[1], payload, now_ms)
        return None

    def _damaged(self) -> None:
        self.checksum_failures += 1
        if self.session is None:
            self.orphan = True
        else:
            self.nak = 1

    def _hello_heard(self, payload: bytes, now_ms: int) -> None:
        nonce, host, low, high, _ = struct.unpack("<IIBBH", payload)
        fresh = self.session is None or nonce != self.nonce
        if fresh and self.session is not None and host != self.host and now_ms - self.heard_ms < HOLD_MS:
            self.busy = (nonce, HOLD_MS - (now_ms - self.heard_ms))
            return
        self.version_ok = low <= PROTOCOL <= high
        if fresh:
            self._begin(nonce, host, now_ms)
        self.hello = True

    def _begin(self, nonce: int, host: int, now_ms: int) -> None:
        self._forget_replies()
        self.nonce, self.host, self.heard_ms = nonce, host, now_ms
        self.heard = True
        self.session = nonce & 0xFFFF if self.version_ok else None
        self.sessions = min(self.sessions + 1, 255)
        self.expected = 0
        self.period_ms = 0
        self.event_id = 0
        self.events = []
        self.event_ms = None
        self.rig.session_began(now_ms)

    def _in_order(self, kind: int, seq: int, payload: bytes, now_ms: int) -> None:
        self.heard_ms = now_ms
        self.heard = True
        ahead = (seq - self.expected) & 0xFF
        if ahead == 0:
            self.expected = (seq + 1) & 0xFF
            self._message(kind, seq, payload)
            self.ack = True
        elif ahead < 128:
            self.nak = 2
        else:
            self.ack = True

    def _message(self, kind: int, seq: int, payload: bytes) -> None:
        if kind == 0x11 and len(payload) >= 4 and len(payload) % 2 == 0:
            self._values(payload)
        elif kind == 0x12 and len(payload) >= 5:
            self._step(payload)
        elif kind == 0x13 and len(payload) == 8:
            self._calibrate(payload)
        elif kind == 0x14 and len(payload) == 7:
            self.limits = struct.unpack("<BHHH", payload)
            self.rig.set_limits(*self.limits)
        elif kind == 0x15:
            self.digest = seq
        elif kind == 0x16 and len(payload) == 3:
            start, count = struct.unpack("<HB", payload)
            self.read_from = start
            self.read_to = min(start + count, len(self.values))
        elif kind == 0x17 and len(payload) == 1:
            self._taken(payload[0])
        elif kind == 0x18:
            self.rig.resume()
        elif kind == 0x19 and len(payload) == 2:
            self.period_ms = payload[0] | payload[1] << 8
        elif kind == 0x1A and len(payload) == 2:
            self.rig.release(payload[0] | payload[1] << 8)

    def _values(self, payload: bytes) -> None:
        start = payload[0] | payload[1] << 8
        for number in range((len(payload) - 2) // 2):
            self._set(start + number, struct.unpack_from("<h", payload, 2 + 2 * number)[0])

    def _step(self, payload: bytes) -> None:
        start, delta = struct.unpack_from("<Hh", payload)
        for number in range(8 * (len(payload) - 4)):
            channel = start + number
            if payload[4 + number // 8] >> number % 8 & 1 and channel < len(self.values):
                self._set(channel, max(-32767, min(32767, self.values[channel] + delta)))

    def _set(self, channel: int, value: int) -> None:
        if channel < len(self.values):
            value = max(value, -32767)  # so that a value and its opposite are always both there
            self.values[channel] = value
            self.rig.target(channel, value)

    def _calibrate(self, payload: bytes) -> None:
        channel, low, middle, high = struct.unpack("<HHHH", payload)
        ends = array("H", (low, middle, high))
        if 3 * channel < len(self.calibration) and self.calibration[3 * channel : 3 * channel + 3] != ends:
            for offset in range(3):
                self.calibration[3 * channel + offset] = ends[offset]
            self.rig.calibrate(channel, low, middle, high)

    def _taken(self, event: int) -> None:
        if self.events and event == self.event_id:
            self.events.pop(0)
            self.event_id = (event + 1) & 0xFF
            self.event_ms = None

    # ---- out ----
    def raise_event(self, kind: int, index: int, value: int) -> bool:
        """Queues an event for the host; False when there is no session or no room."""
        if self.session is None or len(self.events) >= EVENTS_KEPT:
            return False
        self.events.append((kind, index, value))
        return True

    def output(self, now_ms: int) -> bytes:
        """The next frame to write, most urgent first; empty if there is none."""
        if self.session is None and (self.orphan or self.hello):
            return self._sessionless()
        if self.busy is not None:
            payload = struct.pack("<IH", *self.busy)
            self.busy = None
            return self._build(0x05, 0, payload)
        if self.session is None:
            return b""
        return self._urgent() or self._answer() or self._unasked(now_ms)

    def _sessionless(self) -> bytes:
        self.orphan = False
        if self.hello:
            return self._hello_ack(0)
        return self._build(0x04, 0, bytes((self.cause,)))

    def _urgent(self) -> bytes:
        if self.hello:
            return self._hello_ack(PROTOCOL)
        if self.nak:
            reason, self.nak, self.ack = self.nak, 0, False
            return self._build(0x31, self.expected, bytes((reason,)))
        if self.ack:
            self.ack = False
            return self._build(0x30, self.expected, bytes((self._flags(), self.rig.moving())))
        return b""

    def _hello_ack(self, version: int) -> bytes:
        self.hello = False
        head = struct.pack(
            "<IBBHHBBBHBH",
            self.nonce,
            version,
            self.cause,
            len(self.values),
            self.window,
            self.largest,
            self.rig.at_once(),
            self.rig.motors_limit,
            self.rig.features,
            self.sessions,
            TABLE_HASH,
        )
        return self._build(0x02, 0, head + self.name)

    def _answer(self) -> bytes:
        if self.digest is not None:
            asked, self.digest = self.digest, None
            first, second = self._sums()
            return self._build(0x32, 0, struct.pack("<BIIH", asked, first, second, self._settings()))
        if self.read_from < self.read_to:
            start = self.read_from
            self.read_from = min(start + VALUES_PER_REPLY, self.read_to)
            return self._build(0x33, 0, struct.pack("<H", start) + bytes(self.values[start : self.read_from]))
        return b""

    def _sums(self) -> "tuple[int, int]":
        first = second = 0
        for value in self.values:
            first += value
            second += first
        return first & 0xFFFFFFFF, second & 0xFFFFFFFF

    def _settings(self) -> int:
        return crc16(bytes(self.calibration) + struct.pack("<BHHH", *self.limits), PLAIN)

    def _unasked(self, now_ms: int) -> bytes:
        if self.log:
            text, self.log = self.log, b""
            return self._build(0x06, 0, text[: self.largest])
        if self.events and (self.event_ms is None or now_ms - self.event_ms >= EVENT_AGAIN_MS):
            self.event_ms = now_ms
            return self._build(0x37, 0, struct.pack("<BBHh", self.event_id, *self.events[0]))
        return self._report(now_ms)

    def _report(self, now_ms: int) -> bytes:
        if self.report_at is None:
            if not self.period_ms or now_ms - self.reported_ms < self.period_ms:
                return b""
            self.reported_ms = now_ms
            self.report_at = 0
            return self._build(0x38, 0, self._status(now_ms))
        kind, payload, self.report_at = self.rig.report(self.report_at, VALUES_PER_REPLY)
        return self._build(kind, 0, payload) if kind else b""

    def _status(self, now_ms: int) -> bytes:
        return struct.pack(
            "<BBHHI",
            self._flags(),
            self.rig.moving(),
            self.checksum_failures & 0xFFFF,
            self.overruns & 0xFFFF,
            now_ms & 0xFFFFFFFF,
        )

    def _flags(self) -> int:
        return int(self.rig.flags())

    def _build(self, kind: int, seq: int, payload: bytes) -> bytes:
        body = bytes((kind, seq)) + payload
        seed = PLAIN if kind < 0x10 or self.session is None else self.session
        crc = crc16(body, seed)
        return stuff(body + bytes((crc & 0xFF, crc >> 8)))
