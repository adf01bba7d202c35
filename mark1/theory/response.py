"""From a machine to problems: the activity of the A-units for each card, and the motors behind each R-unit.

A sample is the activity of the A-units that feed one R-unit; the label is that R-unit's target; cards with target 0 are
not asked of it. The machine is asked through its one door, on a copy: each card is presented and the A-units that
fire are read off. So pulled units, dead cells, toggles and changed wires all count.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core.commands import StopTraining
from mark1.core.errors import InputError
from mark1.core.machine import Mark1
from mark1.core.potentiometer import travel_uv
from mark1.core.state import MachineState
from mark1.theory.problem import Counts, Problem, make_problem
from mark1.theory.rack import Rack, make_rack, shaft_of

Flags = NDArray[np.bool_]
MICROVOLTS_FULL_HEALTH = 1_000_000  # health is in parts per million


@dataclass(frozen=True, slots=True)
class ResponseProblem:
    """The problem one R-unit has to solve: its samples, the A-units behind them, and which cards they are."""

    response: int
    problem: Problem
    units: Counts
    cards: Counts


def copy_at_rest(machine: Mark1) -> Mark1:
    """A copy to ask questions of; the original keeps its clock and counters."""
    copy = Mark1.restored(machine.save())
    if copy.state().training.running:
        copy.submit(StopTraining())
    copy.settle()
    return copy


def activity(machine: Mark1, lights: Any) -> Flags:
    """Which A-units fire for each card: (cards, A-units)."""
    copy = copy_at_rest(machine)
    rows = []
    for light in lights:
        copy.present(light)
        copy.settle()
        rows.append(copy.state().active)
    return np.array(rows, dtype=np.bool_)


def response_problem(active: Flags, targets: Any, feeds: Counts, response: int) -> ResponseProblem | None:
    """The problem of one R-unit, or None when no card is asked of it. feeds is (banks, A-units)."""
    wanted = np.asarray(targets)
    if wanted.ndim != 2 or len(wanted) != len(active):
        raise InputError(f"There are {len(active)} cards but targets of shape {wanted.shape}; give a row for each.")
    cards = np.flatnonzero(wanted[:, response])
    if not len(cards):
        return None
    units = np.flatnonzero((feeds == response).any(axis=0))
    problem = make_problem(active[np.ix_(cards, units)], wanted[cards, response], one_class_ok=True)
    return ResponseProblem(response, problem, units, cards)


def response_problems(active: Flags, targets: Any, feeds: Counts) -> list[ResponseProblem]:
    """The problems of all R-units that are asked anything."""
    found = [response_problem(active, targets, feeds, r) for r in range(np.asarray(targets).shape[1])]
    return [each for each in found if each is not None]


def bank_of(state: MachineState, response: int) -> int:
    """The bank of potentiometers that holds an R-unit's values."""
    return 0 if len(state.feeds) == 1 else response


def values_of(state: MachineState, at: ResponseProblem) -> NDArray[np.float64]:
    """The values of one R-unit's potentiometers, in microvolts."""
    return np.array(state.values[bank_of(state, at.response), at.units])


def rack_of(state: MachineState, at: ResponseProblem) -> Rack | None:
    """The motors, stops and dead zone behind one R-unit, in microvolts; None where the theorem does not reach.

    It does not reach other systems than alpha, decay, noise, and motors that do not move.
    """
    config, bank = state.config, bank_of(state, at.response)
    motors, rule = config.potentiometer, config.reinforcement
    steady = rule.system == "alpha" and rule.decay_p == 0 and config.retina.noise_ppm == 0
    if not steady or rule.polarity == "monovalent" or state.wiper_noise_uv[bank, at.units].any():
        return None
    speed = state.speeds[bank, at.units] * state.health_ppm[bank, at.units] // MICROVOLTS_FULL_HEALTH
    travel = travel_uv(speed, motors.lag_us, motors.coast_us, rule.run_us, None).astype(np.float64)
    if not (travel > 0).all():
        return None
    low, high = motors.stops or (-np.inf, np.inf)
    return make_rack(
        travel, stop=high, low=low, backlash=float(motors.backlash_uv),
        dead_zone=config.response.dead_zone_uv, threshold=config.response.threshold_uv,
    )  # fmt: skip


def new_shafts(rack: Rack | None) -> NDArray[np.float64] | None:
    """Where the motors of a new machine stand: values 0, and the lash half taken up in whole microvolts (core)."""
    if rack is None:
        return None
    return shaft_of(rack, np.zeros_like(rack.travel), np.floor(rack.backlash / 2))
