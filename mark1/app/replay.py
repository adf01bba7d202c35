"""mark1 replay JOURNAL: the same machine again, from the journal alone."""

import argparse
import hashlib
from pathlib import Path

from mark1.app import machinefile
from mark1.app.writing import check_places
from mark1.savefile import write_atomically


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="a journal that mark1 wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the machine at its end to this file")


def run(args: argparse.Namespace) -> int:
    """Replays, says where the machine stands, and writes it if asked; the pictures are not needed."""
    check_places([args.journal], [args.out])
    machine = machinefile.replayed(args.journal)
    state = machine.state()
    content = machine.save()
    done = f"{state.presentations:,} presentations, {int(state.corrections.sum()):,} corrections"
    digest = hashlib.sha256(content).hexdigest()[:16]
    print(f"{args.journal}: {done}, machine time {state.now_us / 1e6:,.1f} s; sha256 {digest}.")
    if args.out is not None:
        write_atomically(args.out, content)
        print(f"Machine written to {args.out}.")
    return 0
