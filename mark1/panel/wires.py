"""The plugboard's wires as light: every wire a curve from its S-unit to its A-unit, added up like a long exposure.

5,120 curves by draw calls would take a frame's whole time; a histogram of sample points takes a few milliseconds and
looks like the photographs: a dense, soft tangle. Which wires run where is the machine's table; the curve's shape is
chosen.
"""

import numpy as np
from numpy.typing import NDArray

SAMPLES = 2.0  # points per pixel of width
COARSE = 4  # columns that share a sample of the soft mass

Table = NDArray[np.int32]


class Curves:
    """The geometry of one table on a field of width x height pixels."""

    def __init__(self, table: Table, cells: int, unit_height: NDArray[np.float64], width: int, height: int) -> None:
        self.width, self.height = width, height
        self.unit, self.slot = np.nonzero(table)
        wire = table[self.unit, self.slot]
        self.cell, self.kind = np.abs(wire) - 1, np.sign(wire)
        margin = height * 0.03
        room = height - 2 * margin
        self._left = (margin + room * (self.cell + 0.5) / cells).astype(np.float32)
        self._right = (margin + room * unit_height[self.unit]).astype(np.float32)
        self._sag = (height * 0.05 * np.sin(self.unit * 12.9898 + self.slot * 78.233)).astype(np.float32)

    def tangle(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """All wires as a soft mass, and on top of it, sharp, the first wire of each A-unit. Made once."""
        narrow = -(-self.width // COARSE)
        t = (COARSE * np.arange(narrow, dtype=np.float32) + 0.5 * COARSE) / self.width
        y = np.multiply.outer(self._right - self._left, t * t * (3 - 2 * t))
        y += self._left[:, None] + np.multiply.outer(self._sag, 4 * t * (1 - t))
        place = np.clip(y, 0, self.height - 1).astype(np.intp) * narrow + np.arange(narrow)
        mass = np.bincount(place.ravel(), minlength=narrow * self.height).reshape(self.height, narrow)
        soft = np.repeat(_smooth(mass.astype(np.float32)), COARSE, axis=1)[:, : self.width]
        return soft, self.density(np.flatnonzero(self.slot == 0), 1.0)

    def density(self, chosen: NDArray[np.intp], samples: float = SAMPLES) -> NDArray[np.float32]:
        """How much light falls on each pixel (height, width) if these wires are drawn."""
        steps = max(2, int(self.width * samples))
        t = (np.arange(steps, dtype=np.float32) + 0.5) / steps
        ease = t * t * (3 - 2 * t)
        column = (t * self.width).astype(np.intp)
        left, right, sag = self._left[chosen], self._right[chosen], self._sag[chosen]
        y = left[:, None] + (right - left)[:, None] * ease + sag[:, None] * (4 * t * (1 - t))
        y = np.clip(y, 0, self.height - 1.001)
        whole = y.astype(np.int32)
        part = y - whole
        place = whole * self.width + column.astype(np.int32)
        size = self.width * self.height
        light = np.bincount(place.ravel(), (1 - part).ravel(), size + self.width)
        light[self.width :] += np.bincount(place.ravel(), part.ravel(), size + self.width)[: -self.width]
        density: NDArray[np.float32] = (light[:size] / samples).reshape(self.height, self.width).astype(np.float32)
        return density


def lit_wires(curves: Curves, cells: NDArray[np.bool_], active: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The wires that made units fire: excitatory, from a lit cell, to an active unit."""
    chosen: NDArray[np.intp] = np.nonzero((curves.kind > 0) & cells[curves.cell] & active[curves.unit])[0]
    return chosen


def _smooth(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """A box of three each way."""
    for axis in (0, 1):
        plane = (np.roll(plane, 1, axis) + plane + np.roll(plane, -1, axis)) / np.float32(3)
    return plane


def insulation(mass: NDArray[np.float32], top: NDArray[np.float32]) -> NDArray[np.float32]:
    """The wires without current, as a picture (height, width, 3): a dark mass with grey wires on top."""
    deep = (1 - np.exp(-0.1 * mass))[..., None] * np.asarray((38, 34, 30), np.float32)
    near = (1 - np.exp(-0.55 * top))[..., None]
    picture = np.asarray((11, 11, 11), np.float32) + deep
    still: NDArray[np.float32] = picture * (1 - near) + np.asarray((112, 100, 82), np.float32) * near
    return still


def exposure(still: NDArray[np.float32], lit: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The same with the wires that made units fire: amber, near white where many cross."""
    glow = 1 - np.exp(-0.24 * lit)
    hot = np.clip(glow * 1.7 - 0.85, 0, 1)[..., None]
    amber = np.asarray((255, 176, 58), np.float32) * (1 - hot) + np.asarray((255, 238, 190), np.float32) * hot
    picture = still * (1 - glow[..., None]) + amber * glow[..., None]
    shaded: NDArray[np.uint8] = np.clip(picture, 0, 255).astype(np.uint8)
    return shaded
