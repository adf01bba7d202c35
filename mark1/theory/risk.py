"""The perceptron risk R(w) = sum over misclassified i of -y_i w . x_i, and descent on it.

R is convex, never negative, made of flat pieces; its creases lie where some w . x_i = 0. Its least value 0 is also
reached at w = 0, which separates nothing: so a start away from 0 is needed, and y_i x_i is a good one.
Batch descent takes the whole sum over the misclassified in each step, O(nd). The line search beside it needs no step
size: it finds the exact minimum along the descent direction. On a surface with creases a steepest-descent line search
can find no way down at a crease; then a plain step is taken, and the run says how often.
"""

from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.perceptron import first_signed_sample
from mark1.theory.problem import Floats, Problem


def risk(problem: Problem, w: Floats) -> float:
    """R(w): how deep the misclassified samples lie on the wrong side, summed, in units of |w|."""
    values = problem.signed @ w
    return float(-values[values < 0].sum()) + 0.0


def risk_many(problem: Problem, W: Floats) -> Floats:
    """R at each row of W."""
    return np.asarray(np.maximum(-(W @ problem.signed.T), 0.0).sum(axis=1), dtype=np.float64)


def misclassified(problem: Problem, w: Floats) -> Floats:
    """The set V as a mask: samples with y_i w . x_i <= 0."""
    return np.asarray(problem.signed @ w <= 0.0)


def risk_gradient(problem: Problem, w: Floats) -> Floats:
    """-sum over V of y_i x_i; on a crease this is one subgradient of several."""
    return np.asarray(-problem.signed[misclassified(problem, w)].sum(axis=0), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Descent:
    """The points visited (the start first), the risk at each, whether all samples ended right, plain steps taken."""

    path: Floats
    risks: Floats
    converged: bool
    plain_steps: int = 0

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.path) - 1

    @property
    def w(self) -> Floats:
        """The last point."""
        return np.asarray(self.path[-1])


def batch_descent(
    problem: Problem,
    *,
    step: float = 1.0,
    start: Floats | None = None,
    line_search: bool = False,
    max_steps: int = 100_000,
) -> Descent:
    """Gradient descent on the risk until no sample is misclassified or max_steps is reached."""
    if not step > 0:
        raise InputError(f"The step size is {step:g}; it must be a number above 0.")
    w = first_signed_sample(problem) if start is None else np.array(start, dtype=np.float64)
    path, plain = [w], 0
    while misclassified(problem, w).any() and len(path) <= max_steps:
        direction = -risk_gradient(problem, w)
        length = best_step(problem, w, direction) if line_search else step
        if length == 0.0:
            length, plain = step, plain + 1
        w = w + length * direction
        path.append(w)
    risks = risk_many(problem, np.array(path))
    return Descent(np.array(path), risks, not misclassified(problem, w).any(), plain)


def best_step(problem: Problem, w: Floats, direction: Floats) -> float:
    """The t > 0 at which R(w + t direction) is least, or 0 when no t brings it down.

    Where the least value is taken on an interval, its middle (or one unit past its start when it has no end).
    """
    values, slopes = problem.signed @ w, problem.signed @ direction
    crossing = np.flatnonzero((values * slopes < 0) & (slopes != 0))
    times = np.unique(-values[crossing] / slopes[crossing])
    candidates = np.concatenate([[0.0], times])
    risks = np.maximum(-(values + candidates[:, None] * slopes), 0.0).sum(axis=1)
    least = np.flatnonzero(risks <= risks.min() + 1e-12 * (1 + risks[0]))
    first, last = candidates[least[0]], candidates[least[-1]]
    if risks[0] > 0 and first == 0.0 and last == 0.0:
        return 0.0
    if least[-1] == len(candidates) - 1 and not (slopes[values + last * slopes <= 0] < 0).any():
        return float(last + 1.0)
    return float((first + last) / 2 if last > first else last)
