"""The panel's object: findings come from another process, polling never waits, only the newest offer counts."""

import threading
from time import monotonic

import numpy as np
import pytest

from mark1 import HISTORIC, Mark1
from mark1.commands import StartTraining
from mark1.theory.rack import make_rack
from mark1.theory.watch import ArraysJob, TheoryWatch, stands_beside

PATIENCE_S = 30.0


@pytest.fixture
def watch():
    made = TheoryWatch()
    yield made
    made.close()


def wait_until_complete(watch):
    """Polls as a panel would, frame after frame, and keeps every different state it saw."""
    end, pause, seen = monotonic() + PATIENCE_S, threading.Event(), []
    while monotonic() < end:
        known = watch.poll()
        if not seen or known is not seen[-1]:
            seen.append(known)
        if known.complete:
            return seen
        pause.wait(0.002)
    raise AssertionError("the worker never finished")


def test_nothing_is_known_and_nothing_runs_before_the_first_offer(watch):
    known = watch.poll()
    assert known.complete and known.findings == {} and known.trouble == ""


def test_findings_of_arrays_become_known_step_by_step(watch):
    problems = [
        ArraysJob(0, [[1, 1, 0], [0, 1, 1]], [1, -1], make_rack(np.ones(3), stop=20.0)),
        ArraysJob(3, [[1, 0], [1, 0]], [1, -1]),
    ]
    watch.offer_arrays(problems)
    last = wait_until_complete(watch)[-1]
    assert set(last.findings) == {0, 3}
    assert last.findings[0].rack_bound is not None and last.findings[0].complete
    assert not last.findings[0].comparable and last.findings[0].bound is None
    assert last.findings[3].separable is False


def test_a_machine_and_its_cards_are_examined_and_the_newest_offer_counts(watch):
    rng = np.random.default_rng(4)
    machine = Mark1(HISTORIC.with_(association__units=60, response__in_use=2), 4)
    lights, targets = rng.random((6, 400)), rng.choice([-1, 1], (6, 2))
    watch.offer_arrays([ArraysJob(7, [[1.0], [-1.0]], [1, -1])])
    watch.offer_machine(machine.save(), lights, targets)
    last = wait_until_complete(watch)[-1]
    assert set(last.findings) == {0, 1}
    assert all(found.complete for found in last.findings.values())


def test_the_watch_says_what_its_bound_is_for(watch):
    """Offered before training it speaks of a new machine; offered when training has begun, of this training."""
    rng = np.random.default_rng(4)
    machine = Mark1(HISTORIC.with_(association__units=120, response__in_use=1), 4)
    lights, targets = (rng.random((6, 400)) < 0.4).astype(float), rng.choice([-1, 1], (6, 1))
    watch.offer_machine(machine.save(), lights, targets)
    before = wait_until_complete(watch)[-1].findings[0]
    assert not before.comparable and before.bound_for == "a new machine"
    assert before.bound_words.startswith("A new machine with these settings would need at most")
    machine.submit(StartTraining(lights, targets, "error correction", 0, "fixed", True))
    watch.offer_machine(machine.save(), lights, targets)
    during = wait_until_complete(watch)[-1].findings[0]
    assert during.comparable and during.bound_for == "this training" and during.bound == before.rack_bound
    assert during.bound_words == f"At most {during.bound} corrections are possible for this rack."
    assert stands_beside(during, machine.train())


def test_bad_cards_are_a_sentence_and_the_watch_goes_on(watch):
    watch.offer_arrays([ArraysJob(0, [[np.nan]], [1])])
    assert "finite" in wait_until_complete(watch)[-1].trouble
    watch.offer_arrays([ArraysJob(0, [[1.0], [-1.0]], [1, -1])])
    last = wait_until_complete(watch)[-1]
    assert last.trouble == "" and last.findings[0].separable


def test_a_dead_worker_is_told_and_the_next_offer_starts_another(watch):
    watch.offer_arrays([ArraysJob(0, [[1.0], [-1.0]], [1, -1])])
    wait_until_complete(watch)
    watch.offer_arrays([ArraysJob(0, np.eye(200), np.where(np.arange(200) % 2, 1, -1))])
    watch._process.kill()  # the one way to stage a crash
    assert "stopped working" in wait_until_complete(watch)[-1].trouble
    watch.offer_arrays([ArraysJob(5, [[1.0], [-1.0]], [1, -1])])
    assert wait_until_complete(watch)[-1].findings[5].separable


def test_offering_and_polling_do_not_wait(watch):
    """While the worker has seconds of work, a thousand polls and an offer take less than one frame each."""
    rng = np.random.default_rng(0)
    X, y = (rng.random((900, 300)) < 0.2).astype(float), rng.choice([-1, 1], 900)
    watch.offer_arrays([ArraysJob(0, X, y)])
    slowest = 0.0
    for _ in range(1000):
        began = monotonic()
        watch.poll()
        slowest = max(slowest, monotonic() - began)
    began = monotonic()
    watch.offer_arrays([ArraysJob(1, X, y)])
    assert monotonic() - began < 0.5 and slowest < 0.5  # generous: a busy test machine, but no linear program


def test_a_closed_watch_takes_offers_without_doing_anything():
    watch = TheoryWatch()
    watch.close()
    watch.offer_arrays([ArraysJob(0, [[1.0], [-1.0]], [1, -1])])
    assert watch.poll().findings == {}
