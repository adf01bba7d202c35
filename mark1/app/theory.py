"""mark1 theory: what the mathematics says about a machine and its cards, or about a teaching set.

mark1 theory --toy separable --report out.html     a two-dimensional set, every idea explained
mark1 theory my.mark1                              a machine file, on the cards it was trained on
mark1 theory e-x --report out.html                 a new machine, trained here on a card set or a folder of pictures
"""

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mark1 import PRESETS, Mark1
from mark1.app import machinefile
from mark1.app.writing import check_places, check_spared
from mark1.core.snapshot import MAGIC
from mark1.errors import InputError, SaveError
from mark1.lab.activity import examine_machine, tray_of
from mark1.lab.figure_style import png, svg
from mark1.lab.page import Page, pictures, render
from mark1.lab.report_machine import Subject, all_separable, machine_page, report_table, verdict_words
from mark1.lab.report_toy import examine_toy, toy_page, toy_table
from mark1.pace import wall_clock
from mark1.savefile import write_atomically
from mark1.stimulus import CardSet, find_cards
from mark1.theory.parity import argument_for_wires
from mark1.theory.toys import TOYS
from mark1.theory.training import bound_sentence

PRESET, SEED = "HISTORIC", 1960
MOST_NAMED = 8  # classes named in a sentence
NAMELESS = "The machine has no names for classes; the card set's codes are asked."
PASSES = 300  # chosen: a new machine is trained until all cards are right, or for so many passes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after mark1 theory."""
    subject = "a machine file, a card set, or a folder of pictures"
    parser.add_argument("subject", nargs="?", metavar="FILE|CARDS", help=subject)
    parser.add_argument("--toy", metavar="NAME", help=f"a teaching set: {', '.join(TOYS)}")
    parser.add_argument("--cards", metavar="CARDS", help="with FILE: other cards than those it was trained on")
    preset, seed = f"with CARDS: the new machine (default: {PRESET})", f"with CARDS: its seed (default: {SEED})"
    parser.add_argument("--preset", choices=sorted(PRESETS), help=preset)
    parser.add_argument("--seed", type=int, metavar="N", help=seed)
    parser.add_argument("--report", metavar="OUT.html", type=Path, help="write a page with pictures")
    parser.add_argument("--pictures", metavar="FOLDER", type=Path, help="write its pictures as SVG and PNG")
    parser.add_argument("--json", action="store_true", help="print plain data instead of sentences")


def run(args: argparse.Namespace) -> int:
    """Examines, prints, and writes the report if one is asked for."""
    if (args.subject is None) == (args.toy is None):
        raise InputError("Name one subject: a machine file, a card set, or --toy with a teaching set.")
    read = [Path(place) for place in (args.subject, args.cards) if place is not None]
    check_places(read, [args.report])
    if args.pictures is not None:
        check_places(read, _drawn(args.pictures, 1))
    if args.toy is not None:
        _refuse(args, "a teaching set has cards of its own", "cards", "preset", "seed")
        return _run_toy(args)
    return _run_machine(args)


def _refuse(args: argparse.Namespace, because: str, *options: str) -> None:
    """Options that would be passed over in silence."""
    for option in options:
        if getattr(args, option) is not None:
            raise InputError(f"--{option} does not apply: {because}; leave it out.")


def _drawn(folder: Path, number: int) -> tuple[Path, Path]:
    """The files of one picture."""
    return folder / f"figure-{number:02}.svg", folder / f"figure-{number:02}.png"


def _write(args: argparse.Namespace, make: Callable[[], Page]) -> None:
    """The report and the pictures, as far as they are asked for; told only where words are printed."""
    if args.report is None and args.pictures is None:
        return
    page = make()
    written = []
    if args.report is not None:
        written.append(write_atomically(args.report, render(page).encode("utf-8")))
    if args.pictures is not None:
        for number, figure in enumerate(pictures(page), 1):
            lines, points = _drawn(args.pictures, number)
            written.append(write_atomically(lines, svg(figure).encode("utf-8")))
            written.append(write_atomically(points, png(figure, 200)))
    if not args.json:
        print("Written: " + ", ".join(str(path) for path in written))


def _run_toy(args: argparse.Namespace) -> int:
    found = examine_toy(args.toy)
    if args.json:
        print(json.dumps(toy_table(found), indent=1))
    else:
        print(found.offset.sentence)
        for way, bound in found.bounds.items():
            made = found.runs[way].corrections
            print(f"  {way.value:11} {made:6,} corrections, bound {bound.most:,}")
    _write(args, lambda: toy_page(found, wall_clock))
    return 0


def _is_machine_file(place: str) -> bool:
    if not os.path.isfile(place):  # noqa: PTH113 - Path.is_file raises where a name is impossible
        return False
    try:
        with Path(place).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise SaveError(f"{place} cannot be read ({(error.strerror or '').lower()}); check its permissions.") from None


def _run_machine(args: argparse.Namespace) -> int:
    if _is_machine_file(args.subject):
        _refuse(args, "the file has its machine", "preset", "seed")
        machine, lights, targets, subject = _from_file(args)
    else:
        _refuse(args, f"{args.subject} is no machine file", "cards")
        machine, lights, targets, subject = _from_cards(args)
    report = examine_machine(machine, lights, targets)
    if args.json:
        print(json.dumps(report_table(report, subject), indent=1))
    else:
        _print_report(report, subject)
    _write(args, lambda: machine_page(report, subject))
    return 0


def _print_report(report: Any, subject: Subject) -> None:
    verdict = {True: "separable", False: "not separable", None: "undecided"}[all_separable(report)]
    cards = "1 card" if report.cards == 1 else f"{report.cards:,} cards"
    print(f"{subject.title}: {cards}, {verdict} by this plugboard.")
    for each in report.responses:
        margin = "" if each.findings.gamma is None else f" Margin {each.findings.gamma:.3g}."
        print(f"  {each.name}: {verdict_words(each, subject)}{margin}")
        words = bound_sentence(each.findings, each.corrections)
        if words:
            print(f"  {each.name}: {words}")
    for note in subject.notes:
        print(note)


def _from_file(args: argparse.Namespace) -> tuple[Mark1, Any, Any, Subject]:
    machine, camera = machinefile.read(Path(args.subject))
    config = machine.config
    origin = f"A {config.name} machine from the file {Path(args.subject).name}, as it stands."
    if args.cards is not None:
        cards = replace(find_cards(args.cards), projection=camera)  # seen through the camera of its training
        check_spared(args.cards, cards, [args.report])
        targets, said = _asked(cards, machine)
        names, notes = [card.name for card in cards.cards], [*said, *_notes(cards, machine)]
        subject = Subject(f"{Path(args.subject).name} on {cards.name}", origin, names, notes)
        return machine, cards.lights(), targets, subject
    lights, targets = tray_of(machine)
    names = [str(i + 1) for i in range(len(lights))]
    return machine, lights, targets, Subject(f"The machine {Path(args.subject).name}", origin, names)


def _asked(cards: CardSet, machine: Mark1) -> tuple[Any, list[str]]:
    """What the machine should answer, by its own codes; only a machine without class names takes the card set's."""
    book, in_use = machine.state().codebook, machine.config.response.in_use
    if not book.names:
        return _fitting(cards.targets(), in_use), [NAMELESS]
    strange = [name for name in cards.classes if name not in book.names]
    if strange:
        raise InputError(
            f"The machine does not know the class {', '.join(strange[:MOST_NAMED])}; it knows "
            f"{', '.join(book.names[:MOST_NAMED])}{' ...' if len(book.names) > MOST_NAMED else ''}; use cards of these."
        )
    return np.array([book.targets(card.class_name, in_use) for card in cards.cards]), []


def _fitting(targets: Any, in_use: int) -> Any:
    if targets.shape[1] != in_use:
        raise InputError(
            f"The card set has codes for {targets.shape[1]} R-units but the machine uses {in_use}; "
            "use the cards it was trained on, or another machine."
        )
    return targets


def _from_cards(args: argparse.Namespace) -> tuple[Mark1, Any, Any, Subject]:
    cards = find_cards(args.subject)
    check_spared(args.subject, cards, [args.report])
    lights, targets = cards.lights(), cards.targets()
    config = PRESETS[args.preset or PRESET].with_(response__in_use=targets.shape[1])
    machine = Mark1(config, SEED if args.seed is None else args.seed)
    done = machine.rehearse(lights, targets, passes=PASSES, until_correct=True)
    how = "until every card was right" if done.outcome == "correct" else f"for {done.passes_done} passes"
    origin = (
        f"A new {config.name} machine, seed {machine.seed}, trained here on “{cards.title or cards.name}” "
        f"by error correction {how}."
    )
    names = [card.name for card in cards.cards]
    return machine, lights, targets, Subject(f"The card set {cards.name}", origin, names, _notes(cards, machine))


def _notes(cards: CardSet, machine: Mark1) -> list[str]:
    """The parity argument, where the set is the complete parity set."""
    blocks = len(cards).bit_length() - 1
    if cards.name != "parity" or len(cards) != 2**blocks:
        return []
    most_wires = int((machine.state().table != 0).sum(axis=1).max())  # as plugged now, not as first drawn
    return [argument_for_wires(blocks, most_wires).sentence]
