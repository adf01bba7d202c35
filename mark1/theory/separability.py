"""Is a set linearly separable? An honest verdict with a certificate either way.

Two linear programs, solved by SciPy's HiGHS, look for a separator and, if there is none, for the multipliers that
prove it (Gordan's alternative). Easy certificates are tried first: a blind sample, a point with both labels, equal
multipliers for all (the parity argument). What the solver finds is turned into whole numbers and checked in exact
rationals by certificate.py; only a checked certificate decides. When neither can be proved, the verdict is
"undecided" and says so: this can happen only where the margin, or the lack of one, is below the solver's rounding.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from mark1.core.errors import Mark1Error
from mark1.theory import certificate
from mark1.theory.exact import null_vector
from mark1.theory.problem import Floats, Problem, blind, contradiction

_DIGITS = (8, 16, 32, 50)  # binary places kept of a solver's w; coarse first, so that certificates are short to print


@dataclass(frozen=True, slots=True)
class Verdict:
    """separable is True, False or None (undecided); the certificate that proves it is in whole numbers."""

    separable: bool | None
    sentence: str
    with_offset: bool
    w: tuple[int, ...] = ()  # the separator, when separable
    b: int = 0
    multipliers: tuple[int, ...] = ()  # one for each sample, when not separable
    reason: str = ""  # how it is proved that there is no separator: equal weights, one point, blind or weights

    @property
    def support(self) -> list[int]:
        """The samples that together prove there is no separator."""
        return [i for i, m in enumerate(self.multipliers) if m]


def verdict(problem: Problem, *, with_offset: bool = True) -> Verdict:
    """Whether some (w, b), or w with b = 0, puts every sample strictly on its own side; proved either way."""
    for multipliers, reason, sentence in _easy_certificates(problem, with_offset):
        if _cancels(problem, multipliers, with_offset):
            return Verdict(False, sentence, with_offset, multipliers=tuple(multipliers), reason=reason)
    found = _separator(problem, with_offset)
    if found is None:
        return _inseparable_or_undecided(problem, with_offset)
    how = "with an offset" if with_offset else "through the origin"
    return Verdict(True, f"Separable {how}: the separator was checked exactly.", with_offset, found[0], found[1])


def _easy_certificates(problem: Problem, with_offset: bool) -> list[tuple[list[int], str, str]]:
    easy = []
    unseen, pair, n = blind(problem), contradiction(problem), problem.n
    if not (problem.y @ problem.X).any():
        sentence = "Not separable: with equal weights the samples of the two classes cancel exactly."
        easy.append(([1] * n, "equal weights", sentence))
    if pair is not None:
        sentence = f"Not separable: samples {pair[0]} and {pair[1]} are the same point with opposite labels."
        easy.append(([int(i in pair) for i in range(n)], "one point", sentence))
    if unseen and not with_offset:
        sentence = f"Not separable: sample {unseen[0]} is all zeros, so its sum is 0 whatever the values are."
        easy.append(([int(i == unseen[0]) for i in range(n)], "blind", sentence))
    return easy


def _inseparable_or_undecided(problem: Problem, with_offset: bool) -> Verdict:
    multipliers = _proved_multipliers(problem, with_offset)
    if multipliers is None:
        sentence = (
            "Undecided: neither a separator nor a proof against one survived the exact check; "
            "the margin, if any, is below rounding."
        )
        return Verdict(None, sentence, with_offset)
    count = sum(1 for m in multipliers if m)
    sentence = f"Not separable: {count} of the {problem.n} samples cancel exactly with positive weights."
    return Verdict(False, sentence, with_offset, multipliers=tuple(multipliers), reason="weights")


def _samples(problem: Problem, with_offset: bool) -> Floats:
    return np.hstack([problem.X, np.ones((problem.n, 1))]) if with_offset else problem.X


def _scale(X: Floats) -> Floats:
    """The largest size in each coordinate: dividing by it changes neither question and helps the solver."""
    largest = np.max(np.abs(X), axis=0)
    return np.asarray(np.where(largest > 0, largest, 1.0))


def _separator(problem: Problem, with_offset: bool) -> tuple[tuple[int, ...], int] | None:
    """A proved separator: first from the wide-margin program, then, for hair-thin margins, from y w . x >= 1."""
    X = _samples(problem, with_offset)
    scale = _scale(X)
    Z = problem.y[:, None] * X / scale
    for program in (_widest_in_box, _any_with_margin_one):
        w = program(np.asarray(Z))
        found = None if w is None else _proved_separator(problem, w / scale, with_offset)
        if found is not None:
            return found
    return None


def _widest_in_box(Z: Floats) -> Floats | None:
    """maximise t with w . z_i >= t and every |w_j| <= 1; t > 0 when separable."""
    from scipy.optimize import linprog

    n, d = Z.shape
    cost, sides = np.append(np.zeros(d), -1.0), np.hstack([-Z, np.ones((n, 1))])
    answer = linprog(cost, A_ub=sides, b_ub=np.zeros(n), bounds=[(-1, 1)] * d + [(0, None)], method="highs")
    if not answer.success:
        raise Mark1Error(f"The linear program for separability gave no answer ({answer.message}).")
    return np.asarray(answer.x[:d]) if answer.x[d] > 0 else None


def _any_with_margin_one(Z: Floats) -> Floats | None:
    """Any w, of any length, with w . z_i >= 1; there is none when the set is not separable."""
    from scipy.optimize import linprog

    answer = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None), method="highs")
    return np.asarray(answer.x) if answer.success else None


def _proved_separator(problem: Problem, w: Floats, with_offset: bool) -> tuple[tuple[int, ...], int] | None:
    """The solver's w in whole numbers, as coarse as still separates exactly; None when none does."""
    rows, labels = problem.X.tolist(), problem.y.tolist()
    if not w.any():
        return None
    for digits in _DIGITS:
        whole = [int(v) for v in np.rint(w / np.max(np.abs(w)) * 2.0**digits)]
        scale = gcd(*whole) or 1
        whole = [v // scale for v in whole]
        values, b = (whole[:-1], whole[-1]) if with_offset else (whole, 0)
        if certificate.proves_separable(rows, labels, values, b):
            return tuple(values), b
    return None


def _proved_multipliers(problem: Problem, with_offset: bool) -> list[int] | None:
    """Multipliers of a basic solution of Gordan's program, made exact on their support."""
    approximate = _basic_multipliers(problem, with_offset)
    if approximate is None:
        return None
    X = _samples(problem, with_offset)
    for cut in (1e-9, 1e-7, 1e-11):
        support = np.flatnonzero(approximate > cut * approximate.max())
        whole = null_vector((problem.y[support, None] * X[support]).T)
        if whole is None:
            continue
        sign = 1 if sum(whole) > 0 else -1
        full = [0] * problem.n
        for i, v in zip(support, whole, strict=True):
            full[int(i)] = sign * v
        if _cancels(problem, full, with_offset):
            return full
    return None


def _basic_multipliers(problem: Problem, with_offset: bool) -> Floats | None:
    """A corner of {lambda >= 0, sum lambda = 1, sum lambda_i y_i x~_i = 0}: a corner has one null direction."""
    from scipy.optimize import linprog

    X = _samples(problem, with_offset)
    Z = problem.y[:, None] * X / _scale(X)
    equalities = np.vstack([Z.T, np.ones((1, problem.n))])
    right = np.append(np.zeros(Z.shape[1]), 1.0)
    answer = linprog(np.zeros(problem.n), A_eq=equalities, b_eq=right, bounds=(0, None), method="highs-ds")
    return np.asarray(answer.x) if answer.success else None


def _cancels(problem: Problem, multipliers: list[int], with_offset: bool) -> bool:
    return certificate.proves_inseparable(problem.X.tolist(), problem.y.tolist(), multipliers, with_offset=with_offset)
