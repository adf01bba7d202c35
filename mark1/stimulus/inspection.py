"""Looking a card set over before training: what the cells would see, and what is wrong with which card."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mark1.errors import StimulusError
from mark1.stimulus.cards import Card, CardSet
from mark1.stimulus.projector import Light, expose

LEAST_LIT = 4  # chosen: with fewer lit cells most A-units of ten wires see nothing
MOST_LIT_SHARE = 0.9  # chosen: then it is the ground that is lit


@dataclass(frozen=True, slots=True, eq=False)
class Inspected:
    """One card, the light it gives (None if it cannot be read), and its problem in one sentence, or none."""

    card: Card
    light: Light | None
    problem: str = ""


def inspect(cards: CardSet) -> list[Inspected]:
    """Every card of the set, in order, with its problem if it has one."""
    return _with_twins([_look(cards, position) for position in range(len(cards))])


def _look(cards: CardSet, position: int) -> Inspected:
    card = cards.cards[position]
    try:
        plate = cards.plate(position)
    except StimulusError as error:
        return Inspected(card, None, str(error))
    light = expose(plate.points, cards.projection)
    lit = int(np.count_nonzero(light >= 0.5))
    problem = ""
    if plate.figure.blank:
        problem = "no figure: the picture is nearly one even grey"
    elif lit < LEAST_LIT:
        problem = f"only {lit} cells lit: the figure is too small or too thin"
    elif lit > MOST_LIT_SHARE * light.size:
        problem = f"{lit} of {light.size} cells lit: figure and ground may be exchanged"
    return Inspected(card, light, problem)


def _with_twins(found: Sequence[Inspected]) -> list[Inspected]:
    """Adds the problem that no machine can solve: two classes with cards that look the same to the cells."""
    first_of: dict[bytes, Inspected] = {}
    for one in found:
        if one.light is not None:
            first_of.setdefault(one.light.tobytes(), one)
    return list(_marked(found, first_of))


def _marked(found: Sequence[Inspected], first_of: dict[bytes, Inspected]) -> Iterator[Inspected]:
    for one in found:
        twin = first_of[one.light.tobytes()] if one.light is not None else one
        if not one.problem and twin.card.class_name != one.card.class_name:
            other = f"{twin.card.name} of class {twin.card.class_name}"
            yield replace(one, problem=f"the cells see the same as for {other}")
        else:
            yield one
