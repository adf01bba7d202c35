"""From a machine and its cards to the theory's arrays, and back: how far the motors' values are from the ideal run's.

For each R-unit: the findings of the theory on the machine's own activity, the corrections since the machine's last
training began, and the textbook's perceptron run on the same cards in the same order. Bounds belong to one R-unit each.
The corrections are set beside the bound only where theory/training.py allows it; otherwise the report says why not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.core import snapshot
from mark1.core.machine import Mark1
from mark1.core.state import MachineState
from mark1.errors import InputError
from mark1.theory.findings import Findings
from mark1.theory.margins import angle_degrees, functional_margins
from mark1.theory.perceptron import Perceptron, Run
from mark1.theory.problem import Floats, Problem
from mark1.theory.rack import Rack
from mark1.theory.response import ResponseProblem, activity, rack_of, response_problems, values_of
from mark1.theory.training import Account, account_of, examine_response, tray_lights

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
    corrections: int  # since the machine's last training began
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
    sequencer = snapshot.unpack(machine.save())["sequencer"]
    tray = sequencer["tray"]
    if tray is None:
        raise InputError("This machine has never been trained, so it holds no cards; name a card set with --cards.")
    if sequencer["mode"] == "spontaneous":  # what stands in the tray's targets then is nobody's answer
        raise InputError("This machine learned spontaneously: it was told no classes; name a card set with --cards.")
    return tray_lights(tray), tray["targets"]


def examine_machine(machine: Mark1, lights: Any, targets: Any) -> MachineReport:
    """Examines every R-unit of a machine for these cards."""
    state, active = machine.state(), activity(machine, lights)
    found = response_problems(active, targets, state.feeds)
    if not found:
        raise InputError("No card has a target for any R-unit; give targets of +1 or -1.")
    account = account_of(machine, lights, targets)
    reports = tuple(_report(state, at, account) for at in found)
    shuffled = snapshot.unpack(machine.save())["sequencer"]["order"] == "shuffled"
    return MachineReport(reports, len(active), float(active.mean()), account.why_not, shuffled)


def _report(state: MachineState, at: ResponseProblem, account: Account) -> ResponseReport:
    *_, findings = examine_response(state, at, account)
    corrections = int(state.training.corrected[at.response])
    return ResponseReport(at, rack_of(state, at), findings, corrections, compare(state, at))


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
