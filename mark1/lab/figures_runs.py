"""Pictures of runs: step size, the proof's squeeze, corrections against the bound, primal and dual, timings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mark1.lab.figure_style import ACCENT, FAINT, INK, MINUS, PLUS, QUIET, REGION, SECOND, drawing, new_figure
from mark1.lab.timing import Timing
from mark1.theory.dual import DualRun
from mark1.theory.perceptron import Perceptron, Run, first_signed_sample
from mark1.theory.problem import Counts, Floats, Problem
from mark1.theory.proof import ProofTrace
from mark1.theory.risk import batch_descent

MOST_MARKS = 100  # corrections drawn one by one; more would hide one another


@dataclass(frozen=True, slots=True)
class StepSizes:
    """Steps needed for each step size: from a sample (both descents), from zero, and with the line search."""

    eps: Floats
    perceptron: Counts
    batch: Counts
    from_zero: Counts
    line_search: int
    limit: int


def measure_step_sizes(problem: Problem, eps: Floats, limit: int = 5_000) -> StepSizes:
    """Runs both descents from y_i x_i, and the perceptron from w = 0, for each step size."""
    start = first_signed_sample(problem)
    single = [Perceptron(problem, step=e, start=start).run(limit).corrections for e in eps]
    batch = [batch_descent(problem, step=e, start=start, max_steps=limit).steps for e in eps]
    zero = [Perceptron(problem, step=e).run(limit).corrections for e in eps]
    search = batch_descent(problem, start=start, line_search=True, max_steps=limit).steps
    return StepSizes(np.asarray(eps), np.array(single), np.array(batch), np.array(zero), search, limit)


def step_size(measured: StepSizes) -> Any:
    """Step size against number of steps; the run from w = 0 is a level line."""
    with drawing():
        figure = new_figure(7.4, 3.6)
        ax = figure.subplots()
        style = {"lw": 1.6, "ms": 4.5, "mec": "white", "mew": 0.6}
        ax.loglog(measured.eps, measured.batch, "-s", color=MINUS, label="batch, from a sample", gid="batch", **style)
        ax.loglog(measured.eps, measured.perceptron, "-o", color=PLUS, label="perceptron, from a sample",
                  gid="perceptron", **style)  # fmt: skip
        ax.loglog(measured.eps, measured.from_zero, "-", color=INK, lw=2.2, label="perceptron, from w = 0: no effect",
                  gid="from-zero")  # fmt: skip
        ax.axhline(measured.line_search, color=REGION, ls=(0, (5, 3)), lw=1.4, gid="line-search",
                   label=f"batch with line search: {measured.line_search}")  # fmt: skip
        if max(measured.batch.max(), measured.perceptron.max()) >= measured.limit:
            ax.axhline(measured.limit, color=FAINT, lw=1, zorder=0)
            ax.annotate("stopped here", (measured.eps[0], measured.limit), xytext=(0, 3), textcoords="offset points",
                        fontsize=8, color=QUIET)  # fmt: skip
        ax.set_xlabel(r"step size $\epsilon$")
        ax.set_ylabel("steps")
        ax.set_title("Too small is slow, too large jumps over; from w = 0 it does not matter")
        figure.legend(loc="outside right center")
    return figure


def squeeze(trace: ProofTrace, bound: float) -> Any:
    """k gamma <= w*.w_k <= |w_k| <= sqrt(k) R: the lines meet at the bound; beside it the cosine between its limits."""
    k = trace.k
    ahead = np.geomspace(1, max(bound * 1.6, k[-1] * 1.2, 2), 200)
    slope, root = trace.projection_least[0] / k[0], np.sqrt(trace.square_most[0] / k[0])
    with drawing():
        figure = new_figure(7.4, 3.7)
        left, right = figure.subplots(1, 2)
        between = ahead[ahead <= bound]
        left.fill_between(between, slope * between, root * np.sqrt(between), color=FAINT, alpha=0.6, lw=0)
        left.loglog(ahead, root * np.sqrt(ahead), color=MINUS, lw=1.3, label=r"$\sqrt{k}\,R$: no longer than this")
        run = {"lw": 2.2, "ls": (0, (2, 1))}
        left.loglog(k, np.sqrt(trace.square), color=MINUS, label="$|w_k|$", gid="length", **run)
        left.loglog(k, trace.projection, color=PLUS, label=r"$w^*\!\cdot w_k$", gid="projection", **run)
        left.loglog(ahead, slope * ahead, color=PLUS, lw=1.3, label=r"$k\,\gamma$: at least this")
        left.axvline(bound, color=INK, lw=1.2, ls=(0, (5, 3)), gid="bound")
        left.annotate(f"bound {bound:,.4g}", (bound, slope), xytext=(-4, 2), textcoords="offset points", ha="right",
                      fontsize=8.5)  # fmt: skip
        left.set_xlabel("corrections k")
        left.set_title("The squeeze")
        left.legend(loc="upper left", fontsize=7.5)
        _draw_cosine(right, trace, ahead, bound)
    return figure


def _draw_cosine(ax: Any, trace: ProofTrace, ahead: Floats, bound: float) -> None:
    least = trace.cosine_least[0] / np.sqrt(trace.k[0]) * np.sqrt(ahead)
    ax.axhline(1.0, color=MINUS, lw=1.3)
    ax.semilogx(ahead[ahead <= bound], least[ahead <= bound], color=PLUS, lw=1.3, gid="cosine-least",
                label=r"$\sqrt{k}\,\gamma/R$: at least this")  # fmt: skip
    ax.semilogx(trace.k, trace.cosine, "o-", color=INK, ms=3, lw=1.2, gid="cosine", label="cosine of $w_k$ and $w^*$")
    ax.set_ylim(min(0.0, float(trace.cosine.min()) * 1.1), 1.06)
    ax.set_xlabel("corrections k")
    ax.set_title("The cosine")
    ax.legend(loc="lower right", fontsize=7.5)


def corrections_against_bound(
    names: Sequence[str], made: Sequence[int], bounds: Sequence[int | None], whose: str = ""
) -> Any:
    """One row each: corrections made as a dot, the bound as a bar; bounds are never summed."""
    with drawing():
        figure = new_figure(7.4, 0.9 + 0.42 * len(names))
        ax = figure.subplots()
        rows = np.arange(len(names))[::-1]
        top = max([b for b in bounds if b is not None] + list(made) + [1])
        for row, count, bound in zip(rows, made, bounds, strict=True):
            if bound is None:
                ax.text(max(count, 0.8) * 1.3, row, "no bound", va="center", fontsize=8.5, color=QUIET)
            else:
                end = max(bound, 0.8)
                ax.plot([0.8, end], [row, row], color=FAINT, lw=9, solid_capstyle="butt", zorder=1,
                        gid=f"bound-bar-{row}")  # fmt: skip
                ax.plot([end, end], [row - 0.28, row + 0.28], color=INK, lw=1.8, zorder=2)
                share = f"  ({100 * count / bound:.2g} %)" if bound else ""
                ax.text(end * 1.12, row, f"{bound:,}{share}", va="center", fontsize=8.5, color=INK)
            ax.plot(max(count, 0.8), row, "o", color=PLUS, ms=8, mec="white", zorder=3, gid=f"made-{row}")
            ax.annotate(f"{count:,}", (max(count, 0.8), row), xytext=(0, 7), textcoords="offset points", ha="center",
                        fontsize=8, color=PLUS)  # fmt: skip
        ax.set_xscale("log")
        ax.set_xlim(0.8, top * 9)
        ax.set_ylim(-0.6, len(names) - 0.3)
        ax.set_yticks(rows, names)
        ax.set_xlabel("corrections (dot: made, bar: allowed by the theorem)")
        ax.set_title("Corrections against the bound" + (f": {whose}" if whose else ""))
    return figure


def primal_and_dual(problem: Problem, primal: Run, dual: DualRun) -> Any:
    """Which sample each form corrected at each step (they coincide), and the counts alpha that result."""
    with drawing():
        figure = new_figure(7.4, 3.6)
        left, right = figure.subplots(1, 2, width_ratios=[2, 1], sharey=True)
        marks = primal.indices[:MOST_MARKS], dual.indices[:MOST_MARKS]
        left.plot(np.arange(1, len(marks[0]) + 1), marks[0], "o", ms=8, mfc="none", mec=PLUS, mew=1.5,
                  label="primal: w += y x", gid="primal")  # fmt: skip
        left.plot(np.arange(1, len(marks[1]) + 1), marks[1], "x", ms=5, color=MINUS, mew=1.5,
                  label=r"dual: $\alpha_i$ += 1", gid="dual")  # fmt: skip
        left.set_xlabel("correction")
        left.set_ylabel("sample corrected")
        left.locator_params(integer=True)
        cut = f" (first {MOST_MARKS} of {primal.corrections:,})" if primal.corrections > MOST_MARKS else ""
        left.set_title(f"The same corrections, step for step{cut}", fontsize=9.5)
        left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        colours = [PLUS if y > 0 else MINUS for y in problem.y]
        right.barh(np.arange(problem.n), dual.alpha, color=colours, height=0.7, gid="alpha")
        right.set_xlabel(r"$\alpha_i$: corrections on sample i")
        right.locator_params(axis="x", integer=True)
        right.set_title("The dual's memory")
    return figure


def program_times(timings: Sequence[Timing]) -> Any:
    """Seconds for the perceptron and for the quadratic program, and what margin the perceptron reached."""
    n = [t.n for t in timings]
    with drawing():
        figure = new_figure(7.4, 3.4)
        left, right = figure.subplots(1, 2)
        program, single = [1e3 * t.program_s for t in timings], [1e3 * t.perceptron_s for t in timings]
        left.loglog(n, program, "-s", color=MINUS, label="quadratic program", gid="program")
        left.loglog(n, single, "-o", color=PLUS, label="perceptron", gid="perceptron")
        left.set_xlabel(f"samples n (d = {timings[0].d})")
        left.set_ylabel("milliseconds")
        left.set_title("Time on the same data")
        left.legend()
        right.semilogx(n, [100 * t.margin_share for t in timings], "-o", color=ACCENT, gid="margin-share")
        right.axhline(100, color=SECOND, lw=1.4, ls=(0, (5, 3)))
        right.annotate("quadratic program", (n[0], 100), xytext=(0, -11), textcoords="offset points", fontsize=8.5)
        right.set_ylim(0, 110)
        right.set_xlabel("samples n")
        right.set_ylabel("% of the widest margin")
        right.set_title("What the perceptron reaches")
    return figure
