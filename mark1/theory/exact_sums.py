"""Sums x_i . v in exact rationals: samples and values become whole numbers over one scale each, and are added as such.

Every float is a whole number times a power of two, so nothing is rounded. Activity of 0 and 1 with short values is
added by NumPy in 64 bits where it cannot overflow, and in Python's own whole numbers where it might.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.theory.problem import Floats

_SMALL = 2**20  # samples of whole numbers up to this size are taken as they are
_SAFE = 2**62  # sums below this fit in 64 bits


def fractions_of(values: Iterable[float]) -> list[Fraction]:
    """The very numbers the floats stand for."""
    return [Fraction(float(v)) for v in values]


@dataclass(frozen=True, slots=True)
class WholeRows:
    """A table of numbers as whole numbers over one scale."""

    rows: NDArray[Any]
    scale: int

    def sizes(self) -> "WholeRows":
        """|x| in place of x."""
        return WholeRows(np.abs(self.rows), self.scale)

    def squares(self) -> "WholeRows":
        """x^2 in place of x."""
        return WholeRows(self.rows * self.rows, self.scale**2)

    def sums(self, values: Sequence[Fraction]) -> list[Fraction]:
        """The sum of x_ia v_a for each row i."""
        scale = lcm(*(v.denominator for v in values))
        whole = [int(v * scale) for v in values]
        largest = int(abs(self.rows).max()) * max(abs(v) for v in whole) * len(whole)
        kind = np.int64 if largest < _SAFE else object
        return [Fraction(int(s), scale * self.scale) for s in self.rows.astype(kind) @ np.array(whole, dtype=kind)]


def whole_rows(X: Floats) -> WholeRows:
    """The samples, exactly."""
    if (np.rint(X) == X).all() and np.abs(X).max() <= _SMALL:
        return WholeRows(X.astype(np.int64), 1)
    exact = fractions_of(X.ravel())
    scale = lcm(*(x.denominator for x in exact))
    return WholeRows(np.array([int(x * scale) for x in exact], dtype=object).reshape(X.shape), scale)
