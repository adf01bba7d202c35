"""mark1 train CARDS --out FILE: a folder of pictures in, a trained machine out."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mark1 import HISTORIC, PRESETS, MachineConfig, Mark1
from mark1.app import machinefile, teaching
from mark1.app.camera import add_camera_arguments, add_cards_argument, with_camera
from mark1.app.jitter import JITTER_HELP, Jitter, parse_jitter
from mark1.app.progress import progress_shown
from mark1.app.run import RIG_HELP
from mark1.app.train_report import Task, report
from mark1.app.writing import check_apart, check_spared, check_writable
from mark1.commands import AssignCodes, Command, StartTraining
from mark1.errors import InputError
from mark1.savefile import save_machine
from mark1.stimulus import find_cards

MODES = {"forced": "forced", "error": "error correction", "spontaneous": "spontaneous"}
MOST_PASSES = 500  # chosen
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
    passes = f"the most times through the cards (default: {MOST_PASSES}; spontaneous: {SPONTANEOUS_PASSES})"
    until = "forced learning: stop after a pass without error, as error correction always does"
    holdout = "share of each class that it does not learn from and is tested with"
    group.add_argument("--mode", choices=tuple(MODES), default="error", help="how it learns (default: error)")
    group.add_argument("--system", choices=("alpha", "beta", "gamma"), help="reinforcement system (default: alpha)")
    group.add_argument("--passes", type=int, metavar="N", help=passes)
    group.add_argument("--until-correct", action="store_true", help=until)
    group.add_argument("--order", choices=("fixed", "shuffled"), default="shuffled", help="of the cards in each pass")
    group.add_argument("--holdout", type=float, default=0.0, metavar="SHARE", help=holdout)
    group.add_argument("--jitter", type=parse_jitter, default=Jitter(), metavar="WORDS", help=JITTER_HELP)


def run(args: argparse.Namespace) -> int:
    """Trains, saves, reports. Exit code 0 also if some cards were not learned: the report says so."""
    check_writable(args.out)
    check_apart([], [path for path in (args.out, args.journal) if path is not None])
    config = configuration(args)
    task = prepare(args)
    config = config.with_(response__in_use=task.learned.codes.r_units)
    machine, commands = Mark1(config, seed=args.seed), orders(task, args)
    _submit(Mark1(config, seed=args.seed), commands)  # what is refused is refused here, before a journal is opened
    with (
        teaching.stop_on_signal() as request,
        _rig(args.rig, machine, task) as rig,
        machinefile.journal_of(machine, args.journal),
    ):
        _submit(machine, commands)
        with progress_shown(len(task.lights), quiet=args.json) as progress:
            finished = teaching.teach(machine, request, rig.after(progress) if rig else progress)
        save_machine(args.out, machine)
        report(args, machine, task, finished)
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
    check_spared(args.cards, cards, [args.out, args.journal])
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


def orders(task: Task, args: argparse.Namespace) -> list[Command]:
    """Notes the camera, names the classes and puts the cards into the tray."""
    codes, mode = task.learned.codes, MODES[args.mode]
    targets = None if mode == "spontaneous" else task.targets
    until_correct = mode == "error correction" or (mode == "forced" and (args.until_correct or args.passes is None))
    passes = args.passes if args.passes is not None else MOST_PASSES if until_correct else SPONTANEOUS_PASSES
    return [
        machinefile.camera_note(task.learned.projection),
        AssignCodes(codes.classes, codes.numbers()),
        StartTraining(task.lights, targets, mode, passes, args.order, until_correct),
    ]


def _submit(machine: Mark1, commands: list[Command]) -> None:
    for command in commands:
        machine.submit(command)
