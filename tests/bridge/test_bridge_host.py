"""The whole bridge with a real machine, real threads and an emulated board behind a pty or TCP."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from talk import any_line

from firmware_bridge.emulator import Emulator
from firmware_bridge.host import Bridge
from firmware_bridge.messages import to_wire
from firmware_bridge.port import SerialPort, _why_not
from firmware_bridge.porthost import CALM_TURN_S, CALM_US, TURN_S
from firmware_bridge.rig import PortConfig, RigConfig, Source, auto_sources, first_sources
from firmware_bridge.serve import Faults, Line, TcpLine, serve
from firmware_bridge.stopping import StopListener, stop_running_hosts
from mark1 import HISTORIC, Mark1
from mark1.errors import BridgeError

SMALL = HISTORIC.with_(association__units=64, response__in_use=1, plugboard__fan_out_limit=0)


class Served:
    """An emulated board in a thread of its own."""

    def __init__(self, line: Line, emulator: Emulator, faults: Faults) -> None:
        self.emulator, self.line = emulator, line
        self._end = threading.Event()
        self._thread = threading.Thread(target=serve, args=(emulator, line, faults, self._end.is_set))
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.line.close()


@pytest.fixture
def served() -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def make(line: Line | None = None, faults: Faults | None = None, **emulator: object) -> Served:
        made.append(Served(line or any_line(), Emulator(**emulator), faults or Faults()))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for board in made:
        board.close()


def until(condition: Callable[[], bool], limit_s: float = 8.0) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "not reached in time"
        threading.Event().wait(0.005)


def bridge_to(address: str, machine: Mark1, **rig: object) -> Bridge:
    config = RigConfig(ports=(PortConfig(device=address, map="first"),), **rig)  # type: ignore[arg-type]
    bridge = Bridge(config, first_sources)
    bridge.start(machine)
    return bridge


def attended(bridge: Bridge, machine: Mark1, condition: Callable[[], bool]) -> None:
    def turn() -> bool:
        bridge.attend(machine)
        return condition()

    until(turn)


def tray(cards: int = 10, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    lights = (random.random((cards, 400)) < 0.3).astype(float)
    return lights, np.where(np.arange(cards) % 2, 1, -1).astype(np.int8)[:, None]


@pytest.mark.parametrize("line", [any_line, TcpLine], ids=["pty", "tcp"])
def test_a_training_is_mirrored_to_the_last_value(served: Callable[..., Served], line: Callable[[], Line]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(line(), channels=32, kind="memory")
    bridge = bridge_to(board.line.address, machine)
    try:
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        lights, targets = tray()
        machine.train(lights, targets, passes=5)
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        wanted = to_wire(machine.state().values[0, :32])
        assert np.any(wanted) and board.emulator.link.values.tolist() == wanted.tolist()
    finally:
        bridge.close()


def test_the_machine_does_the_same_with_and_without_a_rig(served: Callable[..., Served]) -> None:
    alone, watched = Mark1(SMALL, seed=1), Mark1(SMALL, seed=1)
    board = served(channels=8, kind="motors", faults=Faults(noise=0.01, reset_every_s=0.3))
    bridge = bridge_to(board.line.address, watched)
    try:
        until(lambda: bridge.views()[0].board is not None)
        lights, targets = tray()
        alone.train(lights, targets, passes=20)
        watched.train(lights, targets, passes=20)
        assert alone.save() == watched.save()
    finally:
        bridge.close()


def test_a_knob_turned_by_hand_changes_the_value_once(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=4, kind="motors")
    bridge = bridge_to(board.line.address, machine)
    told: list[object] = []
    machine.observe(told.append)
    try:
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        threading.Event().wait(0.6)
        board.emulator.plant.turn(2, 700)
        attended(bridge, machine, lambda: machine.state().values[0, 2] != 0)
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        end = time.monotonic() + 1.5
        attended(bridge, machine, lambda: time.monotonic() > end)
        sets = [fact for fact in told if type(fact).__name__ == "ValuesSet"]
        assert len(sets) == 1
        assert machine.state().values[0, 2] == pytest.approx((700 - 511) / 492 * 11e6, abs=20_000)
        assert board.emulator.plant.position[2] == 700_000 and bridge.views()[0].states[2] == 0
    finally:
        bridge.close()


def test_a_knob_turned_while_naming_is_named_and_goes_back(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=4, kind="motors")
    bridge = bridge_to(board.line.address, machine)
    bridge.naming = True
    try:
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        threading.Event().wait(0.6)
        board.emulator.plant.turn(1, 700)
        attended(bridge, machine, lambda: bridge.named == (0, 1))
        attended(bridge, machine, lambda: abs(board.emulator.plant.position[1] - 511_000) < 9_000)
        assert not machine.state().values.any()
    finally:
        bridge.close()


def test_one_machine_on_two_boards(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    boards = [served(channels=8, kind="memory"), served(TcpLine(), channels=4, kind="memory")]
    ports = (
        PortConfig(device=boards[0].line.address, map="list", sources=tuple(Source("value", n) for n in range(8))),
        PortConfig(device=boards[1].line.address, map="list", sources=(Source("value", 63), Source("lamp", 0))),
    )
    bridge = Bridge(RigConfig(ports=ports), first_sources)
    bridge.start(machine)
    try:
        lights, targets = tray()
        machine.train(lights, targets, passes=3)
        attended(bridge, machine, lambda: all(view.in_step for view in bridge.views()))
        state = machine.state()
        assert boards[0].emulator.link.values.tolist() == to_wire(state.values[0, :8]).tolist()
        lamp = 0 if state.undecided[0] else 32767 * int(state.states[0])
        assert boards[1].emulator.link.values.tolist() == [int(to_wire(state.values[0, 63])), lamp, 0, 0]
    finally:
        bridge.close()


def test_buttons_and_photocells_become_commands(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=4, kind="motors")
    bridge = bridge_to(board.line.address, machine, photocell_rows=2, photocell_columns=2)
    taken: list[str] = []
    machine.observe(lambda fact: taken.append(type(fact.command).__name__) if hasattr(fact, "command") else None)
    try:
        board.emulator.show(bytes((255, 0, 0, 255)))
        attended(bridge, machine, lambda: len(bridge.ports[0].mirror.light) == 4)
        for button in (0, 2, 1, 3):
            before = len(taken)
            board.emulator.press(button)
            attended(bridge, machine, lambda before=before: len(taken) > before)
            machine.settle()
        assert taken == ["PresentStimulus", "Teach", "Teach", "ClearRetina"]
        assert machine.state().corrections.sum() > 0
    finally:
        bridge.close()


def test_a_port_that_goes_and_returns_is_found_again(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    line = TcpLine()
    number = int(line.address.rsplit(":", 1)[1])
    first = Served(line, Emulator(channels=8, kind="memory"), Faults())
    bridge = bridge_to(line.address, machine)
    try:
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        first.close()
        until(lambda: bridge.views()[0].board is None)
        lights, targets = tray()
        machine.train(lights, targets, passes=2)
        second = served(TcpLine(number), channels=8, kind="memory")
        attended(bridge, machine, lambda: bridge.views()[0].in_step and bridge.views()[0].openings > 1)
        assert second.emulator.link.values.tolist() == to_wire(machine.state().values[0, :8]).tolist()
    finally:
        bridge.close()


def test_two_brown_outs_lower_the_motors_at_once_and_say_why(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=8, kind="motors")
    bridge = bridge_to(board.line.address, machine)
    try:
        for sessions in (1, 2):
            attended(bridge, machine, lambda sessions=sessions: bridge.views()[0].link.sessions == sessions)
            board.emulator.reset(cause=3)
        attended(bridge, machine, lambda: bridge.views()[0].in_step and bool(bridge.views()[0].notes))
        view = bridge.views()[0]
        assert view.motors_at_once == 2 and "stronger supply" in view.notes[0] and board.emulator.rig.motors == 2
    finally:
        bridge.close()


def test_a_running_host_hears_the_stop_socket(served: Callable[..., Served], tmp_path: Path) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=4, kind="motors")
    bridge = bridge_to(board.line.address, machine)
    listener = StopListener(tmp_path, bridge.stop_confirmed)
    try:
        until(lambda: bridge.views()[0].board is not None)
        assert stop_running_hosts(tmp_path) == {board.line.address: True}
        assert board.emulator.rig.stopped
    finally:
        listener.close()
        bridge.close()
    assert stop_running_hosts(tmp_path) == {}


def test_another_machine_behind_the_same_door_is_mapped_anew(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=64, kind="memory")
    bridge = bridge_to(board.line.address, machine)
    smaller = Mark1(HISTORIC.with_(association__units=16, response__in_use=1, plugboard__fan_out_limit=0), seed=2)
    smaller.train(*tray(), passes=1)
    try:
        attended(bridge, machine, lambda: bridge.views()[0].in_step)
        machine.restore(smaller.save())
        attended(bridge, machine, lambda: len(bridge.views()[0].sources) == 16 and bridge.views()[0].in_step)
        wanted = to_wire(smaller.state().values[0]).tolist()
        assert any(wanted) and board.emulator.link.values.tolist()[:16] == wanted
    finally:
        bridge.close()


def test_a_map_that_does_not_fit_the_machine_is_said_and_sends_nothing(served: Callable[..., Served]) -> None:
    machine = Mark1(SMALL, seed=1)
    board = served(channels=4, kind="memory")
    config = PortConfig(device=board.line.address, map="list", sources=(Source("value", 500),))
    bridge = Bridge(RigConfig(ports=(config,)), first_sources)
    bridge.start(machine)
    try:
        attended(bridge, machine, lambda: bool(bridge.views()[0].notes))
        assert "names A501, but this machine has 64 A-units" in bridge.views()[0].notes[0]
        assert bridge.views()[0].mirror.values_sent == 0
    finally:
        bridge.close()


def test_a_port_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(BridgeError, match=r"^There is no port /dev/nothing; plug the board in, and see '[a-z1 ]+'\.$"):
        SerialPort("/dev/nothing")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "Permission denied"), "No permission for /dev/x; join the group dialout ("),
        (OSError(16, "Device or resource busy"), "/dev/x is in use by another program; close it ("),
        (OSError(5, "Input/output error"), "/dev/x cannot be opened; check the cable and 'mark1 rig ports'."),
    ],
)
def test_why_a_port_cannot_be_opened(error: OSError, sentence: str) -> None:
    said = _why_not("/dev/x", error)
    assert said.startswith(sentence) and said.endswith(".") and "\n" not in said


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_port_is_opened_by_one_program_only(served: Callable[..., Served]) -> None:
    board = served(channels=1, kind="memory")
    port = SerialPort(board.line.address)
    try:
        with pytest.raises(BridgeError, match="in use by another program"):
            SerialPort(board.line.address)
    finally:
        port.close()


def test_map_auto_takes_channels_that_move() -> None:
    machine = Mark1(HISTORIC.with_(response__in_use=1), seed=1)
    lights, targets = tray()
    sources = auto_sources(machine, lights, targets, 16)
    assert len(set(sources)) == 16 and all(isinstance(source, Source) for source in sources)
    before = machine.state().values
    machine.train(lights, targets, passes=1)
    units = [source.unit for source in sources]
    moved = (machine.state().values != before)[0, units]
    assert moved.sum() >= 8, "at least half of the channels move in a 10-card demo"


def test_a_port_takes_fewer_turns_while_the_machine_rehearses() -> None:
    """Each turn of a port's thread holds up the machine's; see docs/decisions/bridge.md."""
    now_us = [0]
    bridge = Bridge(RigConfig(ports=(PortConfig(device="loop://"),)), first_sources)
    bridge.ports[0].clock = lambda: now_us[0]
    machine = Mark1(SMALL, seed=1)
    bridge.watch(machine)
    machine.present(np.ones(400))
    machine.settle()
    assert bridge.ports[0].pause_s() == TURN_S
    machine.rehearse(np.eye(400)[:3], np.ones((3, 1)))
    assert bridge.ports[0].pause_s() == CALM_TURN_S
    now_us[0] += CALM_US
    assert bridge.ports[0].pause_s() == TURN_S
