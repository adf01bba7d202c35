"""What the machine saw, what it said, whether that was right, and why: worked out once for each answer."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mark1.core.response import NO_ANSWER, UNDECIDED, Response
from mark1.core.state import MachineState

RIGHT, WRONG, UNJUDGED, WAITING = "right", "wrong", "", "waiting"


class Answer(NamedTuple):
    """One answer. margin_uv: how far the least certain R-unit is beyond its dead zone (below 0: inside it)."""

    said: str
    wanted: str
    verdict: str
    margin_uv: float
    firing: int


NOTHING = Answer("", "", WAITING, 0.0, 0)


def judge(state: MachineState, wanted: str) -> Answer:
    """The answer that the R-units give now; wanted is the class it should be, or empty if nobody said."""
    said = state.codebook.meaning(Response(state.states, state.undecided, state.sums))
    setting = state.config.response
    margin = float(np.min(np.abs(state.sums - setting.threshold_uv) - setting.dead_zone_uv))
    firing = int(np.count_nonzero(state.active))
    if said in (UNDECIDED, NO_ANSWER):
        return Answer("", wanted, said, margin, firing)
    verdict = UNJUDGED if not wanted else RIGHT if said == wanted else WRONG
    return Answer(said, wanted, verdict, margin, firing)


def rejudged(answer: Answer, wanted: str) -> Answer:
    """The same answer, when somebody says afterwards what it should have been."""
    if answer.verdict == WAITING or not answer.said:
        return answer._replace(wanted=wanted)
    return answer._replace(wanted=wanted, verdict=UNJUDGED if not wanted else RIGHT if answer.said == wanted else WRONG)


class Why(NamedTuple):
    """Who spoke for and against R-unit response being 1: unit numbers and values, and their sum on each cell."""

    response: int
    units: NDArray[np.intp]
    values: NDArray[np.float64]
    cells: NDArray[np.float64]
    firing: int


def explain(state: MachineState, response: int) -> Why:
    """The A-units of one R-unit's source-set that fire, largest voice first, and drawn back on the retina."""
    response = min(response, len(state.sums) - 1)
    bank = response if state.values.shape[0] > 1 else 0
    speaking = np.flatnonzero(state.active & (state.feeds[bank] == response))
    values = state.values[bank, speaking]
    order = np.argsort(-np.abs(values), kind="stable")
    speaking, values = speaking[order], values[order]
    cells = np.zeros(len(state.cells))
    wires = state.table[speaking]
    lit = (wires > 0) & state.cells[np.maximum(wires - 1, 0)]
    np.add.at(cells, (wires - 1)[lit], np.broadcast_to(values[:, None], wires.shape)[lit])
    return Why(response, speaking, values, cells, len(speaking))
