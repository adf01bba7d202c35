"""As documented: what is covered is out of reach, every part tells its source, and only what changes is drawn."""

from typing import Any

import numpy as np
import pygame
import pytest

from mark1 import commands as c
from mark1 import facts
from mark1.panel import marks
from mark1.panel.provenance import source_of


def commands(person: Any) -> int:
    return sum(isinstance(fact, facts.CommandTaken) for fact in person.facts)


def documented(sit: Any, **words: Any) -> Any:
    person = sit(**words)
    person.key(ord("d"), "d")
    person.look(3)
    return person


@pytest.mark.parametrize("name", marks.COVERED)
def test_a_covered_part_cannot_be_used(sit: Any, name: str) -> None:
    person = documented(sit)
    person.draw_e()
    person.machine.submit(c.SetThreshold(3))
    before = commands(person)
    person.tap(*person.panel.stage.arrangement.boxes[name].centre)
    assert commands(person) == before and person.desk.easel.drawn
    assert person.desk.message == f"modern: {source_of(name).text}"


@pytest.mark.parametrize("letter", "uca")
def test_the_letter_of_a_covered_key_does_nothing(sit: Any, letter: str) -> None:
    person = documented(sit)
    person.draw_e()
    person.machine.submit(c.SetThreshold(3))
    before = commands(person)
    person.key(ord(letter), letter)
    assert commands(person) == before and person.desk.easel.drawn
    person.key(ord("d"), "d")
    person.key(ord(letter), letter)
    assert commands(person) != before


def test_tab_leaves_covered_parts_out(sit: Any) -> None:
    person = documented(sit)
    seen = set()
    for _ in person.panel.widgets:
        person.key(pygame.K_TAB)
        seen.add(person.panel.look.focus)
    assert not seen & set(marks.COVERED) and "present" in seen


def test_a_part_that_is_touched_tells_its_source(sit: Any) -> None:
    person = documented(sit)
    boxes = person.panel.stage.arrangement.boxes
    for place, name in (("response.6", "response"), ("nameplate", "nameplate"), ("status", "status"),
                        ("easel.title", "easel"), ("easel.field", "easel.field"), ("retina.title", "retina"),
                        ("answer", "answer")):  # fmt: skip
        x, y = boxes[place].centre
        person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
        source = source_of(name)
        assert person.desk.message == f"{source.grade}: {source.text}"
        person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(3, 3)))


def test_what_is_not_covered_still_works(sit: Any) -> None:
    person = documented(sit)
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    assert person.machine.state().cells.any()
    assert person.desk.message == "It does not know. Press TEACH: it should say A."


def test_only_what_changed_is_drawn_and_the_picture_is_the_same(sit: Any) -> None:
    person = documented(sit)
    person.look(20)
    assert person.panel.draw(person.screen) == []
    person.touch("card.0")
    person.touch("present")
    person.look(60)
    now = pygame.surfarray.array3d(person.screen).astype(int)
    person.panel.stage.refresh()
    person.panel.resize(person.panel.size)
    person.panel.draw(person.screen)
    assert np.abs(pygame.surfarray.array3d(person.screen) - now).max() <= 4  # the last of a lamp's lag


def test_a_frame_asks_for_the_state_twice_at_most(sit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    person = sit()
    asked = []
    real = person.machine.state
    monkeypatch.setattr(person.machine, "state", lambda: asked.append(1) or real())
    person.look()
    assert len(asked) <= 2


def test_a_threshold_beyond_the_knobs_range_is_where_the_knob_points(sit: Any) -> None:
    person = sit()
    person.machine.submit(c.SetThreshold(8))
    assert person.desk.knob("threshold") == (6, 7)
    person.touch("knob.threshold")
    assert person.machine.state().thresholds[0] == 0
