"""Training without a panel: the loop that goes on in small portions, shows progress, and can be stopped at any time."""

import math
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1, Response, TrainingState
from mark1.commands import StopTraining
from mark1.core import compiled
from mark1.pace import wall_clock
from mark1.theory.response import copy_at_rest

PORTION_S = 0.05  # a portion of presentations takes about so long: progress and Ctrl-C are never later
COMPILE_AFTER_S = 4.0  # chosen: compiling takes about so long, so then it costs at most twice what it could save
Z95 = 1.959964  # two-sided 95 %


class StopRequest:
    """Whether the user has asked to stop (Ctrl-C or SIGTERM); a second Ctrl-C stops at once."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def stop_on_signal() -> Iterator[StopRequest]:
    """While it lasts, Ctrl-C and SIGTERM only set a flag, so that no machine is left in the middle of a step."""
    request = StopRequest()
    numbers = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [(number, signal.signal(number, request.ask)) for number in numbers]
    except ValueError:  # not in the main thread: there are no signals to catch
        before = []
    try:
        yield request
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def teach(
    machine: Mark1,
    request: StopRequest,
    progress: Callable[[TrainingState], None],
    clock: Callable[[], float] = wall_clock,
) -> bool:
    """Runs the training that the machine has begun to its end; False if the user stopped it."""
    portion, state, start = 16, machine.state().training, clock()
    while state.running and not request.asked:
        began = clock()
        engine = "compiled" if began - start > COMPILE_AFTER_S and compiled.available() else "auto"
        state = machine.rehearse(max_presentations=portion, engine=engine)
        progress(state)
        portion = _next_portion(portion, clock() - began)
    if state.running:
        machine.submit(StopTraining())
    machine.settle()
    return not state.running


def _next_portion(portion: int, seconds: float) -> int:
    if seconds < PORTION_S / 2:
        return min(portion * 2, 1_000_000)
    return max(1, portion // 2) if seconds > PORTION_S * 2 else portion


@dataclass(frozen=True, slots=True)
class Score:
    """How many cards of a set were answered wrongly."""

    cards: int
    wrong: int
    undecided: int
    mistakes: tuple[tuple[int, str], ...]  # place of the card, and what the machine said

    @property
    def right_share(self) -> float:
        """The share answered rightly; 0 for no cards."""
        return 1 - self.wrong / self.cards if self.cards else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of that share."""
        return wilson(self.cards - self.wrong, self.cards)

    def as_table(self) -> dict[str, Any]:
        """Plain data, for --json; the interval is left out, for it holds only of cards that were not learned from."""
        table = {"cards": self.cards, "wrong": self.wrong, "undecided": self.undecided}
        return table | {"right_share": self.right_share}


def wilson(right: int, cards: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share (1927); it behaves at 0 and 1, where the usual one has no width."""
    if cards == 0:
        return 0.0, 1.0
    share, spread = right / cards, Z95**2 / cards
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(share * (1 - share) / cards + spread / cards / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def answers(machine: Mark1, lights: NDArray[np.float64]) -> Iterator[tuple[str, Response]]:
    """What the machine says to each light: the meaning, and the response itself. The machine stays as it is."""
    copy = copy_at_rest(machine)
    for light in lights:
        copy.present(light)
        response = copy.settle()
        yield copy.meaning, response


def score(machine: Mark1, lights: NDArray[np.float64], wanted: Sequence[str]) -> Score:
    """Asks the machine every card and counts what it got wrong."""
    said = [meaning for meaning, _ in answers(machine, lights)]
    pairs = enumerate(zip(said, wanted, strict=True))
    mistakes = tuple((place, word) for place, (word, right) in pairs if word != right)
    undecided = sum(1 for _, word in mistakes if word == "undecided")
    return Score(len(said), len(mistakes), undecided, mistakes)
