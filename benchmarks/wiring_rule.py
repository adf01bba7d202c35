"""The rule behind the default wiring, measured: letters learned in so many seeds, and how many A-units fire.

PYTHONPATH=. python benchmarks/wiring_rule.py        half a minute; the table of docs/decisions/wiring.md
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mark1 import HISTORIC, MachineConfig, Mark1
from mark1.stimulus import CardSet, builtin

LETTER_SETS = ("capitals-sans", "capitals-serif", "capitals-drafting", "capitals", "e-x", "e-f")
WIRINGS = ((6, 4), (5, 5), (4, 4))
FILLS = (0.35, 0.5, 0.7, 0.9, 1.0)
SEEDS, MOST_PASSES = 20, 300


def wired(excitatory: int, inhibitory: int) -> MachineConfig:
    """HISTORIC with another number of wires, threshold 1."""
    changes = {"plugboard__excitatory": excitatory, "plugboard__inhibitory": inhibitory, "association__threshold": 1}
    return HISTORIC.with_(**changes)


def sized(cards: CardSet, fill: float) -> CardSet:
    """The cards with figures that span this share of the field."""
    return replace(cards, projection=cards.projection.changed(fill=fill))


def learned(cards: CardSet, config: MachineConfig, seeds: int = SEEDS) -> int:
    """In how many seeds the set is learned without error."""
    lights, targets = cards.lights(), cards.targets()
    config = config.with_(response__in_use=targets.shape[1])
    done = [
        Mark1(config, seed).rehearse(lights, targets, passes=MOST_PASSES, order="shuffled", until_correct=True)
        for seed in range(seeds)
    ]
    return sum(each.outcome == "correct" for each in done)


def firing(cards: CardSet, config: MachineConfig, seeds: int = SEEDS) -> float:
    """The share of A-units that fire, mean over cards and seeds."""
    lights = cards.lights()
    return float(np.mean([_fired(Mark1(config, seed), lights) for seed in range(seeds)]))


def _fired(machine: Mark1, lights: NDArray[np.float64]) -> float:
    """The wires' sums for all cards at once: presenting each would take twenty times as long."""
    state = machine.state()
    lit = np.concatenate([np.zeros((len(lights), 1)), lights >= 0.5], axis=1)
    sums = (lit[:, np.abs(state.table)] * np.sign(state.table)).sum(axis=2)
    return float((sums >= state.thresholds).mean())


def main() -> None:
    """The two tables."""
    sets = [(name, builtin(name)) for name in LETTER_SETS]
    sets += [(f"capitals-{face}, fill {f:g}", sized(builtin(f"capitals-{face}"), f))
             for face in ("sans", "drafting") for f in FILLS]  # fmt: skip
    print("| cards | cells lit | " + " | ".join(f"{x}+{y}" for x, y in WIRINGS) + " |")
    print("|---|---|" + "---|" * len(WIRINGS))
    for name, cards in sets:
        words = [f"{learned(cards, wired(*w))} of {SEEDS}; {firing(cards, wired(*w)):.0%} fire" for w in WIRINGS]
        print(f"| {name} | {cards.lights().mean():.0%} | " + " | ".join(words) + " |", flush=True)


if __name__ == "__main__":
    main()
