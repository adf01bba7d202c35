"""mark1 cards DIR: what the cells would see of a card set, as a contact sheet, with problems named."""

import argparse
import io
import sys
from pathlib import Path

from mark1.app.camera import add_camera_arguments, add_cards_argument, with_camera
from mark1.app.wording import count
from mark1.app.writing import check_spared, check_writable
from mark1.savefile import write_atomically
from mark1.stimulus import find_cards


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    add_cards_argument(parser)
    parser.add_argument("--out", type=Path, default=Path("cards.png"), help="the contact sheet (default: cards.png)")
    add_camera_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Looks every card over, writes the sheet, prints one line per problem; exit code 1 if there is any."""
    from mark1.stimulus.inspection import inspect
    from mark1.stimulus.preview import contact_sheet

    check_writable(args.out)
    cards = with_camera(find_cards(args.cards), args)
    check_spared(args.cards, cards, [args.out])
    found = inspect(cards)
    picture = io.BytesIO()
    contact_sheet(cards.title or cards.name, found, cards.projection).save(picture, "PNG")
    write_atomically(args.out, picture.getvalue())
    problems = [one for one in found if one.problem]
    for one in problems:
        print(_line(one.card.name, one.problem), file=sys.stderr)
    for note in cards.notes:
        print(f"note: {note}", file=sys.stderr)
    if len(cards.classes) == 1:
        print("note: there is only one class; a machine needs two to tell apart.", file=sys.stderr)
    held = f"{count(len(cards), 'card')} in {count(len(cards.classes), 'class')}"
    print(f"{cards.name}: {held}, {len(problems)} with a problem; sheet written to {args.out}.")
    return 1 if problems else 0


def _line(name: str, problem: str) -> str:
    return f"problem: {name}: {problem.rstrip('.')}."
