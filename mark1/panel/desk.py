"""The desk: what a person at the panel can do, as commands to the machine. No pygame, no drawing.

Everything that changes the machine goes through submit(); refusals and mishaps become one sentence in `message`.
"""

from typing import Any

import numpy as np

from mark1.core import commands as c
from mark1.core import facts
from mark1.core.machine import Mark1
from mark1.core.state import MachineState
from mark1.panel import sentences, trainer
from mark1.panel.answer import NOTHING, WAITING, Answer, Why, explain, judge, rejudged
from mark1.panel.camera import project
from mark1.panel.cards import Card, CardSet
from mark1.panel.filing import Filing, Services
from mark1.panel.rig import RigWatch
from mark1.panel.trainer import Judge, NoJudge, Opinion
from mark1.panel.words import Words

BREAK_UNITS = 100


def _ends_answer(fact: Any) -> bool:
    """Whether the last answer is no more what this machine would say to this card."""
    if isinstance(fact, facts.ControlSet):
        return not fact.what.startswith(("reinforcement.", "motor fault", "note", "codes"))
    kinds = (facts.MachineRestored, facts.RetinaCleared, facts.PlugboardChanged, facts.ValuesSet)
    return isinstance(fact, kinds)


class Desk(Filing):
    """The person's side of the machine."""

    def __init__(self, machine: Mark1, cards: CardSet, words: Words, services: Services | None = None,
                 theory: Judge | None = None) -> None:  # fmt: skip
        super().__init__(machine, cards, words, services or Services())
        self.theory = theory or NoJudge()
        self.message = self.greeting()
        self.answer: Answer = NOTHING
        self.why: Why | None = None
        self.opinion: Opinion = trainer.UNKNOWN
        self.rig: RigWatch | None = None  # lent by the app with --rig
        self.clicks = 0  # relay clicks since the sound last looked
        self.stale = False  # whether the last sums are of something that is no more
        self._shown: int | None = None  # the easel's version that is on the retina
        self._wanted = ""  # what the card on the retina should be called
        self._targets: Any = None
        self._running = False
        self._asked = False  # whether theory is about the tray on the wiring as it is now
        machine.observe(self.take)

    def greeting(self) -> str:
        """What a person can do first."""
        return self.words("Draw on the card, or take one from the tray. Then press PRESENT.")

    def speak(self, words: Words) -> None:
        """Another language: what stands at the top is told again in it, or gives way to the first sentence."""
        self.words = words
        answered = self.answer.verdict != WAITING
        self.message = sentences.told(words, self.answer) if answered else self.greeting()
        if self.training:
            self.message = sentences.begun(words, self.state().training.mode)

    # -- facts -------------------------------------------------------------------------------------------------

    def take(self, fact: Any) -> None:
        """Looks at each fact as it happens."""
        self.shelf.take(fact)
        if isinstance(fact, facts.ResponseGiven):
            self.clicks += 1
            self.stale = False
            self._answered(self.machine.state())
        elif isinstance(fact, facts.CommandRejected):
            self.mishap(fact.reason)
        elif isinstance(fact, facts.MotorsStarted | facts.MotorsStopped):
            self.clicks += 1
        elif isinstance(fact, facts.StimulusPresented):
            self._shown, self._wanted = None, ""  # present() knows better
        elif isinstance(fact, facts.Rehearsed):
            self.answer, self.why = NOTHING, None  # answers came and went too fast to be told one by one
            self.stale, self._shown = False, None
        elif isinstance(fact, facts.ObserverDetached):
            self.message = self.words(
                "{name} failed and was switched off: {error}", name=fact.observer, error=fact.error
            )
        elif _ends_answer(fact):
            self._end_answer(fact)

    def _end_answer(self, fact: Any) -> None:
        """What it said was said by another machine, so to speak."""
        self.answer, self.why, self.stale = NOTHING, None, True
        if isinstance(fact, facts.RetinaCleared) or (isinstance(fact, facts.MachineRestored) and fact.how == "restore"):
            self._shown = None
        self._asked = self._asked and isinstance(fact, facts.RetinaCleared | facts.ValuesSet)

    def _answered(self, state: MachineState) -> None:
        training = state.training
        wanted = self.cards.cards[training.card].label if 0 <= training.card < len(self.cards.cards) else self._wanted
        self.answer = judge(state, "" if training.running and training.mode == "spontaneous" else wanted)
        self._follow(state)
        if not training.running:
            self.message = sentences.told(self.words, self.answer)

    def _follow(self, state: MachineState) -> None:
        """Chart and why follow the R-unit that answered, if exactly one did."""
        on = np.flatnonzero(state.states > 0)
        self.response = int(on[0]) if len(on) == 1 else min(self.response, len(state.sums) - 1)
        self.bank = self.response if state.values.shape[0] > 1 else 0
        self.why = explain(state, self.response)

    # -- doing -------------------------------------------------------------------------------------------------

    @property
    def training(self) -> bool:
        """Whether the machine is training itself."""
        return self.machine.state().training.running

    def light(self) -> Any:
        """What the camera makes of the easel."""
        retina = self.machine.config.retina
        card = self.easel.card
        return card.light if card is not None else project(self.easel.picture, retina.rows, retina.columns)

    def present(self) -> None:
        """Shows the easel's card to the machine."""
        if self.easel.blank:
            self.message = self.words("The card is blank: draw on it, or take one from the tray.")
            return
        if self.submit(c.PresentStimulus(self.light()), self.words("The machine looks at the card.")):
            self._shown, self._wanted = self.easel.version, self.target
            self.answer = Answer("", self.target, WAITING, 0.0, 0)

    def teach(self) -> None:
        """Tells the machine what it should have said; the mode decides what that does."""
        if not self.target:
            self.message = self.words("First choose in the tray what it should say.")
            return
        if self._unknown([self.target]):
            return
        if self._shown != self.easel.version and not self.easel.blank and not self.training:
            self.message = self.words("Press PRESENT first: the machine has not seen this card.")
            return
        before = self.state()
        if self.submit(c.Teach(before.codebook.targets(self.target, len(before.sums)), self.mode)):
            after = self.state()
            due = np.flatnonzero(after.corrections != before.corrections)
            moving = due if before.motors.any() else np.intersect1d(due, after.feeds[after.motors != 0])
            firing = int(np.count_nonzero(after.active & ~after.pulled))
            self.message = sentences.taught(self.words, self.mode, self.target, len(due), len(moving), firing)
            self._call_it(self.target)

    def _call_it(self, name: str) -> None:
        """What is on the retina should be called so; the answer is judged again."""
        self._wanted = name
        self.answer = rejudged(self.answer, name)

    def train(self) -> None:
        """Starts training on the whole tray, or stops it."""
        if self.training:
            self.stop(self.words("Stopped."))
            return
        if self._unknown([card.label for card in self.cards.cards]):
            return
        lights, targets = self.tray()
        ends, passes = self.mode not in trainer.PASSES, trainer.PASSES.get(self.mode, trainer.MOST_PASSES)
        self.opinion, self._targets = trainer.UNKNOWN, targets
        given = None if self.mode == "spontaneous" else targets
        command = c.StartTraining(lights, given, self.mode, passes, "fixed", ends)
        if self.submit(command, sentences.begun(self.words, self.mode)):
            self._asked = self._running = True  # it may be over before the next frame
            self.theory.ask(self.machine, lights, targets)

    def _unknown(self, names: list[str]) -> bool:
        """Whether the machine has no code for a class; says so."""
        known = self.state().codebook.names
        missing = next((name for name in names if name not in known), None)
        if missing is not None:
            self.message = self.words("This machine has no code for {name}: its cards are not these.", name=missing)
        return missing is not None

    def tray(self) -> tuple[Any, Any]:
        """Light and targets of every card."""
        state = self.state()
        lights = np.array([card.light for card in self.cards.cards])
        names = [card.label for card in self.cards.cards]
        return lights, np.array([state.codebook.targets(name, len(state.sums)) for name in names], np.int8)

    def stop(self, why: str) -> None:
        """Ends training at once."""
        self.submit(c.StopTraining(), why)

    def clear(self) -> None:
        """Takes the card away."""
        if self.submit(c.ClearRetina(), self.words("A fresh card.")):
            self.easel.clear()
            self.target = ""

    def break_units(self) -> None:
        """Pulls a hundred A-units at random; which ones follows from the seed and how many are out already."""
        state = self.state()
        inside = np.flatnonzero(~state.pulled)
        rng = np.random.Generator(np.random.PCG64([state.seed, int(state.pulled.sum())]))
        count = min(BREAK_UNITS, len(inside))
        units = tuple(int(u) for u in np.sort(rng.permutation(inside)[:count]))
        if units:
            self.submit(c.PullUnit(units), self.words("{n} A-units pulled out of the rack.", n=count))
        else:
            self.message = self.words("No A-unit is left to pull out: MEND puts them back.")

    def mend(self) -> None:
        """Puts every pulled A-unit back."""
        out = tuple(int(u) for u in np.flatnonzero(self.state().pulled))
        if out:
            self.submit(c.PutBackUnit(out), self.words("{n} A-units are back in the rack.", n=len(out)))
        else:
            self.message = self.words("Nothing to mend: no A-unit is out.")

    def rewire(self) -> None:
        """Draws all wires anew."""
        self.submit(c.Rewire(), self.words("All wires drawn anew: what it knew is gone. Undo brings it back."))

    def forget(self) -> None:
        """All values to zero."""
        self.submit(c.ResetValues(), self.words("All values are back at zero."))

    def reinforce(self, direction: int) -> None:
        """By hand, for the chosen R-unit."""
        word = self.words(
            "R{n}: motors of its active A-units run {way}.", n=self.response + 1, way="+" if direction > 0 else "−"
        )
        self.submit(c.Reinforce(self.response, direction), word)

    # -- the tray ----------------------------------------------------------------------------------------------

    def take_card(self, card: Card) -> None:
        """A card of the tray: onto the easel; or, over a drawing, first what the drawing should be called."""
        if self.easel.drawn and self.target != card.label:
            self.target = card.label
            if self._shown == self.easel.version:
                self._call_it(card.label)
            self.message = self.words(
                "Your drawing should be called {name}. Touch again to take the printed card.", name=card.label
            )
            return
        self.target = card.label
        self.easel.take(card)
        self.message = self.words("Card {name} is on the easel.", name=card.name)

    # -- each frame --------------------------------------------------------------------------------------------

    def attend_rig(self, now_s: float) -> None:
        """Gives the rig the newest values, takes what it says; never waits."""
        if self.rig is not None:
            self.rig.frame(self.machine, now_s)
            self.message = self.rig.news(self.words) or self.message

    def watch(self, state: MachineState) -> None:
        """Looks after a training that runs."""
        self.opinion = self.theory.poll() if self._asked else trainer.UNKNOWN
        ended, self._running = self._running and not state.training.running, state.training.running
        if ended:  # not from the fact: a rehearsal tells no facts but one
            self.message = sentences.ended(self.words, state.training) or self.message
        if self._targets is None or not (state.training.running or ended):
            return
        found = trainer.trouble(state, self._targets, self.opinion)
        if found is not None:
            self.message = sentences.hopeless(self.words, found, self.cards.cards[found.card].name)
            if state.training.running:
                self.stop(self.message)

    def look_again(self) -> None:
        """Another R-unit was chosen: why is about that one now, as long as its answer is still on the retina."""
        self.why = explain(self.state(), self.response) if self.why is not None else None

    def take_clicks(self) -> int:
        """Relay clicks since this was last asked."""
        clicks, self.clicks = self.clicks, 0
        return clicks
