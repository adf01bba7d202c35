"""The words for the camera, shared by the commands that look at pictures."""

import argparse
from dataclasses import replace

from mark1.errors import InputError
from mark1.stimulus import CardSet, Projection, names
from mark1.stimulus.projection import FITS, POLARITIES, THRESHOLDS


def add_camera_arguments(parser: argparse.ArgumentParser) -> None:
    """Words that change a card set's own camera settings."""
    group = parser.add_argument_group("camera (the card set's own settings hold where nothing is said)")
    group.add_argument("--framing", choices=("on", "off"), help="centre and scale the figure")
    group.add_argument("--fit", choices=FITS, help="without framing: the whole picture, or its central part")
    group.add_argument("--polarity", choices=POLARITIES, help="which part of the picture lights the cells")
    group.add_argument("--level", metavar="LEVEL", help=f"figure against ground: {', '.join(THRESHOLDS)}, or 0 to 1")
    group.add_argument("--exposure", metavar="SHARE", help="share of a cell that must be covered: auto, or 0 to 1")


def add_cards_argument(parser: argparse.ArgumentParser) -> None:
    """The word for a card set, and the names of the built-in ones."""
    words = "a folder with one subfolder of pictures per class, a manifest.toml, or a built-in set (see below)"
    parser.add_argument("cards", metavar="CARDS", help=words)
    parser.epilog = f"Built-in sets: {', '.join(names())}."


def camera_changes(args: argparse.Namespace) -> dict[str, object]:
    """The settings that the words change."""
    changes: dict[str, object] = {"fit": args.fit, "polarity": args.polarity}
    changes["framing"] = None if args.framing is None else args.framing == "on"
    changes["threshold"] = _word_or_number("--level", args.level, THRESHOLDS)
    changes["exposure"] = _word_or_number("--exposure", args.exposure, ("auto",))
    return {key: value for key, value in changes.items() if value is not None}


def _word_or_number(option: str, given: str | None, words: tuple[str, ...]) -> str | float | None:
    if given is None or given in words:
        return given
    try:
        return float(given)
    except ValueError:
        raise InputError(f"{option} cannot be '{given}'; give {', '.join(words)} or a number.") from None


def with_camera(cards: CardSet, args: argparse.Namespace) -> CardSet:
    """The card set with the camera settings that the words ask for."""
    changes = camera_changes(args)
    camera: Projection = cards.projection.changed(**changes)
    return replace(cards, projection=camera) if changes else cards
