"""The plain-C headers under the address and undefined-behaviour sanitizers, and against their Python twins."""

import random
import shutil
import struct
import subprocess
from binascii import crc_hqx

import pytest
import toolchain

from firmware_bridge.firmware.micropython.mark1_rig import link as board_link
from firmware_bridge.firmware.micropython.mark1_rig.motors import Memory, Motors
from firmware_bridge.frame import encode
from firmware_bridge.messages import TABLE, pack, table_hash

pytestmark = pytest.mark.firmware
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-Wno-unused-function")
FRAMES = 100_000


@pytest.fixture
def chance() -> random.Random:
    if shutil.which("gcc") is None:
        toolchain.need()
        pytest.skip("no C compiler")
    return random.Random(1960)


def run(operations: list[tuple[int, bytes, bytes]], *flags: str) -> bytes:
    program = toolchain.native(toolchain.HERE / "header_harness.c", "harness", *SANITIZERS, *flags)
    script = b"".join(struct.pack("<IcH", now, kind, len(data)) + data for now, kind, data in operations)
    done = subprocess.run([program], input=script, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Script:
    """Random frames, most of them right, many damaged, for one board."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.seq, self.session, self.host = chance, 0, 0xFFFF, 1

    def frame(self) -> bytes:
        roll = self.chance.random()
        if roll < 0.02:
            return self._hello()
        if roll < 0.1:
            return self.chance.randbytes(self.chance.randrange(120)) + b"\0"
        good = self._session_frame()
        return good if roll < 0.4 else self._mutated(good)

    def _hello(self) -> bytes:
        nonce = self.chance.getrandbits(32) & 0xFFFFFFFE
        self.host = self.chance.choice((1, 1, 1, 2))
        kind, payload = pack("HELLO", nonce, self.host, self.chance.choice((1, 1, 2)), 3, table_hash())
        self.session, self.seq = nonce & 0xFFFF, 0
        return encode(kind, 0, payload)

    def _session_frame(self) -> bytes:
        layout = self.chance.choice([m for m in TABLE if 0x10 <= m.code < 0x30])
        head = self.chance.randbytes(struct.calcsize("<" + layout.head))
        if layout.fields.startswith(("start", "channel")):
            head = struct.pack("<H", self.chance.randrange(50)) + head[2:]
        tail = self.chance.randbytes(2 * self.chance.randrange(1, 30)) if layout.tail else b""
        seq = self.seq
        if self.chance.random() < 0.95:
            self.seq = (seq + 1) & 0xFF
        return encode(layout.code, seq, head + tail, self.session)

    def _mutated(self, data: bytes) -> bytes:
        out = bytearray(data)
        for _ in range(self.chance.randrange(1, 4)):
            at = self.chance.randrange(len(out))
            kind = self.chance.randrange(4)
            if kind == 0:
                out[at] ^= 1 << self.chance.randrange(8)
            elif kind == 1:
                del out[at : at + 1]
            else:
                out[at:at] = self.chance.randbytes(1)
            if not out:
                break
        return bytes(out)


def said(board: board_link.Link, now_ms: int) -> bytes:
    """Everything that the Python board has to say now."""
    out = bytearray()
    while frame := board.output(now_ms):
        out += frame
    return bytes(out)


class NoReport(Memory):
    """Reports what the harness reports."""

    def report(self, cursor: int, chunk: int) -> tuple[int, bytes, int | None]:
        return 0x35, b"\0\0", None


def test_a_hundred_thousand_mutated_frames_end_as_in_python(
    chance: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_link, "crc16", crc_hqx)  # the same sum, checked elsewhere, a hundred times as fast
    script, now = Script(chance), 0
    operations = []
    for _ in range(FRAMES):
        now += chance.randrange(30)
        operations.append((now, b"R", script.frame()))
    out = run(operations)
    rig = NoReport(40)
    board = board_link.Link(rig, "harness", 40, window=160, largest=72)
    at, answers = 0, 0
    for now, _, data in operations:
        size = out[at] | out[at + 1] << 8
        theirs = out[at + 2 : at + 2 + size]
        at += 2 + size
        board.receive(data, now)
        rig.poll(board, now)
        ours = said(board, now)
        assert theirs == ours, (now, data.hex())
        answers += bool(ours)
    assert struct.unpack("<40h", out[at:]) == tuple(board.values)
    assert answers > FRAMES / 4 and board.sessions > 100 and board.checksum_failures > FRAMES / 10
    print(f"{FRAMES} frames: {answers} answered, {board.sessions} sessions, no difference, no sanitizer report")


class Knobs:
    """The plant for the Python twin: samples given, ways remembered."""

    def __init__(self) -> None:
        self.samples, self.ways = [0] * 8, [0] * 8

    def read(self, channel: int) -> int:
        return self.samples[channel]

    def drive(self, channel: int, way: int) -> None:
        self.ways[channel] = way


class InOrder(Motors):
    """The harness takes the channels in order, and reports nothing of interest."""

    def poll(self, link: object, now_ms: int) -> None:
        self.next = 0
        Motors.poll(self, link, now_ms)

    def report(self, cursor: int, chunk: int) -> tuple[int, bytes, int | None]:
        return 0x35, b"\0\0", None


def samples_of(chance: random.Random, at: list[float], ways: list[int], dt_ms: int) -> list[int]:
    """Motors that turn, hands that grab, drift and noise."""
    for channel in range(8):
        at[channel] += ways[channel] * 0.5 * dt_ms * (channel != 7)  # the last one is jammed
        roll = chance.random()
        if roll < 0.004:  # half of them near the size that makes a hand
            at[channel] += chance.choice((-1, 1)) * chance.choice((chance.randrange(18, 30), chance.randrange(300)))
        elif roll < 0.02:
            at[channel] += chance.choice((-2, 2))
        at[channel] = min(1023.0, max(0.0, at[channel]))
    return [min(1023, max(0, int(x) + chance.randrange(-2, 3))) for x in at]


def test_motors_and_hands_do_the_same_in_c_and_python(chance: random.Random) -> None:
    session = 0x1234
    knobs = Knobs()
    rig = InOrder(knobs, 8, 4)
    board = board_link.Link(rig, "harness", 8, window=160, largest=72)
    kind, payload = pack("HELLO", session, 1, 1, 1, table_hash())
    operations, expected = [(1, b"R", encode(kind, 0, payload))], []
    at, now, seq, hands = [511.0] * 8, 1, 0, 0
    board.receive(operations[0][2], 1)
    said(board, 1)
    for turn in range(30_000):
        dt = chance.randrange(5, 12)
        now += dt
        if turn % 40 == 0:
            name, head, tail = chance.choice(
                [
                    ("VALUES", (0,), struct.pack("<8h", *(chance.randrange(-32767, 32768) for _ in range(8)))),
                    ("STEP", (0, chance.randrange(-3000, 3000)), chance.randbytes(1)),
                    ("RELEASE", (chance.randrange(8),), b""),
                    ("CALIBRATE", (chance.randrange(8), *chance.choice(((900, 500, 60), (0, 0, 0)))), b""),
                    ("PING", (), b""),
                ]
            )
            if board.events:
                name, head, tail = "TAKE", (board.event_id,), b""
            if turn % 2000 == 1000:  # a new session in the middle of everything
                session, seq = session + 1, 0
                name, head, tail = "HELLO", (session, 1, 1, 1, table_hash()), b""
            code, payload = pack(name, *head, tail=tail)
            data = encode(code, seq, payload, session)
            seq = (seq + (name != "HELLO")) & 0xFF
            operations.append((now, b"R", data))
            board.receive(data, now)
            expected.append((said(board, now), None))
        knobs.samples = samples_of(chance, at, knobs.ways, dt)
        operations.append((now, b"S", struct.pack("<8h", *knobs.samples)))
        rig.poll(board, now)
        hands += sum(state == 2 for state in rig.state)
        expected.append((said(board, now), list(knobs.ways)))
    out = run(operations, "-DHARNESS_MOTORS")
    place = 2 + (out[0] | out[1] << 8)
    for number, (words, ways) in enumerate(expected):
        size = out[place] | out[place + 1] << 8
        assert out[place + 2 : place + 2 + size] == words, f"operation {number}"
        place += 2 + size
        if ways is not None:
            assert list(struct.unpack_from("<8b", out, place)) == ways, f"operation {number}"
            place += 8
    assert hands > 100, "hands really were on the knobs"


def frame_of(name: str, seq: int, *head: int, tail: bytes = b"") -> bytes:
    kind, payload = pack(name, *head, tail=tail)
    return encode(kind, seq, payload, 0x1234)


def ways_after(operations: list[tuple[int, bytes, bytes]]) -> list[list[int]]:
    """The ways of all motors after every row of samples."""
    out, place, ways = run(operations, "-DHARNESS_MOTORS"), 0, []
    for _, kind, _ in operations:
        place += 2 + (out[place] | out[place + 1] << 8)
        if kind == b"S":
            ways.append(list(struct.unpack_from("<8b", out, place)))
            place += 8
    return ways


HELLO = frame_of("HELLO", 0, 0x1234, 1, 1, 1, table_hash())
UP = frame_of("VALUES", 0, 0, tail=struct.pack("<8h", *[20000] * 8))
MIDDLE = struct.pack("<8h", *[511] * 8)


@pytest.mark.usefixtures("chance")
def test_a_board_left_alone_stays_off_when_its_clock_wraps_round() -> None:
    left = [(now, b"S", MIDDLE) for now in range(5000, 6000, 10)]
    wrapped = [(now, b"S", MIDDLE) for now in range(20, 2500, 10)]  # 49.7 days later: as if just after HELLO
    ways = ways_after([(1, b"R", HELLO), (2, b"R", UP), *left, *wrapped])
    assert len(ways) == len(left) + len(wrapped) and not any(any(row) for row in ways)
    knobs = Knobs()
    knobs.samples, rig = [511] * 8, InOrder(knobs, 8, 4)
    board = board_link.Link(rig, "harness", 8, window=160, largest=72)
    board.receive(HELLO + UP, 1)
    for now, _, _ in [*left, *wrapped]:
        rig.poll(board, now)
        assert not any(knobs.ways)
    ways = ways_after([(1, b"R", HELLO), (2, b"R", UP), *left, (6000, b"R", frame_of("PING", 1)), (6200, b"S", MIDDLE)])
    assert any(ways[-1]), "and a host that is back is followed"


def test_the_header_has_the_table_of_this_program() -> None:
    text = (toolchain.SKETCH / "mark1_link.h").read_text()
    assert f"#define M1_TABLE_HASH 0x{table_hash():04x}u" in text
