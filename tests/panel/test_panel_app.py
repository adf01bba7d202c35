"""mark1 run as a command: options, refusals, files, the first frame, the display self-test."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mark1.app import panel_parts as parts
from mark1.app.machinefile import replayed
from mark1.cli import main
from mark1.panel import window
from mark1.panel.cards import SIDE

ROOT = Path(__file__).parents[2]
# Without the first name, every start would compile the program anew, as no installed one does.
KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
HIDDEN = {**KEPT, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYTHONPATH": str(ROOT)}


def without_display() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def test_the_panel_opens_and_closes(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    words = ["run", "--frames", "3", "--mute", "--window", "640x360", "--folder", str(tmp_path)]
    assert main([*words, "--journal", str(journal)]) == 0
    assert '"AssignCodes"' in journal.read_text(encoding="utf-8")


def test_a_kiosk_that_starts_again_keeps_its_earlier_journal(tmp_path: Path, capsys: Any) -> None:
    journal, second = tmp_path / "journal.jsonl", tmp_path / "journal.2.jsonl"
    words = ["run", "--frames", "2", "--mute", "--window", "640x360", "--folder", str(tmp_path), "--journal", journal]
    main([str(word) for word in words])
    first = journal.read_bytes()
    main([str(word) for word in words])
    assert journal.read_bytes() == first
    assert f"this session's journal is {second}" in capsys.readouterr().err
    assert replayed(second).state().codebook.names == tuple("ABCDEFGH")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--window", "big"], "WIDTHxHEIGHT"),
        (["--window", "10x10"], "from 320x240"),
        (["--classes", "AA"], "different letters"),
        (["--cards", "nowhere"], "neither a folder"),
        (["--cards", "e-x", "--classes", "EQ"], "has no class"),
        (["--machine", "/no/such/file.mark1"], "does not exist"),
        (["--speed", "warp"], "invalid choice"),
    ],
)
def test_wrong_words_are_one_sentence_and_code_2(words: list[str], part: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["run", "--frames", "1", "--mute", "--folder", str(tmp_path), *words]) == 2
    told = capsys.readouterr().err.strip()
    assert part in told and told.endswith(".") and "Traceback" not in told


@pytest.mark.skipif(sys.platform != "linux", reason="needs a way to have no display")
def test_without_a_display_it_says_what_to_do() -> None:
    done = subprocess.run([sys.executable, "-m", "mark1"], env=without_display(), capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("mark1: ") and "mark1 demo" in last and "Traceback" not in done.stderr


def test_the_panel_prints_nothing(tmp_path: Path) -> None:
    words = ["-m", "mark1", "run", "--frames", "1", "--mute", "--window", "640x360", "--folder", str(tmp_path)]
    environment = {k: v for k, v in HIDDEN.items() if k != "PYGAME_HIDE_SUPPORT_PROMPT"}
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_the_wrong_pygame_is_told_how_to_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    monkeypatch.setattr(pygame, "IS_CE", False)
    with pytest.raises(window.DisplayError, match="pip uninstall pygame"):
        window.load_pygame()


def test_no_sound_device_is_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    from mark1.panel import sound

    def refuse(*_: object) -> None:
        raise pygame.error("no audio device")

    monkeypatch.setattr(pygame.mixer, "init", refuse)
    voice, told = sound.open_speaker()
    assert isinstance(voice, sound.Silence) and told == "no audio device"


def test_sound_is_made_of_numbers_and_the_hum_joins_itself() -> None:
    from mark1.panel import sound

    hum = sound.hum_wave().astype(int)
    assert abs(hum[0] - hum[-1]) < 1500 and np.abs(hum).max() < 32_000
    assert np.abs(sound.click_wave().astype(int)).max() > 2_000


def test_save_open_and_export(sit: Any, tmp_path: Path) -> None:
    person = sit()
    person.desk.services = parts.services(tmp_path, person.machine, None)
    person.learn()
    values = person.machine.state().values.copy()
    person.key(ord("s"), "s")
    assert (tmp_path / "seed-1960-001.mark1").exists()
    person.key(ord("z"), "z")
    assert not person.machine.state().values.any()
    person.key(ord("o"), "o")
    person.touch("files.0")
    assert (person.machine.state().values == values).all()
    person.key(ord("e"), "e")
    with Image.open(tmp_path / "panel-001.png") as picture:
        assert picture.size == (1280, 720)
    lines = (tmp_path / "panel-001.values.csv").read_text(encoding="utf-8").splitlines()
    assert [int(line.split(",")[2]) for line in lines[1:]] == values[0].astype(int).tolist()
    with Image.open(tmp_path / "panel-001.chart.png") as picture:
        assert picture.size[0] < 400
    training = (tmp_path / "panel-001.training.csv").read_text(encoding="utf-8").splitlines()
    assert len(training) == 1 + person.machine.state().training.passes_done


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_to_nowhere_does_not_keep_the_others_from_being_opened(sit: Any, tmp_path: Path) -> None:
    person = sit()
    person.desk.services = parts.services(tmp_path, person.machine, None)
    person.key(ord("s"), "s")
    (tmp_path / "gone.mark1").symlink_to(tmp_path / "nowhere")
    person.key(ord("o"), "o")
    assert person.panel.page.names == ["seed-1960-001.mark1"]


def test_an_export_that_fails_leaves_no_file(sit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = sit()
    person.desk.services = parts.services(tmp_path, person.machine, None)
    real, written = os.fsync, []

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 3:  # the first file and its folder are on the disk already
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    person.key(ord("e"), "e")
    assert "No space left on device" in person.desk.message
    assert list(tmp_path.iterdir()) == []


def test_a_dropped_picture_becomes_a_card(sit: Any, tmp_path: Path) -> None:
    import pygame

    dark = np.full((300, 200), 255, np.uint8)
    dark[40:260, 80:120] = 0
    Image.fromarray(dark).save(tmp_path / "I.png")
    person = sit()
    person.desk.services = parts.services(tmp_path, person.machine, None)
    person.panel.handle(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "I.png")))
    assert person.desk.easel.card.picture.shape == (SIDE, SIDE)
    assert 0 < person.desk.easel.card.light.sum() < 100
    (tmp_path / "bad.png").write_text("no picture")
    person.panel.handle(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "bad.png")))
    assert "bad.png" in person.desk.message


def test_the_display_self_test_has_its_keys(capsys: Any) -> None:
    assert main(["run", "--selftest-display", "--json", "--window", "640x360"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["p95_ms"] > 0 and result["ratio_to_naive"] > 0
    assert (result["HISTORIC"]["dials"], result["EXPANDED"]["dials"]) == (512, 4096)


@pytest.mark.quiet
def test_dials_are_cheap_at_1080p() -> None:
    words = [sys.executable, "-m", "mark1", "run", "--selftest-display", "--json", "--window", "1920x1080"]
    result = json.loads(subprocess.run(words, env=HIDDEN, capture_output=True, text=True, check=True).stdout)
    assert result["ratio_to_naive"] >= 4
    assert result["p95_ms"] < 8


@pytest.mark.quiet
def test_the_first_frame_comes_soon() -> None:
    """Both are measured in turn, and the quickest of each counts, because other work on the computer disturbs both."""

    def seconds(*words: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, *words], env=HIDDEN, capture_output=True, check=True)
        return time.perf_counter() - began

    panel = ("-m", "mark1", "run", "--frames", "1", "--mute", "--window", "1920x1080")
    rounds = [(seconds("-c", "import numpy, pygame, PIL.Image"), seconds(*panel)) for _ in range(12)]
    libraries, frame = (min(times) for times in zip(*rounds, strict=True))
    assert frame <= 3 * libraries, f"{frame:.3f} s, {frame / libraries:.2f} x the libraries' {libraries:.3f} s"


def test_a_rig_comes_into_step_while_the_panel_runs(sit: Any, tmp_path: Path) -> None:
    """A rig in software behind a socket; the panel's frames are all that drives it."""
    import threading

    from firmware_bridge.emulator import Emulator
    from firmware_bridge.serve import Faults, TcpLine, serve

    line, ended = TcpLine(), threading.Event()
    board = threading.Thread(target=serve, args=(Emulator(16, "motors"), line, Faults(), ended.is_set))
    board.start()
    person = sit()
    try:
        with parts.rig(line.address, person.desk, tmp_path):
            end = time.monotonic() + 10
            while not person.desk.rig.well and time.monotonic() < end:
                person.look()
                threading.Event().wait(0.01)
            assert person.desk.rig.line(person.desk.words) == "rig: 16 of 16 in step"
    finally:
        ended.set()
        board.join()
        line.close()
