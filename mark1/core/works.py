"""The works: all units joined, the cycle of a presentation, and the event loop that drives it.

PresentStimulus -> cells settle -> A-units settle -> R-units are read once -> corrections, if due -> motors rest.
Time is whole microseconds and moves only here, from event to event. Everything that happens is told as a fact.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance, facts, reinforcement, wiring
from mark1.core.association import Association
from mark1.core.config import MachineConfig
from mark1.core.plugboard import Plugboard
from mark1.core.potentiometer import Rack, Run, draw_speeds
from mark1.core.reinforcement import Request
from mark1.core.response import Codebook, Reader, Response
from mark1.core.retina import Light, Retina
from mark1.core.schedule import CELLS_SETTLED, NEXT_CARD, RESPONSE_DUE, RUN_ENDED, UNITS_SETTLED, Schedule
from mark1.core.sequencer import Sequencer
from mark1.core.sources import SourceSets

IDLE, SETTLING, ANSWERED, CORRECTING = "idle", "settling", "answered", "correcting"
Observer = Callable[[Any], object]
_new = tuple.__new__  # a fact's own constructor is this behind one more call


@dataclass(slots=True)
class Counters:
    """Totals of a machine's life."""

    presentations: int = 0
    errors: int = 0
    runs: int = 0
    end_stops: int = 0
    corrections: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # for each R-unit
    blind: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


class Works:
    """A machine without its door: machine.py has that."""

    def __init__(self, config: MachineConfig, seed: int, table: wiring.Table | None = None) -> None:
        self.seed = self.wiring_seed = seed
        self.now_us = 0
        self.fact_number = 0
        self.looked: Any = None  # what the rehearsal found the tray's cards to look like; never saved
        self.served = 0  # events since this object was made: a journal's way to place a command exactly
        self.observers: list[tuple[Observer, bool]] = []
        self.streams = {purpose: chance.stream(seed, purpose) for purpose in chance.PURPOSES[2:]}
        self.schedule = Schedule()
        self.sequencer = Sequencer()
        self.waiting: list[Request] = []
        self.phase = IDLE
        self.card = -1
        self.codebook = Codebook()
        self.counters = Counters()
        self.notes: dict[str, str] = {}
        self.retina = Retina(config.retina, self.streams["cells"])
        table = wiring.draw(config, seed) if table is None else table
        self.plugboard = Plugboard(table, config.retina.cells, config.plugboard.fan_out_limit)
        self.association = Association(config.association)
        self.connect(config)

    def connect(self, config: MachineConfig) -> None:
        """The A-R wiring, the rack behind it, and the R-units; their first states are drawn from the seed (chosen)."""
        self.adjust(config)
        self.sources = SourceSets(config.response, config.association.units)
        shape = (self.sources.banks, self.sources.units)
        old: Rack | None = getattr(self, "rack", None)
        self.rack = Rack(config.potentiometer, shape, draw_speeds(config.potentiometer, shape, self.seed))
        if old is not None and old.values.shape[1] == shape[1]:  # the same motors and wipers, with their faults
            same = slice(min(len(old.values), shape[0]))
            self.rack.health[same], self.rack.wiper_noise[same] = old.health[same], old.wiper_noise[same]
            self.rack.note()
        count = self.sources.responses
        drawn = chance.below(self.streams["responses"], 2, (count,))
        self.answer = Response((2 * drawn - 1).astype(np.int8), np.ones(count, np.bool_), np.zeros(count)).sealed()
        self.counters.corrections = np.zeros(count, np.int64)
        self.counters.blind = np.zeros(count, np.int64)

    def adjust(self, config: MachineConfig) -> None:
        """Takes up settings that change neither the number of units nor the wiring."""
        self.config = config
        self.retina.config = config.retina
        self.reader = Reader(config.response)

    # -- facts -------------------------------------------------------------------------------------------------

    def tell(self, kind: Any, *what: Any) -> None:
        """Makes a fact, numbers it, and shows it to every observer."""
        self.fact_number = number = self.fact_number + 1
        fact = _new(kind, (number, self.now_us, *what))
        if self.observers:
            self.tell_detached(self.show(fact))

    def tell_detached(self, broken: list[tuple[str, str]]) -> None:
        """Says which observers were taken off, and why."""
        for name, trouble in broken:
            self.tell(facts.ObserverDetached, name, trouble)

    def show(self, fact: Any) -> list[tuple[str, str]]:
        """Shows a fact to all observers; takes off, and returns, those that raise."""
        broken: list[tuple[str, str]] = []
        for entry in tuple(self.observers):
            observer, strict = entry
            try:
                observer(fact)
            except Exception as error:
                if strict:
                    raise
                self.observers.remove(entry)
                broken.append((getattr(observer, "__qualname__", type(observer).__qualname__), repr(error)))
        return broken

    # -- time --------------------------------------------------------------------------------------------------

    def run_next(self) -> None:
        """Serves the next event."""
        self.now_us, _, kind, number = heappop(self.schedule.heap)
        self.served += 1
        if kind == RUN_ENDED:
            self._end_run(number)
        elif kind == NEXT_CARD:
            self.present_card()
        elif number == self.counters.presentations:  # else: of a card that is no longer there
            if kind == CELLS_SETTLED:
                self._cells_settled()
            elif kind == UNITS_SETTLED:
                self._units_settled()
            else:
                self._respond()

    def settle(self) -> None:
        """Serves events until a card is to be shown or nothing is left to do."""
        heap, serve = self.schedule.heap, self.run_next
        while heap and heap[0][2] != NEXT_CARD:
            serve()

    # -- the cycle ---------------------------------------------------------------------------------------------

    def present_card(self) -> None:
        """The next card of the tray."""
        tray, card = self.sequencer.tray, self.sequencer.card()
        assert tray is not None
        self.present(tray.lights[card], card)

    def present(self, light: Light, card: int) -> None:
        """Light falls on the retina."""
        self.counters.presentations += 1
        self.card, self.phase = card, SETTLING
        decay = self.config.reinforcement
        if decay.decay_p:
            self.rack.decay(decay.decay_p, decay.decay_q, self.pulled())
        self.retina.expose(light, self.now_us)
        self.tell(facts.StimulusPresented, self.counters.presentations, card)
        self.schedule.add(self.now_us + self.config.retina.settle_us, CELLS_SETTLED, self.counters.presentations)

    def _cells_settled(self) -> None:
        self.retina.settle()
        at_us = self.now_us + self.config.association.settle_us
        self.schedule.add(at_us, UNITS_SETTLED, self.counters.presentations)

    def _units_settled(self) -> None:
        self.association.fire(self.plugboard, self.retina.outputs)
        self.tell(facts.AssociationSettled, self.association.active)
        at_us = self.now_us + self.config.response.settle_us
        self.schedule.add(at_us, RESPONSE_DUE, self.counters.presentations)

    def _respond(self) -> None:
        active = self.association.active.astype(np.float64)
        values = self.rack.values if self.rack.undisturbed else self.rack.read(self.now_us, self.streams["wipers"])
        sums = self.sources.sums(values, active)
        if np.count_nonzero(sums) < len(sums):  # only a sum of nothing, or one that cancels out, is exactly 0
            self._note_blind(self.sources.blind(active))
        states, undecided = self.reader.read(sums, self.answer.states)
        self.answer = Response(states, undecided, sums).sealed()
        self.phase = ANSWERED
        self.tell(facts.ResponseGiven, states, undecided, sums)
        if self.card >= 0:
            self._learn()

    def _note_blind(self, blind: NDArray[np.bool_]) -> None:
        if self.card >= 0 and self.sequencer.tray is not None:
            blind = blind & (self.sequencer.tray.targets[self.card] != 0)  # one that is not in use is never counted
        if not blind.any():
            return
        blind.flags.writeable = False
        self.counters.blind = self.counters.blind + blind
        if self.card >= 0:
            self.sequencer.blind[self.card] += blind
        self.tell(facts.StimulusBlind, self.card, blind)

    def _learn(self) -> None:
        """What the mode asks for after an answer in training."""
        sequencer = self.sequencer
        assert sequencer.tray is not None
        self.phase = CORRECTING
        wrong = self.teach(sequencer.tray.targets[self.card], sequencer.mode)
        if wrong and sequencer.mode != "spontaneous":
            sequencer.errors += 1
            self.counters.errors += 1
        self.go_on_if_at_rest()

    def teach(self, targets: NDArray[np.int8], mode: str) -> bool:
        """Reinforces what is due for the answer just given; returns whether that was wrong."""
        states, undecided, _ = self.answer
        setting = self.config.reinforcement
        missed = targets * (undecided | (states != targets))  # 0 for an R-unit that is not in use
        wrong = np.count_nonzero(missed) > 0
        directions = reinforcement.directions_due(mode, setting.polarity, targets, states, missed)
        if mode == "forced":  # the trainer's control holds the R-units at the right answer
            held = np.where(targets != 0, targets, states).astype(np.int8)
            self.answer = self.answer._replace(states=held).sealed()
        corrected = np.count_nonzero(directions)
        if corrected:
            self.counters.corrections += directions != 0
            self.sequencer.corrections += int(corrected) if self.card >= 0 else 0
            self.reinforce(directions, setting.run_us, mode)
        return bool(wrong)

    def reinforce(self, directions: NDArray[np.int8], run_us: int, cause: str) -> None:
        """Asks for motors to run; they start when they rest."""
        setting = self.config.reinforcement
        wanted = Request(directions, self.association.active, setting.system, run_us, setting.beta_total_us, cause)
        if setting.system != "beta" and not self.rack.runs and not self.waiting:
            self._start(wanted, reinforcement.plan(wanted, self.sources, self.rack, self.pulled()))
            return
        self.waiting += reinforcement.requests(wanted)
        self._start_waiting()

    def _start_waiting(self) -> None:
        """Starts every request whose motors rest and are not wanted by an earlier one."""
        kept: list[Request] = []
        claimed: NDArray[np.bool_] | None = self.rack.busy() if self.rack.runs else None
        for request in self.waiting:
            plan = reinforcement.plan(request, self.sources, self.rack, self.pulled())
            # beta shares out over the whole rack, so it waits for the whole rack
            wanted = np.True_ if request.system == "beta" else plan.directions != 0
            if claimed is not None and (claimed[list(plan.banks)] & wanted).any():
                kept.append(request)
            else:
                self._start(request, plan)
            if len(self.waiting) > 1:
                claimed = self.rack.busy() if claimed is None else claimed
                claimed[list(plan.banks)] |= plan.directions != 0
        self.waiting = kept

    def _start(self, request: Request, plan: reinforcement.Plan) -> None:
        request.directions.flags.writeable = plan.directions.flags.writeable = False
        self.tell(facts.ReinforcementApplied, request.directions, request.cause)
        if not np.count_nonzero(plan.directions):
            return
        self.counters.runs += 1
        number = self.counters.runs
        rest_us = self.now_us + plan.longest_us + self.config.potentiometer.coast_us
        run = Run(number, self.now_us, rest_us, *plan[:4], plan.travel_uv)
        self.rack.runs[number] = run
        self.schedule.add(rest_us, RUN_ENDED, number)
        self.tell(facts.MotorsStarted, number, plan.banks, plan.directions)

    def _end_run(self, number: int) -> None:
        reached = self.rack.finish(self.rack.runs[number])
        if reached:
            self.counters.end_stops += len(reached)
            self.tell(facts.EndStopReached, number, tuple(reached))
        self.tell(facts.MotorsStopped, number)
        if self.waiting:
            self._start_waiting()
        self.go_on_if_at_rest()

    def go_on_if_at_rest(self) -> None:
        """Training goes on to the next card when all motors rest."""
        sequencer = self.sequencer
        if not sequencer.running or self.phase != CORRECTING or self.rack.runs or self.waiting:
            return
        if self.card >= 0 and sequencer.advance(self.streams["order"]):
            self.tell_pass()
        self.phase, self.card = (IDLE if sequencer.running else ANSWERED), -1
        if sequencer.running:
            self.schedule.add(self.now_us, NEXT_CARD, 0)

    def tell_pass(self) -> None:
        """A pass ended, and perhaps training with it."""
        done = self.sequencer
        self.tell(facts.PassEnded, done.passes_done, done.error_history[-1], done.correction_history[-1])
        if not done.running:
            self.tell(facts.TrainingEnded, done.outcome)

    def shift(self, by_us: int) -> None:
        """Moves this moment, and all that is pending, to a later time."""
        self.now_us += by_us
        self.retina.since_us += by_us
        self.schedule = Schedule.load([[at_us + by_us, kind, n] for at_us, kind, n in self.schedule.dump()])
        for run in self.rack.runs.values():
            run.start_us += by_us
            run.rest_us += by_us

    # -- questions ---------------------------------------------------------------------------------------------

    def pulled(self) -> NDArray[np.bool_] | None:
        """Which A-units are out of the rack; None if all are in."""
        return self.association.pulled if self.association.any_pulled else None

    def motors_run(self) -> bool:
        """Whether any motor runs or is about to."""
        return bool(self.rack.runs or self.waiting)
