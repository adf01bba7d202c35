"""What the bench finds out about one problem, in the order in which it becomes known: verdict, margin, bounds.

The margin and the ideal bound belong to the textbook's perceptron through the origin: for a machine with motors it is
a value to compare with, never a limit. The bound of the rack belongs to the machine with its motors, stops, dead zone
and backlash, and to a start: this machine's training, or a new machine's. Only the first may stand beside a count.
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
from mark1.theory.rack import Rack, fits_inside, rack_bound
from mark1.theory.separability import Verdict, verdict

NEW_MACHINE, THIS_TRAINING = "a new machine", "this training"


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
    ideal_bound: int | None = None  # most corrections of the textbook's perceptron
    rack_bound: int | None = None  # most corrections of this rack
    rack_sentence: str = ""
    none_exists: bool = False  # proved: no setting fulfils the condition of the rack's theorem
    fits_inside: bool | None = None  # whether values inside the stops can answer every card beyond the dead zone
    bound_for: str = NEW_MACHINE  # what the rack's bound is for: a new machine, or this training
    from_new: bool = True  # whether that starts as a new machine does: values 0, gears in the middle of their play
    not_comparable: str = "no machine's training was examined"  # why the machine's own count may not stand beside it
    complete: bool = False

    @property
    def comparable(self) -> bool:
        """Whether a machine's own count of corrections may stand beside the rack's bound."""
        return self.rack_bound is not None and self.bound_for == THIS_TRAINING

    @property
    def bound(self) -> int | None:
        """The bound that a count may stand beside; None when there is none, or it is not this training's."""
        return self.rack_bound if self.comparable else None

    @property
    def bound_kind(self) -> str:
        """rack or none: the textbook's value is no bound of this machine."""
        return "none" if self.bound is None else "rack"

    @property
    def bound_words(self) -> str:
        """What the rack's bound is and what it is for, in one short sentence; empty while nothing is known."""
        if self.rack_bound is None:
            return self.rack_sentence
        if self.comparable:
            return f"At most {self.rack_bound:,} corrections are possible for this rack."
        return f"A new machine with these settings would need at most {self.rack_bound:,} corrections."

    def as_table(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self) | {"comparable": self.comparable, "bound": self.bound, "bound_words": self.bound_words}


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
    return replace(found, gamma=best.gamma, ideal_bound=best.most)


def _with_rack(found: Findings, problem: Problem, rack: Rack, shafts: Floats | None) -> Findings:
    best = rack_bound(problem, rack, shafts)
    return replace(
        found, rack_bound=best.most, rack_sentence=best.sentence, none_exists=best.none_exists,
        fits_inside=fits_inside(problem, rack, shafts),
    )  # fmt: skip
