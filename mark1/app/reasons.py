"""Why some cards were not learned: the first reason that can be shown, in one sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1
from mark1.app.teaching import Score
from mark1.stimulus import CardSet
from mark1.theory.findings import judge
from mark1.theory.rack import fits_inside
from mark1.theory.response import activity, rack_of, response_problems

MOST_PROVED = 2_000_000  # chosen: cards times A-units; the proof for so many takes a few seconds
OTHERWISE = "mark1 theory tells more); try another --seed, --wiring or --preset EXPANDED."
STILL_FALLING = 0.9  # chosen: errors fall if the last third of the passes has fewer than this share of the third before


def why_not_learned(
    machine: Mark1, cards: CardSet, lights: NDArray[np.float64], names: Sequence[str], wrong: Score
) -> str:
    """One sentence for a set that was not learned to the last card."""
    if machine.state().training.mode == "spontaneous":
        return "Spontaneous learning was told no classes, so its answers need not be their names."
    twin = _first_twins([light.tobytes() for light in lights], names)
    if twin is not None:
        return f"Not learned: {_pair(cards, twin)} give the cells the same light, so no machine can tell them apart."
    active = activity(machine, lights)
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
    return _never(machine, active, cards) or _history(machine)


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


def _never(machine: Mark1, active: NDArray[np.bool_], cards: CardSet) -> str:
    """The R-unit that is proved never to answer every card, if there is one; more passes are no help then."""
    if active.size > MOST_PROVED:
        return ""
    state = machine.state()
    targets = np.tile(cards.targets(), (len(active) // len(cards), 1))
    for at in response_problems(active, targets, state.feeds):
        rack, never = rack_of(state, at), f"make R{at.response + 1} answer every card (proved; {OTHERWISE}"
        if judge(at.problem, float(state.config.response.threshold_uv)).separable is False:
            return f"Not learned: no values at all {never}"
        if rack is not None and fits_inside(at.problem, rack) is False:
            return f"Not learned: no values inside the stops {never}"
    return ""


def _history(machine: Mark1) -> str:
    state = machine.state()
    done = state.training.passes_done
    if done < 3:
        return "Not learned yet; give more --passes."
    before, now = _late_errors(state.training.error_history)
    if now < STILL_FALLING * before:
        return f"Not learned in {done} passes, but errors were still falling; give more --passes."
    stopped = f", and wipers ran into a stop {state.end_stops:,} times" if state.end_stops else ""
    return (
        f"Not learned in {done} passes: errors did not fall in the last third, about {now:.0f} of "
        f"{state.training.cards} cards were wrong in each pass{stopped}; give more --passes, or try another --seed, "
        "--wiring or --preset EXPANDED."
    )


def _late_errors(errors: Sequence[int]) -> tuple[float, float]:
    """Errors a pass in the second and in the last third: the first third falls in any training."""
    third = len(errors) // 3
    return float(np.mean(errors[third : 2 * third])), float(np.mean(errors[2 * third :]))
