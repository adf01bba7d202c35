"""A machine saved at any microsecond and restored in a fresh process goes on to the same journal, byte for byte."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark1 import EXPANDED, HISTORIC, IDEAL, Mark1
from mark1 import commands as c
from mark1.core import snapshot
from mark1.errors import SaveError
from mark1.journal import Journal

GO_ON = """
import io, sys, json
from mark1 import Mark1
from mark1.journal import Journal
for line in sys.stdin:
    machine = Mark1.restored(bytes.fromhex(line))
    file = io.StringIO()
    journal = Journal(machine, file)
    machine.train()
    machine.settle()
    journal.close()
    print(json.dumps(file.getvalue()))
"""


def _busy(config, seed):
    """A machine in training, whose gamma returns, coasting and lash leave no moment quiet."""
    rng = np.random.default_rng(seed)
    system = ("alpha", "gamma", "beta")[seed % 3]
    machine = Mark1(config.with_(association__units=64, reinforcement__system=system), seed)
    lights = (rng.random((4, 400)) < 0.3).astype(float)
    machine.submit(c.StartTraining(lights, np.where(np.eye(8)[:4] > 0, 1, -1), passes=2, order="shuffled"))
    return machine


def _rest_of_the_journal(machine):
    file = io.StringIO()
    journal = Journal(machine, file)
    machine.train()
    machine.settle()
    journal.close()
    return file.getvalue()


def test_a_hundred_random_microseconds_resume_in_a_fresh_process():
    """In lag, run, coast, settling, mid-pass: 100 moments, each saved, restored elsewhere and run to its end."""
    rng = np.random.default_rng(7)
    saved, expected, phases = [], [], set()
    for number in range(100):
        machine = _busy((HISTORIC, EXPANDED)[number % 2], number)
        machine.run_until(int(rng.integers(0, 2_500_000)))
        phases.add((machine.state().phase, bool(machine.state().motors.any())))
        saved.append(machine.save().hex())
        expected.append(_rest_of_the_journal(machine))
    told = subprocess.run([sys.executable, "-c", GO_ON], input="\n".join(saved), text=True, capture_output=True)
    assert told.returncode == 0, told.stderr
    assert [json.loads(line) for line in told.stdout.splitlines()] == expected
    assert {("settling", False), ("correcting", True)} <= phases


@pytest.mark.parametrize("config", [HISTORIC, IDEAL, EXPANDED])
def test_saving_restoring_and_saving_again_gives_the_same_bytes(config):
    machine = _busy(config, 5)
    machine.run_until(400_000)
    machine.submit(c.SetNote("camera", "fill 0.7"))
    saved = machine.save()
    assert Mark1.restored(saved).save() == saved


def test_a_black_and_white_tray_takes_one_bit_a_cell():
    sizes = []
    for cards in (100, 900):
        machine = Mark1(seed=1)
        lights = (np.random.default_rng(0).random((cards, 400)) < 0.5).astype(float)
        machine.rehearse(lights, np.ones((cards, 8)))
        sizes.append(len(machine.save()))
    bits, targets, blind, order = 50, 8, 8 * 8, 8
    assert sizes[1] - sizes[0] < 800 * (bits + targets + blind + order) + 100


def test_the_header_can_be_read_by_a_person():
    text = Mark1(seed=3).save().split(snapshot.END)[0].decode("ascii")
    assert text.startswith("MARK1 MACHINE 1\nsha256 ")
    assert '"name": "HISTORIC"' in text
    plugboard = json.loads(text.split("\n", 2)[2])["tree"]["plugboards"][0]
    assert len(plugboard) == 512
    assert all(len(line.split()) == 10 and line.count("+") == 5 for line in plugboard)


@given(st.binary(max_size=300))
def test_noise_is_never_a_machine(data):
    with pytest.raises(SaveError):
        Mark1.restored(data)


SMALL = Mark1(HISTORIC.with_(association__units=16, retina__rows=4, retina__columns=4, response__in_use=2), 1).save()


@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_a_flipped_byte_is_noticed(place, flip):
    damaged = bytearray(SMALL)
    damaged[place] ^= flip
    with pytest.raises(SaveError):
        Mark1.restored(bytes(damaged))


def _resealed(change):
    """A file whose checksum is right, but whose tree was tampered with."""
    tree = snapshot.unpack(SMALL)
    change(tree)
    return snapshot.pack(tree)


TAMPERED = {
    "a value beyond the stop": lambda t: t["learned"]["values"].__setitem__((0, 0), 2e7),
    "a value that is no number": lambda t: t["learned"]["values"].__setitem__((0, 0), np.nan),
    "half a microvolt": lambda t: t["learned"]["values"].__setitem__((0, 0), 0.5),
    "too many values": lambda t: t["learned"].__setitem__("values", np.zeros((1, 17))),
    "values of another kind": lambda t: t["learned"].__setitem__("values", np.zeros((1, 16), np.int32)),
    "lash out of its gear": lambda t: t["learned"]["lash"].__setitem__((0, 0), 1e9),
    "a number for an array": lambda t: t["counters"].__setitem__("corrections", 5),
    "a word for a number": lambda t: t.__setitem__("now_us", "noon"),
    "an unknown phase": lambda t: t.__setitem__("phase", "dreaming"),
    "a missing part": lambda t: t.pop("streams"),
    "an extra part": lambda t: t.__setitem__("pickle", "cos\nsystem"),
    "an event in the past": lambda t: t.update(now_us=10, queue=[[5, 0, 0]]),
    "a run that is not there": lambda t: t.__setitem__("queue", [[5, 3, 1]]),
    "a wire to nowhere": lambda t: t["plugboards"][0].__setitem__(0, "+99"),
    "a wiring that is missing": lambda t: t["learned"].__setitem__("table", 3),
    "a running training without a tray": lambda t: t["sequencer"].__setitem__("running", True),
    "a code that cannot be given": lambda t: t["learned"].__setitem__("codebook", {"names": ["a"], "codes": [9]}),
    "light brighter than light": lambda t: t["light"]["light"].__setitem__(0, 2_000_000),
    "an unknown setting": lambda t: t["learned"]["config"].__setitem__("colour", "grey"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_sealed_file_must_still_make_sense(what):
    with pytest.raises(SaveError, match=r"\.$"):
        Mark1.restored(_resealed(TAMPERED[what]))


def test_restore_as_a_command_never_turns_back_time():
    old = Mark1(seed=1)
    old.present(np.ones(400))
    old.settle()
    machine = Mark1(seed=2)
    machine.run_until(10_000_000)
    number = machine.fact_number
    assert machine.restore(old.save())
    assert machine.now_us == 10_000_000
    assert machine.fact_number > number
    assert np.array_equal(machine.state().table, old.state().table)
