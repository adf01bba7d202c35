"""Times the theory bench against plain baselines: python benchmarks/theory_programs.py [--json].

Ratios to a baseline timed in the same run, interleaved, median of five rounds:
the quadratic program and scikit-learn's SVC to the perceptron; the dual perceptron to the primal; the verdict to the
quadratic program; and what an offer and a poll of the panel's watch cost, in microseconds.
"""

import json
import sys
import threading
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

from mark1.lab.timing import timing_problem
from mark1.theory.dual import run_dual
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import Problem
from mark1.theory.separability import verdict
from mark1.theory.svm import solve_primal
from mark1.theory.watch import ArraysJob, TheoryWatch

ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def ratios(problem: Problem) -> dict[str, float]:
    """Each program's time as a multiple of the perceptron's."""
    from sklearn.svm import SVC

    programs: dict[str, Callable[[], object]] = {
        "perceptron": lambda: run_perceptron(problem),
        "dual perceptron": lambda: run_dual(problem),
        "quadratic program (1e-10)": lambda: solve_primal(problem, None, True),
        "scikit-learn SVC (1e-3)": lambda: SVC(kernel="linear", C=1e6).fit(problem.X, problem.y),
        "verdict with certificate": lambda: verdict(problem),
    }
    for work in programs.values():
        work()  # imports and caches are not part of the time
    times = {name: [seconds(work) for _ in range(ROUNDS)] for name, work in programs.items()}
    base = median(times["perceptron"])
    return {name: median(found) / base for name, found in times.items()}


def watch_costs() -> dict[str, float]:
    """Microseconds of an offer and of a poll in a loop of 60 frames a second while the worker is busy; the slowest."""
    watch = TheoryWatch()
    rng = np.random.default_rng(0)
    jobs = [ArraysJob(r, (rng.random((600, 200)) < 0.2).astype(float), rng.choice([-1, 1], 600)) for r in range(8)]
    watch.offer_arrays(jobs)
    frame, offers, polls = threading.Event(), [], []
    for number in range(180):
        if number % 30 == 0:
            offers.append(seconds(lambda: watch.offer_arrays(jobs)))
        polls.append(seconds(watch.poll))
        frame.wait(1 / 60)
    watch.close()
    return {"slowest offer, us": 1e6 * max(offers), "slowest poll, us": 1e6 * max(polls)}


def main() -> None:
    """Prints a table, or JSON."""
    sizes = [(50, 20), (500, 20), (500, 100)]
    found = {f"n = {n}, d = {d}": ratios(timing_problem(n, d)) for n, d in sizes}
    costs = watch_costs()
    if "--json" in sys.argv:
        print(json.dumps({"ratio_to_perceptron": found, "watch": costs}, indent=1))
        return
    for title, table in found.items():
        print(title)
        for name, ratio in table.items():
            print(f"  {name:28} {ratio:8.2f} x the perceptron")
    for name, cost in costs.items():
        print(f"{name:30} {cost:8.1f}")


if __name__ == "__main__":
    main()
