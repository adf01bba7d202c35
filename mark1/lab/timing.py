"""The perceptron against the quadratic program on the same data, timed. The clock is passed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mark1.theory.margins import geometric_margin
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import Problem, make_problem
from mark1.theory.svm import solve_primal

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds for each program on one problem, and the margin the perceptron reached as a share of the widest."""

    n: int
    d: int
    perceptron_s: float
    program_s: float
    corrections: int
    margin_share: float


def timing_problem(n: int, d: int, seed: int = 1) -> Problem:
    """Random samples separable through the origin with a gap, so that both programs have an answer."""
    rng = np.random.Generator(np.random.PCG64(seed))
    X = 2 * rng.random((n, d)) - 1
    normal = np.ones(d) / np.sqrt(d)
    X += np.outer(np.where(X @ normal > 0, 0.15, -0.15), normal)
    return make_problem(X, np.where(X @ normal > 0, 1, -1))


def time_programs(clock: Clock, sizes: Sequence[int], d: int = 20, rounds: int = 3) -> list[Timing]:
    """Times both programs for each n, interleaved; the median of several rounds."""
    solve_primal(timing_problem(10, 2), None, False)  # loads the solver, which is not part of the time
    return [_time_one(clock, timing_problem(n, d), rounds) for n in sizes]


def _time_one(clock: Clock, problem: Problem, rounds: int) -> Timing:
    single, program = [], []
    for _ in range(rounds):
        start = clock()
        run = run_perceptron(problem)
        middle = clock()
        best = solve_primal(problem, None, False)
        end = clock()
        single.append(middle - start)
        program.append(end - middle)
    share = geometric_margin(problem, run.w) / best.margin
    return Timing(problem.n, problem.d, float(np.median(single)), float(np.median(program)), run.corrections, share)
