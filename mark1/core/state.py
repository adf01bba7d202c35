"""What is, as opposed to what happened: a machine's state at one moment, in arrays that nobody can write to."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mark1.core.config import MachineConfig
from mark1.core.response import Codebook
from mark1.core.works import Works

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingState:
    """Where training stands."""

    running: bool
    mode: str
    cards: int
    card: int
    passes: int
    passes_done: int
    position: int
    errors: int
    corrections: int
    error_history: tuple[int, ...]
    correction_history: tuple[int, ...]
    blind: Ints
    outcome: str
    corrected: Ints  # corrections of each R-unit since this training began
    disturbed: bool  # whether anything else has touched values, wiring or settings since then


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineState:
    """S, A and R at one moment. Potentiometers are (banks, A-units); values in microvolts."""

    now_us: int
    fact_number: int
    seed: int
    phase: str
    config: MachineConfig
    level: Floats  # light that each cell shows, 0 to 1, settling included
    cells: Flags  # outputs of the S-units
    toggles: NDArray[np.int8]
    cell_faults: NDArray[np.int8]
    table: NDArray[np.int32]  # wires: (A-units, most wires), signed cell numbers from 1, 0 for none
    thresholds: NDArray[np.int16]
    pulled: Flags
    active: Flags
    feeds: Ints  # the R-unit of every potentiometer
    values: Floats
    speeds: Ints
    health_ppm: Ints
    wiper_noise_uv: Ints
    motors: NDArray[np.int8]  # -1, 0, +1: which way each motor runs now
    sums: Floats
    states: NDArray[np.int8]
    undecided: Flags
    codebook: Codebook
    presentations: int
    errors: int
    runs: int
    end_stops: int
    corrections: Ints
    blind: Ints
    training: TrainingState
    undo_points: int
    notes: dict[str, str]


def state_of(works: Works, undo_points: int) -> MachineState:
    """A copy of what is now."""
    rack, retina, association, counters = works.rack, works.retina, works.association, works.counters
    motors = np.zeros(rack.values.shape, np.int8)
    for run in rack.runs.values():
        motors[list(run.banks)] += run.directions
    state = MachineState(
        now_us=works.now_us,
        fact_number=works.fact_number,
        seed=works.seed,
        phase=works.phase,
        config=works.config,
        level=retina.level(works.now_us) / 1_000_000,
        cells=retina.outputs.copy(),
        toggles=retina.toggles.copy(),
        cell_faults=retina.faults.copy(),
        table=works.plugboard.table.view(),
        thresholds=association.thresholds.copy(),
        pulled=association.pulled.copy(),
        active=association.active.view(),
        feeds=works.sources.feeds.view(),
        values=rack.values_at(works.now_us).copy(),
        speeds=rack.speeds.view(),
        health_ppm=rack.health.view(),
        wiper_noise_uv=rack.wiper_noise.view(),
        motors=motors,
        sums=works.answer.sums.copy(),
        states=works.answer.states.copy(),
        undecided=works.answer.undecided.copy(),
        codebook=works.codebook,
        presentations=counters.presentations,
        errors=counters.errors,
        runs=counters.runs,
        end_stops=counters.end_stops,
        corrections=counters.corrections.copy(),
        blind=counters.blind.copy(),
        training=_training(works),
        undo_points=undo_points,
        notes=dict(works.notes),
    )
    _seal(state)
    _seal(state.training)
    return state


def _training(works: Works) -> TrainingState:
    s = works.sequencer
    return TrainingState(
        running=s.running,
        mode=s.mode,
        cards=0 if s.tray is None else len(s.tray.lights),
        card=works.card,
        passes=s.passes,
        passes_done=s.passes_done,
        position=s.position,
        errors=s.errors,
        corrections=s.corrections,
        error_history=tuple(s.error_history),
        correction_history=tuple(s.correction_history),
        blind=s.blind.copy(),
        outcome=s.outcome,
        corrected=works.counters.corrections - (s.corrected_before if s.tray else works.counters.corrections),
        disturbed=s.disturbed,
    )


def _seal(state: MachineState | TrainingState) -> None:
    for field in fields(state):
        value = getattr(state, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
