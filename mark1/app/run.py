"""mark1 run: the panel on a screen. Here machine, pace, panel, journal and files are joined."""

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mark1 import Mark1
from mark1.core.config import PRESETS, MachineConfig
from mark1.errors import InputError

RIG_HELP = "mirror to a rig: a port such as /dev/ttyACM0, a URL, auto, or a rig file (.toml)"
SPEEDS = {"1960": 1, "10": 10, "100": 100, "full": 0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the panel."""
    parser.add_argument("--window", metavar="WxH", help="size of the window, such as 1920x1080")
    parser.add_argument("--fullscreen", action="store_true", help="use the whole screen")
    parser.add_argument("--display", type=int, default=0, metavar="N", help="which screen, from 0")
    parser.add_argument("--preset", choices=sorted(PRESETS), default="HISTORIC", help="kind of machine")
    parser.add_argument(
        "--cards", metavar="CARDS", help="a folder, a manifest or a built-in set (default: our letters)"
    )
    parser.add_argument("--classes", metavar="NAMES", help="only these classes, such as ABCDEFGH or square,circle")
    parser.add_argument("--machine", metavar="FILE", help="open a kept machine")
    parser.add_argument("--seed", type=int, default=1960, metavar="N", help="what the machine is drawn from")
    parser.add_argument(
        "--speed", choices=list(SPEEDS), default="1960", help="speed lever; 1960 time is chosen, not known"
    )
    parser.add_argument("--rig", metavar="PORT", help=RIG_HELP)
    parser.add_argument("--mute", action="store_true", help="no sound")
    parser.add_argument("--language", default="en", metavar="CODE", help="en or de")
    parser.add_argument(
        "--journal", metavar="FILE", help="write every command and fact as a line of JSON (an earlier one is kept)"
    )
    parser.add_argument("--folder", metavar="DIR", help="where SAVE, OPEN and EXPORT work (default: your data folder)")
    parser.add_argument("--frames", type=int, default=0, metavar="N", help="stop after N frames")
    parser.add_argument("--selftest-display", action="store_true", help="measure drawing on this computer, then stop")
    parser.add_argument("--json", action="store_true", help="with --selftest-display: print JSON")
    parser.add_argument(
        "--or-demo", action="store_true", default=argparse.SUPPRESS, help="without a display, run the demo instead"
    )


def run(args: argparse.Namespace) -> int:
    """Opens the panel, or measures the display."""
    from mark1.panel.window import DisplayError

    try:
        return _selftest(args) if args.selftest_display else _open(args)
    except DisplayError as error:
        if not getattr(args, "or_demo", False):
            raise
        print(f"mark1: {error} Running the demo instead.", file=sys.stderr)
        return _demo()


def _demo() -> int:
    from importlib import import_module

    demo = import_module("mark1.app.demo")
    parser = argparse.ArgumentParser(prog="mark1 demo")
    demo.add_arguments(parser)
    code: int = demo.run(parser.parse_args([]))
    return code


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise InputError(f"--window is {text!r}, but must be WIDTHxHEIGHT, such as 1920x1080.") from None
    if not (320 <= width <= 16_384 and 240 <= height <= 16_384):
        raise InputError(f"--window is {text!r}, but must be from 320x240 to 16384x16384.")
    return width, height


def _open(args: argparse.Namespace) -> int:
    from mark1.panel.window import load_pygame, open_window
    from mark1.panel.window import run as run_window

    load_pygame()  # before anything else imports it: the wrong one must be named, not stumbled over
    from mark1.app import panel_parts as parts

    size = _size(args.window)
    folder = parts.data_folder(args.folder)
    preset = PRESETS[args.preset]
    screen = open_window(size, args.fullscreen, args.display)
    tray, camera = parts.tray_of(args.cards, args.classes, preset.retina.rows, preset.retina.columns)
    machine = _machine(args, preset.with_(response__in_use=max(tray.codes).bit_length()))
    theory = parts.BenchJudge()
    with _journal(args.journal, machine):
        try:
            desk = _desk(args, machine, tray, parts.services(folder, machine, camera), theory)
            with parts.rig(args.rig, desk, folder):
                run_window(_panel(args, desk, screen.get_size()), screen, args.frames)
        finally:
            theory.close()
    return 0


def _machine(args: argparse.Namespace, config: MachineConfig) -> Mark1:
    if not args.machine:
        return Mark1(config, args.seed)
    from mark1.savefile import load_machine

    return load_machine(args.machine)


def _desk(args: argparse.Namespace, machine: Mark1, tray: Any, lent: Any, theory: Any) -> Any:
    from mark1.panel.cards import classes
    from mark1.panel.desk import Desk
    from mark1.panel.words import Words

    desk = Desk(machine, tray, Words(args.language), lent, theory)
    known = machine.state().codebook.names
    missing = [name for name in classes(tray) if name not in known]
    if not known:
        desk.assign()
    elif missing:
        raise InputError(
            f"the machine {args.machine} does not know the class {missing[0]}; name its cards with --cards."
        )
    desk.speed = SPEEDS[args.speed]
    return desk


def _panel(args: argparse.Namespace, desk: Any, size: tuple[int, int]) -> Any:
    from mark1.pace import Pace, wall_clock
    from mark1.panel.panel import Panel
    from mark1.panel.sound import Silence, open_speaker

    voice, trouble = (Silence(), "") if args.mute else open_speaker()
    desk.message = (
        desk.words("There is no sound: {why}. The panel goes on without it.", why=trouble) if trouble else desk.message
    )
    panel = Panel(desk, Pace().advance, size, wall_clock, voice)
    panel.look.muted = args.mute
    return panel


def _journal(path: str | None, machine: Mark1) -> AbstractContextManager[None]:
    if path is None:
        return nullcontext()
    from mark1.app.machinefile import journal_of, unused

    free = unused(Path(path))  # a kiosk that starts again with the same words must not lose what was written
    if free != Path(path):
        print(f"mark1: {path} is kept; this session's journal is {free}.", file=sys.stderr)
    return journal_of(machine, free)


# -- self-test -------------------------------------------------------------------------------------------------


def _selftest(args: argparse.Namespace) -> int:
    import json

    from mark1.panel.selftest import measure

    result = measure(_size(args.window) or (1920, 1080))
    if args.json:
        print(json.dumps(result, indent=2))
        return 0
    for name in ("HISTORIC", "EXPANDED"):
        one = result[name]
        print(f"{name}: {one['dials']:,} dials, p95 {one['p95_ms']:.2f} ms a frame,", end=" ")
        print(f"{one['ratio_to_naive']:.1f} x cheaper than draw calls")
    advice = "fast enough for 60 frames a second" if result["p95_ms"] < 8 else "too slow; choose a smaller window"
    print(f"p95 {result['p95_ms']:.2f} ms: {advice}.")
    return 0
