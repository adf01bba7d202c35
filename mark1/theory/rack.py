"""The convergence theorem for a rack with unequal motors, stops, a dead zone and backlash.

Stated and proved in docs/theory_rack.md: for any values u inside the stops with margin m,
corrections <= sum (u - v0)^2 / s / (2 m - 2 (d + e) - R^2), R^2 = max sum s x^2, e = half the lash of the A-units lit.
The best u comes from a second-order cone program; the bound printed is computed from it in exact fractions.
run_rack is the same motor law in a few lines, for tests and for the ideal-against-rack comparison; the machine in core
is the real one. Left out: runs of changing length, decay, the gamma system (see the page).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mark1.core.errors import InputError, Mark1Error
from mark1.theory.problem import Counts, Floats, Problem
from mark1.theory.svm import read_solution, solver_settings


@dataclass(frozen=True, slots=True)
class Rack:
    """The motors and the R-unit, one number for each A-unit where an array is asked; one unit throughout."""

    travel: Floats  # s: how far one correction turns each shaft
    low: Floats  # the stops: values stay from low to high; infinite where there is no stop
    high: Floats
    backlash: Floats  # B: play between shaft and wiper
    dead_zone: float = 0.0
    threshold: float = 0.0

    @property
    def has_stops(self) -> bool:
        """True when some potentiometer has an end."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @property
    def shaft_low(self) -> Floats:
        """How far down a shaft turns: the stop and half the play."""
        return np.asarray(self.low - self.backlash / 2)

    @property
    def shaft_high(self) -> Floats:
        """How far up a shaft turns."""
        return np.asarray(self.high + self.backlash / 2)

    @property
    def has_backlash(self) -> bool:
        """True when some gear has play."""
        return bool(self.backlash.any())


def make_rack(
    travel: Floats,
    *,
    stop: Floats | float = np.inf,
    low: Floats | float | None = None,
    backlash: Floats | float = 0.0,
    dead_zone: float = 0.0,
    threshold: float = 0.0,
) -> Rack:
    """Checks the numbers and spreads single ones over all A-units; the lower stop is -stop unless low is given."""
    s = np.asarray(travel, dtype=np.float64)
    high, B = np.broadcast_to(np.float64(stop), s.shape), np.broadcast_to(np.float64(backlash), s.shape)
    below = -high if low is None else np.broadcast_to(np.float64(low), s.shape)
    if s.ndim != 1 or not (np.isfinite(s).all() and (s > 0).all()):
        raise InputError("Every motor needs a travel above 0; a motor that never moves learns nothing.")
    if not ((high > below).all() and (B >= 0).all() and np.isfinite(B).all() and dead_zone >= 0):
        raise InputError("The upper stop must lie above the lower one; backlash and dead zone must be 0 or more.")
    return Rack(s, np.array(below), np.array(high), np.array(B), float(dead_zone), float(threshold))


@dataclass(frozen=True, slots=True)
class RackBound:
    """A bound on corrections and the values u that prove it; corrections is None when the theorem gives none."""

    corrections: Fraction | None
    u: Floats
    margin: float
    sentence: str


@dataclass(frozen=True, slots=True)
class RackRun:
    """The values a rack ended with, the corrected samples in order, and how often a shaft met its stop."""

    values: Floats
    shafts: Floats
    indices: Counts
    converged: bool
    stops_met: int

    @property
    def corrections(self) -> int:
        """How many corrections were made."""
        return len(self.indices)


def shaft_of(rack: Rack, values: Floats, lash: Floats | None = None) -> Floats:
    """Shaft positions for values and lash taken up (0..backlash, counted upward; the middle when not given)."""
    taken = rack.backlash / 2 if lash is None else np.asarray(lash, dtype=np.float64)
    return np.asarray(values + taken - rack.backlash / 2, dtype=np.float64)


def run_rack(problem: Problem, rack: Rack, *, start: Floats | None = None, max_corrections: int = 100_000) -> RackRun:
    """Error correction in the rack's own law: the shaft steps and is clipped, the wiper follows with play."""
    v = np.zeros(problem.d) if start is None else np.array(start, dtype=np.float64)
    p, half = shaft_of(rack, v), rack.backlash / 2
    indices: list[int] = []
    quiet, i, met = 0, 0, 0
    while quiet < problem.n and len(indices) < max_corrections:
        x, y = problem.X[i], problem.y[i]
        if y * (x @ v - rack.threshold) <= rack.dead_zone:
            wanted = p + y * rack.travel * x
            p = np.clip(wanted, rack.shaft_low, rack.shaft_high)
            met += int(np.count_nonzero(p != wanted))
            v = np.clip(v, p - half, p + half)
            indices.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % problem.n
    return RackRun(v, p, np.array(indices, dtype=np.int64), quiet >= problem.n, met)


def rack_bound(problem: Problem, rack: Rack, start: Floats | None = None) -> RackBound:
    """The least bound the theorem gives from these shaft positions, or none with the reason in words."""
    p0 = np.zeros(problem.d) if start is None else np.asarray(start, dtype=np.float64)
    if rack.travel.shape != (problem.d,):
        raise InputError(f"The rack has {len(rack.travel)} motors but the samples have {problem.d} places.")
    try:
        u = _best_values(problem, rack, p0)
    except (InputError, Mark1Error):
        u = None
    exact = None if u is None else exact_bound(problem, rack, u, p0)
    if u is None or exact is None:
        sentence = "No values inside the stops leave a large enough margin, so the theorem gives no bound."
        return RackBound(None, np.zeros(problem.d), 0.0, sentence)
    margin = float((problem.y * (problem.X @ u - rack.threshold)).min())
    return RackBound(exact, u, margin, f"At most {int(exact)} corrections, by the theorem for {_conditions(rack)}.")


def _conditions(rack: Rack) -> str:
    present = [
        ("unequal motors", len(set(rack.travel)) > 1), ("stops", rack.has_stops),
        ("a dead zone", rack.dead_zone > 0), ("backlash", rack.has_backlash),
    ]  # fmt: skip
    names = [name for name, holds in present if holds] or ["equal motors without stops"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def exact_bound(problem: Problem, rack: Rack, u: Floats, start: Floats) -> Fraction | None:
    """The theorem's bound for one u in exact fractions, or None when its conditions fail for this u."""
    half = [Fraction(float(b)) / 2 for b in rack.backlash]
    U, V = [Fraction(float(a)) for a in u], [Fraction(float(a)) for a in start]
    if not (_inside(rack, U, half) and _inside(rack, V, half)):
        return None
    s = [Fraction(float(a)) for a in rack.travel]
    margins, squares, lashes = [], [], []
    for row, label in zip(problem.X.tolist(), problem.y.tolist(), strict=True):
        lit = [(a, Fraction(x)) for a, x in enumerate(row) if x]
        margins.append(int(label) * (sum(x * U[a] for a, x in lit) - Fraction(rack.threshold)))
        squares.append(sum(s[a] * x * x for a, x in lit))
        lashes.append(sum(half[a] * abs(x) for a, x in lit))
    room = 2 * min(margins) - 2 * (Fraction(rack.dead_zone) + max(lashes)) - max(squares)
    return None if room <= 0 else sum((a - v) ** 2 / t for a, v, t in zip(U, V, s, strict=True)) / room


def _inside(rack: Rack, values: list[Fraction], half: list[Fraction]) -> bool:
    """Whether shafts stand within their stops, the play counted in."""
    stops = zip(values, rack.low.tolist(), rack.high.tolist(), half, strict=True)
    return all(
        (low == -np.inf or v >= Fraction(low) - h) and (high == np.inf or v <= Fraction(high) + h)
        for v, low, high, h in stops
    )


def widest_inside(problem: Problem, rack: Rack) -> float:
    """The largest margin y (x . v - threshold) that values inside the stops leave all samples (HiGHS).

    When it is not above the dead zone, no setting of the potentiometers answers every card, however it is trained.
    """
    from scipy.optimize import linprog

    unit = float(rack.travel.mean())
    sides = np.hstack([-problem.signed, np.ones((problem.n, 1))])
    limits = [(_or_none(a / unit), _or_none(b / unit)) for a, b in zip(rack.low, rack.high, strict=True)]
    right = -problem.y * rack.threshold / unit
    answer = linprog(np.append(np.zeros(problem.d), -1.0), A_ub=sides, b_ub=right, bounds=[*limits, (None, None)])
    return float(answer.x[-1]) * unit if answer.success else float("inf")  # unbounded: no stops, and separable


def _or_none(limit: float) -> float | None:
    return float(limit) if np.isfinite(limit) else None


def _best_values(problem: Problem, rack: Rack, p0: Floats) -> Floats:
    """minimise |u' - z0|^2 / (2 m - c) inside the box; in units of the mean travel, so that the solver sees ones."""
    import clarabel
    from scipy import sparse

    unit = float(rack.travel.mean())
    root, d = np.sqrt(rack.travel / unit), problem.d
    R2 = float(((problem.X * problem.X) @ (rack.travel / unit)).max())
    c = R2 + 2 * (rack.dead_zone + float((np.abs(problem.X) @ rack.backlash).max()) / 2) / unit
    z0 = p0 / unit / root
    # Unknowns: g = u' - z0 (d of them), m, tau. Rotated cone |g|^2 <= tau (2 m - c) as |(2 g, tau - q)| <= tau + q.
    sides = problem.signed * root
    least = sides @ z0 - problem.y * rack.threshold / unit
    A = [sparse.csc_matrix(np.hstack([-sides, np.ones((problem.n, 1)), np.zeros((problem.n, 1))]))]
    right = [least]
    for sign, stops in ((1.0, rack.shaft_high), (-1.0, -rack.shaft_low)):
        finite = np.flatnonzero(np.isfinite(stops))
        if len(finite):
            place = (np.arange(len(finite)), finite)
            A.append(sparse.csc_matrix((np.full(len(finite), sign), place), shape=(len(finite), d + 2)))
            right.append((stops / unit / root - sign * z0)[finite])
    linear = sum(len(r) for r in right)
    cone = sparse.lil_matrix((d + 2, d + 2))
    cone[0, d], cone[0, d + 1] = -2.0, -1.0  # tau + 2 m - c
    cone[1, d], cone[1, d + 1] = 2.0, -1.0  # tau - 2 m + c
    cone[2:, :d] = -2.0 * sparse.eye(d)
    A.append(sparse.csc_matrix(cone))
    right.append(np.concatenate([[-c, c], np.zeros(d)]))
    cost = np.append(np.zeros(d + 1), 1.0)
    cones = [clarabel.NonnegativeConeT(linear), clarabel.SecondOrderConeT(d + 2)]
    none = sparse.csc_matrix((d + 2, d + 2))
    solved = clarabel.DefaultSolver(
        none, cost, sparse.csc_matrix(sparse.vstack(A)), np.concatenate(right), cones, solver_settings()
    ).solve()
    return _rounded_inside(rack, (read_solution(solved)[:d] + z0) * root * unit, unit)


def _rounded_inside(rack: Rack, u: Floats, unit: float) -> Floats:
    """Rounds to a millionth of a step, a short fraction, and clips to the widened stops."""
    grain = 2.0 ** np.round(np.log2(unit * 1e-6))
    return np.asarray(np.clip(np.rint(u / grain) * grain, rack.shaft_low, rack.shaft_high))
