"""Cards and card sets: pictures with the class that each stands for, and what the machine gets of them.

A card's picture is a file, a tile of a sheet, or a drawing made by code. A set knows its camera settings and its code
book, so lights() and targets() are all that training needs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mark1.errors import StimulusError
from mark1.stimulus.codes import CodeBook, codes_for
from mark1.stimulus.disturbance import Disturbance, disturbed_light
from mark1.stimulus.draws import Draws
from mark1.stimulus.opening import file_content, read_grey
from mark1.stimulus.projection import CARD, Projection
from mark1.stimulus.projector import POINTS, Light, Plate, develop, expose

DRAWN_CELL = 8  # a drawing made on cells becomes a picture of 8 x 8 points per cell


@dataclass(frozen=True, slots=True)
class Tile:
    """One card of a sheet that holds many: the sheet's file and the place of the card in it."""

    sheet: Path
    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A figure given cell by cell; it is drawn when it is needed."""

    draw: Callable[[], NDArray[np.bool_]]

    def picture(self) -> NDArray[np.uint8]:
        """The drawing as a card: white on black, 8 x 8 points per cell."""
        cells = self.draw().astype(np.uint8) * np.uint8(255)
        return np.repeat(np.repeat(cells, DRAWN_CELL, axis=0), DRAWN_CELL, axis=1)


@dataclass(frozen=True, slots=True)
class Card:
    """One card: its name, its class, where its picture is, and whose it is."""

    name: str
    class_name: str
    picture: Path | Tile | Drawing
    source: str = ""
    licence: str = ""

    def open(self) -> object:
        """The picture in a form that the projector takes."""
        if isinstance(self.picture, Drawing):
            return self.picture.picture()
        return _tile(self.picture) if isinstance(self.picture, Tile) else self.picture


@lru_cache(maxsize=4)
def _sheet(path: Path, changed_ns: int) -> NDArray[np.uint8]:
    """A sheet's grey levels; kept, since hundreds of cards are cut from it, until the file changes."""
    return read_grey(file_content(path), side=2**30)  # never reduced: tiles are addressed by their pixels


def _tile(tile: Tile) -> NDArray[np.uint8]:
    try:
        changed_ns = tile.sheet.stat().st_mtime_ns
    except OSError:  # reading it says why
        changed_ns = 0
    cut = _sheet(tile.sheet, changed_ns)[tile.top : tile.top + tile.height, tile.left : tile.left + tile.width]
    if cut.shape != (tile.height, tile.width):
        raise StimulusError(f"the sheet {tile.sheet} is too small for its cards; check tile and rows in its manifest.")
    return cut


@dataclass(frozen=True)
class CardSet:
    """Cards in order, the classes in order, their codes, and the camera settings that suit them."""

    name: str
    cards: tuple[Card, ...]
    codes: CodeBook
    projection: Projection = CARD
    title: str = ""
    notes: tuple[str, ...] = field(default=())  # what was left aside when the set was read, one sentence each

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of their codes."""
        return self.codes.classes

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """For each card the number of its class, from 0."""
        number = {name: index for index, name in enumerate(self.classes)}
        return np.array([number[card.class_name] for card in self.cards], dtype=np.intp)

    @property
    def files(self) -> frozenset[Path]:
        """The files that its pictures are in."""
        pictures = (card.picture.sheet if isinstance(card.picture, Tile) else card.picture for card in self.cards)
        return frozenset(picture for picture in pictures if isinstance(picture, Path))

    def targets(self) -> NDArray[np.int8]:
        """For each card the wanted state of every R-unit in use: -1, +1, or 0 for "not asked"."""
        return self.codes.targets[self.labels]

    def plate(self, position: int) -> Plate:
        """The plate of one card; an error names the card."""
        return develop(self.cards[position].open(), self.projection)

    def lights(self, disturbance: Disturbance | None = None, seed: int = 0, times: int = 1) -> Light:
        """The light of every card, one row each; with disturbance each card `times` over, set after set."""
        plates = [self._points(position) for position in range(len(self))]
        if disturbance is None or disturbance.none:
            once = np.array([expose(plate, self.projection) for plate in plates])
            return np.tile(once, (times, 1))
        rows = []
        for number in range(times * len(plates)):
            draws = Draws([seed, number])
            rows.append(disturbed_light(plates[number % len(plates)], disturbance, draws, self.projection))
        return np.array(rows)

    def _points(self, position: int) -> NDArray[np.uint8]:
        picture = self.cards[position].picture
        if isinstance(picture, Drawing) and self.draws_exactly:
            cells = picture.draw()
            if cells.shape == (self.projection.rows, self.projection.columns):
                return np.repeat(np.repeat(cells.astype(np.uint8) * np.uint8(255), POINTS, axis=0), POINTS, axis=1)
        return self.plate(position).points

    @property
    def draws_exactly(self) -> bool:
        """Whether a drawing on cells falls on those cells whatever it shows; then the projector can be left out."""
        return not self.projection.framing and self.projection.polarity == "light"

    def only(self, classes: Sequence[str]) -> "CardSet":
        """The cards of some classes, with codes of their own."""
        for name in classes:
            if name not in self.classes:
                raise StimulusError(f"the card set {self.name} has no class '{name}'; it has {_list(self.classes)}.")
        return card_set(self.name, [c for c in self.cards if c.class_name in classes], self, classes=classes)

    def parted(self, share: float, seed: int) -> tuple["CardSet", "CardSet"]:
        """Two sets: the cards to learn from and, of every class, a share drawn by the seed and held out."""
        held: set[int] = set()
        for number in range(len(self.classes)):
            members = np.flatnonzero(self.labels == number)
            count = min(len(members) - 1, int(share * len(members) + 0.5))
            held.update(int(members[i]) for i in Draws([seed, number]).shuffled(len(members))[: max(0, count)])
        kept = tuple(card for position, card in enumerate(self.cards) if position not in held)
        out = tuple(card for position, card in enumerate(self.cards) if position in held)
        return replace(self, cards=kept), replace(self, cards=out)


def _list(words: Sequence[str]) -> str:
    return ", ".join(words[:12]) + (" ..." if len(words) > 12 else "")


def card_set(
    name: str,
    cards: Iterable[Card],
    like: CardSet | None = None,
    *,
    classes: Sequence[str] | None = None,
    projection: Projection = CARD,
    title: str = "",
) -> CardSet:
    """A set from cards; the classes come in the order given, or in the order in which the cards name them."""
    chosen = tuple(cards)
    names = tuple(classes) if classes is not None else tuple(dict.fromkeys(card.class_name for card in chosen))
    if not chosen:
        raise StimulusError(f"the card set {name} has no cards; put pictures into it.")
    if like is not None:
        projection, title = like.projection, like.title
    return CardSet(name=name, cards=chosen, codes=codes_for(names), projection=projection, title=title)
