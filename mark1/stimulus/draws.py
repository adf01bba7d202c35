"""Seeded random numbers for cards: PCG64's raw 64-bit output through our own whole-number maps.

numpy may change its distributions between versions; the raw output it may not, so a seed means the same cards for good.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Draws:
    """One stream of random whole numbers; the seed is a number or several (a set's seed, a card's position)."""

    def __init__(self, seed: int | Sequence[int]) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self._bits.random_raw()) * limit >> 64

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def hits(self, count: int, parts_per_million: int) -> NDArray[np.bool_]:
        """For each of count things, whether it is hit, each with the given chance."""
        limit = (parts_per_million << 64) // 1_000_000
        if limit >= 1 << 64:
            return np.ones(count, dtype=np.bool_)
        raw: NDArray[np.uint64] = self._bits.random_raw(count)
        return raw < np.uint64(limit)

    def shuffled(self, count: int) -> list[int]:
        """The numbers 0 to count - 1 in random order (Fisher and Yates)."""
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
