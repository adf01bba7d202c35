"""Mark1: the one door of the machine. Commands go in, facts come out, state() says what is.

    machine = Mark1(HISTORIC, seed=1960)
    machine.present(light); machine.settle(); machine.response
    machine.train(lights, targets, passes=20)

The machine knows no clock: now_us moves only when told to run. rehearse() is train() at full speed, equal to the
last bit (rehearsal.py). Everything that changes a machine passes submit(), so a journal of commands replays it.
"""

import operator
from typing import Any

from mark1.core import commands as c
from mark1.core import facts, memory, snapshot
from mark1.core.config import HISTORIC, MachineConfig, whole
from mark1.core.errors import CommandError, ConfigError, InputError
from mark1.core.orders import CARRY_OUT, RejectedError
from mark1.core.response import Response
from mark1.core.schedule import NEXT_CARD
from mark1.core.state import MachineState, TrainingState, state_of
from mark1.core.works import Observer, Works

UNDO_POINTS = 12


class Mark1:
    """A Mark I Perceptron."""

    def __init__(self, config: MachineConfig = HISTORIC, seed: int = 1960) -> None:
        if not isinstance(config, MachineConfig):
            raise ConfigError(f"the configuration must be a MachineConfig, not {type(config).__name__}.")
        whole("seed", seed, 0, 2**64 - 1)
        self._works = Works(config, seed)
        self._undo: list[dict[str, Any]] = []
        self._training_start: dict[str, Any] | None = None
        self._inbox: list[c.Command] = []
        self._busy = False

    # -- looking -----------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Machine time in microseconds."""
        return self._works.now_us

    @property
    def seed(self) -> int:
        """What the wiring, the motors' speeds and all chance came from."""
        return self._works.seed

    @property
    def fact_number(self) -> int:
        """The number of the last fact."""
        return self._works.fact_number

    @property
    def presentations(self) -> int:
        """How many cards were shown in this machine's life."""
        return self._works.counters.presentations

    @property
    def events_served(self) -> int:
        """Events since this object was made; a journal notes it to place a command exactly."""
        return self._works.served

    @property
    def config(self) -> MachineConfig:
        """Settings as they are now."""
        return self._works.config

    @property
    def response(self) -> Response:
        """The last answer: a state for each R-unit in use, which are undecided, and their sums."""
        return self._works.answer

    @property
    def meaning(self) -> str:
        """The last answer as a class name, 'undecided' or 'no answer'."""
        return self._works.codebook.meaning(self._works.answer)

    @property
    def next_us(self) -> int | None:
        """When something happens next, or None."""
        return self._works.schedule.next_us()

    def state(self) -> MachineState:
        """What is now, in read-only arrays."""
        return state_of(self._works, len(self._undo))

    def observe(self, observer: Observer, strict: bool = False) -> None:
        """Shows every later fact to observer(fact). One that raises is detached; if strict, its error stops the run."""
        self._works.observers.append((observer, strict))

    def unobserve(self, observer: Observer) -> None:
        """Takes an observer off."""
        self._works.observers = [entry for entry in self._works.observers if entry[0] != observer]

    # -- commands ----------------------------------------------------------------------------------------------

    def submit(self, command: c.Command) -> bool:
        """Takes a command; False if it was rejected (the fact CommandRejected says why).

        From inside an observer a command is kept until the fact has been shown to all; then True means taken.
        """
        if self._busy:
            self._inbox.append(command)
            return True
        accepted = self._take(command)
        self._take_inbox()
        return accepted

    def _take(self, command: c.Command, forgiving: bool = False) -> bool:
        """Carries out a command. Forgiving: nonsense is told as a rejection, where nobody could catch an error."""
        works = self._works
        before, number, observers = works.now_us, works.fact_number, works.observers
        told: list[Any] = []
        works.fact_number += 1  # the command's own fact comes first, but only if the command makes sense
        works.observers = [(told.append, True)]
        accepted = True
        try:
            self._carry_out(command)
        except RejectedError as reason:
            accepted = False
            works.tell(facts.CommandRejected, str(reason))
        except InputError as error:
            works.fact_number = number
            if not forgiving:
                raise
            accepted = False
            works.fact_number += 1
            works.tell(facts.CommandRejected, str(error))
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            works.fact_number = number
            name = type(command).__name__
            raise CommandError(f"{name} was given something that it cannot use ({error}).") from error
        finally:
            self._works.observers = observers
        self._show([facts.CommandTaken(number + 1, before, command), *told])
        return accepted

    def _show(self, told: list[Any]) -> None:
        works = self._works
        if not works.observers:
            return
        self._busy = True
        try:
            broken = [trouble for fact in told for trouble in works.show(fact)]
            works.tell_detached(broken)  # after the facts of this command, which have their numbers already
        finally:
            self._busy = False

    def _take_inbox(self) -> None:
        while self._inbox:
            self._take(self._inbox.pop(0), forgiving=True)

    def _carry_out(self, command: c.Command) -> None:
        if isinstance(command, c.Undo | c.Rewind | c.Restore):
            self._go_back(command)
            return
        handler = CARRY_OUT.get(type(command))
        if handler is None:
            raise CommandError(f"{command!r} is not a command of this machine.")
        point = None if isinstance(command, c.NOT_UNDONE) else memory.learned(self._works)
        handler(self._works, command)
        if point is not None:
            self._undo = [*self._undo, point][-UNDO_POINTS:]
        if isinstance(command, c.StartTraining):
            self._training_start = point
        elif not isinstance(command, c.HARMLESS):
            self._works.sequencer.disturb()

    def _go_back(self, command: c.Undo | c.Rewind | c.Restore) -> None:
        works = self._works
        if isinstance(command, c.Restore):
            tree = snapshot.unpack(command.saved)
        if works.sequencer.running or works.motors_run():
            raise RejectedError("going back must wait until training has stopped and the motors rest.")
        if isinstance(command, c.Restore):
            self._become(tree)
        elif isinstance(command, c.Undo):
            self._undo_steps(command.steps)
        else:
            self._rewind()
        self._works.tell(facts.MachineRestored, type(command).__name__.lower())

    def _undo_steps(self, steps: int) -> None:
        try:
            whole("steps", steps, 1, UNDO_POINTS)
        except ConfigError as error:
            raise CommandError(str(error)) from None
        if steps > len(self._undo):
            raise RejectedError(f"there are only {len(self._undo)} steps to undo.")
        point = self._undo[-steps]
        self._undo = self._undo[:-steps]
        memory.relearn(self._works, point)
        self._works.sequencer.disturb()

    def _rewind(self) -> None:
        if self._training_start is None or self._works.sequencer.tray is None:
            raise RejectedError("there is no training to rewind.")
        self._undo = [*self._undo, memory.learned(self._works)][-UNDO_POINTS:]
        memory.relearn(self._works, self._training_start)
        self._works.sequencer = self._works.sequencer.rewound(self._works.streams["order"])
        self._works.sequencer.corrected_before = self._works.counters.corrections.copy()

    def _become(self, tree: dict[str, Any]) -> None:
        """Another machine's state, later in time; observers stay."""
        old = self._works
        works, undo, start = memory.load(tree)
        works.shift(max(0, old.now_us - works.now_us))
        works.fact_number = max(works.fact_number, old.fact_number)
        works.observers, works.served = old.observers, old.served
        self._works, self._undo, self._training_start = works, undo, start

    # -- time --------------------------------------------------------------------------------------------------

    def run_until(self, t_us: int) -> None:
        """Lets machine time pass up to t_us."""
        self._refuse_inside_observer()
        t_us = _whole(t_us, "run_until takes a whole number of microseconds")
        if t_us < self.now_us:
            raise CommandError(f"run_until({t_us}): machine time is {self.now_us} and never goes back.")
        while (next_us := self._works.schedule.next_us()) is not None and next_us <= t_us:
            self._step()
        self._works.now_us = t_us

    def settle(self) -> Response:
        """Runs until the card is answered and all motors rest (in training: until this card is done)."""
        self._refuse_inside_observer()
        if not self._works.observers:
            self._works.settle()
            return self.response
        while (entry := self._works.schedule.peek()) is not None and entry[2] != NEXT_CARD:
            self._step()
        return self.response

    def _refuse_inside_observer(self) -> None:
        if self._busy:
            raise CommandError("machine time cannot be moved from inside an observer; submit a command instead.")

    def replay_detached(self, observer: str, error: str) -> None:
        """For replay: an observer of the machine that was recorded was detached here."""
        self._works.tell(facts.ObserverDetached, observer, error)

    def replay_command(self, command: c.Command) -> None:
        """For replay: a command, with nonsense told as it was then."""
        self._take(command, forgiving=True)

    def serve(self, served: int, at_us: int | None = None) -> None:
        """For replay: runs until so many events were served, then lets time pass to at_us."""
        while self._works.served < served and self._works.schedule.peek() is not None:
            self._step()
        if at_us is not None:
            self._works.now_us = max(self._works.now_us, at_us)

    def serve_facts(self, number: int) -> None:
        """For replay of a journal that broke off: runs until the fact of this number was told."""
        while self._works.fact_number < number and self._works.schedule.peek() is not None:
            self._step()

    def _step(self) -> None:
        if not self._works.observers:
            self._works.run_next()
            return
        self._busy = True
        try:
            self._works.run_next()
        finally:
            self._busy = False
        self._take_inbox()

    # -- the same as methods -----------------------------------------------------------------------------------

    def present(self, light: Any) -> bool:
        """Shows a card; settle() or run_until() lets the machine answer."""
        return self.submit(c.PresentStimulus(light))

    def reinforce(self, response: int, direction: int, run_us: int | None = None) -> bool:
        """By hand: runs the motors of one R-unit's active A-units up or down for a time."""
        return self.submit(c.Reinforce(response, direction, run_us))

    def train(
        self,
        lights: Any = None,
        targets: Any = None,
        mode: str = "error correction",
        passes: int = 1,
        *,
        order: str = "fixed",
        until_correct: bool = False,
        max_presentations: int | None = None,
    ) -> TrainingState:
        """Trains through the event loop until done, or for so many presentations. Without lights: goes on."""
        self._begin(lights, targets, mode, passes, order, until_correct, max_presentations)
        last = self._last_presentation(max_presentations)
        while self._works.sequencer.running and self._works.counters.presentations < last:
            self._step()  # the card
            self.settle()  # and what follows, up to the next one
        return self.state().training

    def rehearse(
        self,
        lights: Any = None,
        targets: Any = None,
        mode: str = "error correction",
        passes: int = 1,
        *,
        order: str = "fixed",
        until_correct: bool = False,
        max_presentations: int | None = None,
        engine: str = "auto",
    ) -> TrainingState:
        """The same as train(), to the last bit of save(), but fast: no facts but one. engine: auto, numpy, compiled."""
        from mark1.core.rehearsal import rehearse  # not needed by a machine that is only watched

        self._begin(lights, targets, mode, passes, order, until_correct, max_presentations)
        last = self._last_presentation(max_presentations)
        if self._works.sequencer.running:
            self.settle()  # up to the next card
        first, began = self._works.fact_number + 1, self._works.counters.presentations
        if self._works.sequencer.running and began < last:
            rehearse(self._works, last - began, engine)
        done = self._works.counters.presentations - began
        if done:
            self._show([facts.Rehearsed(self._works.fact_number, self.now_us, first, done)])
            self._take_inbox()
        return self.state().training

    def _begin(self, lights: Any, targets: Any, mode: str, passes: int, order: str, until_correct: bool,
               limit: int | None) -> None:  # fmt: skip
        if limit is not None and _whole(limit, "max_presentations is a whole number from 1 on") < 1:
            raise CommandError(f"max_presentations is {limit!r}, but must be a whole number from 1 on.")
        self._refuse_inside_observer()
        s = self._works.sequencer
        if lights is None:
            if s.running and not s.passes and not s.until_correct and limit is None:
                raise CommandError("this training never ends by itself; give max_presentations.")
            return
        if passes == 0 and limit is None and not until_correct:
            raise CommandError("passes is 0, so training would never end; give passes or max_presentations.")
        if not self.submit(c.StartTraining(lights, targets, mode, passes, order, until_correct)):
            raise CommandError("training is already running; stop it first.")

    def _last_presentation(self, limit: int | None) -> float:
        return float("inf") if limit is None else self._works.counters.presentations + limit

    # -- keeping -----------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """The whole machine, motors in flight included. Equal machines give equal bytes."""
        return snapshot.pack(memory.dump(self._works, self._undo, self._training_start))

    def restore(self, saved: bytes) -> bool:
        """Becomes a saved machine, as a command: time and fact numbers go on. See restored() for an exact copy."""
        return self.submit(c.Restore(saved))

    @classmethod
    def restored(cls, saved: bytes) -> "Mark1":
        """A new machine that is exactly the saved one, to the last bit of its later journal."""
        machine = cls.__new__(cls)
        machine._works, machine._undo, machine._training_start = memory.load(snapshot.unpack(saved))
        machine._inbox, machine._busy = [], False
        return machine


def _whole(value: Any, sentence: str) -> int:
    """A whole number, numpy's own included."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise CommandError(f"{sentence}, not {value!r}.")
    return operator.index(value)
