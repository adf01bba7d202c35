"""For the panel: bound, margin and verdict as they become known, worked out in another process.

The panel offers a machine's bytes with its cards, or arrays; offer() and poll() only take a lock for an instant, so a
frame never waits. Only the newest offer counts: findings for an older one are dropped. The worker is a process of its
own because linear programs hold Python's lock for seconds. If it dies, poll() says so and the panel goes on without.
Each finding says what its bound is for (bound_for) and whether a count may stand beside it (comparable, bound_words).
Offer a machine after its training has started: then the bound is this training's. Later the panel asks stands_beside(),
because a hand may have touched the machine since.
"""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.theory.findings import Findings
from mark1.theory.rack import Rack
from mark1.theory.training import stands_beside

__all__ = ["ArraysJob", "Known", "MachineJob", "TheoryWatch", "stands_beside"]


@dataclass(frozen=True, slots=True)
class ArraysJob:
    """One R-unit's problem as arrays, unchecked; the worker checks it."""

    response: int
    X: Any
    y: Any
    rack: Rack | None = None


@dataclass(frozen=True, slots=True)
class MachineJob:
    """A saved machine with cards and targets: the worker finds the problems of all R-units itself."""

    saved: bytes
    lights: Any
    targets: Any


Job = ArraysJob | MachineJob


@dataclass(frozen=True, slots=True)
class Known:
    """What is known now: findings by R-unit, whether the last offer is fully examined, and a sentence if it failed."""

    findings: dict[int, Findings]
    complete: bool
    trouble: str = ""


class TheoryWatch:
    """Offer, poll, close. Starts its worker with the first offer."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._serial = 0
        self._waiting: list[Job] | None = None
        self._known = Known({}, True)
        self._process: subprocess.Popen[bytes] | None = None
        self._running = False
        self._closed = False

    def offer_machine(self, saved: bytes, lights: Any, targets: Any) -> None:
        """A machine (the bytes of save()), cards and targets to examine instead of whatever came before."""
        self._offer([MachineJob(saved, np.array(lights), np.array(targets))])

    def offer_arrays(self, problems: list[ArraysJob]) -> None:
        """Problems of several R-units to examine instead of whatever came before."""
        self._offer(list(problems))

    def poll(self) -> Known:
        """What is known now; never waits."""
        with self._change:
            return self._known

    def close(self) -> None:
        """Ends the worker."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def _offer(self, jobs: list[Job]) -> None:
        with self._change:
            if self._closed:
                return
            self._serial += 1
            self._waiting = jobs
            self._known = Known({}, False)
            if not self._running:
                self._running = True  # the process is started by the thread: starting one takes ten milliseconds
                threading.Thread(target=self._serve, name="mark1 theory", daemon=True).start()
            self._change.notify_all()

    def _serve(self) -> None:
        """The life of one worker: start it, listen to it, and hand it the newest offer whenever there is one."""
        process = self._start()
        with self._change:
            if self._closed:
                process.kill()
            self._process = process
        threading.Thread(target=self._read, args=(process,), name="mark1 theory answers", daemon=True).start()
        self._write(process)

    def _start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # two BLAS threads beside a busy core crawl
        return subprocess.Popen(
            [sys.executable, "-m", "mark1.theory.watch_worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
        )  # fmt: skip

    def _write(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting is not None or self._closed or self._process is not process)
                if self._closed or self._process is not process:
                    return
                serial, jobs, self._waiting = self._serial, self._waiting, None
            try:
                pickle.dump((serial, jobs), process.stdin)
                process.stdin.flush()
            except (OSError, ValueError):  # the worker is gone; _read says so
                return

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        while True:
            try:
                serial, response, news = pickle.load(process.stdout)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                return self._lost(process)
            with self._change:
                if serial == self._serial:
                    self._known = _joined(self._known, response, news)

    def _lost(self, process: "subprocess.Popen[bytes]") -> None:
        """The worker died: say so, and let the next offer start another."""
        with self._change:
            if not self._closed:
                self._known = Known(self._known.findings, True, "The theory bench stopped working; learning goes on.")
                self._process, self._running = None, False
            self._change.notify_all()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was still to be written has nowhere to go
                    pipe.close()


def _joined(known: Known, response: int, news: Findings | str | None) -> Known:
    """news is a finding, a sentence about what is wrong with the cards, or None at the end."""
    if news is None:
        return Known(known.findings, True, known.trouble)
    if isinstance(news, str):
        return Known(known.findings, known.complete, news)
    return Known(known.findings | {response: news}, known.complete, known.trouble)
