"""What the bench finds out about one problem, in the order in which it becomes known: verdict, margin, bounds.

The margin and the ideal bound belong to the textbook's perceptron through the origin. The bound of the rack belongs to
the machine with its motors, stops, dead zone and backlash. A display shows one of them and says which.
A threshold other than 0 shifts every sum; the verdict allows for it, the textbook's bound then does not apply.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mark1.core.errors import Mark1Error
from mark1.theory.bounds import best_bound
from mark1.theory.offset import Offset
from mark1.theory.problem import Floats, Problem, make_problem
from mark1.theory.rack import Rack, rack_bound, widest_inside
from mark1.theory.separability import Verdict, verdict


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of one problem; None means not known yet, or that there is no such thing."""

    samples: int
    dimensions: int
    separable: bool | None
    sentence: str
    proof_samples: tuple[int, ...] = ()  # samples that together prove there is no separator
    reason: str = ""  # how they prove it (see Verdict)
    R: float | None = None
    gamma: float | None = None
    ideal_bound: float | None = None
    rack_bound: float | None = None
    rack_sentence: str = ""
    fits_inside: bool | None = None  # whether values inside the stops can answer every card beyond the dead zone
    complete: bool = False

    @property
    def bound(self) -> float | None:
        """The bound a display shows: the rack's own when there is one, else the ideal one."""
        return self.ideal_bound if self.rack_bound is None else self.rack_bound

    @property
    def bound_kind(self) -> str:
        """Which bound that is: rack, ideal or none."""
        if self.rack_bound is not None:
            return "rack"
        return "ideal" if self.ideal_bound is not None else "none"

    def as_table(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self) | {"bound": self.bound, "bound_kind": self.bound_kind}


def examine(problem: Problem, rack: Rack | None = None, shafts: Floats | None = None) -> Iterator[Findings]:
    """Findings that grow: the verdict, then margin and ideal bound, then the rack's bound; the last is complete.

    shafts: where the motors stand when training starts; in the middle when not given.
    """
    threshold = 0.0 if rack is None else rack.threshold
    judged = judge(problem, threshold)
    proof = tuple(i for i in judged.support if i < problem.n)
    found = Findings(problem.n, problem.d, judged.separable, judged.sentence, proof, judged.reason, problem.R)
    yield found
    if judged.separable and threshold == 0.0:
        found = _with_margin(found, problem)
        yield found
    if judged.separable and rack is not None:
        found = _with_rack(found, problem, rack, shafts)
    yield replace(found, complete=True)


def findings_of(problem: Problem, rack: Rack | None = None, shafts: Floats | None = None) -> Findings:
    """The complete findings."""
    *_, last = examine(problem, rack, shafts)
    return last


def judge(problem: Problem, threshold: float = 0.0) -> Verdict:
    """Separable by values alone, the threshold being fixed: y (w . x - threshold) > 0 for some w of any size."""
    if threshold == 0.0:
        return verdict(problem, with_offset=False)
    # w . x - t threshold with t > 0: one coordinate more, and one sample more that keeps its weight's sign.
    X = np.zeros((problem.n + 1, problem.d + 1))
    X[:-1, :-1], X[:-1, -1], X[-1, -1] = problem.X, -1.0, 1.0
    y = np.append(problem.y, np.sign(threshold))
    return verdict(make_problem(X, y, one_class_ok=True), with_offset=False)


def _with_margin(found: Findings, problem: Problem) -> Findings:
    try:
        best = best_bound(problem, Offset.NONE)
    except Mark1Error:  # separable by a hair that the quadratic program cannot see: the verdict stands, no margin
        return found
    return replace(found, gamma=best.gamma, ideal_bound=best.corrections)


def _with_rack(found: Findings, problem: Problem, rack: Rack, shafts: Floats | None) -> Findings:
    best = rack_bound(problem, rack, shafts)
    bound = None if best.corrections is None else float(best.corrections)
    fits = widest_inside(problem, rack) > rack.dead_zone
    return replace(found, rack_bound=bound, rack_sentence=best.sentence, fits_inside=bool(fits))
