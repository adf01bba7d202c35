"""Orders at awkward moments: what runs is not disturbed, what waits is dropped, time never goes back."""

import numpy as np
import pytest

from mark1 import HISTORIC, IDEAL, Mark1
from mark1 import commands as c
from mark1.core.machine import UNDO_POINTS
from mark1.errors import CommandError

CARDS = (np.random.default_rng(1).random((6, 400)) < 0.3).astype(float)
TARGETS = np.where(np.eye(8)[:6] > 0, 1, -1)


def told(machine: Mark1, name: str) -> list:
    """The facts of one name, from now on."""
    heard: list = []
    machine.observe(lambda fact: heard.append(fact) if type(fact).__name__ == name else None)
    return heard


def run_to(machine: Mark1, heard: list) -> None:
    while not heard:
        assert machine.next_us is not None
        machine.run_until(machine.next_us)


def in_flight(config=HISTORIC) -> Mark1:
    """A machine whose motors run, by hand."""
    machine = Mark1(config, seed=1)
    machine.present(CARDS[0])
    machine.settle()
    machine.reinforce(0, 1, run_us=3_000_000)
    machine.run_until(machine.now_us + 1_000_000)
    return machine


def test_stopping_drops_the_reinforcements_that_still_wait():
    machine = Mark1(HISTORIC.with_(reinforcement__system="beta"), seed=1)
    applied = told(machine, "ReinforcementApplied")
    machine.submit(c.StartTraining(CARDS, TARGETS, passes=1))
    run_to(machine, applied)
    machine.submit(c.StopTraining())
    machine.settle()
    assert len(applied) == 1, "beta's other R-units waited for the whole rack; nobody waits for them any more"


@pytest.mark.parametrize("command", [c.ReportPotentiometer, c.BreakMotor, c.BreakWiper])
def test_a_potentiometer_is_not_touched_while_its_motor_runs(command):
    machine = in_flight()
    state = machine.state()
    moving = int(np.flatnonzero(state.motors[0])[0])
    resting = int(np.flatnonzero(state.motors[0] == 0)[0])
    assert not machine.submit(command(moving, 0))
    assert machine.submit(command(resting, 0))


@pytest.mark.parametrize("command", [c.Rewire(seed=5), c.PullUnit((3,)), c.Undo(1)])
def test_what_needs_rest_waits_for_the_motors(command):
    machine = in_flight()
    assert not machine.submit(command)
    machine.settle()
    assert machine.submit(command)


def test_a_restored_machine_goes_on_later_with_its_motors_in_flight():
    flying = in_flight()
    left_us = flying.next_us - flying.now_us
    machine = Mark1(seed=2)
    machine.run_until(10 * flying.now_us)
    before = machine.now_us
    machine.restore(flying.save())
    assert machine.now_us == before
    assert machine.next_us == before + left_us
    machine.settle()
    flying.settle()
    assert (machine.state().values == flying.state().values).all()


def test_as_many_steps_can_be_undone_as_the_machine_keeps():
    machine = Mark1()
    for cell in range(UNDO_POINTS + 1):
        machine.submit(c.SetToggle(cell, "on"))
    assert machine.state().undo_points == UNDO_POINTS
    machine.submit(c.Undo(UNDO_POINTS))
    assert np.flatnonzero(machine.state().toggles).tolist() == [0]


def test_undo_leaves_the_codes_of_the_classes_alone():
    machine = Mark1()
    machine.submit(c.AssignCodes(("E", "X"), (1, 2)))
    assert machine.state().undo_points == 0
    for cell in range(UNDO_POINTS):
        machine.submit(c.SetToggle(cell, "on"))
    machine.submit(c.AssignCodes(("E", "Y"), (1, 2)))
    machine.submit(c.Undo(UNDO_POINTS))
    assert machine.state().codebook.names == ("E", "Y")
    assert Mark1.restored(machine.save()).state().codebook.names == ("E", "Y")


def test_rewinding_keeps_the_codes_too():
    machine = Mark1()
    machine.train(CARDS, np.ones((len(CARDS), 8), np.int8), passes=1)
    machine.submit(c.AssignCodes(("E", "X"), (1, 2)))
    assert machine.submit(c.Rewind())
    assert machine.state().codebook.names == ("E", "X")


def test_undo_brings_back_codes_only_if_fewer_r_units_are_in_use_again():
    machine = Mark1(HISTORIC.with_(response__in_use=2))
    machine.submit(c.AssignCodes(("E", "X"), (1, 2)))
    machine.submit(c.Rewire(in_use=8))
    machine.submit(c.Undo())
    assert machine.state().codebook.codes == (1, 2)
    machine.submit(c.Rewire(in_use=8))
    machine.submit(c.AssignCodes(("A", "H"), (1, 128)))
    machine.submit(c.Undo())
    assert machine.state().codebook.codes == (1, 2)  # two R-units cannot say 128
    assert Mark1.restored(machine.save()).state().codebook.codes == (1, 2)


def test_values_decay_only_where_a_wiper_is_free_to_move():
    config = IDEAL.with_(reinforcement__decay_p=1, reinforcement__decay_q=2)
    machine = Mark1(config, seed=1)
    machine.submit(c.LoadValues(np.full(machine.state().values.shape, 1_000)))
    machine.submit(c.PullUnit((7,)))
    machine.present(CARDS[0])
    assert machine.state().values[0, 7] == 1_000
    assert (np.delete(machine.state().values[0], 7) == 500).all()


def test_values_of_running_motors_do_not_decay():
    machine = in_flight(HISTORIC.with_(reinforcement__decay_p=1, reinforcement__decay_q=2))
    twin = Mark1.restored(machine.save())
    moving = machine.state().motors[0] != 0
    machine.present(CARDS[1])  # takes half of what rests
    machine.settle()
    twin.settle()
    assert (machine.state().values[0, moving] == twin.state().values[0, moving]).all()


def test_a_training_that_could_stop_the_clock_is_refused():
    """IDEAL takes no time for a card; with no A-unit firing no motor runs either, and 'until correct' never comes."""
    with pytest.raises(CommandError, match="give passes"):
        Mark1(IDEAL).submit(c.StartTraining(CARDS, TARGETS, passes=0, until_correct=True))
