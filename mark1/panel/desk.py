"""The desk: what a person at the panel can do, as commands to the machine. No pygame, no drawing.

Everything that changes the machine goes through submit(); refusals and mishaps become one sentence in `message`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.core import commands as c
from mark1.core import facts
from mark1.core.errors import Mark1Error
from mark1.core.machine import Mark1
from mark1.core.state import MachineState
from mark1.panel import trainer
from mark1.panel.answer import NOTHING, RIGHT, WAITING, WRONG, Answer, Why, explain, judge
from mark1.panel.camera import project
from mark1.panel.cards import Card, CardSet, classes
from mark1.panel.easel import Easel
from mark1.panel.knobs import Knobs
from mark1.panel.rig import RigWatch
from mark1.panel.trainer import Judge, NoJudge, Opinion
from mark1.panel.words import Words

BREAK_UNITS = 100
Telling = tuple[str, dict[str, object]]


@dataclass
class Services:
    """What the app lends the panel: files and pictures. A telling is a text of the catalogue and its fields."""

    save: Callable[[Mark1], Telling] | None = None
    names: Callable[[], list[str]] | None = None
    read: Callable[[str], bytes] | None = None
    export: Callable[[Any, Any, MachineState], Telling] | None = None  # panel, chart, state
    picture: Callable[[str], Any] | None = None  # a dropped file -> Card


class Desk(Knobs):
    """The person's side of the machine."""

    def __init__(self, machine: Mark1, cards: CardSet, words: Words, services: Services | None = None,
                 theory: Judge | None = None) -> None:  # fmt: skip
        super().__init__(machine)
        self.cards, self.words = cards, words
        self.services, self.theory = services or Services(), theory or NoJudge()
        self.easel = Easel()
        self.target = ""  # the class that the card on the easel should be called
        self.response = 0  # the R-unit that chart, why and hand look at
        self.bank = 0
        self.message = words("Draw on the card, or take one from the tray. Then press PRESENT.")
        self.answer: Answer = NOTHING
        self.why: Why | None = None
        self.opinion: Opinion = trainer.UNKNOWN
        self.rig: RigWatch | None = None  # lent by the app with --rig
        self.clicks = 0  # relay clicks since the sound last looked
        self._shown_target = ""
        self._targets: Any = None
        self._running = False
        self._asked = False  # whether theory is about the tray on the wiring as it is now
        machine.observe(self.take)

    # -- facts -------------------------------------------------------------------------------------------------

    def take(self, fact: Any) -> None:
        """Looks at each fact as it happens."""
        if isinstance(fact, facts.ResponseGiven):
            self.clicks += 1
            self._answered(self.machine.state())
        elif isinstance(fact, facts.CommandRejected):
            self.message = fact.reason[:1].upper() + fact.reason[1:]
        elif isinstance(fact, facts.MotorsStarted | facts.MotorsStopped):
            self.clicks += 1
        elif isinstance(fact, facts.Rehearsed):
            self.answer, self.why = NOTHING, None  # answers came and went too fast to be told one by one
        elif isinstance(fact, facts.MachineRestored | facts.RetinaCleared | facts.PlugboardChanged):
            self.answer, self.why = NOTHING, None
            self._asked = self._asked and isinstance(fact, facts.RetinaCleared)
        elif isinstance(fact, facts.ObserverDetached):
            self.message = self.words(
                "{name} failed and was switched off: {error}", name=fact.observer, error=fact.error
            )

    def _answered(self, state: MachineState) -> None:
        card = state.training.card
        wanted = self.cards.cards[card].label if 0 <= card < len(self.cards.cards) else self._shown_target
        self.answer = judge(state, wanted)
        self._follow(state)
        if not state.training.running:
            self.message = self._told()

    def _told(self) -> str:
        """The answer in a sentence, and what one can do next."""
        words, answer = self.words, self.answer
        if answer.verdict == RIGHT:
            return words("It says {name}, and that is right.", name=answer.said)
        if answer.verdict == WRONG:
            return words("It says {said}, but should say {name}: press TEACH.", said=answer.said, name=answer.wanted)
        if answer.said:
            return words("It says {name}. Touch a card to say what is right.", name=answer.said)
        if answer.wanted:
            return words("It does not know. Press TEACH: it should say {name}.", name=answer.wanted)
        return words("It does not know. Touch a card to say what is right.")

    def _follow(self, state: MachineState) -> None:
        """Chart and why follow the R-unit that answered, if exactly one did."""
        on = np.flatnonzero(state.states > 0)
        self.response = int(on[0]) if len(on) == 1 else min(self.response, len(state.sums) - 1)
        self.bank = self.response if state.values.shape[0] > 1 else 0
        self.why = explain(state, self.response)

    def _ended(self, reason: str, passes: int) -> None:
        texts = {
            "correct": self.words("Learned: every card right after {n} passes.", n=passes),
            "passes done": self.words("Training ended after {n} passes.", n=passes),
        }
        self.message = texts.get(reason, self.message)

    # -- doing -------------------------------------------------------------------------------------------------

    def submit(self, command: c.Command, done: str = "") -> bool:
        """Sends a command; a mishap becomes the message."""
        try:
            accepted = self.machine.submit(command)
        except Mark1Error as error:
            self.message = str(error)[:1].upper() + str(error)[1:]
            return False
        if accepted and done:
            self.message = done
        return accepted

    def state(self) -> MachineState:
        """The machine now."""
        return self.machine.state()

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
        self._shown_target = self.target
        if self.submit(c.PresentStimulus(self.light()), self.words("The machine looks at the card.")):
            self.answer = Answer("", self.target, WAITING, 0.0, 0)

    def teach(self) -> None:
        """Tells the machine what it should have said; the mode decides what that does."""
        if not self.target:
            self.message = self.words("First choose in the tray what it should say.")
            return
        state = self.state()
        if self._unknown([self.target]):
            return
        targets = state.codebook.targets(self.target, len(state.sums))
        before = int(state.corrections.sum())
        if self.submit(c.Teach(targets, self.mode)):
            made = int(self.state().corrections.sum()) - before
            text = "Corrected: motors turn the values of {n} R-units." if made else "Nothing to correct: it was right."
            self.message = self.words(text, n=made)
            self._shown_target = self.target
            self.answer = self.answer._replace(wanted=self.target)

    def train(self) -> None:
        """Starts training on the whole tray, or stops it."""
        if self.training:
            self.stop(self.words("Stopped."))
            return
        if self._unknown([card.label for card in self.cards.cards]):
            return
        lights, targets = self.tray()
        spontaneous = self.mode == "spontaneous"
        passes = trainer.SPONTANEOUS_PASSES if spontaneous else 0
        self.opinion, self._targets = trainer.UNKNOWN, targets
        command = c.StartTraining(lights, None if spontaneous else targets, self.mode, passes, "fixed", not spontaneous)
        if self.submit(command, self.words("Training on the tray until every card is right.")):
            self._asked = True
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
        self.easel.clear()
        self.target = ""
        self.submit(c.ClearRetina(), self.words("A fresh card."))

    def break_units(self) -> None:
        """Pulls a hundred A-units at random; which ones follows from the seed and how many are out already."""
        state = self.state()
        inside = np.flatnonzero(~state.pulled)
        rng = np.random.Generator(np.random.PCG64([state.seed, int(state.pulled.sum())]))
        count = min(BREAK_UNITS, len(inside))
        units = tuple(int(u) for u in np.sort(rng.permutation(inside)[:count]))
        if units:
            self.submit(c.PullUnit(units), self.words("{n} A-units pulled out of the rack.", n=count))

    def mend(self) -> None:
        """Puts every pulled A-unit back."""
        out = tuple(int(u) for u in np.flatnonzero(self.state().pulled))
        if out:
            self.submit(c.PutBackUnit(out), self.words("{n} A-units are back in the rack.", n=len(out)))

    def rewire(self) -> None:
        """Draws all wires anew."""
        self.submit(c.Rewire(), self.words("All wires drawn anew: what it knew is gone. Undo brings it back."))

    def forget(self) -> None:
        """All values to zero."""
        self.submit(c.ResetValues(), self.words("All values are back at zero."))

    def undo(self) -> None:
        """One step back."""
        if self.undo_steps(self.state()):
            self.submit(c.Undo(), self.words("Undone."))
        else:
            self.message = self.words("There is nothing to undo.")

    def undo_steps(self, state: MachineState) -> int:
        """How many steps UNDO can go back."""
        return state.undo_points

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
            self._ended(state.training.outcome, state.training.passes_done)
        if self._targets is None or not state.training.running:
            return
        found = trainer.trouble(state, self._targets, self.opinion)
        if found is not None:
            self.stop(self._trouble_text(found))

    def _trouble_text(self, found: trainer.Trouble) -> str:
        if found.kind == "blind":
            name = self.cards.cards[found.card].name
            return self.words(
                "Cannot be learned: no A-unit of R{r} sees card {name}. Rewire.", r=found.response + 1, name=name
            )
        if found.kind == "not separable":
            return self.words("Cannot be learned with this wiring: {why}", why=found.sentence)
        return self.words("Not learned after {n} passes; theory has no verdict yet.", n=found.passes)

    def assign(self) -> None:
        """Gives every class of the tray its code."""
        self.submit(c.AssignCodes(classes(self.cards), self.cards.codes))

    def look_again(self) -> None:
        """Another R-unit was chosen: why is about that one now, as long as its answer is still on the retina."""
        self.why = explain(self.state(), self.response) if self.why is not None else None

    def take_clicks(self) -> int:
        """Relay clicks since this was last asked."""
        clicks, self.clicks = self.clicks, 0
        return clicks

    # -- files -------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Keeps the machine in a file."""
        self._service(lambda: self.services.save(self.machine) if self.services.save else None)

    def open(self, name: str) -> None:
        """Becomes the machine of a file."""
        try:
            saved = self.services.read(name) if self.services.read else None
        except Mark1Error as error:
            self.message = str(error)[:1].upper() + str(error)[1:]
            return
        if saved is not None:
            self.submit(c.Restore(saved), self.words("Opened {name}.", name=name))

    def new_seed(self) -> None:
        """A new machine of the same kind, from the next seed."""
        seed = self.state().seed + 1
        fresh = Mark1(self.machine.config, seed)
        fresh.submit(c.AssignCodes(self.state().codebook.names, self.state().codebook.codes))
        if self.submit(c.Restore(fresh.save()), self.words("A new machine from seed {n}.", n=seed)):
            self.easel.clear()
            self.target = ""

    def export(self, picture: Any, chart: Any) -> None:
        """Panel and chart as PNG, values and history as CSV."""
        self._service(lambda: self.services.export(picture, chart, self.state()) if self.services.export else None)

    def dropped(self, path: str) -> None:
        """A picture file was dropped on the window."""
        try:
            card = self.services.picture(path) if self.services.picture else None
        except Mark1Error as error:
            self.message = str(error)[:1].upper() + str(error)[1:]
            return
        if card is not None:
            self.easel.take(card)
            self.target = card.label if card.label in self.state().codebook.names else ""
            self.message = self.words("{name} is on the easel.", name=card.name)

    def _service(self, do: Callable[[], Telling | None]) -> None:
        try:
            text, fields = do() or ("There is no place to keep files here.", {})
            self.message = self.words(text, **fields)
        except Mark1Error as error:
            self.message = str(error)[:1].upper() + str(error)[1:]
