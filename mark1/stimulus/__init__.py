"""Pictures in, light out: the projector, card sets, their codes, and the built-in sets. Pillow lives here."""

from mark1.stimulus.builtins import builtin, find_cards, names, parity
from mark1.stimulus.cards import Card, CardSet, Drawing, Tile, card_set
from mark1.stimulus.codes import NO_ANSWER, UNDECIDED, CodeBook, codes_for
from mark1.stimulus.disturbance import Disturbance, disturbed_light
from mark1.stimulus.draws import Draws
from mark1.stimulus.manifest import read_cards
from mark1.stimulus.projection import Projection
from mark1.stimulus.projector import Plate, develop, expose, project

__all__ = [
    "NO_ANSWER",
    "UNDECIDED",
    "Card",
    "CardSet",
    "CodeBook",
    "Disturbance",
    "Drawing",
    "Draws",
    "Plate",
    "Projection",
    "Tile",
    "builtin",
    "card_set",
    "codes_for",
    "develop",
    "disturbed_light",
    "expose",
    "find_cards",
    "names",
    "parity",
    "project",
    "read_cards",
]
