"""Kills a training with --out by SIGKILL, again and again: the file is always the old one or the new one.

    PYTHONPATH=. python tests/app/kill_nine.py [KILLS]        1,000 kills take half a minute

Every run is a real `mark1 train`, in a process forked from one that has already imported everything (a few are started
afresh). Two runs in five are killed inside the save, at the failpoints that savefile names; the others at a random
moment of the run. POSIX only.
"""

import itertools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from mark1 import savefile
from mark1.cli import main
from mark1.stimulus import Draws

WORDS = ["train", "e-x", "--passes", "20", "--json"]
INSIDE = 5, 2  # of five runs, two die inside the save
FRESH_EVERY = 50


def training(out: Path, seed: int) -> list[str]:
    """The words of one run."""
    return [*WORDS, "--seed", str(seed), "--out", str(out)]


def expected(folder: Path) -> tuple[bytes, bytes]:
    """The bytes of the old and of the new machine."""
    for seed in (1, 2):
        assert main(training(folder / f"{seed}.mark1", seed)) == 0
    return (folder / "1.mark1").read_bytes(), (folder / "2.mark1").read_bytes()


def child(out: Path, stage: str | None, told: int) -> None:
    """One training; at the failpoint it says so and waits to be killed. Never returns."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def reached(where: str) -> None:
        if where == stage:
            os.write(told, b"!")
            signal.pause()

    savefile.write_atomically = partial(savefile.write_atomically, reached=reached)  # type: ignore[assignment]
    main(training(out, 2))
    os._exit(0)


def forked_run(out: Path, stage: str | None, delay_s: float) -> str:
    """Forks, kills, and says where: at a stage of the save, or 'sometime', or 'done' if it was too late."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(out, stage, tell)
    os.close(tell)
    ready = select.select([told], [], [], 30 if stage else delay_s)[0]
    inside = bool(ready) and os.read(told, 1) == b"!"
    os.close(told)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return str(stage) if inside else "done" if os.WIFEXITED(status) else "sometime"


def fresh_run(out: Path, delay_s: float) -> str:
    """The same with a process of its own."""
    running = subprocess.Popen([sys.executable, "-m", "mark1", *training(out, 2)], stdout=subprocess.DEVNULL)
    try:
        running.wait(delay_s)
    except subprocess.TimeoutExpired:
        running.kill()
    return "done" if running.wait() == 0 else "sometime, fresh"


def trial(number: int, out: Path, run_s: float, draws: Draws) -> str:
    """One run, killed."""
    every, inside = INSIDE
    if number % FRESH_EVERY == FRESH_EVERY - 1:
        return fresh_run(out, draws.below(500) / 1_000)
    stage = savefile.STAGES[draws.below(len(savefile.STAGES))] if number % every < inside else None
    return forked_run(out, stage, draws.below(1_000_000) / 1_000_000 * run_s * 1.1)


def run(runs: int, folder: Path) -> dict[str, int]:
    """Runs until so many were killed; how often each death was died, and what was found: the old or the new file."""
    old, new = expected(folder)
    assert old != new
    began = time.monotonic()
    main(training(folder / "2.mark1", 2))
    run_s, draws, out = time.monotonic() - began, Draws(9), folder / "machine.mark1"
    counts: dict[str, int] = {"kills": 0}
    for number in itertools.count():
        if counts["kills"] == runs:
            break
        out.write_bytes(old)
        kind = trial(number, out, run_s, draws)
        found = out.read_bytes()
        assert found in (old, new), f"run {number}, killed {kind}: the file is neither the old one nor the new one"
        counts["kills"] += kind != "done"
        for key in (kind, "found old" if found == old else "found new"):
            counts[key] = counts.get(key, 0) + 1
        for left in folder.glob(".machine.mark1.*"):
            counts["temporary files left"] = counts.get("temporary files left", 0) + 1
            left.unlink()
    return counts


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        stdout = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reports of the trainings
        counted = run(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, Path(place))
        sys.stdout.flush()  # the trainings' reports, which may still be in our own buffer
        os.dup2(stdout, 1)
    print(json.dumps(counted))
