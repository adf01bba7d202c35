"""The rehearsal's engines in plain numpy: the corrector that both use, and the row engine.

The row engine presents one card after the other, in every mode and system; blocks.py has the faster one for error
correction. What the corrector does to the values is what the motors would have done by the time they rest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import reinforcement
from mark1.core.hand import Hand, Tally
from mark1.core.potentiometer import ALL, Run
from mark1.core.reinforcement import Request
from mark1.core.response import Response, read
from mark1.core.works import Works

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
ROWS = 1024  # rows that the row engine takes up at once


class Corrector:
    """Reinforces without the event loop: what the motors would have done by the time they rest."""

    def __init__(self, works: Works, tally: Tally) -> None:
        self.works, self.tally = works, tally
        self.setting = works.config.reinforcement
        self.pulled = works.pulled()
        self.full, self.most = works.rack.full_travel(self.setting.run_us)
        self.alpha = self.setting.system == "alpha"
        self.rest_us = self.setting.run_us + works.config.potentiometer.coast_us

    def reinforce(self, directions: Signs, active: Floats, fires: NDArray[np.bool_]) -> None:
        """One presentation's corrections; fires says for each R-unit whether any of its A-units is active."""
        self.tally.corrections += np.abs(directions)
        if self.alpha:
            self._alpha(directions, active, fires)
        else:
            self._planned(directions, active)

    def _planned(self, directions: Signs, active: Floats) -> None:
        """Beta and gamma, as the event loop plans them."""
        works, setting = self.works, self.setting
        wanted = Request(directions, active > 0, setting.system, setting.run_us, setting.beta_total_us, "")
        for request in reinforcement.requests(wanted):
            plan = reinforcement.plan(request, works.sources, works.rack, self.pulled)
            self.tally.facts += 1
            if plan.directions.any():
                run = Run(0, 0, 0, plan.banks, plan.directions, plan.run_us, plan.exact_uv)
                self._ran(plan.longest_us + works.config.potentiometer.coast_us, works.rack.apply(run))

    def _alpha(self, directions: Signs, active: Floats, fires: NDArray[np.bool_]) -> None:
        """Alpha without a plan: the same motors, told by their drives."""
        works = self.works
        self.tally.facts += 1
        if not fires.all() and not fires[directions != 0].any():
            return
        rows: Any = ALL
        if works.sources.every:
            rows = one_or_more(directions)
            one = isinstance(rows, slice)
            drive = (int(directions[rows.start]) if one else directions[rows][:, None]) * self.full[rows]
        else:
            drive = works.sources.spread(directions) * self.full
        drive *= active
        self._ran(self.rest_us, works.rack.push(rows, drive, self.most))

    def _ran(self, rest_us: int, reached: int) -> None:
        tally = self.tally
        tally.runs += 1
        tally.facts += 2
        tally.time_us += rest_us
        if reached:
            tally.facts += 1
            tally.end_stops += reached


def row_engine(works: Works, hand: Hand) -> Tally:
    """One card after the other, every mode and system."""
    tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
    corrector = Corrector(works, tally)
    mode, setting, config = works.sequencer.mode, works.config.reinforcement, works.config.response
    forced, spontaneous = mode == "forced", mode == "spontaneous"
    states, undecided, sums = works.answer
    in_use = hand.targets != 0
    wrong = np.zeros(hand.targets.shape, np.int8)
    for i in range(len(hand.rows)):
        if i % ROWS == 0:
            rows = hand.active(i, min(i + ROWS, len(hand.rows)), np.float64)
        active = rows[i % ROWS]
        if setting.decay_p:
            works.rack.decay(setting.decay_p, setting.decay_q, corrector.pulled)
        targets = hand.targets[i]
        sums = works.sources.sums(_worn(works, hand, i), active)
        states, undecided = read(sums, states, config)
        missed = np.multiply(targets, undecided | (states != targets), out=wrong[i])
        directions = reinforcement.directions_due(mode, setting.polarity, targets, states, missed)
        if forced:
            states = np.where(in_use[i], targets, states)
        if np.count_nonzero(directions):
            corrector.reinforce(directions, active, hand.fires[i])
    tally.errors = 0 if spontaneous else int(wrong.any(axis=1).sum())
    tally.answer = Response(states, undecided, sums)
    return tally


def _worn(works: Works, hand: Hand, i: int) -> Floats:
    if hand.wiper_errors is None:
        return works.rack.values
    values = works.rack.values.copy()
    values.ravel()[works.rack.noisy] += hand.wiper_errors[i]
    return values


def one_or_more(flags: NDArray[Any]) -> Any:
    """Which R-units are meant; a slice where it is one, so that indexing gives a view and not a copy."""
    rows = flags.nonzero()[0]
    return slice(int(rows[0]), int(rows[0]) + 1) if len(rows) == 1 else rows
