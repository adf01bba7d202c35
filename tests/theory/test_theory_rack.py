"""The theorem for the rack against random racks, and against the textbook where both speak."""

from fractions import Fraction

import numpy as np
import pytest

from mark1.errors import InputError
from mark1.theory.bounds import best_bound
from mark1.theory.offset import Offset
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import make_problem
from mark1.theory.rack import exact_bound, fits_inside, make_rack, rack_bound, run_rack, shaft_of


def random_case(seed):
    """A random card set and rack; half start with values anywhere inside the stops, so that stops do bite."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 25)), int(rng.integers(2, 20))
    X = (rng.random((n, d)) < rng.uniform(0.1, 0.6)).astype(float)
    X[X.sum(axis=1) == 0, 0] = 1
    problem = make_problem(X, np.where(X @ rng.normal(size=d) > 0, 1, -1), one_class_ok=True)
    rack = make_rack(
        rng.uniform(0.2, 2.0, d),
        stop=rng.choice([2.0, 4.0, 8.0, 20.0]) * rng.uniform(0.5, 1.0, d) if seed % 4 else np.inf,
        backlash=rng.choice([0.0, 0.1, 0.5]) * rng.random(d),
        dead_zone=float(rng.choice([0.0, 0.2, 1.0])),
        threshold=float(rng.choice([0.0, 0.0, 0.5])),
    )
    reach = np.where(np.isfinite(rack.high), rack.high, 5.0)
    start = rng.choice([-1.0, 1.0], d) * reach * rng.choice([0.6, 1.0]) if seed % 2 else np.zeros(d)
    return problem, rack, start


def count_violations(seeds):
    bounded = bitten = 0
    for seed in seeds:
        problem, rack, start = random_case(seed)
        bound = rack_bound(problem, rack, shaft_of(rack, start))
        if bound.corrections is None:
            continue
        run = run_rack(problem, rack, start=start, max_corrections=int(bound.corrections) + 2)
        assert run.converged
        assert run.corrections <= bound.corrections
        bounded, bitten = bounded + 1, bitten + (run.stops_met > 0)
    return bounded, bitten


def test_no_random_rack_breaks_the_theorem():
    bounded, bitten = count_violations(range(150))
    assert bounded > 60 and bitten > 10


@pytest.mark.slow
def test_no_random_rack_breaks_the_theorem_in_thousands():
    bounded, bitten = count_violations(range(150, 3000))
    assert bounded > 1000 and bitten > 200


@pytest.mark.parametrize("seed", range(8))
def test_without_physics_it_is_novikoffs_bound(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((10, 14)) < 0.4).astype(float)
    X[:, 0] = 1
    problem = make_problem(X, np.where(X @ rng.normal(size=14) > 0, 1, -1), one_class_ok=True)
    textbook = best_bound(problem, Offset.NONE).corrections
    assert float(rack_bound(problem, make_rack(np.ones(14))).corrections) == pytest.approx(textbook, rel=1e-4)
    assert np.array_equal(run_rack(problem, make_rack(np.ones(14))).indices, run_perceptron(problem).indices)


def test_dead_zone_without_stops_gives_the_closed_form():
    """(max x'Dx + 2 d) / gamma_D^2, the margin taken in sqrt(D) x."""
    rng = np.random.default_rng(5)
    X = (rng.random((8, 12)) < 0.4).astype(float)
    X[:, 0] = 1
    y = np.where(X @ rng.normal(size=12) > 0, 1, -1)
    travel, dead = rng.uniform(0.5, 1.5, 12), 0.7
    scaled = make_problem(X * np.sqrt(travel), y, one_class_ok=True)
    gamma = best_bound(scaled, Offset.NONE).gamma
    expected = (scaled.R**2 + 2 * dead) / gamma**2
    found = rack_bound(make_problem(X, y, one_class_ok=True), make_rack(travel, dead_zone=dead))
    assert float(found.corrections) == pytest.approx(expected, rel=1e-4)


def test_stops_never_lower_the_bound():
    problem, rack, _ = random_case(8)
    free = rack_bound(problem, make_rack(rack.travel)).corrections
    tight = rack_bound(problem, make_rack(rack.travel, stop=20.0)).corrections
    assert tight is None or float(tight) >= float(free) * (1 - 1e-4)


def test_inseparable_or_too_tight_has_no_bound_and_says_so():
    problem = make_problem([[1, 0], [1, 0]], [1, -1])
    assert rack_bound(problem, make_rack(np.ones(2))).corrections is None
    easy = make_problem([[1, 1]], [1], one_class_ok=True)
    too_tight = rack_bound(easy, make_rack(np.ones(2), stop=0.4))
    assert too_tight.corrections is None and "no bound" in too_tight.sentence


def test_exact_bound_refuses_values_outside_the_stops():
    problem = make_problem([[1, 1]], [1], one_class_ok=True)
    rack = make_rack(np.ones(2), stop=3.0)
    assert exact_bound(problem, rack, np.array([4.0, 4.0]), np.zeros(2)) is None
    assert exact_bound(problem, rack, np.array([3.0, 3.0]), np.zeros(2)) == Fraction(18, 10)


def test_backlash_by_hand():
    """One A-unit, step 2, lash 1 with the shaft in the middle: the wiper moves 1.5, and the way back is 1 shorter."""
    problem = make_problem([[1.0]], [1], one_class_ok=True)
    rack = make_rack(np.array([2.0]), backlash=1.0)
    run = run_rack(problem, rack)
    assert (run.shafts[0], run.values[0]) == (2.0, 1.5)
    back = run_rack(make_problem([[1.0]], [-1], one_class_ok=True), rack, start=np.array([1.5]))
    assert back.values[0] == 0.0 or back.values[0] < 0


def test_sentence_names_the_conditions():
    problem = make_problem([[1, 1, 0], [0, 1, 1]], [1, -1])
    rack = make_rack(np.array([1.0, 1.1, 0.9]), stop=20.0, dead_zone=0.1, backlash=0.1)
    assert "unequal motors, stops, a dead zone and backlash" in rack_bound(problem, rack).sentence


@pytest.mark.parametrize("travel", [[0.0, 1.0], [-1.0, 1.0], [float("nan"), 1.0]])
def test_motors_must_move(travel):
    with pytest.raises(InputError, match="travel"):
        make_rack(np.array(travel))


def test_rack_must_fit_the_samples():
    with pytest.raises(InputError, match="3 motors"):
        rack_bound(make_problem([[1, 0], [0, 1]], [1, -1]), make_rack(np.ones(3)))


def test_uneven_stops_are_kept():
    problem = make_problem([[1, 1], [1, 0]], [1, -1])
    rack = make_rack(np.ones(2), stop=5.0, low=-2.0)
    run = run_rack(problem, rack, start=np.array([5.0, -2.0]))
    assert run.converged and run.values.min() >= -2.0 and run.values.max() <= 5.0
    assert rack_bound(problem, rack, np.array([5.0, -2.0])).corrections >= run.corrections


def test_widest_margin_inside_the_stops_by_hand():
    """x = (1, 1) plus, (1, 0) minus: v = (-m, 2m) leaves m, and 2m must stay within 4."""
    problem = make_problem([[1, 1], [1, 0]], [1, -1])
    assert widest_inside(problem, make_rack(np.ones(2), stop=4.0)) == pytest.approx(2.0)
    assert widest_inside(problem, make_rack(np.ones(2))) == np.inf
    assert widest_inside(make_problem([[1, 0], [1, 0]], [1, -1]), make_rack(np.ones(2))) == pytest.approx(0.0)
