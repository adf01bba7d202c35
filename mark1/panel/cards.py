"""Cards as the panel needs them: a class, the light, a picture to show. Where they come from is the app's affair.

letters() makes a small set with the panel's own lettering, for a panel without any other cards and for the tests.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pygame
from numpy.typing import NDArray

from mark1.core.response import binary_codes, unit_codes
from mark1.panel.camera import Grey, project
from mark1.panel.lettering import font_of

SIDE = 160  # pixels of a card's picture
LETTER, STROKE = 164, 6  # size of a printed letter, and how much its stroke is thickened on each side


class Card(NamedTuple):
    """One card of the tray. name is what it is called, label its class."""

    name: str
    label: str
    light: NDArray[np.float64]
    picture: Grey  # (SIDE, SIDE), 0 black to 1 white


class CardSet(Protocol):
    """What the panel asks of a tray of cards."""

    @property
    def name(self) -> str: ...

    @property
    def cards(self) -> Sequence[Card]: ...

    @property
    def codes(self) -> tuple[int, ...]: ...


class Tray(NamedTuple):
    """A plain CardSet."""

    name: str
    cards: Sequence[Card]
    codes: tuple[int, ...]  # of the classes, in order of first appearance


def classes(cards: CardSet) -> tuple[str, ...]:
    """The class names in order of first appearance."""
    return tuple(dict.fromkeys(card.label for card in cards.cards))


def plain_codes(count: int) -> tuple[int, ...]:
    """One R-unit for each class up to eight, binary codes for more."""
    return unit_codes(count) if count <= 8 else binary_codes(count)


def letter_picture(letter: str) -> Grey:
    """A printed letter on a card: Routed Gothic with a thick cutter."""
    text = _outlined(letter)
    ink = pygame.surfarray.array_alpha(text).T
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    picture = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - ink.shape[0]) // 2, (SIDE - ink.shape[1]) // 2
    picture[top : top + ink.shape[0], left : left + ink.shape[1]] = ink / 255
    return picture


def _outlined(letter: str) -> pygame.Surface:
    font = font_of("regular", LETTER)
    plain = font.render(letter, True, (255, 255, 255))
    font.outline = STROKE
    thick = font.render(letter, True, (255, 255, 255))
    font.outline = 0
    thick.blit(plain, (STROKE, STROKE))
    return thick


def letters(text: str, rows: int, columns: int) -> Tray:
    """A printed card for each letter."""
    cards = []
    for letter in text:
        picture = letter_picture(letter)
        cards.append(Card(letter, letter, project(picture, rows, columns), picture))
    return Tray(f"letters {text[0]}-{text[-1]}", tuple(cards), plain_codes(len(cards)))
