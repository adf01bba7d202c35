"""Saving: what a killed save leaves behind is cleared away by the next one, and nothing else is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mark1.savefile import write_atomically

KILLED = """
import os, signal, sys
from mark1.savefile import write_atomically
write_atomically(sys.argv[1], b"new", lambda stage: stage == "synced" and os.kill(os.getpid(), signal.SIGKILL))
"""
posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")


def killed_inside_a_save(target: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    ran = subprocess.run([sys.executable, "-c", KILLED, str(target)], env=environment, check=False)
    assert ran.returncode == -signal.SIGKILL


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
@pytest.mark.parametrize("name", ["m.mark1", "a (1) [x]+.mark1", "\u00e4" * 120 + ".mark1"])
def test_the_next_save_clears_away_what_a_killed_one_left(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")
    killed_inside_a_save(target)
    assert target.read_bytes() == b"old"
    assert len(names(tmp_path)) == 2
    write_atomically(target, b"newer")
    assert names(tmp_path) == [name]
    assert target.read_bytes() == b"newer"


@posix
def test_what_belongs_to_a_living_process_or_to_another_target_stays(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    kept = {f".m.mark1.{os.getppid()}.abc.new", ".m.mark1.1.abc.new", f".n.mark1.{gone.pid}.abc.new", ".m.mark1.new"}
    kept |= {".m.mark1.0.abc.new", f".m.mark1.{gone.pid}.abc.newer", ".m.mark1.99999999999999999999.abc.new"}
    for name in (*kept, f".m.mark1.{gone.pid}.abc.new"):
        (tmp_path / name).write_bytes(b"")
    write_atomically(tmp_path / "m.mark1", b"")
    assert set(names(tmp_path)) == kept | {"m.mark1"}


def test_a_save_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(stage: str) -> None:
        if stage == "written":
            raise KeyboardInterrupt

    (tmp_path / "m").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "m", b"new", fail)
    assert names(tmp_path) == ["m"]
    assert (tmp_path / "m").read_bytes() == b"old"
