"""Maximum-margin classifiers as quadratic programs: hard and soft margin, primal and dual, solved by Clarabel.

Hard primal: minimise |w|^2 / 2 with y_i (w . x_i + b) >= 1; the slab between the two margins is 2 / |w| wide.
Soft primal: minimise |w|^2 / 2 + C sum xi_i with y_i (w . x_i + b) >= 1 - xi_i, xi_i >= 0.
Dual: maximise sum alpha_i - |sum alpha_i y_i x_i|^2 / 2 with alpha_i >= 0 (and <= C), sum alpha_i y_i = 0.
(One of the texts prints "maximize |w|^2"; that is a slip. The half only makes primal and dual values equal.)
The two programs are solved one without the other, so that their equal values are a finding, not a definition.
Samples are divided by R before solving: the solver's tolerances then mean the same for every problem.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.core.errors import InputError, Mark1Error
from mark1.theory.problem import Counts, Floats, Problem, refuse_contradiction

TOLERANCE = 1e-10  # Clarabel's gap and feasibility tolerance; libsvm leaves 1e-3 to 1e-6


@dataclass(frozen=True, slots=True)
class PrimalSolution:
    """w, b and the slacks xi (all zero for the hard margin), with the value of the program."""

    w: Floats
    b: float
    slack: Floats
    value: float

    @property
    def margin(self) -> float:
        """1 / |w|: half the width of the slab."""
        return 1.0 / float(np.linalg.norm(self.w))


@dataclass(frozen=True, slots=True)
class DualSolution:
    """The multipliers alpha, the w they give, and the value of the program."""

    alpha: Floats
    w: Floats
    value: float


@dataclass(frozen=True, slots=True)
class Svm:
    """Primal and dual of one problem; C is None for the hard margin."""

    problem: Problem
    primal: PrimalSolution
    dual: DualSolution
    C: float | None

    @property
    def w(self) -> Floats:
        """The primal w."""
        return self.primal.w

    @property
    def b(self) -> float:
        """The primal b (0 when the boundary was kept on the origin)."""
        return self.primal.b

    @property
    def margin(self) -> float:
        """1 / |w|: the largest geometric margin any separator has (hard margin)."""
        return self.primal.margin

    @property
    def gap(self) -> float:
        """|primal value - dual value| relative to the primal value."""
        return abs(self.primal.value - self.dual.value) / max(abs(self.primal.value), 1e-300)

    def slackness(self) -> Floats:
        """alpha_i times what sample i leaves of its constraint, relative to the value: all near 0 (see violation)."""
        room = self.problem.y * (self.problem.X @ self.w + self.b) - 1.0 + self.primal.slack
        products = np.abs(self.dual.alpha * room)
        if self.C is not None:
            products = np.maximum(products, np.abs((self.C - self.dual.alpha) * self.primal.slack))
        return np.asarray(products / max(abs(self.primal.value), 1e-300))

    def support(self, tolerance: float = 1e-6) -> Counts:
        """Samples with alpha above zero."""
        return np.flatnonzero(self.dual.alpha > tolerance * self._alpha_scale())

    def with_slack(self, tolerance: float = 1e-6) -> Counts:
        """The second kind of support vector: samples that use slack (none for the hard margin)."""
        return np.flatnonzero(self.primal.slack > tolerance)

    def on_margin(self, tolerance: float = 1e-6) -> Counts:
        """The first kind of support vector: exactly on the margin."""
        return np.setdiff1d(self.support(tolerance), self.with_slack(tolerance))

    def _alpha_scale(self) -> float:
        return float(max(self.dual.alpha.max(), 1e-300))


def hard_margin(problem: Problem, *, with_offset: bool = True) -> Svm:
    """The separator with the largest margin; an inseparable problem is one sentence, not a solver's status."""
    _refuse_one_class(problem, with_offset)
    refuse_contradiction(problem)
    return Svm(problem, solve_primal(problem, None, with_offset), solve_dual(problem, None, with_offset), None)


def soft_margin(problem: Problem, C: float, *, with_offset: bool = True) -> Svm:
    """The soft-margin classifier for the price C of slack."""
    if not (np.isfinite(C) and C > 0):
        raise InputError(f"C is {C:g}; the price of slack must be a number above 0.")
    _refuse_one_class(problem, with_offset)
    return Svm(problem, solve_primal(problem, C, with_offset), solve_dual(problem, C, with_offset), C)


def _refuse_one_class(problem: Problem, with_offset: bool) -> None:
    if with_offset and abs(problem.y.sum()) == problem.n:
        raise InputError(f"All {problem.n} labels are {problem.y[0]:+g}; a margin needs samples of both classes.")
    if problem.R == 0.0:
        raise InputError("Every sample is the zero vector; no boundary can have a margin to it.")


def solve_primal(problem: Problem, C: float | None, with_offset: bool) -> PrimalSolution:
    """The program in w, b (and xi when C is given)."""
    from scipy import sparse

    n, d, R = problem.n, problem.d, problem.R
    # The unknowns are w R, b and xi; with samples x / R the objective is R^2 times the one in the docstring.
    columns = [problem.signed / R] + ([problem.y[:, None]] if with_offset else [])
    head = np.hstack(columns)
    quadratic = np.concatenate([np.ones(d), np.zeros(head.shape[1] - d)])
    if C is None:
        z = _solve(sparse.diags(quadratic), np.zeros(head.shape[1]), -head, -np.ones(n))
        slack = np.zeros(n)
    else:
        size = head.shape[1] + n
        rows = sparse.vstack(
            [
                sparse.hstack([sparse.csc_matrix(-head), -sparse.eye(n)]),
                sparse.hstack([sparse.csc_matrix((n, head.shape[1])), -sparse.eye(n)]),
            ]
        )
        cost = np.concatenate([np.zeros(head.shape[1]), np.full(n, C * R * R)])
        weights = sparse.diags(np.concatenate([quadratic, np.zeros(n)]))
        z = _solve(weights, cost, rows, np.concatenate([-np.ones(n), np.zeros(n)]))
        slack = np.maximum(z[size - n :], 0.0)
    w, b = z[:d] / R, float(z[d]) if with_offset else 0.0
    return PrimalSolution(w, b, slack, float(w @ w / 2 + (0.0 if C is None else C * slack.sum())))


def solve_dual(problem: Problem, C: float | None, with_offset: bool) -> DualSolution:
    """The program in alpha, with v = sum alpha_i y_i x_i as unknowns beside it, so that no Gram matrix is squared."""
    from scipy import sparse

    n, d, R = problem.n, problem.d, problem.R
    Z = problem.signed / R
    equalities = [sparse.hstack([-sparse.eye(d), sparse.csc_matrix(Z.T)])]
    if with_offset:
        equalities.append(sparse.csc_matrix(np.concatenate([np.zeros(d), problem.y])[None, :]))
    bounds = [sparse.hstack([sparse.csc_matrix((n, d)), -sparse.eye(n)])]
    limits = [np.zeros(n)]
    if C is not None:
        bounds.append(-bounds[0])
        limits.append(np.full(n, C * R * R))
    weights = sparse.diags(np.concatenate([np.ones(d), np.zeros(n)]))
    cost = np.concatenate([np.zeros(d), -np.ones(n)])
    fixed = sparse.vstack(equalities)
    z = _solve(weights, cost, sparse.vstack(bounds), np.concatenate(limits), fixed)
    alpha = np.maximum(z[d:], 0.0) / (R * R)
    w = np.asarray(alpha @ problem.signed)
    return DualSolution(alpha, w, float(alpha.sum() - w @ w / 2))


def _solve(P: Any, q: Floats, A: Any, upper: Floats, equal: Any = None) -> Floats:
    """minimise z.P z / 2 + q.z with A z <= upper and equal z = 0."""
    import clarabel
    from scipy import sparse

    stacked = sparse.csc_matrix(A) if equal is None else sparse.csc_matrix(sparse.vstack([equal, A]))
    zeros = 0 if equal is None else equal.shape[0]
    cones = ([clarabel.ZeroConeT(zeros)] if zeros else []) + [clarabel.NonnegativeConeT(len(upper))]
    right = np.concatenate([np.zeros(zeros), upper])
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(P)), q, stacked, right, cones, solver_settings()
    ).solve()
    return read_solution(solution)


def solver_settings() -> Any:
    """Clarabel, silent, one thread, gap 1e-10."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.max_iter = 400
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    return settings


def read_solution(solution: Any) -> Floats:
    """The solution's numbers, or one sentence about why there are none."""
    status = str(solution.status)
    if "Infeasible" in status:
        raise InputError(
            "No hyperplane separates these samples, so there is no hard margin; use the soft margin, "
            "or ask the verdict for the certificate."
        )
    if status not in ("Solved", "AlmostSolved"):
        raise Mark1Error(f"The quadratic program ended without an answer ({status}); scale the samples and try again.")
    return np.asarray(solution.x, dtype=np.float64)
