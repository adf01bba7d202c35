"""The words of --jitter: how much the cards are disturbed, and how many disturbed copies of each are learned."""

import argparse
from dataclasses import dataclass

from mark1.errors import InputError
from mark1.stimulus import Disturbance

WORDS = {"shift": "shift_cells", "rotate": "rotation_deg", "scale": "scale", "noise": "noise"}
JITTER_HELP = "disturbed copies of the cards: any of shift=2,rotate=10,scale=0.1,noise=0.02,copies=5"
MOST_COPIES = 1000


@dataclass(frozen=True, slots=True)
class Jitter:
    """A disturbance, and how many copies of every card are made with it."""

    disturbance: Disturbance = Disturbance()
    copies: int = 1


def parse_jitter(words: str) -> Jitter:
    """shift=2,rotate=10,copies=5 as a Jitter."""
    amounts: dict[str, float] = {}
    copies = 1
    for word in words.split(","):
        key, _, value = word.partition("=")
        if key == "copies" and value.isdecimal() and 1 <= int(value) <= MOST_COPIES:
            copies = int(value)
        elif key in WORDS:
            amounts[WORDS[key]] = _number(word, value)
        else:
            raise argparse.ArgumentTypeError(f"'{word}' is not understood; write as in shift=2,rotate=10,copies=5")
    try:
        return Jitter(Disturbance(**amounts), copies)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def _number(word: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{word}' has no number behind the equals sign") from None
