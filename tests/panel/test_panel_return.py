"""Nothing is lost by one touch: NEW SEED, OPEN and Escape can be taken back."""

from typing import Any

import numpy as np

from mark1 import HISTORIC, Mark1
from mark1 import commands as c
from mark1.panel.filing import Services


def two_classes() -> Mark1:
    machine = Mark1(HISTORIC.with_(response__in_use=2), seed=7)
    machine.submit(c.AssignCodes(("E", "X"), (1, 2)))
    machine.submit(c.SetThreshold(2))
    return machine


def shelf_of(machine: Mark1) -> Services:
    return Services(names=lambda: ["other.mark1"], read=lambda name: machine.save())


def open_other(person: Any) -> None:
    person.key(ord("o"), "o")
    person.touch("files.0")


def test_undo_after_a_new_seed_brings_the_trained_machine_back(sit: Any) -> None:
    person = sit()
    person.learn()
    values = person.machine.state().values.copy()
    person.key(ord("n"), "n")
    assert "UNDO" in person.desk.message and not person.machine.state().values.any()
    person.touch("undo")
    state = person.machine.state()
    assert (state.seed, state.codebook.names) == (1960, tuple("ABCDEFGH"))
    assert (state.values == values).all()
    assert person.desk.message == "The machine from seed 1960 is back."


def test_undo_first_takes_back_what_was_done_to_the_new_machine(sit: Any) -> None:
    person = sit()
    person.touch("break")
    person.key(ord("n"), "n")
    person.touch("rewire")
    person.touch("teach")  # refused: no step
    steps = []
    for _ in range(3):
        steps.append(person.desk.undo_steps(person.machine.state()))
        person.touch("undo")
    assert steps == [3, 2, 1]
    assert person.machine.state().seed == 1960 and not person.machine.state().pulled.any()
    person.touch("undo")
    assert person.desk.message == "There is nothing to undo."


def test_two_new_seeds_are_two_steps(sit: Any) -> None:
    person = sit()
    for _ in range(2):
        person.key(ord("n"), "n")
    person.touch("undo")
    assert person.machine.state().seed == 1961
    person.touch("undo")
    assert person.machine.state().seed == 1960


def test_undo_right_after_opening_brings_the_machine_before_it_back(sit: Any) -> None:
    person = sit(services=shelf_of(two_classes()))  # the opened one has a step of its own, which is not meant
    person.touch("break")
    open_other(person)
    person.touch("undo")
    state = person.machine.state()
    assert (state.seed, state.pulled.sum(), state.codebook.names) == (1960, 100, tuple("ABCDEFGH"))


def test_a_new_seed_after_a_machine_of_other_cards_is_for_the_tray_again(sit: Any) -> None:
    person = sit(services=shelf_of(two_classes()))
    open_other(person)
    assert person.desk.message.startswith("Opened other.mark1: not made for these cards.")
    person.key(ord("n"), "n")
    state = person.machine.state()
    assert (state.codebook.names, len(state.sums)) == (tuple("ABCDEFGH"), 8)
    person.touch("train")
    assert person.machine.state().training.running


def test_a_refused_new_seed_leaves_nothing_to_undo(sit: Any) -> None:
    person = sit()
    person.touch("train")
    person.key(ord("n"), "n")
    assert person.machine.seed == 1960
    assert person.desk.undo_steps(person.machine.state()) == 1


def test_hand_looks_at_an_r_unit_that_the_opened_machine_has(sit: Any) -> None:
    person = sit(services=shelf_of(two_classes()))
    person.tap(*person.panel.stage.arrangement.boxes["response.7"].centre)
    open_other(person)
    assert person.desk.response == 1
    assert np.isfinite(person.machine.state().sums[person.desk.response])
