"""mark1 demo: bars drawn in code, learned by a HISTORIC machine in front of the reader; no screen, no files needed."""

import argparse
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mark1 import HISTORIC, PRESETS, Mark1, unit_codes
from mark1.app.teaching import Score, score
from mark1.app.writing import check_writable
from mark1.commands import AssignCodes
from mark1.errors import InputError
from mark1.savefile import write_atomically

CLASSES = ("horizontal", "vertical")
BAR = 4  # cells thick (chosen)
HELD_EVERY = 4  # every fourth place of a bar is never shown in training
MOST_PASSES = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("--seed", type=int, default=1960, help="for the wiring and the motors (default: 1960)")
    parser.add_argument("--preset", default="HISTORIC", help=f"{', '.join(PRESETS)} (default: HISTORIC)")
    parser.add_argument(
        "--picture", type=Path, default=Path("mark1-demo.png"), metavar="PNG", help="picture to write (mark1-demo.png)"
    )


def bars(rows: int, columns: int) -> tuple[NDArray[np.float64], list[str]]:
    """Every place of a horizontal and of a vertical bar, as light, and the class of each."""
    lights, names = [], []
    for name, places in zip(CLASSES, (rows, columns), strict=True):
        for place in range(places - BAR + 1):
            field = np.zeros((rows, columns) if name == "horizontal" else (columns, rows))
            field[place : place + BAR] = 1
            lights.append((field if name == "horizontal" else field.T).ravel())
            names.append(name)
    return np.array(lights), names


def run(args: argparse.Namespace) -> int:
    """Teaches a machine, prints how it goes, writes a picture of what it learned."""
    check_writable(args.picture)
    preset = PRESETS.get(args.preset.upper())
    if preset is None:
        raise InputError(f"--preset cannot be '{args.preset}'; give one of {', '.join(PRESETS)}.")
    machine = Mark1(preset.with_(response__in_use=len(CLASSES)), seed=args.seed)
    machine.submit(AssignCodes(CLASSES, unit_codes(len(CLASSES))))
    lights, names = bars(HISTORIC.retina.rows, HISTORIC.retina.columns)
    shown = np.array([place % HELD_EVERY != 0 for place in range(len(names))])
    print(f"A Mark I ({preset.name}, seed {args.seed}): 400 photocells, 512 A-units, 2 R-units in use.")
    print(f"It is shown {shown.sum()} cards, bars {BAR} cells thick across or down, until it makes no error.")
    _teach(machine, lights[shown], [n for n, s in zip(names, shown, strict=True) if s])
    _test(machine, lights, names, shown)
    _draw(machine, args.picture)
    return 0


def _teach(machine: Mark1, lights: NDArray[np.float64], names: list[str]) -> None:
    codebook = machine.state().codebook
    targets = np.array([codebook.targets(name, len(CLASSES)) for name in names])
    training = machine.train(lights, targets, passes=MOST_PASSES, order="shuffled", until_correct=True)
    for number, errors in enumerate(training.error_history, 1):
        print(f"  pass {number:2}: {errors:2} wrong  {'#' * errors}")
    state = machine.state()
    print(
        f"{training.outcome.capitalize()} after {state.presentations} presentations and {int(state.corrections.sum())} "
        f"corrections, {state.now_us / 1e6:.0f} s of machine time (its timing is chosen; see docs/facts.md)."
    )


def _test(machine: Mark1, lights: NDArray[np.float64], names: list[str], shown: NDArray[np.bool_]) -> None:
    def asked(which: NDArray[np.bool_]) -> Score:
        return score(machine, lights[which], [n for n, w in zip(names, which, strict=True) if w])

    learned, held = asked(shown), asked(~shown)
    print(f"Cards it learned from: {learned.cards - learned.wrong} of {learned.cards} right.")
    print(f"Places it never saw:   {held.cards - held.wrong} of {held.cards} right.")


def _draw(machine: Mark1, path: Path) -> None:
    from mark1.app.portrait import portrait

    content = io.BytesIO()
    portrait(machine.state(), "horizontal or vertical bars").save(content, "PNG")
    write_atomically(path, content.getvalue())
    print(f"Picture written to {path}.")
