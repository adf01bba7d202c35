"""What mark1 train says at its end: what was learned, what was not and why, and what was never tested."""

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1
from mark1.app import teaching
from mark1.app.progress import knows_right
from mark1.app.reasons import why_not_learned
from mark1.app.wording import count
from mark1.stimulus import CardSet

MOST_NAMED = 8  # classes named in a sentence; more are counted
TOO_LOW = "too low an estimate of the error on new cards: the machine learned from these"


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be learned and what is held out, as light."""

    learned: CardSet
    held: CardSet
    lights: NDArray[np.float64]
    targets: NDArray[np.int8]
    names: list[str]
    held_lights: NDArray[np.float64]

    @property
    def held_names(self) -> list[str]:
        """The class of each card that was held out."""
        return [card.class_name for card in self.held.cards] if len(self.held_lights) else []

    @property
    def untested(self) -> list[str]:
        """Classes of which no card was held out."""
        tested = set(self.held_names)
        return [name for name in self.learned.classes if name not in tested]

    @property
    def seen_before(self) -> int:
        """How many held-out cards give exactly the light of a card that was learned from."""
        learned = {light.tobytes() for light in self.lights}
        return sum(light.tobytes() in learned for light in self.held_lights)


@dataclass(frozen=True, slots=True)
class Result:
    """How the machine does on the cards it learned from and on those held out, and why not better."""

    training: teaching.Score
    held: teaching.Score
    reason: str


def report(args: argparse.Namespace, machine: Mark1, task: Task, finished: bool) -> None:
    """Asks the machine every card, and prints."""
    training = teaching.score(machine, task.lights, task.names)
    held = teaching.score(machine, task.held_lights, task.held_names)
    reason = why_not_learned(machine, task.learned, task.lights, task.names, training) if training.wrong else ""
    result = Result(training, held, reason)
    if args.json:
        print(json.dumps(_as_table(args, machine, task, finished, result), indent=1))
        return
    if not finished:
        print("Stopped before the end; what was learned so far is kept.")
    for line in _lines(machine, task, result, args.holdout):
        print(line)
    print(f"Machine written to {args.out}.")
    for note in task.learned.notes:
        print(f"note: {note}", file=sys.stderr)


def _lines(machine: Mark1, task: Task, result: Result, holdout: float) -> list[str]:
    state, training = machine.state(), result.training
    lines = [
        f"{task.learned.name}: {count(len(task.learned), 'card')}, {count(len(task.learned.classes), 'class')}, "
        f"{count(state.config.response.in_use, 'R-unit')}; {state.config.name}, seed {state.seed}.",
        f"{count(state.training.passes_done, 'pass')}, {count(state.presentations, 'presentation')}, "
        f"{count(int(state.corrections.sum()), 'correction')}.",
        f"Training cards: {training.wrong} of {training.cards} wrong. These are the cards it learned from, "
        "so this is too low an estimate of its error on others.",
    ]
    lines += [result.reason] if result.reason else []
    if result.held.cards:
        return lines + _held_lines(task, result.held)
    if holdout:
        return [*lines, "No cards could be held out: every class has too few; its error on new cards is not known."]
    return [*lines, "No cards were held out, so its error on new cards is not known; --holdout 0.3 would tell."]


def _held_lines(task: Task, held: teaching.Score) -> list[str]:
    low, high = held.interval
    lines = [
        f"Held-out cards: {held.wrong} of {held.cards} wrong; right in {held.right_share:.1%} "
        f"(95 % interval {low:.1%} to {high:.1%})."
    ]
    if task.seen_before:
        lines.append(f"{task.seen_before} of them give the very light of a training card, so they test nothing new.")
    if task.untested:
        named = ", ".join(task.untested[:MOST_NAMED])
        more = len(task.untested) - MOST_NAMED
        lines.append(
            f"Not tested, for want of cards to hold out: {named}{f' and {more} more' if more > 0 else ''}; "
            "the error on these classes is not known."
        )
    return lines


def _as_table(args: argparse.Namespace, machine: Mark1, task: Task, finished: bool, result: Result) -> dict[str, Any]:
    state, held = machine.state(), result.held
    tested = {"same_light_as_training": task.seen_before, "classes_not_tested": task.untested}
    return {
        "machine": str(args.out),
        "cards": task.learned.name,
        "classes": list(task.learned.classes),
        "preset": state.config.name,
        "seed": state.seed,
        "finished": finished,
        "outcome": state.training.outcome,
        "passes": state.training.passes_done,
        "presentations": state.presentations,
        "corrections": int(state.corrections.sum()),
        "errors_per_pass": list(state.training.error_history) if knows_right(state.training) else None,
        "training": result.training.as_table(),
        "training_note": TOO_LOW,
        "held_out": held.as_table() | {"interval_95": list(held.interval)} | tested if held.cards else None,
        "not_learned_because": result.reason or None,
        "notes": list(task.learned.notes),
    }
