"""Shared by the tests of the commands: running one, and a small trained machine."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mark1.cli import main

sys.path.append(str(Path(__file__).parents[1] / "stimulus"))  # for photographs.py and bad_pictures.py


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def mark1(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """mark1("train", "bars", ...) runs the command in this process."""

    def command(*words: object) -> Ran:
        capfd.readouterr()
        code = main([str(word) for word in words])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return command


@pytest.fixture(scope="session")
def bars_machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine file that knows lying from standing bars."""
    path = tmp_path_factory.mktemp("machines") / "bars.mark1"
    assert main(["train", "bars", "--out", str(path), "--json"]) == 0
    return path
