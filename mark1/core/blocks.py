"""The block engine, for error correction: the sums of many cards from one matrix product.

After each correction the sums of the cards behind it are patched by what really changed (the dual form at work), so
motors, lash and stops may do what they like. The product is taken in 32-bit floats, whose rounding is bounded; a card
is passed over only if its answers are right beyond that doubt. All others are summed exactly, so every answer is.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import reinforcement
from mark1.core.engines import Corrector, one_or_more, present_rows, row_engine
from mark1.core.hand import Engine, Floats, Hand, Tally
from mark1.core.response import Response
from mark1.core.works import Works

SMALLEST_BLOCK, LARGEST_BLOCK = 16, 4096
DENSE = 5  # where more than every fifth card is corrected, cards are presented one by one
MOST_ROUGH_UNITS = 2048  # with more A-units the doubt of 32-bit sums is no longer small
ROUNDING = 2.0**-23
Flags = NDArray[np.bool_]


def numpy_engine(works: Works) -> Engine:
    """The engine for this training, without numba."""
    blocks = works.sequencer.mode == "error correction" and not works.config.reinforcement.decay_p
    return Blocks() if blocks else row_engine


class Blocks:
    """Presents a hand block by block; remembers from hand to hand how large a block pays."""

    def __init__(self) -> None:
        self.size = 32

    def __call__(self, works: Works, hand: Hand) -> Tally:
        tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
        corrector = Corrector(works, tally)
        desk = _Desk(works, hand)
        start, count = 0, len(hand.rows)
        while start < count:
            stop = min(count, start + self.size)
            if self.size > SMALLEST_BLOCK:
                made = _Block(desk, start, stop).present(corrector, tally)
            else:  # nearly every card needs a correction: knowing sums beforehand does not pay
                before = tally.runs
                present_rows(works, hand, start, stop, corrector, tally)
                made = tally.runs - before
            self._resize(made, stop - start)
            start = stop
        return tally

    def _resize(self, corrections: int, cards: int) -> None:
        if corrections == 0 or (self.size == SMALLEST_BLOCK and corrections * DENSE < cards):
            self.size = min(LARGEST_BLOCK, self.size * 2)
        elif corrections > 10 or corrections * DENSE > cards:
            self.size = max(SMALLEST_BLOCK, self.size // 2)


class _Desk:
    """What all blocks of a hand share."""

    def __init__(self, works: Works, hand: Hand) -> None:
        self.works, self.hand = works, hand
        self.toward = hand.targets.T.astype(np.float64, order="C")
        self.all_in_use = bool(hand.targets.all())
        self.offsets = _wiper_sums(works, hand)
        self.monovalent = reinforcement.is_monovalent("error correction", works.config.reinforcement.polarity)
        rough = works.sources.units <= MOST_ROUGH_UNITS
        self.kind: Any = np.float32 if rough else np.float64
        self.rounding = ROUNDING * works.sources.units**2 if rough else 0.0
        self.threshold, self.dead_zone = works.config.response.threshold_uv, works.config.response.dead_zone_uv


class _Block:
    """Some cards whose sums are known together: (R-units, cards), less the threshold."""

    def __init__(self, desk: _Desk, start: int, stop: int) -> None:
        self.desk, self.start = desk, start
        self.active = desk.hand.active(start, stop, desk.kind)
        self.toward = desk.toward[:, start:stop]
        values = desk.works.rack.values
        self.doubt = desk.rounding * float(np.abs(values).max())
        dense = desk.works.sources.dense(values).astype(desk.kind)
        self.over: Floats = (dense @ self.active.T).astype(np.float64)
        if desk.threshold:
            self.over -= desk.threshold
        if desk.offsets is not None:
            self.over += desk.offsets[:, start:stop]

    def present(self, corrector: Corrector, tally: Tally) -> int:
        """Presents the block; returns how many cards needed a correction."""
        made, last = 0, len(self.active) - 1
        clear = self._clear(slice(None), 0)
        clear[:, last] = False  # the last card's sums are the answer that stays: they must be exact
        card = int(np.logical_and.reduce(clear).argmin())
        while True:
            due = self._answered(card, card == last, tally)
            if due is not None:
                made += 1
                touched = self._correct(card, due, corrector)
                if card < last:
                    clear[touched, card + 1 : last] = self._clear(touched, card + 1)[:, : last - card - 1]
            if card == last:
                break
            card += 1 + int(np.logical_and.reduce(clear[:, card + 1 :]).argmin())
        self._keep_answer(tally)
        return made

    def _clear(self, responses: Any, card: int) -> Flags:
        """Which R-units answer rightly beyond doubt, from this card on; of those not in use, which are clear at all."""
        over, toward = self.over[responses, card:], self.toward[responses, card:]
        clear: Flags = np.greater(over * toward, np.array(self.desk.dead_zone + self.doubt))
        if self.desk.all_in_use:
            return clear
        np.logical_or(clear, (toward == 0) & (np.abs(np.abs(over) - self.desk.dead_zone) > self.doubt), out=clear)
        return clear

    def _answered(self, card: int, last: bool, tally: Tally) -> Flags | None:
        """Reads one card and counts its error; returns the R-units to correct, None if there is none."""
        desk, toward = self.desk, self.toward[:, card]
        answer = self.over[:, card] * toward
        if last or not desk.all_in_use or np.abs(answer - desk.dead_zone).min() <= self.doubt:
            answer = self._exact(card) * toward
        wrong: Flags = answer <= desk.dead_zone
        if not desk.all_in_use:
            wrong &= toward != 0
        if not wrong.any():
            return None
        tally.errors += 1
        due = wrong & (toward > 0) if desk.monovalent else wrong
        return due if due.any() else None

    def _exact(self, card: int) -> Floats:
        """Sums one card in whole microvolts, as the values are now."""
        desk, works = self.desk, self.desk.works
        over = works.sources.sums(works.rack.values, self.active[card].astype(np.float64)) - desk.threshold
        if desk.offsets is not None:
            over += desk.offsets[:, self.start + card]
        self.over[:, card] = over
        return over

    def _correct(self, card: int, due: Flags, corrector: Corrector) -> Any:
        """Corrects at one card, patches the sums of those behind it by what changed; returns the R-units touched."""
        hand, rack, sources = self.desk.hand, self.desk.works.rack, self.desk.works.sources
        touched = slice(None) if corrector.setting.system == "beta" else one_or_more(due)
        before = rack.values[touched].copy() if sources.every else rack.values
        row = self.start + card
        corrector.reinforce(hand.targets[row] * due, self.active[card].astype(np.float64), hand.fires[row])
        changed = rack.values[touched] - before if sources.every else sources.dense(rack.values - before)[touched]
        self.doubt += self.desk.rounding * (corrector.most if corrector.alpha else float(np.abs(changed).max()))
        self.over[touched, card + 1 :] += changed.astype(self.desk.kind) @ self.active[card + 1 :].T
        return touched

    def _keep_answer(self, tally: Tally) -> None:
        """The R-units' states after the block: of each, the last that was decided."""
        desk = self.desk
        decided = np.abs(self.over) > desk.dead_zone
        last = self.over.shape[1] - 1 - decided[:, ::-1].argmax(axis=1)
        picked = np.sign(self.over[np.arange(len(last)), last])
        states = np.where(decided.any(axis=1), picked, tally.answer.states).astype(np.int8)
        tally.answer = Response(states, ~decided[:, -1], self.over[:, -1] + desk.threshold)


def _wiper_sums(works: Works, hand: Hand) -> Floats | None:
    """What worn wipers add to each card's sums: (R-units, cards)."""
    if hand.wiper_errors is None:
        return None
    noisy, units = works.rack.noisy, works.sources.units
    felt = hand.wiper_errors * hand.activity.fired[np.ix_(hand.rows, noisy % units)]
    to = np.zeros((len(noisy), works.sources.responses))
    to[np.arange(len(noisy)), works.sources.feeds.ravel()[noisy]] = 1
    return (felt @ to).T
