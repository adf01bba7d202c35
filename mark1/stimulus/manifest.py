"""Card sets on disk: a folder with one subfolder per class, or a manifest.toml.

A manifest names what a folder cannot: source and licence of each card, camera settings, codes, and sheets that hold
many cards in one picture. Everything in it is checked; a wrong key is refused with the nearest right one.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path, PureWindowsPath
from typing import Any

from mark1.errors import InputError, StimulusError
from mark1.stimulus.cards import Card, CardSet, Tile, card_set
from mark1.stimulus.codes import codes_for
from mark1.stimulus.opening import file_content
from mark1.stimulus.projection import Projection

MANIFEST = "manifest.toml"
MOST_CARDS = 100_000  # chosen: more than any experiment here; a guard against a folder given by mistake
ENDINGS = frozenset(
    (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".gif", ".bmp", ".dib", ".tif", ".tiff", ".webp")
    + (".ppm", ".pgm", ".pbm", ".pnm", ".pcx", ".tga", ".ico", ".avif", ".jp2", ".mpo")
)
SET_KEYS = ("name", "title", "source", "licence", "classes", "projection", "codes", "card", "sheet")
CARD_KEYS = ("file", "class", "name", "source", "licence")
SHEET_KEYS = ("file", "tile", "rows", "source", "licence")


def read_cards(place: Path) -> CardSet:
    """The card set of a folder (its manifest, or its subfolders) or of a manifest file."""
    if is_folder(place):
        manifest = place / MANIFEST
        return read_manifest(manifest) if is_there(manifest) and manifest.is_file() else read_folder(place)
    if not is_there(place):
        raise StimulusError(f"{place} does not exist; give a folder of cards, a manifest or a built-in set.")
    if place.suffix != ".toml":
        raise StimulusError(f"{place} is not a card set; give a folder with one subfolder per class, or a manifest.")
    return read_manifest(place)


def is_there(place: Path) -> bool:
    """Whether there is anything of that name; a name that is impossible is nowhere, one that is hidden is an error."""
    try:
        return place.exists()
    except PermissionError as error:
        raise StimulusError(f"{place} may not be looked at by this user; change the permissions.") from error
    except OSError:  # too long for any file
        return False


def is_folder(place: Path) -> bool:
    """Whether there is a folder of that name."""
    return is_there(place) and place.is_dir()


def natural(name: str) -> list[tuple[int, int, str]]:
    """An order for names in which 2 comes before 10."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"([0-9]+)", name) if part]


def read_folder(folder: Path) -> CardSet:
    """One subfolder per class, its name the class; files that are no pictures by their ending are left aside."""
    cards, notes = [], []
    for class_folder in _listed(folder):
        if class_folder.name.startswith("."):
            continue
        if not is_folder(class_folder):
            if class_folder.suffix.lower() in ENDINGS:
                notes.append(f"{class_folder} lies outside the class folders and was left aside.")
            continue
        for file in _listed(class_folder):
            if file.suffix.lower() in ENDINGS and not file.name.startswith("."):
                cards.append(Card(f"{class_folder.name}/{file.name}", class_folder.name, file))
            elif not file.name.startswith("."):
                notes.append(f"{file} does not end like a picture and was left aside.")
    if not cards:
        raise StimulusError(f"{folder} has no cards; put the pictures of each class into a subfolder named after it.")
    _check_count(folder, len(cards))
    return replace(card_set(folder.resolve().name, cards), notes=tuple(notes))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda path: (natural(path.name), path.name))
    except OSError as error:
        raise StimulusError(f"the folder {folder} cannot be read; change its permissions.") from error


def _check_count(place: Path, count: int) -> None:
    if count > MOST_CARDS:
        raise StimulusError(f"{place} has {count} cards; {MOST_CARDS} is the most, so take a part of them.")


def read_manifest(file: Path) -> CardSet:
    """The card set that a manifest describes."""
    try:
        table = tomllib.loads(file_content(file).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StimulusError(f"{file} is not TOML ({_reason(error)}); correct it.") from error
    try:
        return _set_of(table, file)
    except StimulusError:
        raise
    except InputError as error:
        raise StimulusError(f"{file}: {error}") from error


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") if isinstance(error, tomllib.TOMLDecodeError) else "not plain UTF-8 text"


def _set_of(table: Mapping[str, Any], file: Path) -> CardSet:
    _check_keys(table, SET_KEYS, file)
    defaults = {key: _text(table, key, file) for key in ("source", "licence")}
    _check_count(file, len(_tables(table, "card", file)) + sum(_sheet_counts(table, file)))  # before any card is made
    cards = [*_listed_cards(table, file, defaults), *_sheet_cards(table, file, defaults)]
    if not cards:
        raise StimulusError(f"{file} names no cards; add [[card]] tables with file and class.")
    classes = _classes(table, cards, file)
    made = card_set(
        _text(table, "name", file) or file.resolve().parent.name,
        cards,
        classes=classes,
        projection=Projection.from_table(_table(table, "projection", file)),
        title=_text(table, "title", file),
    )
    return replace(made, codes=codes_for(classes, _table(table, "codes", file)))


def _classes(table: Mapping[str, Any], cards: list[Card], file: Path) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(card.class_name for card in cards))
    given = table.get("classes")
    if given is None:
        return named
    if not isinstance(given, list) or set(map(str, given)) != set(named) or len(given) != len(named):
        raise StimulusError(f"{file}: classes must list each class of the cards once; correct the list.")
    return tuple(map(str, given))


def _listed_cards(table: Mapping[str, Any], file: Path, defaults: Mapping[str, str]) -> Iterator[Card]:
    for entry in _tables(table, "card", file):
        _check_keys(entry, CARD_KEYS, file)
        words = {key: _text(entry, key, file) for key in CARD_KEYS}
        if not words["file"] or not words["class"]:
            raise StimulusError(f"{file}: a [[card]] needs both file and class; add what is missing.")
        yield Card(
            words["name"] or words["file"],
            words["class"],
            _inside(file, words["file"]),
            words["source"] or defaults["source"],
            words["licence"] or defaults["licence"],
        )


def _sheet_counts(table: Mapping[str, Any], file: Path) -> Iterator[int]:
    """How many cards each row of each sheet has, as far as the sheets are sound."""
    for entry in _tables(table, "sheet", file):
        rows: Any = entry.get("rows")
        yield from (row[1] for row in (rows if isinstance(rows, list) else ()) if _is_row(row))


def _sheet_cards(table: Mapping[str, Any], file: Path, defaults: Mapping[str, str]) -> Iterator[Card]:
    for entry in _tables(table, "sheet", file):
        _check_keys(entry, SHEET_KEYS, file)
        tile: Any = entry.get("tile")
        rows: Any = entry.get("rows")
        if not _is_tile(tile) or not isinstance(rows, list) or not all(map(_is_row, rows)):
            raise StimulusError(f"{file}: a [[sheet]] needs tile = [width, height] and rows = [[class, count], ...].")
        sheet = _inside(file, _text(entry, "file", file))
        source, licence = (_text(entry, key, file) or defaults[key] for key in ("source", "licence"))
        for row, (class_name, count) in enumerate(rows):
            for column in range(count):
                place = Tile(sheet, column * tile[0], row * tile[1], tile[0], tile[1])
                yield Card(f"{class_name}-{column + 1:02d}", class_name, place, source, licence)


def _is_tile(tile: object) -> bool:
    return isinstance(tile, list) and len(tile) == 2 and all(type(n) is int and 1 <= n <= 4096 for n in tile)


def _is_row(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and type(row[1]) is int and row[1] > 0


def _inside(file: Path, name: str) -> Path:
    """A card's file, which must lie in the manifest's folder: a set handed on cannot point at other files."""
    relative = Path(name)
    elsewhere = relative.is_absolute() or PureWindowsPath(name).drive or ".." in relative.parts
    if elsewhere or "\\" in name or "\0" in name or not name:
        raise StimulusError(f"{file}: the file '{name}' is not inside the manifest's folder; move it there.")
    return file.parent / relative


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], file: Path) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0)[0]
            raise StimulusError(f"{file}: the key '{key}' is unknown; the nearest known is '{near}'.")


def _text(table: Mapping[str, Any], key: str, file: Path) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise StimulusError(f"{file}: {key} must be text in quotes, not {value!r}.")
    return value


def _table(table: Mapping[str, Any], key: str, file: Path) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise StimulusError(f"{file}: {key} must be a table; write [{key}].")
    return value


def _tables(table: Mapping[str, Any], key: str, file: Path) -> list[dict[str, Any]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise StimulusError(f"{file}: {key} must be a list of tables; write [[{key}]].")
    return value
