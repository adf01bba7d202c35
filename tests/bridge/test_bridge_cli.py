"""mark1 rig, as a person types it, against an emulated board."""

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from talk import any_line

from firmware_bridge.emulator import Emulator
from firmware_bridge.rig import load_rig
from firmware_bridge.serve import Faults, serve
from mark1.app.rig_emulate import obey
from mark1.cli import main
from mark1.savefile import load_machine


@pytest.fixture
def board(request: pytest.FixtureRequest) -> Iterator[tuple[str, Emulator]]:
    line, emulator, end = any_line(), Emulator(getattr(request, "param", 4), "motors"), threading.Event()
    thread = threading.Thread(target=serve, args=(emulator, line, Faults(), end.is_set))
    thread.start()
    yield line.address, emulator
    end.set()
    thread.join()
    line.close()


@pytest.fixture(autouse=True)
def no_other_hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mark1.app.rig.runtime_folder", lambda: tmp_path / "run")


def test_probe_names_the_board(board: tuple[str, Emulator], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rig", "probe", board[0]]) == 0
    assert "emulator motors: 4 channels, protocol 1; measures positions, calibrates" in capsys.readouterr().out


def test_jog_moves_one_channel_and_leaves_the_others(
    board: tuple[str, Emulator], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rig", "jog", board[0], "1", "5.5"]) == 0
    assert main(["rig", "jog", board[0], "3", "-2"]) == 0
    assert board[1].link.values.tolist() == [0, 16384, 0, -5958]
    assert capsys.readouterr().out.splitlines()[-1] == "channel 3 is at -2 V, resting"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["jog", "PORT", "9", "1"], 2, "Channel 9 does not exist; this board has channels 0 to 3."),
        (["jog", "PORT", "0", "12"], 2, "12 volts is beyond the stops; give a value from -11 to 11."),
        (["probe", "/dev/nothing", "--seconds", "0.1"], 1, "There is no port /dev/nothing; plug the board in, "),
        (["mirror", "absent.mark1", "PORT"], 2, "absent.mark1 does not exist; check the name."),
        (["machine", "x.mark1", "--channels", "1"], 2, "1 channels cannot be a whole machine; "),
        (["stop"], 2, "No mark1 with a rig is running; name the port: 'mark1 rig stop PORT'."),
    ],
)
def test_a_mistake_is_one_sentence(
    board: tuple[str, Emulator], words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rig", *(board[0] if word == "PORT" else word for word in words)]) == code
    said = capsys.readouterr().err
    assert said.startswith(f"mark1: {sentence}") and said.count("\n") == 1 and said.endswith(".\n")


def test_a_silent_board_is_named_with_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    line = any_line()
    try:
        assert main(["rig", "probe", line.address, "--seconds", "0.5"]) == 1
        assert "Nothing answered on" in (said := capsys.readouterr().err) and "flash the sketch" in said
    finally:
        line.close()


def test_a_machine_for_the_rig_is_made_and_mirrored(
    board: tuple[str, Emulator], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rig.mark1"
    assert main(["rig", "machine", str(file), "--channels", "4", "--cards", "halves"]) == 0
    machine = load_machine(file)
    assert machine.state().values.shape == (1, 4)
    assert main(["rig", "mirror", str(file), board[0], "--once"]) == 0
    assert "in step" in capsys.readouterr().out


def test_calibrate_writes_a_rig_file_that_loads(
    board: tuple[str, Emulator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rig.toml"
    monkeypatch.setattr(sys, "stdin", io.StringIO("100\n\n500\n+\n\n900\n\ns\nq\n"))
    assert main(["rig", "calibrate", board[0], "--file", str(file)]) == 0
    assert load_rig(file).ports[0].calibration == {0: (100, 510, 900)}


@pytest.mark.parametrize("board", [1], indirect=True)
def test_calibrate_finds_the_stops_of_measuring_channels(board: tuple[str, Emulator], tmp_path: Path) -> None:
    file = tmp_path / "rig.toml"
    board[1].plant.speed = 4000
    assert main(["rig", "calibrate", board[0], "--file", str(file), "--find-stops"]) == 0
    found = load_rig(file).ports[0].calibration
    assert len(found) == 1 and all(low < 60 and high > 960 for low, _, high in found.values())


def test_stop_reaches_a_board_that_no_host_holds(board: tuple[str, Emulator]) -> None:
    assert main(["rig", "stop", board[0]]) == 0
    assert board[1].rig.stopped


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_emulate_prints_the_port_to_open() -> None:
    words = [sys.executable, "-m", "mark1", "rig", "emulate", "--seconds", "6", "--channels", "8"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        match = re.match(r"open (/dev/\S+)", process.stdout.readline())
        assert match is not None
        assert main(["rig", "jog", match[1], "7", "1"]) == 0
        process.terminate()


def test_the_sketch_is_copied_for_the_arduino_ide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rig", "sketch", str(tmp_path)]) == 0
    assert (tmp_path / "mark1_rig/mark1_rig.ino").exists() and (tmp_path / "mark1_rig/mark1_link.h").exists()
    assert (tmp_path / "micropython/main.py").exists() and (tmp_path / "micropython/mark1_rig/link.py").exists()
    assert main(["rig", "sketch", str(tmp_path)]) == 2
    assert "exists already; name another folder." in capsys.readouterr().err


def test_typed_words_are_hands_buttons_and_faults() -> None:
    emulator = Emulator(4, "motors")
    assert obey(emulator, "turn 2 700\n") == "done: turn 2 700" and emulator.plant.position[2] == 700_000
    assert obey(emulator, "jam 1").startswith("done") and emulator.plant.jammed == {1}
    assert obey(emulator, "brownout").startswith("done") and emulator.link.cause == 3
    for wrong in ("turn 9 1", "turn 1 2000", "press nothing", "hop", ""):
        assert "is not understood; words: turn CHANNEL" in obey(emulator, wrong)
