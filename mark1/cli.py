"""The mark1 command: reads the words, calls app; nothing else.

Exit codes: 0 done, 1 it failed, 2 the words or the input were wrong.
"""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from mark1 import __version__
from mark1.errors import InputError, Mark1Error

# name -> (module in mark1.app, one line of help). Each module has add_arguments(parser) and run(args) -> exit code.
SUBCOMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "open the panel (what mark1 does without a subcommand)"),
    "demo": ("demo", "draw bars, learn them, print and write a picture; needs no screen"),
    "rig": ("rig", "find, try, calibrate and mirror to a physical rig, or emulate one"),
    "bench": ("bench", "measure this machine's speed against plain baselines"),
    "theory": ("theory", "what the mathematics says: separable or not, margin, bounds, with a report"),
    "train": ("train", "learn a card set and write a machine file"),
    "recognise": ("recognise", "ask a machine file about pictures"),
    "show": ("show", "say what a machine file holds"),
    "replay": ("replay", "run a journal again"),
    "csv": ("csv_exchange", "export or import a machine's plugboard and values as CSV"),
    "cards": ("cards", "show what the cells would see of a card set, and name its problems"),
}


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong word is one sentence on stderr, like every other error."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message}. See '{self.prog} --help'.")


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"mark1.app.{SUBCOMMANDS[name][0]}")


def build_parser(wanted: str | None) -> Parser:
    """The parser; only the wanted subcommand's module is imported, so that help and version stay quick."""
    parser = Parser(prog="mark1", description="A simulator of Rosenblatt's Mark I Perceptron (1960).")
    parser.add_argument("--version", action="version", version=f"mark1 {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.add_argument("--or-demo", action="store_true", help="without a display, run the demo instead of failing")
    subparsers = parser.add_subparsers(dest="subcommand", metavar="COMMAND")
    for name, (_, help_line) in SUBCOMMANDS.items():
        sub = subparsers.add_parser(name, help=help_line, description=help_line[0].upper() + help_line[1:] + ".")
        sub.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if name == wanted:
            _module(name).add_arguments(sub)
    return parser


def _wanted(words: Sequence[str]) -> str | None:
    return next((w for w in words if w in SUBCOMMANDS), None)


def _spelt_out(words: Sequence[str]) -> list[str]:
    """The panel's options after the bare command: mark1 --rig auto is mark1 run --rig auto."""
    first = next((w for w in words if w not in ("--or-demo", "--debug")), "")
    panel = first.startswith("-") and first not in ("-h", "--help", "--version")
    return ["run", *words] if panel else [*words]


def dispatch(words: Sequence[str]) -> int:
    """Parses and runs; errors go up as exceptions."""
    words = _spelt_out(words)
    args = build_parser(_wanted(words)).parse_args(words)
    if args.subcommand is None:  # the panel is what the bare command opens
        before = [word for word in words if word not in ("--or-demo", "--debug")]
        args = build_parser("run").parse_args(["run", *before, *(["--or-demo"] if args.or_demo else [])])
    code: int = _module(args.subcommand).run(args)
    return code


def _flush() -> None:
    """Says now, not after the last word, that the output cannot be written."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _told(error: OSError) -> str:
    """An error of the system that no room has put into words; without a file's name it is the output's."""
    reason = (error.strerror or "unknown reason").lower()
    if error.filename is not None:
        return f"{error.filename} cannot be read or written ({reason}); check its place."
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left would fail again at the end
    return f"the output cannot be written ({reason}); free some space, or send it elsewhere."


def main(argv: Sequence[str] | None = None) -> int:
    """The command: an error becomes one sentence on stderr and an exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):  # a class may have a name that this terminal cannot write
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            return dispatch(words)
        finally:
            _flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
        os._exit(0)
    except KeyboardInterrupt:
        print("mark1: stopped.", file=sys.stderr)
        return 1
    except Mark1Error as error:
        if "--debug" in words:
            raise
        print(f"mark1: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    except OSError as error:
        if "--debug" in words:
            raise
        print(f"mark1: {_told(error)}", file=sys.stderr)
        return 1
    except Exception as error:
        if "--debug" in words:
            raise
        kind = type(error).__name__
        print(f"mark1: an error that should not happen ({kind}: {error}); --debug shows where.", file=sys.stderr)
        return 1
