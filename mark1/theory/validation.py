"""Validation: a hold-out set that remembers what it was used for, and says when it is spent.

The error on the samples a classifier was made from is too low an estimate of its error on new ones. A random part held
out and looked at once gives an honest one. Choosing the best of several classifiers by the held-out part spends it:
the winner's score was picked for being high, so a new estimate needs new samples.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.problem import Floats, Problem, make_problem

Classifier = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An error rate, the number of samples behind it, and whether it is still an honest estimate."""

    error: float
    samples: int
    honest: bool
    sentence: str


def error_rate(problem: Problem, classify: Classifier) -> float:
    """The share of samples whose f(x) is not strictly on the side of its label."""
    return float(np.mean(problem.y * np.asarray(classify(problem.X)) <= 0.0))


@dataclass(slots=True)
class ValidationSet:
    """Held-out samples and the names of the classifiers they have judged, in order."""

    problem: Problem
    judged: list[str] = field(default_factory=list)
    chosen: str | None = None

    @property
    def spent(self) -> bool:
        """True once it has judged more than one classifier."""
        return len(set(self.judged)) > 1

    def estimate(self, name: str, classify: Classifier) -> Estimate:
        """The error of one classifier; honest only while this set has judged no other."""
        if name not in self.judged:
            self.judged.append(name)
        error = error_rate(self.problem, classify)
        return Estimate(error, self.problem.n, not self.spent, self._sentence(name, error))

    def choose(self, candidates: Mapping[str, Classifier]) -> tuple[str, Estimate]:
        """The candidate with the least error here (the first of equals); this spends the set."""
        if not candidates:
            raise InputError("There is no classifier to choose from; give at least one.")
        errors = {name: error_rate(self.problem, classify) for name, classify in candidates.items()}
        self.judged.extend(name for name in candidates if name not in self.judged)
        best = min(errors, key=lambda name: errors[name])
        if len(errors) > 1:
            self.chosen = best
        return best, Estimate(errors[best], self.problem.n, not self.spent, self._sentence(best, errors[best]))

    def _sentence(self, name: str, error: float) -> str:
        rate = f"{name[:1].upper()}{name[1:]}: {100 * error:.1f} % wrong on {self.problem.n} held-out samples"
        if not self.spent:
            return f"{rate}; this is an honest estimate, because nothing was chosen by them."
        judged = len(set(self.judged))
        return f"{rate}; the set has judged {judged} classifiers and is spent: take new samples for a new estimate."


def hold_out(problem: Problem, share: float, seed: int) -> tuple[Problem, ValidationSet]:
    """A random part of the samples as validation set, the rest for training; both keep samples of both classes."""
    if not 0 < share < 1:
        raise InputError(f"The held-out share is {share:g}; it must lie between 0 and 1.")
    order = np.argsort(np.random.Generator(np.random.PCG64(seed)).random(problem.n), kind="stable")
    count = round(share * problem.n)
    held, kept = order[:count], order[count:]
    if count == 0 or len(set(problem.y[kept])) < 2:
        raise InputError(f"Holding out {count} of {problem.n} samples leaves a part without samples; change the share.")
    train = make_problem(problem.X[kept], problem.y[kept])
    return train, ValidationSet(make_problem(problem.X[held], problem.y[held], one_class_ok=True))
