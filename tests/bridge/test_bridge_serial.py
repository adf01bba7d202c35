"""The whole way: machine, host threads, pyserial, a pty, the compiled sketch in simavr paced to real time."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import toolchain

from firmware_bridge.host import Bridge
from firmware_bridge.messages import to_wire
from firmware_bridge.rig import PortConfig, RigConfig, first_sources
from mark1 import HISTORIC, Mark1
from mark1.savefile import save_machine

pytestmark = pytest.mark.firmware
FIVE = HISTORIC.with_(response__in_use=5)
LONG = 200_000
CHUNK = 400


class Runner:
    """A board behind a pty."""

    def __init__(self, elf: Path, board: str, paced: bool = True, boot: Path | None = None) -> None:
        words = [toolchain.runner_program(), toolchain.BOARDS[board][0], elf, "paced" if paced else "free"]
        self.process = subprocess.Popen(
            [str(word) for word in [*words, *([boot] if boot else [])]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().decode().strip()
        assert self.address.startswith("/dev/"), "the runner did not start"

    def reset(self) -> None:
        os.kill(self.process.pid, signal.SIGUSR1)

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


@pytest.fixture
def run_board() -> Iterator[Callable[..., Runner]]:
    toolchain.need()
    made: list[Runner] = []

    def make(board: str, backend: str, channels: int, boot: Path | None = None, **defines: object) -> Runner:
        made.append(Runner(toolchain.sketch(board, backend, channels, **defines), board, boot=boot))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


def unlearnable_tray() -> tuple[np.ndarray, np.ndarray]:
    """26 cards in 5 responses, and four of them again with the opposite answer: the motors never rest for long."""
    random = np.random.default_rng(3)
    lights = (random.random((26, 400)) < 0.3).astype(float)
    targets = np.where(random.random((26, 5)) < 0.5, 1, -1).astype(np.int8)
    return np.vstack([lights, lights[:4]]), np.vstack([targets, -targets[:4]])


def long_training(machine: Mark1, each: Callable[[], None]) -> float:
    """Rehearses in chunks, as the panel does at full speed; gives the CPU seconds of this thread."""
    lights, targets = unlearnable_tray()
    start = time.thread_time()
    machine.rehearse(lights, targets, passes=0, max_presentations=CHUNK, engine="numpy")
    while machine.presentations < LONG:
        machine.rehearse(max_presentations=CHUNK, engine="numpy")
        each()
    return time.thread_time() - start


def wait_in_step(bridge: Bridge, machine: Mark1, limit_s: float = 20.0) -> float:
    start = time.monotonic()
    while not bridge.ports[0].in_step:
        bridge.attend(machine)
        assert time.monotonic() < start + limit_s, bridge.views()[0]
        threading.Event().wait(0.01)
    return time.monotonic() - start


def reset_and_wait(runner: Runner, bridge: Bridge, machine: Mark1) -> float:
    start, sessions = time.monotonic(), bridge.views()[0].link.sessions
    runner.reset()
    while bridge.views()[0].link.sessions == sessions:
        assert time.monotonic() < start + 20
        threading.Event().wait(0.01)
    wait_in_step(bridge, machine)
    return time.monotonic() - start


def read_back(bridge: Bridge) -> list[int]:
    mirror = bridge.ports[0].mirror
    bridge.ports[0].order(mirror.ask_read_back)
    end = time.monotonic() + 10
    while mirror.read_back is None:
        assert time.monotonic() < end
        threading.Event().wait(0.01)
    return list(mirror.read_back)


def bridge_to(runner: Runner, machine: Mark1, baud: int = 115_200) -> Bridge:
    bridge = Bridge(RigConfig(ports=(PortConfig(device=runner.address, baud=baud),)), first_sources)
    bridge.start(machine)
    return bridge


@pytest.mark.parametrize(("board", "baud"), [("uno", 115_200), ("uno", 500_000), ("mega", 115_200), ("mega", 500_000)])
def test_a_long_training_is_mirrored_while_it_runs(run_board: Callable[..., Runner], board: str, baud: int) -> None:
    runner = run_board(board, "none", 512, BAUD=baud)
    mirrored = mirrored_training(runner, baud, board)
    assert mirrored > 0


def mirrored_training(runner: Runner, baud: int, name: str) -> float:
    """CPU seconds of the machine's thread; everything is equal at the end."""
    machine = Mark1(FIVE, seed=1)
    bridge = bridge_to(runner, machine, baud)
    try:
        wait_in_step(bridge, machine)
        before = bridge.views()[0].mirror.values_sent
        seconds = long_training(machine, lambda: bridge.attend(machine))
        during = bridge.views()[0].mirror.values_sent - before
        took = wait_in_step(bridge, machine)
        assert during > 512, "values went out while the machine was learning"
        assert read_back(bridge) == to_wire(machine.state().values[0]).tolist()
        print(f"{name} {baud}: {LONG:,} presentations, {during} values sent meanwhile, equal {took:.2f} s later")
        return seconds
    finally:
        bridge.close()


@pytest.mark.quiet
def test_mirroring_costs_the_machine_at_most_a_twentieth(run_board: Callable[..., Runner]) -> None:
    runner = run_board("uno", "none", 512)
    alone, mirrored = [], []
    for turn in range(8):  # in turn, and the best of each: other programs run on this computer too, and only add
        alone.append(long_training(Mark1(FIVE, seed=1), lambda: None))
        mirrored.append(mirrored_training(runner, 115_200, "uno"))
        if turn and min(mirrored) <= 1.05 * min(alone):
            break
    more = min(mirrored) / min(alone) - 1
    print(f"machine thread: {min(alone):.2f} s alone, {min(mirrored):.2f} s mirrored, {more:+.1%}")
    assert min(mirrored) <= 1.05 * min(alone)


def test_a_board_reset_in_the_middle_catches_up(run_board: Callable[..., Runner]) -> None:
    runner = run_board("uno", "none", 64)
    machine = Mark1(FIVE, seed=1)
    bridge = bridge_to(runner, machine)
    try:
        wait_in_step(bridge, machine)
        machine.rehearse(*unlearnable_tray(), passes=0, max_presentations=1000, engine="numpy")
        bridge.attend(machine)
        took = reset_and_wait(runner, bridge, machine)
        assert read_back(bridge) == to_wire(machine.state().values[0, :64]).tolist()
        print(f"all restored {took:.2f} s after the reset")
    finally:
        bridge.close()


def test_a_host_that_is_killed_and_started_again_finds_the_board(run_board: Callable[..., Runner]) -> None:
    runner = run_board("uno", "none", 64)
    machine = Mark1(FIVE, seed=1)
    first = bridge_to(runner, machine)
    wait_in_step(first, machine)
    first.close()
    machine.rehearse(*unlearnable_tray(), passes=0, max_presentations=1000, engine="numpy")
    second = bridge_to(runner, machine)
    try:
        took = wait_in_step(second, machine)
        assert read_back(second) == to_wire(machine.state().values[0, :64]).tolist()
        print(f"the new host was in step after {took:.2f} s")
    finally:
        second.close()


def test_a_host_killed_at_once_leaves_a_board_that_the_next_host_puts_right(
    run_board: Callable[..., Runner], tmp_path: Path
) -> None:
    runner = run_board("uno", "none", 64)
    file = tmp_path / "machine.mark1"
    machine = Mark1(FIVE, seed=1)
    machine.rehearse(*unlearnable_tray(), passes=0, max_presentations=1000, engine="numpy")
    save_machine(file, machine)
    words = [sys.executable, "-m", "mark1", "rig", "mirror", str(file), runner.address]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        assert any("Uno none" in line for line in iter(killed.stdout.readline, ""))
        killed.kill()
    bridge = bridge_to(runner, machine)
    try:
        took = wait_in_step(bridge, machine)
        assert read_back(bridge) == to_wire(machine.state().values[0, :64]).tolist()
        print(f"after a kill -9 the next host was in step in {took:.2f} s")
    finally:
        bridge.close()


def test_a_port_that_is_gone_and_back_is_found(run_board: Callable[..., Runner], tmp_path: Path) -> None:
    first = run_board("uno", "none", 64)
    device = tmp_path / "ttyACM0"
    device.symlink_to(first.address)
    machine = Mark1(FIVE, seed=1)
    bridge = Bridge(RigConfig(ports=(PortConfig(device=str(device)),)), first_sources)
    bridge.start(machine)
    try:
        wait_in_step(bridge, machine)
        first.process.kill()
        device.unlink()
        while bridge.ports[0].in_step:
            threading.Event().wait(0.01)
        machine.rehearse(*unlearnable_tray(), passes=0, max_presentations=1000, engine="numpy")
        second = run_board("uno", "none", 64)
        device.symlink_to(second.address)
        took = wait_in_step(bridge, machine)
        assert bridge.views()[0].openings == 2
        assert read_back(bridge) == to_wire(machine.state().values[0, :64]).tolist()
        print(f"in step {took:.2f} s after the port was back")
    finally:
        bridge.close()


def test_a_bootloader_in_front_costs_its_own_time_only(run_board: Callable[..., Runner]) -> None:
    runner = run_board("uno", "none", 64, boot=toolchain.bootloader("optiboot"))
    machine = Mark1(FIVE, seed=1)
    bridge = bridge_to(runner, machine)
    try:
        wait_in_step(bridge, machine)
        took = reset_and_wait(runner, bridge, machine)
        print(f"in step {took:.2f} s after a reset with Optiboot in front")
    finally:
        bridge.close()
