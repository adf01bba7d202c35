"""Rehearsal is training: whatever the preset, mode, system and faults, wherever it is stopped, save() is the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mark1 import EXPANDED, HISTORIC, IDEAL, PRESETS, Mark1
from mark1 import commands as c
from mark1.core import blocks, compiled
from mark1.core.config import MODES, POLARITIES, SYSTEMS
from mark1.core.engines import present_rows
from mark1.errors import CommandError

ENGINES = ["numpy", *(["compiled"] if compiled.available() else [])]
COMBINATIONS = list(itertools.product(PRESETS, MODES, SYSTEMS))
FEWER = max(4, settings().max_examples // 2)  # 54 combinations share the time


def _break(machine, rng):
    """Faults of every kind: motors, wipers, units, cells, wires, noise."""
    state = machine.state()
    units, k = len(state.active), len(state.states)
    every = state.config.response.split == "every"
    for unit in rng.integers(0, units, 6).tolist():
        response = int(rng.integers(k)) if every else None
        machine.submit(c.BreakMotor(unit, int(rng.choice([0, 300_000, 999_999])), response))
        machine.submit(c.BreakWiper(unit, int(rng.integers(0, 900_000)), response))
    machine.submit(c.PullUnit(tuple(set(rng.integers(0, units, 5).tolist()))))
    machine.submit(c.BreakCell(int(rng.integers(100)), "dead"))
    machine.submit(c.BreakCell(int(rng.integers(100)), "lit"))
    machine.submit(c.SetToggle(int(rng.integers(100)), "on"))
    machine.submit(c.CutWire(0, abs(int(state.table[0, 0])) - 1))
    machine.submit(c.SetThreshold(2, 7))
    machine.submit(c.Adjust("retina.noise_ppm", int(rng.choice([0, 600_000]))))


def _pair(preset, system, draw):
    """Two machines alike, with narrow stops now and then so that motors run into them."""
    rng = np.random.default_rng(draw["seed"])
    changes = {"low_uv": -1_700_000, "high_uv": 1_300_000} if draw["narrow"] and preset != "IDEAL" else {}
    config = PRESETS[preset].with_(
        retina__rows=10, retina__columns=10, association__units=60, response__in_use=draw["k"],
        reinforcement__system=system, reinforcement__polarity=draw["polarity"],
        reinforcement__decay_p=draw["decay"], reinforcement__beta_total_us=2_000_000,
        response__threshold_uv=draw["threshold"], reinforcement__run_us=draw["run_us"],
        **{f"potentiometer__{k}": v for k, v in changes.items()},
    )  # fmt: skip
    machines = [Mark1(config, draw["seed"]) for _ in range(2)]
    if draw["faults"]:
        for machine in machines:
            _break(machine, np.random.default_rng(draw["seed"] + 1))
    lights = (rng.random((draw["cards"], 100)) < 0.3) * rng.random((draw["cards"], 100))
    return machines, np.round(lights, 3), rng.integers(-1, 2, (draw["cards"], draw["k"]))


DRAW = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10**6),
        "k": st.integers(1, 8),
        "cards": st.integers(1, 9),
        "polarity": st.sampled_from(POLARITIES),
        "decay": st.sampled_from([0, 0, 20_000]),
        "threshold": st.sampled_from([0, 0, 250_000]),
        "run_us": st.sampled_from([250_000, 250_000, 15_000, 0]),
        "faults": st.booleans(),
        "narrow": st.booleans(),
        "order": st.sampled_from(["fixed", "shuffled"]),
        "stops": st.lists(st.integers(1, 7), max_size=5),
    }
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("preset", "mode", "system"), COMBINATIONS)
@settings(max_examples=FEWER)
@given(draw=DRAW)
def test_both_engines_make_the_same_machine(engine, preset, mode, system, draw):
    """One is trained by the event loop alone; the other is handed from engine to engine at random presentations."""
    (trained, rehearsed), lights, targets = _pair(preset, system, draw)
    words = {"mode": mode, "passes": 3, "order": draw["order"]}
    trained.train(lights, targets, **words)
    rehearsed.rehearse(lights, targets, **words, max_presentations=1, engine=engine)
    for turn, count in enumerate(draw["stops"]):
        if turn % 2:
            rehearsed.rehearse(max_presentations=count, engine=engine)
        else:
            rehearsed.train(max_presentations=count)
    rehearsed.rehearse(engine=engine)
    assert rehearsed.save() == trained.save()


@pytest.mark.parametrize("engine", ENGINES)
def test_rehearsal_goes_on_from_any_microsecond(engine):
    """Stopped in the middle of a card, rehearsal first lets the event loop finish it."""
    lights = (np.random.default_rng(3).random((5, 400)) < 0.3).astype(float)
    targets = np.where(np.eye(8)[:5] > 0, 1, -1)
    whole, broken = Mark1(seed=3), Mark1(seed=3)
    whole.train(lights, targets, passes=4)
    broken.submit(c.StartTraining(lights, targets, passes=4))
    for _ in range(6):
        if broken.state().training.running:
            broken.run_until(broken.now_us + 333_333)
            broken.rehearse(max_presentations=1, engine=engine)
    broken.rehearse(engine=engine)
    broken.run_until(max(broken.now_us, whole.now_us))
    assert broken.state().training.running is False
    assert np.array_equal(broken.state().values, whole.state().values)
    assert broken.state().fact_number == whole.state().fact_number


def test_one_fact_stands_for_a_whole_rehearsal():
    machine, told = Mark1(seed=1), []
    lights, targets = np.ones((2, 400)) * [[0.2], [0.9]], np.where(np.eye(8)[:2] > 0, 1, -1)
    machine.observe(told.append, strict=True)
    machine.rehearse(lights, targets, passes=2)
    last = told[-1]
    assert type(last).__name__ == "Rehearsed"
    assert (last.presentations, last.number) == (4, machine.fact_number)
    assert last.first_number == told[-2].number + 1


def test_until_correct_ends_after_a_pass_without_error():
    lights = (np.random.default_rng(1).random((6, 400)) < 0.3).astype(float)
    targets = np.where(np.eye(8)[:6] > 0, 1, -1)
    training = Mark1(seed=1).rehearse(lights, targets, passes=100, until_correct=True)
    assert training.outcome == "correct"
    assert training.error_history[-1] == 0
    assert all(training.error_history[:-1])


@pytest.mark.parametrize("words", [{"engine": "steam"}, {"max_presentations": 0}, {"passes": 0}, {"mode": "magic"}])
def test_nonsense_is_refused_in_a_sentence(words):
    with pytest.raises(CommandError, match=r"\.$"):
        Mark1().rehearse(np.zeros((1, 400)), np.ones((1, 8)), **words)


@pytest.mark.parametrize("system", ["alpha", "gamma"])
@pytest.mark.parametrize("config", [HISTORIC, IDEAL, EXPANDED])
def test_blocks_and_rows_hand_the_machine_to_each_other(monkeypatch, config, system):
    """Both ways within one hand, back and forth, and never a bit of difference."""
    monkeypatch.setattr(blocks, "STRETCH", 3)
    monkeypatch.setattr(blocks, "SMALLEST_BLOCK", 4)
    monkeypatch.setattr(blocks, "LARGEST_BLOCK", 4)
    ways = []
    monkeypatch.setattr(blocks, "present_rows", lambda *words: ways.append("rows") or present_rows(*words))
    put_back = blocks._Desk.put_back
    monkeypatch.setattr(blocks._Desk, "put_back", lambda desk: ways.append("blocks") or put_back(desk))
    lights = (np.random.default_rng(5).random((60, 400)) < 0.3).astype(float)
    targets = np.where(np.random.default_rng(6).random((60, 8)) < 0.5, 1, -1)
    targets[20:40] = 0  # nothing to correct: blocks
    made = config.with_(reinforcement__system=system)
    live, fast = Mark1(made, 2), Mark1(made, 2)
    live.train(lights, targets, passes=3)
    fast.rehearse(lights, targets, passes=3, engine="numpy")
    assert fast.save() == live.save()
    assert len(ways) > ways.index("blocks") + 1, "and back to rows"
