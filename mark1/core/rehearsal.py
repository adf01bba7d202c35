"""Rehearsal: training without the event loop, at full speed, equal to it to the last bit of save().

Why it can be equal: between two cards all motors rest, so a presentation is a function of values, lash and R states;
and sums of whole microvolts are exact in any order. What the event loop would have told is counted, not told.
This module deals out the cards and keeps the books; the engines (engines.py, compiled.py) do the presentations.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance, compiled
from mark1.core.blocks import numpy_engine
from mark1.core.errors import CommandError
from mark1.core.hand import Activity, Engine, Hand, Tally
from mark1.core.schedule import NEXT_CARD
from mark1.core.works import ANSWERED, IDLE, Works

ENGINES = ("auto", "numpy", "compiled")
CHUNK = 65_536  # cards dealt to an engine at once
KEPT_BYTES = 1 << 28  # a tray's activity is kept for all passes if it takes no more than this
Flags = NDArray[np.bool_]
WORTH_COMPILING = 50_000_000  # presentations x A-units from which the compiled engine pays for its start


class _Tray:
    """What the machine makes of the cards, found once if nothing about it changes from pass to pass."""

    def __init__(self, works: Works) -> None:
        assert works.sequencer.tray is not None
        self.works, self.lights = works, works.sequencer.tray.lights
        self.noisy = works.config.retina.noise_ppm > 0
        fits = len(self.lights) * works.sources.units <= KEPT_BYTES
        self.kept = None if self.noisy or not fits else self._kept()
        self.last: tuple[Any, Any] = (None, None)

    def _kept(self) -> Any:
        """What was found in an earlier rehearsal, if everything it depends on is still the very same."""
        works = self.works
        retina, association = works.retina, works.association
        key = (self.lights, works.plugboard.table, association.thresholds, association.pulled, retina.toggles,
               retina.faults, retina.config, works.sources)  # fmt: skip
        if works.looked is None or any(a is not b for a, b in zip(works.looked[0], key, strict=True)):
            works.looked = key, self._looked(retina.seen(self.lights))
        return works.looked[1]

    def deal(self, cards: NDArray[np.int64]) -> tuple[Activity, NDArray[np.int64], Flags | None]:
        """For the next presentations: an activity, the rows of it, and for which R-units which card is blind."""
        looked, rows = self.kept, cards
        if looked is None:
            looked, rows = self._looked(self.works.retina.seen_next(self.lights[cards])), np.arange(len(cards))
        outputs, activity, blind = looked
        self.last = outputs[rows[-1]], activity.fired[rows[-1]]
        return activity, rows, None if blind is None else blind[rows]

    def _looked(self, outputs: Flags) -> tuple[Flags, Activity, Flags | None]:
        works = self.works
        fired = works.association.fire_all(works.plugboard, outputs)
        blind = np.stack([~fired[:, works.sources.members(r)].any(axis=1) for r in range(works.sources.responses)], 1)
        return outputs, Activity(np.ascontiguousarray(fired)), blind if blind.any() else None


def rehearse(works: Works, presentations: float, engine: str) -> None:
    """Presents cards until training ends or so many were shown. The works must stand before a card."""
    present = _engine(works, presentations, engine)
    entry = works.schedule.pop()
    assert entry[2] == NEXT_CARD and works.schedule.peek() is None and not works.motors_run()
    observers, works.observers = works.observers, []
    try:
        _rehearse(works, presentations, present)
    finally:
        if works.sequencer.running:
            works.schedule.add(works.now_us, NEXT_CARD, 0)
        works.observers = observers


def _engine(works: Works, presentations: float, engine: str) -> Engine:
    if engine not in ENGINES:
        raise CommandError(f"the engine is {engine!r}, but must be one of: {', '.join(ENGINES)}.")
    if engine == "compiled" and not compiled.available():
        raise CommandError("the compiled engine needs numba; install it with: pip install 'mark1-perceptron[fast]'.")
    if engine == "numpy":
        return numpy_engine(works)
    if engine == "auto" and not _worth_compiling(works, presentations):
        return numpy_engine(works)
    return compiled.compiled_engine


def _worth_compiling(works: Works, presentations: float) -> bool:
    sequencer = works.sequencer
    assert sequencer.tray is not None
    left = sequencer.passes * len(sequencer.tray.lights) if sequencer.passes else float("inf")
    work = min(left, presentations) * works.sources.units * works.sources.banks
    return (compiled.ready() or work >= WORTH_COMPILING) and compiled.available()


def _rehearse(works: Works, presentations: float, present: Engine) -> None:
    sequencer = works.sequencer
    tray = _Tray(works)
    left = presentations
    while sequencer.running and left > 0:
        count = int(min(len(sequencer.queue) - sequencer.position, CHUNK, left))
        cards = sequencer.queue[sequencer.position : sequencer.position + count]
        _play(works, tray, cards, present)
        left -= count
        sequencer.position += count - 1
        if sequencer.advance(works.streams["order"]):
            works.tell_pass()
    if not sequencer.running:
        works.phase = ANSWERED


def _play(works: Works, tray: _Tray, cards: NDArray[np.int64], present: Engine) -> None:
    """One hand, and the books after it."""
    before = _Before(works)
    try:
        _play_hand(works, tray, cards, present)
    except BaseException:  # Ctrl-C in the middle of a hand: it never began
        before.put_back()
        raise


class _Before:
    """What a hand changes before it is booked."""

    def __init__(self, works: Works) -> None:
        self.works, rack = works, works.rack
        self.kept = rack.values.copy(), rack.lash.copy()
        self.places = {purpose: chance.position(works.streams[purpose]) for purpose in ("cells", "wipers")}

    def put_back(self) -> None:
        """As if the hand had not been dealt."""
        self.works.rack.set_moved(*self.kept)
        for purpose, words in self.places.items():
            self.works.streams[purpose] = chance.at_position(words)
        self.works.retina.noise = self.works.streams["cells"]


def _play_hand(works: Works, tray: _Tray, cards: NDArray[np.int64], present: Engine) -> None:
    assert works.sequencer.tray is not None
    activity, rows, blind = tray.deal(cards)
    errors = works.rack.draw_noise(works.streams["wipers"], len(cards)) if len(works.rack.noisy) else None
    wiper_errors = None if errors is None else errors.astype(np.float64)
    fires = np.broadcast_to(np.True_, (len(cards), works.sources.responses)) if blind is None else ~blind
    hand = Hand(activity, rows, works.sequencer.tray.targets[cards], fires, wiper_errors)
    if blind is not None:
        blind &= hand.targets != 0  # an R-unit that is not in use is never counted
    _book(works, present(works, hand), cards, blind)
    _leave_as_seen(works, tray, int(cards[-1]))


def _book(works: Works, tally: Tally, cards: NDArray[np.int64], blind: Flags | None) -> None:
    counters, sequencer = works.counters, works.sequencer
    counters.presentations += len(cards)
    counters.errors += tally.errors
    counters.runs += tally.runs
    counters.end_stops += tally.end_stops
    counters.corrections = counters.corrections + tally.corrections
    sequencer.errors += tally.errors
    sequencer.corrections += int(tally.corrections.sum())
    if blind is not None:
        counters.blind = counters.blind + blind.sum(axis=0)
        np.add.at(sequencer.blind, cards, blind)
        works.fact_number += int(blind.any(axis=1).sum())
    cycle_us = works.config.retina.settle_us + works.config.association.settle_us + works.config.response.settle_us
    works.now_us += tally.time_us + cycle_us * len(cards)
    works.fact_number += tally.facts + 3 * len(cards)
    works.answer = tally.answer.sealed()


def _leave_as_seen(works: Works, tray: _Tray, card: int) -> None:
    """Retina and A-units as the last card left them."""
    assert works.sequencer.tray is not None
    retina = works.retina
    retina.light = retina.earlier = works.sequencer.tray.lights[card]
    retina.since_us = works.now_us - retina.config.settle_us
    retina.outputs, fired = tray.last
    works.association.active = fired.copy()
    works.association.active.flags.writeable = False
    works.phase, works.card = IDLE, -1
