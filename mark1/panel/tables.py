"""What EXPORT writes besides the picture: the values and the training's history, as CSV."""

import numpy as np

from mark1.core.state import MachineState


def values_csv(state: MachineState) -> str:
    """One line for each potentiometer; units and R-units counted from 1, values in microvolts."""
    lines = ["a_unit,r_unit,value_uv,active,pulled"]
    for bank in range(state.values.shape[0]):
        for unit in range(state.values.shape[1]):
            flags = f"{int(state.active[unit])},{int(state.pulled[unit])}"
            lines.append(f"{unit + 1},{int(state.feeds[bank, unit]) + 1},{int(state.values[bank, unit])},{flags}")
    return "\n".join(lines) + "\n"


def training_csv(state: MachineState) -> str:
    """One line for each pass: the chart as numbers."""
    training = state.training
    total = np.cumsum(training.correction_history, dtype=np.int64)
    first = training.passes_done - len(training.error_history) + 1
    lines = ["pass,errors,corrections,corrections_so_far"]
    for i, (errors, made) in enumerate(zip(training.error_history, training.correction_history, strict=True)):
        lines.append(f"{first + i},{errors},{made},{int(total[i])}")
    return "\n".join(lines) + "\n"
