"""Pace: machine time follows the wall clock at the speed that is set, and never runs away."""

import numpy as np
import pytest

from mark1 import Mark1
from mark1 import commands as c
from mark1.pace import FULL, LONGEST_FRAME_S, Pace


class Clock:
    """A clock that somebody else winds."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("speed", [1, 10, 100])
def test_machine_time_follows_the_wall_at_each_speed(speed):
    clock, machine = Clock(), Mark1()
    pace = Pace(clock)
    for _ in range(61):
        pace.advance(machine, speed)
        clock.now += 1 / 60
    assert machine.now_us == pytest.approx(speed * 1_000_000, abs=2)


def test_a_long_stall_is_not_made_up_for():
    clock, machine = Clock(), Mark1()
    pace = Pace(clock)
    pace.advance(machine, 1)
    clock.now += 3600
    pace.advance(machine, 1)
    assert machine.now_us == LONGEST_FRAME_S * 1_000_000


def test_hidden_time_can_be_forgotten():
    clock, machine = Clock(), Mark1()
    pace = Pace(clock)
    pace.advance(machine, 1)
    clock.now += 0.2
    pace.forget()
    pace.advance(machine, 1)
    assert machine.now_us == 0


def test_at_full_speed_training_is_rehearsed_frame_by_frame_to_its_end():
    clock, machine, frames = Clock(), Mark1(), 0
    pace = Pace(clock)
    lights = (np.random.default_rng(1).random((8, 400)) < 0.3).astype(float)
    machine.submit(c.StartTraining(lights, np.where(np.eye(8) > 0, 1, -1), passes=50))
    while machine.state().training.running:
        pace.advance(machine, FULL)
        clock.now += 1 / 60
        frames += 1
    assert machine.presentations == 400
    assert frames > 1


def test_at_full_speed_a_card_shown_by_hand_is_answered_within_the_frame():
    machine = Mark1()
    machine.present(np.ones(400))
    Pace(Clock()).advance(machine, FULL)
    assert machine.state().phase == "answered"
