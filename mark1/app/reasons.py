"""Why some cards were not learned: the first reason that can be shown, in one sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1
from mark1.app.teaching import Score, copy_at_rest
from mark1.stimulus import CardSet

STOP_SHARE = 0.05  # chosen: with fewer potentiometers at their stops these are not named as the reason


def why_not_learned(
    machine: Mark1, cards: CardSet, lights: NDArray[np.float64], names: Sequence[str], wrong: Score
) -> str:
    """One sentence for a set that was not learned to the last card."""
    if machine.state().training.mode == "spontaneous":
        return "Spontaneous learning was told no classes, so its answers need not be their names."
    twin = _first_twins([light.tobytes() for light in lights], names)
    if twin is not None:
        return f"Not learned: {_pair(cards, twin)} give the cells the same light, so no machine can tell them apart."
    active = _activity(machine, lights)
    dark = [place for place, _ in wrong.mistakes if not active[place].any()]
    if dark:
        return f"Not learned: {_card(cards, dark[0])} makes no A-unit fire; lower --threshold or change --wiring."
    blind = _blind(machine, active, wrong)
    if blind is not None:
        place, response = blind
        return (
            f"Not learned: {_card(cards, place)} makes no A-unit of R{response + 1} fire; "
            "lower --threshold, change --wiring or take another --seed."
        )
    twin = _first_twins([np.packbits(row).tobytes() for row in active], names)
    if twin is not None:
        return f"Not learned: {_pair(cards, twin)} make the same A-units fire; take another --seed or more wires."
    return _history(machine)


def _pair(cards: CardSet, pair: tuple[int, int]) -> str:
    return f"{_card(cards, pair[0])} and {_card(cards, pair[1])}"


def _card(cards: CardSet, place: int) -> str:
    card = cards.cards[place % len(cards)]
    return f"{card.name} (class {card.class_name})"


def _first_twins(views: Sequence[bytes], names: Sequence[str]) -> tuple[int, int] | None:
    """Two cards of different classes that look the same."""
    seen: dict[bytes, int] = {}
    for place, view in enumerate(views):
        first = seen.setdefault(view, place)
        if names[first] != names[place]:
            return first, place
    return None


def _activity(machine: Mark1, lights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which A-units fire for each light."""
    copy = copy_at_rest(machine)
    rows = []
    for light in lights:
        copy.present(light)
        copy.settle()
        rows.append(copy.state().active)
    return np.array(rows)


def _blind(machine: Mark1, active: NDArray[np.bool_], wrong: Score) -> tuple[int, int] | None:
    """A mistaken card and an R-unit of which no A-unit fires."""
    state = machine.state()
    if state.config.response.split == "every":
        return None
    for place, _ in wrong.mistakes:
        for response in range(state.config.response.in_use):
            if not (active[place] & (state.feeds[0] == response)).any():
                return place, response
    return None


def _history(machine: Mark1) -> str:
    state = machine.state()
    stops, errors = state.config.potentiometer.stops, state.training.error_history
    if stops and np.isin(state.values, stops).mean() >= STOP_SHARE:
        share = np.isin(state.values, stops).mean()
        return f"Not learned: {share:.0%} of the potentiometers stand at a stop and turn no further; use fewer cards."
    half = len(errors) // 2
    if half and sum(errors[half:]) * half < 0.9 * sum(errors[:half]) * (len(errors) - half):
        return f"Not learned within {len(errors)} passes, but errors were still falling; give more --passes."
    return (
        f"Not learned within {len(errors)} passes and errors have stopped falling: this wiring may not be able to "
        "tell these classes apart; try another --wiring, --seed or EXPANDED."
    )
