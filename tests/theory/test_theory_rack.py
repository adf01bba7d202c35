"""The theorem for the rack against random racks, and against the textbook where both speak."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from mark1.errors import InputError, Mark1Error
from mark1.theory import rack_program
from mark1.theory.bounds import best_bound
from mark1.theory.offset import Offset
from mark1.theory.perceptron import run_perceptron
from mark1.theory.problem import make_problem
from mark1.theory.rack import exact_bound, fits_inside, make_rack, rack_bound, run_rack, shaft_of
from mark1.theory.rack_program import most_room


def random_case(seed):
    """A random card set and rack; half start with values anywhere inside the stops, so that stops do bite.

    A third have stuck motors, a fifth worn wipers.
    """
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 25)), int(rng.integers(2, 20))
    stuck = rng.random(d) < (0.2 if seed % 3 == 0 else 0.0)
    X = (rng.random((n, d)) < rng.uniform(0.1, 0.6)).astype(float)
    X[X.sum(axis=1) == 0, 0] = 1
    problem = make_problem(X, np.where(X @ rng.normal(size=d) > 0, 1, -1), one_class_ok=True)
    rack = make_rack(
        np.where(stuck, 0.0, rng.uniform(0.2, 2.0, d)),
        stop=rng.choice([2.0, 4.0, 8.0, 20.0]) * rng.uniform(0.5, 1.0, d) if seed % 4 else np.inf,
        backlash=rng.choice([0.0, 0.1, 0.5]) * rng.random(d),
        wear=(rng.random(d) < 0.2) * (0.3 if seed % 5 == 0 else 0.0),
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


def cards_with_equal_steps(seed, travel):
    """Samples scaled so that every step is as long as the others: then card by card and taken apart are the same."""
    rng = np.random.default_rng(seed)
    X = (rng.random((10, len(travel))) < 0.4).astype(float)
    X[:, 0] = 1
    X *= np.sqrt(4.0 / (X * X @ travel))[:, None]
    return make_problem(X, np.where(X @ rng.normal(size=len(travel)) > 0, 1, -1), one_class_ok=True)


@pytest.mark.parametrize("seed", range(8))
def test_without_physics_it_is_novikoffs_bound(seed):
    problem = cards_with_equal_steps(seed, np.ones(14))
    textbook = best_bound(problem, Offset.NONE).corrections
    assert float(rack_bound(problem, make_rack(np.ones(14))).corrections) == pytest.approx(textbook, rel=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_card_by_card_it_is_novikoffs_bound_or_less(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((10, 14)) < 0.4).astype(float)
    X[:, 0] = 1
    problem = make_problem(X, np.where(X @ rng.normal(size=14) > 0, 1, -1), one_class_ok=True)
    run = run_rack(problem, make_rack(np.ones(14)))
    assert np.array_equal(run.indices, run_perceptron(problem).indices)
    assert run.corrections <= rack_bound(problem, make_rack(np.ones(14))).corrections
    assert rack_bound(problem, make_rack(np.ones(14))).corrections < best_bound(problem, Offset.NONE).corrections


def test_dead_zone_and_play_without_stops_give_the_closed_form():
    """(R^2 + 2 d + 2 e) / g^2, the margin g taken in sqrt(s) x; one card with the most play, all steps alike."""
    travel, dead, lash = np.random.default_rng(5).uniform(0.5, 1.5, 12), 0.7, 0.1
    problem = cards_with_equal_steps(5, travel)
    scaled = make_problem(problem.X * np.sqrt(travel), problem.y, one_class_ok=True)
    g2 = best_bound(scaled, Offset.NONE).gamma ** 2
    found = rack_bound(problem, make_rack(travel, dead_zone=dead))
    assert float(found.corrections) == pytest.approx((scaled.R2 + 2 * dead) / g2, rel=1e-4)
    most_play = float(np.abs(problem.X).sum(axis=1).max()) * lash / 2
    with_play = rack_bound(problem, make_rack(travel, dead_zone=dead, backlash=lash))
    assert found.corrections < with_play.corrections <= (scaled.R2 + 2 * dead + 2 * most_play) / g2 * 1.0001


def test_stops_never_lower_the_bound():
    problem, rack, _ = random_case(8)
    free = rack_bound(problem, make_rack(rack.travel)).corrections
    tight = rack_bound(problem, make_rack(rack.travel, stop=20.0)).corrections
    assert tight is None or float(tight) >= float(free) * (1 - 1e-4)


def test_inseparable_or_too_tight_has_no_bound_and_says_so():
    problem = make_problem([[1, 0], [1, 0]], [1, -1])
    hopeless = rack_bound(problem, make_rack(np.ones(2)))
    assert hopeless.corrections is None and hopeless.none_exists
    easy = make_problem([[1, 1]], [1], one_class_ok=True)
    too_tight = rack_bound(easy, make_rack(np.ones(2), stop=0.4))
    assert too_tight.corrections is None and too_tight.none_exists
    assert too_tight.sentence == "No proven bound for this rack: no setting inside the stops leaves enough margin."


def test_room_is_counted_card_by_card():
    """A card of one A-unit beside one of three: least margin less longest step leaves nothing, yet all is well."""
    problem = make_problem([[1, 0, 0, 0], [0, 1, 1, 1]], [1, 1], one_class_ok=True)
    rack = make_rack(np.ones(4), stop=1.0)
    assert 2 * 1 - 3 < 0  # m = 1, R^2 = 3
    assert exact_bound(problem, rack, np.ones(4), np.zeros(4)) == 4  # rooms 2 - 1 and 6 - 3
    assert run_rack(problem, rack).corrections <= rack_bound(problem, rack).corrections < 4


def test_one_correction_lowers_the_distance_by_its_own_room():
    """The proof's one step in exact fractions: any state, any u in the box, play, wear and stuck motors included."""
    rng = Random(5)
    for _ in range(400):
        drop, room = one_step(rng)
        assert drop >= room


def one_step(rng):
    """How much one correction on a mistake lowers the distance from u, and the room of its card."""
    d, y = rng.randint(1, 5), rng.choice([-1, 1])
    x, s, B, w, stop = ([rng.choice(kinds) for _ in range(d)] for kinds in (
        [-1, 0, 1, 2], [0, 1, 3, 50], [0, 1, 5, 60], [0, 0, 4], [3, 40]))  # fmt: skip
    v = [rng.randint(-h, h) for h in stop]
    p = [a + Fraction(rng.randint(-b, b), 2) for a, b in zip(v, B, strict=True)]
    free = [Fraction(rng.randint(-2 * h - b, 2 * h + b), 2) for h, b in zip(stop, B, strict=True)]
    u = [a if t else q for a, q, t in zip(free, p, s, strict=True)]
    read = y * sum(k * (a + rng.choice([-1, 1]) * e) for k, a, e in zip(x, v, w, strict=True))
    new = [min(max(q + y * t * k, -h - Fraction(b, 2)), h + Fraction(b, 2)) for q, t, k, h, b in
           zip(p, s, x, stop, B, strict=True)]  # fmt: skip
    far = [sum((a - b) ** 2 / Fraction(t) for a, b, t in zip(u, q, s, strict=True) if t) for q in (p, new)]
    takes = sum(abs(k) * (b + 2 * e) + t * k * k for k, b, e, t in zip(x, B, w, s, strict=True))
    return far[0] - far[1], 2 * y * sum(k * a for k, a in zip(x, u, strict=True)) - 2 * max(0, read) - takes


def test_a_stuck_motor_only_leaves_its_value_to_the_others():
    """The second A-unit is stuck at 2, so a card that lights both starts 2 ahead; alone it can never be made right."""
    rack = make_rack(np.array([1.0, 0.0]), stop=5.0)
    start = np.array([0.0, 2.0])
    both = make_problem([[1, 1], [1, 0]], [-1, -1], one_class_ok=True)
    bound, run = rack_bound(both, rack, start), run_rack(both, rack, start=start)
    assert run.converged and run.corrections <= bound.corrections and bound.u[1] == 2.0
    alone = make_problem([[0, 1]], [-1], one_class_ok=True)
    assert rack_bound(alone, rack, start).none_exists and fits_inside(alone, rack, start) is False
    assert exact_bound(both, rack, np.array([-5.0, 0.0]), start) is None  # a stuck motor does not go to u


def test_when_the_cone_program_fails_the_roomiest_values_still_prove_a_bound(monkeypatch):
    problem, rack, start = random_case(8)
    best = rack_bound(problem, rack, start)

    def fail(*_):
        raise Mark1Error("no answer")

    monkeypatch.setattr(rack_program, "nearest_values", fail)
    found = rack_bound(problem, rack, start)
    assert found.corrections >= best.corrections * Fraction(999, 1000)
    assert run_rack(problem, rack, start=start).corrections <= found.corrections
    monkeypatch.setattr(rack_program, "most_room", lambda *_: rack_program.Room(None, None))
    lost = rack_bound(problem, rack, start)
    assert lost.sentence == "No bound was found for this rack." and not lost.none_exists


def test_where_all_is_right_already_the_bound_is_zero():
    problem = make_problem([[1, 0], [0, 1]], [1, -1])
    assert rack_bound(problem, make_rack(np.ones(2), stop=9.0), np.array([2.0, -2.0])).most == 0


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


@pytest.mark.parametrize("travel", [[-1.0, 1.0], [float("nan"), 1.0]])
def test_travel_must_be_a_number_from_zero_on(travel):
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


@pytest.mark.parametrize(("dead", "fits"), [(1.0, True), (1.999, True), (2.0, False), (3.0, False)])
def test_what_fits_inside_the_stops_is_proved_either_way(dead, fits):
    """x = (1, 1) plus, (1, 0) minus: v = (-m, 2m) leaves m, and 2m must stay within 4: more than 2 is beyond reach."""
    problem = make_problem([[1, 1], [1, 0]], [1, -1])
    assert fits_inside(problem, make_rack(np.ones(2), stop=4.0, dead_zone=dead)) is fits


def test_the_edge_of_what_fits_is_proved_from_both_sides():
    """A millionth above the best margin no setting answers, a millionth below one does."""
    problem = make_problem([[1, 1, 1], [1, 0, 0], [0, 1, 0]], [1, -1, -1])
    rack = make_rack(np.ones(3), stop=0.1)
    best = most_room(problem, rack, rack.low, rack.high, [Fraction(0)] * 3)
    edge = float(best.most) / 2
    assert fits_inside(problem, make_rack(np.ones(3), stop=0.1, dead_zone=edge * (1 - 1e-6))) is True
    assert fits_inside(problem, make_rack(np.ones(3), stop=0.1, dead_zone=edge * (1 + 1e-6))) is False


def test_without_stops_a_separable_set_always_fits():
    rack = make_rack(np.ones(2), dead_zone=30.0)
    assert fits_inside(make_problem([[1, 1], [1, 0]], [1, -1]), rack) is True
    assert fits_inside(make_problem([[1, 0], [1, 0]], [1, -1]), rack) is False


def test_luck_with_worn_wipers_is_not_ruled_out():
    """Both cards light the same A-unit: no value answers both, but a misread one might."""
    problem = make_problem([[1, 0], [1, 0]], [1, -1])
    assert fits_inside(problem, make_rack(np.ones(2), stop=4.0)) is False
    assert fits_inside(problem, make_rack(np.ones(2), stop=4.0, wear=0.5)) is None
