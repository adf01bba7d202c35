"""One typeface, then a second one: 20 machines of each kind beside what the Navy said of the Mark I in 1960.

    PYTHONPATH=. python benchmarks/stimulus_typefaces.py [SEEDS]
The Navy's text (letters of one typeface "without error", 85 % with a second typeface added) does not say how the 85 %
were counted, so two readings are printed: the second typeface shown to a machine that learned the first only, and both
learned for as many passes as the first alone had needed, then both asked.
"""

import statistics
import sys

import numpy as np

from mark1 import EXPANDED, HISTORIC, MachineConfig, Mark1
from mark1.app.teaching import Score, score
from mark1.commands import AssignCodes
from mark1.stimulus import CardSet, builtin, card_set

FIRST, SECOND = "capitals-sans", "capitals-serif"
NAVY = 0.85  # documented: Navy text of 1960
MOST_PASSES = 500


def taught(config: MachineConfig, cards: CardSet, seed: int, passes: int | None) -> Mark1:
    """A machine that has learned the cards to the last one, or for so many passes."""
    machine = Mark1(config.with_(response__in_use=cards.codes.r_units), seed=seed)
    machine.submit(AssignCodes(cards.classes, cards.codes.numbers()))
    most, until = passes or MOST_PASSES, passes is None
    machine.rehearse(cards.lights(), cards.targets(), passes=most, order="shuffled", until_correct=until)
    return machine


def asked(machine: Mark1, cards: CardSet) -> Score:
    """How the machine does on a set."""
    return score(machine, cards.lights(), [card.class_name for card in cards.cards])


def one_seed(config: MachineConfig, seed: int) -> dict[str, float]:
    """The shares of right answers for one wiring."""
    first, second = builtin(FIRST), builtin(SECOND)
    both = card_set("both", [*first.cards, *second.cards], first)
    one = taught(config, first, seed, None)
    needed = one.state().training.passes_done
    return {
        f"{FIRST} learned, asked": asked(one, first).right_share,
        f"{SECOND} asked of that machine": asked(one, second).right_share,
        "both learned as long, both asked": asked(taught(config, both, seed, needed), both).right_share,
        "both learned to the end, both asked": asked(taught(config, both, seed, None), both).right_share,
    }


def measure(seeds: int = 20) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Preset -> question -> mean share and its 95 % interval over the seeds."""
    table = {}
    for config in (HISTORIC, EXPANDED):
        runs = [one_seed(config, seed) for seed in range(1, seeds + 1)]
        table[config.name] = {key: interval([run[key] for run in runs]) for key in runs[0]}
    return table


def interval(shares: list[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of the mean, by Student's t."""
    from scipy.stats import t

    mean = statistics.fmean(shares)
    if len(shares) < 2:
        return mean, mean, mean
    half = float(t.ppf(0.975, len(shares) - 1)) * statistics.stdev(shares) / np.sqrt(len(shares))
    return mean, mean - half, min(1.0, mean + half)


if __name__ == "__main__":
    for preset, rows in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 20).items():
        print(f"{preset}: mean over the seeds and its 95 % interval; the Navy: one typeface 100 %, two {NAVY:.0%}")
        for question, (mean, low, high) in rows.items():
            print(f"  {question:42} {mean:6.1%}  ({low:.1%} to {high:.1%})")
