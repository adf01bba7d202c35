"""Looking at places before any work is done for them; the writing itself is savefile's, whole or not at all."""

import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from mark1.errors import InputError
from mark1.savefile import landing
from mark1.stimulus import CardSet
from mark1.stimulus.manifest import MANIFEST


def check_writable(path: Path) -> None:
    """Refuses a place that cannot be written."""
    folder = landing(path).parent
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"the folder {folder} cannot be written by this user; choose another place.")


def check_places(inputs: Iterable[Path | None], outputs: Iterable[Path | None]) -> None:
    """Refuses outputs that cannot be written, that overwrite an input, or that are one file; None stands for none."""
    taken, given = [p for p in inputs if p is not None], [p for p in outputs if p is not None]
    for path in given:
        check_writable(path)
    check_apart(taken, given)


def check_apart(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Refuses outputs that are one file with an input or with each other, by whatever names."""
    given = list(outputs)
    for path in inputs:
        for out in given:
            if same_file(path, out):
                raise InputError(f"{out} would overwrite {path}, which is read here; give another name.")
    for first, second in combinations(given, 2):
        if same_file(first, second):
            raise InputError(f"{first} and {second} name the same file; give two names.")


def check_spared(place: str, cards: CardSet, outputs: Iterable[Path | None]) -> None:
    """Refuses outputs that overwrite a card or the manifest of the set that was read from a place."""
    there = [path for path in outputs if path is not None and path.is_file()]  # what is not there is no card
    if there:
        manifests = {Path(place) / MANIFEST} | ({Path(place)} if place.endswith(".toml") else set())
        check_apart(cards.files | manifests, there)


def same_file(first: Path, second: Path) -> bool:
    """Whether two paths lead to one file, links followed, whether or not it is there yet."""
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    try:
        return first.samefile(second)
    except OSError:  # one of them is not there yet
        return False
