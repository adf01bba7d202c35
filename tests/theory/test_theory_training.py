"""A count stands beside a bound only when nothing but this training made it. The leaks an outside check found."""

import numpy as np
import pytest

from mark1 import HISTORIC, Mark1
from mark1.commands import (
    Adjust,
    AssignCodes,
    BreakMotor,
    LoadValues,
    PresentStimulus,
    PullUnit,
    PutBackUnit,
    Reinforce,
    ResumeTraining,
    Rewind,
    Rewire,
    StartTraining,
    StopTraining,
    Teach,
)
from mark1.theory.findings import NEW_MACHINE, THIS_TRAINING
from mark1.theory.response import activity, response_problems
from mark1.theory.training import account_of, bound_sentence, examine_response, stands_beside

UNITS = 6
CARDS = np.array([[1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1]], float)
TARGETS = np.array([[1], [-1], [1]], np.int8)


def new_machine(**settings):
    """Six cells, six A-units, each wired to one cell: a card lights the A-units it shows."""
    config = HISTORIC.with_(
        retina__rows=1, retina__columns=UNITS, plugboard__excitatory=1, plugboard__inhibitory=0,
        plugboard__fan_out_limit=0, association__units=UNITS, response__units=1, response__in_use=1, **settings,
    )  # fmt: skip
    machine = Mark1(config, 3)
    assert machine.submit(Rewire(table=[[unit + 1] for unit in range(UNITS)]))
    return machine


def findings(machine, lights=CARDS, targets=TARGETS):
    account = account_of(machine, lights, targets)
    at = response_problems(activity(machine, lights), targets, machine.state().feeds)[0]
    *_, last = examine_response(machine.state(), at, account)
    return last


def taught_after_training():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=50, until_correct=True)
    for _ in range(60):
        machine.submit(Teach([-1]))
    machine.settle()
    return machine


def reinforced_by_hand_while_stopped():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=300, max_presentations=3)
    machine.submit(StopTraining())
    machine.settle()
    assert machine.submit(Reinforce(0, -1, 600_000_000))
    machine.settle()
    assert machine.submit(ResumeTraining())
    machine.train(max_presentations=600)
    return machine


def loaded_while_training():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=300, max_presentations=3)
    assert machine.submit(LoadValues(np.full((1, UNITS), -11e6)))
    machine.train(max_presentations=600)
    return machine


def dead_zone_turned_down_afterwards():
    machine = new_machine(response__dead_zone_uv=9_000_000)
    machine.train(CARDS, TARGETS, passes=300, until_correct=True)
    assert machine.submit(Adjust("response.dead_zone_uv", 0))
    return machine


def decay_switched_off_afterwards():
    machine = new_machine(reinforcement__decay_p=300_000)
    machine.train(CARDS, TARGETS, passes=300)
    assert machine.submit(Adjust("reinforcement.decay_p", 0))
    return machine


def units_put_back_afterwards():
    machine = new_machine()
    assert machine.submit(PullUnit((0, 4, 5)))
    machine.train(CARDS, TARGETS, passes=100)
    assert machine.submit(PutBackUnit((0, 4, 5)))
    return machine


LEAKS = [
    taught_after_training,
    reinforced_by_hand_while_stopped,
    loaded_while_training,
    dead_zone_turned_down_afterwards,
    decay_switched_off_afterwards,
    units_put_back_afterwards,
]


@pytest.mark.parametrize("leak", LEAKS)
def test_a_disturbed_count_does_not_stand_beside_the_bound(leak):
    """Each of these machines has made more corrections than a new one could: the bound says nothing about them."""
    machine = leak()
    found, made = findings(machine), int(machine.state().corrections[0])
    assert made > found.rack_bound  # the leak is real
    assert not found.comparable and found.bound is None and found.bound_for == NEW_MACHINE
    words = bound_sentence(found, made)
    assert words == (
        f"A new machine with these settings would need at most {found.rack_bound} corrections; this machine's own "
        "count is not comparable: since that training began something else has touched its values, wiring or settings."
    )


def test_an_undisturbed_training_is_held_against_its_bound():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=50, until_correct=True)
    found, made = findings(machine), int(machine.state().training.corrected[0])
    assert found.comparable and found.bound_for == THIS_TRAINING and made <= found.bound
    assert bound_sentence(found, made) == (
        f"{made} corrections made; at most {found.rack_bound} are possible for this rack (proved: training by error "
        "correction from a new machine, settings unchanged, cards in any order)."
    )


def test_looking_stopping_and_naming_do_not_disturb():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=300, max_presentations=2)
    for command in (StopTraining(), PresentStimulus(CARDS[2]), AssignCodes(("a",), (1,)), ResumeTraining()):
        assert machine.submit(command)
    machine.train(max_presentations=300)
    assert findings(machine).comparable


def test_a_machine_stopped_with_motors_running_and_resumed_is_still_its_own_training():
    machine = new_machine()
    machine.submit(StartTraining(CARDS, TARGETS, "error correction", 50, "fixed", True))
    while not machine.state().motors.any():
        machine.run_until(machine.next_us)
    machine.submit(StopTraining())
    machine.submit(ResumeTraining())
    machine.train()
    found = findings(machine)
    assert found.comparable and machine.state().training.corrected[0] <= found.bound


def test_rewinding_counts_from_the_start_again():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=50, until_correct=True)
    made = machine.state().training.corrected[0]
    assert machine.submit(Rewind()) and machine.state().training.corrected[0] == 0
    assert machine.submit(ResumeTraining())
    machine.train()
    assert machine.state().training.corrected[0] == made and findings(machine).comparable


def test_a_start_from_other_values_has_a_bound_of_its_own():
    machine = new_machine()
    assert machine.submit(LoadValues(np.array([[-4e6, 0, 0, 4e6, 0, 0]])))
    machine.train(CARDS, TARGETS, passes=100, until_correct=True)
    found, made = findings(machine), int(machine.state().training.corrected[0])
    assert found.comparable and not found.from_new and made <= found.bound
    assert "from the values it began with" in bound_sentence(found, made)
    fresh = new_machine()
    fresh.train(CARDS, TARGETS, passes=100, until_correct=True)
    assert findings(fresh).bound < made  # the bound of a new machine would have been wrong


@pytest.mark.parametrize(
    ("lights", "targets", "mode", "words"),
    [
        (CARDS[::-1], TARGETS, "error correction", "other cards"),
        (CARDS, -TARGETS, "error correction", "other answers to these cards"),
        (CARDS, TARGETS, "forced", "by forced learning"),
        (CARDS, -TARGETS, "spontaneous", "by spontaneous learning"),
    ],
)
def test_other_cards_and_other_modes_are_not_comparable(lights, targets, mode, words):
    machine = new_machine()
    machine.rehearse(CARDS, TARGETS, mode=mode, passes=3)
    assert words in account_of(machine, lights, targets).why_not


def test_a_machine_that_was_never_trained_has_no_count():
    machine = new_machine()
    assert account_of(machine, CARDS, TARGETS).why_not == "the machine has not been trained"


def test_a_display_that_looks_later_sees_the_disturbance():
    machine = new_machine()
    machine.train(CARDS, TARGETS, passes=300, max_presentations=2)
    found = findings(machine)
    assert stands_beside(found, machine.state().training)
    assert machine.submit(BreakMotor(0, 500_000))
    assert found.comparable and not stands_beside(found, machine.state().training)


def test_without_a_bound_the_textbook_value_is_given_as_no_limit():
    stops = {"potentiometer__low_uv": -300_000, "potentiometer__high_uv": 300_000}
    machine = new_machine(response__dead_zone_uv=100_000, **stops)
    machine.train(CARDS, TARGETS, passes=10)
    found = findings(machine)
    assert found.rack_bound is None and found.none_exists and not found.comparable
    assert bound_sentence(found, 17) == (
        "No proven bound for this rack: no setting inside the stops leaves enough margin. Textbook value without "
        f"stops, dead zone and backlash: {found.ideal_bound} (not a limit for this machine)."
    )


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("reinforcement__system", "gamma", "the gamma system"),
        ("reinforcement__decay_p", 5, "decay"),
        ("retina__noise_ppm", 1000, "noisy cells"),
        ("reinforcement__polarity", "monovalent", "one direction"),
        ("reinforcement__run_us", 10_000, "too short"),
    ],
)
def test_where_the_theorem_does_not_reach_it_says_why(setting, value, words):
    found = findings(new_machine(**{setting: value}))
    assert found.rack_bound is None and words in bound_sentence(found, 0)
    assert "(not a limit for this machine)" in bound_sentence(found, 0)


def test_a_training_that_starts_while_motors_run_has_no_known_start():
    machine = new_machine()
    machine.submit(StartTraining(CARDS, TARGETS, "error correction", 50, "fixed", True))
    while not machine.state().motors.any():
        machine.run_until(machine.next_us)
    machine.submit(StopTraining())
    machine.submit(StartTraining(CARDS, TARGETS, "error correction", 50, "fixed", True))
    machine.train()
    assert not findings(machine).comparable
