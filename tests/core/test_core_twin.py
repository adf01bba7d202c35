"""IDEAL is the textbook's machine: it equals the naive loops of tests/reference.py to the microvolt."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark1 import IDEAL, Mark1
from mark1.core.config import MODES, SYSTEMS

sys.path.insert(0, str(Path(__file__).parents[1]))
import reference  # noqa: E402


def _problem(seed, k, cards):
    rng = np.random.default_rng(seed)
    lights = (rng.random((cards, 36)) < 0.4).astype(float)
    targets = rng.integers(-1, 2, (cards, k))
    targets[0] = 1
    return lights, targets


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("mode", MODES)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 5), cards=st.integers(1, 6))
def test_ideal_equals_the_naive_loops(mode, system, seed, k, cards):
    lights, targets = _problem(seed, k, cards)
    config = IDEAL.with_(
        retina__rows=6, retina__columns=6, association__units=40, response__in_use=k, reinforcement__system=system
    )
    machine = Mark1(config, seed)
    before = machine.state()
    wires = [[int(w) for w in row if w] for row in before.table]
    values, states, history = reference.train(
        wires, 1, lights.astype(int).tolist(), targets.tolist(), before.states.tolist(), mode, system, 3
    )
    training = machine.train(lights, targets, mode, 3)
    after = machine.state()
    assert after.values[0].tolist() == values
    assert after.states.tolist() == states
    assert list(training.error_history) == history


def test_the_twin_uses_the_standard_library_alone_and_is_short():
    source = (Path(__file__).parents[1] / "reference.py").read_text()
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports == []
    assert source.count("\n") < 90


@given(seed=st.integers(0, 10**6), share=st.floats(0.05, 0.95))
def test_gamma_conserves_the_sum_of_values_exactly(seed, share):
    """IDEAL gives back to the microvolt what it gains, as long as there is a unit that can give."""
    config = IDEAL.with_(association__units=40, response__in_use=1, reinforcement__system="gamma")
    machine = Mark1(config, seed)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        machine.present((rng.random(400) < share).astype(float))
        machine.settle()
        before = machine.state()
        machine.reinforce(0, int(rng.choice([-1, 1])))
        machine.settle()
        if not before.active.all():
            assert machine.state().values.sum() == before.values.sum()
