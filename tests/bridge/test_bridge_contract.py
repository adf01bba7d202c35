"""The contract that every board keeps, in simulated time: emulator, compiled sketch on Uno and Mega, MicroPython."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import toolchain
from boards import Emulated, MicroPythonBoard, SimAvr
from talk import Talk

from firmware_bridge.messages import CHANNEL_STATES
from firmware_bridge.mirror import Limits

CHANNELS = 40
MOTORS = 8
Maker = Callable[[str, int], Any]


def emulator(kind: str, channels: int) -> Emulated:
    return Emulated(channels, {"none": "memory"}.get(kind, kind))


def avr(board: str) -> Maker:
    def make(kind: str, channels: int) -> SimAvr:
        toolchain.need()
        return SimAvr(board, {"servos": "pca9685"}.get(kind, kind), channels)

    return make


@pytest.fixture(
    params=[
        pytest.param(emulator, id="emulator"),
        pytest.param(avr("uno"), id="uno", marks=pytest.mark.firmware),
        pytest.param(avr("mega"), id="mega", marks=pytest.mark.firmware),
        pytest.param(MicroPythonBoard, id="micropython", marks=pytest.mark.firmware),
    ]
)
def make(request: pytest.FixtureRequest) -> Iterator[Maker]:
    made = []

    def remember(kind: str, channels: int) -> Any:
        made.append(request.param(kind, channels))
        return made[-1]

    yield remember
    for board in made:
        getattr(board, "close", lambda: None)()


def some_values(count: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).integers(-32767, 32768, count).astype(np.int16)


def test_values_arrive_and_are_proved(make: Maker) -> None:
    talk = Talk(make("none", CHANNELS))
    values = some_values(CHANNELS)
    talk.want(values)
    assert talk.settle() < 1.0
    assert talk.read_back() == values.tolist()


def test_steps_that_many_share_go_as_one_frame(make: Maker) -> None:
    talk = Talk(make("none", CHANNELS))
    talk.want(np.zeros(CHANNELS, np.int16))
    talk.settle()
    frames = talk.mirror.statistics.value_frames
    for step in range(1, 11):
        talk.want(np.arange(CHANNELS) % 2 * 1638 * step)
        talk.settle()
    assert (talk.mirror.statistics.step_frames, talk.mirror.statistics.value_frames) == (10, frames)
    assert talk.read_back() == (np.arange(CHANNELS) % 2 * 16380).tolist()


@pytest.mark.parametrize("rate", [1e-4, 1e-3, 1e-2])
def test_a_bad_cable_never_leaves_a_wrong_value(make: Maker, rate: float) -> None:
    talk = Talk(make("none", CHANNELS), noise=rate)
    chance = random.Random(7)
    talk.want(np.zeros(CHANNELS, np.int16))
    for _ in range(3000 if rate < 1e-3 else 300):
        talk.wait(0.01)
        moved = talk.mirror.wanted.copy()
        moved[chance.sample(range(CHANNELS), 12)] = chance.randrange(-32767, 32768)
        talk.want(moved)
    took = talk.settle(60)
    statistics = talk.link.statistics
    assert talk.there.hits and talk.back.hits and statistics.frames_resent and statistics.checksum_failures
    talk.noise(0)
    assert talk.read_back() == talk.mirror.wanted.tolist()
    print(f"rate {rate}: equal {took:.2f} s after the last change, {statistics.frames_resent} frames sent again")


def test_a_reset_in_mid_frame_restores_everything(make: Maker) -> None:
    talk = Talk(make("none", CHANNELS))
    talk.want(some_values(CHANNELS))
    talk.settle()
    talk.want(some_values(CHANNELS, 6))
    talk.mirror.poll(talk.now_us)
    talk.board.exchange(talk.link.transmit(talk.now_us)[:20], talk.now_us + 500)  # half a frame, then the button
    talk.board.reset()
    took = talk.run(lambda: talk.link.statistics.sessions == 2 and talk.mirror.in_step)
    assert talk.read_back() == some_values(CHANNELS, 6).tolist()
    print(f"restored {took:.2f} s after the reset")


def test_a_host_that_dies_is_followed_by_one_that_sends_everything(make: Maker) -> None:
    board = make("none", CHANNELS)
    first = Talk(board, host=11)
    first.want(some_values(CHANNELS))
    first.run(lambda: first.mirror.statistics.value_frames > 0)
    second = Talk(board, host=12, seed=9)
    second.now_us = first.now_us
    second.want(some_values(CHANNELS, 8))
    second.settle()
    assert second.read_back() == some_values(CHANNELS, 8).tolist()
    print(f"the new host was in step after {(second.now_us - first.now_us) / 1e6:.2f} s")


def test_a_cut_cable_is_mended_without_a_wrong_claim(make: Maker) -> None:
    talk = Talk(make("none", CHANNELS))
    talk.want(some_values(CHANNELS))
    talk.settle()
    talk.cut = True
    talk.want(some_values(CHANNELS, 9))
    for _ in range(3000):
        talk.step()
        assert not talk.mirror.in_step
    talk.cut = False
    took = talk.settle()
    assert talk.read_back() == some_values(CHANNELS, 9).tolist()
    print(f"equal {took:.2f} s after the cable was back")


def test_two_hosts_at_once_never_show_a_wrong_value_as_right(make: Maker) -> None:
    board = make("none", CHANNELS)
    first, second = Talk(board, host=1), Talk(board, host=2, seed=9)
    first.want(some_values(CHANNELS))
    first.settle()
    second.mirror.wanted = some_values(CHANNELS, 8)
    now = first.now_us
    for turn in range(4000):  # both write to one line, and each reads what the other did not
        now += 1000
        for talk in (first, second):
            talk.now_us = now
            talk.mirror.poll(now)
        data = first.link.transmit(now) + second.link.transmit(now)
        back = board.exchange(data, now)
        reader = first if turn % 3 else second
        reader.mirror.take(reader.link.receive(back, now))
        assert not second.mirror.in_step or not first.mirror.in_step
    first.settle()  # the second has gone
    assert first.read_back() == some_values(CHANNELS).tolist()


def test_motors_go_where_the_values_say(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS))
    talk.want([-32767, -20000, -5000, 0, 0, 5000, 20000, 32767])
    talk.settle()
    mirror = talk.mirror
    talk.run(lambda: (mirror.states == 0).all() and abs(mirror.measured - mirror.wanted).max() < 1200, 30)
    where = [talk.board.position(channel) for channel in range(MOTORS)]
    assert where == pytest.approx([20, 211, 436, 511, 511, 586, 811, 1003], abs=9)
    assert talk.board.most_moving <= 4


def test_never_more_motors_at_once_than_asked(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), limits=Limits(motors_at_once=2))
    talk.want([30000, -30000] * 4)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 60)
    talk.wait(0.5)
    assert talk.board.most_moving == 2


def test_motors_stop_when_the_host_falls_silent(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), limits=Limits(silence_ms=500))
    talk.want([30000] * MOTORS)
    talk.run(lambda: any(talk.board.way(channel) for channel in range(MOTORS)))
    talk.cut = True
    began = talk.now_us
    took = talk.run(lambda: not any(talk.board.way(channel) for channel in range(MOTORS)), 1.0)
    assert 0.2 < took <= 0.55, began


def test_a_jammed_motor_is_switched_off_and_told(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), limits=Limits(stall_ms=300))
    talk.want([0] * MOTORS)
    talk.settle()
    talk.board.jam(3)
    talk.want([0, 0, 0, 30000, 0, 0, 0, 0])
    talk.run(lambda: talk.board.way(3) == 1)
    assert talk.run(lambda: talk.board.way(3) == 0, 1.0) <= 0.4
    talk.run(lambda: CHANNEL_STATES[talk.mirror.states[3]] == "stalled", 1.0)
    assert talk.mirror.statistics.stalls == 1
    talk.wait(3.0)
    assert talk.board.way(3) == 0


def test_a_motor_that_never_arrives_runs_out_of_time(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), limits=Limits(overtime_ms=700))
    talk.want([0] * MOTORS)
    talk.settle()
    talk.want([32767] + [0] * 7)
    talk.run(lambda: talk.board.way(0) == 1)
    assert talk.run(lambda: talk.board.way(0) == 0, 2.0) <= 0.8
    talk.run(lambda: CHANNEL_STATES[talk.mirror.states[0]] == "overtime", 1.0)


def test_the_emergency_stop_needs_no_session_and_stays(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS))
    talk.want([30000] * MOTORS)
    talk.run(lambda: any(talk.board.way(channel) for channel in range(MOTORS)))
    talk.link.forget("test: no session any more")
    talk.link.stop()
    assert talk.run(lambda: not any(talk.board.way(channel) for channel in range(MOTORS)), 0.1) <= 0.02
    talk.run(lambda: talk.mirror.in_step and talk.mirror.stopped)
    talk.wait(1.0)
    assert not any(talk.board.way(channel) for channel in range(MOTORS)), "in step, but still stopped"
    talk.mirror.resume()
    talk.run(lambda: any(talk.board.way(channel) for channel in range(MOTORS)))


def test_a_knob_turned_by_hand_is_told_once_and_its_motor_stays_off(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS))
    talk.want([0] * MOTORS)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all())
    talk.wait(1.0)
    for counts in range(511, 700, 3):
        talk.board.turn(2, counts)
        talk.wait(0.004)
        assert talk.board.way(2) == 0
    talk.run(lambda: len(talk.mirror.events) == 1, 2.0)
    assert talk.mirror.events[0].channel == 2
    wire = talk.mirror.events[0].wire
    assert wire == pytest.approx((699 - 511) / 492 * 32767, abs=150)
    talk.wait(1.0)
    assert talk.board.way(2) == 0 and CHANNEL_STATES[talk.mirror.states[2]] == "reported"
    talk.want([0, 0, wire, 0, 0, 0, 0, 0])
    talk.mirror.release([2])
    talk.wait(2.0)
    assert len(talk.mirror.events) == 1 and talk.board.position(2) == pytest.approx(699, abs=2)
    assert CHANNEL_STATES[talk.mirror.states[2]] == "resting"


def test_drift_is_shown_and_corrected_and_is_no_hand(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS))
    talk.want([0] * MOTORS)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all())
    talk.wait(1.0)
    for drift in range(12):
        talk.board.turn(5, 511 + drift)
        talk.wait(0.2)
    talk.wait(1.5)
    assert not talk.mirror.events
    assert talk.board.position(5) == pytest.approx(511, abs=8)


def test_settings_survive_a_reset(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), calibration={1: (900, 500, 100)}, limits=Limits(motors_at_once=1))
    talk.want([0, 32767] + [0] * 6)
    talk.settle()
    talk.run(lambda: talk.board.position(1) == pytest.approx(100, abs=9), 30)
    talk.board.reset()
    talk.run(lambda: talk.link.statistics.sessions == 2 and talk.mirror.in_step)
    talk.want([0, -32767] + [0] * 6)
    talk.run(lambda: talk.board.position(1) == pytest.approx(900, abs=9), 30)
    assert talk.board.most_moving == 1


@pytest.mark.parametrize("kind", ["motors", "servos"])
def test_a_new_session_drives_nothing_before_its_first_value(make: Maker, kind: str) -> None:
    board = make(kind, MOTORS)
    first, second = Talk(board), Talk(board, seed=9)
    first.want([20000] * MOTORS)
    first.run(lambda: first.mirror.in_step and 1 in first.mirror.states)
    second.now_us = first.now_us
    second.run(lambda: second.link.board is not None and len(second.mirror.states) > 0)
    for _ in range(20):  # a person has both hands in the rig, and somebody says "mark1 rig probe"
        second.wait(0.1)
        assert second.mirror.moving == 0 and {CHANNEL_STATES[state] for state in second.mirror.states} == {"off"}
        assert kind == "servos" or not any(board.way(channel) for channel in range(MOTORS))
    assert second.read_back() == [20000] * MOTORS
    second.want([20000] * MOTORS)
    second.run(lambda: second.mirror.in_step and (second.mirror.states == 0).all(), 30)


def test_a_new_curve_lets_a_stalled_motor_try_again(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS))
    talk.want([0] * MOTORS)
    talk.settle()
    talk.board.jam(3)  # a stop of the mechanism, inside the firmware's ends
    talk.want([0, 0, 0, 32767, 0, 0, 0, 0])
    talk.run(lambda: CHANNEL_STATES[talk.mirror.states[3]] == "stalled", 3.0)
    talk.board.jam(3, False)
    talk.wait(5.5)
    assert talk.board.way(3) == 0 and CHANNEL_STATES[talk.mirror.states[3]] == "stalled"
    talk.mirror.calibrate(3, (20, 511, 800))
    talk.run(lambda: talk.board.position(3) == pytest.approx(800, abs=9), 3.0)
    talk.run(lambda: CHANNEL_STATES[talk.mirror.states[3]] == "resting", 1.0)


def test_limits_are_never_looser_than_the_firmwares_own(make: Maker) -> None:
    talk = Talk(make("motors", MOTORS), limits=Limits(99, 9000, 1900, 19000))
    talk.want([0] * MOTORS)
    talk.settle()
    assert talk.link.board is not None and talk.link.board.motors_at_once == 4
    talk.board.jam(3)
    talk.want([30000 * (channel == 3) for channel in range(MOTORS)])
    talk.run(lambda: talk.board.way(3) == 1)
    assert 0.3 < talk.run(lambda: talk.board.way(3) == 0, 3.0) <= 0.45, "stall"
    talk.board.jam(0)
    talk.want([30000 * (channel == 0) for channel in range(MOTORS)])
    for cut, least, most in ((True, 1.5, 2.05), (False, 11.9, 12.1)):  # silence, then over-time
        talk.run(lambda: talk.mirror.in_step and talk.board.way(0) == 1)
        talk.each = lambda: talk.board.turn(0, 500 + talk.now_us // 100_000 % 2 * 20)  # so that it is no stall
        talk.cut = cut
        assert least < talk.run(lambda: talk.board.way(0) == 0, 20.0) <= most
        talk.each, talk.cut = (lambda: None), False
