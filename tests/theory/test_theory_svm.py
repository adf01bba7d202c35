"""Quadratic programs, margins, slackness, and must show 2: scikit-learn finds the same separators."""

import warnings

import numpy as np
import pytest
from theory_problems import separable_problem

from mark1.errors import InputError
from mark1.theory.margins import (
    angle_degrees,
    boundary,
    decision,
    functional_margins,
    geometric_margin,
    geometric_margins,
)
from mark1.theory.offset import Offset
from mark1.theory.perceptron import Perceptron, run_perceptron
from mark1.theory.problem import make_problem
from mark1.theory.svm import hard_margin, soft_margin
from mark1.theory.toys import toy


def test_hand_worked_margin():
    """(0,0) and (2,0) against each other: the boundary is x = 1, the margin 1, the slab 2 wide."""
    svm = hard_margin(make_problem([[0, 0], [2, 0], [3, 5]], [-1, 1, 1]))
    assert svm.w == pytest.approx([1, 0], abs=1e-8)
    assert svm.b == pytest.approx(-1, abs=1e-8)
    assert svm.margin == pytest.approx(1)
    assert svm.on_margin().tolist() == [0, 1]
    assert svm.dual.alpha == pytest.approx([0.5, 0.5, 0], abs=1e-8)


@pytest.mark.parametrize("name", ["separable", "barely"])
def test_only_samples_on_the_margin_have_multipliers(name):
    problem = toy(name)
    svm = hard_margin(problem)
    distances = geometric_margins(problem, svm.w, svm.b)
    assert distances[svm.support()] == pytest.approx(svm.margin, rel=1e-6)
    assert svm.slackness().max() < 1e-8
    assert svm.dual.w == pytest.approx(svm.w, rel=1e-6)
    assert len(svm.with_slack()) == 0


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_soft_margin_has_two_kinds_of_support_vector(C):
    problem = toy("not")
    svm = soft_margin(problem, C)
    values = functional_margins(problem, svm.w, svm.b)
    assert svm.gap < 1e-8 and svm.slackness().max() < 1e-8
    assert values[svm.on_margin()] == pytest.approx(1.0, abs=1e-6)
    assert len(svm.with_slack()) > 0 and (values[svm.with_slack()] < 1 - 1e-7).all()
    assert svm.dual.alpha[svm.with_slack()] == pytest.approx(C, rel=1e-6)
    assert (svm.dual.alpha <= C * (1 + 1e-9)).all()


def test_dear_slack_gives_the_hard_margin():
    problem = toy("separable")
    assert soft_margin(problem, 1e4).w == pytest.approx(hard_margin(problem).w, rel=1e-6)


def test_no_direction_beats_the_widest_margin():
    problem = toy("separable")
    best = hard_margin(problem, with_offset=False).margin
    angles = np.linspace(0, 2 * np.pi, 20_001)
    tried = max(geometric_margin(problem, np.array([np.cos(a), np.sin(a)])) for a in angles)
    assert best * (1 - 1e-3) < tried <= best * (1 + 1e-9)


def test_boundary_is_perpendicular_to_w_at_the_stated_distance():
    w, b = np.array([3.0, 4.0]), -10.0
    edge = boundary(w, b)
    foot = edge.normal * edge.distance
    along = np.array([-4.0, 3.0])
    assert edge.distance == 2.0
    assert decision(np.array([foot, foot + along, foot - 7 * along]), w, b) == pytest.approx(0, abs=1e-12)


def test_zero_vector_has_no_margin():
    with pytest.raises(InputError, match="zero vector"):
        geometric_margin(toy("xor"), np.zeros(2))


def test_small_angles_are_exact():
    assert angle_degrees(np.array([1.0, 0.0]), np.array([1.0, 1e-9])) == pytest.approx(np.degrees(1e-9))
    assert angle_degrees(np.array([1.0, 0.0]), np.array([-2.0, 0.0])) == pytest.approx(180)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("offset", [Offset.NONE, Offset.PLUS_Y])
def test_scikit_learn_perceptron_is_the_same_algorithm(seed, offset):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import Perceptron as TheirPerceptron

    problem = separable_problem(np.random.default_rng(seed), narrow=seed % 3 == 0)
    ours = Perceptron(problem, offset).run()
    passes = -(-ours.presentations // problem.n) + 1
    theirs = TheirPerceptron(fit_intercept=offset is Offset.PLUS_Y, shuffle=False, tol=None, max_iter=passes, alpha=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(problem.X, problem.y)
    assert theirs.coef_[0] == pytest.approx(ours.w, rel=1e-12, abs=1e-9)
    assert theirs.intercept_[0] == pytest.approx(ours.b)


@pytest.mark.parametrize("C", [None, 0.5, 5.0])
def test_scikit_learn_svc_finds_the_same_separator(C):
    from sklearn.svm import SVC

    problem = toy("separable") if C is None else toy("not")
    ours = hard_margin(problem) if C is None else soft_margin(problem, C)
    theirs = SVC(kernel="linear", C=1e6 if C is None else C, tol=1e-9).fit(problem.X, problem.y)
    assert theirs.coef_[0] == pytest.approx(ours.w, rel=1e-5, abs=1e-6)
    assert theirs.intercept_[0] == pytest.approx(ours.b, rel=1e-5, abs=1e-5)
    assert sorted(theirs.support_) == sorted(ours.support())


def test_the_perceptron_finds_a_separator_but_not_the_widest():
    problem = toy("barely")
    run = run_perceptron(problem)
    ratio = geometric_margin(problem, run.w) / hard_margin(problem, with_offset=False).margin
    assert 0 < ratio < 1
