"""The layout holds at every size and with long strings: nothing overlaps or sticks out, everything is readable."""

from itertools import combinations
from typing import Any

import numpy as np
import pygame
import pytest

from mark1.core.config import MODES
from mark1.panel import marks
from mark1.panel.knobs import SPEEDS
from mark1.panel.layout import PLATES, Box, arrange, shape_of
from mark1.panel.lettering import Note
from mark1.panel.pages import drawer, files, help, loupe, plugpage, rigpage
from mark1.panel.provenance import PROVENANCE
from mark1.panel.stage import Stage
from mark1.panel.theme import TARGET, TEXT, THEME, contrast
from mark1.panel.widget import widgets

SIZES = [(1280, 720), (1920, 1080), (3840, 2160), (1280, 960), (1600, 1200), (1080, 1920)]
LANGUAGES = ["en", "long"]
PAGES = [drawer, files, help, loupe, plugpage, rigpage]


def read_all(sit: Any, size: tuple[int, int], language: str) -> tuple[Stage, list[Note]]:
    """Every text of the panel after training and an answer."""
    person = sit(size=(320, 240), language=language)
    person.learn()
    person.desk.take_card(person.desk.cards.cards[4])
    person.desk.present()
    person.look(30)
    notes: list[Note] = []
    stage = Stage(size, person.desk, notes=notes)
    stage.draw(person.panel.scene, person.desk)
    return stage, notes


def test_the_window_decides_the_shape() -> None:
    assert [shape_of(*size) for size in SIZES] == ["wide"] * 3 + ["square"] * 2 + ["portrait"]


@pytest.mark.parametrize("size", SIZES)
def test_plates_fill_the_window_and_do_not_overlap(size: tuple[int, int]) -> None:
    a = arrange(*size)
    plates = [a.boxes[name] for name in PLATES]
    assert all(box.within(a.boxes["page"]) for box in plates)
    assert not [pair for pair in combinations(plates, 2) if pair[0].meets(pair[1])]
    assert sum(box.w * box.h for box in plates) > 0.85 * size[0] * size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cards", [2, 8, 26])
def test_widgets_do_not_overlap_and_are_large_enough(size: tuple[int, int], cards: int) -> None:
    a = arrange(*size, cards)
    found = widgets(a, cards)
    assert not [(v.name, w.name) for v, w in combinations(found, 2) if v.box.meets(w.box)]
    small = [(w.name, w.hit) for w in found if min(w.hit.w, w.hit.h) < TARGET * a.scale - 1]
    assert not small
    assert all(w.box.within(a.boxes["page"]) for w in found)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_touched_often_lies_in_the_lower_half(size: tuple[int, int]) -> None:
    a = arrange(*size)
    keys = [w for w in widgets(a, 8) if w.kind in ("key", "knob", "card")]
    assert all(w.box.centre[1] > size[1] / 2 for w in keys)


@pytest.mark.parametrize("size", SIZES)
def test_the_answer_is_the_largest_thing_after_the_easel(size: tuple[int, int]) -> None:
    a = arrange(*size)
    assert a.boxes["answer.field"].h >= 120 * a.scale
    assert a.boxes["answer.verdict"].h >= 100 * a.scale


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_leaves_its_box_and_all_is_readable(sit: Any, size: tuple[int, int], language: str) -> None:
    stage, notes = read_all(sit, size, language)
    assert len(notes) > 60
    page = stage.arrangement.boxes["page"]
    outside = [n for n in notes if not (n.box.x - 1 <= n.area.x and n.area.right <= n.box.right + 1)]
    assert not outside
    assert all(n.area.within(page) for n in notes)
    assert not [n for n in notes if n.size < TEXT - 0.5 / stage.arrangement.scale]
    faint = [(n.text, round(contrast(n.colour, n.ground), 2)) for n in notes if contrast(n.colour, n.ground) < 4.5]
    assert not faint


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_real_languages_are_never_cut_short(sit: Any, size: tuple[int, int], language: str) -> None:
    _, notes = read_all(sit, size, language)
    assert not [n.text for n in notes if not n.whole]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_setting_of_a_knob_and_no_pulled_unit_cuts_a_text_short(
    sit: Any, size: tuple[int, int], language: str
) -> None:
    person = sit(size=(320, 240), language=language)
    person.desk.break_units()
    person.look()
    cut = set()
    for mode, speed in zip((*MODES, MODES[0]), SPEEDS, strict=True):
        person.desk.mode, person.desk.speed = mode, speed
        notes: list[Note] = []
        Stage(size, person.desk, notes=notes).draw(person.panel.scene, person.desk)
        cut |= {n.text for n in notes if not n.whole}
    assert not cut


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_source_is_read_whole_and_no_mark_covers_it(sit: Any, size: tuple[int, int], language: str) -> None:
    person = sit(size=(320, 240), language=language)
    notes: list[Note] = []
    stage = Stage(size, person.desk, marks=True, notes=notes)
    for name in PROVENANCE:
        notes.clear()
        person.desk.message = marks.source_text(person.desk.words, name)
        stage.views[0].draw(stage.canvas, person.panel.scene, person.desk)  # the header
        told = [n for n in notes if n.colour == THEME.lamp]
        assert " ".join(n.text for n in told) == person.desk.message
        chip = marks.chip(stage.kit, "annunciator")
        assert not [n for n in told if n.area.meets(chip)]


@pytest.mark.parametrize("size", SIZES)
def test_texts_do_not_cover_each_other(sit: Any, size: tuple[int, int]) -> None:
    _, notes = read_all(sit, size, "en")
    assert not [(a.text, b.text) for a, b in combinations(notes, 2) if a.area.meets(b.area)]


@pytest.mark.parametrize("size", [(1280, 720), (1080, 1920)])
def test_the_ground_behind_each_text_is_what_it_claims(sit: Any, size: tuple[int, int]) -> None:
    stage, notes = read_all(sit, size, "en")
    pixels = pygame.surfarray.array3d(stage.canvas).transpose(1, 0, 2).astype(int)
    wrong = []
    for n in notes:
        area = pixels[n.area.y : n.area.bottom, n.area.x : n.area.right].reshape(-1, 3)
        near = np.abs(area - np.asarray(n.ground)).max(axis=1) < 44  # enamel has grain, the answer's window a shade
        if near.mean() < 0.2:  # the rest is the letters themselves, and the halo of a lamp
            wrong.append((n.text, n.ground, np.median(area, axis=0).tolist()))
    assert not wrong


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_and_their_keys_are_large_enough(sit: Any, size: tuple[int, int], page: Any) -> None:
    person = sit(size=(320, 240))
    stage = Stage(size, person.desk, notes=[])
    it = page.PAGE(stage.kit)
    it.opened(person.desk)
    stage.kit.lettering.notes = notes = []
    it.draw(stage.canvas, person.panel.scene, person.desk)
    assert it.box.within(Box(0, 0, *size))
    scale = stage.arrangement.scale
    assert not [name for name, box in it.keys.items() if min(box.w, box.h) < TARGET * scale - 1]
    assert all(box.within(it.box) for box in it.keys.values())
    assert not [(a, b) for a, b in combinations(it.keys, 2) if it.keys[a].meets(it.keys[b])]
    assert not [n for n in notes if not n.area.within(it.box)]
    assert not [n.text for n in notes if contrast(n.colour, n.ground) < 4.5]
