"""Facts: what happened, past tense, immutable. Each has a number (order) and at_us (machine time).

Named tuples, because five or six are made in every cycle and a tuple is the cheapest immutable thing there is.
Arrays in a fact are its own and read-only. A motor run is two facts, never one per tick.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.float64]
Signs: TypeAlias = NDArray[np.int8]


class CommandTaken(NamedTuple):
    """A command came in by the door."""

    number: int
    at_us: int
    command: Any


class CommandRejected(NamedTuple):
    """A command was sensible but cannot be carried out now; nothing changed."""

    number: int
    at_us: int
    reason: str


class StimulusPresented(NamedTuple):
    """Light fell on the retina. card: its place in the tray, or -1 for a card shown by hand."""

    number: int
    at_us: int
    presentation: int
    card: int


class RetinaCleared(NamedTuple):
    """The card was taken away."""

    number: int
    at_us: int


class AssociationSettled(NamedTuple):
    """The A-units have settled: which fire."""

    number: int
    at_us: int
    active: Flags


class StimulusBlind(NamedTuple):
    """For these R-units no A-unit of the source-set fires: this stimulus can never be learned for them."""

    number: int
    at_us: int
    card: int
    responses: Flags


class ResponseGiven(NamedTuple):
    """The R-units were read: states -1/+1, the undecided ones keep their state."""

    number: int
    at_us: int
    states: Signs
    undecided: Flags
    sums: Numbers


class ReinforcementApplied(NamedTuple):
    """Reinforcement began: its direction for each R-unit (0: none)."""

    number: int
    at_us: int
    directions: Signs
    cause: str


class MotorsStarted(NamedTuple):
    """Motors run: directions (banks, A-units), 0 where a motor rests."""

    number: int
    at_us: int
    run: int
    banks: tuple[int, ...]
    directions: Signs


class EndStopReached(NamedTuple):
    """Potentiometers that came to a stop in the run that ends now, as (bank, A-unit)."""

    number: int
    at_us: int
    run: int
    potentiometers: tuple[tuple[int, int], ...]


class MotorsStopped(NamedTuple):
    """All motors of a run rest."""

    number: int
    at_us: int
    run: int


class TrainingStarted(NamedTuple):
    """A tray was taken up."""

    number: int
    at_us: int
    cards: int
    mode: str
    passes: int


class PassEnded(NamedTuple):
    """Every card of the tray was shown once more: presentations answered wrongly, and corrections made."""

    number: int
    at_us: int
    passes_done: int
    errors: int
    corrections: int


class TrainingEnded(NamedTuple):
    """Training stopped: 'correct', 'passes done' or 'stopped'."""

    number: int
    at_us: int
    reason: str


class Rehearsed(NamedTuple):
    """Presentations were run at full speed; this one line stands for the facts from first_number to number."""

    number: int
    at_us: int
    first_number: int
    presentations: int


class PlugboardChanged(NamedTuple):
    """Wires were drawn, cut, moved or added."""

    number: int
    at_us: int
    what: str


class ControlSet(NamedTuple):
    """A control, a toggle, a unit or a fault was set."""

    number: int
    at_us: int
    what: str


class ValuesSet(NamedTuple):
    """Values were changed otherwise than by reinforcement: by hand, by loading, by resetting."""

    number: int
    at_us: int
    what: str


class MachineRestored(NamedTuple):
    """The machine went back to an earlier state: by undo, rewind or restore."""

    number: int
    at_us: int
    how: str


class ObserverDetached(NamedTuple):
    """An observer raised an error and was taken off; nothing else was disturbed."""

    number: int
    at_us: int
    observer: str
    error: str


Fact: TypeAlias = (
    CommandTaken
    | CommandRejected
    | StimulusPresented
    | RetinaCleared
    | AssociationSettled
    | StimulusBlind
    | ResponseGiven
    | ReinforcementApplied
    | MotorsStarted
    | EndStopReached
    | MotorsStopped
    | TrainingStarted
    | PassEnded
    | TrainingEnded
    | Rehearsed
    | PlugboardChanged
    | ControlSet
    | ValuesSet
    | MachineRestored
    | ObserverDetached
)
