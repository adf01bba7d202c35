"""Reinforcement: when it is due, in which direction, and which motors it runs.

The three systems are Rosenblatt's of 1958 (pp. 391-392). With n of the N units of an R-unit's source-set active:
alpha: each active unit gains a step. beta: every source-set gains K in all, its active units if it is the reinforced
one, all alike if not. gamma: as alpha, and the inactive units of the set give back n/(N - n) of a step each.
Chosen: that gains are run times of motors; K; and that beta's reinforcements of several R-units follow each other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mark1.core.config import MOST_US
from mark1.core.potentiometer import ALL, Rack
from mark1.core.sources import Floats, SourceSets

Signs = NDArray[np.int8]
Flags = NDArray[np.bool_]


class Request(NamedTuple):
    """A reinforcement that is to begin when its motors rest."""

    directions: Signs  # for each R-unit; 0: none
    active: Flags  # A-units that fired
    system: str
    run_us: int
    beta_total_us: int
    cause: str


class Plan(NamedTuple):
    """Which motors run how: rows are the banks named."""

    banks: tuple[int, ...]
    directions: Signs
    run_us: NDArray[np.int64] | int
    exact_uv: Floats | None
    longest_us: int
    travel_uv: Floats | None = None  # where known: how far each motor turns until it rests


def directions_due(mode: str, polarity: str, targets: Signs, states: Signs, missed: Signs) -> Signs:
    """The direction of reinforcement for each R-unit; 0 where none is due. missed: targets that were not answered."""
    if mode == "error correction":
        directions = missed
    elif mode == "forced":
        directions = targets
    else:
        directions = states * np.abs(targets)
    return np.maximum(directions, 0) if is_monovalent(mode, polarity) else directions


def is_monovalent(mode: str, polarity: str) -> bool:
    """Forced learning is monovalent, as in the 1957 Appendix II; the other modes are bivalent, unless set otherwise."""
    return mode == "forced" if polarity == "as the mode" else polarity == "monovalent"


def requests(wanted: Request) -> list[Request]:
    """One request, or for beta one for each R-unit, since each of them runs motors of every source-set."""
    if wanted.system != "beta" or np.count_nonzero(wanted.directions) < 2:
        return [wanted]
    return [wanted._replace(directions=_only(wanted.directions, int(r))) for r in np.flatnonzero(wanted.directions)]


def _only(directions: Signs, response: int) -> Signs:
    one = np.zeros_like(directions)
    one[response] = directions[response]
    return one


def plan(request: Request, sources: SourceSets, rack: Rack, pulled: Flags | None) -> Plan:
    """The motors of one request."""
    if request.system == "alpha":
        banks, directions = _active_rows(request, sources)
        return Plan(banks, directions, request.run_us, None, request.run_us)
    if request.system == "gamma":
        return _gamma(request, sources, rack, pulled)
    return _beta(request, sources, rack, pulled)


def _active_rows(request: Request, sources: SourceSets) -> tuple[tuple[int, ...], Signs]:
    if not sources.every:
        return (0,), sources.spread(request.directions) * request.active
    banks = request.directions.nonzero()[0]
    return tuple(banks.tolist()), request.directions[banks, None] * request.active


def _gamma(request: Request, sources: SourceSets, rack: Rack, pulled: Flags | None) -> Plan:
    """As alpha; and the idle units of each reinforced source-set run back, all for the same time."""
    banks, directions = _active_rows(request, sources)
    travel = rack.full_travel(request.run_us)[0][list(banks)]
    run_us = np.full(directions.shape, request.run_us, np.int64)
    exact = np.full(directions.shape, np.nan) if rack.config.exact_return else None
    longest = request.run_us
    for r in request.directions.nonzero()[0].tolist():
        row, own = (banks.index(r), ALL) if sources.every else (0, sources.places[r])
        active = request.active[own]
        idle = ~active if pulled is None else ~(active | pulled[own])
        n, rest = int(np.count_nonzero(active)), int(np.count_nonzero(idle))
        if not n or not rest:
            continue
        back_us = return_us(rack.config.lag_us, request.run_us, n, rest)
        longest = max(longest, back_us)
        if exact is not None:
            gained = int(travel[row, own][active].sum())
            exact[row, own][idle] = given = shares(gained, rest)
            travel[row, own][idle] = rack.weakened(given, rack.health[banks[row], own][idle])
        else:
            np.copyto(travel[row, own], rack.row_travel(banks[row], back_us)[own], where=idle)
        np.copyto(directions[row, own], -request.directions[r], where=idle)
        np.copyto(run_us[row, own], back_us, where=idle)
    return Plan(banks, directions, run_us, exact, longest, travel)


def return_us(lag_us: int, run_us: int, active: int, idle: int) -> int:
    """How long gamma's idle units run back; no longer than any run may last."""
    return lag_us + min(run_us * active // idle, MOST_US)


def shares(total_uv: int, units: int) -> Floats:
    """A total in whole microvolts shared among units; what is left over goes one each to the first of them."""
    each, left = divmod(total_uv, units)
    share = np.empty(units)
    share.fill(each)
    share[:left] += 1
    return share


def _beta(request: Request, sources: SourceSets, rack: Rack, pulled: Flags | None) -> Plan:
    """For one R-unit: K shared by its active units; K shared by all units of every other source-set."""
    reinforced = int(request.directions.nonzero()[0][0])
    direction = request.directions[reinforced]
    shape = (sources.banks, sources.units)
    directions, run_us, travel = np.zeros(shape, np.int8), np.zeros(shape, np.int64), np.zeros(shape)
    present = None if pulled is None else ~pulled
    longest = 0
    for r in range(sources.responses):
        bank, own = (r, ALL) if sources.every else (0, sources.places[r])
        moves = request.active[own] if r == reinforced else None if present is None else present[own]
        count = sources.sizes[r] if moves is None else int(np.count_nonzero(moves))
        if not count:
            continue
        each_us = rack.config.lag_us + request.beta_total_us // count
        longest = max(longest, each_us)
        directions[bank, own] = direction if moves is None else direction * moves
        run_us[bank, own] = each_us
        travel[bank, own] = rack.row_travel(bank, each_us)[own]
    return Plan(tuple(range(sources.banks)), directions, run_us, None, longest, travel)
