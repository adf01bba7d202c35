"""Risk, descent, line search, kernels and validation."""

import numpy as np
import pytest
from theory_problems import separable_problem

from mark1.errors import InputError
from mark1.theory.dual import linear_kernel, polynomial_kernel, radial_kernel, run_dual
from mark1.theory.offset import Offset
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import make_problem
from mark1.theory.risk import batch_descent, best_step, risk, risk_gradient, risk_many
from mark1.theory.toys import toy
from mark1.theory.validation import error_rate, hold_out


def test_risk_by_hand():
    problem = make_problem([[1, 0], [0, 1]], [1, -1])
    assert risk(problem, np.array([-2.0, 3.0])) == 5.0
    assert risk(problem, np.array([2.0, -3.0])) == 0.0
    assert risk_gradient(problem, np.array([-2.0, 3.0])).tolist() == [-1.0, 1.0]


def test_risk_is_bent_only_where_a_sample_lies_on_the_boundary():
    """Along a circle in w-space the slope of R jumps exactly at w . x_i = 0."""
    problem = toy("separable")
    angles = np.linspace(0, 2 * np.pi, 40_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    bend = np.abs(np.diff(risk_many(problem, circle), 2))
    bent = angles[1:-1][bend > 20 * np.median(bend)]
    normals = np.arctan2(problem.X[:, 1], problem.X[:, 0])
    creases = np.concatenate([normals + np.pi / 2, normals - np.pi / 2]) % (2 * np.pi)
    nearest = np.abs(np.angle(np.exp(1j * (bent[:, None] - creases)))).min(axis=1)
    assert len(bent) > 10
    assert nearest.max() < 1e-3


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("name", ["separable", "barely"])
def test_batch_descent_separates(name, line_search):
    problem = toy(name)
    descent = batch_descent(problem, step=0.1, line_search=line_search)
    assert descent.converged
    assert (problem.signed @ descent.w > 0).all()
    assert descent.risks[-1] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_line_search_separates_random_problems_and_never_raises_the_risk_by_its_own_steps(seed):
    problem = separable_problem(np.random.default_rng(seed), narrow=False, whole=False)
    descent = batch_descent(problem, step=0.5, line_search=True, max_steps=20_000)
    assert descent.converged
    rises = np.count_nonzero(np.diff(descent.risks) > 1e-9 * descent.risks[0])
    assert rises <= descent.plain_steps


@pytest.mark.parametrize("seed", range(20))
def test_best_step_is_no_worse_than_a_fine_grid(seed):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng.normal(size=(12, 3)), rng.choice([-1, 1], 12), one_class_ok=True)
    w, direction = rng.normal(size=3), rng.normal(size=3)
    t = best_step(problem, w, direction)
    grid = risk_many(problem, w + np.linspace(0, 20, 4001)[:, None] * direction)
    assert risk(problem, w + t * direction) <= grid.min() + 1e-9


def test_batch_descent_refuses_a_step_of_zero():
    with pytest.raises(InputError, match="step size"):
        batch_descent(toy("separable"), step=0)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("xor", polynomial_kernel(2)),
        ("xor", radial_kernel(1.0)),
        ("ring", polynomial_kernel(2)),
        ("ring", radial_kernel(0.8)),
    ],
)
def test_kernels_separate_what_no_line_can(name, kernel):
    problem = toy(name)
    run = run_dual(problem, Offset.PLUS_Y, kernel=kernel, max_corrections=5_000)
    assert run.converged
    assert error_rate(problem, run.decide) == 0.0
    assert not run_dual(problem, Offset.PLUS_Y, max_corrections=5_000).converged


def test_kernel_separates_complete_parity():
    from mark1.theory.parity import patterns

    lit, labels = patterns(4)
    problem = make_problem(lit, labels)
    run = run_dual(problem, kernel=polynomial_kernel(4), max_corrections=20_000)
    assert run.converged


def test_decide_of_the_linear_kernel_is_the_primal_decision():
    problem = toy("separable")
    for offset in Offset:
        dual, primal = run_dual(problem, offset), run_perceptron(problem, offset)
        assert dual.decide(problem.X) == pytest.approx(problem.X @ primal.w + primal.b)
        assert dual.kernel is linear_kernel


@pytest.mark.parametrize("make", [lambda: polynomial_kernel(0), lambda: radial_kernel(0.0), lambda: radial_kernel(-1)])
def test_kernels_refuse_impossible_settings(make):
    with pytest.raises(InputError):
        make()


def linear(run):
    return lambda X: X @ run.w + run.b


def test_validation_set_is_honest_once_and_spent_after_a_choice():
    train, held = hold_out(toy("not"), 0.3, seed=4)
    assert train.n + held.problem.n == 28
    one = run_perceptron(train, Offset.PLUS_Y, max_corrections=50)
    two = run_perceptron(train, Offset.NONE, max_corrections=50)
    first = held.estimate("with offset", linear(one))
    assert first.honest and "honest" in first.sentence
    assert held.estimate("with offset", linear(one)).honest
    best, chosen = held.choose({"with offset": linear(one), "without": linear(two)})
    assert held.spent and not chosen.honest and "spent" in chosen.sentence
    assert best in ("with offset", "without")
    assert not held.estimate("with offset", linear(one)).honest


def test_training_error_is_too_low_an_estimate():
    """A memory of the cards: no error on the cards it has seen, nearly chance on labels that mean nothing."""
    rng = np.random.default_rng(2)
    problem = make_problem(rng.normal(size=(120, 3)), rng.choice([-1, 1], 120))
    train, held = hold_out(problem, 0.5, seed=1)
    memory = run_dual(train, kernel=radial_kernel(0.05), max_corrections=5_000)
    assert error_rate(train, memory.decide) == 0.0
    assert held.estimate("memory", memory.decide).error > 0.3


@pytest.mark.parametrize("share", [0.0, 1.0, 1.5, 0.01])
def test_hold_out_refuses_shares_that_leave_nothing(share):
    with pytest.raises(InputError, match="share"):
        hold_out(toy("xor"), share, seed=1)


def test_choosing_among_none_is_refused():
    _, held = hold_out(toy("not"), 0.3, seed=4)
    with pytest.raises(InputError, match="at least one"):
        held.choose({})
