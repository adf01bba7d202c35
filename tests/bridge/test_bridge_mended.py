"""What a reviewer with fresh eyes broke in the verbs of mark1 rig, and must never break again."""

import io
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from test_bridge_cli import board, no_other_hosts  # noqa: F401

from firmware_bridge.emulator import Emulator
from firmware_bridge.host import Bridge
from firmware_bridge.link import Board as Said
from firmware_bridge.porthost import AUTO_PATIENCE_US, BROWN_OUTS_WITHIN_US, PortHost
from firmware_bridge.rig import PortConfig, RigConfig, Source, auto_sources, load_rig, rig_from, rig_text
from firmware_bridge.stopping import StopListener
from mark1 import HISTORIC, Mark1
from mark1.cli import main
from mark1.commands import ReportPotentiometer
from mark1.errors import BridgeError, ConfigError
from mark1.savefile import save_machine

Board = tuple[str, Emulator]


def small(units: int = 4) -> Mark1:
    return Mark1(HISTORIC.with_(association__units=units, response__in_use=1, plugboard__fan_out_limit=0), seed=1)


def test_stop_reaches_the_port_even_if_another_host_runs(board: Board, tmp_path: Path) -> None:  # noqa: F811
    """A host with no board must not be taken for the one that was meant."""
    idle = Bridge(RigConfig(ports=(PortConfig(device="/dev/nothing"),)), lambda machine, channels: ())
    idle.start(small())
    listener = StopListener(tmp_path / "run", lambda: idle.stop_confirmed(0.1))
    try:
        assert main(["rig", "stop", board[0]]) == 1, "one board of the two did not confirm"
        assert board[1].rig.stopped
    finally:
        listener.close()
        idle.close()


def test_stop_on_a_port_that_is_not_there_says_so_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    assert main(["rig", "stop", "/dev/nothing"]) == 1
    assert "There is no port /dev/nothing" in capsys.readouterr().err
    assert time.monotonic() - began < 5


def test_mirror_once_waits_for_the_motors_and_names_one_that_is_stuck(
    board: Board,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine, file = small(), tmp_path / "m.mark1"
    for unit in range(4):
        machine.submit(ReportPotentiometer(unit, 8_000_000))
    save_machine(file, machine)
    assert main(["rig", "mirror", str(file), board[0], "--once"]) == 0
    assert all(abs(board[1].plant.position[c] // 1000 - 869) < 10 for c in range(4)), "they are there, not on their way"
    board[1].plant.jammed.add(2)
    machine.submit(ReportPotentiometer(2, -8_000_000))
    save_machine(file, machine)
    capsys.readouterr()
    assert main(["rig", "mirror", str(file), board[0], "--once"]) == 1
    assert "channel 2 stalled" in capsys.readouterr().err


def test_a_training_says_that_its_rig_is_stuck(
    board: Board,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    board[1].plant.jammed.update(range(4))
    main(["train", "e-x", "--out", str(tmp_path / "m.mark1"), "--rig", board[0]])
    said = capsys.readouterr().err
    assert "does not show every value" in said and "stalled" in said
    assert "The rig shows the last values" not in said


def test_a_jog_that_did_not_arrive_is_no_success(board: Board, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    board[1].plant.jammed.add(3)
    assert main(["rig", "jog", board[0], "3", "-5.5"]) == 1
    assert "Channel 3 did not come to -5.5 V: it is stalled." in capsys.readouterr().err


def test_a_jog_after_a_reset_leaves_the_other_knobs_where_they_stand(board: Board) -> None:  # noqa: F811
    """Opening the port of an Uno resets it: its values are 0, its knobs are not in the middle."""
    board[1].plant.position[:3] = [900_000] * 3
    assert main(["rig", "jog", board[0], "3", "1"]) == 0
    assert all(abs(board[1].plant.position[c] // 1000 - 900) < 12 for c in range(3))


def test_calibrate_keeps_what_is_in_the_rig_file(
    board: Board,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "rig.toml"
    channels = [{"source": "A7"}, {"source": "A9", "ends": [30, 500, 990]}]
    rig = rig_from({"name": 'my "rig"', "port": [{"device": board[0], "motors_at_once": 2, "channel": channels}]})
    file.write_text(rig_text(rig), encoding="utf-8")
    before = file.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["rig", "calibrate", board[0], "--file", str(file)]) == 1
    assert file.read_bytes() == before, "nothing was found, nothing is written"
    monkeypatch.setattr(sys, "stdin", io.StringIO("100\n\n500\n\n900\n\nq\n"))
    assert main(["rig", "calibrate", board[0], "--file", str(file)]) == 0
    kept = load_rig(file)
    assert (kept.name, kept.ports[0].limits.motors_at_once, str(kept.ports[0].sources[1])) == ('my "rig"', 2, "A9")
    assert kept.ports[0].calibration == {0: (100, 500, 900), 1: (30, 500, 990)}


def test_a_kept_rig_loads_again_whatever_its_names_and_channels_are() -> None:
    port = PortConfig(device="\\\\.\\COM10", map="list", sources=(Source("value", 3),), calibration={5: (1, 2, 3)})
    rig = RigConfig(name='a "quoted" rig', ports=(port,))
    assert rig_from(tomllib.loads(rig_text(rig))) == rig


@pytest.mark.parametrize(
    "data", [{"port": [1]}, {"port": [{"channel": 5}]}, {"port": [{"channel": [{"source": "A00"}]}]}]
)
def test_a_malformed_rig_is_one_sentence(data: dict) -> None:
    with pytest.raises(ConfigError):
        rig_from(data)


def test_map_first_is_first_whatever_moves_most(board: Board) -> None:  # noqa: F811
    machine = small(16)
    lights, targets = (np.random.default_rng(1).random((6, 400)) < 0.3).astype(float), np.ones((6, 1))
    choose = lambda machine, channels: auto_sources(machine, lights, targets, channels)  # noqa: E731
    bridge = Bridge(RigConfig(ports=(PortConfig(device=board[0], map="first"),)), choose)
    bridge.start(machine)
    try:
        end = time.monotonic() + 10
        while bridge.ports[0].map is None and time.monotonic() < end:
            bridge.attend(machine)
            time.sleep(0.01)
        assert [str(source) for source in bridge.ports[0].map.sources] == ["A1", "A2", "A3", "A4"]
    finally:
        bridge.close()


class Silent:
    """A port on which nobody answers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


def test_auto_leaves_a_silent_port_also_after_a_good_session() -> None:
    now_us = [0]
    host = PortHost(PortConfig(), clock=lambda: now_us[0])
    host.link.statistics.frames_received = 500  # of the session before the board was unplugged
    port = Silent("/dev/ttyS0")
    host._opened_us, host._heard_before = 0, 500
    host.turn(port)
    now_us[0] = AUTO_PATIENCE_US + 1
    with pytest.raises(BridgeError, match="the next port is tried"):
        host.turn(port)


def test_auto_tries_the_last_good_port_every_other_time() -> None:
    host = PortHost(PortConfig())
    host._good = "/dev/ttyACM0"
    assert [host._where().device for _ in range(4)] == ["/dev/ttyACM0", "auto", "/dev/ttyACM0", "auto"]


def test_a_handler_that_fails_in_its_own_way_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def opener(config: PortConfig):
        raise re_error

    re_error = RuntimeError("missing ), unterminated subpattern")
    host = PortHost(PortConfig(device="hwgrep://("), opener)
    host.start()
    try:
        end = time.monotonic() + 5
        while not host.refused and time.monotonic() < end:
            time.sleep(0.01)
        assert "cannot be opened" in host.trouble
    finally:
        host.close()


def test_power_cuts_over_months_are_no_weak_supply(board: Board) -> None:  # noqa: F811
    now_us = [0]
    host = PortHost(PortConfig(), clock=lambda: now_us[0])
    host.link.board = Said("x", 4, 64, 32, 4, 4, 0, 3, 1, 1)
    for month in range(12):
        now_us[0] += BROWN_OUTS_WITHIN_US + month
        host.link.statistics.sessions += 1
        host._watch_boots(3)
    assert not host.notes
