"""A German panel speaks German: refusals of the machine, files and theory, numbers, and what stands there already."""

import re
from pathlib import Path
from typing import Any

import pytest

from mark1.app import panel_parts as parts
from mark1.panel.refusals import REASONS, THINGS, reason
from mark1.panel.trainer import Opinion
from mark1.panel.words import Words

ROOT = Path(__file__).parents[2] / "mark1"


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("present", "Um eine Karte von Hand zu zeigen, erst das Üben anhalten."),
        ("clear", "Um die Netzhaut zu löschen, erst das Üben anhalten."),
        ("rewire", "Um neu zu verdrahten, erst das Üben anhalten."),
        ("hand.plus", "Um zu verstärken, erst das Üben anhalten."),
        ("teach", "Um zu lehren, erst das Üben anhalten."),
        ("undo", "Zurück geht es erst, wenn nicht geübt wird und die Motoren ruhen."),
    ],
)
def test_refusals_while_training_are_german(sit: Any, act: str, told: str) -> None:
    person = sit(language="de")
    person.touch("card.0")
    person.touch("train")
    person.touch(act)
    assert person.desk.message == told


def test_refusals_while_motors_run_are_german(sit: Any) -> None:
    person = sit(language="de")
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    person.touch("teach")
    person.touch("break")
    assert person.desk.message == "Um eine Einheit zu ziehen, müssen die Motoren ruhen."


def test_a_missing_file_is_told_in_german(sit: Any, tmp_path: Path) -> None:
    person = sit(language="de")
    person.desk.services = parts.services(tmp_path, person.machine, None)
    person.desk.open("gone.mark1")
    assert person.desk.message == f"{tmp_path / 'gone.mark1'} gibt es nicht; den Namen prüfen."
    (tmp_path / "bad.mark1").write_bytes(b"nothing")
    person.desk.open("bad.mark1")
    assert person.desk.message == "Das ist keine Maschinendatei des Mark I."


def test_theory_is_told_in_german(sit: Any) -> None:
    class Pessimist:
        def ask(self, machine: Any, lights: Any, targets: Any) -> None: ...

        def poll(self) -> Opinion:
            return Opinion(False, "R2: Not separable: samples 1 and 4 are the same point with opposite labels.")

    person = sit(language="de", theory=Pessimist())
    person.learn()
    assert person.desk.message.endswith(
        "R2: Nicht trennbar: Karten 1 und 4 sind derselbe Punkt mit verschiedenen Namen."
    )


def test_every_sentence_of_the_tables_is_one_that_the_other_rooms_say() -> None:
    """If a room words its refusal anew, the table must follow."""
    rooms = (ROOT / room for room in ("core", "theory", "stimulus", "app"))
    files = [path for room in rooms for path in room.glob("*.py")] + [ROOT / "savefile.py"]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    source = source.replace("{SUFFIX}", ".mark1")
    for text in REASONS:
        pieces = [re.escape(piece) for piece in re.split(r"\{\w+\}", text)]
        assert re.search(r"\{[^{}]*\}".join(pieces), source), text
    assert not [thing for thing in THINGS if f'"{thing}"' not in source]


def test_a_sentence_that_nobody_knows_is_shown_as_it_came() -> None:
    assert reason(Words("de"), "the moon is full.") == "The moon is full."


def test_numbers_are_written_as_the_language_does() -> None:
    assert Words("de")("{n:,} wires", n=5120) == "5.120 Drähte"
    assert Words("de")("{v:.2f} V", v=0.1) == "0,10 V"
    assert Words("en")("{n:,} wires", n=5120) == "5,120 wires"


def test_another_language_tells_the_message_again(sit: Any) -> None:
    person = sit()
    person.touch("card.0")
    person.touch("present")
    person.look(15)
    person.panel.speak("de")
    assert person.desk.message == Words("de")("It does not know. Press TEACH: it should say {name}.", name="A")
    person.touch("clear")
    person.panel.speak("en")
    assert person.desk.message == "Draw on the card, or take one from the tray. Then press PRESENT."
