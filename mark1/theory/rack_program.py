"""The two programs behind the rack's theorem: which u gives the least bound, and how much room any u can leave.

Both only propose. The bound is computed from u in exact fractions (rack.py), and "no u leaves room" is said only with a
proof: weights l_i >= 0 for the cards, from the linear program's dual, with which
min_i room_i(u) <= sum_i l_i room_i(u) / sum_i l_i <= the maximum of the right side over the box, which is a sum of one
maximum for each A-unit, computed here in exact fractions. Any weights give a valid upper bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mark1.theory.exact_sums import whole_rows
from mark1.theory.problem import Floats, Problem
from mark1.theory.rack import Rack, needs
from mark1.theory.svm import read_solution, solver_settings

FAR = 1e6  # steps: where there is no stop, the linear program looks this far (no proof rests on it)
WEIGHT_BITS = 40  # the weights are rounded to so many binary places, so that the proof stays short


def step_of(rack: Rack) -> float:
    """The mean travel, so that the solvers see numbers near 1."""
    return float(rack.travel.mean()) or 1.0


def nearest_values(problem: Problem, rack: Rack, p0: Floats) -> Floats:
    """minimise sum (u - p0)^2 / s / room(u) inside the widened stops; stuck motors stay where they are.

    In units of the mean travel and in coordinates g = (u - p0) / sqrt(s): |g|^2 <= tau h, h half the room, tau least.
    """
    import clarabel
    from scipy import sparse

    unit, free = step_of(rack), ~rack.stuck
    if not free.any():
        return p0
    root = np.sqrt(rack.travel[free] / unit)
    d, c = len(root), np.array([float(n) for n in needs(whole_rows(problem.X), rack)])
    # Unknowns: g (d of them), h, tau. For each card h <= y x . (p0 + g sqrt s) - y t - c / 2.
    sides = problem.signed[:, free] * root
    least = (problem.signed @ p0 - problem.y * rack.threshold - c / 2) / unit
    A = [sparse.csc_matrix(np.hstack([-sides, np.ones((problem.n, 1)), np.zeros((problem.n, 1))]))]
    right = [least]
    for sign, stops in ((1.0, rack.shaft_high[free]), (-1.0, -rack.shaft_low[free])):
        ends = np.flatnonzero(np.isfinite(stops))
        if len(ends):
            A.append(sparse.csc_matrix((np.full(len(ends), sign), (np.arange(len(ends)), ends)), (len(ends), d + 2)))
            right.append(((stops - sign * p0[free]) / unit / root)[ends])
    linear = sum(len(r) for r in right)
    A.append(_cone(d))
    right.append(np.zeros(d + 2))
    cones = [clarabel.NonnegativeConeT(linear), clarabel.SecondOrderConeT(d + 2)]
    cost, none = np.append(np.zeros(d + 1), 1.0), sparse.csc_matrix((d + 2, d + 2))
    program = none, cost, sparse.csc_matrix(sparse.vstack(A)), np.concatenate(right), cones, solver_settings()
    g = read_solution(clarabel.DefaultSolver(*program).solve())[:d]
    u = p0.copy()
    u[free] += g * root * unit
    return _rounded_inside(rack, u, p0, unit)


def _cone(d: int) -> Any:
    """Rotated cone |g|^2 <= tau h, written as |(2 g, tau - h)| <= tau + h."""
    from scipy import sparse

    cone = sparse.lil_matrix((d + 2, d + 2))
    cone[0, d], cone[0, d + 1] = -1.0, -1.0
    cone[1, d], cone[1, d + 1] = 1.0, -1.0
    cone[2:, :d] = -2.0 * sparse.eye(d)
    return sparse.csc_matrix(cone)


def _rounded_inside(rack: Rack, u: Floats, p0: Floats, unit: float) -> Floats:
    """Rounds to a power of two near a millionth of a step, so that fractions stay short; clips to the widened stops."""
    grain = 2.0 ** np.round(np.log2(unit * 1e-6))
    inside = np.clip(np.rint(u / grain) * grain, rack.shaft_low, rack.shaft_high)
    return np.asarray(np.where(rack.stuck, p0, inside))


@dataclass(frozen=True, slots=True)
class Room:
    """Positions that leave the most room, and what no positions exceed (exact); None where the solver gave none."""

    values: Floats | None
    most: Fraction | None


def most_room(problem: Problem, rack: Rack, low: Floats, high: Floats, needed: Sequence[Fraction]) -> Room:
    """maximise over v from low to high the least 2 y_i (x_i . v - t) - needed_i (HiGHS), with the proof."""
    from scipy.optimize import linprog

    unit, c = step_of(rack), np.array([float(n) for n in needed])
    sides = np.hstack([-2 * problem.signed, np.ones((problem.n, 1))])
    right = (-2 * problem.y * rack.threshold - c) / unit
    ends = np.where(np.isfinite(low), low / unit, -FAR), np.where(np.isfinite(high), high / unit, FAR)
    limits = [*zip(*ends, strict=True), (None, None)]
    answer = linprog(np.append(np.zeros(problem.d), -1.0), A_ub=sides, b_ub=right, bounds=limits)
    if not answer.success:
        return Room(None, None)
    values = np.clip(answer.x[:-1] * unit, low, high)
    return Room(values, _ceiling(problem, rack, low, high, needed, -answer.ineqlin.marginals))


def _ceiling(
    problem: Problem, rack: Rack, low: Floats, high: Floats, needed: Sequence[Fraction], weights: Floats
) -> Fraction | None:
    """What these weights prove no positions exceed; None when they prove nothing."""
    whole = [int(w) for w in np.rint(np.maximum(weights, 0.0) * 2.0**WEIGHT_BITS)]
    used = [i for i, w in enumerate(whole) if w]
    if not used:
        return None
    signed = [int(problem.y[i]) * whole[i] for i in used]
    pulls = whole_rows(problem.X[used].T).sums([Fraction(2 * w) for w in signed])
    reach = _reach(pulls, low, high)
    if reach is None:
        return None
    t = Fraction(rack.threshold)
    spent = sum((2 * w * t + abs(w) * needed[i] for w, i in zip(signed, used, strict=True)), Fraction(0))
    return (reach - spent) / sum(abs(w) for w in signed)


def _reach(pulls: Sequence[Fraction], low: Floats, high: Floats) -> Fraction | None:
    """The largest sum of pull times position inside the box; None when it has no end."""
    ends = [(g, high[a] if g > 0 else low[a]) for a, g in enumerate(pulls) if g]
    if not all(np.isfinite(end) for _, end in ends):
        return None
    return sum((g * Fraction(float(end)) for g, end in ends), Fraction(0))
