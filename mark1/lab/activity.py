"""From a machine and its cards to the theory's arrays, and back: how far the motors' values are from the ideal run's.

For each R-unit: the findings of the theory on the machine's own activity, the corrections the machine has made, and the
textbook's perceptron run on the same cards in the same order, to compare with. Bounds belong to one R-unit each.
A machine's corrections are set beside the bound only when all of them were made on these cards by error correction from
values of zero; otherwise the bound says nothing about them, and the report says why.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.core import snapshot
from mark1.core.machine import Mark1
from mark1.core.retina import FULL_PPM
from mark1.core.state import MachineState
from mark1.errors import InputError
from mark1.theory.findings import Findings, findings_of
from mark1.theory.margins import angle_degrees, functional_margins
from mark1.theory.perceptron import Perceptron, Run
from mark1.theory.problem import Floats, Problem
from mark1.theory.rack import Rack
from mark1.theory.response import ResponseProblem, activity, new_shafts, rack_of, response_problems, values_of

IDEAL_LIMIT = 20_000  # corrections after which the ideal run on an inseparable set is stopped


@dataclass(frozen=True, slots=True)
class Comparison:
    """One R-unit of the machine beside the ideal perceptron on the same cards."""

    ideal: Run
    values: Floats  # the machine's, in microvolts
    angle: float | None  # degrees between the machine's values and the ideal w; None while one of them is zero
    machine_wrong: int  # cards on the wrong side or inside the dead zone
    ideal_wrong: int
    at_low: tuple[int, ...]  # A-units whose potentiometer stands on its lower stop
    at_high: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResponseReport:
    """Everything the bench says about one R-unit."""

    at: ResponseProblem
    rack: Rack | None
    findings: Findings
    corrections: int
    comparison: Comparison

    @property
    def name(self) -> str:
        """R1, R2, ..."""
        return f"R{self.at.response + 1}"


@dataclass(frozen=True, slots=True)
class MachineReport:
    """All R-units that are asked anything, and why corrections and bound may not be compared (empty: they may)."""

    responses: tuple[ResponseReport, ...]
    cards: int
    active_share: float
    not_comparable: str
    shuffled: bool  # the machine saw its cards in a new order each pass; the ideal run sees them in the tray's order


def tray_of(machine: Mark1) -> tuple[Floats, Any]:
    """The cards a machine was last trained on, as light and targets, read from what it saves."""
    tray = snapshot.unpack(machine.save())["sequencer"]["tray"]
    if tray is None:
        raise InputError("This machine has never been trained, so it holds no cards; name a card set with --cards.")
    return _lights(tray), tray["targets"]


def examine_machine(machine: Mark1, lights: Any, targets: Any) -> MachineReport:
    """Examines every R-unit of a machine for these cards."""
    state, active = machine.state(), activity(machine, lights)
    found = response_problems(active, targets, state.feeds)
    if not found:
        raise InputError("No card has a target for any R-unit; give targets of +1 or -1.")
    reports = tuple(_report(state, at) for at in found)
    saved = snapshot.unpack(machine.save())
    reason = why_not_comparable(state, _same_tray(saved["sequencer"]["tray"], lights, targets)) or _not_from_zero(saved)
    shuffled = saved["sequencer"]["order"] == "shuffled"
    return MachineReport(reports, len(active), float(active.mean()), reason, shuffled)


def _same_tray(tray: dict[str, Any] | None, lights: Any, targets: Any) -> bool:
    """Whether these are the very cards and targets of the machine's last training."""
    if tray is None or not np.array_equal(tray["targets"], targets):
        return False
    return np.array_equal(np.rint(np.asarray(lights) * FULL_PPM), np.rint(_lights(tray) * FULL_PPM))


def _lights(tray: dict[str, Any]) -> Floats:
    if "bits" in tray:
        return np.unpackbits(tray["bits"], axis=1, count=tray["cells"]).astype(np.float64)
    return np.asarray(tray["lights"] / FULL_PPM, dtype=np.float64)


def _not_from_zero(saved: dict[str, Any]) -> str:
    start = saved["training_start"]
    return "training began from values other than zero" if start is not None and start["values"].any() else ""


def why_not_comparable(state: MachineState, same_cards: bool) -> str:
    """Why the machine's count of corrections may not be held against the bound; empty when it may."""
    training = state.training
    if training.cards == 0:
        return "the machine has not been trained"
    if not same_cards:
        return "the machine was last trained on other cards"
    if training.mode != "error correction":
        return f"the machine was trained by {training.mode} learning, not by error correction"
    shown = training.passes_done * training.cards + (training.position if training.position < training.cards else 0)
    if state.presentations != shown:
        return "the machine had seen other cards, or these before, so its count is not of this training alone"
    return ""


def _report(state: MachineState, at: ResponseProblem) -> ResponseReport:
    rack = rack_of(state, at)
    corrections = int(state.corrections[at.response])
    return ResponseReport(at, rack, findings_of(at.problem, rack, new_shafts(rack)), corrections, compare(state, at))


def compare(state: MachineState, at: ResponseProblem) -> Comparison:
    """The machine's values beside the ideal run's."""
    ideal, values = Perceptron(at.problem).run(IDEAL_LIMIT), values_of(state, at)
    low, high = state.config.potentiometer.stops or (-np.inf, np.inf)
    angle = angle_degrees(values, ideal.w) if values.any() and ideal.w.any() else None
    ideal_wrong = int((functional_margins(at.problem, ideal.w) <= 0).sum())
    return Comparison(
        ideal, values, angle, _wrong(state, at.problem, values), ideal_wrong,
        tuple(int(a) for a in at.units[values <= low]), tuple(int(a) for a in at.units[values >= high]),
    )  # fmt: skip


def _wrong(state: MachineState, problem: Problem, values: Floats) -> int:
    """Cards this R-unit gets wrong or leaves undecided with these values."""
    response = state.config.response
    sums = problem.X @ values - response.threshold_uv
    return int(np.count_nonzero(problem.y * sums <= response.dead_zone_uv))
