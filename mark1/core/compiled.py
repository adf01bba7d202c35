"""The rehearsal's compiled engine: the same presentations as loops over whole numbers, compiled by numba if it is there.

numba is the optional extra `fast`, and this the only file that imports it, when first asked. The loops visit only
the A-units that fire; each is the same arithmetic as potentiometer.py and reinforcement.py, and the tests hold all
engines to the same bytes of save().
"""

import functools
import importlib.util
from typing import Any

import numpy as np

from mark1.core.config import MODES, SYSTEMS
from mark1.core.hand import Hand, Tally
from mark1.core.reinforcement import is_monovalent
from mark1.core.response import Response
from mark1.core.works import Works

_compiled: list[bool] = []


@functools.cache
def available() -> bool:
    """Whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


def ready() -> bool:
    """Whether the loops are compiled already, so that even a short rehearsal gains."""
    return bool(_compiled)


def compiled_engine(works: Works, hand: Hand) -> Tally:
    """Presents a hand with compiled loops."""
    from mark1.core.loops import present

    _compiled[:] = [True]
    rack, config, sequencer = works.rack, works.config, works.sequencer
    k = works.sources.responses
    tally = Tally(works.answer, np.zeros(k, np.int64))
    books = np.zeros(5, np.int64)  # errors, runs, end stops, facts, time
    states, undecided, sums = works.answer.states.copy(), np.zeros(k, np.bool_), np.zeros(k)
    width = -(-k // 8) * 8 if works.sources.every else 1
    values, lash = _stacked(rack.values, width), _stacked(rack.lash, width)
    present(
        *hand.activity.lists(),
        hand.rows,
        hand.targets,
        _errors(hand),
        rack.noisy,
        values,
        lash,
        _stacked(rack.full_travel(config.reinforcement.run_us)[0], width),
        _stacked(rack.effective_speeds, width),
        _stacked(rack.health, width),
        works.sources.feeds[0],
        ~works.association.pulled,
        _settings(works),
        MODES.index(sequencer.mode),
        SYSTEMS.index(config.reinforcement.system),
        is_monovalent(sequencer.mode, config.reinforcement.polarity),
        states,
        undecided,
        sums,
        tally.corrections,
        books,
    )
    rack.set_moved(values.T[: len(rack.values)], lash.T[: len(rack.values)])
    tally.errors, tally.runs, tally.end_stops, tally.facts, tally.time_us = (int(n) for n in books)
    tally.answer = Response(states, undecided, sums)
    return tally


def _stacked(banks: Any, width: int) -> Any:
    """(banks, A-units) as (A-units, banks), so that one unit's potentiometers lie together; filled up to a width."""
    units = np.zeros((banks.shape[1], width), banks.dtype)
    units[:, : len(banks)] = banks.T
    return units


def _errors(hand: Hand) -> Any:
    return np.zeros((len(hand.rows), 0)) if hand.wiper_errors is None else hand.wiper_errors


def _settings(works: Works) -> Any:
    """All whole numbers that the loops need, in the order in which loops.py takes them out."""
    pot, response, reinforcement = works.config.potentiometer, works.config.response, works.config.reinforcement
    low, high = pot.stops or (-(2**62), 2**62)
    return np.array(
        [
            response.threshold_uv,
            response.dead_zone_uv,
            low,
            high,
            pot.backlash_uv,
            pot.lag_us,
            pot.coast_us,
            int(pot.exact_return),
            reinforcement.run_us,
            reinforcement.beta_total_us,
            reinforcement.decay_p,
            reinforcement.decay_q,
        ],
        np.int64,
    )
