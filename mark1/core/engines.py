"""The rehearsal's engines in plain numpy.

Block engine (error correction): the sums of a block of cards come from one matrix product; after each correction the
sums of the cards behind it are patched by what really changed (the dual form at work), so nothing is approximate
however motors, lash and stops behave. Row engine (all else): one card after the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import reinforcement
from mark1.core.hand import Engine, Hand, Tally
from mark1.core.potentiometer import Run
from mark1.core.reinforcement import Request
from mark1.core.response import Response, read
from mark1.core.works import Works

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
SMALLEST_BLOCK, LARGEST_BLOCK = 16, 4096


def numpy_engine(works: Works) -> Engine:
    """The engine for this training."""
    blocks = works.sequencer.mode == "error correction" and not works.config.reinforcement.decay_p
    return _Blocks() if blocks else row_engine


class Corrector:
    """Reinforces without the event loop: what the motors would have done by the time they rest."""

    def __init__(self, works: Works, tally: Tally) -> None:
        self.works, self.tally = works, tally
        self.setting = works.config.reinforcement
        self.pulled = works.pulled()
        self.full, self.most = works.rack.full_travel(self.setting.run_us)
        self.alpha = self.setting.system == "alpha"

    def reinforce(self, directions: Signs, active: Floats) -> None:
        """One presentation's corrections."""
        self.tally.corrections += directions != 0
        if self.alpha:
            self._alpha(directions, active)
            return
        setting = self.setting
        fired = active > 0
        wanted = Request(directions, fired, setting.system, setting.run_us, setting.beta_total_us, "")
        for request in reinforcement.requests(wanted):
            plan = reinforcement.plan(request, self.works.sources, self.works.rack, self.pulled)
            self.tally.facts += 1
            if plan.directions.any():
                run = Run(0, 0, 0, plan.banks, plan.directions, plan.run_us, plan.exact_uv)
                self._ran(plan.longest_us, self.works.rack.apply(run))

    def _alpha(self, directions: Signs, active: Floats) -> None:
        works = self.works
        self.tally.facts += 1
        if works.sources.every:
            rows: Any = directions.nonzero()[0]
            drive = (directions[rows, None] * self.full[rows]) * active
        else:
            rows = slice(None)
            drive = works.sources.spread(directions) * active * self.full
        if drive.any() or not self.most or self._moves(directions, active):
            self._ran(self.setting.run_us, works.rack.push(rows, drive, self.most))

    def _moves(self, directions: Signs, active: Floats) -> bool:
        """Whether any motor is switched on, even if none of them turns (stuck, or a run within the lag)."""
        return bool(((self.works.sources.spread(directions) * active) != 0).any())

    def _ran(self, longest_us: int, reached: int) -> None:
        tally = self.tally
        tally.runs += 1
        tally.facts += 2
        tally.time_us += longest_us + self.works.config.potentiometer.coast_us
        if reached:
            tally.facts += 1
            tally.end_stops += reached


def row_engine(works: Works, hand: Hand) -> Tally:
    """One card after the other, every mode and system."""
    tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
    corrector = Corrector(works, tally)
    mode, setting, config = works.sequencer.mode, works.config.reinforcement, works.config.response
    monovalent = reinforcement.is_monovalent(mode, setting.polarity)
    forced, spontaneous = mode == "forced", mode == "spontaneous"
    states, undecided, sums = works.answer
    in_use = hand.targets != 0
    wrong = np.zeros(hand.targets.shape, np.bool_)
    for i, active in enumerate(hand.active(0, len(hand.rows))):
        if setting.decay_p:
            works.rack.decay(setting.decay_p, setting.decay_q, corrector.pulled)
        targets = hand.targets[i]
        sums = works.sources.sums(_worn(works, hand, i), active)
        states, undecided = read(sums, states, config)
        np.logical_or(undecided, states != targets, out=wrong[i])
        directions = reinforcement.directions_due(mode, monovalent, targets, states, undecided)
        if forced:
            states = np.where(in_use[i], targets, states)
        if directions.any():
            corrector.reinforce(directions, active)
    tally.errors = 0 if spontaneous else int((wrong & in_use).any(axis=1).sum())
    tally.answer = Response(states, undecided, sums)
    return tally


def _worn(works: Works, hand: Hand, i: int) -> Floats:
    if hand.wiper_errors is None:
        return works.rack.values
    values = works.rack.values.copy()
    values.ravel()[works.rack.noisy] += hand.wiper_errors[i]
    return values


class _Blocks:
    """The block engine; remembers from hand to hand how large a block pays."""

    def __init__(self) -> None:
        self.size = 32

    def __call__(self, works: Works, hand: Hand) -> Tally:
        """Presents a hand in blocks."""
        tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
        corrector = Corrector(works, tally)
        monovalent = reinforcement.is_monovalent("error correction", works.config.reinforcement.polarity)
        offsets = _wiper_sums(works, hand)
        start, count = 0, len(hand.rows)
        while start < count:
            stop = min(count, start + self.size)
            block = _Block(works, hand, start, stop, offsets)
            made = block.present(corrector, tally, monovalent)
            self._resize(made)
            start = stop
        return tally

    def _resize(self, corrections: int) -> None:
        if corrections == 0:
            self.size = min(LARGEST_BLOCK, self.size * 4)
        elif corrections > 6:
            self.size = max(SMALLEST_BLOCK, self.size // 2)


class _Block:
    """Some cards whose sums are known together."""

    def __init__(self, works: Works, hand: Hand, start: int, stop: int, offsets: Floats | None) -> None:
        self.works = works
        self.active = hand.active(start, stop)
        self.targets = hand.targets[start:stop]
        self.toward = self.targets.astype(np.float64)
        self.sums = works.sources.all_sums(works.rack.values, self.active)
        if offsets is not None:
            self.sums += offsets[start:stop]

    def present(self, corrector: Corrector, tally: Tally, monovalent: bool) -> int:
        """Presents the block; returns how many cards needed a correction."""
        made, row, count = 0, 0, len(self.active)
        wrong = self._wrong(0)
        while True:
            due = wrong & (self.targets[row:] > 0) if monovalent else wrong
            first = _first(due)
            upto = count - row if first is None else first + 1
            tally.errors += int(wrong[:upto].any(axis=1).sum())
            if first is None:
                break
            here = row + first
            self._correct(here, due[first], corrector)
            made += 1
            row = here + 1
            if row == count:
                break
            wrong = self._wrong(row)
        self._answer(tally)
        return made

    def _wrong(self, row: int) -> NDArray[np.bool_]:
        """Which R-units answer wrongly or not at all, from this card on (target 0 never does)."""
        config = self.works.config.response
        over = self.sums[row:] - config.threshold_uv if config.threshold_uv else self.sums[row:]
        toward = self.toward[row:]
        wrong: NDArray[np.bool_] = (over * toward <= config.dead_zone_uv) & (toward != 0)
        return wrong

    def _correct(self, row: int, due: NDArray[np.bool_], corrector: Corrector) -> None:
        """Corrects at one card, and patches the sums of those behind it by what changed."""
        rack, sources = self.works.rack, self.works.sources
        before = rack.values.copy()
        corrector.reinforce(self.targets[row] * due, self.active[row])
        if row + 1 == len(self.active):
            return
        changed = rack.values - before
        if corrector.setting.system == "beta":
            self.sums[row + 1 :] += sources.all_sums(changed, self.active[row + 1 :])
            return
        touched = due.nonzero()[0]
        self.sums[row + 1 :, touched] += self.active[row + 1 :] @ sources.dense(changed)[touched].T

    def _answer(self, tally: Tally) -> None:
        """The R-units' states after the block: of each, the last that was decided."""
        config = self.works.config.response
        over = self.sums - config.threshold_uv
        decided = np.abs(over) > config.dead_zone_uv
        last = len(over) - 1 - decided[::-1].argmax(axis=0)
        picked = np.arange(over.shape[1])
        states = np.where(decided.any(axis=0), np.sign(over[last, picked]), tally.answer.states).astype(np.int8)
        tally.answer = Response(states, ~decided[-1], self.sums[-1].copy())


def _first(due: NDArray[np.bool_]) -> int | None:
    """The first row with anything due."""
    rows: NDArray[np.bool_] = np.logical_or.reduce(due, axis=1)
    first = int(rows.argmax())
    return first if rows[first] else None


def _wiper_sums(works: Works, hand: Hand) -> Floats | None:
    """What worn wipers add to each card's sums."""
    if hand.wiper_errors is None:
        return None
    noisy, units = works.rack.noisy, works.sources.units
    felt = hand.wiper_errors * hand.activity.fired[np.ix_(hand.rows, noisy % units)]
    to = np.zeros((len(noisy), works.sources.responses))
    to[np.arange(len(noisy)), works.sources.feeds.ravel()[noisy]] = 1
    return felt @ to
