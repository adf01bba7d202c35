"""Where things are read and written: no input is overwritten, no journal lost, and what cannot be written is said."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mark1 import Mark1, cli
from mark1.app import machinefile, writing
from mark1.commands import SetNote
from mark1.savefile import load_machine

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path.cwd()), "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture
def here(bars_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a machine, a link to it, its journal, a table and two pictures."""
    if os.name != "posix":
        pytest.skip("links and pipes")
    monkeypatch.chdir(tmp_path)
    shutil.copy(bars_machine, "m.mark1")
    Path("link.mark1").symlink_to("m.mark1")
    os.mkfifo("pipe")  # what is no ordinary file; never a real device: a broken guard would replace it
    with machinefile.journal_of(Mark1(), Path("j.txt")):
        pass
    assert cli.main(["csv", "m.mark1", "--export-values", "v.csv"]) == 0
    for name in ("lying", "standing"):
        (tmp_path / "pics" / name).mkdir(parents=True)
    shutil.copy(writing.__file__, "pics/notes.txt")
    root = Path(ENVIRONMENT["PYTHONPATH"]) / "images" / "bars"
    shutil.copy(root / "horizontal" / "horizontal-05.png", "pics/lying/1.png")
    shutil.copy(root / "vertical" / "vertical-05.png", "pics/standing/1.png")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize(
    "words",
    [
        "csv m.mark1 --export-values m.mark1",
        "csv m.mark1 --export-values link.mark1",
        "csv m.mark1 --export-values s.csv --export-plugboard ./s.csv",
        "csv m.mark1 --import-values v.csv --out v.csv",
        "csv m.mark1 --import-values v.csv --out new.mark1 --export-values v.csv",
        "show m.mark1 --picture link.mark1",
        "replay j.txt --out j.txt",
        "train pics --out m.mark1 --journal link.mark1",
        "train pics --out pics/lying/1.png",
        "train pics --out new.mark1 --journal pics/standing/1.png",
        "cards pics --out pics/lying/1.png",
        "theory pics --report pics/lying/1.png",
        "csv m.mark1 --export-values v2.csv --out ghost.mark1",
        "csv m.mark1 --export-values pipe",
    ],
)
def test_an_output_never_overwrites_what_was_read(mark1, here: Path, words: str) -> None:
    before = contents(here)
    ran = mark1(*words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err
    assert contents(here) == before


def test_csv_may_change_the_machine_itself(mark1, here: Path) -> None:
    assert mark1("csv", "m.mark1", "--import-values", "v.csv", "--out", "m.mark1").code == 0
    assert mark1("csv", "m.mark1", "--import-values", "v.csv", "--out", "link.mark1").code == 0
    assert Path("link.mark1").is_symlink()


# -- journals --------------------------------------------------------------------------------------------------


def test_a_refused_training_leaves_the_earlier_journal(mark1, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_text("earlier")
    ran = mark1("train", "bars", "--out", tmp_path / "m.mark1", "--journal", journal, "--passes", 10**13)
    assert (ran.code, journal.read_text()) == (2, "earlier")
    assert "passes" in ran.err


class Filling(io.StringIO):
    """A file on a disk that is full after so many flushes, and has room again afterwards."""

    def __init__(self, flushes: int) -> None:
        super().__init__()
        self.left = flushes

    def flush(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise OSError(28, "No space left on device")


def test_a_journal_that_failed_once_is_said_to_be_incomplete(
    mark1, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the machine is the one that it would have been without a journal."""
    opened: Callable[..., Any] = Path.open

    def full(path: Path, *words: Any, **more: Any) -> Any:
        return Filling(2) if path.name == "journal" else opened(path, *words, **more)

    assert mark1("train", "bars", "--out", tmp_path / "alone.mark1").code == 0
    monkeypatch.setattr(Path, "open", full)
    ran = mark1("train", "bars", "--out", tmp_path / "m.mark1", "--journal", tmp_path / "journal")
    assert ran.code == 1
    assert "is not complete (no space left on device)" in ran.err
    assert (tmp_path / "m.mark1").read_bytes() == (tmp_path / "alone.mark1").read_bytes()


class Full(io.StringIO):
    """A file on a disk that is full."""

    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def test_what_went_wrong_first_is_told_even_if_the_journal_fails_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "open", lambda path, *words, **more: Full())
    machine = Mark1()
    with pytest.raises(KeyboardInterrupt), machinefile.journal_of(machine, Path("journal")):
        machine.submit(SetNote("a", "b"))
        raise KeyboardInterrupt


# -- what cannot be read or written ----------------------------------------------------------------------------

LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ["train", LONG, "--out", "m.mark1"],
        ["train", "bars", "--out", LONG],
        ["train", "bars", "--out", f"{LONG}/m.mark1"],
        ["cards", LONG],
        ["cards", f"{LONG}/manifest.toml"],
        ["show", LONG],
        ["recognise", "m.mark1", LONG],
        ["csv", "m.mark1", "--import-values", LONG, "--out", "n.mark1"],
        ["replay", LONG],
    ],
)
def test_a_name_that_no_disk_takes_is_one_sentence(mark1, here: Path, words: list[str]) -> None:
    ran = mark1(*words)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "should not happen" not in ran.err


def test_a_journal_for_the_panel_may_have_any_name() -> None:
    assert machinefile.unused(Path(LONG)) == Path(LONG)


def test_a_folder_that_may_not_be_searched_is_one_sentence(
    mark1, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = tmp_path / "hidden" / "m.mark1"
    looked = Path.stat

    def refuse(path: Path, **words: Any) -> Any:
        if "hidden" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return looked(path, **words)

    monkeypatch.setattr(Path, "stat", refuse)
    assert mark1("train", "bars", "--out", hidden).err == (
        f"mark1: {hidden} cannot be written (permission denied); choose another place.\n"
    )
    assert "may not be looked at by this user" in mark1("cards", hidden).err


@pytest.mark.parametrize("words", [["theory", "e-x", "--report", "r.html"], ["theory", "e-x", "--pictures", "."]])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    mark1, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda *words: False)
    ran = mark1(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be written by this user" in ran.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["show", "theory --json", "csv --help"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_the_output_is_one_sentence(bars_machine: Path, words: str, unbuffered: str) -> None:
    if unbuffered and "--help" in words:
        pytest.skip("argparse says nothing then")
    command, *more = words.split()
    asked = [sys.executable, "-m", "mark1", command, str(bars_machine), *more]
    surroundings = {**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(asked, stdout=full, stderr=subprocess.PIPE, text=True, env=surroundings, check=False)
    assert ran.stderr.startswith("mark1: the output cannot be written (no space left on device)")
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)


def test_an_error_of_the_system_is_one_sentence_with_the_file_and_the_reason(
    mark1, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(words: object) -> int:
        raise OSError(5, "Input/output error", "somewhere")

    monkeypatch.setattr(cli, "dispatch", fail)
    ran = mark1("show", "m")
    assert ran.err == "mark1: somewhere cannot be read or written (input/output error); check its place.\n"
    assert ran.code == 1


@pytest.mark.parametrize("value", ["+-5", "--5", "+", "5-", "\u0665\u0665"])
def test_a_sign_too_many_is_a_wrong_value(mark1, bars_machine: Path, tmp_path: Path, value: str) -> None:
    (tmp_path / "t.csv").write_text(f"a_unit,r_unit,value_uv\n1,1,{value}\n", encoding="utf-8")
    ran = mark1("csv", bars_machine, "--import-values", tmp_path / "t.csv", "--out", tmp_path / "m.mark1")
    assert ran.code == 2
    assert "give a whole number" in ran.err


def test_a_value_may_have_a_plus_sign(mark1, bars_machine: Path, tmp_path: Path) -> None:
    table = tmp_path / "v.csv"
    mark1("csv", bars_machine, "--export-values", table)
    lines = table.read_text().splitlines()
    lines[1] = "1,1,+5"
    table.write_text("\n".join(lines))
    assert mark1("csv", bars_machine, "--import-values", table, "--out", tmp_path / "m.mark1").code == 0
    assert load_machine(tmp_path / "m.mark1").state().values[0, 0] == 5
