"""Rigs that visibly live: machines made for a number of channels, and maps that move."""

import numpy as np
import pytest

from firmware_bridge.living import CARDS, living_machine
from firmware_bridge.rig import auto_sources
from mark1 import HISTORIC, Mark1
from mark1.errors import InputError
from mark1.facts import MotorsStarted


@pytest.mark.parametrize(("channels", "cards"), [(2, "halves"), (8, "bars"), (16, "bars"), (16, "sides"), (64, "bars")])
def test_a_machine_for_the_rig_learns_its_cards(channels: int, cards: str) -> None:
    living = living_machine(channels, cards)
    assert living.machine.state().values.shape == (1, channels) and not living.machine.state().values.any()
    result = living.machine.train(living.lights, living.targets, passes=100, until_correct=True)
    assert result.outcome == "correct" and living.machine.state().presentations == living.presentations


def moves(machine: Mark1, lights: np.ndarray, targets: np.ndarray, **training: object) -> list[np.ndarray]:
    """Which A-units moved, in each motor run of a training."""
    seen: list[np.ndarray] = []

    def look(fact: object) -> None:
        if isinstance(fact, MotorsStarted):
            seen.append((fact.directions != 0).any(axis=0))

    machine.observe(look, strict=True)
    machine.train(lights, targets, **training)
    return seen


def test_something_moves_in_every_correction_of_such_a_machine() -> None:
    living = living_machine(16)
    runs = moves(living.machine, living.lights, living.targets, passes=100, until_correct=True)
    assert runs and all(run.any() for run in runs)


def test_map_auto_moves_more_than_the_first_sixteen() -> None:
    lights, targets = CARDS["bars"]()
    machine = Mark1(HISTORIC.with_(response__in_use=8), seed=1)
    eight = np.repeat(targets, 8, axis=1)
    auto = [source.unit for source in auto_sources(machine, lights, eight, 16)]
    runs = np.array(moves(machine, lights, eight, passes=1))
    assert runs[:, auto].any(axis=0).sum() >= 8, "at least half of the channels move in a 10-card demo"
    assert runs[:, auto].sum() > 1.2 * runs[:, :16].sum()


def test_one_channel_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^1 channels cannot be a whole machine; use 2 to 4096"):
        living_machine(1)


def test_cards_that_cannot_be_learned_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.living.SEEDS", 5)
    with pytest.raises(InputError, match="None of 5 wirings of 2 A-units learns the cards 'bars'; use more channels"):
        living_machine(2, "bars")
