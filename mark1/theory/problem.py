"""A classification problem: samples x_i in R^d, labels y_i = +1 or -1, checked once and then trusted.

On the machine a sample is the activity of the A-units for one card and the label is the target of one R-unit.
Every check ends in one sentence that names the fault and the cure; no solver ever sees data that failed here.
Left out: weights on samples, and labels other than two classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core.errors import InputError

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Problem:
    """n samples in d dimensions with their labels; made by make_problem, which checks them."""

    X: Floats
    y: Floats

    @property
    def n(self) -> int:
        """How many samples."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """How many dimensions."""
        return int(self.X.shape[1])

    @property
    def R(self) -> float:  # noqa: N802 - the texts' name
        """The radius of the data: the length of the longest sample."""
        return float(np.sqrt(self.R2))

    @property
    def R2(self) -> float:  # noqa: N802
        """R squared, exact for samples of small whole numbers (squaring a rounded root is not)."""
        return float(np.max(np.einsum("ij,ij->i", self.X, self.X)))

    @property
    def signed(self) -> Floats:
        """The vectors y_i x_i: w separates through the origin when w . (y_i x_i) > 0 for all i."""
        return np.asarray(self.X * self.y[:, None], dtype=np.float64)


def _array(X: Any) -> Floats:
    try:
        array = np.array(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("The samples are not a table of numbers; give n rows of d numbers each.") from error
    if array.size == 0:
        raise InputError("There are no samples; give at least one row of at least one number for each class.")
    if array.ndim != 2:
        raise InputError(f"The samples have {array.ndim} dimensions; give a table of n rows and d columns.")
    return array


def _check_finite(X: Floats) -> None:
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        row, column = bad[0]
        raise InputError(f"Sample {row} has {X[row, column]} in place {column}; every number must be finite.")
    if np.max(np.abs(X)) > 1e150:
        raise InputError("The samples hold numbers above 1e150, whose squares overflow; divide them all by one number.")


def _labels(y: Any, n: int) -> Floats:
    try:
        labels = np.array(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("The labels are not numbers; give +1 or -1 for each sample.") from error
    if labels.shape != (n,):
        raise InputError(f"There are {n} samples but labels of shape {labels.shape}; give one label for each sample.")
    wrong = np.flatnonzero((labels != 1.0) & (labels != -1.0))
    if len(wrong):
        raise InputError(f"Label {wrong[0]} is {labels[wrong[0]]:g}; a label is +1 or -1.")
    return labels


def make_problem(X: Any, y: Any, *, one_class_ok: bool = False) -> Problem:
    """Checks samples and labels and freezes copies of them; a fault is an InputError of one sentence."""
    array = _array(X)
    _check_finite(array)
    labels = _labels(y, array.shape[0])
    if not one_class_ok and abs(labels.sum()) == len(labels):
        raise InputError(
            f"All {len(labels)} labels are {labels[0]:+g}; separating needs at least one sample of each class."
        )
    array += 0.0  # turns -0.0 into 0.0, so that equal samples have equal bytes
    array.setflags(write=False)
    labels.setflags(write=False)
    return Problem(array, labels)


def contradiction(problem: Problem) -> tuple[int, int] | None:
    """The first two samples that are the same point with opposite labels, or None."""
    first_of: dict[bytes, int] = {}
    for i, row in enumerate(problem.X):
        j = first_of.setdefault(row.tobytes(), i)
        if problem.y[j] != problem.y[i]:
            return j, i
    return None


def refuse_contradiction(problem: Problem) -> None:
    """Raises one sentence when a point carries both labels, for programs that then have no answer."""
    pair = contradiction(problem)
    if pair is not None:
        raise InputError(
            f"Samples {pair[0]} and {pair[1]} are the same point with opposite labels, so nothing separates them; "
            "remove one, or use the soft margin."
        )


def blind(problem: Problem) -> list[int]:
    """Samples that are all zero: through the origin their sum is 0 whatever w is, so they stay mistakes for ever."""
    return [int(i) for i in np.flatnonzero(~problem.X.any(axis=1))]


def join(problem: Problem, x: Sequence[float] | Floats, label: float) -> Problem:
    """The problem with one sample more."""
    row = np.asarray(x, dtype=np.float64).reshape(1, -1)
    if row.shape[1] != problem.d:
        raise InputError(f"The joining sample has {row.shape[1]} numbers; the others have {problem.d}.")
    return make_problem(np.vstack([problem.X, row]), np.append(problem.y, label), one_class_ok=True)
