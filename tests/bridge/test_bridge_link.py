"""The link against an emulated board, in simulated time: handshake, window, resends, lost sessions."""

import random
from collections.abc import Callable
from itertools import pairwise

from firmware_bridge.emulator import Emulator, Noise
from firmware_bridge.link import HELLO_EVERY_US, Link
from firmware_bridge.messages import Message

STEP_US = 1000


def seeded(seed: int = 1) -> Callable[[], int]:
    chance = random.Random(seed)
    return lambda: chance.getrandbits(32)


class Talk:
    """A link and a board in one simulated time."""

    def __init__(self, board: Emulator | None = None, noise: float = 0.0) -> None:
        self.board = board or Emulator(channels=32, kind="memory")
        self.link = Link(seeded())
        self.now_us = 0
        self.there = Noise(noise, random.Random(2))
        self.back = Noise(noise, random.Random(3))
        self.heard: list[Message] = []
        self.cut = False

    def run(self, until: Callable[[], bool], limit_s: float = 20.0) -> float:
        start = self.now_us
        while not until():
            assert self.now_us - start < limit_s * 1e6, f"not reached in {limit_s} s: {self.link.trouble}"
            self.now_us += STEP_US
            out = self.link.transmit(self.now_us)
            back = self.board.exchange(b"" if self.cut else self.there.spoil(out), self.now_us)
            self.heard += self.link.receive(b"" if self.cut else self.back.spoil(back), self.now_us)
        return (self.now_us - start) / 1e6

    def open(self) -> float:
        return self.run(lambda: self.link.board is not None)


def test_the_handshake_names_the_board() -> None:
    talk = Talk()
    assert talk.open() < 0.01
    assert talk.link.board is not None
    assert (talk.link.board.name, talk.link.board.channels, talk.link.board.version) == ("emulator memory", 32, 1)


def test_hello_is_said_at_once_then_after_the_bootloader_then_after_a_long_silence() -> None:
    link = Link(seeded())
    said = [now for now in range(0, 11_000_000, 1000) if link.transmit(now)]
    assert said[:4] == [0, 10_000, 20_000, 1_600_000]
    assert {b - a for a, b in pairwise(said[3:9])} == {HELLO_EVERY_US}
    assert said[9] == 10_500_000, "a Mega's bootloader needs five seconds of silence to let go"


def test_a_board_that_starts_ends_the_silence() -> None:
    talk = Talk()
    talk.cut = True
    talk.run(lambda: talk.now_us >= 5_000_000)
    talk.cut = False
    talk.board.reset()
    assert talk.open() < 0.01


def test_values_arrive_once_and_in_order() -> None:
    talk = Talk()
    talk.open()
    for start in range(0, 32, 8):
        talk.link.send("VALUES", start, tail=bytes(range(16)))
    talk.run(lambda: not talk.link._flight and not talk.link._fresh)
    assert talk.board.link.values[1] == 0x0302 and talk.board.link.values[31] == 0x0F0E
    assert talk.link.statistics.frames_resent == 0


def test_a_bad_cable_costs_time_and_nothing_else() -> None:
    talk = Talk(noise=0.01)
    talk.board.link.window = 120
    talk.open()
    for _ in range(300):
        talk.run(lambda: talk.link.room(4))
        if talk.link.board is None:
            talk.open()
        talk.link.send("STEP", 0, 1, tail=b"\x01")
    talk.run(lambda: not talk.link._flight and not talk.link._fresh)
    assert talk.link.statistics.sessions == 1, "a step cannot be repeated over a lost session in this test"
    assert talk.board.link.values[0] == 300
    assert talk.link.statistics.frames_resent > 10 and talk.board.link.checksum_failures > 5 and talk.back.hits


def test_bytes_in_flight_never_exceed_the_window() -> None:
    talk = Talk()
    talk.board.link.window = 100
    talk.open()
    sizes = []
    while talk.link.room(32):
        talk.link.send("VALUES", 0, tail=bytes(30))
        sizes.append(sum(len(s.data) for s in talk.link._fresh))
    assert sizes == [38, 76]


def test_a_reset_board_gets_a_new_session() -> None:
    talk = Talk()
    talk.open()
    first = talk.link.session
    talk.board.reset()
    talk.link.send("PING")
    took = talk.run(lambda: talk.link.statistics.sessions == 2)
    assert talk.link.session != first and took < 0.1
    assert talk.link.board is not None and talk.link.board.boot_cause == 2


def test_a_dead_cable_is_noticed_and_mended() -> None:
    talk = Talk()
    talk.open()
    talk.cut = True
    talk.run(lambda: talk.link.board is None, limit_s=2)
    assert "cable" in talk.link.trouble
    talk.cut = False
    assert talk.open() <= 1.7


def test_brown_outs_are_counted_once_a_boot() -> None:
    talk = Talk()
    talk.open()
    talk.board.reset(cause=3)
    talk.link.send("PING")
    talk.run(lambda: talk.link.statistics.sessions == 2)
    talk.link.forget("test")
    talk.open()
    assert talk.link.statistics.brown_outs == 1


def test_a_second_host_is_told_that_the_rig_is_taken_and_gets_it_when_the_first_is_gone() -> None:
    talk = Talk()
    talk.open()
    second = Link(seeded(99), host=2)
    now = talk.now_us
    while second.board is None:
        now += STEP_US
        second.receive(talk.board.exchange(second.transmit(now), now), now)
        assert now < talk.now_us + 3_000_000
        if now == talk.now_us + 500_000:
            assert second.trouble == "Another program holds the rig; close it first."
    assert 1_000_000 <= now - talk.now_us <= 1_100_000
    talk.now_us = now
    talk.link.send("VALUES", 0, tail=b"\x05\x00")
    talk.run(lambda: talk.link.board is None)
    assert talk.board.link.values[0] == 0, "a frame of the old session must not pass"


def test_an_old_sketch_is_named_with_the_cure(monkeypatch) -> None:
    monkeypatch.setattr("firmware_bridge.firmware.micropython.mark1_rig.link.PROTOCOL", 9)
    talk = Talk()
    talk.run(lambda: "another protocol version; flash" in talk.link.trouble)
    monkeypatch.setattr("firmware_bridge.firmware.micropython.mark1_rig.link.PROTOCOL", 1)
    monkeypatch.setattr("firmware_bridge.firmware.micropython.mark1_rig.link.TABLE_HASH", 1)
    talk.run(lambda: "another message table; flash" in talk.link.trouble)


def test_stop_needs_no_session() -> None:
    talk = Talk()
    talk.link.stop()
    talk.board.exchange(talk.link.transmit(0), 0)
    assert talk.board.rig.stopped


def test_a_board_that_reports_and_falls_silent_hears_nothing_more() -> None:
    """It may be in its bootloader; one resend may still go out, while a board that was reset is deaf."""
    talk = Talk()
    talk.open()
    talk.link.send("REPORTS", 100)
    talk.run(lambda: talk.now_us >= 1_000_000)
    talk.link.send("PING")
    silent_since = talk.now_us
    said = []
    while talk.link.board is not None:
        talk.now_us += STEP_US
        if talk.link.transmit(talk.now_us) and talk.link.board is not None:
            said.append(talk.now_us - silent_since)
    assert said and max(said) <= 65_000, "the fuses keep an Uno or Mega deaf for 65 ms"
