"""From the rig to the machine, in simulated time: knobs, buttons, photocells become commands that replay."""

import io
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
import toolchain
from boards import Emulated, SimAvr
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.firmware.micropython.mark1_rig.hand import DWELL_MS, FREE, HELD, REPORTED, Hand
from firmware_bridge.host import Bridge
from firmware_bridge.rig import PortConfig, RigConfig, first_sources
from mark1 import HISTORIC, MachineConfig, Mark1
from mark1.journal import Journal, replay

SMALL = HISTORIC.with_(association__units=8, response__units=1, response__in_use=1, plugboard__fan_out_limit=0)
BUTTON_PINS = {"uno": ["D2", "B0", "C2", "C3"], "mega": ["J1", "J0", "H1", "H0"]}


class SimulatedPort:
    """A port into a board in simulated time; each read lets a millisecond pass."""

    name = "simulated"

    def __init__(self, board: Any) -> None:
        self.board, self.now_us, self._out = board, 0, b""

    def read(self) -> bytes:
        self.now_us += 1000
        out, self._out = self._out, b""
        return bytes(self.board.exchange(out, self.now_us))

    def write(self, data: bytes) -> None:
        self._out += data

    def close(self) -> None:
        pass


class Desk:
    """A machine, a bridge without threads, and a board; everything happens when run() is called."""

    def __init__(self, board: Any, press: Callable[[int], None], config: MachineConfig = SMALL) -> None:
        self.board, self.press = board, press
        self.machine = Mark1(config, seed=3)
        self.port = SimulatedPort(board)
        config = RigConfig(ports=(PortConfig(device="simulated"),), photocell_rows=2, photocell_columns=2)
        self.bridge = Bridge(config, first_sources, lambda _: self.port)
        self.bridge._machine = self.machine
        self.host = self.bridge.ports[0]
        self.host.clock = lambda: self.port.now_us
        self.machine.observe(self.bridge._fact, strict=True)
        self.file = io.StringIO()
        self.journal = Journal(self.machine, self.file)

    def run(self, seconds: float) -> None:
        for _ in range(int(seconds * 1000)):
            self.host.turn(self.port)
            if self.port.now_us % 20_000 == 0:
                self.machine.run_until(self.machine.now_us + 20_000)
                self.bridge.attend(self.machine)

    def facts(self, name: str) -> int:
        return self.file.getvalue().count(f'"{name}"')

    def replayed(self) -> bytes:
        """The same machine from its journal alone."""
        import json

        self.journal.close()
        return replay(json.loads(line) for line in self.file.getvalue().splitlines()).save()


def emulated() -> Desk:
    board = Emulated(8, "motors")
    board.show(bytes((255, 0, 255, 0)))
    return Desk(board, board.press)


def simulated(name: str) -> Desk:
    toolchain.need()
    board = SimAvr(name, "motors", 8, BUTTONS=1, PHOTOCELLS=4)
    for pin in BUTTON_PINS[name]:
        board.pin(pin, 1)
    for cell, counts in enumerate((1020, 0, 1020, 0)):
        board.turn(16 + cell, counts)
    desk = Desk(board, lambda button: None)

    def press(button: int) -> None:
        board.pin(BUTTON_PINS[name][button], 0)
        desk.run(0.1)
        board.pin(BUTTON_PINS[name][button], 1)

    desk.press = press
    return desk


@pytest.fixture(
    params=[
        pytest.param(emulated, id="emulator"),
        pytest.param(lambda: simulated("uno"), id="uno", marks=pytest.mark.firmware),
        pytest.param(lambda: simulated("mega"), id="mega", marks=pytest.mark.firmware),
    ]
)
def desk(request: pytest.FixtureRequest) -> Desk:
    made: Desk = request.param()
    made.run(3.0)
    assert made.host.in_step and len(made.host.mirror.light) == 4
    return made


def test_a_knob_changes_the_value_once_and_the_journal_replays_it(desk: Desk) -> None:
    for counts in range(511, 760, 5):
        desk.board.turn(3, counts)
        desk.run(0.01)
    desk.run(4.0)
    assert desk.facts("ReportPotentiometer") == 1
    assert desk.machine.state().values[0, 3] == pytest.approx((756 - 511) / 492 * 11e6, abs=120_000)
    assert not desk.machine.state().values[0, [0, 1, 2, 4, 5, 6, 7]].any()
    assert desk.board.position(3) == pytest.approx(756, abs=2) and desk.host.in_step
    assert desk.replayed() == desk.machine.save()


def test_buttons_and_photocells_replay_from_the_journal(desk: Desk) -> None:
    for button in (0, 1, 0, 2, 3):
        desk.press(button)
        desk.run(2.0)
    taken = [desk.facts(name) for name in ("PresentStimulus", "Teach", "ClearRetina")]
    assert taken == [2, 2, 1]
    assert desk.machine.state().values.any(), "what was taught moved a value"
    assert desk.host.in_step
    assert desk.replayed() == desk.machine.save()


def test_the_photocells_light_falls_on_whole_blocks_of_the_retina(desk: Desk) -> None:
    light = desk.bridge.light(desk.machine.state(), desk.host).reshape(20, 20)
    assert np.all(light[:, :10] > 0.98) and not light[:, 10:].any()


def test_a_knob_beyond_the_machines_stops_is_refused_and_goes_back() -> None:
    board = Emulated(8, "motors")
    narrow = SMALL.with_(potentiometer__low_uv=-5_000_000, potentiometer__high_uv=5_000_000)
    desk = Desk(board, board.press, narrow)
    desk.run(3.0)
    board.turn(2, 900)
    desk.run(4.0)
    assert desk.bridge.rejected == 1 and "refused what the rig said" in desk.host.notes[0]
    assert not desk.machine.state().values.any() and board.position(2) == pytest.approx(511, abs=9)


# ---- the rule itself, with traces of one knob: samples every 20 ms, motor off ----
def watch(trace: list[int], state: int = FREE) -> tuple[list[int], int]:
    """The states that the rule went through, and how many reports it made."""
    hand, reports, seen = Hand(), 0, []
    for number, sample in enumerate(chain([trace[0]] * 50, trace)):
        reports += hand.look(sample, 20 * number)
        if not seen or seen[-1] != hand.state:
            seen.append(hand.state)
    assert state in seen
    return seen, reports


def test_a_quick_turn_is_a_hand_and_is_reported_once_after_it_rests() -> None:
    assert watch([511 + 5 * n for n in range(40)] + [706] * 100) == ([FREE, HELD, REPORTED], 1)


def test_a_slow_creep_over_the_whole_travel_is_drift() -> None:
    assert watch([511 + n // 2 for n in range(900)]) == ([FREE], 0)  # 25 counts a second


def test_a_small_nudge_is_no_hand() -> None:
    assert watch([511, 515, 520, 525, 530] + [530] * 200) == ([FREE], 0)


def test_noise_is_no_hand() -> None:
    noise = np.random.default_rng(1).integers(-2, 3, 30_000)
    assert watch([511 + int(n) for n in noise]) == ([FREE], 0)


def test_a_hand_that_keeps_turning_is_not_reported_yet() -> None:
    there_and_back = [511 + abs(n % 40 - 20) * 4 for n in range(400)]
    assert watch(there_and_back) == ([FREE, HELD], 0)


def test_a_knob_turned_again_before_the_host_took_it_is_reported_again() -> None:
    twice = [511 + 5 * n for n in range(40)] + [706] * 60 + [706 - 5 * n for n in range(30)] + [561] * 60
    assert watch(twice) == ([FREE, HELD, REPORTED, HELD, REPORTED], 2)


def test_while_a_hand_holds_the_knob_its_motor_may_not_start() -> None:
    hand, now = Hand(), 0
    for sample in [511] * 50 + [511 + 5 * n for n in range(40)]:
        hand.look(sample, now)
        now += 20
    assert not hand.quiet(now)
    for _ in range(DWELL_MS // 20 + 2):
        hand.look(706, now)
        now += 20
    assert hand.state == REPORTED and not hand.quiet(now)
    hand.release(706, now)
    for _ in range(40):
        hand.look(706, now)
        now += 20
    assert hand.quiet(now)


@given(st.integers(24, 400), st.integers(1, 11), st.integers(0, 40))
def test_the_size_of_a_hand_within_a_quarter_second_is_always_a_hand(size: int, samples: int, wait: int) -> None:
    move = [300 + size * n // samples for n in range(samples + 1)]
    assert watch([300] * wait + move + [300 + size] * 60)[1] == 1


@given(st.integers(1, 23), st.integers(0, 40))
def test_less_than_that_in_half_a_second_never_is(counts: int, wait: int) -> None:
    creep = [300 + counts * n // 27 for n in range(27 * 20)]  # so many counts in each 540 ms
    assert watch([300] * wait + creep) == ([FREE], 0)
