"""The convergence theorems: how many corrections the perceptron can make at most, from w = 0.

Through the origin: (R / gamma)^2. With b += y R^2: 2 R^2 |w~*|^2 / gamma*^2, w~* = (w*, b*/R), gamma* the functional
margin of (w*, b*). For the two other ways the first bound holds in one dimension more. Any separator gives a valid
bound; the largest margin gives the least one. Bounds belong to one R-unit each and are never summed.
The theorem for motors, stops and dead zone is in rack.py.
"""

from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.margins import functional_margin, geometric_margin
from mark1.theory.offset import Offset, lifted, lower_vector
from mark1.theory.problem import Floats, Problem
from mark1.theory.svm import hard_margin


def origin_bound(R: float, gamma: float) -> float:
    """(R / gamma)^2 for a geometric margin gamma through the origin."""
    _refuse_no_margin(gamma)
    return (R / gamma) ** 2


def offset_bound(R: float, w: Floats, b: float, gamma: float) -> float:
    """2 R^2 (|w|^2 + b^2 / R^2) / gamma^2 for a functional margin gamma of (w, b)."""
    _refuse_no_margin(gamma)
    return 2 * R * R * (float(np.dot(w, w)) + b * b / (R * R)) / gamma**2


def _refuse_no_margin(gamma: float) -> None:
    if not gamma > 0:
        raise InputError(f"The margin is {gamma:g}; the theorem speaks only of separators, whose margin is above 0.")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on corrections with the separator (w*, b*) that proves it and its margin and radius."""

    corrections: float
    offset: Offset
    w: Floats
    b: float
    gamma: float  # geometric in the space where the run passes through the origin
    R: float  # of the samples as given


def bound_from(problem: Problem, offset: Offset, w: Floats, b: float = 0.0) -> Bound:
    """The bound that one separator proves."""
    if offset is Offset.PLUS_Y_R2:
        gamma = functional_margin(problem, w, b)
        length = float(np.sqrt(np.dot(w, w) + b * b / problem.R**2))
        return Bound(offset_bound(problem.R, w, b, gamma), offset, w, b, gamma / length, problem.R)
    flat = lifted(problem, offset)
    vector = w if offset is Offset.NONE else np.append(w, b)
    gamma = geometric_margin(flat, vector)
    return Bound(origin_bound(flat.R, gamma), offset, w, b, gamma, problem.R)


def best_bound(problem: Problem, offset: Offset) -> Bound:
    """The least bound the theorem gives: that of the largest margin in the space where the run has no offset."""
    widest = hard_margin(lifted(problem, offset), with_offset=False)
    w, b = lower_vector(widest.w, offset, problem.R)
    return bound_from(problem, offset, w, b)
