"""The convergence theorems: how many corrections the perceptron can make at most, from w = 0.

Through the origin: (R / gamma)^2. With b += y R^2: 2 R^2 |w~*|^2 / gamma*^2, w~* = (w*, b*/R), gamma* the functional
margin of (w*, b*). For the two other ways the first bound holds in one dimension more. Any separator gives a valid
bound; the largest margin gives the least one. Bounds belong to one R-unit each and are never summed.
A bound is computed from its separator in exact fractions: a float just below a whole number, rounded down, would be
one too few. The theorem for motors, stops and dead zone is in rack.py.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.exact_sums import fractions_of, whole_rows
from mark1.theory.margins import functional_margin, geometric_margin
from mark1.theory.offset import Offset, lifted, lower_vector
from mark1.theory.problem import Floats, Problem
from mark1.theory.svm import hard_margin


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on corrections with the separator (w*, b*) that proves it and its margin and radius."""

    exact: Fraction
    offset: Offset
    w: Floats
    b: float
    gamma: float  # geometric in the space where the run passes through the origin
    R: float  # of the samples as given

    @property
    def corrections(self) -> float:
        """The bound as a number to draw or to print with a fraction."""
        return float(self.exact)

    @property
    def most(self) -> int:
        """The most corrections it allows: a whole number."""
        return floor(self.exact)


def bound_from(problem: Problem, offset: Offset, w: Floats, b: float = 0.0) -> Bound:
    """The bound that one separator proves."""
    if offset is Offset.PLUS_Y_R2:
        length = float(np.sqrt(np.dot(w, w) + b * b / problem.R**2))
        exact, gamma = _offset_bound(problem, w, b), functional_margin(problem, w, b) / length
        return Bound(exact, offset, w, b, gamma, problem.R)
    flat = lifted(problem, offset)
    vector = w if offset is Offset.NONE else np.append(w, b)
    return Bound(_origin_bound(flat, vector), offset, w, b, geometric_margin(flat, vector), problem.R)


def best_bound(problem: Problem, offset: Offset) -> Bound:
    """The least bound the theorem gives: that of the largest margin in the space where the run has no offset."""
    widest = hard_margin(lifted(problem, offset), with_offset=False)
    w, b = lower_vector(widest.w, offset, problem.R)
    return bound_from(problem, offset, w, b)


def _origin_bound(problem: Problem, w: Floats) -> Fraction:
    """R^2 |w|^2 / m^2, m the functional margin of w: the same as (R / gamma)^2, without a root."""
    radius, margin = _radius_and_margin(problem, w, 0.0)
    return radius * sum((v * v for v in fractions_of(w)), Fraction(0)) / margin**2


def _offset_bound(problem: Problem, w: Floats, b: float) -> Fraction:
    """2 R^2 (|w|^2 + b^2 / R^2) / m^2, m the functional margin of (w, b)."""
    radius, margin = _radius_and_margin(problem, w, b)
    return 2 * (radius * sum((v * v for v in fractions_of(w)), Fraction(0)) + Fraction(b) ** 2) / margin**2


def _radius_and_margin(problem: Problem, w: Floats, b: float) -> tuple[Fraction, Fraction]:
    """R^2 and the functional margin, exactly; no margin is one sentence."""
    rows = whole_rows(problem.X)
    sums = rows.sums(fractions_of(w))
    margin = min(int(y) * (s + Fraction(b)) for y, s in zip(problem.y, sums, strict=True))
    if margin <= 0:
        raise InputError(
            f"The margin is {float(margin):g}; the theorem speaks only of separators, whose margin is above 0."
        )
    return max(rows.squares().sums([Fraction(1)] * problem.d)), margin
