"""Sound from simulated state: a click for each relay, a hum that follows the number of running motors.

Synthesised with numpy. Nothing is carried by sound alone; without a sound device the panel goes on in silence.
"""

from typing import Protocol

import numpy as np
import pygame
from numpy.typing import NDArray

from mark1.core.state import MachineState

RATE = 22_050
HUM_HZ = 120  # twice the American mains (chosen)
MOST_CLICKS = 3  # a frame; more are one noise


class Voice(Protocol):
    """What makes the panel audible."""

    def follow(self, state: MachineState, clicks: int, muted: bool) -> None: ...


class Silence:
    """No sound device, or none wanted."""

    def follow(self, state: MachineState, clicks: int, muted: bool) -> None:
        """Nothing is heard."""


def click_wave() -> NDArray[np.int16]:
    """A relay: a sharp knock and a short ring, 40 ms."""
    t = np.arange(int(RATE * 0.04)) / RATE
    rng = np.random.Generator(np.random.PCG64(1))
    knock = (rng.random(len(t)) * 2 - 1) * np.exp(-t * 400)
    ring = np.sin(2 * np.pi * 1900 * t) * np.exp(-t * 160) * 0.4
    return np.asarray((knock + ring) * 9000, np.int16)


def hum_wave() -> NDArray[np.int16]:
    """Motors: half a second of hum that joins itself."""
    t = np.arange(RATE // 2) / RATE
    wave = sum(np.sin(2 * np.pi * HUM_HZ * k * t) / k**1.3 for k in (1, 2, 3, 5))
    return np.asarray(wave * 4000, np.int16)


class Speaker:
    """Plays through pygame's mixer. Make one with open_speaker()."""

    def __init__(self) -> None:
        pygame.mixer.init(RATE, -16, 1, 512)
        self._click = pygame.mixer.Sound(buffer=click_wave().tobytes())
        self._hum = pygame.mixer.Sound(buffer=hum_wave().tobytes())
        self._hum.set_volume(0)
        self._hum.play(loops=-1)

    def follow(self, state: MachineState, clicks: int, muted: bool) -> None:
        """Clicks since the last frame, hum by running motors."""
        running = int(np.count_nonzero(state.motors))
        self._hum.set_volume(0.0 if muted else min(0.5, 0.08 * float(np.log1p(running))))
        if clicks and not muted:
            self._click.set_volume(0.25)
            for _ in range(min(clicks, MOST_CLICKS)):
                self._click.play()


def open_speaker() -> tuple[Voice, str]:
    """A speaker, or silence and the reason."""
    try:
        return Speaker(), ""
    except pygame.error as error:
        return Silence(), str(error)
