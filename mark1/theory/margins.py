"""Margins: functional y_i (w . x_i + b), geometric the same divided by |w|; of a point, and of a set (the minimum)."""

from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.problem import Floats, Problem


def decision(X: Floats, w: Floats, b: float = 0.0) -> Floats:
    """f(x) = w . x + b for each row; its sign gives the class, 0 belongs to neither."""
    return np.asarray(np.asarray(X) @ w + b, dtype=np.float64)


def functional_margins(problem: Problem, w: Floats, b: float = 0.0) -> Floats:
    """y_i (w . x_i + b) for each sample."""
    return problem.y * decision(problem.X, w, b)


def geometric_margins(problem: Problem, w: Floats, b: float = 0.0) -> Floats:
    """The signed distance of each sample from the boundary, positive on its own side."""
    return functional_margins(problem, w, b) / _length(w)


def functional_margin(problem: Problem, w: Floats, b: float = 0.0) -> float:
    """The smallest functional margin of the set."""
    return float(functional_margins(problem, w, b).min())


def geometric_margin(problem: Problem, w: Floats, b: float = 0.0) -> float:
    """The smallest geometric margin of the set: above 0 exactly when (w, b) separates it."""
    return float(geometric_margins(problem, w, b).min())


@dataclass(frozen=True, slots=True)
class Boundary:
    """The set w . x + b = 0: its unit normal, and its signed distance from the origin along it, -b / |w|."""

    normal: Floats
    distance: float


def boundary(w: Floats, b: float = 0.0) -> Boundary:
    """Where the boundary lies."""
    length = _length(w)
    return Boundary(np.asarray(w / length), -b / length)


def angle_degrees(u: Floats, v: Floats) -> float:
    """The angle between two vectors, accurate for small angles too."""
    a, b = np.asarray(u) / _length(u), np.asarray(v) / _length(v)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))


def _length(w: Floats) -> float:
    length = float(np.linalg.norm(w))
    if length == 0.0:
        raise InputError("w is the zero vector; it has no direction, so margins and boundary do not exist.")
    return length
