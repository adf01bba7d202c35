"""The messages of the bridge: one table, from which host, emulator, header and PROTOCOL.md are checked.

A message is a frame type with a fixed head (struct, little endian) and, for some, a tail of equal items. Wire values
are 16-bit: round-half-even(microvolts * 32767 / 11,000,000). Left out: order and repetition (link.py).
"""

import struct
from binascii import crc_hqx
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Wire = npt.NDArray[np.int16]

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
FULL_WIRE = 32767
FULL_UV = 11_000_000


class Layout(NamedTuple):
    """How one message lies in its payload: head fields, then perhaps a tail ('h' int16s, 'B' bytes)."""

    code: int
    name: str
    head: str
    fields: str
    tail: str = ""


# Below 0x10: no session needed. 0x10-0x2f: host to board, in sequence. 0x30 and up: board to host.
TABLE = (
    Layout(0x01, "HELLO", "IIBBH", "nonce host protocol_min protocol_max table"),
    Layout(
        0x02,
        "HELLO_ACK",
        "IBBHHBBBHBH",
        "nonce version boot_cause channels window largest_payload motors_at_once motors_limit features sessions table",
        "s",
    ),
    Layout(0x03, "STOP", "4s", "word"),
    Layout(0x04, "NO_SESSION", "B", "boot_cause"),
    Layout(0x05, "BUSY", "IH", "nonce left_ms"),
    Layout(0x06, "LOG", "", "", "s"),
    Layout(0x10, "PING", "", ""),
    Layout(0x11, "VALUES", "H", "start", "h"),
    Layout(0x12, "STEP", "Hh", "start delta", "B"),
    Layout(0x13, "CALIBRATE", "HHHH", "channel low middle high"),
    Layout(0x14, "LIMITS", "BHHH", "motors_at_once silence_ms stall_ms overtime_ms"),
    Layout(0x15, "ASK_DIGEST", "", ""),
    Layout(0x16, "ASK_VALUES", "HB", "start count"),
    Layout(0x17, "TAKE", "B", "event"),
    Layout(0x18, "RESUME", "", ""),
    Layout(0x19, "REPORTS", "H", "period_ms"),
    Layout(0x1A, "RELEASE", "H", "channel"),
    Layout(0x30, "ACK", "BB", "flags moving"),
    Layout(0x31, "NAK", "B", "reason"),
    Layout(0x32, "DIGEST", "BIIH", "asked first second settings"),
    Layout(0x33, "VALUES_ARE", "H", "start", "h"),
    Layout(0x34, "MEASURED", "H", "start", "h"),
    Layout(0x35, "STATES", "H", "start", "B"),
    Layout(0x36, "LIGHT", "H", "start", "B"),
    Layout(0x37, "EVENT", "BBHh", "event kind index value"),
    Layout(0x38, "STATUS", "BBHHI", "flags moving crc_failures overruns uptime_ms"),
)
BY_CODE = {layout.code: layout for layout in TABLE}
BY_NAME = {layout.name: layout for layout in TABLE}

# Bits of HELLO_ACK.features.
FEATURE_MEASURES = 1  # positions come back, so hands and stalls are noticed
FEATURE_PHOTOCELLS = 2
FEATURE_BUTTONS = 4
FEATURE_CALIBRATES = 8  # keeps CALIBRATE per channel
# Bits of the flags in ACK and STATUS.
FLAG_STOPPED = 1  # the emergency stop is latched
FLAG_FAULT = 2  # at least one motor is off after a stall or over-time
FLAG_SILENT = 4  # the host was silent, the motors went off
# NAK.reason
NAK_CHECKSUM, NAK_GAP = 1, 2
# EVENT.kind
EVENT_BUTTON, EVENT_HAND, EVENT_STALL, EVENT_OVERTIME, EVENT_STOPPED = 1, 2, 3, 4, 5
BUTTONS = ("present", "right", "wrong", "clear")
# STATES items
CHANNEL_STATES = ("resting", "moving", "held", "reported", "stalled", "overtime", "off", "waiting")
BOOT_CAUSES = ("unknown", "power on", "external reset", "brown-out", "watchdog", "software")
BROWN_OUT = 3
STOP_WORD = b"STOP"


def table_hash() -> int:
    """A 16-bit fingerprint of the table; both sides name theirs in the handshake."""
    lines = (f"{m.code:02x} {m.name} {m.head} {m.fields} {m.tail}\n" for m in TABLE)
    return crc_hqx("".join(lines).encode(), 0xFFFF)


@dataclass(frozen=True, slots=True)
class Message:
    """A decoded message: its name, its head by field, its tail as bytes."""

    name: str
    seq: int
    head: dict[str, int | bytes]
    tail: bytes

    def number(self, field: str) -> int:
        """A head field that is a number."""
        value = self.head[field]
        assert isinstance(value, int)
        return value

    def values(self) -> Wire:
        """The tail as 16-bit wire values."""
        return np.frombuffer(self.tail, "<i2")

    def text(self) -> str:
        """The tail as text, whatever bytes came."""
        return self.tail.decode("ascii", "replace")


def pack(name: str, *head: int | bytes, tail: bytes = b"") -> tuple[int, bytes]:
    """The frame type and payload of a message."""
    layout = BY_NAME[name]
    if tail and not layout.tail:
        raise ValueError(f"{name} has no tail.")
    return layout.code, struct.pack("<" + layout.head, *head) + tail


def unpack(kind: int, seq: int, payload: bytes) -> Message | None:
    """The message in a frame, or None where type or length are not in the table."""
    layout = BY_CODE.get(kind)
    if layout is None:
        return None
    size = struct.calcsize("<" + layout.head)
    tail = payload[size:]
    if len(payload) < size or (tail and not layout.tail) or (layout.tail == "h" and len(tail) % 2):
        return None
    head = struct.unpack_from("<" + layout.head, payload)
    return Message(layout.name, seq, dict(zip(layout.fields.split(), head, strict=True)), tail)


def to_wire(microvolts: npt.ArrayLike) -> Wire:
    """Wire values of microvolts; numpy's rint rounds halves to even, and past the stops it saturates."""
    exact = np.asarray(microvolts, np.float64) * FULL_WIRE / FULL_UV
    return np.clip(np.rint(exact), -FULL_WIRE, FULL_WIRE).astype(np.int16)


def to_microvolts(wire: int) -> int:
    """The whole microvolts nearest to a wire value."""
    return round(wire * FULL_UV / FULL_WIRE)


def digest(values: Wire) -> tuple[int, int]:
    """Two 32-bit sums over all values: sum(v) and the sum of its partial sums; one or two wrong values always show."""
    words = values.astype(np.int64)
    partial = np.cumsum(words)
    first = int(partial[-1]) if len(partial) else 0
    return first & 0xFFFFFFFF, int(partial.sum()) & 0xFFFFFFFF
