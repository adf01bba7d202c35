"""The perceptron algorithm: one misclassified sample a step, w += eps y x.

The mistake rule is y f(x) <= 0. Two of the texts write < 0; from w = 0 that rule never starts, because every f is 0
and none is below it. It is offered as rule "below-zero" so that this can be seen.
Samples may join while it runs. Samples are visited in the order they came, over and over; a run ends when every
sample has been seen right since the last correction. Left out: averaging, voting, shrinking steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mark1.core.errors import InputError
from mark1.theory import problem as problems
from mark1.theory.offset import Offset
from mark1.theory.problem import Counts, Floats, Problem

Rule = Literal["at-most-zero", "below-zero"]
_BLOCK = 64  # rows looked at in one product while searching for the next mistake


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction: which sample, y f(x) before and after it, and w and b after it."""

    number: int
    index: int
    before: float
    after: float
    w: Floats
    b: float


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did: the final w and b, the corrected samples in order, y f(x) before and after each."""

    w: Floats
    b: float
    indices: Counts
    before: Floats
    after: Floats
    presentations: int
    converged: bool

    @property
    def corrections(self) -> int:
        """How many corrections were made."""
        return len(self.indices)


Watcher = Callable[[Correction], None]


class Perceptron:
    """A running perceptron; run() goes on from where it stands, join() adds a sample at any time."""

    def __init__(
        self,
        problem: Problem,
        offset: Offset = Offset.NONE,
        *,
        step: float = 1.0,
        start: Floats | None = None,
        start_b: float = 0.0,
        radius: float | None = None,
        rule: Rule = "at-most-zero",
        watch: Watcher | None = None,
    ) -> None:
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"The step size is {step:g}; it must be a number above 0.")
        self.problem, self.offset, self.step, self.rule, self.watch = problem, offset, float(step), rule, watch
        self.R = problem.R if radius is None else float(radius)
        self.gain = _offset_gain(offset, problem.R2 if radius is None else self.R**2)
        self.w = np.zeros(problem.d) if start is None else _start_vector(start, problem.d)
        self.b = float(start_b)
        self.position = 0
        self.quiet = 0  # samples seen right since the last correction
        self.presentations = 0
        self.indices: list[int] = []
        self.before: list[float] = []
        self.after: list[float] = []
        self._refuse_longer(problem.R)

    def join(self, x: Floats, label: float) -> None:
        """A sample joins while the algorithm runs; the run is then not finished until it too is right."""
        bigger = problems.join(self.problem, x, label)
        self._refuse_longer(bigger.R)
        self.problem, self.quiet = bigger, 0

    def present(self, i: int) -> bool:
        """Shows sample i; corrects w and b if it is a mistake and says whether it was."""
        y, x = self.problem.y[i], self.problem.X[i]
        value = float(y * (x @ self.w + self.b))
        self.presentations += 1
        if not self._mistake(value):
            self.quiet += 1
            return False
        self._correct(i, value)
        return True

    def run(self, max_corrections: int = 1_000_000, max_presentations: int = 10**12) -> Run:
        """Goes on until all samples are right, or a limit is reached."""
        last_correction = len(self.indices) + max_corrections
        last_presentation = self.presentations + max_presentations
        while self.quiet < self.problem.n and len(self.indices) < last_correction:
            if self.presentations >= last_presentation:
                break
            self._skip_right_ones(last_presentation - self.presentations - 1)
            if self.quiet < self.problem.n:
                self.present(self.position)
                self.position = (self.position + 1) % self.problem.n
        return self.result()

    def result(self) -> Run:
        """The run so far."""
        return Run(
            self.w.copy(), self.b, np.array(self.indices, dtype=np.int64), np.array(self.before),
            np.array(self.after), self.presentations, self.quiet >= self.problem.n,
        )  # fmt: skip

    def _skip_right_ones(self, limit: int) -> None:
        """Passes over the samples of the next block that are right, in one product."""
        stop = min(self.position + _BLOCK, self.problem.n, self.position + self.problem.n - self.quiet)
        rows = slice(self.position, min(stop, self.position + limit))
        values = self.problem.y[rows] * (self.problem.X[rows] @ self.w + self.b)
        wrong = np.flatnonzero(values < 0.0 if self.rule == "below-zero" else values <= 0.0)
        right = int(wrong[0]) if len(wrong) else len(values)
        self.presentations += right
        self.quiet += right
        self.position = (self.position + right) % self.problem.n

    def _mistake(self, value: float) -> bool:
        return value < 0.0 if self.rule == "below-zero" else value <= 0.0

    def _correct(self, i: int, value: float) -> None:
        y, x = float(self.problem.y[i]), self.problem.X[i]
        self.w = self.w + self.step * y * x
        self.b += self.step * y * self.gain
        self.quiet = 0
        self.indices.append(i)
        self.before.append(value)
        self.after.append(float(y * (x @ self.w + self.b)))
        if self.watch is not None:
            self.watch(Correction(len(self.indices), i, value, self.after[-1], self.w, self.b))

    def _refuse_longer(self, R: float) -> None:
        if self.offset is Offset.PLUS_Y_R2 and self.R * (1 + 1e-12) < R:
            raise InputError(
                f"A sample of length {R:g} is longer than R = {self.R:g}; b += y R^2 needs one R for the whole run, "
                f"so start with radius={R:g} or more."
            )


def _start_vector(start: Floats, d: int) -> Floats:
    w = np.array(start, dtype=np.float64)
    if w.shape != (d,) or not np.isfinite(w).all():
        raise InputError(f"The starting w must be {d} finite numbers.")
    return w


def _offset_gain(offset: Offset, R2: float) -> float:
    """What b moves by at one correction; APPEND_ONE's last weight is b, and it moves by the appended 1."""
    return {Offset.NONE: 0.0, Offset.APPEND_ONE: 1.0, Offset.PLUS_Y: 1.0, Offset.PLUS_Y_R2: R2}[offset]


def run_perceptron(problem: Problem, offset: Offset = Offset.NONE, *, max_corrections: int = 1_000_000) -> Run:
    """The algorithm of the texts: w = 0, b = 0, eps = 1, until all samples are right or the limit is reached.

    APPEND_ONE runs in one dimension more, as its text says, and its last weight is returned as b.
    """
    if offset is Offset.APPEND_ONE:
        return _run_with_ones(problem, max_corrections)
    return Perceptron(problem, offset).run(max_corrections)


def _run_with_ones(problem: Problem, max_corrections: int) -> Run:
    ones = np.hstack([problem.X, np.ones((problem.n, 1))])
    run = Perceptron(problems.make_problem(ones, problem.y, one_class_ok=True)).run(max_corrections)
    return Run(run.w[:-1], float(run.w[-1]), run.indices, run.before, run.after, run.presentations, run.converged)


def first_signed_sample(problem: Problem) -> Floats:
    """The start the texts recommend for descent: some y_i x_i (the first that is not zero)."""
    rows = problem.signed
    nonzero = np.flatnonzero(rows.any(axis=1))
    if not len(nonzero):
        raise InputError("Every sample is the zero vector; no w through the origin can classify any of them.")
    return np.array(rows[nonzero[0]])


def values_along(problem: Problem, run: Run, start: Floats | None = None, step: float = 1.0) -> Floats:
    """w before the first and after each correction, one row each (for small d)."""
    first = np.zeros(problem.d) if start is None else np.asarray(start)
    steps = step * problem.signed[run.indices]
    return np.asarray(first + np.vstack([np.zeros((1, problem.d)), np.cumsum(steps, axis=0)]))
