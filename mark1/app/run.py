"""mark1 run: the panel on a screen. Here machine, pace, panel, journal and files are joined."""

import argparse
import sys
from pathlib import Path
from typing import Any

from mark1 import Mark1
from mark1.core.config import PRESETS, MachineConfig
from mark1.errors import InputError, SaveError

SPEEDS = {"1960": 1, "10": 10, "100": 100, "full": 0}
DEFAULT_CARDS = "ABCDEFGH"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the panel."""
    parser.add_argument("--window", metavar="WxH", help="size of the window, such as 1920x1080")
    parser.add_argument("--fullscreen", action="store_true", help="use the whole screen")
    parser.add_argument("--display", type=int, default=0, metavar="N", help="which screen, from 0")
    parser.add_argument("--preset", choices=sorted(PRESETS), default="HISTORIC", help="kind of machine")
    parser.add_argument("--cards", metavar="LETTERS", default=DEFAULT_CARDS, help="letters on the cards of the tray")
    parser.add_argument("--machine", metavar="FILE", help="open a kept machine")
    parser.add_argument("--seed", type=int, default=1960, metavar="N", help="what the machine is drawn from")
    parser.add_argument(
        "--speed", choices=list(SPEEDS), default="1960", help="speed lever; 1960 time is chosen, not known"
    )
    parser.add_argument("--mute", action="store_true", help="no sound")
    parser.add_argument("--language", default="en", metavar="CODE", help="en or de")
    parser.add_argument("--journal", metavar="FILE", help="write every command and fact as a line of JSON")
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
    from mark1.panel.window import open_window
    from mark1.panel.window import run as run_window

    size = _size(args.window)
    config = _config(args)
    folder = _folder(args.folder)
    screen = open_window(size, args.fullscreen, args.display)
    machine = _machine(args, config)
    journal, file = _journal(args.journal, machine)
    try:
        panel = _panel(args, machine, folder, screen.get_size())
        run_window(panel, screen, args.frames)
    finally:
        _close(journal, file)
    return 0


def _config(args: argparse.Namespace) -> MachineConfig:
    """The preset with as many R-units in use as the tray needs."""
    classes = len(dict.fromkeys(args.cards))
    if not args.cards or len(args.cards) != classes or not args.cards.isalnum():
        raise InputError(
            f"--cards is {args.cards!r}, but must be different letters or digits, such as {DEFAULT_CARDS}."
        )
    preset = PRESETS[args.preset]
    in_use = classes if classes <= preset.response.units else classes.bit_length()
    return preset.with_(response__in_use=max(1, in_use))


def _machine(args: argparse.Namespace, config: MachineConfig) -> Mark1:
    if not args.machine:
        return Mark1(config, args.seed)
    from mark1.savefile import load_machine

    return load_machine(args.machine)


def _panel(args: argparse.Namespace, machine: Mark1, folder: Path, size: tuple[int, int]) -> Any:
    import time

    from mark1.pace import Pace
    from mark1.panel.cards import letters
    from mark1.panel.desk import Desk
    from mark1.panel.panel import Panel
    from mark1.panel.sound import Silence, open_speaker
    from mark1.panel.words import Words

    retina = machine.config.retina
    names = machine.state().codebook.names or tuple(args.cards)
    cards = letters("".join(names) if all(len(n) == 1 for n in names) else args.cards, retina.rows, retina.columns)
    desk = Desk(machine, cards, Words(args.language), _services(folder, machine))
    if not machine.state().codebook.names:
        desk.assign()
    desk.speed = SPEEDS[args.speed]
    voice, trouble = (Silence(), "") if args.mute else open_speaker()
    if trouble:
        desk.message = trouble
    panel = Panel(desk, Pace().advance, size, time.perf_counter, voice)
    panel.look.muted = args.mute
    return panel


# -- files -----------------------------------------------------------------------------------------------------


def _folder(given: str | None) -> Path:
    if given is None:
        from platformdirs import user_data_path

        folder = user_data_path("mark1", appauthor=False)
    else:
        folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {folder} cannot be made ({error.strerror}); name another with --folder."
        ) from None
    return folder


def _journal(path: str | None, machine: Mark1) -> tuple[Any, Any]:
    if path is None:
        return None, None
    from mark1.journal import Journal

    try:
        file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - closed by _close
    except OSError as error:
        raise InputError(f"the journal {path} cannot be written ({error.strerror}); name another file.") from None
    return Journal(machine, file), file


def _close(journal: Any, file: Any) -> None:
    if journal is not None:
        journal.close()
        file.close()


def _services(folder: Path, machine: Mark1) -> Any:
    """Files for the panel: kept machines, exports, dropped pictures."""
    from mark1.panel.desk import Services

    def save(it: Mark1) -> str:
        from mark1.savefile import save_machine  # not before it is needed: the first frame should come soon

        path = _free(folder, f"seed-{it.state().seed}", ".mark1")
        save_machine(path, it)
        return f"Kept as {path.name} in {folder}."

    def names() -> list[str]:
        return [path.name for path in sorted(folder.glob("*.mark1"), key=lambda p: (-p.stat().st_mtime_ns, p.name))]

    def read(name: str) -> bytes:
        from mark1.savefile import read_bytes

        if Path(name).name != name:
            raise SaveError(f"{name} is not in the machine folder; start the panel with --machine {name}.")
        return read_bytes(folder / name)

    def export(picture: Any, state: Any) -> str:
        return _export(folder, picture, state)

    def dropped(path: str) -> Any:
        return _dropped_card(path, machine)

    return Services(save, names, read, export, dropped)


def _free(folder: Path, stem: str, suffix: str) -> Path:
    """A file name that is not taken."""
    number = 1
    while (path := folder / f"{stem}-{number:03d}{suffix}").exists():
        number += 1
    return path


def _export(folder: Path, picture: Any, state: Any) -> str:
    import pygame

    from mark1.panel.tables import training_csv, values_csv

    path = _free(folder, "panel", ".png")
    try:
        pygame.image.save(picture, str(path))
        path.with_suffix(".values.csv").write_text(values_csv(state), encoding="utf-8")
        path.with_suffix(".training.csv").write_text(training_csv(state), encoding="utf-8")
    except (OSError, pygame.error) as error:
        raise SaveError(f"{path} could not be written ({error}); choose another --folder.") from None
    return f"Exported {path.name} and two tables to {folder}."


def _dropped_card(path: str, machine: Mark1) -> Any:
    """A picture file as a card: grey, its longer side fitted, light on dark if need be."""
    import numpy as np
    from PIL import Image

    from mark1.errors import StimulusError
    from mark1.panel.camera import project
    from mark1.panel.cards import SIDE, Card

    try:
        with Image.open(path) as opened:
            grey = opened.convert("L")
            grey.thumbnail((SIDE, SIDE))
            pixels = np.asarray(grey, np.float32) / 255
    except (OSError, ValueError, Image.DecompressionBombError):
        raise StimulusError(f"{path} is not a picture that can be read; drop a PNG or JPEG file.") from None
    if np.mean([pixels[0].mean(), pixels[-1].mean(), pixels[:, 0].mean(), pixels[:, -1].mean()]) > 0.5:
        pixels = 1 - pixels
    picture = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - pixels.shape[0]) // 2, (SIDE - pixels.shape[1]) // 2
    picture[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
    retina = machine.config.retina
    name = Path(path).name
    return Card(name, Path(path).stem, project(picture, retina.rows, retina.columns), picture)


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
