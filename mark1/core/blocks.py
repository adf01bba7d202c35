"""The block engine, for error correction: where corrections are few, the sums of many cards from one matrix product.

R-units have no potentiometer in common (alpha and gamma), so a block of cards is gone through R-unit by R-unit. After
each correction the sums of the cards behind it are patched by what really changed (the dual form at work), so motors,
lash and stops may do what they like. The product is taken in 32-bit floats, whose rounding is bounded; a card is
passed over only if its answer is right beyond that doubt. All others are summed exactly, so every answer is exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import reinforcement
from mark1.core.engines import Corrector, present_rows, row_engine
from mark1.core.hand import Engine, Floats, Hand, Tally
from mark1.core.potentiometer import turned
from mark1.core.response import Response
from mark1.core.works import Works

SMALLEST_BLOCK, LARGEST_BLOCK = 64, 4096
STRETCH = 128  # cards gone through row by row before one looks again
MANY = 1  # corrections a card; measured: from here on rows cost less than blocks
MOST_ROUGH_UNITS = 2048  # with larger source-sets the doubt of 32-bit sums is no longer small
ROUNDING = 2.0**-23
Flags = NDArray[np.bool_]


def numpy_engine(works: Works) -> Engine:
    """The engine for this training, without numba."""
    setting = works.config.reinforcement
    blocks = works.sequencer.mode == "error correction" and not setting.decay_p and setting.system != "beta"
    return Blocks() if blocks else row_engine


class Blocks:
    """Presents a hand stretch by stretch; remembers from hand to hand which way and how large a block pays.

    A block costs by the correction, a row by the card: rows where corrections are many, blocks where they are few.
    """

    def __init__(self) -> None:
        self.size, self.by_rows = 256, True  # an untrained machine needs many corrections

    def __call__(self, works: Works, hand: Hand) -> Tally:
        tally = Tally(works.answer, np.zeros(works.sources.responses, np.int64))
        corrector = Corrector(works, tally)
        desk: _Desk | None = None
        start, count, made = 0, len(hand.rows), 0
        while start < count:
            if self.by_rows:
                if desk is not None:
                    desk.put_back()
                    desk = None
                stop = min(count, start + STRETCH)
                present_rows(works, hand, start, stop, corrector, tally)
            else:
                desk = desk or _Desk(works, hand, tally)
                stop = min(count, start + self.size)
                self._resize(desk.present(start, stop))
            before, made = made, int(tally.corrections.sum())
            self.by_rows = made - before > MANY * (stop - start)
            start = stop
        if desk is not None:
            desk.put_back()
        return tally

    def _resize(self, corrections_of_a_unit: float) -> None:
        """A correction patches what is left of its block, and a block costs something by itself: a few are best."""
        if corrections_of_a_unit < 3:
            self.size = min(LARGEST_BLOCK, self.size * 2)
        elif corrections_of_a_unit > 16:
            self.size = max(SMALLEST_BLOCK, self.size // 2)


class _Desk:
    """A hand of cards, the rack in the order of its source-sets, and the books."""

    def __init__(self, works: Works, hand: Hand, tally: Tally) -> None:
        self.works, self.hand, self.tally = works, hand, tally
        self.order, (banks, lows, highs) = works.sources.in_order()
        self.values, self.lash = works.rack.values.take(self.order, 1), works.rack.lash.take(self.order, 1)
        rough = int((highs - lows).max()) <= MOST_ROUGH_UNITS
        self.kind: Any = np.float32 if rough else np.float64
        self.toward = hand.targets.T.astype(np.float64, order="C")
        self.offsets = _wiper_sums(works, hand)
        self.dead_zone, self.threshold = works.config.response.dead_zone_uv, works.config.response.threshold_uv
        places = zip(banks.tolist(), lows.tolist(), highs.tolist(), strict=True)
        self.units = [_Unit(self, r, *place) for r, place in enumerate(places)]

    def present(self, start: int, stop: int) -> float:
        """Presents some cards; returns how many corrections the busiest R-unit needed."""
        active = self.hand.ordered(start, stop, self.order, self.kind)
        block = _Books(stop - start)
        over = self._sums(active)
        if self.offsets is not None:
            over += self.offsets[:, start:stop]
        most = 0
        for unit in self.units:
            made = unit.present(over[unit.r], self.toward[unit.r, start:stop], active, start, block)
            self.tally.corrections[unit.r] += made
            most = max(most, made)
        block.close(self.tally, self.works.config.potentiometer.coast_us)
        self._keep_answer(over)
        return most

    def _sums(self, active: NDArray[Any]) -> Floats:
        """What each R-unit is given for each card, less the threshold: (R-units, cards)."""
        values = self.values.astype(self.kind)
        over: Floats
        if self.works.sources.every:
            over = (values @ active.T).astype(np.float64)
        else:
            over = np.array([active[:, u.low : u.high] @ values[0, u.low : u.high] for u in self.units], np.float64)
        return over - self.threshold if self.threshold else over

    def _keep_answer(self, over: Floats) -> None:
        """The R-units' states after the block: of each, the last that was decided."""
        decided = np.abs(over) > self.dead_zone
        last = over.shape[1] - 1 - decided[:, ::-1].argmax(axis=1)
        picked = np.sign(over[np.arange(len(last)), last])
        states = np.where(decided.any(axis=1), picked, self.tally.answer.states).astype(np.int8)
        self.tally.answer = Response(states, ~decided[:, -1], over[:, -1] + self.threshold)

    def put_back(self) -> None:
        """The rack as these presentations leave it."""
        back = np.argsort(self.order)
        self.works.rack.set_moved(self.values.take(back, 1), self.lash.take(back, 1))


class _Books:
    """What happened at each card of a block, whichever R-unit it was."""

    def __init__(self, cards: int) -> None:
        self.wrong, self.due = np.zeros(cards, np.bool_), np.zeros(cards, np.bool_)
        self.ran, self.arrived = np.zeros(cards, np.bool_), np.zeros(cards, np.bool_)
        self.longest_us = np.zeros(cards, np.int64)  # of the motors that ran
        self.end_stops = 0

    def close(self, tally: Tally, coast_us: int) -> None:
        """Adds the block to the tally: a reinforcement is a fact, a run two more, arrivals at a stop another."""
        runs = int(np.count_nonzero(self.ran))
        tally.errors += int(np.count_nonzero(self.wrong))
        tally.runs += runs
        tally.end_stops += self.end_stops
        tally.facts += int(np.count_nonzero(self.due)) + 2 * runs + int(np.count_nonzero(self.arrived))
        tally.time_us += int(self.longest_us.sum()) + coast_us * runs


class _Unit:
    """One R-unit and its potentiometers."""

    def __init__(self, desk: _Desk, r: int, bank: int, low: int, high: int) -> None:
        works, own = desk.works, slice(low, high)
        self.desk, self.r, self.bank, self.low, self.high = desk, r, bank, low, high
        self.values, self.lash = desk.values[bank, own], desk.lash[bank, own]  # views: changed in place
        self.place = works.sources.places[r]  # of this source-set in a bank, in the same order as here
        self.config, self.setting = works.config.potentiometer, works.config.reinforcement
        full, self.most = works.rack.full_travel(self.setting.run_us)
        self.full = np.ascontiguousarray(full[bank, self.place])
        self.health = works.rack.health[bank, self.place]
        pulled = works.pulled()
        self.pulled = None if pulled is None else pulled[self.place]
        self.rounding = ROUNDING * (high - low) ** 2 if desk.kind is np.float32 else 0.0
        self.monovalent = reinforcement.is_monovalent("error correction", self.setting.polarity)
        self.backlash = np.array(float(self.config.backlash_uv))
        self.stops = None if self.config.stops is None else tuple(np.array(float(n)) for n in self.config.stops)
        self.always = bool(desk.hand.targets[:, r].all())

    def present(self, over: Floats, toward: Floats, active: NDArray[Any], start: int, books: _Books) -> int:
        """Goes through a block of cards; returns how many corrections it took."""
        dead_zone, card, last, made = self.desk.dead_zone, 0, len(over) - 1, 0
        self.doubt = self.rounding * float(np.abs(self.values).max())
        self.room = self._room()
        while True:
            card += self._open(over[card:last], toward[card:last])
            side = float(toward[card])
            if card == last or side == 0 or abs(abs(over[card]) - dead_zone) <= self.doubt:
                over[card] = self._exact(active[card], start + card)
            if side != 0 and over[card] * side <= dead_zone:
                books.wrong[card] = True
                if side > 0 or not self.monovalent:
                    made += 1
                    self._correct(card, side, over, active, books)
            if card == last:
                return made
            card += 1

    def _open(self, over: Floats, toward: Floats) -> int:
        """The first card whose answer is not right beyond doubt; how many there are, if all are."""
        if not len(over):
            return 0
        clear = over * toward > np.array(self.desk.dead_zone + self.doubt)
        if not self.always:
            clear |= (toward == 0) & (np.abs(np.abs(over) - self.desk.dead_zone) > self.doubt)
        first = int(clear.argmin())
        return len(clear) if clear[first] else first

    def _exact(self, active: NDArray[Any], row: int) -> float:
        """One card's sum in whole microvolts, as the values are now, less the threshold."""
        total = float(active[self.low : self.high].astype(np.float64) @ self.values) - self.desk.threshold
        return total if self.desk.offsets is None else total + float(self.desk.offsets[self.r, row])

    def _correct(self, card: int, side: float, over: Floats, active: NDArray[Any], books: _Books) -> None:
        """Runs the motors, and patches the sums of the cards behind this one by what changed."""
        lit = active[card, self.low : self.high]
        books.due[card] = True
        drive = self.full * lit
        if not np.count_nonzero(lit):
            return  # blind: no motor to run
        longest_us, most = self.setting.run_us, self.most
        if self.setting.system == "gamma":
            longest_us = self._give_back(lit, drive)
            most = float(np.abs(drive).max())
        new = turned(self.values, self.lash, drive if side > 0 else -drive, self.backlash)
        if self.stops is not None:
            self._hold(new, most, card, books)
        changed = new - self.values
        self.values[:] = new
        books.ran[card] = True
        books.longest_us[card] = max(int(books.longest_us[card]), longest_us)
        if card + 1 < len(over):
            self.doubt += self.rounding * most
            over[card + 1 :] += active[card + 1 :, self.low : self.high] @ changed.astype(self.desk.kind)

    def _hold(self, new: Floats, most: float, card: int, books: _Books) -> None:
        """Holds wipers at the stops and counts those that arrived, if any can be near one."""
        assert self.stops is not None
        self.room -= most
        if self.room > 0:
            return
        low, high = self.stops
        np.maximum(new, low, out=new)
        np.minimum(new, high, out=new)
        arrived = ((new == low) | (new == high)) & (new != self.values)
        count = int(np.count_nonzero(arrived))
        if count:
            books.arrived[card] = True
            books.end_stops += count

    def _room(self) -> float:
        """No wiper is nearer to a stop than this."""
        if self.config.stops is None:
            return 0.0
        low, high = self.config.stops
        return float(min(high - self.values.max(), self.values.min() - low))

    def _give_back(self, lit: NDArray[Any], drive: Floats) -> int:
        """Gamma's return by the idle units, added to the drives; returns the longest run."""
        idle = lit == 0 if self.pulled is None else (lit == 0) & ~self.pulled
        n, rest = int(np.count_nonzero(lit)), int(np.count_nonzero(idle))
        run_us, rack = self.setting.run_us, self.desk.works.rack
        if not rest:
            return run_us
        back_us = reinforcement.return_us(self.config.lag_us, run_us, n, rest)
        if self.config.exact_return:
            given = reinforcement.shares(int(self.full @ lit.astype(np.float64)), rest)
            drive[idle] = -rack.weakened(given, self.health[idle])
        else:
            np.copyto(drive, -rack.row_travel(self.bank, back_us)[self.place], where=idle)
        return max(run_us, back_us)


def _wiper_sums(works: Works, hand: Hand) -> Floats | None:
    """What worn wipers add to each card's sums: (R-units, cards)."""
    if hand.wiper_errors is None:
        return None
    noisy, units = works.rack.noisy, works.sources.units
    felt = hand.wiper_errors * hand.activity.fired[np.ix_(hand.rows, noisy % units)]
    to = np.zeros((len(noisy), works.sources.responses))
    to[np.arange(len(noisy)), works.sources.feeds.ravel()[noisy]] = 1
    return (felt @ to).T
