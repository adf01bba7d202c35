"""The proof of the convergence theorem, live: its inequalities checked at every correction.

With |w~*| = 1, w_0 = 0 and eps = 1, after k corrections: w~* . w~_k >= k gamma and |w~_k|^2 <= k R^2 (2 k R^2 for
b += y R^2). So the cosine between them is at least sqrt(k) gamma / R, and since no cosine passes 1, k is bounded.
Each correction also raises y f(x) by exactly |x~|^2 (|x|^2 + R^2 for b += y R^2).
A recorder is given to Perceptron as its watcher; it keeps numbers only, never a copy of w.
"""

from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.bounds import Bound
from mark1.theory.offset import Offset, extra_coordinate, lift_vector
from mark1.theory.perceptron import Correction
from mark1.theory.problem import Floats, Problem


@dataclass(frozen=True, slots=True)
class ProofTrace:
    """One row for each correction k = 1, 2, ...: the two sides of each inequality, the cosine, the gain."""

    k: Floats
    projection: Floats  # w~* . w~_k
    projection_least: Floats  # k gamma
    square: Floats  # |w~_k|^2
    square_most: Floats  # k R^2, or 2 k R^2
    cosine: Floats
    cosine_least: Floats  # sqrt(k) gamma / R
    gain: Floats  # y f(x) after minus before
    gain_expected: Floats  # |x~|^2

    def violations(self, tolerance: float = 1e-9) -> list[str]:
        """Every inequality that failed by more than rounding, in words; empty when the proof holds."""
        checks = [
            ("w*.w_k >= k gamma", self.projection_least - self.projection, self.projection_least),
            ("|w_k|^2 <= k R^2", self.square - self.square_most, self.square_most),
            ("cosine >= sqrt(k) gamma / R", self.cosine_least - self.cosine, np.ones_like(self.k)),
            ("cosine <= 1", self.cosine - 1.0, np.ones_like(self.k)),
            ("gain = |x|^2", np.abs(self.gain - self.gain_expected), self.square_most),
        ]
        return [
            f"{name} fails at k = {int(self.k[i])}"
            for name, excess, scale in checks
            for i in np.flatnonzero(excess > tolerance * np.abs(scale))
        ]


class ProofRecorder:
    """Watches a run from w = 0 with eps = 1 and writes down both sides of each inequality."""

    def __init__(self, problem: Problem, bound: Bound) -> None:
        self.problem, self.offset = problem, bound.offset
        self.extra = extra_coordinate(bound.offset, bound.R)
        star = lift_vector(bound.w, bound.b, bound.offset, bound.R)
        self.star = star / np.linalg.norm(star)
        self.gamma, self.R = bound.gamma, bound.R
        self.rows: list[tuple[float, ...]] = []

    def __call__(self, correction: Correction) -> None:
        """Records one correction."""
        if correction.number != len(self.rows) + 1:
            raise InputError("The recorder joined late; the proof starts at w = 0 with the first correction.")
        w = lift_vector(correction.w, correction.b, self.offset, self.R)
        x = self.problem.X[correction.index]
        length = float(x @ x) + self.extra**2
        gain = correction.after - correction.before
        self.rows.append((correction.number, float(self.star @ w), float(w @ w), gain, length))

    @property
    def square_step(self) -> float:
        """What |w~|^2 can grow by in one correction: R^2, R^2 + 1 or 2 R^2."""
        return self.R**2 + self.extra**2 if self.offset is not Offset.PLUS_Y_R2 else 2 * self.R**2

    def trace(self) -> ProofTrace:
        """What was recorded, as arrays."""
        k, projection, square, gain, length = np.array(self.rows, dtype=np.float64).reshape(-1, 5).T
        cosine = projection / np.sqrt(square)
        least = np.sqrt(k) * self.gamma / np.sqrt(self.square_step)
        return ProofTrace(k, projection, k * self.gamma, square, k * self.square_step, cosine, least, gain, length)
