"""Random numbers that never change: PCG64's raw 64-bit words through our own whole-number maps.

numpy promises the raw stream of a bit generator, not its distributions; so nothing here uses those. One stream
per purpose, so that a draw for one thing never shifts another.
"""

from __future__ import annotations  # numpy.random is loaded when the first machine is built, not before

from typing import Any

import numpy as np
from numpy.typing import NDArray

PURPOSES = ("wiring", "speeds", "responses", "order", "cells", "wipers")
Int64 = NDArray[np.int64]


def stream(seed: int, purpose: str) -> np.random.PCG64:
    """The stream for one purpose."""
    return np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(PURPOSES.index(purpose),)))


def below(bits: np.random.PCG64, bounds: Int64 | int, shape: tuple[int, ...]) -> Int64:
    """Whole numbers from 0 to bound - 1, for bounds up to 2**31 (bias: one part in 2**32 / bound)."""
    raw: Any = bits.random_raw(shape) if shape else np.uint64(bits.random_raw())
    high = raw >> np.uint64(32)
    drawn: Int64 = ((high * np.asarray(bounds, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)
    return drawn


def around_zero(bits: np.random.PCG64, widths: Int64 | int, shape: tuple[int, ...]) -> Int64:
    """Whole numbers from -width to +width."""
    return below(bits, 2 * np.asarray(widths, dtype=np.int64) + 1, shape) - widths


def shuffled(bits: np.random.PCG64, count: int) -> Int64:
    """The numbers 0..count-1 in random order (sorted by 64-bit keys; a tie keeps the order)."""
    order: Int64 = np.argsort(bits.random_raw(count), kind="stable").astype(np.int64)
    return order


def position(bits: np.random.PCG64) -> list[int]:
    """Where a stream stands, as four 64-bit words."""
    inner: Any = bits.state["state"]
    mask = (1 << 64) - 1
    return [inner["state"] >> 64, inner["state"] & mask, inner["inc"] >> 64, inner["inc"] & mask]


def at_position(words: list[int]) -> np.random.PCG64:
    """A stream that stands there."""
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": (words[0] << 64) | words[1], "inc": (words[2] << 64) | words[3]},
        "has_uint32": 0,
        "uinteger": 0,
    }
    return bits
