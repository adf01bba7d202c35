"""The machine at work: the cycle, reinforcement by hand and automatic, faults, undo, and what it tells."""

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, IDEAL, Codebook, Mark1, binary_codes, unit_codes
from mark1 import commands as c
from mark1.core.response import Response

RNG = np.random.default_rng(1)
CARDS = (RNG.random((8, 400)) < 0.3).astype(float)
TARGETS = np.where(np.eye(8) > 0, 1, -1)


def _told(machine):
    facts = []
    machine.observe(facts.append, strict=True)
    return facts


def _names(facts):
    return [type(fact).__name__ for fact in facts]


def test_a_presentation_is_a_command_and_three_facts_at_their_times():
    machine = Mark1()
    facts = _told(machine)
    machine.present(CARDS[0])
    machine.settle()
    assert [(type(f).__name__, f.at_us) for f in facts] == [
        ("CommandTaken", 0),
        ("StimulusPresented", 0),
        ("AssociationSettled", 40_000),
        ("ResponseGiven", 90_000),
    ]
    assert [f.number for f in facts] == [1, 2, 3, 4]


def test_a_correction_is_told_as_a_run_that_starts_and_stops():
    machine = Mark1()
    machine.present(CARDS[0])
    machine.settle()
    facts = _told(machine)
    machine.submit(c.Teach(TARGETS[0]))
    machine.settle()
    assert _names(facts) == ["CommandTaken", "ReinforcementApplied", "MotorsStarted", "MotorsStopped"]
    assert facts[-1].at_us - facts[-2].at_us == 250_000 + 60_000
    state = machine.state()
    moved = (state.values[0] != 0).nonzero()[0]
    assert set(moved) == set(state.active.nonzero()[0])


def test_reinforcement_by_hand_lasts_as_long_as_told_and_moves_its_own_source_set():
    machine = Mark1()
    machine.present(CARDS[0])
    machine.settle()
    machine.reinforce(3, -1, run_us=1_000_000)
    machine.settle()
    state = machine.state()
    moved = state.values[0] != 0
    assert np.array_equal(moved, state.active & (state.feeds[0] == 3))
    assert (state.values[0][moved] < -1_900_000).all()


def test_a_reinforcement_waits_for_its_own_motors_but_not_for_others():
    machine = Mark1()
    machine.present(CARDS[0])
    machine.settle()
    start = machine.now_us
    facts = _told(machine)
    for response, direction in ((1, 1), (1, -1), (2, 1)):
        machine.reinforce(response, direction)
    machine.settle()
    starts = [(f.run, f.at_us - start) for f in facts if type(f).__name__ == "MotorsStarted"]
    assert starts == [(1, 0), (2, 0), (3, 310_000)]


def test_training_shows_the_next_card_only_when_all_motors_rest():
    machine = Mark1()
    facts = _told(machine)
    machine.train(CARDS, TARGETS, passes=2)
    running = 0
    for name in _names(facts):
        running += {"MotorsStarted": 1, "MotorsStopped": -1}.get(name, 0)
        assert name != "StimulusPresented" or running == 0


def test_stop_training_ends_it_at_once_and_motors_finish_their_run():
    machine = Mark1()
    machine.submit(c.StartTraining(CARDS, TARGETS, passes=5))
    machine.run_until(200_000)
    assert machine.state().motors.any()
    machine.submit(c.StopTraining())
    assert not machine.state().training.running
    machine.settle()
    state = machine.state()
    assert (state.presentations, state.training.outcome, bool(state.motors.any())) == (1, "stopped", False)
    machine.submit(c.ResumeTraining())
    assert machine.train().passes_done == 5


def test_what_must_wait_is_rejected_with_a_reason_and_changes_nothing():
    machine = Mark1()
    facts = _told(machine)
    machine.submit(c.StartTraining(CARDS, TARGETS, passes=5))
    machine.run_until(200_000)
    before = machine.state()
    for command in (c.Rewire(), c.PullUnit((1,)), c.Undo(), c.Restore(Mark1().save()), c.PresentStimulus(CARDS[1])):
        assert machine.submit(command) is False
        assert facts[-1].reason.endswith(".")
    after = machine.state()
    assert np.array_equal(before.table, after.table)
    assert np.array_equal(before.pulled, after.pulled)
    assert before.presentations == after.presentations


def test_a_stimulus_that_no_unit_sees_is_blind_for_every_response():
    machine = Mark1()
    facts = _told(machine)
    machine.train(np.zeros((1, 400)), np.ones((1, 8)), passes=3)
    state = machine.state()
    assert "StimulusBlind" in _names(facts)
    assert state.training.blind.tolist() == [[3] * 8]
    assert state.blind.tolist() == [3] * 8
    assert not state.values.any()


def test_target_zero_is_never_corrected_and_never_counted():
    machine = Mark1()
    targets = np.zeros((8, 8), int)
    targets[:, 0] = 1
    machine.train(CARDS, targets, passes=3)
    state = machine.state()
    assert state.corrections[1:].sum() == 0
    assert not state.values[0][state.feeds[0] != 0].any()


def test_an_undecided_unit_keeps_its_state_and_is_never_right():
    machine = Mark1(IDEAL)
    first = machine.state().states
    machine.present(CARDS[0])
    response = machine.settle()
    assert response.undecided.all()
    assert np.array_equal(response.states, first)
    assert machine.meaning == "undecided"
    training = machine.train(CARDS[:1], first[None, :])
    assert training.error_history == (1,)


def test_decay_takes_its_share_before_each_presentation():
    machine = Mark1(HISTORIC.with_(reinforcement__decay_p=1, reinforcement__decay_q=10))
    machine.submit(c.LoadValues(np.full((1, 512), -1_234_567)))
    machine.present(CARDS[0])
    assert (machine.state().values == -1_234_567 + 123_456).all()


def test_expanded_has_a_potentiometer_for_every_pair_and_says_it_is_not_historic():
    state = Mark1(EXPANDED).state()
    assert state.values.shape == (8, 512)
    assert "not historic" in state.config.name
    assert not EXPANDED.historic and HISTORIC.historic
    assert Mark1(HISTORIC).state().values.shape == (1, 512)


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        (c.CutWire(0, 0), "table"), (c.AddWire(0, 1, "inhibitory"), "table"), (c.MoveWire(0, 0, 1), "table"),
        (c.SetThreshold(3), "thresholds"), (c.SetThreshold(3, 9), "thresholds"), (c.PullUnit((5,)), "pulled"),
        (c.SetToggle(3, "on"), "toggles"), (c.BreakCell(3, "dead"), "cell_faults"),
        (c.BreakMotor(3, 0), "health_ppm"), (c.BreakWiper(3, 1000), "wiper_noise_uv"),
        (c.ReportPotentiometer(3, 1000), "values"), (c.LoadValues(np.ones((1, 512))), "values"), (c.Rewire(), "table"),
    ],
)  # fmt: skip
def test_every_change_by_hand_can_be_undone(command, changed):
    machine = Mark1(HISTORIC.with_(plugboard__fan_out_limit=0), seed=2)
    machine.submit(c.Rewire(table=((1, -3),) * 512))  # cell 0 has a wire of every unit, cell 1 of none
    before = getattr(machine.state(), changed).copy()
    assert machine.submit(command)
    assert not np.array_equal(getattr(machine.state(), changed), before)
    assert machine.submit(c.Undo())
    assert np.array_equal(getattr(machine.state(), changed), before)


def test_ten_steps_can_be_undone_and_training_is_one_step():
    machine = Mark1()
    machine.train(CARDS, TARGETS, passes=2)
    for unit in range(11):
        machine.submit(c.PullUnit((unit,)))
    assert machine.state().undo_points == 12
    machine.submit(c.Undo(11))
    assert not machine.state().pulled.any()
    assert machine.state().values.any()
    machine.submit(c.Undo())
    assert not machine.state().values.any()


def test_rewind_goes_back_to_the_start_of_training_and_resume_repeats_it():
    machine = Mark1()
    machine.train(CARDS, TARGETS, passes=3)
    once = machine.state().values.copy()
    assert machine.submit(c.Rewind())
    assert not machine.state().values.any()
    machine.submit(c.ResumeTraining())
    machine.train()
    assert machine.state().training.passes_done == 3
    # speeds and cards are the same; only lash and R states could differ, and Rewind brings those back too
    assert np.array_equal(machine.state().values, once)


def test_a_pulled_unit_neither_fires_nor_moves_and_comes_back_with_its_value():
    machine = Mark1()
    machine.train(CARDS, TARGETS, passes=3)
    unit = int(np.abs(machine.state().values[0]).argmax())
    value = machine.state().values[0, unit]
    machine.submit(c.PullUnit((unit,)))
    machine.train(CARDS, TARGETS, passes=3)
    assert not machine.state().active[unit]
    assert machine.state().values[0, unit] == value
    machine.submit(c.PutBackUnit((unit,)))
    assert not machine.state().pulled.any()


def test_toggles_win_over_faults_and_faults_over_light():
    machine = Mark1(IDEAL)
    for command in (c.BreakCell(0, "lit"), c.BreakCell(1, "dead"), c.BreakCell(2, "lit"), c.SetToggle(2, "off"),
                    c.SetToggle(3, "on")):  # fmt: skip
        machine.submit(command)
    light = np.zeros(400)
    light[1] = 1
    machine.present(light)
    machine.settle()
    assert machine.state().cells[:5].tolist() == [True, False, False, True, False]


def test_cells_settle_in_their_time():
    machine = Mark1()
    machine.present(np.ones(400))
    machine.run_until(15_000)
    assert machine.state().level[0] == 0.5
    machine.run_until(30_000)
    assert machine.state().level[0] == 1.0


def test_an_observer_that_raises_is_detached_and_that_is_a_fact():
    machine, facts = Mark1(), []

    def broken(fact):
        raise RuntimeError("no paper")

    machine.observe(broken)
    machine.observe(facts.append)
    machine.present(CARDS[0])
    machine.settle()
    detached = [f for f in facts if type(f).__name__ == "ObserverDetached"]
    assert len(detached) == 1
    assert "no paper" in detached[0].error


def test_a_strict_observer_stops_the_run():
    machine = Mark1()
    machine.observe(lambda fact: 1 / 0, strict=True)
    with pytest.raises(ZeroDivisionError):
        machine.present(CARDS[0])


def test_a_command_from_an_observer_comes_after_the_fact_it_answers():
    machine, order = Mark1(), []

    def corrector(fact):
        order.append(type(fact).__name__)
        if type(fact).__name__ == "ResponseGiven":
            machine.submit(c.Teach(TARGETS[0]))

    machine.observe(corrector, strict=True)
    machine.present(CARDS[0])
    machine.settle()
    at = order.index("ResponseGiven")
    assert order[at + 1 : at + 3] == ["CommandTaken", "ReinforcementApplied"]


def test_state_cannot_be_written_to():
    state = Mark1().state()
    for name in ("values", "table", "active", "cells", "thresholds", "feeds"):
        with pytest.raises(ValueError):
            getattr(state, name)[0] = 1


def test_two_machines_with_one_seed_live_one_life():
    journals = []
    for _ in range(2):
        machine = Mark1(seed=9)
        facts = _told(machine)
        machine.train(CARDS, TARGETS, passes=3, order="shuffled")
        journals.append([repr(fact) for fact in facts])
    assert journals[0] == journals[1]


def test_codes_name_255_classes_and_an_unassigned_code_is_no_answer():
    names = tuple(f"class {n}" for n in range(255))
    book = Codebook(names, binary_codes(255))
    book.check(8)
    states = book.targets("class 254", 8)
    decided = np.zeros(8, bool)
    assert book.meaning(Response(states, decided, np.zeros(8))) == "class 254"
    assert book.meaning(Response(np.full(8, -1, np.int8), decided, np.zeros(8))) == "no answer"
    two = Codebook(("a", "b"), unit_codes(2))
    assert two.meaning(Response(np.ones(2, np.int8), decided[:2], np.zeros(2))) == "no answer"


def test_rewiring_keeps_the_motors_and_their_faults():
    machine = Mark1(seed=5)
    machine.submit(c.BreakMotor(7, 0))
    before = machine.state()
    machine.submit(c.Rewire(seed=77, in_use=5))
    after = machine.state()
    assert np.array_equal(before.speeds, after.speeds)
    assert after.health_ppm[0, 7] == 0
    assert not np.array_equal(before.table, after.table)
    assert len(after.states) == 5
    assert after.feeds[0, :6].tolist() == [0, 1, 2, 3, 4, 0]


@pytest.mark.parametrize(
    ("command", "disturbs"),
    [
        (c.PresentStimulus(CARDS[0]), False), (c.SetNote("a", "b"), False), (c.AssignCodes(("a",), (1,)), False),
        (c.Teach(-TARGETS[0]), True), (c.Adjust("response.dead_zone_uv", 1), True), (c.PullUnit((1,)), True),
        (c.ResetValues(), True), (c.Undo(), True),
    ],
)  # fmt: skip
def test_a_training_knows_whether_anything_else_has_touched_the_machine(command, disturbs):
    machine = Mark1()
    training = machine.train(CARDS, TARGETS, passes=3)
    assert not training.disturbed
    assert training.corrected.sum() == sum(training.correction_history)
    machine.submit(command)
    machine.settle()
    assert machine.state().training.disturbed is disturbs
