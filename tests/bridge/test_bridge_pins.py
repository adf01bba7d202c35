"""What comes out of the compiled sketch's pins (SPI, I2C, servo pulses, motor bits) is what the values demand."""

from itertools import pairwise

import pytest
import toolchain
from boards import Seen, SimAvr
from talk import Talk

from firmware_bridge.messages import CHANNEL_STATES, EVENT_BUTTON, FLAG_FAULT
from firmware_bridge.mirror import Limits, Press

pytestmark = pytest.mark.firmware
BOARDS = ["uno", "mega"]
SERVO_PIN = {"uno": "B1", "mega": "B5"}
# Arduino pins 10, 9, 8, 7 of the Uno and 22, 23, 24, 25 of the Mega, as ports
CHIP_SELECT = {"uno": ["B2", "B1", "B0", "D7"], "mega": ["A0", "A1", "A2", "A3"]}
BUTTON_PIN = {"uno": ["D2", "B0", "C2", "C3"], "mega": ["J1", "J0", "H1", "H0"]}
STOP_PIN = {"uno": "D3", "mega": "D3"}


@pytest.fixture(params=BOARDS)
def board(request: pytest.FixtureRequest) -> str:
    toolchain.need()
    return str(request.param)


def pulse(wire: int) -> int:
    """Microseconds that a value demands of an uncalibrated servo: 600 to 2400, the middle at 1500."""
    return 1500 + int(900 * wire / 32767)


def high_times(seen: list[Seen], pin: str) -> list[float]:
    """How long the pin was high, each time."""
    edges = [s for s in seen if s.kind == "p" and s.pin == pin]
    return [b.at_us - a.at_us for a, b in pairwise(edges) if a.value and not b.value]


def test_the_servo_pin_gives_the_pulse_that_the_value_demands(board: str) -> None:
    talk = Talk(SimAvr(board, "servo", 1))
    talk.board.trace()
    talk.wait(0.5)
    assert not high_times(list(talk.board.seen()), SERVO_PIN[board]), "no pulse before the first value"
    for wire in (0, 32767, -32767, 12345):
        talk.want([wire])
        talk.settle()
        talk.wait(0.8)
        list(talk.board.seen())
        talk.wait(0.2)
        seen = list(talk.board.seen())
        times = high_times(seen, SERVO_PIN[board])
        assert len(times) >= 8 and times == pytest.approx([pulse(wire)] * len(times), abs=1.0)
        rising = [s.at_us for s in seen if s.pin == SERVO_PIN[board] and s.value]
        assert [b - a for a, b in pairwise(rising)] == pytest.approx([20_000] * (len(rising) - 1), abs=1)


def test_the_servo_goes_limp_when_the_host_is_silent(board: str) -> None:
    talk = Talk(SimAvr(board, "servo", 1), limits=Limits(silence_ms=400))
    talk.board.trace()
    talk.want([5000])
    talk.settle()
    talk.wait(1.0)
    talk.cut = True
    talk.wait(0.5)
    list(talk.board.seen())
    talk.wait(0.5)
    assert not high_times(list(talk.board.seen()), SERVO_PIN[board])


def i2c_writes(seen: list[Seen]) -> list[tuple[int, list[int]]]:
    """Address and bytes of every I2C write."""
    out: list[tuple[int, list[int]]] = []
    for item in seen:
        if item.kind == "S":
            out.append((item.where, []))
        elif item.kind == "t":
            out[-1][1].append(item.value)
    return out


def positions(seen: list[Seen]) -> list[tuple[int, list[int]]]:
    """Those of the writes that set a channel."""
    return [(address, bytes_) for address, bytes_ in i2c_writes(seen) if len(bytes_) == 5]


def test_the_pca9685_gets_its_registers(board: str) -> None:
    talk = Talk(SimAvr(board, "pca9685", 18))
    talk.board.trace()
    talk.wait(0.1)
    start = i2c_writes(list(talk.board.seen()))
    setup = [[0xFD, 0x10], [0x00, 0x10], [0xFE, 121], [0x00, 0x20]]
    assert start[:8] == [(0x40, w) for w in setup] + [(0x41, w) for w in setup]
    assert all(bytes_[0] in (0x00, 0xFE) or bytes_[4] == 0x10 for _, bytes_ in start[8:]), "no pulse before a value"
    values = [(-1) ** n * 1700 * n for n in range(18)]
    talk.want(values)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    writes = positions(list(talk.board.seen()))
    shown = {(address, bytes_[0]): bytes_[3] | bytes_[4] << 8 for address, bytes_ in writes}
    wanted = {(0x40 + n // 16, 6 + 4 * (n % 16)): pulse(v) * 4096 // 20000 for n, v in enumerate(values)}
    assert shown == wanted and all(bytes_[1:3] == [0, 0] for _, bytes_ in writes)


def test_never_more_servos_in_motion_than_allowed_and_a_stop_takes_all_pulses_away(board: str) -> None:
    talk = Talk(SimAvr(board, "pca9685", 16), limits=Limits(motors_at_once=3))
    talk.want([0] * 16)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    talk.board.trace()
    talk.want([30000] * 16)
    most = 0

    def look() -> None:
        nonlocal most
        most = max(most, talk.mirror.moving)

    talk.each = look
    talk.wait(0.5)
    moved = {
        bytes_[0]
        for _, bytes_ in positions(list(talk.board.seen()))
        if bytes_[3] | bytes_[4] << 8 == pulse(30000) * 4096 // 20000
    }
    assert most == 3 and 3 <= len(moved) < 16
    talk.link.stop()
    talk.wait(0.05)
    offs = [bytes_[0] for _, bytes_ in positions(list(talk.board.seen())) if bytes_[4] & 0x10]
    assert len(set(offs)) == 16


class Chip:
    """A PCA9685 by its registers, as the data sheet has them after power-on; writes are taken from the trace."""

    def __init__(self) -> None:
        self.registers = {0x00: 0x11, 0xFE: 0x1E, **{9 + 4 * n: 0x10 for n in range(16)}}

    def take(self, seen: list[Seen]) -> None:
        for _, (register, *values) in i2c_writes(seen):
            for value in values:
                if register != 0xFE or self.registers[0x00] & 0x10:  # awake, it refuses the prescaler
                    self.registers[register] = value
                register += bool(self.registers[0x00] & 0x20)

    def pulses(self) -> list[int]:
        """Microseconds of every channel; 0 is off."""
        at = self.registers
        if at[0x00] & 0x10:
            return [0] * 16
        assert at[0xFE] == 121
        return [0 if at[9 + 4 * n] & 0x10 else (at[8 + 4 * n] | at[9 + 4 * n] << 8) * 20000 // 4096 for n in range(16)]


def all_servos_up(board: str) -> tuple[Talk, Chip]:
    talk, chip = Talk(SimAvr(board, "pca9685", 16)), Chip()
    talk.board.trace()
    talk.want([10000] * 16)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    chip.take(list(talk.board.seen()))
    assert chip.pulses() == pytest.approx([pulse(10000)] * 16, abs=5)
    return talk, chip


@pytest.mark.parametrize("missed", [1, 5, 40])
def test_a_stop_that_the_bus_misses_is_said_again(board: str, missed: int) -> None:
    talk, chip = all_servos_up(board)
    talk.board.deafen(missed)
    talk.link.stop()
    talk.wait(0.05 if missed < 16 else 0.5)
    chip.take(list(talk.board.seen()))
    assert chip.pulses() == [0] * 16
    talk.wait(0.2)
    assert {CHANNEL_STATES[state] for state in talk.mirror.states} == {"off"} and not talk.mirror.flags & FLAG_FAULT


def test_servos_that_cannot_be_switched_off_never_say_that_they_are(board: str) -> None:
    talk, chip = all_servos_up(board)
    talk.board.deafen(-1)
    talk.link.stop()
    talk.wait(1.0)
    assert {CHANNEL_STATES[state] for state in talk.mirror.states} == {"waiting"} and talk.mirror.flags & FLAG_FAULT
    assert talk.link.statistics.checksum_failures == 0, "and the line is not kept waiting"
    talk.board.deafen(0)
    talk.wait(0.05)
    chip.take(list(talk.board.seen()))
    assert chip.pulses() == [0] * 16


def test_silence_that_the_bus_misses_is_said_again(board: str) -> None:
    talk, chip = all_servos_up(board)
    talk.cut = True
    talk.wait(1.5)
    talk.board.deafen(-1)
    talk.wait(1.0)
    talk.board.deafen(0)
    talk.wait(0.05)
    chip.take(list(talk.board.seen()))
    assert chip.pulses() == [0] * 16


@pytest.mark.parametrize("dark_s", [0.001, 1.0])
def test_a_pca9685_that_lost_its_power_is_set_up_again(board: str, dark_s: float) -> None:
    talk, _ = all_servos_up(board)
    talk.board.deafen(-1)
    talk.wait(dark_s)
    if dark_s > 0.5:
        assert {CHANNEL_STATES[state] for state in talk.mirror.states} == {"waiting"}
    talk.board.deafen(0)
    list(talk.board.seen())
    chip = Chip()
    talk.wait(0.01)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    talk.wait(0.8)
    chip.take(list(talk.board.seen()))
    assert chip.pulses() == pytest.approx([pulse(10000)] * 16, abs=5)
    assert not talk.mirror.flags & FLAG_FAULT


def spi_by_chip(seen: list[Seen], selects: list[str]) -> list[tuple[str, list[int]]]:
    """Which chip select was low while which bytes went out."""
    out: list[tuple[str, list[int]]] = []
    low = ""
    for item in seen:
        if item.kind == "p" and item.pin in selects:
            low = "" if item.value else item.pin
            if low:
                out.append((low, []))
        elif item.kind == "s":
            assert low, "a byte with no chip selected"
            out[-1][1].append(item.value)
    return out


def test_the_digital_potentiometers_get_their_bytes_under_their_own_chip_select(board: str) -> None:
    talk = Talk(SimAvr(board, "digipot", 8))
    talk.wait(0.1)
    talk.board.trace()
    values = [-32767, -20000, -1, 0, 1, 9000, 25000, 32767]
    talk.want(values)
    talk.settle()
    talk.wait(0.1)
    sent = spi_by_chip(list(talk.board.seen()), CHIP_SELECT[board])
    taps = [127 + int(128 * v / 32767) if v >= 0 else 127 + int(127 * v / 32767) for v in values]
    wanted = [(CHIP_SELECT[board][n // 2], [0x12 if n % 2 else 0x11, tap]) for n, tap in enumerate(taps)]
    assert sorted(sent) == sorted(wanted)
    talk.cut = True
    talk.wait(3.0)
    assert not spi_by_chip(list(talk.board.seen()), CHIP_SELECT[board]), "silence: they hold what they have"


def test_the_motor_bits_are_those_of_the_motors_that_must_move(board: str) -> None:
    channels = 16 if board == "uno" else 64
    talk = Talk(SimAvr(board, "motors", channels, MOTORS_AT_ONCE=8))
    talk.want([0] * channels)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    wanted = [0] * channels
    wanted[0], wanted[5], wanted[channels - 1] = 20000, -20000, 20000
    talk.want(wanted)
    talk.run(lambda: sum(talk.board.way(c) != 0 for c in range(channels)) == 3, 2.0)
    assert [talk.board.way(c) for c in range(channels) if talk.board.way(c)] == [1, -1, 1]
    talk.board.trace()
    talk.wait(0.03)
    sent = [s.value for s in talk.board.seen() if s.kind in "sl"]
    chain = sent[: channels // 4]
    assert (chain[-1], chain[-2], chain[0]) == (0b01, 0b1000, 0b01000000), "the farthest register's byte goes first"
    talk.run(lambda: (talk.mirror.states == 0).all(), 30)
    assert talk.board.most_moving <= 8


def test_sixty_four_motors_on_one_mega_arrive() -> None:
    toolchain.need()
    talk = Talk(SimAvr("mega", "motors", 64, MOTORS_AT_ONCE=16))
    values = [(-1) ** n * 500 * n for n in range(64)]
    talk.want(values)
    took = talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 60)
    wanted = [511 + int(492 * v / 32767) if v >= 0 else 511 + int(491 * v / 32767) for v in values]
    assert [talk.board.position(c) for c in range(64)] == pytest.approx(wanted, abs=9)
    assert talk.board.most_moving <= 16
    print(f"64 motors arrived after {took:.1f} s, at most {talk.board.most_moving} at once")


@pytest.mark.slow
def test_noise_of_two_counts_changes_nothing_in_ten_minutes(board: str) -> None:
    talk = Talk(SimAvr(board, "motors", 8))
    talk.want([0] * 8)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    talk.board.noise(2)
    talk.mirror.reports = False
    talk.board.trace()
    for _ in range(60):
        talk.wait(10.0)
        assert not [s for s in talk.board.seen() if s.kind == "l" and s.value], "no motor stirs"
    assert not talk.mirror.events


def test_buttons_are_told_once_each_however_they_bounce(board: str) -> None:
    talk = Talk(SimAvr(board, "none", 4, BUTTONS=1))
    for pin in BUTTON_PIN[board]:
        talk.board.pin(pin, 1)
    talk.want([0] * 4)
    talk.settle()
    for button, pin in enumerate(BUTTON_PIN[board]):
        for value in (0, 1, 0, 1, 0):
            talk.board.pin(pin, value)
            talk.wait(0.003)
        talk.wait(0.5)
        talk.board.pin(pin, 1)
        talk.wait(0.1)
        assert list(talk.mirror.events) == [Press(n) for n in range(button + 1)]
    assert EVENT_BUTTON == 1


def test_photocells_are_seen(board: str) -> None:
    talk = Talk(SimAvr(board, "none", 4, PHOTOCELLS=16))
    for cell in range(16):
        talk.board.turn(cell, 60 * cell)
    talk.want([0] * 4)
    talk.run(lambda: len(talk.mirror.light) == 16)
    talk.wait(0.5)
    assert list(talk.mirror.light) == [60 * cell // 4 for cell in range(16)]


def test_the_stop_switch_latches_until_the_host_resumes(board: str) -> None:
    talk = Talk(SimAvr(board, "motors", 8, STOP_BUTTON=1))
    talk.board.pin(STOP_PIN[board], 0)
    talk.want([30000] * 8)
    talk.run(lambda: any(talk.board.way(c) for c in range(8)))
    talk.board.pin(STOP_PIN[board], 1)
    talk.wait(0.01)
    assert not any(talk.board.way(c) for c in range(8))
    talk.board.pin(STOP_PIN[board], 0)
    talk.wait(1.0)
    assert talk.mirror.stopped and not any(talk.board.way(c) for c in range(8))
    talk.mirror.resume()
    talk.run(lambda: any(talk.board.way(c) for c in range(8)))


def test_a_brown_out_is_named(board: str) -> None:
    talk = Talk(SimAvr(board, "none", 4))
    talk.want([1] * 4)
    talk.settle()
    talk.board.reset(cause=3)
    talk.run(lambda: talk.link.statistics.sessions == 2)
    assert talk.link.statistics.brown_outs == 1


@pytest.mark.parametrize(
    ("board", "loader"),
    [
        ("uno", "optiboot"),
        ("uno", "atmega/ATmegaBOOT_168_atmega328.hex"),
        ("mega", "stk500v2/stk500boot_v2_mega2560.hex"),
    ],
)
def test_a_session_comes_through_a_real_bootloader(board: str, loader: str) -> None:
    toolchain.need()
    talk = Talk(SimAvr(board, "none", 16, boot=toolchain.bootloader(loader)))
    talk.want(list(range(16)))
    talk.settle()
    print(f"{loader}: in step {talk.now_us / 1e6:.2f} s after power-on")
    for sessions, wait in enumerate((0.5, 0.537, 0.574, 0.611, 0.648), 2):  # at any phase of pings, digests and reports
        talk.wait(wait)
        talk.board.reset()
        took = talk.run(lambda sessions=sessions: talk.link.statistics.sessions == sessions and talk.mirror.in_step)
        assert talk.read_back() == list(range(16))
        assert 0.2 < took < 3.0, "the bootloader really was there, and was not disturbed"
        print(f"and {took:.2f} s after a reset")
