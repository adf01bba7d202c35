"""What a stranger stumbles over in the first ten minutes: each gets a sentence that helps."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mark1.app.wording import count

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path.cwd()), "OPENBLAS_NUM_THREADS": "1"}


def test_one_class_is_nothing_to_learn(mark1, tmp_path: Path) -> None:
    (tmp_path / "cards" / "cats").mkdir(parents=True)
    shutil.copy("images/bars/vertical/vertical-05.png", tmp_path / "cards" / "cats")
    ran = mark1("train", tmp_path / "cards", "--out", tmp_path / "m.mark1")
    assert (ran.code, ran.out) == (2, "")
    assert "has only one class (cats); add a subfolder" in ran.err


@pytest.mark.parametrize(("typed", "meant"), [("barz", "bars"), ("Capitals", "capitals"), ("digit", "digits")])
def test_a_typing_error_in_a_set_gets_the_nearest_name(mark1, tmp_path: Path, typed: str, meant: str) -> None:
    assert f"did you mean {meant}?" in mark1("train", typed, "--out", tmp_path / "m.mark1").err


def test_a_file_of_that_name_does_not_hide_a_built_in_set(mark1, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert mark1("train", "bars", "--out", "bars", "--passes", 1).code == 0


def test_help_names_the_built_in_sets() -> None:
    for command in ("train", "cards"):
        asked = [sys.executable, "-m", "mark1", command, "--help"]
        ran = subprocess.run(asked, capture_output=True, text=True, env=ENVIRONMENT, check=True)
        assert "Built-in sets: bars, capitals, " in ran.stdout


def test_machine_and_journal_need_two_files(mark1, tmp_path: Path) -> None:
    ran = mark1("train", "bars", "--out", tmp_path / "m", "--journal", tmp_path / "m")
    assert (ran.code, list(tmp_path.iterdir())) == (2, [])


def test_too_many_wires_are_refused_with_the_most_there_can_be(mark1, tmp_path: Path) -> None:
    assert "give at most 31." in mark1("train", "bars", "--out", tmp_path / "m", "--wiring", "20+12").err
    assert mark1("train", "bars", "--out", tmp_path / "m", "--wiring", "20+11", "--passes", 1).code == 0


def test_what_is_no_journal_is_said_to_be_none(mark1, bars_machine: Path) -> None:
    expected = f"mark1: {bars_machine} is not a journal; name a file that mark1 train --journal wrote.\n"
    assert mark1("replay", bars_machine).err == expected


@pytest.mark.parametrize(("number", "words"), [(1, "1 class"), (2, "2 classes"), (1000, "1,000 classes")])
def test_one_is_not_many(number: int, words: str) -> None:
    assert count(number, "class") == words
