"""Machines come and go: saved, opened, drawn from a new seed, brought back by UNDO. The desk is built on this.

Everything that changes the machine goes through submit(); refusals and mishaps become one sentence in `message`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mark1.core import commands as c
from mark1.core.errors import Mark1Error
from mark1.core.machine import Mark1
from mark1.core.state import MachineState
from mark1.panel import refusals
from mark1.panel.cards import CardSet, classes
from mark1.panel.easel import Easel
from mark1.panel.knobs import Knobs
from mark1.panel.shelf import Shelf
from mark1.panel.words import Words

Telling = tuple[str, dict[str, object]]


@dataclass
class Services:
    """What the app lends the panel: files and pictures. A telling is a text of the catalogue and its fields."""

    save: Callable[[Mark1], Telling] | None = None
    names: Callable[[], list[str]] | None = None
    read: Callable[[str], bytes] | None = None
    export: Callable[[Any, Any, MachineState], Telling] | None = None  # panel, chart, state
    picture: Callable[[str], Any] | None = None  # a dropped file -> Card


class Filing(Knobs):
    """Which machine is on the desk."""

    def __init__(self, machine: Mark1, cards: CardSet, words: Words, services: Services) -> None:
        super().__init__(machine)
        self.cards, self.words, self.services = cards, words, services
        self.easel = Easel()
        self.target = ""  # the class that the card on the easel should be called
        self.response = 0  # the R-unit that chart, why and hand look at
        self.bank = 0
        self.message = ""
        self.shelf = Shelf()
        self._home = machine.config, machine.state().codebook  # the kind of machine that suits the tray

    def submit(self, command: c.Command, done: str = "") -> bool:
        """Sends a command; a mishap becomes the message."""
        try:
            accepted = self.machine.submit(command)
        except Mark1Error as error:
            self.mishap(str(error))
            return False
        if accepted and done:
            self.message = done
        return accepted

    def mishap(self, reason: str) -> None:
        """Why something was not done."""
        self.message = refusals.reason(self.words, reason)

    def state(self) -> MachineState:
        """The machine now."""
        return self.machine.state()

    # -- back ----------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """One step back; behind the first step of a machine is the one that it replaced."""
        points = self.state().undo_points
        earlier = self.shelf.due(points)
        if earlier is not None:
            if self.submit(c.Restore(earlier)):
                self.shelf.brought_back()
                self._look_at(self.response)
                self.message = self.words("The machine from seed {n} is back.", n=self.state().seed)
        elif points:
            self.submit(c.Undo(), self.words("Undone."))
        else:
            self.message = self.words("There is nothing to undo.")

    def undo_steps(self, state: MachineState) -> int:
        """How many steps UNDO can go back."""
        return self.shelf.steps(state.undo_points)

    # -- another machine -----------------------------------------------------------------------------------------

    def assign(self) -> None:
        """Gives every class of the tray its code."""
        self.submit(c.AssignCodes(classes(self.cards), self.cards.codes))
        self._home = self.machine.config, self.state().codebook

    def save(self) -> None:
        """Keeps the machine in a file."""
        self._service(lambda: self.services.save(self.machine) if self.services.save else None)

    def open(self, name: str) -> None:
        """Becomes the machine of a file."""
        try:
            saved = self.services.read(name) if self.services.read else None
        except Mark1Error as error:
            self.mishap(str(error))
            return
        if saved is not None:
            text = "Opened {name}. UNDO brings the machine before it back."
            if self._replace(saved, self.words(text, name=name)) and not self._suits(self.state()):
                text = "Opened {name}: not made for these cards. UNDO or NEW SEED leads back."
                self.message = self.words(text, name=name)

    def new_seed(self) -> None:
        """A new machine of the same kind, from the next seed; if this one is not for the tray, one that is."""
        state = self.state()
        config, book = (self.machine.config, state.codebook) if self._suits(state) else self._home
        seed = (state.seed + 1) % 2**64
        fresh = Mark1(config, seed)
        fresh.submit(c.AssignCodes(book.names, book.codes))
        if self._replace(
            fresh.save(), self.words("A new machine from seed {n}. UNDO brings the old one back.", n=seed)
        ):
            self.easel.clear()
            self.target = ""

    def _suits(self, state: MachineState) -> bool:
        """Whether the machine can see the tray's cards and name them."""
        known = set(classes(self.cards)) <= set(state.codebook.names)
        return known and all(len(card.light) == len(state.cells) for card in self.cards.cards)

    def _replace(self, saved: bytes, done: str) -> bool:
        """Becomes another machine; the one before goes on the shelf."""
        state, before = self.state(), self.machine.save()
        if not self.submit(c.Restore(saved), done):
            return False
        self.shelf.replace(before, self.shelf.steps(state.undo_points))
        self._look_at(self.response)
        return True

    def _look_at(self, response: int) -> None:
        """Chart, why and hand look at this R-unit, if there are so many."""
        state = self.state()
        self.response = min(response, len(state.sums) - 1)
        self.bank = self.response if state.values.shape[0] > 1 else 0

    def export(self, picture: Any, chart: Any) -> None:
        """Panel and chart as PNG, values and history as CSV."""
        self._service(lambda: self.services.export(picture, chart, self.state()) if self.services.export else None)

    def dropped(self, path: str) -> None:
        """A picture file was dropped on the window."""
        try:
            card = self.services.picture(path) if self.services.picture else None
        except Mark1Error as error:
            self.mishap(str(error))
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
            self.mishap(str(error))
