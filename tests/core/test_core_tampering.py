"""Sealed files that no machine wrote: whatever is changed inside, the answer is a sentence or a machine that works.

The changes are random but seeded; a longer run by hand: PYTHONPATH=. python tests/core/test_core_tampering.py 100000
"""

import copy
import json
import math
import random
import sys

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, IDEAL, Mark1
from mark1 import commands as c
from mark1.core import snapshot
from mark1.errors import SaveError

CELLS, UNITS, USED = 20, 16, 3
TARGETS = [[1, -1, 1], [-1, 1, 1], [1, 1, -1]]
ODD = [
    None, True, False, 0, -1, 1, 2, 3, 7, 16, 2**31, 2**53, 2**63, 2**64, 10**30, -(10**30), 10**300, 0.5, 1.0, 1e308,
    math.nan, math.inf, "", "x", "\u00e9\n\x1b[31m", "alpha", "every", "forced", "settling", "correcting", "x" * 9999,
    [], {}, [[]], [0], [1, 2, 3], ["a"], {"a": 1}, {"array": 0}, {"array": -1}, {"array": True}, {"array": "x"},
]  # fmt: skip


def machine_in(number: int) -> Mark1:
    """One of many states: every preset and system; new, in training, between phases, with motors in flight."""
    rng = np.random.default_rng(number)
    config = (HISTORIC, EXPANDED, IDEAL)[number % 3]
    config = config.with_(
        association__units=UNITS, retina__rows=4, retina__columns=5, response__in_use=USED,
        reinforcement__system=("alpha", "beta", "gamma")[number // 3 % 3],
    )  # fmt: skip
    machine = Mark1(config, number)
    if number % 4:
        lights = rng.random((3, CELLS)) if number % 2 else (rng.random((3, CELLS)) < 0.5).astype(float)
        machine.submit(c.AssignCodes(("a", "b"), (1, 2)))
        machine.submit(c.SetNote("camera", "{}"))
        machine.train(lights, TARGETS, passes=2, order="shuffled")
        machine.submit(c.PullUnit((4,)))
        machine.submit(c.SetThreshold(2))
        (_in_training, _in_presentation, _in_reinforcement)[number % 4 - 1](machine, lights)
    return machine


def _in_training(machine: Mark1, lights: np.ndarray) -> None:
    machine.submit(c.StartTraining(lights, TARGETS, passes=5, order="shuffled"))
    machine.run_until(machine.now_us + 100_000 + 1000 * machine.seed)


def _in_presentation(machine: Mark1, lights: np.ndarray) -> None:
    machine.present(lights[0])
    machine.run_until(machine.now_us + 10)


def _in_reinforcement(machine: Mark1, lights: np.ndarray) -> None:
    machine.present(lights[0])
    machine.settle()
    for direction in (1, -1):
        machine.reinforce(0, direction)
    machine.run_until(machine.now_us + 2000)


def parts(node, path=()):
    """The path of everything in a tree (of long lists, the first six)."""
    inner = node.items() if isinstance(node, dict) else enumerate(node[:6]) if isinstance(node, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from parts(value, (*path, key))


def tampered(saved: bytes, draw: random.Random) -> bytes:
    """The file with one thing changed, and its checksum right again."""
    text, _, raw = saved.split(b"\n", 2)[2].partition(snapshot.END)
    header = json.loads(text)
    if draw.random() < 0.3:
        place = draw.randrange(len(raw))
        raw = raw[:place] + bytes([draw.choice((0, 1, 2, 127, 128, 255))]) + raw[place + 1 :]
    else:
        change(header, draw)
    body = json.dumps(header).encode() + snapshot.END + raw
    return b"MARK1 MACHINE 1\nsha256 " + snapshot._digest(body) + b"\n" + body


def change(header: dict, draw: random.Random) -> None:
    """Something removed, replaced by an odd thing, or by another part of the same file."""
    places = list(parts(header))
    *path, key = draw.choice(places)
    parent = header
    for step in path:
        parent = parent[step]
    what = draw.random()
    if what < 0.15:
        del parent[key]
    elif what < 0.3 and type(parent[key]) is int:
        parent[key] += draw.choice((-1, 1, 1000, 10**9, -(10**9)))
    elif what < 0.45:
        node = header
        for step in draw.choice(places):
            node = node[step]
        parent[key] = copy.deepcopy(node)
    else:
        parent[key] = copy.deepcopy(draw.choice(ODD))


def works(saved: bytes) -> bool:
    """Whether it opens; if so, it must work in every way."""
    try:
        machine = Mark1.restored(saved)
    except SaveError as refusal:
        assert str(refusal).endswith(".")
        assert str(refusal).isprintable()
        assert len(str(refusal)) < 400
        return False
    again = machine.save()
    assert Mark1.restored(again).save() == again
    for _ in range(40):
        if machine.next_us is not None:
            machine._step()
            machine.state()
    at_rest = Mark1.restored(again)
    if at_rest.state().training.running:
        at_rest.rehearse(max_presentations=5, engine="numpy")
        at_rest.submit(c.StopTraining())
    at_rest.settle()
    while at_rest.state().undo_points and at_rest.submit(c.Undo()):
        str(at_rest.meaning)
    at_rest.train([np.ones(CELLS), np.zeros(CELLS)], np.ones((2, at_rest.config.response.in_use)), passes=2)
    return True


def tamper(count: int, seed: int) -> int:
    """How many of so many tampered files still opened."""
    draw, saved = random.Random(seed), [machine_in(number).save() for number in range(36)]
    with np.errstate(all="raise"):
        return sum(works(tampered(draw.choice(saved), draw)) for _ in range(count))


def test_every_state_is_a_machine_that_works():
    assert all(works(machine_in(number).save()) for number in range(36))


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_changed_is_refused_or_works(seed):
    assert 1 <= tamper(150, seed) <= 75


def test_undoing_a_change_of_r_units_leaves_a_machine_that_can_be_saved():
    """The tray has targets for the R-units that are no longer in use; going on with it made no sense."""
    machine = Mark1(HISTORIC.with_(association__units=UNITS, response__in_use=2), 1)
    machine.submit(c.Rewire(in_use=3))
    machine.train(np.eye(400)[:3], TARGETS)
    machine.submit(c.Undo(2))
    assert machine.config.response.in_use == 2
    assert not machine.submit(c.ResumeTraining())
    assert Mark1.restored(machine.save()).save() == machine.save()


if __name__ == "__main__":
    print(tamper(int(sys.argv[1]), 99), "of", sys.argv[1], "tampered files opened and worked; the rest was refused.")
