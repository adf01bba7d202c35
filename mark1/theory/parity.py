"""Why no values separate the complete parity set when every A-unit sees fewer blocks than there are.

Minsky and Papert's argument in its simplest case. All 2^m patterns of m blocks, label +1 for an even number of lit
blocks and -1 for odd (or the other way round). An A-unit that does not see block j fires alike for a pattern and for
the same pattern with block j changed; those two have opposite labels, so they cancel. Hence for every A-unit the sum of
y over the patterns for which it fires is 0, whatever its wires and threshold: equal multipliers are an exact
certificate. Ten wires touch at most ten blocks, so 11 blocks (2,048 patterns) always suffice for ten wires.
With more wires the argument needs more blocks; it does not say the set is separable when it does not apply.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mark1.core.errors import InputError

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ParityArgument:
    """Whether the argument covers a wiring: the most blocks any A-unit sees against the number of blocks."""

    blocks: int
    most_blocks_seen: int

    @property
    def applies(self) -> bool:
        """True when every A-unit misses at least one block."""
        return self.most_blocks_seen < self.blocks

    @property
    def sentence(self) -> str:
        """What follows, in words."""
        if self.applies:
            return (
                f"No A-unit sees more than {self.most_blocks_seen} of the {self.blocks} blocks, so no values separate "
                f"the {2**self.blocks} patterns by parity (Minsky and Papert; equal weights are the certificate)."
            )
        return (
            f"Some A-unit sees all {self.blocks} blocks, so the parity argument does not apply; "
            f"with this wiring it would need more than {self.most_blocks_seen} blocks."
        )


def patterns(blocks: int) -> tuple[Bools, NDArray[np.int8]]:
    """All 2^m patterns of m blocks, and +1 where an odd number is lit, -1 where an even number is."""
    if not 1 <= blocks <= 16:
        raise InputError(f"A complete parity set of {blocks} blocks has 2^{blocks} patterns; use 1 to 16 blocks.")
    numbers = np.arange(2**blocks)
    lit = (numbers[:, None] >> np.arange(blocks)) & 1
    return lit.astype(np.bool_), np.where(lit.sum(axis=1) % 2 == 1, 1, -1).astype(np.int8)


def argument_for_wires(blocks: int, wires: int) -> ParityArgument:
    """The argument from the number of wires of an A-unit alone: it sees no more blocks than it has wires."""
    return ParityArgument(blocks, min(wires, blocks))


def argument_for_wiring(block_of_cell: Sequence[int], cells_of_unit: Sequence[Sequence[int]]) -> ParityArgument:
    """The argument for an actual plugboard; block_of_cell is -1 for cells that belong to no block."""
    blocks = 1 + max(block_of_cell)
    seen = [len({block_of_cell[c] for c in cells} - {-1}) for cells in cells_of_unit]
    return ParityArgument(blocks, max(seen, default=0))


def cancels(active: Bools, labels: NDArray[np.int8]) -> bool:
    """Whether equal multipliers are an exact certificate for this activity: every A-unit's labels sum to 0."""
    return not np.any(labels.astype(np.int64) @ active.astype(np.int64)) and int(labels.sum(dtype=np.int64)) == 0
