"""At most three visible flashes a second, measured on recorded frames of training at every speed.

A flash is a pair of opposing changes of relative luminance by a tenth or more, the darker below 0.8 (the accessibility
guidelines' definition), on average over a block of a sixteenth by a ninth of the screen.
"""

from typing import Any

import numpy as np
import pygame
import pytest

RATE, SECONDS = 30, 4


def block_luminance(screen: pygame.Surface) -> np.ndarray:
    pixels = pygame.surfarray.array3d(screen)[::4, ::4].astype(np.float32) / 255
    light = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    light = light @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    w, h = light.shape[0] // 16, light.shape[1] // 9
    return light[: w * 16, : h * 9].reshape(16, w, 9, h).mean(axis=(1, 3)).ravel()


def flashes(series: np.ndarray) -> int:
    """Pairs of opposing changes by a tenth in one second of one block."""
    changes, low, high, way = 0, series[0], series[0], 0
    for value in series:
        low, high = min(low, value), max(high, value)
        if value - low >= 0.1 and low < 0.8 and way <= 0:
            changes, way, high = changes + 1, 1, value
        elif high - value >= 0.1 and value < 0.8 and way >= 0:
            changes, way, low = changes + 1, -1, value
        if way > 0 and value >= high:
            low = value
        if way < 0 and value <= low:
            high = value
    return changes // 2


def test_the_measure_counts_flashes() -> None:
    blinking = np.tile([0.0, 0.0, 0.5, 0.5], 8)
    assert flashes(blinking) >= 7
    assert flashes(np.linspace(0, 1, 30)) == 0


@pytest.mark.parametrize("speed", [1, 10, 100, 0])
def test_training_never_flashes_more_than_three_times_a_second(sit: Any, speed: int) -> None:
    person = sit((960, 540))
    person.desk.speed = speed
    person.touch("train")
    frames = []
    for i in range(RATE * SECONDS):
        person.look(rate=RATE)
        frames.append(block_luminance(person.screen))
        if i % 40 == 39 and not person.machine.state().training.running:
            person.key(ord("z"), "z")  # forget, and train again
            person.touch("train")
    recorded = np.array(frames)
    worst = max(
        flashes(recorded[start : start + RATE, block])
        for start in range(0, len(recorded) - RATE, 5)
        for block in range(recorded.shape[1])
    )
    assert worst <= 3
