"""--rig for the panel and for training, as a person types it; every failure is one sentence with its cure."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pytest
from talk import any_line

from firmware_bridge.emulator import Emulator
from firmware_bridge.messages import to_wire
from firmware_bridge.port import SerialPort
from firmware_bridge.serve import Faults, serve
from mark1.app import rig_train
from mark1.cli import main
from mark1.panel.rig import RigWatch
from mark1.savefile import load_machine

CURES = {
    "permission": "No permission for PORT; join the group dialout ('sudo usermod -aG dialout $USER') and log in again.",
    "busy": "PORT is in use by another program; close it (a serial monitor, another mark1) and try again.",
    "absent": "There is no port PORT; plug the board in, and see 'mark1 rig ports'.",
    "silent": "Nothing answered on PORT; flash the sketch that 'mark1 rig sketch' gives, or give its baud rate "
    "(--baud of 'mark1 rig', or baud in a rig file).",
    "old sketch": "The sketch on 'emulator motors' speaks another protocol version; flash the sketch that 'mark1 rig "
    "sketch' gives.",
    "wrong table": "The sketch on 'emulator motors' has another message table; flash the sketch that 'mark1 rig "
    "sketch' gives.",
}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mark1.app.rig.runtime_folder", lambda: tmp_path / "run")
    monkeypatch.setattr(rig_train, "PATIENCE_S", 0.3)


@pytest.fixture
def board() -> Iterator[tuple[str, Emulator]]:
    line, emulator, end = any_line(), Emulator(8, "memory"), threading.Event()
    thread = threading.Thread(target=serve, args=(emulator, line, Faults(), end.is_set))
    thread.start()
    yield line.address, emulator
    end.set()
    thread.join()
    line.close()


@pytest.fixture
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Makes a port that fails in one way; gives its name."""
    undo: list[Callable[[], None]] = []

    def make(how: str) -> str:
        if how == "absent":
            return "/dev/nothing"
        line, end = any_line(), threading.Event()
        undo.append(line.close)
        if how == "permission":

            def refuse(*_: object, **__: object) -> None:
                raise PermissionError(13, "Permission denied")

            monkeypatch.setattr("firmware_bridge.port.serial.serial_for_url", refuse)
        elif how == "busy":
            undo.insert(0, SerialPort(line.address).close)
        elif how == "silent":
            monkeypatch.setattr("firmware_bridge.porthost.SILENT_US", 200_000)
        else:
            name = "firmware_bridge.link.table_hash" if how == "wrong table" else "firmware_bridge.link.PROTOCOL_MAX"
            monkeypatch.setattr(name, (lambda: 1) if how == "wrong table" else 0)
            monkeypatch.setattr("firmware_bridge.link.PROTOCOL_MIN", 0 if how == "old sketch" else 1)
            thread = threading.Thread(target=serve, args=(Emulator(4), line, Faults(), end.is_set))
            thread.start()
            undo[0:0] = [end.set, thread.join]
        return line.address

    yield make
    for each in undo:
        each()


def posix_only(how: str) -> object:
    return pytest.param(how, marks=pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal"))


EVERY = [how if how == "absent" else posix_only(how) for how in CURES]


@pytest.mark.parametrize("how", EVERY)
def test_training_goes_on_and_says_one_sentence(
    how: str,
    broken: Callable[[str], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port, file = broken(how), tmp_path / "m.mark1"
    monkeypatch.setattr(rig_train, "CATCH_UP_S", 0.5)
    assert main(["train", "e-x", "--passes", "2", "--out", str(file), "--rig", port, "--json"]) == 1
    assert load_machine(file).presentations == 80
    told = [line for line in capsys.readouterr().err.splitlines() if "Waiting for the rig" not in line]
    assert told == [f"mark1: {CURES[how].replace('PORT', port)}"]


@pytest.mark.parametrize("how", EVERY)
def test_the_panel_opens_and_says_one_sentence(
    how: str, broken: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, told = broken(how), []
    news = RigWatch.news

    def listen(watch: RigWatch, words: object) -> str:
        told.append(text := news(watch, words))
        return text

    monkeypatch.setattr(RigWatch, "news", listen)
    words = ["--rig", port, "--frames", "40", "--mute", "--window", "640x360", "--folder", str(tmp_path)]
    assert main(words) == 0
    assert [text for text in told if text] == [CURES[how].replace("PORT", port)]


def test_a_training_is_mirrored_to_its_last_value(
    board: tuple[str, Emulator], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mark1"
    rig = tmp_path / "rig.toml"
    rig.write_text(f'[[port]]\ndevice = "{board[0]}"\nmap = "list"\n' + "".join(
        f'[[port.channel]]\nsource = "A{n}"\n' for n in range(1, 9)), encoding="utf-8")  # fmt: skip
    assert main(["train", "e-x", "--out", str(file), "--rig", str(rig)]) == 0
    assert "mark1: The rig shows the last values." in capsys.readouterr().err
    shown = board[1].link.values.tolist()
    assert shown == to_wire(load_machine(file).state().values[0, :8]).tolist() and any(shown)


def test_a_board_that_answers_in_mid_training_gets_units_that_move(board: tuple[str, Emulator], tmp_path: Path) -> None:
    assert main(["train", "e-x", "--out", str(tmp_path / "m.mark1"), "--rig", board[0]]) == 0
    assert sum(value != 0 for value in board[1].link.values) >= 6


def test_a_wrong_rig_file_stops_before_anything_is_trained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rig", str(tmp_path / "no.toml")]
    assert main(["train", "e-x", "--out", str(tmp_path / "m.mark1"), *words]) == 2
    assert main([*words, "--frames", "1", "--mute", "--folder", str(tmp_path)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2 and all("'mark1 rig calibrate' writes one." in line for line in told)
    assert not (tmp_path / "m.mark1").exists()


def test_the_machine_of_a_rig_opens_without_cards_of_its_own(board: tuple[str, Emulator], tmp_path: Path) -> None:
    file = tmp_path / "demo.mark1"
    assert main(["rig", "machine", str(file), "--channels", "8", "--cards", "halves"]) == 0
    words = ["--machine", str(file), "--rig", board[0], "--frames", "3", "--mute", "--window", "640x360"]
    assert main([*words, "--folder", str(tmp_path)]) == 0
