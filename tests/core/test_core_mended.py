"""What a reviewer with fresh eyes broke, and must never break again."""

import io
import json

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, IDEAL, Mark1
from mark1 import commands as c
from mark1.core import blocks, compiled
from mark1.errors import CommandError, InputError
from mark1.journal import Journal, replay

CARDS = (np.random.default_rng(1).random((6, 400)) < 0.3).astype(float)
TARGETS = np.where(np.eye(8)[:6] > 0, 1, -1)
ENGINES = ["numpy", *(["compiled"] if compiled.available() else [])]


def _answered(config=HISTORIC, seed=1):
    machine = Mark1(config, seed)
    machine.present(CARDS[0])
    machine.settle()
    return machine


def test_undoing_a_change_of_r_units_leaves_a_machine_that_works_and_saves():
    machine = Mark1()
    machine.train(CARDS, TARGETS)
    machine.submit(c.Rewire(in_use=5))
    machine.train(CARDS, TARGETS[:, :5])
    machine.submit(c.Undo(2))
    assert len(machine.state().states) == 8
    assert Mark1.restored(machine.save()).save() == machine.save()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("config", [HISTORIC, IDEAL, EXPANDED])
@pytest.mark.parametrize("total_us", [4_000_000, 10, 0])
def test_beta_on_a_dark_card_is_the_same_in_every_engine(engine, config, total_us):
    """Two reinforcements with no motor in common still follow one another; and a run may last no time at all."""
    words = {"reinforcement__system": "beta", "response__in_use": 2, "reinforcement__beta_total_us": total_us}
    machines = [Mark1(config.with_(**words), 3) for _ in range(2)]
    lights, targets = np.vstack([np.zeros(400), CARDS[:2]]), [[1, -1], [1, 1], [-1, -1]]
    machines[0].train(lights, targets, passes=2)
    machines[1].rehearse(lights, targets, passes=2, engine=engine)
    assert machines[0].save() == machines[1].save()


def test_an_interrupted_rehearsal_never_began(monkeypatch):
    machine, twin = Mark1(seed=4), Mark1(seed=4)
    for one in (machine, twin):
        one.submit(c.StartTraining(CARDS, TARGETS, passes=3))
    before = machine.save()

    def interrupted(works, hand):
        works.rack.values += 1
        raise KeyboardInterrupt

    monkeypatch.setattr("mark1.core.rehearsal.numpy_engine", lambda works: interrupted)
    with pytest.raises(KeyboardInterrupt):
        machine.rehearse(engine="numpy")
    monkeypatch.undo()
    assert machine.save() == before
    machine.train()
    twin.train()
    assert machine.save() == twin.save()


def test_a_pulled_unit_is_inert_at_once():
    machine = _answered()
    unit = int(machine.state().active.argmax())
    machine.submit(c.PullUnit((unit,)))
    machine.reinforce(int(machine.state().feeds[0, unit]), 1)
    machine.settle()
    assert not machine.state().active[unit]
    assert machine.state().values[0, unit] == 0


@pytest.mark.parametrize("command", [c.Rewire(), c.ClearRetina(), c.Rewire(in_use=4)])
def test_reinforcement_needs_an_answer_that_these_wires_gave(command):
    machine = _answered()
    machine.submit(command)
    assert machine.reinforce(0, 1) is False
    assert not machine.state().active.any()


def test_a_closed_journal_hears_nothing_more():
    machine, file = Mark1(), io.StringIO()
    journal = Journal(machine, file)
    journal.close()
    length = len(file.getvalue())
    machine.present(CARDS[0])
    assert len(file.getvalue()) == length


def test_an_observer_that_broke_is_replayed_too():
    machine, file, seen = Mark1(), io.StringIO(), []
    journal = Journal(machine, file)
    machine.observe(lambda fact: 1 / 0)
    machine.observe(lambda fact: seen.append(fact.number))
    machine.present(CARDS[0])
    machine.settle()
    journal.close()
    assert seen == sorted(seen)
    assert replay(map(json.loads, file.getvalue().splitlines())).save() == machine.save()


def test_nonsense_from_an_observer_is_a_rejection_and_replays():
    machine, file, reasons = Mark1(), io.StringIO(), []
    journal = Journal(machine, file)

    def foolish(fact):
        if type(fact).__name__ == "ResponseGiven":
            machine.submit(c.PullUnit((9999,)))
        if type(fact).__name__ == "CommandRejected":
            reasons.append(fact.reason)

    machine.observe(foolish, strict=True)
    machine.present(CARDS[0])
    machine.settle()
    journal.close()
    assert len(reasons) == 1
    assert replay(map(json.loads, file.getvalue().splitlines())).save() == machine.save()


def test_time_cannot_be_moved_from_inside_an_observer():
    machine = Mark1()
    machine.observe(lambda fact: machine.run_until(10**9), strict=True)
    with pytest.raises(CommandError, match="inside an observer"):
        machine.present(CARDS[0])


def test_a_note_may_be_called_array_and_codes_may_be_numpys():
    machine = Mark1()
    machine.submit(c.SetNote("array", "x"))
    machine.submit(c.AssignCodes(("a", "b"), tuple(np.array([1, 2]))))
    saved = machine.save()
    assert Mark1.restored(saved).save() == saved


def test_a_wire_added_and_cut_again_leaves_no_trace_in_the_file():
    machine = Mark1()
    free = next(n for n in range(400) if n + 1 not in np.abs(machine.state().table[0]))
    machine.submit(c.AddWire(0, free, "excitatory"))
    machine.submit(c.CutWire(0, free))
    saved = machine.save()
    assert Mark1.restored(saved).save() == saved


def test_decay_towards_an_uneven_stop_never_passes_it():
    config = HISTORIC.with_(potentiometer__low_uv=0, reinforcement__decay_p=1, reinforcement__decay_q=3)
    machine = Mark1(config, 2)
    machine.train(CARDS, TARGETS, passes=30)
    assert machine.state().values.min() >= 0


def test_what_the_machine_gives_out_cannot_be_written_to():
    machine, given = Mark1(), []
    machine.observe(given.append, strict=True)
    machine.train(CARDS, TARGETS)
    arrays = [item for fact in given for item in fact if isinstance(item, np.ndarray)]
    arrays += [*machine.response, machine.state().training.blind]
    assert len(arrays) > 20
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize(
    "command",
    [
        c.PullUnit(5), c.AssignCodes(None, None), c.AssignCodes(("a",), ("x",)), c.AssignCodes((1,), (1,)),
        c.Rewire(table=5), c.Rewire(table=((1.5,),) * 512), c.LoadValues("abc"), c.Restore(5),
        c.Teach([[1], [2, 3]]), c.Reinforce(0, np.zeros(3)), c.PresentStimulus(np.zeros(400) * 1j),
        c.PresentStimulus(np.zeros((40, 10))),
    ],
)  # fmt: skip
def test_things_of_the_wrong_kind_are_refused_and_leave_no_trace(command):
    machine = _answered()
    before = machine.save()
    with pytest.raises(InputError):
        machine.submit(command)
    assert machine.save() == before


def test_clearing_the_retina_does_not_mend_a_stuck_cell():
    machine = Mark1()
    machine.submit(c.BreakCell(5, "lit"))
    machine.submit(c.ClearRetina())
    assert machine.state().cells.tolist() == [n == 5 for n in range(400)]


def test_motors_of_expanded_keep_their_faults_through_a_change_of_r_units():
    machine = Mark1(EXPANDED)
    machine.submit(c.BreakMotor(3, 0, response=2))
    machine.submit(c.Rewire(in_use=5))
    assert machine.state().health_ppm[2, 3] == 0


def test_a_card_stopped_after_its_answer_is_not_counted_twice():
    machine = Mark1()
    machine.submit(c.StartTraining(CARDS, TARGETS, passes=1))
    machine.run_until(200_000)
    machine.submit(c.StopTraining())
    machine.settle()
    machine.submit(c.ResumeTraining())
    machine.train()
    state = machine.state()
    assert state.presentations == len(CARDS)
    assert state.training.error_history[0] <= len(CARDS)


def test_a_training_without_end_is_refused_where_no_time_passes():
    with pytest.raises(CommandError, match="give passes"):
        Mark1(IDEAL).submit(c.StartTraining(CARDS, TARGETS, passes=0))


def test_rewind_can_be_undone():
    machine = Mark1()
    machine.train(CARDS, TARGETS, passes=3)
    learned = machine.state().values.copy()
    machine.submit(c.Rewind())
    machine.submit(c.Undo())
    assert np.array_equal(machine.state().values, learned)


@pytest.mark.parametrize("side", [-1, 1])
def test_the_block_engine_sums_exactly_at_both_edges_of_the_dead_zone(side):
    """A card whose sum is one microvolt inside, or outside, the far edge of the dead zone."""
    for inside in (0, 1):
        config = HISTORIC.with_(response__in_use=1, response__dead_zone_uv=50_000_000 - inside)
        pair = [Mark1(config, 6) for _ in range(2)]
        for machine in pair:
            machine.present(CARDS[0])
            machine.settle()
            active = int(machine.state().active.sum())
            values = np.zeros(512)
            values[machine.state().active] = side * (50_000_000 // active)
            values[machine.state().active.argmax()] += side * (50_000_000 % active)
            machine.submit(c.LoadValues(values[None, :]))
        pair[0].train(CARDS[:2], [[-side], [side]], passes=2)
        pair[1].rehearse(CARDS[:2], [[-side], [side]], passes=2, engine="numpy")
        assert pair[0].save() == pair[1].save()
    assert blocks.ROUNDING > 0


def test_a_return_run_is_never_longer_than_a_run_may_be():
    config = HISTORIC.with_(
        association__units=4096, association__threshold=-10, plugboard__fan_out_limit=0, response__in_use=1,
        reinforcement__system="gamma", potentiometer__low_uv=None, potentiometer__high_uv=None,
    )  # fmt: skip
    machine = Mark1(config, 1)
    machine.submit(c.SetThreshold(16_000, 7))  # one idle unit gives back for all
    machine.present(CARDS[0])
    machine.settle()
    machine.reinforce(0, 1, 3_600_000_000)
    machine.settle()
    assert machine.state().values[0, 7] < 0
