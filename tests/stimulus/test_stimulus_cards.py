"""Card sets: folders, manifests, the built-in ones."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mark1.errors import StimulusError
from mark1.stimulus import builtin, find_cards, names, parity, read_cards
from mark1.stimulus.builtins import folder
from mark1.stimulus.inspection import inspect


@pytest.fixture
def three_classes(tmp_path: Path) -> Path:
    letters = builtin("capitals-sans")
    for card in letters.only(["A", "B", "C"]).cards:
        for number in (1, 2, 10):
            place = tmp_path / card.class_name
            place.mkdir(exist_ok=True)
            Image.open(str(card.picture)).rotate(number).save(place / f"{number}.png")
    return tmp_path


def test_a_folder_of_folders_is_a_card_set(three_classes: Path) -> None:
    cards = read_cards(three_classes)
    assert cards.classes == ("A", "B", "C")
    assert [card.name for card in cards.cards[:3]] == ["A/1.png", "A/2.png", "A/10.png"]
    assert cards.lights().shape == (9, 400)
    assert cards.targets()[4].tolist() == [-1, 1, -1]


def test_names_that_differ_only_in_zeros_come_in_one_order_on_every_disk(
    three_classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("01.png", "001.png"):
        (three_classes / "A" / "1.png").with_name(name).write_bytes((three_classes / "A" / "1.png").read_bytes())
    (three_classes / "A").rename(three_classes / "7")
    (three_classes / "B").rename(three_classes / "07")
    listed = Path.iterdir
    orders = []
    for backwards in (False, True):
        monkeypatch.setattr(Path, "iterdir", lambda path, back=backwards: iter(sorted(listed(path), reverse=back)))
        orders.append([card.name for card in read_cards(three_classes).cards])
    assert orders[0] == orders[1]
    assert orders[0][:6] == ["07/1.png", "07/2.png", "07/10.png", "7/001.png", "7/01.png", "7/1.png"]


def test_other_files_are_left_aside_and_named(three_classes: Path) -> None:
    (three_classes / "A" / "notes.txt").write_text("not a card")
    (three_classes / "A" / ".hidden.png").write_text("not a card")
    (three_classes / "stray.png").write_text("not a card")
    cards = read_cards(three_classes)
    assert len(cards) == 9
    assert [("notes.txt" in note, "stray.png" in note) for note in cards.notes] == [(True, False), (False, True)]


def test_a_manifest_gives_classes_codes_camera_and_licence(three_classes: Path) -> None:
    (three_classes / "manifest.toml").write_text(
        'licence = "CC0"\n[projection]\nframing = false\n[codes]\nvowel = 1\nother = 2\n'
        '[[card]]\nfile = "A/1.png"\nclass = "vowel"\n[[card]]\nfile = "B/1.png"\nclass = "other"\nlicence = "MIT"\n'
    )
    cards = read_cards(three_classes)
    assert cards.classes == ("vowel", "other")
    assert cards.targets().tolist() == [[1, -1], [-1, 1]]
    assert not cards.projection.framing
    assert [card.licence for card in cards.cards] == ["CC0", "MIT"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[[card]]\nfile = 'A/1.png'\n", "class"),
        ("[[card]]\nfile = '../x.png'\nclass = 'A'\n", "inside"),
        ("[[card]]\nfile = '/etc/passwd'\nclass = 'A'\n", "inside"),
        ("[[card]]\nfile = 'C:secret/x.png'\nclass = 'A'\n", "inside"),
        ("[[card]]\nfile = 'A/1.png'\nclass = 'no answer'\n", "no class can be named 'no answer'"),
        ("[[card]]\nfile = 3\nclass = 'A'\n", "text"),
        ("[[card]]\nfiel = 'A/1.png'\nclass = 'A'\n", "nearest known is 'file'"),
        ("card = 3\n", "list of tables"),
        ("codes = 3\n[[card]]\nfile = 'A/1.png'\nclass = 'A'\n", "table"),
        ("title = 'none'\n", "no cards"),
        ("this is no TOML", "TOML"),
        ("x = " + "[" * 5000, "TOML"),
        ("[projection]\nfill = 7\n[[card]]\nfile = 'A/1.png'\nclass = 'A'\n", "fill"),
        ("classes = ['A', 'B']\n[[card]]\nfile = 'A/1.png'\nclass = 'A'\n", "classes"),
        ("[[sheet]]\nfile = 'A/1.png'\ntile = [0, 3]\nrows = []\n", "tile"),
        ("[[sheet]]\nfile = 'A/1.png'\ntile = [40, 40]\nrows = [['A', -1]]\n", "tile"),
    ],
)
def test_a_wrong_manifest_is_refused_in_one_sentence(three_classes: Path, text: str, word: str) -> None:
    (three_classes / "manifest.toml").write_text(text)
    with pytest.raises(StimulusError, match=word) as refusal:
        read_cards(three_classes)
    assert "\n" not in str(refusal.value)


def test_too_many_cards_are_refused_before_one_is_made(three_classes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[[sheet]]\nfile = 'A/1.png'\ntile = [10, 10]\nrows = [['A', 99_999], ['B', 2]]\n"
    (three_classes / "manifest.toml").write_text(text)
    monkeypatch.setattr("mark1.stimulus.manifest.Tile", None)
    with pytest.raises(StimulusError, match="has 100001 cards; 100000 is the most"):
        read_cards(three_classes)


@pytest.mark.parametrize("name", ["undecided", "no answer"])
def test_what_a_machine_says_without_an_answer_is_no_name_for_a_class(three_classes: Path, name: str) -> None:
    (three_classes / "B").rename(three_classes / name)
    with pytest.raises(StimulusError, match=f"no class can be named '{name}'"):
        read_cards(three_classes)


def test_a_sheet_with_an_impossible_name_is_one_sentence(three_classes: Path) -> None:
    text = f"[[sheet]]\nfile = '{'x' * 300}'\ntile = [10, 10]\nrows = [['A', 2]]\n"
    (three_classes / "manifest.toml").write_text(text)
    with pytest.raises(StimulusError, match="file name too long"):
        read_cards(three_classes).lights()


def test_a_place_that_may_not_be_looked_at_is_one_sentence(
    three_classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **words: bool) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(StimulusError, match="may not be looked at by this user"):
        read_cards(three_classes)


def test_a_sheet_smaller_than_its_cards_is_refused(three_classes: Path) -> None:
    text = "[[sheet]]\nfile = 'A/1.png'\ntile = [100, 100]\nrows = [['A', 2]]\n"
    (three_classes / "manifest.toml").write_text(text)
    with pytest.raises(StimulusError, match="too small"):
        read_cards(three_classes).lights()


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StimulusError, match="subfolder"):
        read_cards(tmp_path)
    with pytest.raises(StimulusError, match="neither"):
        find_cards(str(tmp_path / "nowhere"))


def test_more_than_255_classes_are_refused(tmp_path: Path) -> None:
    for number in range(256):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a.png").touch()
    with pytest.raises(StimulusError, match="255"):
        read_cards(tmp_path)


SIZES = {
    "bars": (34, 2), "capitals": (78, 26), "capitals-drafting": (26, 26), "capitals-sans": (26, 26),
    "capitals-serif": (26, 26), "connected": (80, 2), "digits": (300, 10), "e-f": (60, 2), "e-x": (40, 2),
    "parity": (2048, 2), "shapes": (100, 5), "squares": (100, 2),
}  # fmt: skip


def test_all_built_in_sets_are_here() -> None:
    assert {name: (len(builtin(name)), len(builtin(name).classes)) for name in names()} == SIZES


@pytest.mark.parametrize("name", sorted(set(SIZES) - {"parity"}))
def test_a_built_in_set_has_no_problems_and_names_its_licence(name: str) -> None:
    cards = builtin(name)
    assert [one for one in inspect(cards) if one.problem] == []
    assert all(card.licence and card.source for card in cards.cards)


def test_built_in_cards_are_white_on_black_and_larger_than_the_retina() -> None:
    for path in sorted(folder().glob("*/*/*.png")):
        with Image.open(path) as picture:
            assert min(picture.size) > 20
            assert picture.convert("L").resize((1, 1), Image.Resampling.BOX).getpixel((0, 0)) < 128


def test_no_file_in_a_set_is_without_an_entry() -> None:
    for manifest in folder().glob("*/manifest.toml"):
        table = tomllib.loads(manifest.read_text())
        listed = {entry["file"] for entry in [*table.get("card", []), *table.get("sheet", [])]}
        found = {str(path.relative_to(manifest.parent)) for path in manifest.parent.rglob("*.png")}
        assert found == listed


def test_the_built_in_cards_stay_small() -> None:
    assert sum(path.stat().st_size for path in folder().rglob("*") if path.is_file()) < 1_500_000


def test_parity_is_every_pattern_once() -> None:
    cards = parity()
    lights = cards.lights()
    assert len(np.unique(lights, axis=0)) == 2048
    assert np.array_equal((lights.sum(axis=1) / 16) % 2, cards.labels)


def test_a_parity_card_is_the_same_through_the_projector() -> None:
    cards = parity()
    lights = cards.lights()
    for position in (0, 1, 5, 1023, 2047):
        plate = cards.plate(position)
        assert np.array_equal(plate.points.reshape(20, 4, 20, 4).mean(axis=(1, 3)).ravel() / 255, lights[position])


def test_connectedness_is_true_of_the_cells() -> None:
    from scipy.ndimage import label

    cards = builtin("connected")
    pieces = [label(light.reshape(20, 20))[1] for light in cards.lights()]
    assert [("connected", "parted")[count - 1] for count in pieces] == [card.class_name for card in cards.cards]
    assert set(cards.lights().sum(axis=1)) == {96}


def test_holding_out_takes_a_share_of_every_class_and_loses_nothing() -> None:
    cards = builtin("digits")
    kept, held = cards.parted(0.3, seed=7)
    assert np.bincount(held.labels).tolist() == [9] * 10
    assert {card.name for card in kept.cards} | {card.name for card in held.cards} == {c.name for c in cards.cards}
    assert len(kept) + len(held) == 300
    assert [c.name for c in cards.parted(0.3, seed=8)[1].cards] != [c.name for c in held.cards]


def test_a_class_of_one_card_is_never_held_out() -> None:
    kept, held = builtin("capitals-sans").parted(0.5, seed=1)
    assert (len(kept), len(held)) == (26, 0)


def test_a_part_of_a_set_has_codes_of_its_own() -> None:
    pair = builtin("capitals-sans").only(["X", "E"])
    assert pair.classes == ("X", "E")
    assert pair.codes.r_units == 2
    with pytest.raises(StimulusError, match="no class '7'"):
        pair.only(["7"])


def test_two_classes_that_look_the_same_are_a_problem(three_classes: Path) -> None:
    (three_classes / "B" / "1.png").write_bytes((three_classes / "A" / "1.png").read_bytes())
    problems = {one.card.name: one.problem for one in inspect(read_cards(three_classes)) if one.problem}
    assert list(problems) == ["B/1.png"]
    assert "A/1.png of class A" in problems["B/1.png"]


def test_cards_inside_the_installed_package_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mark1" / "images").mkdir(parents=True)
    monkeypatch.setattr("mark1.__file__", str(tmp_path / "mark1" / "__init__.py"))
    assert folder() == tmp_path / "mark1" / "images"
