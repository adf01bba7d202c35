"""What the panel says is so: of answers, of what TEACH did, of modes that know no right and wrong."""

from typing import Any

import numpy as np
import pytest

from mark1 import IDEAL
from mark1.panel import trainer
from mark1.panel.answer import RIGHT, WAITING, WRONG
from mark1.panel.lettering import Note
from mark1.panel.stage import Stage
from mark1.panel.trainer import Opinion


def shown(person: Any, card: int) -> None:
    person.touch(f"card.{card}")
    person.touch("present")
    person.look(15)


def texts(person: Any, size: tuple[int, int] = (1280, 720)) -> str:
    notes: list[Note] = []
    Stage(size, person.desk, notes=notes).draw(person.panel.scene, person.desk)
    return "\n".join(note.text for note in notes)


def test_a_card_that_was_not_presented_is_not_taught(sit: Any) -> None:
    person = sit()
    shown(person, 0)
    person.touch("card.1")
    person.touch("teach")
    assert person.desk.message == "Press PRESENT first: the machine has not seen this card."
    assert not person.machine.state().corrections.any()
    person.touch("present")
    person.look(15)
    person.touch("teach")
    assert person.machine.state().corrections.any()


def test_a_drawing_that_went_on_after_presenting_is_not_taught(sit: Any) -> None:
    person = sit()
    person.draw_e()
    person.touch("card.4")
    person.touch("present")
    person.look(15)
    person.stroke((0.1, 0.9), (0.9, 0.9))
    person.touch("teach")
    assert person.desk.message.startswith("Press PRESENT first")


def test_after_training_the_card_on_the_easel_must_be_presented_again(sit: Any) -> None:
    person = sit()
    shown(person, 0)
    person.learn()
    person.touch("teach")
    assert person.desk.message.startswith("Press PRESENT first")


def test_an_answer_is_judged_again_when_its_name_is_given(sit: Any) -> None:
    person = sit()
    person.learn()
    person.draw_e()
    person.touch("card.4")
    for _ in range(6):
        person.touch("present")
        person.look(15)
        person.touch("teach")
        person.look(60)
    said = person.desk.answer.said
    assert said == "E"
    other = next(i for i, name in enumerate("ABCDEFGH") if name != said)
    person.touch(f"card.{other}")
    assert person.desk.answer.verdict == WRONG
    person.touch(f"card.{'ABCDEFGH'.index(said)}")
    assert person.desk.answer.verdict == RIGHT


def test_teach_says_which_motors_really_turn(sit: Any) -> None:
    person = sit()
    for _ in range(6):
        person.touch("break")
    shown(person, 0)
    person.touch("teach")
    assert person.desk.message == "No A-unit fires: nothing to turn."
    assert not person.machine.state().motors.any()


@pytest.mark.parametrize(("mode", "word"), [("forced", "Forced: "), ("spontaneous", "Spontaneous: ")])
def test_teach_in_another_mode_does_not_speak_of_correction(sit: Any, mode: str, word: str) -> None:
    person = sit()
    shown(person, 0)
    person.desk.mode = mode
    person.touch("teach")
    assert person.desk.message.startswith(word)
    turned = np.unique(person.machine.state().feeds[person.machine.state().motors != 0])
    assert f" {len(turned)} R-units" in person.desk.message


def test_spontaneous_learning_is_never_called_right_or_wrong(sit: Any) -> None:
    person = sit()
    person.desk.mode = "spontaneous"
    assert "10 passes" in texts(person) and "until it knows" not in texts(person)
    person.touch("train")
    assert "nobody says right or wrong" in person.desk.message
    person.look(30)
    assert person.desk.answer.verdict not in (RIGHT, WRONG)
    assert "first pass: " in texts(person) and "reinforcements" in texts(person)
    person.desk.speed = 0
    person.look(60)
    assert person.machine.state().training.passes_done == 10
    assert "no right or wrong" in person.desk.message
    assert "no right or wrong in this mode" in texts(person)
    assert "of 8 wrong" not in texts(person)


def test_forced_learning_ends_after_its_passes(sit: Any) -> None:
    person = sit()
    person.desk.mode = "forced"
    person.learn()
    training = person.machine.state().training
    assert (training.outcome, training.passes_done) == ("passes done", trainer.PASSES["forced"])
    assert person.desk.message == f"10 passes done; in the last one {training.error_history[-1]} of 8 cards were wrong."


@pytest.mark.parametrize(("separable", "part"), [(True, "theory says that it can"), (None, "no verdict yet")])
def test_a_training_that_takes_too_long_says_what_theory_knows(
    sit: Any, monkeypatch: pytest.MonkeyPatch, separable: bool | None, part: str
) -> None:
    class Judge:
        def ask(self, machine: Any, lights: Any, targets: Any) -> None: ...

        def poll(self) -> Opinion:
            return Opinion(separable, "")

    monkeypatch.setattr(trainer, "MOST_PASSES", 1)
    person = sit(theory=Judge())
    person.touch("train")
    person.desk.speed = 100
    for _ in range(200):
        person.look()
        if not person.machine.state().training.running:
            break
    assert part in person.desk.message


@pytest.mark.parametrize("touched", ["break", "knob.threshold", "clear", "z"])
def test_an_answer_ends_with_what_made_it_true(sit: Any, touched: str) -> None:
    person = sit()
    person.learn()
    shown(person, 4)
    person.look(20)
    assert person.desk.answer.verdict == RIGHT and person.panel.scene.needles.any()
    person.key(ord("z"), "z") if touched == "z" else person.touch(touched)
    assert person.desk.answer.verdict == WAITING and person.desk.why is None
    person.look(60)
    assert not person.panel.scene.needles.any()


def test_the_motors_run_time_does_not_end_an_answer(sit: Any) -> None:
    person = sit()
    person.learn()
    shown(person, 4)
    person.touch("knob.run_time")
    assert person.desk.answer.verdict == RIGHT


def test_a_refused_clear_keeps_the_drawing(sit: Any) -> None:
    person = sit()
    person.draw_e()
    person.touch("train")
    person.touch("clear")
    assert person.desk.easel.drawn and "must wait" in person.desk.message


def test_break_and_mend_say_when_there_is_nothing_to_do(sit: Any) -> None:
    person = sit()
    person.key(ord("r"), "r")
    assert person.desk.message == "Nothing to mend: no A-unit is out."
    for _ in range(7):
        person.touch("break")
    assert person.desk.message == "No A-unit is left to pull out: MEND puts them back."


def test_a_machine_that_takes_no_time_cannot_hang_in_a_training_that_never_ends(sit: Any) -> None:
    """In IDEAL a card takes no time, and with every unit pulled no motor runs: the clock would stand for ever."""
    person = sit(config=IDEAL)
    for _ in range(6):
        person.touch("break")
    person.touch("train")
    person.look(3)
    assert not person.machine.state().training.running
    assert "no A-unit of R1 sees card A" in person.desk.message
