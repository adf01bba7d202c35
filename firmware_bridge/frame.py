"""Frames on the wire: COBS(type, seq, payload, crc16) and a zero byte. No I/O, no time.

The checksum is CRC-16/IBM-3740. Frames that belong to a session seed it with the session's own number, so a frame
of any other session can never pass (two seeds give two different checksums for every text). Left out: what the
bytes mean (messages.py) and whether they arrive (link.py).
"""

from binascii import crc_hqx
from dataclasses import dataclass

PLAIN_SEED = 0xFFFF
FIRST_SESSION_TYPE = 0x10  # types below this need no session, and use the plain seed
LARGEST_PAYLOAD = 200  # so that no frame reaches COBS's 254-byte block, and a length fits one byte on the board
_OVERHEAD = 4  # type, seq, crc16


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame that passed its checksum."""

    type: int
    seq: int
    payload: bytes


def stuff(data: bytes) -> bytes:
    """COBS: the same bytes with no zero among them, one byte longer per block of 254."""
    out = bytearray()
    blocks = data.split(b"\0")
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        while len(block) >= 254:
            out += b"\xff" + block[:254]
            block = block[254:]
            if not block and last:
                return bytes(out)
        out.append(len(block) + 1)
        out += block
    return bytes(out)


def unstuff(data: bytes) -> bytes | None:
    """The bytes that stuff() was given, or None if they cannot be its work."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            return None
        out += block
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out)


def seed_of(kind: int, session: int) -> int:
    """The checksum's seed for a frame of this type."""
    return PLAIN_SEED if kind < FIRST_SESSION_TYPE else session


def encode(kind: int, seq: int, payload: bytes, session: int = PLAIN_SEED) -> bytes:
    """The bytes to write, the closing zero included."""
    if len(payload) > LARGEST_PAYLOAD:
        raise ValueError(f"A payload of {len(payload)} bytes does not fit a frame.")
    body = bytes((kind, seq)) + payload
    return stuff(body + crc_hqx(body, seed_of(kind, session)).to_bytes(2, "little")) + b"\0"


def wire_length(payload: int) -> int:
    """Bytes on the wire for a payload of that many bytes."""
    return payload + _OVERHEAD + 2


def decode(chunk: bytes, session: int = PLAIN_SEED) -> Frame | None:
    """The frame in the bytes between two zeros, or None if the checksum or the stuffing is wrong."""
    body = unstuff(chunk)
    if body is None or len(body) < _OVERHEAD or len(body) > LARGEST_PAYLOAD + _OVERHEAD:
        return None
    if crc_hqx(body[:-2], seed_of(body[0], session)) != int.from_bytes(body[-2:], "little"):
        return None
    return Frame(body[0], body[1], body[2:-2])


class Splitter:
    """Cuts a stream of bytes at its zeros; noise costs at most the frames that it touched."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The chunks that these bytes completed, empty ones left out."""
        self._rest += data
        *whole, rest = self._rest.split(b"\0")
        # A line that never sends a zero (wrong baud rate) must not fill the memory.
        self._rest = bytearray(rest[-(LARGEST_PAYLOAD + 60) :])
        return [bytes(chunk) for chunk in whole if chunk]
