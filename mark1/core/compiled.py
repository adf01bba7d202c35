"""The rehearsal's compiled engine: the same presentations as plain loops, compiled by numba if it is there.

numba is the optional extra `fast`; loops.py is the only file that imports it, and only when this engine is used. The
tests hold all engines to the same bytes of save().
"""

import functools
import importlib
import importlib.util
from typing import Any

import numpy as np

from mark1.core.config import MODES, SYSTEMS
from mark1.core.engines import beta_shares
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
    loops: Any = importlib.import_module("mark1.core.loops")  # imports numba: hundreds of milliseconds
    _compiled[:] = [True]
    rack, config, mode = works.rack, works.config, works.sequencer.mode
    order, places = works.sources.in_order()
    tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
    books = np.zeros(5, np.int64)  # errors, runs, end stops, facts, time
    answer = Response(works.answer.states.copy(), np.zeros(len(places[0]), np.bool_), np.zeros(len(places[0])))
    values, lash = rack.values.take(order, 1), rack.lash.take(order, 1)
    travel = rack.full_travel(config.reinforcement.run_us)[0]
    fixed: tuple[Any, ...] = (travel.take(order, 1), rack.effective_speeds.take(order, 1), rack.health.take(order, 1))
    shared, shared_us = beta_shares(works) if config.reinforcement.system == "beta" else (travel, [0])
    fixed += (shared.take(order, 1), np.array(shared_us))
    words = (MODES.index(mode), SYSTEMS.index(config.reinforcement.system))
    loops.present(
        hand.activity.masks(order), hand.rows, hand.targets, *_worn(works, hand, order),
        values, values.astype(np.float32), lash, *fixed, *places, ~works.association.pulled[order], _settings(works),
        *words, is_monovalent(mode, config.reinforcement.polarity), *answer, tally.corrections, books,
    )  # fmt: skip
    back = np.argsort(order)
    rack.set_moved(values[:, back], lash[:, back])
    tally.errors, tally.runs, tally.end_stops, tally.facts, tally.time_us = (int(n) for n in books)
    tally.answer = answer
    return tally


def _worn(works: Works, hand: Hand, order: Any) -> tuple[Any, Any, Any]:
    """The errors of worn wipers, and where those are: bank, and place in the order of the source-sets."""
    bank, unit = np.divmod(works.rack.noisy, works.sources.units)
    errors = np.zeros((len(hand.rows), 0)) if hand.wiper_errors is None else hand.wiper_errors
    return errors, bank, np.argsort(order)[unit]


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
