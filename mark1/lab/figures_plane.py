"""Pictures of two-dimensional problems: duality, the risk surface, descents on it, the margin slab, kernels."""

from typing import Any

import numpy as np

from mark1.lab.figure_style import (
    ACCENT,
    FAINT,
    INK,
    MINUS,
    PLUS,
    QUIET,
    REGION,
    SECOND,
    draw_samples,
    drawing,
    hatched,
    line_through,
    new_figure,
    square_window,
)
from mark1.theory.dual import DualRun
from mark1.theory.perceptron import Run, values_along
from mark1.theory.plane import Cone, feasible_cone, require_plane
from mark1.theory.problem import Floats, Problem
from mark1.theory.risk import Descent, risk_many
from mark1.theory.svm import Svm

PAPER = {"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.5}  # behind words that stand on lines


def _reach(problem: Problem) -> float:
    return 1.12 * float(np.max(np.abs(problem.X)))


def draw_cone(ax: Any, cone: Cone | None, reach: float, label: bool = True) -> None:
    """The cone of correct w, hatched; or the words that there is none."""
    if cone is None:
        ax.text(0.5, 0.03, "no w is correct for all: the cone is empty", transform=ax.transAxes, ha="center",
                fontsize=8.5, color=INK, bbox=PAPER, zorder=6, gid="cone-empty")  # fmt: skip
        return
    angles = np.linspace(cone.low, cone.high, 40)
    corners = np.vstack([[0, 0], 3 * reach * np.column_stack([np.cos(angles), np.sin(angles)])])
    hatched(ax, corners, REGION, "cone")
    if label:
        middle, away = (cone.low + cone.high) / 2, 0.8 * reach
        ax.text(away * np.cos(middle), away * np.sin(middle), "every w here\nis correct", ha="center", va="center",
                fontsize=8.5, color=INK, zorder=6, bbox=PAPER)  # fmt: skip


def duality(problem: Problem, w: Floats | None = None) -> Any:
    """x-space and w-space side by side: samples become lines, the separator becomes a point in the cone."""
    require_plane(problem)
    cone, reach = feasible_cone(problem), _reach(problem)
    with drawing():
        figure = new_figure(7.4, 3.9)
        left, right = figure.subplots(1, 2)
        chosen = _sample_to_follow(problem, w)
        _draw_x_space(left, problem, w, chosen, reach)
        _draw_w_space(right, problem, w, cone, chosen, reach)
    return figure


def _sample_to_follow(problem: Problem, w: Floats | None) -> int:
    """The sample marked in both spaces: the one nearest the boundary, whose line then bounds the cone."""
    if w is None:
        return int(np.argmax(np.linalg.norm(problem.X, axis=1)))
    return int(np.argmin(np.abs(problem.X @ w)))


def _draw_x_space(ax: Any, problem: Problem, w: Floats | None, chosen: int, reach: float) -> None:
    square_window(ax, reach)
    draw_samples(ax, problem.X, problem.y)
    ax.scatter(*problem.X[chosen], s=150, facecolors="none", edgecolors=ACCENT, linewidths=2, zorder=5,
               gid="followed-sample")  # fmt: skip
    ax.annotate("this sample", problem.X[chosen], xytext=(0, -17), textcoords="offset points", ha="center",
                fontsize=8.5, bbox=PAPER, zorder=5)  # fmt: skip
    if w is not None:
        line_through(ax, w, 0.0, reach, color=INK, lw=1.6, zorder=3, gid="boundary")
        tip = w / np.linalg.norm(w) * reach * 0.45
        ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.4}, zorder=3)
        ax.text(*(tip * 1.14), "w", ha="center", va="center", fontweight="bold", color=INK)
    ax.set_title("x-space: samples are points, w a line")
    ax.set_xlabel("$x_1$")
    ax.set_ylabel("$x_2$", rotation=0, labelpad=8)


def _draw_w_space(ax: Any, problem: Problem, w: Floats | None, cone: Cone | None, chosen: int, reach: float) -> None:
    square_window(ax, reach)
    draw_cone(ax, cone, reach)
    _draw_followed_line(ax, problem.X[chosen], reach)
    for i, (x, y) in enumerate(zip(problem.X, problem.y, strict=True)):
        colour, dash = (PLUS, "-") if y > 0 else (MINUS, (0, (4, 2)))
        line_through(ax, x, 0.0, reach, color=colour, lw=0.9, ls=dash, alpha=0.75, zorder=2, gid=f"dual-{i}")
    if w is not None:
        point = w / np.linalg.norm(w) * reach * 0.45
        ax.plot(*point, marker="*", ms=13, color=INK, mec="white", zorder=7, gid="w")
        ax.annotate("w", point, xytext=(8, -3), textcoords="offset points", fontweight="bold", zorder=7)
    ax.set_title("w-space: samples are lines, w a point")
    ax.set_xlabel("$w_1$")
    ax.set_ylabel("$w_2$", rotation=0, labelpad=8)


def _draw_followed_line(ax: Any, x: Floats, reach: float) -> None:
    """The line of the sample that is ringed in x-space; it is perpendicular to the sample."""
    line_through(ax, x, 0.0, reach, color=ACCENT, lw=3.2, zorder=3, gid="followed-line")
    along = np.array([-x[1], x[0]]) / np.linalg.norm(x)
    place = -along if along[1] > 0 else along
    ax.text(*(0.72 * reach * place / np.max(np.abs(place))), "is this line", ha="center", va="center", fontsize=8.5,
            bbox=PAPER, zorder=6)  # fmt: skip


def _risk_grid(problem: Problem, reach: float, points: int) -> tuple[Floats, Floats, Floats]:
    axis = np.linspace(-reach, reach, points)
    A, B = np.meshgrid(axis, axis)
    return A, B, risk_many(problem, np.column_stack([A.ravel(), B.ravel()])).reshape(A.shape)


def _draw_risk(ax: Any, problem: Problem, reach: float, creases: bool = True) -> None:
    A, B, risk = _risk_grid(problem, reach, 241)
    square_window(ax, reach)
    levels = np.linspace(0, risk.max(), 13)[1:]
    ax.contourf(A, B, risk, levels=[0, *levels], cmap="Greys", alpha=0.55, zorder=0).set_rasterized(True)
    ax.contour(A, B, risk, levels=levels, colors="white", linewidths=0.6, zorder=1)
    if creases:
        for i, x in enumerate(problem.X):
            line_through(ax, x, 0.0, reach, color=SECOND, lw=0.8, zorder=2, gid=f"crease-{i}")
    ax.set_xlabel("$w_1$")
    ax.set_ylabel("$w_2$", rotation=0, labelpad=8)


def risk_surface(problem: Problem) -> Any:
    """The risk over w-space, from above with its creases, and as a surface."""
    require_plane(problem)
    reach = 1.0
    with drawing():
        figure = new_figure(7.4, 3.9)
        flat = figure.add_subplot(1, 2, 1)
        _draw_risk(flat, problem, reach)
        draw_cone(flat, feasible_cone(problem), reach)
        flat.set_title("Risk from above: bent where $w\\cdot x_i = 0$")
        _draw_relief(figure.add_subplot(1, 2, 2, projection="3d"), problem, reach)
    return figure


def _draw_relief(ax: Any, problem: Problem, reach: float) -> None:
    A, B, risk = _risk_grid(problem, reach, 61)
    ax.plot_surface(A, B, risk, cmap="cividis", rcount=60, ccount=60, linewidth=0.1, antialiased=True,
                    alpha=0.95, rasterized=True)  # fmt: skip
    for x in problem.X:
        length = np.linalg.norm(x)
        if length:
            ends = np.linspace(-1, 1, 60)[:, None] * np.array([-x[1], x[0]]) / length
            ends = ends[np.max(np.abs(ends), axis=1) <= reach]
            ax.plot(*ends.T, risk_many(problem, ends) + 0.01 * risk.max(), color=SECOND, lw=0.9, zorder=5)
    ax.set_title("The same as a relief: height is R(w)")
    ax.set_xlabel("$w_1$")
    ax.set_ylabel("$w_2$")
    cone = feasible_cone(problem)
    toward = -60.0 if cone is None else float(np.degrees((cone.low + cone.high) / 2)) - 35.0
    ax.view_init(elev=32, azim=toward)  # from the low side, so that the floor of zero risk is in front
    ax.set_box_aspect((1, 1, 0.75), zoom=0.88)
    ax.locator_params(nbins=5)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor(FAINT)


def descent_paths(problem: Problem, batch: Descent, perceptron: Run, start: Floats, step: float = 1.0) -> Any:
    """The steps of both descents on the risk, from the same start."""
    require_plane(problem)
    single = values_along(problem, perceptron, start, step)
    reach = 1.15 * float(max(np.max(np.abs(batch.path)), np.max(np.abs(single)), 1e-9))
    with drawing():
        figure = new_figure(7.4, 3.9)
        panels = [("Batch: all mistakes in each step", batch.path, PLUS, "batch"),
                  ("Perceptron: one mistake a step", single, MINUS, "perceptron")]  # fmt: skip
        for ax, (title, path, colour, gid) in zip(figure.subplots(1, 2), panels, strict=True):
            _draw_risk(ax, problem, reach)
            draw_cone(ax, feasible_cone(problem), reach, label=False)
            ax.plot(*path.T, color=colour, lw=1.5, marker="o", ms=3.5, mec="white", mew=0.5, zorder=5, gid=gid)
            ax.plot(*path[0], marker="D", ms=7, color="white", mec=INK, zorder=6, gid=f"{gid}-start")
            ax.plot(*path[-1], marker="*", ms=13, color=INK, mec="white", zorder=7, gid=f"{gid}-end")
            steps = len(path) - 1
            ax.set_title(f"{title} ({steps} step{'s' * (steps != 1)})", fontsize=9.5)
    return figure


def margin_slab(svm: Svm) -> Any:
    """The widest slab, its middle, the support vectors ringed, and slack drawn as threads to the margin."""
    problem = svm.problem
    require_plane(problem)
    reach = _reach(problem)
    with drawing():
        figure = new_figure(5.2, 4.6)
        ax = figure.subplots()
        square_window(ax, reach)
        _draw_slab(ax, svm, reach)
        draw_samples(ax, problem.X, problem.y, size=46)
        _draw_support(ax, svm)
        kind = "Hard margin" if svm.C is None else f"Soft margin, C = {svm.C:g}"
        ax.set_title(f"{kind}: slab {2 * svm.margin:.3g} wide")
        ax.set_xlabel("$x_1$")
        ax.set_ylabel("$x_2$", rotation=0, labelpad=8)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _draw_slab(ax: Any, svm: Svm, reach: float) -> None:
    from matplotlib.patches import Polygon

    unit = svm.w / np.linalg.norm(svm.w)
    middle, along = unit * (-svm.b / np.linalg.norm(svm.w)), np.array([-unit[1], unit[0]]) * 4 * reach
    edges = [middle + svm.margin * unit, middle - svm.margin * unit]
    corners = [edges[0] - along, edges[0] + along, edges[1] + along, edges[1] - along]
    ax.add_patch(Polygon(corners, closed=True, facecolor=SECOND + "33", edgecolor="none", zorder=1, gid="slab"))
    line_through(ax, svm.w, -svm.b, reach, color=INK, lw=1.8, zorder=2, gid="boundary")
    for value, gid in ((1.0, "margin-plus"), (-1.0, "margin-minus")):
        line_through(ax, svm.w, value - svm.b, reach, color=INK, lw=0.9, ls=(0, (5, 3)), zorder=2, gid=gid)


def _draw_support(ax: Any, svm: Svm) -> None:
    rings = {"s": 150, "facecolors": "none", "linewidths": 1.5, "zorder": 5}
    on, slack = svm.problem.X[svm.on_margin()], svm.problem.X[svm.with_slack()]
    ax.scatter(*on.T, edgecolors=INK, **rings, gid="on-margin", label="support vector on the margin")
    if len(slack):
        ax.scatter(*slack.T, edgecolors=ACCENT, linestyles="--", **rings, gid="with-slack",
                   label="support vector with slack")  # fmt: skip
    unit = svm.w / np.linalg.norm(svm.w)
    for i in svm.with_slack():
        x, away = svm.problem.X[i], svm.problem.y[i] * svm.primal.slack[i] * svm.margin
        ax.plot(*np.array([x, x + away * unit]).T, color=ACCENT, lw=0.9, zorder=3, gid=f"slack-{i}")


def kernel_regions(problem: Problem, runs: dict[str, DualRun]) -> Any:
    """Where kernel perceptrons answer +1 and -1, and the curve between."""
    require_plane(problem)
    reach = _reach(problem)
    axis = np.linspace(-reach, reach, 161)
    A, B = np.meshgrid(axis, axis)
    grid = np.column_stack([A.ravel(), B.ravel()])
    with drawing():
        figure = new_figure(7.4, 3.9)
        for ax, (name, run) in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs.items(), strict=True):
            square_window(ax, reach)
            f = run.decide(grid).reshape(A.shape)
            ax.contourf(A, B, f, levels=[-np.inf, 0, np.inf], colors=[MINUS + "26", PLUS + "26"], zorder=0)
            ax.contour(A, B, f, levels=[0], colors=INK, linewidths=1.6, zorder=2)
            draw_samples(ax, problem.X, problem.y, size=46)
            state = "corrections" if run.converged else "corrections, not finished"
            ax.set_title(f"{name}: {run.corrections} {state}", fontsize=9.5)
            ax.tick_params(colors=QUIET)
    return figure
