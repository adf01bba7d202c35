"""A person at a real window: Xvfb, xdotool, coordinates only. The story of docs/screenshots/make.py, checked."""

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import pytest
from PIL import ImageChops

ROOT = Path(__file__).parents[2]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screenshots_make", ROOT / "docs" / "screenshots" / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["screenshots_make"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.xvfb
def test_the_journal_shows_each_step_and_the_pictures_differ(tmp_path: Path) -> None:
    make = maker()
    with make.xvfb((1920, 1080)) as display:
        person = make.Person(display, tmp_path, make.SIZE, [])
        steps = make.story(person)
        assert person.leave() == 0
    expected = {
        "03-presented": "PresentStimulus",
        "04-correcting": "Teach",
        "06-trained": "StartTraining",
        "07-broken": "PullUnit",
        "10-rewired": "Rewire",
        "11-undone": "Undo",
        "13-new-seed": "Restore",
        "15-reopened": "Restore",
    }
    assert {name: command in steps[name] for name, command in expected.items()} == dict.fromkeys(expected, True)
    assert list(tmp_path.glob("*.mark1"))
    for one, other in itertools.pairwise(person.pictures):
        assert ImageChops.difference(person.pictures[one], person.pictures[other]).getbbox() is not None, (one, other)
    answer = person.boxes["answer.verdict"]  # the reopened machine answers as it did when it was kept
    corners = (answer.x, answer.y, answer.right, answer.bottom)
    before, after = (person.pictures[name].crop(corners) for name in ("07-broken", "15-reopened"))
    assert ImageChops.difference(before, after).getbbox() is None
