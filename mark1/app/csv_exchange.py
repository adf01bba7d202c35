"""mark1 csv FILE: the plugboard and the values of a machine as CSV, out of a machine file and into one."""

import argparse
from pathlib import Path

from mark1 import Mark1
from mark1.app import tables
from mark1.app.writing import check_places
from mark1.commands import Command
from mark1.errors import InputError
from mark1.savefile import load_machine, save_machine, write_atomically
from mark1.theory.response import copy_at_rest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("machine", type=Path, metavar="FILE", help="a machine file")
    parser.add_argument("--export-plugboard", type=Path, metavar="CSV", help="write every wire to this file")
    parser.add_argument("--export-values", type=Path, metavar="CSV", help="write every value to this file")
    parser.add_argument("--import-plugboard", type=Path, metavar="CSV", help="plug in these wires (values go to zero)")
    parser.add_argument("--import-values", type=Path, metavar="CSV", help="set these values")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the changed machine goes")


def run(args: argparse.Namespace) -> int:
    """First takes tables in, then gives tables out; FILE itself is changed only if --out names it."""
    imports = args.import_plugboard is not None or args.import_values is not None
    if imports and args.out is None:
        raise InputError("an import needs --out; name the file for the changed machine.")
    if not (imports or args.export_plugboard or args.export_values):
        raise InputError("there is nothing to do; say --export-plugboard, --export-values or an import.")
    if args.out is not None and not imports:
        raise InputError("--out is for a changed machine, and nothing changes it; add an import or leave --out away.")
    tables_in, tables_out = (args.import_plugboard, args.import_values), (args.export_plugboard, args.export_values)
    check_places([args.machine, *tables_in], tables_out)
    check_places(tables_in, [args.out, *tables_out])  # --out may name FILE itself
    machine = load_machine(args.machine)
    if imports:
        machine = changed(machine, args)
        save_machine(args.out, machine)
    if args.export_plugboard is not None:
        write_atomically(args.export_plugboard, tables.plugboard_csv(machine.state()).encode())
    if args.export_values is not None:
        write_atomically(args.export_values, tables.values_csv(machine.state()).encode())
    print(f"Written: {', '.join(str(path) for path in (args.out, *tables_out) if path is not None)}.")
    return 0


def changed(machine: Mark1, args: argparse.Namespace) -> Mark1:
    """A copy of the machine, at rest, with the tables of the files."""
    copy = copy_at_rest(machine)
    if args.import_plugboard is not None:
        _submit(copy, tables.read_plugboard(args.import_plugboard, copy.state()))
    if args.import_values is not None:
        _submit(copy, tables.read_values(args.import_values, copy.state()))
    return copy


def _submit(machine: Mark1, command: Command) -> None:
    if not machine.submit(command):
        raise InputError("the machine refused the table: its motors run; let it come to rest first.")
