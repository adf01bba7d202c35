"""The report on a two-dimensional teaching set: every idea of the texts, in the order they teach it."""

from dataclasses import dataclass

import numpy as np

from mark1.lab import figures_plane, figures_region, figures_runs
from mark1.lab.page import Page, Picture, Section, Table
from mark1.lab.report_toy_curved import certificate_section, kernels_section, soft_section, validation_section
from mark1.lab.timing import Clock, time_programs
from mark1.theory.bounds import Bound, best_bound
from mark1.theory.dual import run_dual
from mark1.theory.margins import geometric_margin
from mark1.theory.offset import Offset
from mark1.theory.perceptron import Perceptron, Run, run_perceptron
from mark1.theory.problem import Floats, Problem
from mark1.theory.proof import ProofRecorder, ProofTrace
from mark1.theory.risk import batch_descent, risk_many
from mark1.theory.separability import Verdict, verdict
from mark1.theory.svm import Svm, hard_margin
from mark1.theory.toys import toy

WAYS = {
    Offset.NONE: "through the origin",
    Offset.APPEND_ONE: "append 1 to x",
    Offset.PLUS_Y: "b += y",
    Offset.PLUS_Y_R2: "b += y R²",
}
DESCENT_STEP = 0.04  # small enough that both descents take several steps on the teaching sets


@dataclass(frozen=True, slots=True)
class ToyFindings:
    """What is known of a teaching set; the parts that need a separator are None when there is none."""

    name: str
    problem: Problem
    origin: Verdict
    offset: Verdict
    bounds: dict[Offset, Bound]
    runs: dict[Offset, Run]
    widest: Svm | None


def examine_toy(name: str) -> ToyFindings:
    """Verdicts, bounds, runs and the widest margin of a teaching set."""
    problem = toy(name)
    origin, offset = verdict(problem, with_offset=False), verdict(problem, with_offset=True)
    if not origin.separable:
        return ToyFindings(name, problem, origin, offset, {}, {}, None)
    bounds = {way: best_bound(problem, way) for way in Offset}
    runs = {way: run_perceptron(problem, way) for way in Offset}
    return ToyFindings(name, problem, origin, offset, bounds, runs, hard_margin(problem))


def toy_table(found: ToyFindings) -> dict[str, object]:
    """Plain data, for --json."""
    table: dict[str, object] = {
        "toy": found.name,
        "samples": found.problem.n,
        "separable": found.offset.separable,
        "separable_through_origin": found.origin.separable,
        "sentence": found.offset.sentence,
        "R": found.problem.R,
    }
    if found.widest is not None:
        table |= {"margin": found.widest.margin, "support_vectors": found.widest.on_margin().tolist()}
        table["offset_ways"] = {
            way.value: {"corrections": found.runs[way].corrections, "bound": found.bounds[way].most} for way in Offset
        }
    else:
        table["proof_samples"] = found.offset.support
    return table


def toy_page(found: ToyFindings, clock: Clock) -> Page:
    """The report as a page; clock times the two programs."""
    separable = found.widest is not None
    sections = _separable_sections(found, clock) if separable else _inseparable_sections(found)
    return Page(
        "Mark I theory bench",
        f"The teaching set “{found.name}”",
        _lead(found),
        sections,
        "Made by mark1 theory. Samples, boundary and numbers are computed, not drawn by hand; "
        "verdicts are proved in exact rationals.",
    )


def _lead(found: ToyFindings) -> str:
    n, R = found.problem.n, found.problem.R
    if found.widest is None:
        return f"{n} samples in the plane. No straight line separates the two classes, and this page proves it."
    gamma = found.bounds[Offset.NONE].gamma
    made, most = found.runs[Offset.NONE].corrections, found.bounds[Offset.NONE].most
    return (
        f"{n} samples in the plane, separable by a line through the origin with margin {gamma:.3g} "
        f"(1/{R / gamma:.3g} of the radius). The theorem allows at most {most:,} corrections; "
        f"the perceptron needs {made:,}."
    )


def _separable_sections(found: ToyFindings, clock: Clock) -> list[Section]:
    problem, widest = found.problem, found.widest
    assert widest is not None
    start = worst_start(problem)
    return [
        _duality(problem, found.bounds[Offset.NONE].w),
        _risk(problem),
        _descents(problem, start),
        _steps(problem),
        _proof(found),
        _bounds(found),
        _dual(problem),
        _margin(widest),
        _times(clock),
    ]


def worst_start(problem: Problem) -> Floats:
    """Of the starts y_i x_i that the texts recommend, the one with the highest risk: it has the longest way."""
    rows = problem.signed
    return np.array(rows[int(np.argmax(risk_many(problem, rows / np.linalg.norm(rows, axis=1)[:, None])))])


def _duality(problem: Problem, w: Floats | None) -> Section:
    cone = "the cone" if w is not None else "no cone"
    text = (
        "A separator through the origin is a vector w. In x-space it is a line, perpendicular to w, and each sample "
        "is a "
        "point. In w-space it is the other way round: w is a point, and each sample is a line, the set of all w for "
        "which the sample lies exactly on the boundary. To be right about a sample, w must lie on one side of its line."
    )
    end = (
        "The w that are right about all samples fill the hatched cone."
        if w is not None
        else "Here the half-planes have no point in common: the cone is empty."
    )
    picture = Picture(
        figures_plane.duality(problem, w),
        f"Left: samples of two classes in x-space. Right: their lines in w-space with {cone} of correct w.",
        "The same set in both spaces. Blue circles and full lines: class +1; vermilion squares and dashed lines: "
        "class -1.",
    )
    return Section("Two spaces", [text, end, picture])


def _risk(problem: Problem) -> Section:
    return Section(
        "Risk",
        [
            "The risk R(w) adds up, over the misclassified samples, how deep each lies on the wrong side: -y w·x. "
            "It is "
            "zero in the cone of correct w, and nowhere negative. It is made of flat pieces; where some w·x = 0 a "
            "sample "
            "changes sides and the surface has a crease. The creases are the very lines of w-space. The risk is also "
            "zero at w = 0, which separates nothing: so descent must start elsewhere.",
            Picture(
                figures_plane.risk_surface(problem),
                "Contours of the risk over w-space with its creases, and the same surface in relief.",
                "Dark is high risk. Orange: creases, one for each sample.",
            ),
        ],
    )


def _descents(problem: Problem, start: Floats) -> Section:
    batch = batch_descent(problem, step=DESCENT_STEP, start=start)
    single = Perceptron(problem, step=DESCENT_STEP, start=start).run()
    search = batch_descent(problem, start=start, line_search=True)
    return Section(
        "Two ways down",
        [
            "Gradient descent moves w by the sum of y x over all misclassified samples: each step looks at the "
            "whole set. "
            "The perceptron takes one misclassified sample at a time: w += ε y x. Each of its steps is cheap, and "
            "samples "
            "may join while it runs.",
            Picture(
                figures_plane.descent_paths(problem, batch, single, start, DESCENT_STEP),
                "Paths of batch descent and perceptron over the risk, from the same start to the cone.",
                f"From the same start (diamond), ε = {DESCENT_STEP:g}: batch {batch.steps} steps, perceptron "
                f"{single.corrections}. With an exact line search, which needs no ε, batch takes {search.steps}.",
            ),
        ],
    )


def _steps(problem: Problem) -> Section:
    measured = figures_runs.measure_step_sizes(problem, np.geomspace(1e-3, 1e3, 25))
    return Section(
        "The step size",
        [
            "From a start y x the step size matters: too small, and many steps are needed to come down; too large, "
            "and the "
            "first steps throw w far over the cone. From w = 0 it has no effect at all: every w is then a multiple "
            "of ε, "
            "and no sign depends on it.",
            "From w = 0 every f(x) is 0. The rule “y f(x) ≤ 0 is a mistake” starts the run; the rule “< 0”, which some "
            "texts print, would never start.",
            Picture(
                figures_runs.step_size(measured),
                "Number of steps against step size for batch and perceptron, and a level line for the start at zero.",
                "Steps needed on this set, each point a run. The black line is the perceptron from w = 0.",
            ),
        ],
    )


def _proof(found: ToyFindings) -> Section:
    bound, trace = found.bounds[Offset.NONE], proof_trace(found.problem, found.bounds[Offset.NONE])
    broken = trace.violations()
    holds = "Every inequality held at every correction of this run." if not broken else " ".join(broken)
    gain = (
        "Each correction also raises y f(x) of its own sample by exactly |x|²: here by "
        f"{trace.gain.min():.3g} to {trace.gain.max():.3g}."
    )
    return Section(
        "Why it must end",
        [
            "Let w* be a separator of length 1 with margin γ. Each correction adds at least γ to w*·w. And because "
            "it is "
            "made only on a mistake, it adds at most R² to |w|². So after k corrections kγ ≤ w*·w ≤ |w| ≤ √k R. A "
            "straight line cannot stay below a square root for ever: they meet at k = (R/γ)².",
            f"{holds} {gain}",
            Picture(
                figures_runs.squeeze(trace, bound.corrections),
                "Log-log plot of the four sides of the inequality, meeting at the bound; and the cosine with w*.",
                f"The run stays in the grey wedge, which closes at k = {bound.corrections:.4g}. "
                f"It ended after {int(trace.k[-1])}.",
            ),
        ],
    )


def proof_trace(problem: Problem, bound: Bound) -> ProofTrace:
    """The ideal run with both sides of each inequality recorded."""
    recorder = ProofRecorder(problem, bound)
    Perceptron(problem, bound.offset, watch=recorder).run()
    return recorder.trace()


def _bounds(found: ToyFindings) -> Section:
    names = [WAYS[way] for way in Offset]
    made = [found.runs[way].corrections for way in Offset]
    most = [found.bounds[way].most for way in Offset]
    margins = [geometric_margin(found.problem, found.runs[way].w, found.runs[way].b) for way in Offset]
    rows = [[name, f"{m:,}", f"{b:,}", f"{g:.3g}"] for name, m, b, g in zip(names, made, most, margins, strict=True)]
    return Section(
        "The offset, four ways",
        [
            "A line need not pass through the origin: f(x) = w·x + b. The texts treat b in four ways. Appending 1 to "
            "every sample and adding y to b are the same algorithm; adding y R² is the same as appending R.",
            Table(["way", "corrections", "bound", "margin reached"], rows),
            Picture(
                figures_runs.corrections_against_bound(names, made, most),
                "Corrections made against the bound for each of the four ways.",
                "Each way has its own bound; bounds are never added up.",
            ),
        ],
    )


def _dual(problem: Problem) -> Section:
    return Section(
        "The dual form",
        [
            "Since every correction adds y x to w, the final w is the sum of α y x, where α counts the corrections "
            "on each "
            "sample. One may keep the counts instead of w. Decisions and corrections are the same, step for step; "
            "but now "
            "only inner products of samples are needed, and a kernel may stand in their place.",
            Picture(
                figures_runs.primal_and_dual(problem, run_perceptron(problem), run_dual(problem)),
                "The sample corrected at each step by the primal and by the dual form; bars of the counts alpha.",
                "Circles: the primal run. Crosses: the dual run. They never part.",
            ),
        ],
    )


def _margin(widest: Svm) -> Section:
    return Section(
        "The widest slab",
        [
            "The perceptron stops at the first w that is right. Among all that are right one keeps the largest "
            "distance "
            "from the samples. To find it, ask for y (w·x + α) ≥ 1 and make |w| as small as possible: the empty "
            "slab is "
            "then 2/|w| wide. (One of the texts prints “maximize |w|²”; that is a slip.) It is a quadratic program "
            "with one "
            "solution.",
            Picture(
                figures_region.weight_region(widest),
                "The region of admissible w and alpha in three dimensions, and a cross-section with the optimum.",
                "Left: all (w, α) that keep margin 1. Right: the cut through the α axis and the optimum. Each line "
                "is a sample.",
            ),
            Picture(
                figures_plane.margin_slab(widest),
                "The widest slab between the classes with the support vectors ringed.",
                f"Margin {widest.margin:.4g}. Primal and dual values agree to {widest.gap:.0e}; only the "
                f"{len(widest.on_margin())} ringed samples have α above zero (complementary slackness).",
                narrow=True,
            ),
        ],
    )


def _times(clock: Clock) -> Section:
    return Section(
        "Perceptron against quadratic program",
        [
            "On larger random sets, timed on this computer just now: the perceptron answers sooner, the quadratic "
            "program "
            "finds the widest margin.",
            Picture(
                figures_runs.program_times(time_programs(clock, (20, 50, 100, 200, 500, 1000))),
                "Milliseconds against number of samples for both programs, and the perceptron's share of the widest "
                "margin.",
                "Median of three runs each, the same data for both.",
            ),
        ],
    )


def _inseparable_sections(found: ToyFindings) -> list[Section]:
    problem = found.problem
    return [
        certificate_section(problem, found.offset),
        _duality(problem, None),
        _risk(problem),
        soft_section(problem),
        kernels_section(problem),
        validation_section(problem),
    ]
