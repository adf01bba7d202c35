"""mark1 theory: what the mathematics says about a machine and its cards, or about a teaching set.

mark1 theory --toy separable --report out.html     a two-dimensional set, every idea explained
mark1 theory my.mark1                              a machine file, on the cards it was trained on
mark1 theory e-x --report out.html                 a new machine, trained here on a card set or a folder of pictures
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mark1 import PRESETS, Mark1
from mark1.app import machinefile
from mark1.core.snapshot import MAGIC
from mark1.errors import InputError
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

PASSES = 300  # chosen: a new machine is trained until all cards are right, or for so many passes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after mark1 theory."""
    subject = "a machine file, a card set, or a folder of pictures"
    parser.add_argument("subject", nargs="?", metavar="FILE|CARDS", help=subject)
    parser.add_argument("--toy", metavar="NAME", help=f"a teaching set: {', '.join(TOYS)}")
    parser.add_argument("--cards", metavar="CARDS", help="with FILE: other cards than those it was trained on")
    parser.add_argument("--preset", default="HISTORIC", choices=sorted(PRESETS), help="with CARDS: the new machine")
    parser.add_argument("--seed", type=int, default=1960, help="with CARDS: the new machine's seed")
    parser.add_argument("--report", metavar="OUT.html", type=Path, help="write a page with pictures")
    parser.add_argument("--pictures", metavar="FOLDER", type=Path, help="write its pictures as SVG and PNG")
    parser.add_argument("--json", action="store_true", help="print plain data instead of sentences")


def run(args: argparse.Namespace) -> int:
    """Examines, prints, and writes the report if one is asked for."""
    if (args.subject is None) == (args.toy is None):
        raise InputError("Name one subject: a machine file, a card set, or --toy with a teaching set.")
    if args.report is not None and (args.report.is_dir() or not args.report.parent.is_dir()):
        raise InputError(f"The report cannot be written to {args.report}; name a file in a folder that exists.")
    if args.pictures is not None and not args.pictures.is_dir():
        raise InputError(f"The folder {args.pictures} does not exist; make it first.")
    return _run_toy(args) if args.toy is not None else _run_machine(args)


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
            written.append(write_atomically(args.pictures / f"figure-{number:02}.svg", svg(figure).encode("utf-8")))
            written.append(write_atomically(args.pictures / f"figure-{number:02}.png", png(figure, 200)))
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
    path = Path(place)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _run_machine(args: argparse.Namespace) -> int:
    if _is_machine_file(args.subject):
        machine, lights, targets, subject = _from_file(args)
    else:
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
        names = [card.name for card in cards.cards]
        subject = Subject(f"{Path(args.subject).name} on {cards.name}", origin, names, _notes(cards, machine))
        return machine, cards.lights(), _fitting(cards.targets(), config.response.in_use), subject
    lights, targets = tray_of(machine)
    names = [str(i + 1) for i in range(len(lights))]
    return machine, lights, targets, Subject(f"The machine {Path(args.subject).name}", origin, names)


def _fitting(targets: Any, in_use: int) -> Any:
    if targets.shape[1] != in_use:
        raise InputError(
            f"The card set has codes for {targets.shape[1]} R-units but the machine uses {in_use}; "
            "use the cards it was trained on, or another machine."
        )
    return targets


def _from_cards(args: argparse.Namespace) -> tuple[Mark1, Any, Any, Subject]:
    cards = find_cards(args.subject)
    lights, targets = cards.lights(), cards.targets()
    config = PRESETS[args.preset].with_(response__in_use=targets.shape[1])
    machine = Mark1(config, args.seed)
    done = machine.rehearse(lights, targets, passes=PASSES, until_correct=True)
    how = "until every card was right" if done.outcome == "correct" else f"for {done.passes_done} passes"
    origin = (
        f"A new {config.name} machine, seed {args.seed}, trained here on “{cards.title or cards.name}” "
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
