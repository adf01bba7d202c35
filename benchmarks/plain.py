"""The baselines: the shortest loops a numpy user would write for the same machine. No motors, no facts, no time."""

from typing import Any

import numpy as np

from mark1 import Mark1

STEP = 550_000.0


def dense_wiring(machine: Mark1) -> Any:
    """The plugboard as a (cells, A-units) matrix of +1, -1 and 0."""
    state = machine.state()
    cells = state.config.retina.cells
    matrix = np.zeros((cells, len(state.table)))
    unit = np.repeat(np.arange(len(state.table)), state.table.shape[1])
    wire = state.table.ravel()
    matrix[np.abs(wire[wire != 0]) - 1, unit[wire != 0]] = np.sign(wire[wire != 0])
    return matrix


def feeding(machine: Mark1) -> Any:
    """1 where an A-unit feeds an R-unit: (R-units, A-units)."""
    state = machine.state()
    if state.values.shape[0] > 1:
        return np.ones((len(state.states), len(state.active)))
    return (state.feeds[0] == np.arange(len(state.states))[:, None]).astype(np.float64)


def dense_loop(lights: Any, targets: Any, wiring: Any, feeds: Any, threshold: int, passes: int) -> Any:
    """S to A by a dense product, A to R by another, error correction."""
    values = np.zeros(feeds.shape)
    for light, target in list(zip(lights, targets, strict=True)) * passes:
        active = (light @ wiring >= threshold).astype(np.float64)
        wrong = (values @ active) * target <= 0
        if wrong.any():
            values[wrong] += STEP * target[wrong, None] * active * feeds[wrong]
    return values


def take_loop(lights: Any, targets: Any, table: Any, feeds: Any, threshold: int, passes: int) -> Any:
    """The same, S to A by gathering: the best that plain numpy can do for one card."""
    cells = lights.shape[1]
    index = np.where(table > 0, table - 1, cells - table - 1).T.copy()
    signal = np.zeros(2 * cells, np.int8)
    values = np.zeros(feeds.shape)
    for light, target in list(zip(lights.astype(np.int8), targets, strict=True)) * passes:
        signal[:cells] = light
        signal[cells:] = -light
        active = (np.take(signal, index).sum(axis=0, dtype=np.int8) >= threshold).astype(np.float64)
        wrong = (values @ active) * target <= 0
        if wrong.any():
            values[wrong] += STEP * target[wrong, None] * active * feeds[wrong]
    return values
