"""What the program costs to have: the time to import it, and the memory that a million live cycles add."""

import os
import subprocess
import sys
import time
from typing import Any

from mark1 import HISTORIC, Mark1

from . import letters
from .timing import figure

DEPENDENCIES = "import numpy, pygame, PIL.Image"


def _seconds(codes: tuple[str, ...], rounds: int) -> list[float]:
    """For each code the fastest of several fresh interpreters, taking turns: what else the system does can only add."""
    environment = {**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs come with their bytecode; so shall we
    times: list[list[float]] = [[] for _ in codes]
    for _ in range(rounds + 1):
        for code, taken in zip(codes, times, strict=True):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment, stdout=subprocess.DEVNULL)
            taken.append(time.perf_counter() - start)
    return [min(taken[1:]) for taken in times]


def measure_import(rounds: int = 7) -> dict[str, Any]:
    """import_vs_dependencies: `import mark1` against numpy + pygame-ce + Pillow."""
    bare, with_mark1, with_libraries = _seconds(("pass", "import mark1", DEPENDENCIES), rounds)
    ours, theirs = with_mark1 - bare, with_libraries - bare
    detail = {"mark1_ms": round(ours * 1e3, 1), "dependencies_ms": round(theirs * 1e3, 1)}
    return {"import_vs_dependencies": figure(ours / theirs, 1.0, detail, at_most=True)}


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_memory(cycles: int = 1_000_000) -> dict[str, Any]:
    """rss_growth_mb_1m_cycles: resident memory before and after a million presentations by the event loop."""
    lights, targets = letters.cards(100)
    machine = Mark1(HISTORIC, 1)
    machine.train(lights, targets, passes=0, max_presentations=min(20_000, cycles // 10))
    if not os.path.exists("/proc/self/statm"):  # noqa: PTH110
        return {"rss_growth_mb_1m_cycles": figure(0.0, 5.0, {"skipped": "only measured on Linux"}, at_most=True)}
    before = _resident_mb()
    machine.train(max_presentations=cycles)
    grown = _resident_mb() - before
    return {"rss_growth_mb_1m_cycles": figure(grown, 5.0, {"cycles": cycles, "resident_mb": round(before, 1)}, True)}
