"""The theory on real machines: activity read through the door, and the rack's theorem against the simulated motors."""

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, IDEAL, Mark1
from mark1.commands import BreakCell, BreakMotor, BreakWiper, PullUnit, ResetValues
from mark1.errors import InputError
from mark1.theory.findings import examine, findings_of, judge
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import make_problem
from mark1.theory.rack import make_rack
from mark1.theory.response import activity, new_shafts, rack_of, response_problem, response_problems, values_of
from mark1.theory.training import account_of, examine_response


def random_cards(seed, cards, responses):
    rng = np.random.default_rng(seed)
    lights = np.array([np.kron(rng.random((5, 5)) < 0.5, np.ones((4, 4))).ravel() for _ in range(cards)])
    return lights, rng.choice([-1, 1], (cards, responses)).astype(np.int8)


def small(config, **changes):
    return config.with_(association__units=120, response__in_use=2, **changes)


CONFIGS = {
    "historic": small(HISTORIC),
    "expanded": small(EXPANDED),
    "ideal": small(IDEAL),
    "tight stops": small(HISTORIC, potentiometer__low_uv=-2_500_000, potentiometer__high_uv=2_500_000),
    "uneven motors": small(HISTORIC, potentiometer__spread_ppm=500_000, potentiometer__backlash_uv=400_000),
    "uneven stops": small(HISTORIC, potentiometer__low_uv=-1_500_000, potentiometer__high_uv=6_000_000),
    "odd backlash": small(HISTORIC, potentiometer__backlash_uv=333_333),
    "threshold": small(HISTORIC, response__threshold_uv=900_000, response__dead_zone_uv=600_000),
}


def learn_and_hold(config, seed, *faults):
    """Trains a machine and holds each R-unit's corrections against its bound; says how many bounds there were."""
    lights, targets = random_cards(seed, 12, 2)
    machine = Mark1(config, seed)
    assert all(machine.submit(fault) for fault in faults)
    machine.rehearse(lights, targets, passes=400, until_correct=True)
    bounds = count_bounds(machine, lights, targets)
    assert faults or not bounds or machine.state().training.outcome == "correct"
    return bounds, machine.state().end_stops


def count_bounds(machine, lights, targets):
    """How many R-units have a bound; none may have made more corrections in its last training."""
    state, account, bounds = machine.state(), account_of(machine, lights, targets), 0
    assert account.why_not == ""
    for at in response_problems(activity(machine, lights), targets, state.feeds):
        *_, found = examine_response(state, at, account)
        if found.rack_bound is not None:
            assert found.comparable and state.training.corrected[at.response] <= found.rack_bound
            bounds += 1
    return bounds


FAULTS = {
    "stuck motors": [BreakMotor(unit, 0) for unit in range(0, 120, 7)],
    "slow motors": [BreakMotor(unit, 300_000) for unit in range(0, 120, 5)],
    "worn wipers": [BreakWiper(unit, 40_000) for unit in range(0, 120, 9)],
    "pulled units": [PullUnit((3, 8, 40, 41))],
    "broken cells": [BreakCell(cell, "lit") for cell in range(0, 400, 31)],
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_that_stay_are_inside_the_theorem(name):
    assert sum(learn_and_hold(CONFIGS["historic"], seed, *FAULTS[name])[0] for seed in range(3)) >= 2


def test_a_second_training_begins_where_the_gears_stand():
    """Values reset to zero, but the lash stays as the first training left it: the bound starts from there."""
    lights, targets = random_cards(1, 12, 2)
    machine = Mark1(small(HISTORIC, potentiometer__backlash_uv=400_001), 1)
    machine.rehearse(lights, targets, passes=400, until_correct=True)
    assert machine.submit(ResetValues())
    machine.rehearse(lights, targets, passes=400, until_correct=True)
    account = account_of(machine, lights, targets)
    assert not account.values.any() and len(np.unique(account.lash)) > 1
    assert count_bounds(machine, lights, targets) >= 1
    machine.rehearse(lights, -targets, passes=400, until_correct=True)  # and from values learned
    assert account_of(machine, lights, -targets).values.any()
    count_bounds(machine, lights, -targets)


def test_a_new_machine_of_odd_backlash_starts_half_a_microvolt_low():
    machine = Mark1(CONFIGS["odd backlash"], 1)
    at = response_problem(np.eye(120, dtype=bool)[:4], np.ones((4, 2)), machine.state().feeds, 0)
    assert set(new_shafts(rack_of(machine.state(), at))) == {-0.5}


@pytest.mark.parametrize("name", CONFIGS)
def test_no_machine_makes_more_corrections_than_its_bound(name):
    assert sum(learn_and_hold(CONFIGS[name], seed)[0] for seed in range(4)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_no_machine_of_many_makes_more_corrections_than_its_bound(name):
    assert sum(learn_and_hold(CONFIGS[name], seed)[0] for seed in range(4, 80)) >= 40


def test_stops_bite_and_the_bound_still_holds():
    """Large steps against near stops: potentiometers do reach them, and the theorem still counts right."""
    config = small(IDEAL, potentiometer__low_uv=-2_200_000, potentiometer__high_uv=2_200_000)
    counts = [learn_and_hold(config, seed) for seed in range(8)]
    assert sum(1 for bounds, stops in counts if bounds and stops) >= 4


def test_ideal_machine_is_the_perceptron():
    lights, targets = random_cards(3, 14, 2)
    machine = Mark1(CONFIGS["ideal"], 7)
    machine.rehearse(lights, targets, passes=400, until_correct=True)
    state = machine.state()
    for at in response_problems(activity(machine, lights), targets, state.feeds):
        run = run_perceptron(at.problem)
        assert np.array_equal(values_of(state, at), run.w * 550_000)
        assert state.corrections[at.response] == run.corrections


def test_asking_for_activity_leaves_the_machine_as_it_was():
    lights, targets = random_cards(1, 5, 2)
    machine = Mark1(CONFIGS["historic"], 1)
    machine.train(lights, targets, passes=3, max_presentations=7)
    before = machine.save()
    activity(machine, lights)
    assert machine.save() == before


def test_activity_is_what_the_wires_say():
    lights, _ = random_cards(2, 6, 2)
    machine = Mark1(CONFIGS["historic"], 5)
    state = machine.state()
    for light, row in zip(lights, activity(machine, lights), strict=True):
        excitation = [sum(np.sign(w) * (light[abs(w) - 1] >= 0.5) for w in wires if w) for wires in state.table]
        assert np.array_equal(row, np.array(excitation) >= state.thresholds)


def test_many_to_one_gives_each_response_its_own_units_and_target_zero_is_not_asked():
    active = np.eye(6, dtype=bool)
    feeds = np.array([[0, 1, 0, 1, 0, 1]])
    targets = np.array([[1, 0], [-1, 0], [1, 1], [0, -1], [0, 1], [0, 0]])
    first = response_problem(active, targets, feeds, 0)
    second = response_problem(active, targets, feeds, 1)
    assert first.units.tolist() == [0, 2, 4] and first.cards.tolist() == [0, 1, 2]
    assert second.units.tolist() == [1, 3, 5] and second.cards.tolist() == [2, 3, 4]
    assert response_problem(active, np.zeros((6, 2)), feeds, 0) is None


def test_targets_must_fit_the_cards():
    with pytest.raises(InputError, match="a row for each"):
        response_problem(np.eye(3, dtype=bool), np.ones((2, 1)), np.zeros((1, 3)), 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"reinforcement__system": "gamma"},
        {"reinforcement__decay_p": 5},
        {"retina__noise_ppm": 1000},
        {"reinforcement__polarity": "monovalent"},
        {"reinforcement__run_us": 10_000},
    ],
)
def test_where_the_theorem_does_not_reach_there_is_no_rack(changes):
    machine = Mark1(small(HISTORIC, **changes), 1)
    at = response_problem(np.eye(120, dtype=bool)[:4], np.ones((4, 2)), machine.state().feeds, 0)
    assert rack_of(machine.state(), at) is None


def test_findings_grow_and_only_the_last_is_complete():
    problem = make_problem([[1, 1, 0], [0, 1, 1]], [1, -1])
    stages = list(examine(problem, make_rack(np.ones(3), stop=20.0)))
    assert [s.complete for s in stages] == [False, False, True]
    assert stages[0].separable and stages[0].gamma is None
    assert stages[1].ideal_bound is not None and stages[1].rack_bound is None
    assert stages[2].rack_bound is not None and stages[2].bound_words.startswith("A new machine")
    assert stages[2].fits_inside is True


def test_findings_of_an_inseparable_problem_have_no_bound():
    found = findings_of(make_problem([[1, 0], [1, 0], [0, 1]], [1, -1, 1]), make_rack(np.ones(2)))
    assert (found.separable, found.rack_bound, found.ideal_bound, found.reason) == (False, None, None, "one point")
    assert found.proof_samples == (0, 1)


def test_values_that_need_more_than_the_stops_allow_are_told():
    problem = make_problem([[1, 1], [1, 0]], [1, -1])
    assert findings_of(problem, make_rack(np.ones(2), stop=4.0, dead_zone=3.0)).fits_inside is False
    assert findings_of(problem, make_rack(np.ones(2), stop=4.0, dead_zone=1.0)).fits_inside is True


@pytest.mark.parametrize("threshold", [5.0, -5.0])
def test_threshold_changes_what_can_be_learned(threshold):
    """A blind card has sum 0, which is below a positive threshold: right if its target is -1."""
    for label in (1, -1):
        problem = make_problem([[0, 0], [1, 0], [0, 1]], [label, 1, -1])
        assert judge(problem, threshold).separable is bool(label == -np.sign(threshold))
        assert judge(problem).separable is False
