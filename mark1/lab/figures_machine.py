"""Pictures of a machine beside the ideal perceptron: its values against the ideal ones, with the stops."""

from typing import Any

import numpy as np

from mark1.lab.activity import ResponseReport
from mark1.lab.figure_style import FAINT, INK, MINUS, PLUS, QUIET, drawing, new_figure


def values_against_ideal(report: ResponseReport) -> Any:
    """Each potentiometer of one R-unit: the ideal run's value across, the machine's value up, both in steps."""
    step = 1.0 if report.rack is None else float(report.rack.travel.mean()) or 1.0  # 0: all its motors are stuck
    machine, ideal = report.comparison.values / step, report.comparison.ideal.w
    angle = report.comparison.angle
    with drawing():
        figure = new_figure(7.4, 3.8)
        left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
        _draw_pairs(left, report, ideal, machine, step)
        _draw_sums(right, report, step)
        words = "" if angle is None else f": {angle:.1f}° apart"
        left.set_title(f"{report.name}: values, machine against ideal{words}", fontsize=9.5)
    return figure


def _draw_pairs(ax: Any, report: ResponseReport, ideal: Any, machine: Any, step: float) -> None:
    ends = np.array([min(ideal.min(), machine.min(), -1), max(ideal.max(), machine.max(), 1)]) * 1.1
    ax.plot(ends, ends, color=FAINT, lw=1.2, zorder=1)
    high = 1.1 * min(ends[1], machine.max())
    ax.annotate("equal", (high, high), xytext=(5, -2), textcoords="offset points", fontsize=8, color=QUIET)
    offsets = np.linspace(-0.25, 0.25, len(ideal))  # ideal values are whole, so points would hide one another
    ax.scatter(ideal + offsets, machine, s=16, color=PLUS, edgecolors="white", linewidths=0.4, zorder=3, gid="values")
    stopped = np.isin(report.at.units, report.comparison.at_low + report.comparison.at_high)
    ax.scatter((ideal + offsets)[stopped], machine[stopped], s=50, marker="s", facecolors="none", edgecolors=MINUS,
               linewidths=1.4, zorder=4, gid="stopped")  # fmt: skip
    if report.rack is not None and report.rack.has_stops:
        for stop, gid in ((report.rack.low[0] / step, "low-stop"), (report.rack.high[0] / step, "high-stop")):
            if 1.25 * machine.min() <= stop <= 1.25 * machine.max():
                ax.axhline(stop, color=MINUS, lw=1.2, ls=(0, (5, 3)), gid=gid)
    ax.set_ylim(*(1.25 * np.array([min(machine.min(), -1), max(machine.max(), 1)])))
    ax.set_xlabel("ideal value, in corrections")
    ax.set_ylabel("machine's value, in mean steps")


def _draw_sums(ax: Any, report: ResponseReport, step: float) -> None:
    """How far each card's sum is on its own side, for the machine; the dead zone shaded."""
    problem, threshold = report.at.problem, 0.0 if report.rack is None else report.rack.threshold
    sums = np.sort(problem.y * (problem.X @ report.comparison.values - threshold)) / step
    dead = 0.0 if report.rack is None else report.rack.dead_zone / step
    ax.axhspan(-dead, dead, color=FAINT, zorder=0, gid="dead-zone")
    ax.axhline(0, color=INK, lw=0.8)
    ax.plot(np.arange(1, len(sums) + 1), sums, "o", ms=3.5, color=PLUS, zorder=3, gid="sums")
    bad, size = sums <= dead, 6 if len(sums) < 60 else 3
    ax.plot(np.arange(1, len(sums) + 1)[bad], sums[bad], "s", ms=size, mfc="none", mec=MINUS, zorder=4, gid="wrong")
    ax.set_xlabel("cards, weakest first")
    ax.set_ylabel("sum on its own side, in mean steps")
    ax.set_title("How sure of each card", fontsize=9.5)
