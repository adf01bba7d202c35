"""mark1 train CARDS --out FILE: a folder of pictures in, a trained machine out."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1 import HISTORIC, PRESETS, MachineConfig, Mark1
from mark1.app import machinefile, teaching
from mark1.app.camera import add_camera_arguments, add_cards_argument, with_camera
from mark1.app.jitter import JITTER_HELP, Jitter, parse_jitter
from mark1.app.progress import progress_shown
from mark1.app.reasons import why_not_learned
from mark1.app.run import RIG_HELP
from mark1.app.wording import count
from mark1.app.writing import check_writable
from mark1.commands import AssignCodes, StartTraining
from mark1.errors import InputError
from mark1.savefile import save_machine
from mark1.stimulus import CardSet, find_cards

MODES = {"forced": "forced", "error": "error correction", "spontaneous": "spontaneous"}
MOST_PASSES = 500  # chosen: when neither --passes nor --until-correct says more
SPONTANEOUS_PASSES = 10  # chosen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    add_cards_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the machine file to write (my.mark1)")
    parser.add_argument("--journal", type=Path, metavar="F", help="write every command and fact to this file")
    parser.add_argument("--rig", metavar="PORT", help=RIG_HELP)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    _add_machine_arguments(parser.add_argument_group("machine"))
    _add_learning_arguments(parser.add_argument_group("learning"))
    add_camera_arguments(parser)


def _add_machine_arguments(group: Any) -> None:
    board, threshold = HISTORIC.plugboard, HISTORIC.association.threshold
    wiring = f"excitatory + inhibitory wires of an A-unit (default: {board.excitatory}+{board.inhibitory})"
    fires = f"lit excitatory less inhibitory wires at which an A-unit fires (default: {threshold})"
    seed = "for wiring, order, hold-out and jitter (default: 1960)"
    group.add_argument("--preset", default="HISTORIC", help=f"{', '.join(PRESETS)} (default: HISTORIC)")
    group.add_argument("--wiring", metavar="E+I", help=wiring)
    group.add_argument("--threshold", type=int, metavar="N", help=fires)
    group.add_argument("--seed", type=int, default=1960, metavar="N", help=seed)


def _add_learning_arguments(group: Any) -> None:
    passes = f"times through the cards (default: at most {MOST_PASSES})"
    holdout = "share of each class that it does not learn from and is tested with"
    group.add_argument("--mode", choices=tuple(MODES), default="error", help="how it learns (default: error)")
    group.add_argument("--system", choices=("alpha", "beta", "gamma"), help="reinforcement system (default: alpha)")
    group.add_argument("--passes", type=int, metavar="N", help=passes)
    group.add_argument("--until-correct", action="store_true", help="stop after a pass without error (the default)")
    group.add_argument("--order", choices=("fixed", "shuffled"), default="shuffled", help="of the cards in each pass")
    group.add_argument("--holdout", type=float, default=0.0, metavar="SHARE", help=holdout)
    group.add_argument("--jitter", type=parse_jitter, default=Jitter(), metavar="WORDS", help=JITTER_HELP)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be learned and what is held out, as light."""

    learned: CardSet
    held: CardSet
    lights: NDArray[np.float64]
    targets: NDArray[np.int8]
    names: list[str]
    held_lights: NDArray[np.float64]


def run(args: argparse.Namespace) -> int:
    """Trains, saves, reports. Exit code 0 also if some cards were not learned: the report says so."""
    check_writable(args.out)
    if args.journal is not None and args.journal.absolute() == args.out.absolute():
        raise InputError("--out and --journal name the same file; give two names.")
    config = configuration(args)
    task = prepare(args)
    config = config.with_(response__in_use=task.learned.codes.r_units)
    machine = Mark1(config, seed=args.seed)
    with (
        machinefile.journal_of(machine, args.journal),
        teaching.stop_on_signal() as request,
        _rig(args.rig, machine, task) as rig,
    ):
        begin(machine, task, args)
        with progress_shown(len(task.lights), quiet=args.json) as progress:
            finished = teaching.teach(machine, request, rig.after(progress) if rig else progress)
        save_machine(args.out, machine)
        _report(args, machine, task, finished)
        shown = rig is None or rig.catch_up(lambda: request.asked)
    return 0 if finished and shown else 1


@contextmanager
def _rig(text: str | None, machine: Mark1, task: Task) -> Iterator[Any]:
    """With --rig the machine is mirrored while it learns."""
    if text is None:
        yield None
        return
    from mark1.app.rig import mirrored
    from mark1.app.rig_train import TrainingRig

    with mirrored(text, machine, task.lights, task.targets) as bridge:
        yield TrainingRig(bridge, machine)


def configuration(args: argparse.Namespace) -> MachineConfig:
    """The preset with the changes that the words ask for."""
    preset = PRESETS.get(args.preset.upper())
    if preset is None:
        raise InputError(f"--preset cannot be '{args.preset}'; give one of {', '.join(PRESETS)}.")
    changes: dict[str, Any] = {}
    if args.wiring is not None:
        changes["plugboard__excitatory"], changes["plugboard__inhibitory"] = _wiring(args.wiring)
    if args.threshold is not None:
        changes["association__threshold"] = args.threshold
    if args.system is not None:
        changes["reinforcement__system"] = args.system
    return preset.with_(**changes)


def _wiring(words: str) -> tuple[int, int]:
    first, plus, second = words.partition("+")
    if not (plus and first.isdecimal() and second.isdecimal() and len(words) < 12):
        raise InputError(f"--wiring cannot be '{words}'; give two numbers such as 6+4.")
    most = HISTORIC.plugboard.fan_out_limit * HISTORIC.retina.cells // HISTORIC.association.units
    if int(first) + int(second) > most:
        raise InputError(f"--wiring {words} asks for more wires than the plugboard has room for; give at most {most}.")
    return int(first), int(second)


def prepare(args: argparse.Namespace) -> Task:
    """Reads the cards, holds some out, and disturbs those to learn from as often as asked."""
    if not 0 <= args.holdout < 1:
        raise InputError(f"--holdout cannot be {args.holdout:g}; give a share from 0 up to, not including, 1.")
    if args.seed < 0:
        raise InputError(f"--seed cannot be {args.seed}; give a whole number from 0 on.")
    if args.mode == "spontaneous" and args.until_correct:
        raise InputError("--until-correct needs right answers, and spontaneous learning has none; give --passes.")
    if args.passes is not None and args.passes < 1:
        raise InputError(f"--passes cannot be {args.passes}; give a whole number from 1 on.")
    cards = with_camera(find_cards(args.cards), args)
    if len(cards.classes) < 2 and args.mode != "spontaneous":
        only = "".join(cards.classes)
        raise InputError(f"{args.cards} has only one class ({only}); add a subfolder of pictures of something else.")
    learned, held = cards.parted(args.holdout, args.seed) if args.holdout else (cards, None)
    times = args.jitter.copies
    lights = learned.lights(args.jitter.disturbance, args.seed, times)
    names = [card.class_name for card in learned.cards] * times
    targets = np.tile(learned.targets(), (times, 1))
    cells = learned.projection.rows * learned.projection.columns
    held_lights = held.lights() if held is not None and len(held) else np.zeros((0, cells))
    return Task(learned, held if held is not None else learned, lights, targets, names, held_lights)


def begin(machine: Mark1, task: Task, args: argparse.Namespace) -> None:
    """Notes the camera, names the classes and puts the cards into the tray."""
    machine.submit(machinefile.camera_note(task.learned.projection))
    codes = task.learned.codes
    machine.submit(AssignCodes(codes.classes, codes.numbers()))
    mode = MODES[args.mode]
    until_correct = mode != "spontaneous" and (args.until_correct or args.passes is None)
    passes = args.passes if args.passes is not None else MOST_PASSES if until_correct else SPONTANEOUS_PASSES
    targets = None if mode == "spontaneous" else task.targets
    machine.submit(StartTraining(task.lights, targets, mode, passes, args.order, until_correct))


def _report(args: argparse.Namespace, machine: Mark1, task: Task, finished: bool) -> None:
    training = teaching.score(machine, task.lights, task.names)
    held_names = [card.class_name for card in task.held.cards] if len(task.held_lights) else []
    held = teaching.score(machine, task.held_lights, held_names)
    reason = why_not_learned(machine, task.learned, task.lights, task.names, training) if training.wrong else ""
    if args.json:
        print(json.dumps(_as_table(args, machine, task, finished, training, held, reason), indent=1))
        return
    if not finished:
        print("Stopped before the end; what was learned so far is kept.")
    for line in _lines(machine, task, training, held, reason, args.holdout):
        print(line)
    print(f"Machine written to {args.out}.")
    for note in task.learned.notes:
        print(f"note: {note}", file=sys.stderr)


def _lines(
    machine: Mark1, task: Task, training: teaching.Score, held: teaching.Score, reason: str, holdout: float
) -> list[str]:
    state = machine.state()
    done = state.training
    lines = [
        f"{task.learned.name}: {count(len(task.learned), 'card')}, {count(len(task.learned.classes), 'class')}, "
        f"{count(state.config.response.in_use, 'R-unit')}; {state.config.name}, seed {state.seed}.",
        f"{count(done.passes_done, 'pass')}, {count(state.presentations, 'presentation')}, "
        f"{count(int(state.corrections.sum()), 'correction')}.",
        f"Training cards: {training.wrong} of {training.cards} wrong. These are the cards it learned from, "
        "so this is too low an estimate of its error on others.",
    ]
    lines += [reason] if reason else []
    if held.cards:
        low, high = held.interval
        lines.append(
            f"Held-out cards: {held.wrong} of {held.cards} wrong; right in {held.right_share:.1%} "
            f"(95 % interval {low:.1%} to {high:.1%})."
        )
    elif holdout:
        lines.append("No cards could be held out: every class has too few; its error on new cards is not known.")
    else:
        lines.append("No cards were held out, so its error on new cards is not known; --holdout 0.3 would tell.")
    return lines


def _as_table(
    args: argparse.Namespace, machine: Mark1, task: Task, finished: bool, training: teaching.Score,
    held: teaching.Score, reason: str,
) -> dict[str, Any]:  # fmt: skip
    state = machine.state()
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
        "errors_per_pass": list(state.training.error_history),
        "training": training.as_table(),
        "training_note": "too low an estimate of the error on new cards: the machine learned from these",
        "held_out": held.as_table() if held.cards else None,
        "not_learned_because": reason or None,
        "notes": list(task.learned.notes),
    }
