"""Two-dimensional sets for teaching: separable, barely, not, xor, ring. The numbers are chosen, not historic.

separable and barely are separable through the origin too, so that w-space has a cone to draw.
"""

import difflib

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.problem import Floats, Problem, make_problem

TOYS = ("separable", "barely", "not", "xor", "ring")


def toy(name: str) -> Problem:
    """The teaching set of that name."""
    makers = {"separable": _separable, "barely": _barely, "not": _not, "xor": _xor, "ring": _ring}
    if name not in makers:
        near = difflib.get_close_matches(name, TOYS, 1)
        hint = f"did you mean '{near[0]}'" if near else "choose one of " + ", ".join(TOYS)
        raise InputError(f"There is no teaching set '{name}'; {hint}.")
    return makers[name]()


def _draws(seed: int, n: int) -> Floats:
    return np.random.Generator(np.random.PCG64(seed)).random((n, 2))


def _rounded(points: Floats) -> Floats:
    """Thirty-seconds are exact in binary: certificates stay short, and every platform has the same numbers."""
    return np.round(points * 32) / 32


def _bands(seed: int, n: int, nearest: float) -> Problem:
    """Two bands on either side of a line through the origin, long along it, classes taking turns."""
    draws, labels = _draws(seed, n), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    normal, along = np.array([0.6, 0.8]), np.array([0.8, -0.6])
    away = labels * (nearest + 1.6 * draws[:, 0])
    return make_problem(_rounded(away[:, None] * normal + (4.4 * draws[:, 1:] - 2.2) * along), labels)


def _two_clouds(plus: Floats, minus: Floats) -> Problem:
    return make_problem(_rounded(np.vstack([plus, minus])), [1] * len(plus) + [-1] * len(minus))


def _separable() -> Problem:
    return _bands(70, 18, 0.25)


def _barely() -> Problem:
    return _bands(151, 24, 0.02)


def _disc(seed: int, n: int, centre: tuple[float, float], spread: float) -> Floats:
    draws = _draws(seed, n)
    radius, angle = spread * np.sqrt(draws[:, 0]), 2 * np.pi * draws[:, 1]
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) + centre


def _not() -> Problem:
    return _two_clouds(_disc(3, 14, (0.8, 0.6), 1.6), _disc(4, 14, (-0.7, -0.6), 1.6))


def _xor() -> Problem:
    return make_problem([[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1])


def _ring() -> Problem:
    draws = _draws(5, 20)
    angles = 2 * np.pi * (np.arange(20) + 0.6 * draws[:, 0]) / 20
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * (2.0 + 0.4 * draws[:, 1:])
    return _two_clouds(_disc(6, 12, (0.0, 0.0), 1.1), ring)
