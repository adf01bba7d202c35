"""mark1 theory as a user runs it."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mark1 import HISTORIC, Mark1, cli
from mark1.app import machinefile
from mark1.commands import Adjust
from mark1.savefile import save_machine


@pytest.fixture
def machine_file(tmp_path):
    rng = np.random.default_rng(1)
    machine = Mark1(HISTORIC.with_(association__units=100, response__in_use=2), 2)
    lights = (rng.random((8, 400)) < 0.4).astype(float)
    machine.rehearse(lights, rng.choice([-1, 1], (8, 2)), passes=100, until_correct=True)
    return save_machine(tmp_path / "m.mark1", machine)


def test_toy_prints_sentences(capsys):
    assert cli.main(["theory", "--toy", "separable"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Separable") and "bound" in said


@pytest.mark.parametrize(("name", "separable"), [("separable", True), ("barely", True), ("xor", False), ("not", False)])
def test_toy_json_says_separable(capsys, name, separable):
    assert cli.main(["theory", "--toy", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["separable"] is separable


def test_toy_report_is_written(tmp_path, capsys):
    out = tmp_path / "out.html"
    assert cli.main(["theory", "--toy", "xor", "--report", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>") and str(out) in capsys.readouterr().out


def test_pictures_are_written_one_by_one(tmp_path, capsys):
    assert cli.main(["theory", "--toy", "ring", "--pictures", str(tmp_path)]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"figure-{n:02}.{kind}" for n in (1, 2, 3) for kind in ("png", "svg")]
    assert (tmp_path / "figure-01.svg").read_text(encoding="utf-8").startswith("<svg")


def test_machine_file_json_and_report_together(machine_file, tmp_path, capsys):
    out = tmp_path / "out.html"
    assert cli.main(["theory", str(machine_file), "--json", "--report", str(out)]) == 0
    table = json.loads(capsys.readouterr().out)
    assert [r["separable"] for r in table["responses"]] == [True, True]
    assert out.stat().st_size > 10_000


def test_machine_file_in_words(machine_file, capsys):
    assert cli.main(["theory", str(machine_file)]) == 0
    said = capsys.readouterr().out
    assert "separable by this plugboard" in said and "R2: separable, checked exactly." in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name one subject"),
        (["--toy", "xor", "letters"], "Name one subject"),
        (["--toy", "rings"], "did you mean 'ring'"),
        (["--toy", "xor", "--report", "/nowhere/at/all.html"], "make it first"),
        (["--toy", "xor", "--pictures", "/nowhere/at/all"], "make it first"),
        (["x.mark1", "--preset", "MODERN"], "invalid choice"),
        (["x" * 300], "neither a folder here nor a built-in set"),
        (["--toy", "xor", "--report", "x" * 300], "cannot be written (file name too long)"),
        (["--toy", "xor", "--cards", "e-x"], "--cards does not apply"),
        (["--toy", "xor", "--seed", "3"], "--seed does not apply"),
        (["e-x", "--cards", "e-f"], "--cards does not apply: e-x is no machine file"),
    ],
)
def test_wrong_words_are_one_sentence(words, sentence, capsys):
    assert cli.main(["theory", *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and sentence in said.err and len(said.err.splitlines()) == 1


def test_damaged_machine_file_is_one_sentence(machine_file, capsys):
    machine_file.write_bytes(machine_file.read_bytes()[:-40])
    assert cli.main(["theory", str(machine_file)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_untrained_machine_is_one_sentence(tmp_path, capsys):
    path = save_machine(tmp_path / "new.mark1", Mark1(HISTORIC, 1))
    assert cli.main(["theory", str(path)]) == 2
    assert "never been trained" in capsys.readouterr().err


def test_no_such_subject_is_one_sentence(capsys):
    assert cli.main(["theory", "no-such-thing"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_words_put_count_and_bound_together_only_where_proved(machine_file, capsys):
    assert cli.main(["theory", str(machine_file)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"R1: \d+ corrections? made; at most \d+ are possible for this rack \(proved: training by", said)
    machine, _ = machinefile.read(machine_file)
    assert machine.submit(Adjust("response.dead_zone_uv", 1))
    save_machine(machine_file, machine)
    assert cli.main(["theory", str(machine_file)]) == 0
    said = capsys.readouterr().out
    assert "made; at most" not in said and "(ideal)" not in said
    assert "R1: A new machine with these settings would need at most" in said


def test_a_folder_of_pictures_is_a_card_set(tmp_path, capsys):
    """Two classes as subfolders, four pictures each: bars that stand and bars that lie."""
    for name, turn in (("standing", False), ("lying", True)):
        folder = tmp_path / "bars" / name
        folder.mkdir(parents=True)
        for place in range(4):
            light = np.zeros((20, 20), np.uint8)
            light[:, 3 + 4 * place : 5 + 4 * place] = 255
            Image.fromarray(light.T if turn else light).save(folder / f"{place}.png")
    assert cli.main(["theory", str(tmp_path / "bars"), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["subject"] == "The card set bars" and table["cards"] == 8 and table["comparable"] is True
    assert len(table["responses"]) == 2 and all(each["separable"] for each in table["responses"])
    assert all(each["corrections"] <= each["bound"] for each in table["responses"])


def test_card_set_is_learned_here_and_examined(capsys):
    assert cli.main(["theory", "e-x", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["separable"] is True and table["comparable"] is True
    for each in table["responses"]:
        assert each["separable"] is True and each["wrong"] == 0 and each["corrections"] <= each["rack_bound"]


@pytest.mark.slow
def test_built_in_parity_is_not_separable_and_says_why(capsys):
    assert cli.main(["theory", "parity", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert [each["separable"] for each in table["responses"]] == [False, False]
    assert {each["reason"] for each in table["responses"]} == {"equal weights"}
    assert "No A-unit sees more than 10 of the 11 blocks" in table["notes"][0]


def test_cards_for_another_number_of_responses_are_one_sentence(machine_file, capsys):
    assert cli.main(["theory", str(machine_file), "--cards", "digits"]) == 2
    assert "codes for 4 R-units" in capsys.readouterr().err


def test_machine_file_on_the_cards_of_its_training_is_comparable(tmp_path, capsys):
    path = tmp_path / "ex.mark1"
    assert cli.main(["train", "e-x", "--out", str(path), "--until-correct"]) == 0
    capsys.readouterr()
    assert cli.main(["theory", str(path), "--cards", "e-x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparable"] is True


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """A machine that knows E and X, and a set of other cards that names them the other way round."""
    folder = tmp_path_factory.mktemp("letters")
    assert cli.main(["train", "e-x", "--out", str(folder / "ex.mark1"), "--json"]) == 0
    for name in ("E", "X"):
        (folder / "fewer" / name).mkdir(parents=True)
        for place in range(1, 6):
            file = f"{name}-{place:02}.png"
            shutil.copy(f"images/e-x/{name}/{file}", folder / "fewer" / name / file)
    turned = ["[codes]", "X = 1", "E = 2", *_entries("X"), *_entries("E")]
    (folder / "fewer" / "manifest.toml").write_text("\n".join(turned))
    return folder


def _entries(name):
    return [f'[[card]]\nfile = "{name}/{name}-{place:02}.png"\nclass = "{name}"' for place in range(1, 6)]


def test_other_cards_are_asked_by_the_codes_of_the_machine(letters, capsys):
    """The set's own code book has the two R-units exchanged; the machine's holds, so nothing is wrong."""
    assert cli.main(["theory", str(letters / "ex.mark1"), "--cards", str(letters / "fewer"), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["comparable"] is False and "other cards" in table["not_comparable"]
    assert [each["wrong"] for each in table["responses"]] == [0, 0]


def test_a_class_that_the_machine_does_not_know_is_refused_by_name(letters, capsys):
    assert cli.main(["theory", str(letters / "ex.mark1"), "--cards", "e-f"]) == 2
    assert "does not know the class F; it knows E, X" in capsys.readouterr().err


def test_a_machine_without_names_takes_the_codes_of_the_set_and_says_so(machine_file, capsys):
    assert cli.main(["theory", str(machine_file), "--cards", "e-x"]) == 0
    assert "has no names for classes" in capsys.readouterr().out


def test_spontaneous_learning_has_no_answers_to_examine(tmp_path, capsys):
    path = str(tmp_path / "sp.mark1")
    assert cli.main(["train", "e-x", "--out", path, "--mode", "spontaneous", "--passes", "1"]) == 0
    capsys.readouterr()
    assert cli.main(["theory", path]) == 2
    assert "it was told no classes; name a card set with --cards" in capsys.readouterr().err
    assert cli.main(["theory", path, "--cards", "e-x", "--json"]) == 0
    reason = json.loads(capsys.readouterr().out)["not_comparable"]
    assert reason == "the machine was trained by spontaneous learning, not by error correction"


def test_words_that_do_not_apply_to_a_file_are_refused(letters, capsys):
    for words in (["--preset", "IDEAL"], ["--seed", "1960"]):
        assert cli.main(["theory", str(letters / "ex.mark1"), *words]) == 2
        assert f"{words[0]} does not apply: the file has its machine" in capsys.readouterr().err


def test_the_report_does_not_overwrite_the_machine(letters, capsys):
    machine = letters / "ex.mark1"
    before = machine.read_bytes()
    assert cli.main(["theory", str(machine), "--report", str(machine)]) == 2
    assert "would overwrite" in capsys.readouterr().err and machine.read_bytes() == before


def test_a_machine_file_that_cannot_be_read_is_one_sentence(machine_file, capsys, monkeypatch):
    opened = Path.open

    def refuse(path, *words, **more):
        if path == machine_file:
            raise PermissionError(13, "Permission denied")
        return opened(path, *words, **more)

    monkeypatch.setattr(Path, "open", refuse)
    assert cli.main(["theory", str(machine_file)]) == 2
    assert "cannot be read (permission denied)" in capsys.readouterr().err
