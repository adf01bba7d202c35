"""Motors by hand-worked numbers: lag, run, coast, lash, stops; and that it never matters when one looks."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mark1 import HISTORIC, Mark1
from mark1.core.potentiometer import Rack, Run, travel_uv

SPEED = 2_200_000


def _travel(run_us, elapsed_us=None, lag=20_000, coast=60_000, speed=SPEED):
    return int(travel_uv(np.array(speed), lag, coast, run_us, elapsed_us))


def test_a_run_by_hand():
    """250 ms less 20 ms of lag at 2.2 V/s is 506,000 uV; coasting for 60 ms to a stop adds half of 132,000."""
    assert _travel(250_000, elapsed_us=20_000) == 0
    assert _travel(250_000, elapsed_us=120_000) == 220_000
    assert _travel(250_000, elapsed_us=250_000) == 506_000
    assert _travel(250_000, elapsed_us=280_000) == 506_000 + 49_500
    assert _travel(250_000) == 572_000


def test_a_run_shorter_than_its_lag_moves_nothing():
    assert _travel(20_000) == 0
    assert _travel(19_999, elapsed_us=500_000) == 0


@given(
    speed=st.integers(1, 3_000_000), lag=st.integers(0, 50_000), coast=st.integers(0, 100_000),
    run=st.integers(0, 60_000_000), elapsed=st.integers(0, 70_000_000),
)  # fmt: skip
def test_travel_is_the_floor_of_the_exact_expression(speed, lag, coast, run, elapsed):
    t = min(elapsed, run + coast)
    driven = max(min(t, run) - lag, 0)
    u = max(t - run, 0)
    coasted = u - Fraction(u * u, 2 * coast) if coast else 0
    exact = Fraction(speed, 1_000_000) * (driven + coasted) if run > lag else 0
    assert _travel(run, elapsed, lag, coast, speed) == int(exact)


def _rack(value=0, lash=55_000):
    rack = Rack(HISTORIC.potentiometer, (1, 1), np.array([[SPEED]]))
    rack.set_value(0, 0, value)
    rack.lash[:] = lash
    return rack


def _run(rack, direction, run_us=250_000):
    run = Run(1, 0, run_us + 60_000, (0,), np.array([[direction]], np.int8), run_us)
    rack.runs[1] = run
    return rack.finish(run)


def test_lash_is_taken_up_before_the_wiper_moves():
    rack = _rack()
    _run(rack, +1)
    assert rack.values[0, 0] == 572_000 - 55_000
    _run(rack, +1)
    assert rack.values[0, 0] == 2 * 572_000 - 55_000
    _run(rack, -1)
    assert rack.values[0, 0] == 572_000 - 55_000 + 110_000


def test_at_a_stop_the_clutch_slips_and_the_lash_stays_taken_up():
    rack = _rack(value=10_900_000, lash=110_000)
    assert _run(rack, +1) == [(0, 0)]
    assert (rack.values[0, 0], rack.lash[0, 0]) == (11_000_000, 110_000)
    assert _run(rack, +1) == []  # pushed on, but it was there already
    _run(rack, -1)
    assert rack.values[0, 0] == 11_000_000 - (572_000 - 110_000)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 200_000), max_size=12))
def test_looking_at_a_run_changes_nothing(seed, looks):
    """A machine that is watched at odd moments ends exactly like one that is not."""
    watched, alone = Mark1(seed=seed), Mark1(seed=seed)
    for machine in (watched, alone):
        machine.present((np.random.default_rng(seed).random(400) < 0.3).astype(float))
        machine.settle()
        machine.reinforce(1, -1, 900_000)
    for look in looks:
        watched.run_until(watched.now_us + look)
        watched.state()
    for machine in (watched, alone):
        machine.settle()
        machine.run_until(5_000_000)
    assert watched.save() == alone.save()


def test_values_in_flight_rise_steadily_to_where_the_run_ends():
    machine = Mark1(seed=4)
    machine.present(np.ones(400) * np.tile([1, 0, 0, 1], 100))
    machine.settle()
    machine.reinforce(0, +1)
    totals = []
    for _ in range(20):
        machine.run_until(machine.now_us + 20_000)
        totals.append(machine.state().values.sum())
    machine.settle()
    totals.append(machine.state().values.sum())
    assert totals == sorted(totals)
    assert totals[0] == 0
    assert totals[-1] > 0
    assert totals[-1] == totals[-2]
