"""Same seed, same bits, on every platform and every supported numpy. These hashes change only on purpose."""

import hashlib

import numpy as np
import pytest

from mark1 import EXPANDED, HISTORIC, Mark1
from mark1.commands import BreakWiper
from mark1.core import chance
from mark1.core.potentiometer import draw_speeds
from mark1.core.wiring import draw


def _hash(array):
    little = np.ascontiguousarray(array).astype("<i8")
    return hashlib.sha256(little.tobytes()).hexdigest()[:16]


WIRINGS = {
    "historic": (HISTORIC, 1960, "5cc17eb8e3324a63"),
    "limit at work": (HISTORIC.with_(plugboard__excitatory=10, plugboard__inhibitory=10), 7, "239bbcc63427cb7e"),
    "nearly full": (HISTORIC.with_(plugboard__excitatory=16, plugboard__inhibitory=15), 3, "2e76024ffe87a9bb"),
    "topological": (HISTORIC.with_(plugboard__layout="topological"), 1960, "405f15ed4e37ca51"),
    "many units": (HISTORIC.with_(association__units=5000, plugboard__fan_out_limit=0), 2, "5950cbb4212d7db1"),
}


@pytest.mark.parametrize("name", WIRINGS)
def test_wirings_hold(name):
    config, seed, golden = WIRINGS[name]
    assert _hash(draw(config, seed)) == golden


def test_speeds_hold_and_a_motor_keeps_its_own_when_banks_are_added():
    assert _hash(draw_speeds(HISTORIC.potentiometer, (1, 512), 1960)) == "c881f3371641c33f"
    assert _hash(draw_speeds(EXPANDED.potentiometer, (8, 512), 1960)[:1]) == "c881f3371641c33f"


def test_shuffles_hold():
    assert _hash(chance.shuffled(chance.stream(5, "order"), 1000)) == "d759a6639ead1473"


def test_a_short_life_holds():
    """Training with everything that draws: wiring, speeds, first states, order, cell noise, worn wipers."""
    machine = Mark1(HISTORIC.with_(retina__noise_ppm=100_000), 11)
    machine.submit(BreakWiper(7, 50_000))
    lights = np.kron(np.eye(4), np.ones((1, 100)))
    machine.train(lights, np.where(np.eye(8)[:4] > 0, 1, -1), passes=5, order="shuffled")
    assert hashlib.sha256(machine.save()).hexdigest()[:16] == "6e119ab6ffca975e"
