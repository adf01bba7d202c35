"""The built-in card sets: PNG cards that travel with the program, and parity, which is drawn when it is asked for."""

from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import mark1
from mark1.errors import StimulusError
from mark1.stimulus.cards import Card, CardSet, Drawing, card_set
from mark1.stimulus.manifest import MANIFEST, is_folder, is_there, read_cards
from mark1.stimulus.projection import Projection

SIDE = 20  # documented: cells along each side of the retina
PARITY_BLOCKS = 11  # inferred: an A-unit with 10 wires cannot see 11 blocks, so no values separate the classes
BLOCK, GAP, BLOCKS_A_ROW = 4, 1, 4  # chosen: blocks of 4 x 4 cells, three rows of four, the last place left dark
CAPITALS = ("capitals-sans", "capitals-serif", "capitals-drafting")


def folder() -> Path:
    """Where the cards are: inside the installed package, or beside it in a working copy."""
    package = Path(mark1.__file__).parent
    return package / "images" if (package / "images").is_dir() else package.parent / "images"


def names() -> tuple[str, ...]:
    """The names of the built-in sets."""
    drawn = {"parity", "capitals"}
    return tuple(sorted(drawn | {path.parent.name for path in folder().glob(f"*/{MANIFEST}")}))


def builtin(name: str) -> CardSet:
    """A built-in card set by its name."""
    if name == "parity":
        return parity()
    if name == "capitals":
        return all_capitals()
    if name not in names():
        raise StimulusError(f"there is no built-in card set '{name}'; the sets are {', '.join(names())}.")
    return read_cards(folder() / name)


def find_cards(place: str) -> CardSet:
    """The card set that a user means: a folder or manifest of that name, else a built-in set."""
    known = names()
    if place in known and not is_folder(Path(place)):
        return builtin(place)
    if not is_there(Path(place)):
        near = get_close_matches(place.lower(), known, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise StimulusError(f"{place} is neither a folder here nor a built-in set ({', '.join(known)}){hint}")
    return read_cards(Path(place))


def all_capitals() -> CardSet:
    """The capitals in all three typefaces, 78 cards."""
    sets = [builtin(name) for name in CAPITALS]
    cards = [replace(card, name=f"{one.name}/{card.name}") for one in sets for card in one.cards]
    return card_set("capitals", cards, projection=sets[0].projection, title="Capitals in three typefaces")


def parity(blocks: int = PARITY_BLOCKS) -> CardSet:
    """Every pattern of so many blocks, lit or dark; the class is whether the number of lit blocks is odd or even."""
    if not 1 <= blocks <= 12:
        raise StimulusError(f"a parity card has 1 to 12 blocks, not {blocks}; choose a number in between.")
    cards = [_parity_card(pattern, blocks) for pattern in range(2**blocks)]
    camera = Projection(framing=False, polarity="light", threshold=0.5, exposure=0.5)
    title = f"Odd or even: all {2**blocks:,} patterns of {blocks} blocks"
    return card_set("parity", cards, classes=("even", "odd"), projection=camera, title=title)


def _parity_card(pattern: int, blocks: int) -> Card:
    class_name = "odd" if pattern.bit_count() % 2 else "even"
    drawing = Drawing(partial(parity_cells, pattern, blocks))
    return Card(f"{pattern:0{blocks}b}", class_name, drawing, source="drawn by code", licence="MIT")


def parity_cells(pattern: int, blocks: int = PARITY_BLOCKS) -> NDArray[np.bool_]:
    """The cells of one pattern: block i is lit if bit i is set."""
    cells = np.zeros((SIDE, SIDE), dtype=np.bool_)
    pitch = BLOCK + GAP
    for block in range(blocks):
        if pattern >> block & 1:
            row, column = 2 + block // BLOCKS_A_ROW * (pitch + 1), block % BLOCKS_A_ROW * pitch
            cells[row : row + BLOCK, column : column + BLOCK] = True
    return cells
