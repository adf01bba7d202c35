"""The dual perceptron: alpha_i counts the corrections on sample i, w = sum alpha_i y_i x_i.

Same decisions and same corrections as the primal form, step for step, but only inner products are used; so a kernel
k(x, z) may stand in their place, and the algorithm then separates what no line can (parity, a ring).
Left out: starts other than zero, for which no counts exist.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.offset import Offset
from mark1.theory.problem import Counts, Floats, Problem

Kernel = Callable[[Floats, Floats], Floats]


def linear_kernel(A: Floats, B: Floats) -> Floats:
    """The plain inner products of the rows of A and B."""
    return np.asarray(A @ B.T, dtype=np.float64)


def polynomial_kernel(degree: int, constant: float = 1.0) -> Kernel:
    """k(x, z) = (x . z + constant)^degree."""
    if degree < 1 or constant < 0:
        raise InputError("A polynomial kernel needs a degree of 1 or more and a constant of 0 or more.")
    return lambda A, B: np.asarray((A @ B.T + constant) ** degree, dtype=np.float64)


def radial_kernel(width: float) -> Kernel:
    """k(x, z) = exp(-|x - z|^2 / (2 width^2))."""
    if not width > 0:
        raise InputError(f"The width of a radial kernel is {width:g}; it must be above 0.")

    def kernel(A: Floats, B: Floats) -> Floats:
        squares = np.sum(A * A, axis=1)[:, None] + np.sum(B * B, axis=1)[None, :] - 2 * A @ B.T
        return np.asarray(np.exp(-np.maximum(squares, 0.0) / (2 * width * width)), dtype=np.float64)

    return kernel


@dataclass(frozen=True, slots=True)
class DualRun:
    """The counts alpha, the offset b, the corrected samples in order, and the samples f is made of."""

    alpha: Counts
    b: float
    indices: Counts
    converged: bool
    problem: Problem
    kernel: Kernel
    extra: float  # added to every kernel value (APPEND_ONE: the fictitious coordinate's product)

    @property
    def corrections(self) -> int:
        """How many corrections were made: the sum of the counts."""
        return int(self.alpha.sum())

    @property
    def w(self) -> Floats:
        """sum alpha_i y_i x_i: the primal w; only the linear kernel has one in the space of the samples."""
        return np.asarray((self.alpha * self.problem.y) @ self.problem.X, dtype=np.float64)

    def decide(self, X: Floats) -> Floats:
        """f(x) for each row of X."""
        products = self.kernel(np.asarray(X, dtype=np.float64), self.problem.X) + self.extra
        return np.asarray(products @ (self.alpha * self.problem.y) + self.b, dtype=np.float64)


def run_dual(
    problem: Problem,
    offset: Offset = Offset.NONE,
    *,
    kernel: Kernel = linear_kernel,
    max_corrections: int = 1_000_000,
) -> DualRun:
    """The dual perceptron from alpha = 0 to the end; with a kernel it is the kernel perceptron."""
    extra = 1.0 if offset is Offset.APPEND_ONE else 0.0
    gram = kernel(problem.X, problem.X) + extra
    gain = {Offset.PLUS_Y: 1.0, Offset.PLUS_Y_R2: float(np.max(np.diag(gram)))}.get(offset, 0.0)
    alpha, b, indices, done = _count_corrections(gram, problem.y, gain, max_corrections)
    return DualRun(alpha, b, np.array(indices, dtype=np.int64), done, problem, kernel, extra)


def _count_corrections(gram: Floats, y: Floats, gain: float, limit: int) -> tuple[Counts, float, list[int], bool]:
    """Cycles over the samples, adding 1 to alpha_i at each mistake; f of all samples is kept up to date."""
    n, b, quiet, i = len(y), 0.0, 0, 0
    alpha, sums = np.zeros(n, dtype=np.int64), np.zeros(n)
    indices: list[int] = []
    while quiet < n and len(indices) < limit:
        if y[i] * (sums[i] + b) <= 0.0:
            alpha[i] += 1
            sums += y[i] * gram[:, i]
            b += float(y[i]) * gain
            indices.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % n
    return alpha, b, indices, quiet >= n
