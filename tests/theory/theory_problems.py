"""Random problems for the tests of theory: wide and narrow margins, n below and above d, whole numbers and floats."""

import numpy as np

from mark1.theory.problem import Problem, make_problem


def separable_problem(rng: np.random.Generator, narrow: bool, whole: bool = True) -> Problem:
    """A problem separable through the origin; narrow ones have gamma / R below 0.02 by a planted pair."""
    wide = rng.random() < 0.5
    d = int(rng.integers(12, 30)) if wide else int(rng.integers(2, 8))
    n = int(rng.integers(4, 11)) if wide else int(rng.integers(12, 40))
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    X = rng.normal(size=(n, d))
    side = X @ normal
    X += np.outer(np.sign(side) * rng.uniform(0.1, 0.6), normal)
    if narrow:
        X = _with_close_pair(rng, X, normal)
    if whole:
        X = np.rint(X * 1000)
    y = np.where(X @ normal > 0, 1, -1)
    y[:2] = np.where(abs(y.sum()) == len(y), [1, -1], y[:2])
    X[:2] *= (np.sign(X[:2] @ normal) * y[:2])[:, None]
    return make_problem(X, y)


def _with_close_pair(rng: np.random.Generator, X: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Two samples of opposite classes whose difference is tiny: no separator has a margin above half of it."""
    base = rng.normal(size=len(normal))
    base -= (base @ normal) * normal
    base *= 2.0 / np.linalg.norm(base)
    gap = rng.uniform(0.004, 0.015)
    return np.vstack([base + gap * normal, base - gap * normal, X])
