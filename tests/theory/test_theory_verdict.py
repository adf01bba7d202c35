"""Must show 3: the verdict is right, and its certificate is checked by code that shares nothing with the solver."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mark1.theory import certificate
from mark1.theory.exact import null_vector
from mark1.theory.parity import argument_for_wires, argument_for_wiring, cancels, patterns
from mark1.theory.problem import make_problem
from mark1.theory.separability import verdict
from mark1.theory.toys import TOYS, toy


def recheck(problem, found):
    """A second, naive check of the certificate in fractions, written here."""
    rows = [[Fraction(v) for v in row] for row in problem.X.tolist()]
    signs = [int(v) for v in problem.y]
    if found.separable:
        return all(
            s * (sum(Fraction(a) * v for a, v in zip(found.w, r, strict=True)) + found.b) > 0
            for r, s in zip(rows, signs, strict=True)
        )
    terms = [(m * s, r) for m, s, r in zip(found.multipliers, signs, rows, strict=True)]
    cancel = all(sum(c * r[j] for c, r in terms) == 0 for j in range(problem.d))
    balanced = sum(c for c, _ in terms) == 0 or not found.with_offset
    return cancel and balanced and min(found.multipliers) >= 0 and max(found.multipliers) > 0


@pytest.mark.parametrize("with_offset", [False, True])
@pytest.mark.parametrize("name", TOYS)
def test_teaching_sets(name, with_offset):
    problem = toy(name)
    found = verdict(problem, with_offset=with_offset)
    assert found.separable is (name in ("separable", "barely"))
    assert recheck(problem, found)


def random_activity(seed, n, d):
    """0/1 activity as A-units give it."""
    return (np.random.default_rng(seed).random((n, d)) < 0.2).astype(float)


@pytest.mark.parametrize("seed", range(6))
def test_one_flipped_label_makes_a_set_inseparable(seed):
    """Card 3 appears three times: in agreement the set is separable, with one copy's label flipped it is not."""
    X = random_activity(seed, 20, 60)
    X = np.vstack([X, X[3], X[3]])
    y = np.where(np.random.default_rng(seed + 50).random(22) < 0.5, 1, -1)
    y[20:] = y[3]
    assert verdict(make_problem(X, y), with_offset=False).separable is True
    y[21] = -y[3]
    found = verdict(make_problem(X, y), with_offset=False)
    assert found.separable is False and set(found.support) <= {3, 20, 21}
    assert recheck(make_problem(X, y), found)


@pytest.mark.parametrize("seed", range(4))
def test_one_flipped_label_inside_a_dense_set(seed):
    """Ten times more cards than A-units, labelled by a rule: the label of a card deep inside is flipped."""
    X = np.unique(random_activity(seed, 400, 10) + 0.0, axis=0)
    X = X[X.sum(axis=1) > 0]
    weights = np.array([3.0, -2, 1, -1, 2, -3, 1, -1, 2, -2]) + 0.25
    y = np.where(X @ weights > 0, 1, -1)
    assert verdict(make_problem(X, y), with_offset=False).separable is True
    y[np.argmax(X @ weights)] *= -1
    found = verdict(make_problem(X, y), with_offset=False)
    assert found.separable is False
    assert recheck(make_problem(X, y), found)


@pytest.mark.parametrize(("n", "d"), [(200, 60), (60, 200), (300, 90)])
def test_random_labels_on_activity_of_the_size_of_a_source_set(n, d):
    X = random_activity(n + d, n, d)
    X[:, 0] = 1
    y = np.where(np.random.default_rng(d).random(n) < 0.5, 1, -1)
    found = verdict(make_problem(X, y), with_offset=False)
    assert found.separable is (n < d)
    assert recheck(make_problem(X, y), found)


@pytest.mark.slow
def test_certificate_of_a_full_rack():
    """512 A-units, 1,200 cards, random labels: 513 multipliers of over a thousand bits, exact."""
    X = random_activity(7, 1200, 512)
    y = np.where(np.random.default_rng(8).random(1200) < 0.5, 1, -1)
    found = verdict(make_problem(X, y), with_offset=False)
    assert found.separable is False and len(found.support) > 100
    assert recheck(make_problem(X, y), found)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 5), st.integers(2, 14))
def test_verdict_agrees_with_brute_force_on_small_whole_numbers(seed, d, n):
    """Whatever the verdict, its own certificate proves it; so it can be neither wrong nor undecided."""
    rng = np.random.default_rng(seed)
    problem = make_problem(rng.integers(-3, 4, (n, d)), rng.choice([-1, 1], n), one_class_ok=True)
    for with_offset in (False, True):
        found = verdict(problem, with_offset=with_offset)
        assert found.separable is not None
        assert recheck(problem, found)


def test_sets_that_nearly_touch_are_decided_exactly():
    """Margins of one part in ten million, far below the solver's comfort, still get a proof."""
    near = make_problem([[1, 1 + 2.0**-24], [1, 1]], [1, -1])
    assert verdict(near, with_offset=False).separable is True
    touching = make_problem([[1, 1], [2, 2]], [1, -1])
    assert verdict(touching, with_offset=False).separable is False


def built_activity(wires, blocks, units, seed):
    """A-units of the Mark I kind: random cells of 20 x 20, six of ten excitatory, threshold 1; all cells in blocks."""
    rng = np.random.default_rng(seed)
    block_of_cell = np.arange(400) * blocks // 400
    cells = np.array([rng.choice(400, wires, replace=False) for _ in range(units)])
    signs = np.where(np.arange(wires) < 0.6 * wires, 1, -1)
    lit, labels = patterns(blocks)
    active = (lit[:, block_of_cell[cells]] * signs).sum(axis=2) >= 1
    return block_of_cell.tolist(), cells.tolist(), active, labels


def test_parity_of_eleven_blocks_is_beyond_ten_wires():
    block_of_cell, cells, active, labels = built_activity(10, 11, 512, 1)
    argument = argument_for_wiring(block_of_cell, cells)
    assert argument.applies and argument_for_wires(11, 10).applies
    assert cancels(active, labels)
    problem = make_problem(active, labels)
    found = verdict(problem, with_offset=False)
    assert found.separable is False and set(found.multipliers) == {1}
    assert certificate.proves_inseparable(problem.X.tolist(), labels.tolist(), found.multipliers, with_offset=True)


def test_parity_of_five_blocks_is_memorised_and_the_argument_says_it_does_not_apply():
    block_of_cell, cells, active, labels = built_activity(10, 5, 512, 1)
    argument = argument_for_wiring(block_of_cell, cells)
    assert not argument.applies and "does not apply" in argument.sentence
    assert not cancels(active, labels)


def test_twenty_wires_need_more_blocks():
    assert not argument_for_wires(11, 20).applies
    assert argument_for_wires(16, 15).applies


def test_complete_parity_of_five_blocks_is_memorised_by_512_units():
    """The blank card is left out, for no A-unit sees it."""
    _, _, active, labels = built_activity(10, 5, 512, 1)
    assert verdict(make_problem(active[1:], labels[1:]), with_offset=False).separable is True


def test_checker_refuses_what_is_not_a_proof():
    rows, labels = [[1, 0], [0, 1], [1, 1]], [1, 1, -1]
    assert certificate.proves_inseparable(rows, labels, [1, 1, 1], with_offset=False)
    assert not certificate.proves_inseparable(rows, labels, [1, 1, 1], with_offset=True)
    assert not certificate.proves_inseparable(rows, labels, [0, 0, 0], with_offset=False)
    assert not certificate.proves_inseparable(rows, labels, [-1, -1, -1], with_offset=False)
    assert not certificate.proves_inseparable(rows, labels, [1, 1, 2], with_offset=False)
    assert not certificate.proves_separable(rows, labels, [1, 1], 0)
    assert certificate.proves_separable(rows[:2], labels[:2], [1, 1], 0)
    assert not certificate.proves_separable(rows[:2], labels[:2], [1, 0], 0)


def test_checker_imports_only_the_standard_library():
    tree = ast.parse(Path(certificate.__file__).read_text())
    names = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert names == {"collections.abc", "fractions"}


@pytest.mark.parametrize("size", [5, 41, 70])
def test_null_vectors_are_exact(size):
    A = np.random.default_rng(size).integers(-1, 2, (size - 1, size)).astype(float)
    v = null_vector(A)
    assert v is not None and any(v)
    assert all(sum(int(a) * b for a, b in zip(row, v, strict=True)) == 0 for row in A)


@pytest.mark.parametrize("size", [5, 50])
def test_two_null_directions_are_refused(size):
    A = np.random.default_rng(size).integers(-1, 2, (size - 2, size)).astype(float)
    assert null_vector(A) is None


def test_null_vectors_of_binary_fractions_are_exact():
    A = np.random.default_rng(3).integers(-40, 41, (59, 60)) / 32
    v = null_vector(A)
    assert all(sum(Fraction(a) * b for a, b in zip(row.tolist(), v, strict=True)) == 0 for row in A)


def test_any_floats_get_an_exact_proof():
    """Every float is a fraction: even Gaussian samples are decided, by multipliers of thousands of digits."""
    rng = np.random.default_rng(9)
    problem = make_problem(rng.normal(size=(130, 45)), rng.choice([-1, 1], 130))
    found = verdict(problem, with_offset=False)
    assert found.separable is False and len(found.support) > 40
    assert recheck(problem, found)
