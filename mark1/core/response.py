"""The R-units: eight two-state units (documented), each read once a presentation; and the codes that name classes.

Chosen: threshold, dead zone, and that an undecided unit keeps its state. A class is a code over the R-units in use,
R1 the lowest bit; code 0 is never given to a class: all-zero means "no answer". Left out: what made the real units
two-state, which no source that we have seen describes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mark1.core.config import ResponseConfig
from mark1.core.errors import CommandError
from mark1.core.sources import Floats

Signs = NDArray[np.int8]
Flags = NDArray[np.bool_]
UNDECIDED, NO_ANSWER = "undecided", "no answer"


class Response(NamedTuple):
    """What the machine said: a state of -1 or +1 for each R-unit in use, which are undecided, and their sums."""

    states: Signs
    undecided: Flags
    sums: Floats

    def sealed(self) -> "Response":
        """The same, in arrays that nobody can write to."""
        for array in self:
            array.flags.writeable = False
        return self

    @property
    def code(self) -> int:
        """The states as a binary number, R1 the lowest bit."""
        return sum(1 << i for i, state in enumerate(self.states) if state > 0)


class Reader:
    """Reads R-units by their threshold and dead zone."""

    def __init__(self, config: ResponseConfig) -> None:
        # Arrays of no dimension: numpy takes these twice as fast as Python's numbers.
        self._high = np.array(float(config.threshold_uv + config.dead_zone_uv))
        self._low = np.array(float(config.threshold_uv - config.dead_zone_uv))

    def read(self, sums: Floats, states: Signs) -> tuple[Signs, Flags]:
        """New states and which R-units are undecided; those keep the state they had."""
        up, down = sums > self._high, sums < self._low
        undecided: Flags = up == down  # neither
        new: Signs = up.view(np.int8) - down.view(np.int8)
        if np.count_nonzero(undecided):
            np.copyto(new, states, where=undecided)
        return new, undecided


@dataclass(frozen=True, slots=True)
class Codebook:
    """Names of the classes, and the code of each."""

    names: tuple[str, ...] = ()
    codes: tuple[int, ...] = ()

    def check(self, in_use: int) -> None:
        """Refuses codes that this machine cannot give."""
        if len(self.names) != len(self.codes):
            raise CommandError(f"{len(self.names)} class names were given, but {len(self.codes)} codes.")
        if len(set(self.codes)) != len(self.codes) or len(set(self.names)) != len(self.names):
            raise CommandError("every class needs a name and a code of its own.")
        most = (1 << in_use) - 1
        for name, code in zip(self.names, self.codes, strict=True):
            if not 1 <= code <= most:
                raise CommandError(f"class {name!r} has code {code}, but {in_use} R-units give codes from 1 to {most}.")

    def targets(self, name: str, in_use: int) -> Signs:
        """What each R-unit should say for a class."""
        if name not in self.names:
            raise CommandError(f"there is no class {name!r}; known are: {', '.join(self.names) or 'none'}.")
        code = self.codes[self.names.index(name)]
        return np.array([1 if code >> i & 1 else -1 for i in range(in_use)], np.int8)

    def meaning(self, response: Response) -> str:
        """The class, 'undecided' or 'no answer'."""
        if response.undecided.any():
            return UNDECIDED
        code = response.code
        return self.names[self.codes.index(code)] if code in self.codes else NO_ANSWER


def unit_codes(classes: int) -> tuple[int, ...]:
    """One R-unit for each class."""
    return tuple(1 << i for i in range(classes))


def binary_codes(classes: int) -> tuple[int, ...]:
    """Binary codes from 1 on: eight R-units name 255 classes."""
    return tuple(range(1, classes + 1))
