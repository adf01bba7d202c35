"""The rehearsal's engines in plain numpy: the corrector that both use, and the row engine.

The row engine presents one card after the other, in every mode and system; blocks.py has the faster one for error
correction. What the corrector does to the values is what the motors would have done by the time they rest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import reinforcement
from mark1.core.hand import Hand, Tally
from mark1.core.potentiometer import ALL, WELL_PPM
from mark1.core.response import Response
from mark1.core.works import Works

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
NO_RUN = -1  # of a source-set without a motor to run; a run may well last no time at all
ROWS = 1024  # rows that the row engine takes up at once


class Corrector:
    """Reinforces without the event loop: what the motors would have done by the time they rest."""

    def __init__(self, works: Works, tally: Tally) -> None:
        self.works, self.tally = works, tally
        self.setting = works.config.reinforcement
        self.pulled = works.pulled()
        self.full, self.most = works.rack.full_travel(self.setting.run_us)
        self.well = bool((works.rack.health == WELL_PPM).all())
        self._shared: tuple[Floats, list[int]] | None = None

    def reinforce(self, directions: Signs, active: Floats, fires: NDArray[np.bool_]) -> None:
        """One presentation's corrections; fires says for each R-unit whether any of its A-units is active."""
        self.tally.corrections += np.abs(directions)
        if self.setting.system == "beta":
            for r in directions.nonzero()[0].tolist():
                self._beta(r, int(directions[r]), active)
        elif fires.all() or fires[directions != 0].any():
            self._alpha_or_gamma(directions, active)
        else:
            self.tally.facts += 1  # reinforcement that no motor follows

    def _alpha_or_gamma(self, directions: Signs, active: Floats) -> None:
        """The drives that reinforcement.plan comes to, without the plan: nobody looks at these motors in flight."""
        works = self.works
        rows: Any = ALL
        if works.sources.every:
            rows = one_or_more(directions)
            drive = directions[rows][:, None] * self.full[rows]
        else:
            drive = works.sources.spread(directions) * self.full
        drive *= active
        most, longest_us = self.most, self.setting.run_us
        if self.setting.system == "gamma":
            longest_us = self._give_back(directions, active, drive)
            most = float(np.abs(drive).max())
        self._ran(longest_us, works.rack.push(rows, drive, most))

    def _give_back(self, directions: Signs, active: Floats, drive: Floats) -> int:
        """Adds gamma's returns to the drives; returns the longest run."""
        sources, rack, run_us = self.works.sources, self.works.rack, self.setting.run_us
        longest = run_us
        for row, r in enumerate(directions.nonzero()[0].tolist()):
            bank, place, own = (r, row, ALL) if sources.every else (0, 0, sources.places[r])
            lit = active[own]
            idle = lit == 0 if self.pulled is None else (lit == 0) & ~self.pulled[own]
            n, rest = int(np.count_nonzero(lit)), int(np.count_nonzero(idle))
            if not n or not rest:
                continue
            back_us = reinforcement.return_us(rack.config.lag_us, run_us, n, rest)
            longest = max(longest, back_us)
            if rack.config.exact_return:
                back = reinforcement.shares(int(self.full[bank, own] @ lit), rest)
                if not self.well:
                    back = rack.weakened(back, rack.health[bank, own][idle])
                drive[place, own][idle] = -int(directions[r]) * back
            else:
                np.copyto(drive[place, own], -int(directions[r]) * rack.row_travel(bank, back_us)[own], where=idle)
        return longest

    def _beta(self, reinforced: int, direction: int, active: Floats) -> None:
        """K for the active units of one source-set, K for all units of every other one."""
        sources, rack, total = self.works.sources, self.works.rack, self.setting.beta_total_us
        self.tally.facts += 1
        shared, runs = self._others()
        drive = shared.copy()
        longest = max((us for r, us in enumerate(runs) if r != reinforced), default=NO_RUN)
        bank, own = (reinforced, ALL) if sources.every else (0, sources.places[reinforced])
        lit = active[own]
        n = int(np.count_nonzero(lit))
        if n:
            each_us = rack.config.lag_us + total // n
            longest = max(longest, each_us)
            drive[bank, own] = rack.row_travel(bank, each_us)[own] * lit
        else:
            drive[bank, own] = 0
        if longest != NO_RUN:
            self.tally.facts -= 1
            self._ran(longest, rack.push(ALL, direction * drive, float(drive.max())))

    def _others(self) -> tuple[Floats, list[int]]:
        """What beta gives to source-sets that are not reinforced: travel of every motor, and the run of each set."""
        if self._shared is None:
            self._shared = beta_shares(self.works)
        return self._shared

    def _ran(self, longest_us: int, reached: int) -> None:
        tally = self.tally
        tally.runs += 1
        tally.facts += 3
        tally.time_us += longest_us + self.works.config.potentiometer.coast_us
        if reached:
            tally.facts += 1
            tally.end_stops += reached


def beta_shares(works: Works) -> tuple[Floats, list[int]]:
    """For each source-set that is not reinforced: the travel of its motors, and how long they run, or NO_RUN."""
    sources, rack, pulled = works.sources, works.rack, works.association.pulled
    travel = np.zeros((sources.banks, sources.units))
    runs = []
    for r, place in enumerate(sources.places):
        bank = r if sources.every else 0
        present = ~pulled[place]
        count = int(np.count_nonzero(present))
        runs.append(rack.config.lag_us + works.config.reinforcement.beta_total_us // count if count else NO_RUN)
        if count:
            travel[bank, place] = rack.row_travel(bank, runs[-1])[place] * present
    return travel, runs


def row_engine(works: Works, hand: Hand) -> Tally:
    """One card after the other, every mode and system."""
    tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
    present_rows(works, hand, 0, len(hand.rows), Corrector(works, tally), tally)
    return tally


def present_rows(works: Works, hand: Hand, start: int, stop: int, corrector: Corrector, tally: Tally) -> None:
    """Presents some cards of a hand, one after the other."""
    mode, setting = works.sequencer.mode, works.config.reinforcement
    forced, spontaneous = mode == "forced", mode == "spontaneous"
    states, undecided, sums = tally.answer
    wrong = np.zeros((stop - start, len(states)), np.int8)
    for i in range(start, stop):
        if (i - start) % ROWS == 0:
            rows = hand.active(i, min(i + ROWS, stop), np.float64)
        active = rows[(i - start) % ROWS]
        if setting.decay_p:
            works.rack.decay(setting.decay_p, setting.decay_q, corrector.pulled)
        targets = hand.targets[i]
        sums = works.sources.sums(_worn(works, hand, i), active)
        states, undecided = works.reader.read(sums, states)
        missed = np.multiply(targets, undecided | (states != targets), out=wrong[i - start])
        directions = reinforcement.directions_due(mode, setting.polarity, targets, states, missed)
        if forced:
            states = np.where(targets != 0, targets, states)
        if np.count_nonzero(directions):
            corrector.reinforce(directions, active, hand.fires[i])
    tally.errors += 0 if spontaneous else int(wrong.any(axis=1).sum())
    tally.answer = Response(states, undecided, sums)


def _worn(works: Works, hand: Hand, i: int) -> Floats:
    if hand.wiper_errors is None:
        return works.rack.values
    values = works.rack.values.copy()
    values.ravel()[works.rack.noisy] += hand.wiper_errors[i]
    return values


def one_or_more(flags: NDArray[Any]) -> Any:
    """Which R-units are meant; a slice where it is one or all, so that indexing gives a view and not a copy."""
    rows = flags.nonzero()[0]
    if len(rows) == len(flags):
        return ALL
    return slice(int(rows[0]), int(rows[0]) + 1) if len(rows) == 1 else rows
