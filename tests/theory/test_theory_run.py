"""Must show 1: on random problems the primal, the dual, the bounds and every line of the proof agree."""

import numpy as np
import pytest
from theory_problems import separable_problem

from mark1.errors import InputError
from mark1.theory.bounds import best_bound, bound_from
from mark1.theory.dual import run_dual
from mark1.theory.margins import functional_margin
from mark1.theory.offset import Offset, lifted, lower_vector
from mark1.theory.perceptron import Perceptron, first_signed_sample, run_perceptron, values_along
from mark1.theory.problem import make_problem
from mark1.theory.proof import ProofRecorder
from mark1.theory.svm import hard_margin, soft_margin
from mark1.theory.toys import toy

SHORT, LONG = range(9), range(9, 400)


def each(seeds):
    """A third of the problems have gamma / R below 0.02."""
    for seed in seeds:
        narrow = seed % 3 == 0
        yield narrow, separable_problem(np.random.default_rng(seed), narrow)


def dual_equals_primal(seeds):
    for _, problem in each(seeds):
        for offset in Offset:
            primal = Perceptron(problem, offset).run(20_000)
            dual = run_dual(problem, offset, max_corrections=20_000)
            assert np.array_equal(primal.indices, dual.indices)
            assert np.array_equal(primal.w, dual.w)
            assert np.array_equal(dual.alpha, np.bincount(primal.indices, minlength=problem.n))
            if offset is not Offset.APPEND_ONE:  # there the dual keeps b inside its products
                assert primal.b == dual.b


def proof_holds(seeds):
    narrow_seen = 0
    for narrow, problem in each(seeds):
        for offset in Offset:
            bound = best_bound(problem, offset)
            recorder = ProofRecorder(problem, bound)
            run = Perceptron(problem, offset, watch=recorder).run()
            assert run.converged
            assert run.corrections <= bound.most
            assert recorder.trace().violations() == []
            if offset is Offset.NONE and narrow:
                assert bound.gamma / bound.R < 0.02
                narrow_seen += 1
    assert narrow_seen >= len(seeds) / 3 - 1


def offsets_have_equivalents(seeds):
    for _, problem in each(seeds):
        for offset in Offset:
            run = Perceptron(problem, offset).run(20_000)
            flat = Perceptron(lifted(problem, offset)).run(20_000)
            w, b = lower_vector(flat.w, offset, problem.R)
            assert np.array_equal(run.indices, flat.indices)
            assert np.allclose(run.w, w, rtol=1e-12, atol=1e-9)
            assert run.b == pytest.approx(b, rel=1e-9, abs=1e-6)


def svm_programs_agree(seeds):
    for _, problem in each(seeds):
        svm = hard_margin(problem)
        assert svm.gap < 1e-8
        assert svm.slackness().max() < 1e-6
        assert functional_margin(problem, svm.w, svm.b) == pytest.approx(1.0, abs=1e-7)
        soft = soft_margin(problem, 0.3 * float(svm.dual.alpha.max()))  # cheap enough that some samples use slack
        assert soft.gap < 1e-8
        assert soft.slackness().max() < 1e-6


CHECKS = [dual_equals_primal, proof_holds, offsets_have_equivalents, svm_programs_agree]


@pytest.mark.parametrize("check", CHECKS)
def test_random_problems(check):
    check(SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_hundreds_of_random_problems(check):
    check(LONG)


def test_random_problems_come_in_both_shapes():
    shapes = {problem.n < problem.d for _, problem in each(SHORT)}
    assert shapes == {True, False}


def test_append_one_runs_in_one_dimension_more_and_equals_plus_y():
    problem = toy("separable")
    appended, plus_y = run_perceptron(problem, Offset.APPEND_ONE), run_perceptron(problem, Offset.PLUS_Y)
    assert np.array_equal(appended.indices, plus_y.indices)
    assert (appended.b, list(appended.w)) == (plus_y.b, list(plus_y.w))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 24, 60])
def test_cards_of_one_unit_each_need_exactly_as_many_corrections_as_the_bound_allows(n):
    """The bound is n to the dot, so a float a hair below it, rounded down, would be one too few."""
    problem = make_problem(np.eye(n), np.ones(n), one_class_ok=True)
    bound = best_bound(problem, Offset.NONE)
    assert run_perceptron(problem).corrections == n == bound.most and bound.exact >= n


def test_no_bound_is_rounded_below_what_is_needed():
    """Each card lights units of its own: corrections reach the bound in every one of these problems."""
    for n in range(1, 12):
        for k in (1, 2, 3, 5):
            labels = np.where(np.arange(n) % 2, 1, -1)
            problem = make_problem(np.kron(np.eye(n), np.ones((1, k))), labels, one_class_ok=True)
            assert run_perceptron(problem).corrections <= best_bound(problem, Offset.NONE).most


def test_a_vector_that_does_not_separate_proves_no_bound():
    with pytest.raises(InputError, match="whose margin is above 0"):
        bound_from(make_problem([[1, 0], [0, 1]], [1, -1]), Offset.NONE, np.array([1.0, 1.0]))


def test_any_separator_gives_a_bound_and_the_widest_gives_the_least():
    problem = toy("barely")
    run = run_perceptron(problem)
    assert bound_from(problem, Offset.NONE, run.w).corrections >= best_bound(problem, Offset.NONE).corrections


def test_hand_worked_run():
    """x1 = (2, 1) plus, x2 = (1, 2) minus: w goes (2,1), (1,-1), and (1,-1) has both right."""
    run = run_perceptron(make_problem([[2, 1], [1, 2]], [1, -1]))
    assert run.indices.tolist() == [0, 1]
    assert run.w.tolist() == [1, -1]
    assert run.before.tolist() == [0, -4]
    assert run.after.tolist() == [5, 1]


def test_from_zero_the_step_size_does_not_matter():
    problem = toy("barely")
    runs = [Perceptron(problem, step=eps).run() for eps in (2.0**-10, 1.0, 2.0**10)]
    assert len({tuple(run.indices) for run in runs}) == 1
    assert np.array_equal(runs[2].w, runs[1].w * 1024)


def test_from_a_sample_the_step_size_matters():
    problem = toy("barely")
    start = first_signed_sample(problem)
    counts = {Perceptron(problem, step=eps, start=start).run().corrections for eps in (0.01, 0.1, 1.0, 10.0)}
    assert len(counts) > 1


def test_rule_below_zero_never_starts_from_zero():
    problem = toy("separable")
    run = Perceptron(problem, rule="below-zero").run()
    assert run.corrections == 0 and run.converged and not run.w.any()
    assert run_perceptron(problem).corrections > 0


def test_rule_below_zero_starts_from_a_sample():
    problem = toy("barely")
    run = Perceptron(problem, rule="below-zero", start=first_signed_sample(problem)).run()
    assert run.corrections > 0
    assert (problem.signed @ run.w >= 0).all()


def test_samples_join_while_it_runs():
    problem = toy("separable")
    first = make_problem(problem.X[:6], problem.y[:6])
    runner = Perceptron(first)
    assert runner.run().converged
    for x, y in zip(problem.X[6:], problem.y[6:], strict=True):
        runner.join(x, y)
        runner.run(max_corrections=1)
    final = runner.run()
    assert final.converged
    assert (problem.signed @ final.w > 0).all()


def test_a_longer_sample_may_not_join_when_the_offset_needs_r():
    runner = Perceptron(toy("separable"), Offset.PLUS_Y_R2)
    with pytest.raises(InputError, match="radius="):
        runner.join(np.array([100.0, 0.0]), 1)


def test_a_declared_radius_lets_longer_samples_join():
    runner = Perceptron(toy("separable"), Offset.PLUS_Y_R2, radius=200.0)
    runner.join(np.array([60.0, 80.0]), 1)
    assert runner.run().converged


def test_limits_stop_a_run_that_cannot_end_and_it_goes_on_from_there():
    problem = toy("xor")
    runner = Perceptron(problem)
    assert not runner.run(max_corrections=7).converged
    assert runner.run(max_corrections=5).corrections == 12
    assert Perceptron(problem).run(max_presentations=10).presentations == 10


def test_blocked_search_sees_the_samples_in_the_same_order_as_a_plain_loop():
    rng = np.random.default_rng(3)
    X = np.rint(rng.normal(size=(300, 9)) * 100)
    y = np.where(X @ rng.normal(size=9) > 0, 1, -1)
    w, corrected, quiet, i = np.zeros(9), [], 0, 0
    while quiet < 300:
        if y[i] * (X[i] @ w) <= 0:
            w = w + y[i] * X[i]
            corrected.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % 300
    run = run_perceptron(make_problem(X, y))
    assert run.indices.tolist() == corrected
    assert np.array_equal(run.w, w)


def test_values_along_ends_at_w():
    problem = toy("separable")
    run = run_perceptron(problem)
    path = values_along(problem, run)
    assert len(path) == run.corrections + 1
    assert np.allclose(path[-1], run.w)


def test_recorder_that_joins_late_says_so():
    problem = toy("barely")
    runner = Perceptron(problem)
    runner.run(max_corrections=2)
    runner.watch = ProofRecorder(problem, best_bound(problem, Offset.NONE))
    with pytest.raises(InputError, match="joined late"):
        runner.run()


def test_recorder_finds_a_false_margin():
    """A test that can fail: a margin claimed too large breaks the first inequality."""
    problem = toy("barely")
    bound = best_bound(problem, Offset.NONE)
    recorder = ProofRecorder(problem, bound)
    recorder.gamma *= 100
    Perceptron(problem, watch=recorder).run()
    assert any("w*.w_k" in line for line in recorder.trace().violations())
