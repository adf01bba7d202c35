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
from mark1.core.potentiometer import WELL_PPM, travel_uv
from mark1.core.state import MachineState
from mark1.theory.problem import Counts, Problem, make_problem
from mark1.theory.rack import Rack, make_rack, shaft_of

Flags = NDArray[np.bool_]


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


def outside_theorem(state: MachineState) -> str:
    """What keeps the rack's theorem from speaking about this machine, in words; empty when nothing does."""
    rule, noise = state.config.reinforcement, state.config.retina.noise_ppm
    reasons = [
        (rule.system != "alpha", f"the theorem does not cover the {rule.system} system"),
        (rule.decay_p != 0, "the theorem does not cover values that decay"),
        (noise != 0, "the theorem does not cover noisy cells, which light other A-units each time"),
        (rule.polarity == "monovalent", "the theorem does not cover correction in one direction only"),
        (not _travel(state).any(), "a run is too short to move any motor"),
    ]
    return next((words for holds, words in reasons if holds), "")


def _travel(state: MachineState) -> NDArray[np.int64]:
    """How far one correction turns each motor: (banks, A-units)."""
    motors = state.config.potentiometer
    speed = state.speeds * state.health_ppm // WELL_PPM
    return travel_uv(speed, motors.lag_us, motors.coast_us, state.config.reinforcement.run_us, None)


def rack_of(state: MachineState, at: ResponseProblem) -> Rack | None:
    """The motors, stops and dead zone behind one R-unit, in microvolts; None where the theorem does not reach.

    A stuck motor's wiper never moves, so its gears count as having no play.
    """
    if outside_theorem(state):
        return None
    motors, response, here = state.config.potentiometer, state.config.response, bank_of(state, at.response)
    travel = _travel(state)[here, at.units].astype(np.float64)
    low, high = motors.stops or (-np.inf, np.inf)
    return make_rack(
        travel, stop=high, low=low, backlash=np.where(travel > 0, float(motors.backlash_uv), 0.0),
        wear=state.wiper_noise_uv[here, at.units].astype(np.float64),
        dead_zone=response.dead_zone_uv, threshold=response.threshold_uv,
    )  # fmt: skip


def shafts_of(rack: Rack, values: NDArray[np.float64], lash: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the motors stand for these values and this lash, in microvolts; a stuck motor has no play."""
    return shaft_of(rack, values, np.where(rack.stuck, 0.0, lash))


def new_shafts(rack: Rack) -> NDArray[np.float64]:
    """Where the motors of a new machine stand: values 0, and the lash half taken up in whole microvolts (core)."""
    return shafts_of(rack, np.zeros_like(rack.travel), np.floor(rack.backlash / 2))
