"""Strings and sources: every text is in the catalogues, every part knows where it comes from."""

import string

import pytest
from panel_strings import strings

from mark1.panel import marks
from mark1.panel.layout import PLATES, arrange
from mark1.panel.pages import drawer, files, help, loupe, plugpage, rigpage
from mark1.panel.provenance import GRADES, MODERN, source_of
from mark1.panel.widget import HOTKEYS, widgets
from mark1.panel.words import LOCALE, Words, read_po


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_catalogue_has_every_string_and_no_other(language: str) -> None:
    messages = read_po((LOCALE / f"{language}.po").read_text(encoding="utf-8"))
    assert set(messages) == strings()


def test_german_is_complete_and_keeps_the_fields() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    messages = read_po((LOCALE / "de.po").read_text(encoding="utf-8"))
    assert all(messages.values())
    assert not [text for text, translated in messages.items() if fields(text) != fields(translated)]


def test_an_unknown_language_is_english_and_the_long_one_is_long() -> None:
    assert Words("xx")("PRESENT") == "PRESENT"
    assert Words("de")("{n} cells lit", n=3) == "3 Zellen hell"
    assert len(Words("long")("show the card")) >= 2 * len("show the card")


def test_every_widget_plate_and_page_has_a_source() -> None:
    a = arrange(1920, 1080, 26)
    names = [w.name for w in widgets(a, 26)] + [name for name in PLATES if name != "desk"]
    names += [page.PAGE.name for page in (drawer, files, help, loupe, plugpage, rigpage)]
    for name in names:
        source = source_of(name)
        assert source.grade in GRADES and source.text, name


def test_a_widget_without_a_source_is_an_error() -> None:
    with pytest.raises(KeyError):
        source_of("flux_capacitor")


def test_as_documented_marks_or_covers_every_part() -> None:
    a = arrange(1920, 1080)
    marked = set(marks.marked(widgets(a, 8)))
    needed = {w.name for w in widgets(a, 8) if w.kind in ("key", "knob") and not w.name.startswith("hand")}
    needed |= {"retina", "plugboard", "rack", "responses", "easel", "tray", "answer", "chart", "why"}
    needed |= {"nameplate", "annunciator", "status", "plugboard.glow", "easel.field"}
    assert needed | {f"response.{i}" for i in range(8)} <= marked
    assert (source_of("response.3").grade, source_of("easel.field").grade) == ("chosen", MODERN)
    assert all(source_of(name).grade == MODERN for name in marks.COVERED)


def test_each_key_of_the_keyboard_does_one_thing() -> None:
    keys = [key for name, key in HOTKEYS.items() if name != "drawer.plugboard"]
    assert len(keys) == len(set(keys))
