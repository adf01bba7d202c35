"""Bad input: one sentence from the library's own family, and a machine that is exactly as it was."""

import numpy as np
import pytest

from mark1 import HISTORIC, MachineConfig, Mark1
from mark1 import commands as c
from mark1.errors import ConfigError, InputError

GOOD = np.zeros(400)


def _nan():
    light = np.zeros(400)
    light[7] = np.nan
    return light


BAD = {
    "too few cells": c.PresentStimulus(np.zeros(399)),
    "too many dimensions": c.PresentStimulus(np.zeros((2, 20, 20))),
    "not a number": c.PresentStimulus(_nan()),
    "brighter than light": c.PresentStimulus(np.full(400, 1.01)),
    "darker than dark": c.PresentStimulus(np.full(400, -0.01)),
    "words for light": c.PresentStimulus("bright"),
    "a ragged list": c.PresentStimulus([[1, 2], [3]]),
    "no such R-unit": c.Reinforce(8, 1),
    "no direction": c.Reinforce(0, 0),
    "a run before its start": c.Reinforce(0, 1, -5),
    "a run of half a microsecond": c.Reinforce(0, 1, 0.5),
    "targets for other units": c.Teach([1, 1]),
    "an unknown mode": c.Teach([1] * 8, "by rote"),
    "an empty tray": c.StartTraining(np.zeros((0, 400)), np.zeros((0, 8))),
    "targets for other cards": c.StartTraining(np.zeros((2, 400)), np.ones((3, 8))),
    "a target of two": c.StartTraining(np.zeros((1, 400)), np.full((1, 8), 2)),
    "an unknown order": c.StartTraining(np.zeros((1, 400)), np.ones((1, 8)), order="reverse"),
    "passes below zero": c.StartTraining(np.zeros((1, 400)), np.ones((1, 8)), passes=-1),
    "no targets": c.StartTraining(np.zeros((1, 400)), None),
    "an unknown A-unit": c.PullUnit((512,)),
    "an A-unit below zero": c.PutBackUnit((-1,)),
    "a truth for a number": c.PullUnit((True,)),
    "an unknown cell": c.BreakCell(400, "dead"),
    "an unknown fault": c.BreakCell(0, "sleepy"),
    "an unknown switch": c.SetToggle(0, "half"),
    "a wire that is not there": c.CutWire(0, 399),
    "a wire of no kind": c.AddWire(0, 0, "neutral"),
    "too hot a threshold": c.SetThreshold(10**9),
    "a setting that is built in": c.Adjust("retina.rows", 10),
    "a negative dead zone": c.Adjust("response.dead_zone_uv", -1),
    "an unknown system": c.Adjust("reinforcement.system", "delta"),
    "a value beyond the stop": c.ReportPotentiometer(0, 11_000_001),
    "half a microvolt": c.LoadValues(np.full((1, 512), 0.5)),
    "values for another rack": c.LoadValues(np.zeros((8, 512))),
    "a motor in better than good health": c.BreakMotor(0, 1_000_001),
    "noise below zero": c.BreakWiper(0, -1),
    "a potentiometer that is not there": c.ReportPotentiometer(0, 0, response=3),
    "one code for two classes": c.AssignCodes(("a", "b"), (1, 1)),
    "a code of nought": c.AssignCodes(("a",), (0,)),
    "more names than codes": c.AssignCodes(("a", "b"), (1,)),
    "a code too large": c.AssignCodes(("a",), (256,)),
    "a table for other units": c.Rewire(table=((1,),)),
    "a wire to nowhere": c.Rewire(table=((401,),) + ((),) * 511),
    "two wires to one cell": c.Rewire(table=((1, -1),) + ((),) * 511),
    "more R-units than there are": c.Rewire(in_use=9),
    "undoing nothing": c.Undo(0),
    "bytes that are no machine": c.Restore(b"MARK1"),
    "a note without a name": c.SetNote("", "text"),
    "not a command at all": "present",
}


@pytest.mark.parametrize("what", BAD)
def test_nonsense_is_refused_in_a_sentence_and_leaves_no_trace(what):
    machine, told = Mark1(seed=1), []
    machine.present(GOOD)
    machine.settle()
    machine.observe(told.append)
    before = machine.save()
    with pytest.raises(InputError) as refusal:
        machine.submit(BAD[what])
    assert str(refusal.value).rstrip().endswith((".", "?"))
    assert machine.save() == before
    assert told == []


CONFIGS = {
    "no rows": {"retina__rows": 0},
    "a fraction": {"retina__rows": 20.0},
    "more wires than cells": {"plugboard__excitatory": 300, "plugboard__inhibitory": 101},
    "more wires than the limit allows": {"plugboard__excitatory": 20, "plugboard__inhibitory": 20},
    "an unknown layout": {"plugboard__layout": "spiral"},
    "too many R-units in use": {"response__in_use": 9},
    "one stop only": {"potentiometer__low_uv": None},
    "stops the wrong way round": {"potentiometer__high_uv": -5},
    "decay of more than all": {"reinforcement__decay_p": 2, "reinforcement__decay_q": 1},
    "a misspelt name": {"retina__row": 3},
    "an unknown part": {"camera": {}},
    "fewer A-units than R-units": {"association__units": 4},
}


@pytest.mark.parametrize("what", CONFIGS)
def test_an_impossible_configuration_names_the_field(what):
    with pytest.raises(ConfigError) as refusal:
        HISTORIC.with_(**CONFIGS[what])
    fields = ("retina", "plugboard", "response", "potentiometer", "reinforcement", "camera")
    assert any(word in str(refusal.value) for word in fields)


def test_a_misspelt_setting_is_answered_with_the_nearest_one():
    with pytest.raises(ConfigError, match="did you mean rows"):
        MachineConfig.from_dict({"retina": {"rowz": 3}})


def test_a_configuration_survives_the_way_to_plain_data_and_back():
    config = HISTORIC.with_(response__in_use=5, plugboard__layout="topological")
    assert MachineConfig.from_dict(config.to_dict()) == config


@pytest.mark.parametrize(("rows", "columns"), [(1, 3), (8, 8), (32, 16), (64, 64)])
def test_retinas_of_other_sizes_work(rows, columns):
    wires = min(3, rows * columns - 1)
    machine = Mark1(HISTORIC.with_(
        retina__rows=rows, retina__columns=columns, plugboard__excitatory=wires, plugboard__inhibitory=0,
        plugboard__fan_out_limit=0))  # fmt: skip
    machine.present(np.ones((rows, columns)))
    machine.settle()
    assert machine.state().active.all()
