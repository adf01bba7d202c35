"""Fair timing: rivals take turns, the median of several rounds counts, in processor time (neighbours do not)."""

import statistics
import time
from collections.abc import Callable
from typing import Any


def median_times(rivals: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of processor time of each rival, the median of rounds in which all took turns."""
    taken: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            start = time.process_time()
            run()
            taken[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def figure(value: float, target: float, detail: dict[str, Any], at_most: bool = False) -> dict[str, Any]:
    """One row of the table."""
    met = value <= target if at_most else value >= target
    bound = "at most" if at_most else "at least"
    return {"value": round(value, 3), "target": target, "bound": bound, "met": bool(met), "detail": detail}
