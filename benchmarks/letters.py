"""The benchmark's cards: eight capitals drawn from 5 x 7 dots, shifted by up to 2 cells, 2 % of cells flipped.

Drawn in code so that a figure never depends on an installed font.
"""

from typing import Any

import numpy as np

DOTS = {
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "B": "11110 10001 10001 11110 10001 10001 11110",
    "C": "01111 10000 10000 10000 10000 10000 01111",
    "D": "11110 10001 10001 10001 10001 10001 11110",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "F": "11111 10000 10000 11110 10000 10000 10000",
    "G": "01111 10000 10000 10011 10001 10001 01111",
    "H": "10001 10001 10001 11111 10001 10001 10001",
}


def letter(name: str) -> Any:
    """One letter on 20 x 20 cells, 15 wide and 14 high."""
    dots = np.array([[int(dot) for dot in row] for row in DOTS[name].split()], bool)
    field = np.zeros((20, 20), bool)
    field[3:17, 2:17] = np.kron(dots, np.ones((2, 3), bool))
    return field


def cards(count: int = 10_000, shift: int = 2, flips: float = 0.02, seed: int = 1) -> tuple[Any, Any]:
    """Light (count, 400) and targets (count, 8), one R-unit a letter."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, len(DOTS), count)
    drawn = np.stack([letter(name) for name in DOTS])
    by = rng.integers(-shift, shift + 1, (count, 2))
    fields = np.stack([np.roll(drawn[w], tuple(b), (0, 1)) for w, b in zip(which, by, strict=True)])
    light = fields.reshape(count, 400) ^ (rng.random((count, 400)) < flips)
    return light.astype(np.float64), np.where(np.eye(len(DOTS))[which] > 0, 1, -1)
