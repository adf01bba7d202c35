"""Rigs that visibly live: a whole machine whose A-units are the rig's channels, on a wiring that learns its demo cards.

Sixteen servos that mirror 16 of 512 A-units stand still in half of all corrections. A machine with as many A-units as
the rig has channels moves something in every correction. The cards are bars and blocks drawn here (chosen: they need no
file, and a person sees the answer at a glance). The wiring is searched by seed, and verified by training to the end.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mark1 import HISTORIC, Mark1
from mark1.errors import InputError

Lights = npt.NDArray[np.float64]
Targets = npt.NDArray[np.int8]
SEEDS = 300
PASSES = 100


def bars(rows: int = 20, columns: int = 20) -> tuple[Lights, Targets]:
    """Ten cards: five upright bars (+1) and five lying ones (-1)."""
    cards = []
    for place in range(5):
        upright, lying = np.zeros((rows, columns)), np.zeros((rows, columns))
        upright[:, place * columns // 5 + 1 : (place + 1) * columns // 5] = 1
        lying[place * rows // 5 + 1 : (place + 1) * rows // 5, :] = 1
        cards += [upright.ravel(), lying.ravel()]
    return np.array(cards), _alternating(len(cards))


def sides(rows: int = 20, columns: int = 20) -> tuple[Lights, Targets]:
    """Ten cards: a block on the right (+1) or on the left (-1), at five heights."""
    cards = []
    for place in range(5):
        for side in (1, 0):
            card = np.zeros((rows, columns))
            left = side * columns // 2
            card[place * rows // 5 : (place + 1) * rows // 5, left + columns // 10 : left + 2 * columns // 5] = 1
            cards.append(card.ravel())
    return np.array(cards), _alternating(len(cards))


def halves(rows: int = 20, columns: int = 20) -> tuple[Lights, Targets]:
    """Two cards: the right half (+1) and the left half (-1); for rigs of a few channels."""
    right = np.zeros((rows, columns))
    right[:, columns // 2 :] = 1
    return np.array([right.ravel(), 1 - right.ravel()]), _alternating(2)


def _alternating(cards: int) -> Targets:
    return np.where(np.arange(cards) % 2, -1, 1).astype(np.int8)[:, None]


CARDS: dict[str, Callable[..., tuple[Lights, Targets]]] = {"bars": bars, "sides": sides, "halves": halves}


@dataclass(frozen=True, slots=True)
class Living:
    """A machine for a rig, untrained, and the cards that its wiring was verified on."""

    machine: Mark1
    cards: str
    lights: Lights
    targets: Targets
    presentations: int  # until every card was answered rightly
    seeds_tried: int


def living_machine(channels: int, cards: str = "bars", first_seed: int = 1960) -> Living:
    """A machine with so many A-units that learns the cards; seeds are tried in order, so it is always the same one."""
    if cards not in CARDS:
        raise InputError(f"There are no demo cards '{cards}'; choose {', '.join(CARDS)}.")
    if not 2 <= channels <= 4096:
        raise InputError(f"{channels} channels cannot be a whole machine; use 2 to 4096, or mirror a part of one.")
    lights, targets = CARDS[cards]()
    config = HISTORIC.with_(
        name=f"rig of {channels}",
        association__units=channels,
        response__units=1,
        response__in_use=1,
        plugboard__fan_out_limit=0,
    )
    for tried in range(SEEDS):
        presentations = _learns(Mark1(config, seed=first_seed + tried), lights, targets)
        if presentations:
            return Living(Mark1(config, seed=first_seed + tried), cards, lights, targets, presentations, tried + 1)
    simpler = "use more channels" if cards == "halves" else "use more channels, or --cards halves"
    raise InputError(f"None of {SEEDS} wirings of {channels} A-units learns the cards '{cards}'; {simpler}.")


def _learns(machine: Mark1, lights: Lights, targets: Targets) -> int:
    """Presentations until all is right; 0 if it never was."""
    done = machine.rehearse(lights, targets, passes=PASSES, until_correct=True)
    return machine.state().presentations if done.outcome == "correct" else 0
