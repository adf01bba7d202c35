"""What training says at its end: nothing that was not tested, nothing that is not known, no count that is none."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mark1 import HISTORIC, MachineConfig, Mark1
from mark1.app import train
from mark1.app.progress import progress_shown
from mark1.app.reasons import _never
from mark1.cli import build_parser
from mark1.commands import StartTraining
from mark1.stimulus.cards import Card, CardSet, card_set

BARS = Path("images/bars")


def fill(folder: Path, cards: dict[str, Sequence[Path]]) -> Path:
    for name, files in cards.items():
        (folder / name).mkdir(parents=True)
        for number, file in enumerate(files):
            shutil.copy(file, folder / name / f"{number}.png")
    return folder


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Six lying bars, of which four are copies of one; four standing; and one blot."""
    lying, standing = sorted((BARS / "horizontal").iterdir()), sorted((BARS / "vertical").iterdir())
    folder = fill(tmp_path / "uneven", {"lying": [lying[3]] * 4 + lying[6:8], "standing": standing[:4]})
    (folder / "blot").mkdir()
    Image.fromarray(np.pad(np.full((90, 90), 255, np.uint8), 40)).save(folder / "blot" / "1.png")
    return folder


def test_classes_and_cards_that_were_not_tested_are_named(mark1, uneven: Path, tmp_path: Path) -> None:
    words = [
        "train",
        uneven,
        "--out",
        tmp_path / "m.mark1",
        "--holdout",
        0.5,
        "--framing",
        "off",
        "--polarity",
        "light",
    ]
    out = mark1(*words).out
    assert "Not tested, for want of cards to hold out: blot; the error on these classes is not known." in out
    table = json.loads(mark1(*words, "--json").out)["held_out"]
    assert table["cards"] == 5
    assert table["classes_not_tested"] == ["blot"]
    assert table["same_light_as_training"] >= 1
    assert f"{table['same_light_as_training']} of them give the very light of a training card" in out


def test_where_all_was_tested_nothing_is_said(mark1, tmp_path: Path) -> None:
    out = mark1("train", "bars", "--out", tmp_path / "m.mark1", "--holdout", 0.3).out
    assert "Held-out cards:" in out
    assert "Not tested" not in out
    assert "very light" not in out


def test_only_held_out_cards_have_an_interval(mark1, tmp_path: Path) -> None:
    table = json.loads(mark1("train", "e-x", "--out", tmp_path / "m.mark1", "--holdout", 0.25, "--json").out)
    assert "interval_95" not in table["training"]
    assert len(table["held_out"]["interval_95"]) == 2


@pytest.mark.parametrize("name", ["undecided", "no answer"])
def test_a_class_cannot_be_named_like_a_missing_answer(mark1, tmp_path: Path, name: str) -> None:
    lying = sorted((BARS / "horizontal").iterdir())
    folder = fill(tmp_path / "cards", {name: lying[:2], "other": lying[5:7]})
    ran = mark1("train", folder, "--out", tmp_path / "m.mark1")
    assert ran.code == 2
    assert f"no class can be named '{name}'" in ran.err


# -- spontaneous learning --------------------------------------------------------------------------------------


def test_spontaneous_learning_has_no_errors_to_count(mark1, tmp_path: Path) -> None:
    words = ["train", "bars", "--mode", "spontaneous", "--passes", 2, "--out", tmp_path / "m.mark1"]
    assert mark1(*words).err.splitlines() == ["pass 1", "pass 2"]
    assert json.loads(mark1(*words, "--json").out)["errors_per_pass"] is None
    assert "wrong in the last pass" not in mark1("show", tmp_path / "m.mark1").out


def test_the_bar_of_spontaneous_learning_counts_none_either(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    machine = Mark1(HISTORIC.with_(response__in_use=1), seed=1)
    lights = np.eye(400)[:3]
    with progress_shown(3) as show:
        show(machine.rehearse(lights, None, mode="spontaneous", passes=2))
    assert "wrong" not in capsys.readouterr().err


# -- when training stops ---------------------------------------------------------------------------------------


def test_error_correction_stops_after_a_pass_without_error(mark1, tmp_path: Path) -> None:
    """--passes is the most; the machine is the one of a training without it."""
    free = json.loads(mark1("train", "bars", "--out", tmp_path / "a.mark1", "--json").out)
    limited = json.loads(mark1("train", "bars", "--out", tmp_path / "b.mark1", "--passes", 100, "--json").out)
    assert free["outcome"] == limited["outcome"] == "correct"
    assert limited["errors_per_pass"].index(0) == limited["passes"] - 1 < 99
    assert free["corrections"] == limited["corrections"]


@pytest.mark.parametrize(
    ("words", "passes", "until_correct"),
    [
        ("", 500, True),
        ("--passes 9", 9, True),
        ("--mode forced", 500, True),
        ("--mode forced --passes 9", 9, False),
        ("--mode forced --passes 9 --until-correct", 9, True),
        ("--mode spontaneous", 10, False),
        ("--mode spontaneous --passes 9", 9, False),
    ],
)
def test_each_mode_stops_as_the_docs_say(words: str, passes: int, until_correct: bool) -> None:
    args = build_parser("train").parse_args(["train", "bars", "--out", "m.mark1", *words.split()])
    start = train.orders(train.prepare(args), args)[-1]
    assert isinstance(start, StartTraining)
    assert (start.passes, start.until_correct) == (passes, until_correct)


# -- why not ---------------------------------------------------------------------------------------------------

P, Q, R, S = np.eye(4, dtype=bool).repeat(128, axis=1)  # blocks of A-units


def four_cards(names: str) -> CardSet:
    return card_set("four", [Card(f"{n}", name, Path("none")) for n, name in enumerate(names)])


def machine(config: MachineConfig = HISTORIC) -> Mark1:
    return Mark1(config.with_(response__in_use=2), seed=1)


def test_what_no_values_can_do_is_proved_and_said() -> None:
    crossed = np.array([P | Q, R | S, P | R, Q | S])  # the first two sum up to what the last two do
    said = _never(machine(), crossed, four_cards("aabb"))
    assert said.startswith("Not learned: no values at all make R1 answer every card (proved; mark1 theory tells more)")
    assert "--passes" not in said


def test_what_the_stops_forbid_is_proved_and_said() -> None:
    deaf = HISTORIC.with_(response__dead_zone_uv=2_000_000_000)  # more than all potentiometers together
    said = _never(machine(deaf), np.array([P, Q, R, S]), four_cards("aabb"))
    assert said.startswith("Not learned: no values inside the stops make R1 answer every card (proved;")


def test_what_can_be_learned_is_not_said_to_be_hopeless() -> None:
    assert _never(machine(), np.array([P, Q, R, S]), four_cards("aabb")) == ""


# -- show ------------------------------------------------------------------------------------------------------


def test_show_counts_the_wires_that_are_plugged(mark1, bars_machine: Path, tmp_path: Path) -> None:
    wires = tmp_path / "wires.csv"
    mark1("csv", bars_machine, "--export-plugboard", wires)
    head, *lines = wires.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("1,") and not line.endswith("inhibitory")]
    wires.write_text("\n".join([head, *kept]))
    mark1("csv", bars_machine, "--import-plugboard", wires, "--out", tmp_path / "m.mark1")
    assert "512, 0 to 5 excitatory + 0 inhibitory wires each" in mark1("show", tmp_path / "m.mark1").out
