"""Seeded disturbance: a card held a little aside, turned, nearer or farther, and cells that err.

Chosen throughout; the IBM 704 experiments moved and turned their figures too, by amounts we know only in part.
Every random number is a whole number (draws.py) and the plate is moved by whole-number arithmetic, so a seed gives the
same light on every platform. What moves out of the field is lost; what moves in from outside is dark.
"""

import math
from dataclasses import dataclass

import numpy as np

from mark1.errors import ConfigError
from mark1.stimulus.draws import Draws
from mark1.stimulus.opening import Grey
from mark1.stimulus.projection import CARD, Projection
from mark1.stimulus.projector import POINTS, Light, expose

FRACTION = 16  # bits behind the point in the fixed-point arithmetic of moved()
ONE = 1 << FRACTION


@dataclass(frozen=True, kw_only=True, slots=True)
class Disturbance:
    """The most that a card is disturbed; each presentation draws evenly between none and this, both ways."""

    shift_cells: float = 0.0
    rotation_deg: float = 0.0
    scale: float = 0.0  # 0.1: from 0.9 to 1.1 of its size
    noise: float = 0.0  # the chance of each cell to be wrong

    def __post_init__(self) -> None:
        limits = {"shift_cells": 256.0, "rotation_deg": 180.0, "scale": 0.9, "noise": 1.0}
        for name, most in limits.items():
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value <= most:
                raise ConfigError(f"the disturbance's {name} cannot be {value!r}; allowed is 0 to {most:g}.")

    @property
    def none(self) -> bool:
        """Whether it leaves every card as it is."""
        return not (self.shift_cells or self.rotation_deg or self.scale or self.noise)


def disturbed_light(points: Grey, disturbance: Disturbance, draws: Draws, projection: Projection = CARD) -> Light:
    """The light of a plate, disturbed by the next numbers of the stream."""
    most = round(disturbance.shift_cells * POINTS * ONE)
    across, down = draws.between(-most, most), draws.between(-most, most)
    turn = round(disturbance.rotation_deg * 1000)
    angle = math.radians(draws.between(-turn, turn) / 1000)
    size = round(disturbance.scale * 1_000_000)
    scale = 1 + draws.between(-size, size) / 1_000_000
    light = expose(moved(points, across, down, angle, scale), projection)
    wrong = draws.hits(light.size, round(disturbance.noise * 1_000_000))
    return np.where(wrong, 1.0 - light, light)


def moved(points: Grey, across: int, down: int, angle: float, scale: float) -> Grey:
    """The plate moved by fixed-point distances, turned about its middle (clockwise) and scaled."""
    rows, columns = points.shape
    cosine, sine = round(math.cos(angle) / scale * ONE), round(math.sin(angle) / scale * ONE)
    x = (2 * np.arange(columns, dtype=np.int64) + 1 - columns) * (ONE // 2) - across
    y = ((2 * np.arange(rows, dtype=np.int64) + 1 - rows) * (ONE // 2) - down)[:, None]
    from_column = ((x * cosine + y * sine) >> (2 * FRACTION - 1)) + columns  # twice the place, to keep the half
    from_row = ((y * cosine - x * sine) >> (2 * FRACTION - 1)) + rows
    from_column >>= 1
    from_row >>= 1
    inside = (from_column >= 0) & (from_column < columns) & (from_row >= 0) & (from_row < rows)
    found = points[np.clip(from_row, 0, rows - 1), np.clip(from_column, 0, columns - 1)]
    return np.where(inside, found, np.uint8(0))
