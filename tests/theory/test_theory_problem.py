"""Must show 5: bad input gets one clear sentence, whatever part of theory is asked."""

import re

import numpy as np
import pytest

from mark1.errors import InputError
from mark1.theory.bounds import best_bound
from mark1.theory.offset import Offset
from mark1.theory.perceptron import Perceptron, first_signed_sample, run_perceptron
from mark1.theory.problem import blind, contradiction, join, make_problem
from mark1.theory.separability import verdict
from mark1.theory.svm import hard_margin, soft_margin
from mark1.theory.toys import toy

BAD = {
    "empty": ([], [], "no samples"),
    "no columns": ([[], []], [1, -1], "no samples"),
    "one row only": ([1, 2, 3], [1, 1, -1], "table"),
    "words": ([["a", "b"]], [1], "not a table of numbers"),
    "ragged": ([[1, 2], [3]], [1, -1], "not a table of numbers"),
    "nan": ([[1, 2], [float("nan"), 0]], [1, -1], "Sample 1 has nan in place 0"),
    "infinite": ([[1, 2], [0, float("inf")]], [1, -1], "finite"),
    "huge": ([[1e200], [-1e200]], [1, -1], "overflow"),
    "one class": ([[1, 2], [3, 4]], [1, 1], "at least one sample of each class"),
    "too few labels": ([[1, 2], [3, 4]], [1], "one label for each"),
    "label zero": ([[1, 2], [3, 4]], [1, 0], "Label 1 is 0"),
    "label words": ([[1, 2], [3, 4]], ["E", "X"], "labels are not numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name):
    X, y, words = BAD[name]
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        make_problem(X, y)
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message


def test_problem_is_frozen_and_a_copy():
    X = np.ones((2, 2))
    problem = make_problem(X, [1, -1])
    X[0, 0] = 5
    assert problem.X[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        problem.X[0, 0] = 2


def test_point_with_both_labels_is_found_even_with_negative_zero():
    problem = make_problem([[0.0, 1.0], [2.0, 2.0], [-0.0, 1.0]], [1, 1, -1])
    assert contradiction(problem) == (0, 2)


def test_hard_margin_of_a_point_with_both_labels_names_the_pair():
    problem = make_problem([[0, 1], [2, 2], [0, 1]], [1, 1, -1])
    with pytest.raises(InputError, match="Samples 0 and 2"):
        hard_margin(problem)
    assert soft_margin(problem, 1.0).gap < 1e-8


def test_hard_margin_of_inseparable_samples_is_a_sentence():
    with pytest.raises(InputError, match="soft margin"):
        hard_margin(toy("xor"))
    with pytest.raises(InputError, match="soft margin"):
        best_bound(toy("ring"), Offset.NONE)


def test_one_class_has_no_margin_with_offset_but_has_one_through_the_origin():
    problem = make_problem([[1, 2], [2, 1]], [1, 1], one_class_ok=True)
    with pytest.raises(InputError, match="both classes"):
        hard_margin(problem)
    assert hard_margin(problem, with_offset=False).margin > 0


@pytest.mark.parametrize("shape", [(3, 40), (40, 3)])
def test_more_dimensions_than_samples_and_the_other_way_round(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    y = np.where(X[:, 0] > np.median(X[:, 0]), 1, -1)
    problem = make_problem(X, y)
    assert verdict(problem).separable is True
    assert hard_margin(problem).gap < 1e-8


def test_all_zero_samples():
    problem = make_problem([[0, 0], [0, 0]], [1, -1])
    assert blind(problem) == [0, 1]
    assert verdict(problem, with_offset=False).separable is False
    for ask in (first_signed_sample, lambda p: soft_margin(p, 1.0)):
        with pytest.raises(InputError, match="zero vector"):
            ask(problem)


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf")])
def test_step_size_must_be_positive(step):
    with pytest.raises(InputError, match="step size"):
        Perceptron(toy("separable"), step=step)


def test_start_must_fit():
    with pytest.raises(InputError, match="2 finite numbers"):
        Perceptron(toy("separable"), start=np.zeros(3))


def test_joining_sample_must_fit():
    with pytest.raises(InputError, match="3 numbers"):
        join(toy("separable"), [1, 2, 3], 1)


def test_one_sample_of_each_class_is_enough():
    problem = make_problem([[1.0], [-1.0]], [1, -1])
    assert run_perceptron(problem).converged
    assert hard_margin(problem).margin == pytest.approx(1.0)


@pytest.mark.parametrize("price", [0, -1, float("nan")])
def test_price_of_slack_must_be_positive(price):
    with pytest.raises(InputError, match="price of slack"):
        soft_margin(toy("not"), price)


def test_unknown_toy_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'ring'"):
        toy("rings")
