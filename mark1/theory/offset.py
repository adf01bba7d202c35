"""The four ways the texts treat the offset b, and the equivalent of each in one dimension more.

NONE: the boundary passes through the origin. APPEND_ONE: a fictitious dimension, x~ = (x, 1). PLUS_Y: b += y at each
correction. PLUS_Y_R2: b += y R^2 with R = max |x_i|, for which x~ = (x, R) and w~ = (w, b/R).
The Mark I itself has no offset: its R-unit compares the sum with a fixed threshold, so its problems use NONE.
"""

from enum import Enum

import numpy as np

from mark1.theory.problem import Floats, Problem, make_problem


class Offset(Enum):
    """How the offset b is learned."""

    NONE = "none"
    APPEND_ONE = "append-one"
    PLUS_Y = "plus-y"
    PLUS_Y_R2 = "plus-y-r2"


def extra_coordinate(offset: Offset, R: float) -> float:
    """The constant appended to each sample in the equivalent problem (0 when nothing is appended)."""
    return {Offset.NONE: 0.0, Offset.APPEND_ONE: 1.0, Offset.PLUS_Y: 1.0, Offset.PLUS_Y_R2: R}[offset]


def lifted(problem: Problem, offset: Offset, R: float | None = None) -> Problem:
    """The problem in one dimension more whose run through the origin equals the run with this offset."""
    if offset is Offset.NONE:
        return problem
    column = np.full((problem.n, 1), extra_coordinate(offset, problem.R if R is None else R))
    return make_problem(np.hstack([problem.X, column]), problem.y, one_class_ok=True)


def lift_vector(w: Floats, b: float, offset: Offset, R: float) -> Floats:
    """(w, b) as one vector of the lifted space: (w, b / extra), or w itself when there is no offset."""
    if offset is Offset.NONE:
        return np.asarray(w, dtype=np.float64)
    return np.append(w, b / extra_coordinate(offset, R))


def lower_vector(v: Floats, offset: Offset, R: float) -> tuple[Floats, float]:
    """The inverse of lift_vector."""
    if offset is Offset.NONE:
        return np.asarray(v, dtype=np.float64), 0.0
    return np.asarray(v[:-1], dtype=np.float64), float(v[-1]) * extra_coordinate(offset, R)
