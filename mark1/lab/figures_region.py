"""The region of (w, alpha) that satisfies every margin constraint, in three dimensions, and its cross-section.

alpha is the texts' name for the offset b in this picture. The cross-section is cut through the alpha axis and the
optimum, so its horizontal axis is the length of w along w*: the optimum, having the least |w|, is its leftmost point.
(A cut at a fixed w_1, as in the lecture, shrinks to a point for most data.)
"""

from typing import Any

import numpy as np

from mark1.lab.figure_style import FAINT, INK, MINUS, PLUS, REGION, SECOND, drawing, hatched, new_figure
from mark1.theory.plane import cross_section, region_faces
from mark1.theory.problem import Floats, Problem
from mark1.theory.svm import Svm


def weight_region(svm: Svm) -> Any:
    """All (w1, w2, alpha) with y_i (w . x_i + alpha) >= 1, the optimum, and the cross-section through it."""
    optimum = np.array([svm.w[0], svm.w[1], svm.b])
    length = float(np.linalg.norm(svm.w))
    window = _window(svm, length)
    with drawing():
        figure = new_figure(7.4, 4.0)
        figure.get_layout_engine().set(wspace=0.1)
        _draw_region(figure.add_subplot(1, 2, 1, projection="3d"), svm.problem, optimum, window)
        _draw_section(figure.add_subplot(1, 2, 2), svm.problem, svm.w / length, (length, svm.b), window)
    return figure


def _window(svm: Svm, length: float) -> tuple[float, float, float, float]:
    """From w = 0 to two and a half times the optimum, and as much of the alpha axis as the region fills there."""
    wide = (0.0, 2.5 * length, -1e3 * length, 1e3 * length)
    heights = cross_section(svm.problem, svm.w / length, wide)[:, 1]
    room = 0.25 * float(np.ptp(heights))
    return 0.0, 2.5 * length, float(heights.min()) - room, float(heights.max()) + room


def _draw_region(ax: Any, problem: Problem, optimum: Floats, window: tuple[float, float, float, float]) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    _, far, bottom, top = window
    unit = optimum[:2] / np.linalg.norm(optimum[:2])
    centre = np.append(unit * far / 2, (bottom + top) / 2)
    half = np.array([far * 0.62, far * 0.62, (top - bottom) / 2])
    solid = Poly3DCollection(region_faces(problem, centre, half), facecolors=REGION + "30", edgecolors=REGION,
                             linewidths=0.8)  # fmt: skip
    solid.set_gid("region")
    ax.add_collection3d(solid)
    section = cross_section(problem, unit, window)
    cut = Poly3DCollection([np.column_stack([section[:, :1] * unit, section[:, 1]])], facecolors=SECOND + "80",
                           edgecolors=SECOND, linewidths=1.2)  # fmt: skip
    cut.set_gid("cut")
    ax.add_collection3d(cut)
    ax.plot(*optimum[:, None], marker="*", ms=12, color=INK, mec="white", zorder=10, gid="optimum-in-space")
    for setter, c, h in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), centre, half, strict=True):
        setter(c - h, c + h)
    _label_axes(ax)


def _label_axes(ax: Any) -> None:
    ax.set_xlabel("$w_1$")
    ax.set_ylabel("$w_2$")
    ax.set_zlabel(r"$\alpha$")
    ax.set_title("Every $(w, \\alpha)$ with margin 1 or more")
    ax.view_init(elev=18, azim=-68)
    ax.set_box_aspect((1, 1, 0.9), zoom=0.9)
    ax.locator_params(nbins=5)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor(FAINT)


def _draw_section(
    ax: Any, problem: Problem, unit: Floats, optimum: tuple[float, float], window: tuple[float, float, float, float]
) -> None:
    ends = np.array(window[:2])
    for i, (x, y) in enumerate(zip(problem.X, problem.y, strict=True)):
        colour, dash = (PLUS, "-") if y > 0 else (MINUS, (0, (4, 2)))
        line = y - ends * (unit @ x)  # y (t u.x + alpha) = 1, solved for alpha
        ax.plot(ends, line, color=colour, ls=dash, lw=0.9, alpha=0.8, zorder=2, gid=f"constraint-{i}")
    hatched(ax, cross_section(problem, unit, window), SECOND, "section")
    ax.plot(*optimum, marker="*", ms=13, color=INK, mec="white", zorder=6, gid="optimum")
    ax.annotate("optimum:\nleast |w|", optimum, xytext=(-9, 0), textcoords="offset points", ha="right", va="center",
                fontsize=8.5, zorder=6, bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.5})  # fmt: skip
    ax.set_xlim(*window[:2])
    ax.set_ylim(*window[2:])
    ax.set_title(r"Cross-section along $w^*$")
    ax.set_xlabel(r"$|w|$, in the direction of $w^*$")
    ax.set_ylabel(r"$\alpha$", rotation=0, labelpad=8)
