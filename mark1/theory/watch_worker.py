"""The process behind watch.py: reads jobs from standard input, writes findings to standard output.

Run by TheoryWatch as python -m mark1.theory.watch_worker. A newer offer is seen between two findings, not within one.
"""

import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

from mark1.core.errors import Mark1Error
from mark1.core.machine import Mark1
from mark1.theory.findings import Findings, examine
from mark1.theory.problem import make_problem
from mark1.theory.response import activity, response_problems
from mark1.theory.training import account_of, examine_response
from mark1.theory.watch import ArraysJob, Job, MachineJob

Offer = tuple[int, list[Job]]


def findings_on(job: Job) -> Iterator[tuple[int, Findings]]:
    """The findings of a job as they become known, with the R-unit each is about."""
    if isinstance(job, ArraysJob):
        problem = make_problem(job.X, job.y, one_class_ok=True)
        yield from ((job.response, found) for found in examine(problem, job.rack))
    elif isinstance(job, MachineJob):
        machine = Mark1.restored(job.saved)
        state, account = machine.state(), account_of(machine, job.lights, job.targets)
        for at in response_problems(activity(machine, job.lights), job.targets, state.feeds):
            yield from ((at.response, found) for found in examine_response(state, at, account))


def serve(offers: "queue.Queue[Offer | None]", out: BinaryIO) -> None:
    """Examines offers until None comes; of several waiting only the newest."""
    while (offer := _newest(offers)) is not None:
        serial, jobs = offer
        try:
            for response, news in (found for job in jobs for found in findings_on(job)):
                _tell(out, (serial, response, news))
                if not offers.empty():
                    break
        except Mark1Error as error:
            _tell(out, (serial, -1, str(error)))
        if offers.empty():
            _tell(out, (serial, -1, None))


def _newest(offers: "queue.Queue[Offer | None]") -> Offer | None:
    offer = offers.get()
    while offer is not None and not offers.empty():
        offer = offers.get()
    return offer


def _tell(out: BinaryIO, message: Any) -> None:
    pickle.dump(message, out)
    out.flush()


def _listen(offers: "queue.Queue[Offer | None]", source: BinaryIO) -> None:
    while True:
        try:
            offers.put(pickle.load(source))
        except EOFError:
            offers.put(None)
            return


def main() -> None:
    """Serves until standard input ends."""
    if hasattr(os, "nice"):
        os.nice(10)  # the panel's frames come first
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # a library that prints must not disturb the messages
    offers: queue.Queue[Offer | None] = queue.Queue()
    threading.Thread(target=_listen, args=(offers, sys.stdin.buffer), daemon=True).start()
    serve(offers, out)


if __name__ == "__main__":
    main()
