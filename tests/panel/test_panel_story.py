"""A visit: draw, present, teach, train, break, ask why, rewire, undo. Each touch is a command."""

from typing import Any

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, facts
from mark1.core.response import Response
from mark1.panel.answer import RIGHT
from mark1.panel.filing import Services
from mark1.panel.trainer import Opinion


def commands(person: Any) -> list[str]:
    return [type(f.command).__name__ for f in person.facts if isinstance(f, facts.CommandTaken)]


def meaning(person: Any) -> str:
    state = person.machine.state()
    return state.codebook.meaning(Response(state.states, state.undecided, state.sums))


def test_a_drawing_becomes_light_on_the_retina(sit: Any) -> None:
    person = sit()
    person.draw_e()
    person.touch("present")
    person.look(15)
    assert commands(person)[-1] == "PresentStimulus"
    assert 60 < person.machine.state().cells.sum() < 160


def test_a_blank_card_is_not_presented(sit: Any) -> None:
    person = sit()
    person.touch("present")
    assert "PresentStimulus" not in commands(person)
    assert "blank" in person.desk.message


def test_over_a_drawing_a_card_first_says_what_it_should_be_called(sit: Any) -> None:
    person = sit()
    person.draw_e()
    person.touch("card.4")
    assert (person.desk.target, person.desk.easel.card) == ("E", None)
    person.touch("card.4")
    assert person.desk.easel.card.name == "E"


def test_teaching_turns_motors_and_the_needles_follow(sit: Any) -> None:
    person = sit()
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    person.touch("teach")
    assert np.count_nonzero(person.machine.state().motors) > 0
    before = person.machine.state().values.copy()
    person.look(3)
    assert (person.machine.state().values != before).any()
    person.look(30)
    assert not person.machine.state().motors.any()


def test_train_all_learns_the_tray_and_stops_by_itself(sit: Any) -> None:
    person = sit()
    person.learn()
    training = person.machine.state().training
    assert training.outcome == "correct"
    assert person.desk.message == f"Learned: every card right after {training.passes_done} passes."
    for i, name in enumerate("ABCDEFGH"):
        person.touch(f"card.{i}")
        person.touch("present")
        person.look(15)
        assert (meaning(person), person.desk.answer.verdict) == (name, RIGHT)


def test_training_can_be_stopped_at_once(sit: Any) -> None:
    person = sit()
    person.touch("train")
    assert person.machine.state().training.running
    person.touch("train")
    assert person.machine.state().training.outcome == "stopped"


def test_a_blind_card_ends_training_with_a_plain_sentence(sit: Any) -> None:
    deaf = HISTORIC.with_(association__threshold=6)  # hardly any unit fires: some source-set is silent for some card
    person = sit(config=deaf)
    person.learn()
    assert person.machine.state().training.outcome == "stopped"
    assert person.desk.message.startswith("Cannot be learned: no A-unit of R")


def test_a_tray_that_cannot_be_separated_ends_with_the_verdict(sit: Any) -> None:
    class Pessimist:
        def ask(self, machine: Any, lights: Any, targets: Any) -> None:
            self.asked = lights.shape

        def poll(self) -> Opinion:
            return Opinion(False, "R2 has no dividing plane.")

    theory = Pessimist()
    person = sit(theory=theory)
    person.learn()
    assert theory.asked == (8, 400)
    assert person.machine.state().training.outcome == "stopped"
    assert person.desk.message == "Cannot be learned with this wiring: R2 has no dividing plane."


def test_breaking_pulls_a_hundred_units_and_mending_brings_them_back(sit: Any) -> None:
    person = sit()
    person.touch("break")
    assert person.machine.state().pulled.sum() == 100
    person.key(ord("r"), "r")
    assert person.machine.state().pulled.sum() == 0


def test_rewire_and_undo(sit: Any) -> None:
    person = sit()
    table = person.machine.state().table.copy()
    person.touch("rewire")
    assert (person.machine.state().table != table).any()
    person.touch("undo")
    assert (person.machine.state().table == table).all()


def test_ten_steps_can_be_undone(sit: Any) -> None:
    person = sit()
    for _ in range(4):
        person.touch("break")
    for _ in range(6):
        person.touch("rewire")
    for _ in range(10):
        person.touch("undo")
    assert person.machine.state().pulled.sum() == 0


def test_why_names_the_units_that_fire_and_adds_up_to_the_sum(sit: Any) -> None:
    person = sit()
    person.learn()
    person.touch("card.4")
    person.touch("present")
    person.look(15)
    why, state = person.desk.why, person.machine.state()
    assert why.response == 4
    assert why.values.sum() == state.sums[4]
    assert state.active[why.units].all() and (state.feeds[0, why.units] == 4).all()


def test_reinforcement_by_hand_moves_the_chosen_response_only(sit: Any) -> None:
    person = sit()
    person.touch("card.1")
    person.touch("present")
    person.look(15)
    row = person.panel.stage.arrangement.boxes["response.5"]
    person.tap(*row.centre)
    person.touch("hand.plus")
    moved = person.machine.state().motors[0] != 0
    assert moved.any() and (person.machine.state().feeds[0, moved] == 5).all()


def test_the_loupe_pulls_one_unit_out_and_puts_it_back(sit: Any) -> None:
    person = sit((1920, 1080))
    box = person.panel.stage.rack.field.tile_box(9, 5)
    person.tap(*box.centre)
    unit = person.panel.page.unit
    assert unit == person.panel.stage.rack.places[5, 9]
    person.touch("loupe.pull")
    assert person.machine.state().pulled[unit]
    person.touch("loupe.pull")
    assert not person.machine.state().pulled.any()


def test_the_plugboard_page_cuts_moves_and_adds(sit: Any) -> None:
    person = sit((1920, 1080))
    person.key(ord("g"), "g")
    page = person.panel.page
    wires = {int(w) for w in person.machine.state().table[0] if w}
    first = sorted(abs(w) - 1 for w in wires)[0]
    free = next(c for c in range(400) if c + 1 not in {abs(w) for w in wires})
    person.tap(*page.field.tile_box(first % 20, first // 20).centre)
    person.tap(*page.field.tile_box(free % 20, free // 20).centre)
    person.touch("plugpage.move")
    person.touch("plugpage.cut")
    person.tap(*page.field.tile_box(free % 20, free // 20).centre)
    person.touch("plugpage.inhibit")
    assert commands(person)[-3:] == ["MoveWire", "CutWire", "AddWire"]
    now = {int(w) for w in person.machine.state().table[0] if w}
    assert now == (wires - {first + 1, -(first + 1)}) | {-(free + 1)}


def test_a_refused_command_is_told_in_a_sentence(sit: Any) -> None:
    person = sit()
    person.touch("teach")
    person.desk.target = "A"
    person.touch("teach")
    assert person.desk.message == "Teaching needs an answer first: show a card and let it settle."


def test_a_new_seed_is_another_machine_with_the_same_codes(sit: Any) -> None:
    person = sit()
    person.key(ord("n"), "n")
    state = person.machine.state()
    assert state.seed == 1961 and state.codebook.names == tuple("ABCDEFGH")


def test_the_expanded_machine_shows_the_bank_of_the_chosen_response(sit: Any) -> None:
    person = sit((1920, 1080), config=EXPANDED)
    thumb = person.panel.stage.rack.thumbs[6]
    person.tap(*thumb.box.centre)
    assert (person.desk.response, person.desk.bank) == (6, 6)


def test_opening_another_kind_of_machine_lays_the_panel_out_anew(sit: Any) -> None:
    from mark1 import Mark1

    other = Mark1(EXPANDED, 7)
    services = Services(names=lambda: ["other.mark1"], read=lambda name: other.save())
    person = sit((1920, 1080), services=services)
    person.key(ord("o"), "o")
    person.touch("files.0")
    person.look(2)
    assert person.machine.state().seed == 7
    assert person.panel.stage.rack.banks == 8


@pytest.mark.parametrize("name", ["mode", "system", "threshold", "dead_zone", "run_time", "speed"])
def test_every_knob_goes_round(sit: Any, name: str) -> None:
    person = sit()
    place, count = person.desk.knob(name)
    seen = set()
    for _ in range(count):
        person.key(ord("123456"[["mode", "system", "threshold", "dead_zone", "run_time", "speed"].index(name)]), "")
        seen.add(person.desk.knob(name)[0])
    assert seen == set(range(count)) and person.desk.knob(name)[0] == place


def test_by_s_unit_the_plugboard_page_walks_along_the_wires_of_one_cell(sit: Any) -> None:
    person = sit((1920, 1080))
    field = person.panel.stage.retina.field
    person.tap(*field.tile_box(7, 9).centre)
    page, cell = person.panel.page, 9 * 20 + 7
    fed = np.flatnonzero((np.abs(person.machine.state().table) == cell + 1).any(axis=1)).tolist()
    seen = []
    for _ in fed:
        person.touch("plugpage.on")
        seen.append(page.unit)
    assert sorted(seen) == fed
    person.touch("plugpage.cut")
    assert (np.abs(person.machine.state().table) == cell + 1).sum() == len(fed) - 1


def test_a_machine_of_other_cards_is_told_apart(sit: Any) -> None:
    from mark1 import Mark1

    services = Services(names=lambda: ["x.mark1"], read=lambda name: Mark1(HISTORIC, 3).save())
    person = sit(services=services)
    person.key(ord("o"), "o")
    person.touch("files.0")
    person.touch("train")
    assert person.desk.message == "This machine has no code for A: its cards are not these."
    person.touch("card.2")
    person.touch("present")
    person.look(15)
    person.touch("teach")
    assert not person.machine.state().training.running and not person.machine.state().corrections.any()


@pytest.mark.parametrize(
    ("units", "rows", "columns", "cards"), [(100, 12, 16, "AB"), (1000, 20, 20, "ABC"), (9, 5, 5, "X")]
)
def test_odd_machines_are_shown_too(sit: Any, units: int, rows: int, columns: int, cards: str) -> None:
    odd = HISTORIC.with_(
        association__units=units, retina__rows=rows, retina__columns=columns, plugboard__fan_out_limit=0,
        plugboard__excitatory=3, plugboard__inhibitory=2,
    )  # fmt: skip
    person = sit((1280, 720), config=odd, cards=cards)
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    person.touch("rack")
    person.touch("loupe.on")
    person.touch("page.close")
    person.touch("break")
    person.learn()
    assert person.panel.stage.rack.units == units


def test_undo_never_takes_the_codes_away(sit: Any) -> None:
    person = sit()
    person.touch("break")
    for _ in range(4):
        person.touch("undo")
    assert person.machine.state().codebook.names == tuple("ABCDEFGH")
    assert person.desk.message == "There is nothing to undo."


def test_undoing_more_than_the_machine_keeps_leaves_the_codes(sit: Any) -> None:
    person = sit()
    for _ in range(11):
        person.touch("knob.threshold")
    for _ in range(13):
        person.touch("undo")
    assert person.desk.message == "There is nothing to undo."
    person.touch("train")
    assert person.machine.state().training.running


def test_undo_in_a_machine_that_was_opened_leaves_its_codes(sit: Any) -> None:
    kept: list[bytes] = []
    person = sit(services=Services(names=lambda: ["kept.mark1"], read=lambda name: kept[-1]))
    person.learn()
    kept.append(person.machine.save())
    person.key(ord("o"), "o")
    person.touch("files.0")
    for _ in range(3):
        person.touch("undo")
    assert person.machine.state().codebook.names == tuple("ABCDEFGH")


def test_the_annunciator_says_what_came_of_it_and_what_to_do_next(sit: Any) -> None:
    person = sit()
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    assert person.desk.message == "It does not know. Press TEACH: it should say A."
    person.learn()
    person.touch("present")
    person.look(15)
    assert person.desk.message == "It says A, and that is right."
