"""The journal: whatever a machine lives through, its journal replays it to the last byte."""

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from mark1 import EXPANDED, HISTORIC, IDEAL, Mark1
from mark1 import commands as c
from mark1.errors import SaveError
from mark1.journal import Journal, read_lines, replay

SMALL = {"association__units": 48, "retina__rows": 6, "retina__columns": 6, "response__in_use": 3}
UNIT, CELL, RESPONSE = st.integers(0, 47), st.integers(0, 35), st.integers(0, 2)


class AnyLife(RuleBasedStateMachine):
    """A monkey at the controls; at the end the journal is replayed and must give the same machine."""

    @initialize(preset=st.sampled_from([HISTORIC, IDEAL, EXPANDED]), seed=st.integers(0, 999))
    def build(self, preset, seed):
        self.machine = Mark1(preset.with_(**SMALL), seed)
        self.every = preset is EXPANDED
        self.file = io.StringIO()
        self.journal = Journal(self.machine, self.file)

    @rule(bits=st.integers(0, 2**36 - 1))
    def show_a_card(self, bits):
        self.machine.present([float(bits >> n & 1) for n in range(36)])

    @rule(shade=st.floats(0, 1))
    def show_a_grey_card(self, shade):
        self.machine.present(np.full(36, shade))

    @rule(us=st.integers(0, 400_000))
    def let_time_pass(self, us):
        self.machine.run_until(self.machine.now_us + us)

    @rule()
    def settle(self):
        self.machine.settle()

    @rule(response=RESPONSE, direction=st.sampled_from([-1, 1]), run_us=st.integers(0, 600_000))
    def reinforce(self, response, direction, run_us):
        self.machine.reinforce(response % self.in_use(), direction, run_us)

    def in_use(self):
        return self.machine.config.response.in_use

    @rule(seed=st.integers(0, 99), passes=st.integers(1, 3), order=st.sampled_from(["fixed", "shuffled"]))
    def start_training(self, seed, passes, order):
        rng = np.random.default_rng(seed)
        lights, targets = (rng.random((3, 36)) < 0.4).astype(float), rng.integers(-1, 2, (3, self.in_use()))
        self.machine.submit(c.StartTraining(lights, targets, "error correction", passes, order))

    @rule(sign=st.sampled_from([-1, 0, 1]), kind=st.sampled_from([list, tuple, np.int8, np.int64]))
    def teach(self, sign, kind):
        targets = np.array([1, -1, sign])[: self.in_use()]
        self.machine.submit(c.Teach(kind(targets) if kind in (list, tuple) else targets.astype(kind)))

    @rule(count=st.integers(1, 4))
    def rehearse(self, count):
        if self.machine.state().training.running:
            self.machine.rehearse(max_presentations=count)

    @rule(seed=st.integers(0, 99), kind=st.integers(0, 4))
    def change_much(self, seed, kind):
        values = np.random.default_rng(seed).integers(-(10**6), 10**6, self.machine.state().values.shape)
        command = [
            c.Rewire(seed=seed), c.Rewire(in_use=1 + seed % 3), c.LoadValues(values), c.ClearRetina(),
            c.Restore(Mark1(HISTORIC.with_(**SMALL), seed).save()),
        ][kind]  # fmt: skip
        if self.machine.submit(command) and kind == 4:
            self.every = False

    @rule(unit=UNIT, cell=CELL, response=RESPONSE, kind=st.integers(0, 9))
    def fiddle(self, unit, cell, response, kind):
        pot = response % self.in_use() if self.every else None
        command = [
            c.StopTraining(), c.ResumeTraining(), c.Undo(), c.Rewind(), c.PullUnit((unit,)), c.PutBackUnit((unit,)),
            c.BreakCell(cell, "lit"), c.BreakWiper(unit, 10_000, pot), c.ReportPotentiometer(unit, 77_000, pot),
            c.Adjust("retina.noise_ppm", 200_000),
        ][kind]  # fmt: skip
        self.machine.submit(command)

    def teardown(self):
        if not hasattr(self, "machine"):
            return
        self.journal.close()
        lines = [json.loads(line) for line in self.file.getvalue().splitlines()]
        assert replay(lines).save() == self.machine.save()


TestAnyLife = AnyLife.TestCase


def _journal(machine, live):
    file = io.StringIO()
    journal = Journal(machine, file)
    live()
    journal.close()
    return file.getvalue()


def test_a_card_is_written_once_however_often_it_is_shown():
    machine = Mark1()
    light = np.round(np.random.default_rng(0).random(400))

    def live():
        for _ in range(3):
            machine.present(light)
            machine.settle()

    assert _journal(machine, live).count("new_card") == 1


def test_a_journal_can_begin_in_the_middle_of_a_life():
    machine = Mark1(seed=4)
    machine.submit(c.StartTraining(np.eye(400)[:5], np.ones((5, 8)), passes=3))
    machine.run_until(123_456)
    text = _journal(machine, lambda: machine.train())
    assert replay(map(json.loads, text.splitlines())).save() == machine.save()


@given(st.integers(1, 200))
def test_a_journal_that_broke_off_replays_to_where_it_broke(cut):
    """As after kill -9: the last line is half there, and is left out; the event it belongs to is served whole."""
    machine = Mark1(seed=4)
    text = _journal(machine, lambda: machine.train(np.eye(400)[:5], np.ones((5, 8)), passes=2))
    lines = text[:-cut].splitlines(keepends=True)
    kept = [json.loads(line) for line in lines if line.endswith("\n")]
    last = max((line for line in kept if "n" in line), key=lambda line: line["n"])
    replayed = replay(kept)
    assert replayed.now_us == last["at_us"]
    assert last["n"] <= replayed.fact_number <= last["n"] + 4


@pytest.mark.parametrize(
    "text", ["", "not json\n", "[]\n", '{"a": 1}\n', '{"journal": 99}\n', '{"journal": 1, "seed": 1}\n', "\xff\n"]
)
def test_what_is_no_journal_is_refused_in_a_sentence(text, tmp_path):
    path = tmp_path / "journal"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(SaveError, match=r"\.$"):
        replay(read_lines(path))


def test_replay_notices_a_command_that_never_was():
    text = _journal(Mark1(), lambda: None).splitlines()
    text.insert(1, '{"n":1,"at_us":0,"served":0,"command":"Explode"}')
    with pytest.raises(SaveError, match="does not replay"):
        replay(map(json.loads, text))
