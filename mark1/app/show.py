"""mark1 show FILE: what a machine file holds, in words and as a picture."""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mark1 import MachineState
from mark1.app import machinefile
from mark1.app.progress import knows_right
from mark1.app.writing import check_places
from mark1.savefile import write_atomically
from mark1.stimulus import Projection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("machine", type=Path, metavar="FILE", help="a machine file")
    parser.add_argument("--picture", type=Path, metavar="PNG", help="draw the values and the wiring into this file")


def run(args: argparse.Namespace) -> int:
    """Prints what the machine is and what it has learned."""
    check_places([args.machine], [args.picture])
    machine, camera = machinefile.read(args.machine)
    state = machine.state()
    print(f"{args.machine}")
    for line in lines(state, camera):
        print(f"  {line}")
    if args.picture is not None:
        from mark1.app.portrait import portrait

        content = io.BytesIO()
        portrait(state, str(args.machine.name)).save(content, "PNG")
        write_atomically(args.picture, content.getvalue())
        print(f"Picture written to {args.picture}.")
    return 0


def lines(state: MachineState, camera: Projection) -> Iterator[str]:
    """The machine in a dozen lines."""
    config = state.config
    rack = state.values
    yield f"machine      {config.name}, seed {state.seed}, machine time {state.now_us / 1e6:,.1f} s"
    yield f"retina       {config.retina.rows} x {config.retina.columns} cells"
    yield f"A-units      {config.association.units}, {wires(state)}, threshold {config.association.threshold}"
    kind = "every A-unit feeds every R-unit (not historic)" if not config.historic else "each A-unit feeds one R-unit"
    yield f"R-units      {config.response.in_use} of {config.response.units} in use; {kind}"
    yield f"values       {rack.size:,} potentiometers, {rack.min() / 1e6:+.2f} V to {rack.max() / 1e6:+.2f} V"
    yield from _stops(state)
    broken = int(state.pulled.sum()), int(np.count_nonzero(state.cell_faults))
    if any(broken):
        yield f"faults       {broken[0]} A-units pulled, {broken[1]} cells broken"
    yield f"learning     {state.presentations:,} presentations, {int(state.corrections.sum()):,} corrections"
    yield from _training(state)
    yield f"classes      {_classes(state)}"
    framing = "on" if camera.framing else "off"
    yield f"camera       framing {framing}, polarity {camera.polarity}, level {camera.threshold}"


def wires(state: MachineState) -> str:
    """The wires of an A-unit, as they are plugged now."""
    counts = [(state.table > 0).sum(axis=1), (state.table < 0).sum(axis=1)]
    spans = [str(each.min()) if each.min() == each.max() else f"{each.min()} to {each.max()}" for each in counts]
    return f"{spans[0]} excitatory + {spans[1]} inhibitory wires each"


def _stops(state: MachineState) -> Iterator[str]:
    stops = state.config.potentiometer.stops
    if stops:
        count = int(np.isin(state.values, stops).sum())
        yield f"             {count} of them at a stop ({stops[0] / 1e6:+.0f} V or {stops[1] / 1e6:+.0f} V)"


def _training(state: MachineState) -> Iterator[str]:
    training = state.training
    if training.cards:
        told = training.error_history and knows_right(training)
        last = f", {training.error_history[-1]} wrong in the last pass" if told else ""
        status = "running" if training.running else training.outcome or "not begun"
        yield f"training     {training.mode}, {training.cards} cards, {training.passes_done} passes{last}; {status}"


def _classes(state: MachineState) -> str:
    book, width = state.codebook, state.config.response.in_use
    words = [f"{name} {code:0{width}b}"[:60] for name, code in zip(book.names, book.codes, strict=True)]
    shown = ", ".join(words[:26]) + (f" and {len(words) - 26} more" if len(words) > 26 else "")
    return f"{len(words)} (codes from R{width} down to R1): {shown}" if words else "none named"
