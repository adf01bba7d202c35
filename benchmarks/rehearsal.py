"""Rehearsal against scikit-learn: 10,000 cards of 8 letters, 20 passes, EXPANDED with stops and unequal motors.

scikit-learn is given the A-units' activity; so is the rehearsal (the tray has been looked at before the clock starts;
what looking costs is printed). Beside it: random labels, HISTORIC, and rehearsal against the live machine.
"""

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mark1 import EXPANDED, HISTORIC, IDEAL, MachineConfig, Mark1
from mark1.core import compiled
from mark1.core.config import MODES, SYSTEMS

from . import letters
from .timing import figure, median_times

PASSES = 20


def _activity(lights: Any) -> Any:
    """What the A-units of EXPANDED, seed 1, make of the cards."""
    machine = Mark1(EXPANDED, 1)
    active = np.zeros((len(lights), machine.config.association.units))
    for i, light in enumerate(lights):
        machine.present(light)
        machine.settle()
        active[i] = machine.state().active
    return active


def _sklearn(active: Any, targets: Any) -> Callable[[], None]:
    from sklearn.linear_model import Perceptron

    def fit() -> None:
        for column in targets.T:
            Perceptron(max_iter=PASSES, tol=None, shuffle=False, fit_intercept=False).fit(active, column)

    return fit


class _Ready:
    """A machine that has looked at its tray (one presentation made); each go starts from there."""

    def __init__(self, config: MachineConfig, lights: Any, targets: Any, engine: str) -> None:
        self.engine = engine
        self.lights, self.targets, self.config = lights, targets, config
        self.machines: list[Mark1] = []
        self.looking_s = 0.0

    def prepare(self, rounds: int) -> None:
        for _ in range(rounds):
            machine = Mark1(self.config, 1)
            start = time.process_time()
            machine.rehearse(self.lights, self.targets, passes=PASSES, max_presentations=1, engine=self.engine)
            self.looking_s = time.process_time() - start
            self.machines.append(machine)

    def go(self) -> None:
        self.machines.pop().rehearse(engine=self.engine)


def measure(rounds: int = 5, cards: int = 10_000) -> dict[str, Any]:
    """rehearsal_vs_sklearn and rehearsal_fast_vs_sklearn."""
    lights, targets = letters.cards(cards)
    chance = np.where(np.eye(8)[np.random.default_rng(2).integers(0, 8, cards)] > 0, 1, -1)
    engines = ["numpy", *(["compiled"] if compiled.available() else [])]
    rivals: dict[str, Callable[[], object]] = {"sklearn": _sklearn(_activity(lights), targets)}
    ready = {}
    for engine in engines:
        Mark1(EXPANDED, 1).rehearse(lights[:8], targets[:8], engine=engine)  # compile before the clock starts
        ready[f"{engine}"] = _Ready(EXPANDED, lights, targets, engine)
        ready[f"{engine} random labels"] = _Ready(EXPANDED, lights, chance, engine)
        ready[f"{engine} HISTORIC"] = _Ready(HISTORIC, lights, targets, engine)
    slow = [name for name in ready if name not in engines]
    for name in engines:
        ready[name].prepare(rounds)
        rivals[name] = ready[name].go
    times = median_times(rivals, rounds)
    for name in slow:
        ready[name].prepare(1)
        times |= median_times({name: ready[name].go}, 1)
    rows = _rows(times, engines)
    rows["rehearsal_vs_sklearn"]["detail"]["looking_at_the_cards_s"] = round(ready["numpy"].looking_s, 3)
    return rows


def _rows(times: dict[str, float], engines: list[str]) -> dict[str, Any]:
    def detail(engine: str) -> dict[str, Any]:
        ratios = {name: round(times["sklearn"] / t, 3) for name, t in times.items() if name.startswith(engine)}
        return {"sklearn_s": round(times["sklearn"], 3), "ratios": ratios}

    rows = {"rehearsal_vs_sklearn": figure(times["sklearn"] / times["numpy"], 2.0, detail("numpy"))}
    if "compiled" in engines:
        value = times["sklearn"] / times["compiled"]
        rows["rehearsal_fast_vs_sklearn"] = figure(value, 15.0, detail("compiled"))
    else:
        missing = {"missing": "numba; install the extra: pip install 'mark1-perceptron[fast]'"}
        rows["rehearsal_fast_vs_sklearn"] = figure(0.0, 15.0, missing)
    return rows


def measure_against_live(rounds: int = 3, cards: int = 300) -> dict[str, Any]:
    """rehearsal_vs_live: the worst of every preset x mode x system, with and without the compiled engine."""
    lights, targets = letters.cards(cards)
    worst: dict[str, float] = {}
    table: dict[str, dict[str, float]] = {}
    engines = ["numpy", *(["compiled"] if compiled.available() else [])]
    for config, mode, system in itertools.product((HISTORIC, IDEAL, EXPANDED), MODES, SYSTEMS):
        made = config.with_(reinforcement__system=system)
        rivals: dict[str, Callable[[], object]] = {
            "live": lambda made=made, mode=mode: Mark1(made, 1).train(lights, targets, mode, 2)
        }
        for engine in engines:
            Mark1(made, 1).rehearse(lights[:4], targets[:4], mode, engine=engine)
            rivals[engine] = lambda made=made, mode=mode, engine=engine: Mark1(made, 1).rehearse(
                lights, targets, mode, 2, engine=engine
            )
        times = median_times(rivals, rounds)
        row = {engine: round(times["live"] / times[engine], 2) for engine in engines}
        table[f"{config.name.split()[0]}, {mode}, {system}"] = row
        worst = {engine: min(ratio, worst.get(engine, ratio)) for engine, ratio in row.items()}
    rows = {"rehearsal_vs_live": figure(worst["numpy"], 1.5, table)}
    if "compiled" in worst:
        rows["rehearsal_fast_vs_live"] = figure(worst["compiled"], 3.0, {"see": "rehearsal_vs_live"})
    return rows
