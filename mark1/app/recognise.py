"""mark1 recognise FILE IMAGE...: what a trained machine says to pictures."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1, Response
from mark1.app import machinefile, teaching
from mark1.app.camera import add_camera_arguments, camera_changes
from mark1.errors import StimulusError
from mark1.stimulus import Projection, project


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("machine", type=Path, metavar="FILE", help="a machine file")
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="pictures to recognise")
    parser.add_argument("--json", action="store_true", help="print the answers as JSON")
    add_camera_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """One line per picture; a picture that cannot be used is named on stderr and makes the exit code 2."""
    machine, camera = machinefile.read(args.machine)
    camera = camera.changed(**camera_changes(args))
    found = recognise(machine, args.images, camera)
    if args.json:
        print(json.dumps(found, indent=1))
    for one in found if not args.json else []:
        if "error" not in one:
            print(_line(one))
    for one in found:
        if "error" in one:
            print(f"mark1: {one['error']}", file=sys.stderr)
    return 2 if any("error" in one for one in found) else 0


def recognise(machine: Mark1, images: Sequence[str], camera: Projection) -> list[dict[str, Any]]:
    """The answers to pictures as plain data, in their order; a bad picture gives an error in its place."""
    seen = [_seen(image, camera) for image in images]
    lights = [light for light in seen if not isinstance(light, StimulusError)]
    said = teaching.answers(machine, np.array(lights))
    return [
        {"path": image, "error": str(light)} if isinstance(light, StimulusError)
        else _answer(machine, image, light, *next(said))
        for image, light in zip(images, seen, strict=True)
    ]  # fmt: skip


def _seen(image: str, camera: Projection) -> NDArray[np.float64] | StimulusError:
    try:
        return project(image, camera)
    except StimulusError as error:
        return error


def _answer(machine: Mark1, image: str, light: NDArray[np.float64], meaning: str, response: Response) -> dict[str, Any]:
    states = zip(response.states, response.undecided, strict=True)
    return {
        "path": image,
        "class": meaning,
        "bits": "".join("?" if doubt else "1" if state > 0 else "0" for state, doubt in states),
        "sums_v": [float(total) / 1e6 for total in response.sums],
        "margin_v": margin_uv(machine, response) / 1e6,
        "cells_lit": int(np.count_nonzero(light >= 0.5)),
    }


def margin_uv(machine: Mark1, response: Response) -> float:
    """How far the least certain R-unit in use is from its threshold."""
    return float(np.abs(response.sums - machine.config.response.threshold_uv).min())


def _line(one: dict[str, Any]) -> str:
    sums = " ".join(f"{volts:+.2f}" for volts in one["sums_v"])
    bits = one["bits"]
    return f"{one['path']}: {one['class']}  R1..R{len(bits)} {bits}  sums {sums} V  margin {one['margin_v']:.2f} V"
