"""The report on a teaching set that no line separates: proof, soft margin, kernels, validation."""

from collections.abc import Callable

import numpy as np

from mark1.lab import figures_plane
from mark1.lab.page import Part, Picture, Section, Table
from mark1.theory.dual import DualRun, polynomial_kernel, radial_kernel, run_dual
from mark1.theory.offset import Offset
from mark1.theory.problem import Floats, Problem
from mark1.theory.separability import Verdict
from mark1.theory.svm import soft_margin
from mark1.theory.validation import hold_out

KERNEL_LIMIT = 3_000  # corrections after which a kernel perceptron is stopped


def certificate_section(problem: Problem, judged: Verdict) -> Section:
    """The weights that prove there is no line, with the samples they belong to."""
    rows = [
        [str(i), f"({problem.X[i][0]:g}, {problem.X[i][1]:g})", f"{problem.y[i]:+g}", f"{m:,}"]
        for i, m in enumerate(judged.multipliers)
        if m
    ]
    return Section(
        "The proof that no line exists",
        [
            judged.sentence,
            "Give each sample below its weight. Then the weighted samples of the two classes have the same sum, and "
            "the "
            "weights of the two classes are equal. If a line put every sample on its own side, the weighted sum of "
            "y (w·x + b) would be above zero; yet it is exactly zero for every w and b. The weights were checked in "
            "whole numbers by code that shares nothing with the solver that found them.",
            Table(["sample", "point", "label", "weight"], rows),
        ],
    )


def soft_section(problem: Problem) -> Section:
    """The soft margin, unless its cheapest answer is no direction at all."""
    svm = soft_margin(problem, 1.0)
    on, slack = len(svm.on_margin()), len(svm.with_slack())
    parts: list[Part] = [
        "The soft margin lets samples cross their margin at a price C for each unit of slack. Two kinds of sample then "
        "carry the solution: those exactly on the margin, and those that use slack."
    ]
    if np.linalg.norm(svm.w) < 1e-4:
        parts.append("On this set the cheapest answer is w = 0: no direction is better than none, so there is no slab.")
    else:
        parts.append(
            Picture(
                figures_plane.margin_slab(svm),
                "The soft-margin slab with both kinds of support vector.",
                f"{on} support vectors on the margin, {slack} with slack; primal and dual values agree to "
                f"{svm.gap:.0e}.",
                narrow=True,
            )
        )
    return Section("The soft margin", parts)


def kernel_runs(problem: Problem) -> dict[str, DualRun]:
    """Two kernel perceptrons on the set."""
    return {
        "polynomial, degree 2": run_dual(
            problem, Offset.PLUS_Y, kernel=polynomial_kernel(2), max_corrections=KERNEL_LIMIT
        ),
        "radial, width 0.8": run_dual(problem, Offset.PLUS_Y, kernel=radial_kernel(0.8), max_corrections=KERNEL_LIMIT),
    }


def kernels_section(problem: Problem) -> Section:
    """Two kernel perceptrons and what they make of the set."""
    runs = kernel_runs(problem)
    done = [name for name, run in runs.items() if run.converged]
    result = f"It separates this set with: {' and '.join(done)}." if done else "Neither kernel here separates this set."
    return Section(
        "Kernels",
        [
            "The dual perceptron uses samples only in inner products x·z. Put k(x, z) in their place and the same "
            "algorithm draws curved boundaries.",
            result,
            Picture(
                figures_plane.kernel_regions(problem, runs),
                "The regions that two kernel perceptrons give to each class.",
                "Where each kernel perceptron answers +1 (blue) and -1 (vermilion).",
            ),
        ],
    )


def validation_section(problem: Problem) -> Section:
    """A held-out part: honest once, spent after a choice."""
    if problem.n < 10:
        text = f"With {problem.n} samples nothing can be held out; an honest estimate needs more."
        return Section("Validation", [text])
    train, held = hold_out(problem, 0.3, seed=1)
    narrow = run_dual(train, Offset.PLUS_Y, kernel=radial_kernel(0.2), max_corrections=KERNEL_LIMIT)
    wide = run_dual(train, Offset.PLUS_Y, kernel=radial_kernel(1.0), max_corrections=KERNEL_LIMIT)
    plain = run_dual(train, Offset.PLUS_Y, max_corrections=KERNEL_LIMIT)
    first = held.estimate("the radial kernel of width 1", wide.decide)
    candidates: dict[str, Callable[[Floats], Floats]] = {
        "the radial kernel of width 1": wide.decide,
        "the radial kernel of width 0.2": narrow.decide,
        "a line": plain.decide,
    }
    best, chosen = held.choose(candidates)
    return Section(
        "Validation",
        [
            "Errors on the samples a classifier was made from are too low an estimate. So a random part is held out.",
            first.sentence,
            f"Now the held-out samples choose among three classifiers, and the best is {best}. {chosen.sentence}",
        ],
    )
