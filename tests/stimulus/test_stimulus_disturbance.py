"""Disturbed cards: the same seed gives the same light for good."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark1.errors import ConfigError
from mark1.stimulus import Disturbance, Draws, builtin, disturbed_light, parity
from mark1.stimulus.disturbance import ONE, moved

SHAKEN = Disturbance(shift_cells=2, rotation_deg=20, scale=0.1, noise=0.02)


def plate_of_l() -> np.ndarray:
    points = np.zeros((80, 80), dtype=np.uint8)
    points[20:60, 24:32] = 255
    points[52:60, 24:48] = 255
    return points


def test_a_seed_means_these_cards_for_good() -> None:
    lights = parity(5).lights(SHAKEN, seed=1960)  # drawn cell by cell, so only our own arithmetic counts
    digest = hashlib.sha256(np.packbits(lights.astype(bool)).tobytes()).hexdigest()
    assert digest[:16] == "8ef96dc045c3d3e8"


def test_the_raw_numbers_are_pcg64s() -> None:
    draws = Draws(1960)
    raw = np.random.PCG64(1960).random_raw(2)
    assert [draws.below(1000), draws.below(2**40)] == [int(raw[0]) * 1000 >> 64, int(raw[1]) * 2**40 >> 64]


def test_each_card_has_its_own_numbers() -> None:
    cards = builtin("capitals-sans")
    whole = cards.lights(SHAKEN, seed=5, times=2)
    assert np.array_equal(whole[:26], cards.lights(SHAKEN, seed=5))
    assert not np.array_equal(whole[:26], whole[26:])


def test_no_disturbance_changes_nothing() -> None:
    cards = builtin("e-x")
    assert np.array_equal(cards.lights(Disturbance(), seed=9), cards.lights())


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_a_shift_by_whole_points_is_a_plain_shift(across: int, down: int) -> None:
    wide = np.pad(plate_of_l(), 40)
    wanted = wide[40 - down : 120 - down, 40 - across : 120 - across]
    assert np.array_equal(moved(plate_of_l(), across * ONE, down * ONE, 0.0, 1.0), wanted)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_quarter_turn_is_a_plain_quarter_turn(quarters: int) -> None:
    turned = moved(plate_of_l(), 0, 0, quarters * math.pi / 2, 1.0)
    assert np.count_nonzero(turned != np.rot90(plate_of_l(), -quarters)) <= 80


def test_twice_the_size_is_four_times_the_light() -> None:
    small = np.zeros((80, 80), dtype=np.uint8)
    small[30:50, 30:50] = 255
    assert np.count_nonzero(moved(small, 0, 0, 0.0, 2.0)) == 1600


def test_noise_hits_the_share_it_says() -> None:
    dark = np.zeros((80, 80), dtype=np.uint8)
    lit = sum(disturbed_light(dark, Disturbance(noise=0.1), Draws([1, i])).sum() for i in range(100))
    assert 3600 < lit < 4400


def test_noise_of_one_turns_every_cell() -> None:
    light = disturbed_light(plate_of_l(), Disturbance(noise=1), Draws(1))
    assert np.array_equal(light, 1 - disturbed_light(plate_of_l(), Disturbance(), Draws(1)))


@pytest.mark.parametrize("wrong", [{"noise": 1.1}, {"scale": 1.0}, {"shift_cells": -1}, {"rotation_deg": float("nan")}])
def test_impossible_disturbance_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Disturbance(**wrong)


def test_a_shuffle_is_a_rearrangement() -> None:
    assert sorted(Draws(3).shuffled(100)) == list(range(100))
