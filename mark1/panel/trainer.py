"""Train all, watched: says plainly when a tray cannot be learned, instead of spinning for ever.

Three ways to know: a card is blind for an R-unit that must say 1 or 0 (no A-unit of its source-set fires, so no
motor can ever help); the theory's verdict says that no values separate the tray; or a limit of passes is reached.
Forced and spontaneous learning have no "right" to stop at: they make a fixed number of passes.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from mark1.core.machine import Mark1
from mark1.core.state import MachineState

MOST_PASSES = 2000  # chosen: HISTORIC learns the built-in letters in tens of passes
PASSES = {"forced": 10, "spontaneous": 10}  # chosen: these modes do not end by themselves; error correction does


class Opinion(NamedTuple):
    """What theory knows of the tray on this wiring. separable None: not known (yet). bounds: one for each R-unit."""

    separable: bool | None
    sentence: str
    bounds: tuple[float | None, ...] = ()  # most corrections of this training, by the theorem for this rack
    margins: tuple[float | None, ...] = ()


UNKNOWN = Opinion(None, "")


class Judge(Protocol):
    """A theory that works beside the panel: ask() starts it, poll() never waits."""

    def ask(self, machine: Mark1, lights: Any, targets: Any) -> None: ...

    def poll(self) -> Opinion: ...


class NoJudge:
    """No theory at hand: knows nothing."""

    def ask(self, machine: Mark1, lights: Any, targets: Any) -> None:
        """Nothing is worked out."""

    def poll(self) -> Opinion:
        """Nothing is known."""
        return UNKNOWN


class Trouble(NamedTuple):
    """Why training cannot end well. kind: 'blind', 'not separable' or 'passes'."""

    kind: str
    card: int = -1
    response: int = -1
    passes: int = 0
    sentence: str = ""
    separable: bool | None = None


def trouble(state: MachineState, targets: Any, opinion: Opinion) -> Trouble | None:
    """What is wrong with a training that runs or has made all its passes, or None."""
    training = state.training
    if training.outcome not in ("", "passes done") or training.mode in PASSES or not training.passes_done:
        return None
    blind = np.argwhere((training.blind > 0) & (np.asarray(targets) != 0)) if training.blind.size else np.zeros((0, 2))
    if len(blind):
        return Trouble("blind", int(blind[0][0]), int(blind[0][1]), training.passes_done)
    if opinion.separable is False:
        return Trouble("not separable", passes=training.passes_done, sentence=opinion.sentence)
    if training.passes_done >= MOST_PASSES:
        return Trouble("passes", passes=training.passes_done, separable=opinion.separable)
    return None
