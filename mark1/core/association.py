"""The A-units: each fires when excitatory minus inhibitory lit inputs reach its threshold (documented, theory).

A unit pulled out of the rack never fires; its effective threshold is then out of reach.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core.config import AssociationConfig
from mark1.core.plugboard import MOST_INT8_WIRES, Plugboard


class Association:
    """Thresholds, pulled units, and which units fire now."""

    def __init__(self, config: AssociationConfig) -> None:
        self.thresholds = np.full(config.units, config.threshold, np.int16)
        self.pulled: NDArray[np.bool_] = np.zeros(config.units, np.bool_)
        self.active: NDArray[np.bool_] = np.zeros(config.units, np.bool_)
        self.set()

    def set(self) -> None:
        """Takes up new thresholds or pulled units."""
        out_of_reach = np.iinfo(np.int16).max
        wide = np.where(self.pulled, out_of_reach, self.thresholds).astype(np.int16)
        self._wide = wide
        self._narrow = np.clip(wide, -128, 127).astype(np.int8)  # no sum of 120 wires reaches 127
        self.any_pulled = bool(self.pulled.any())

    def fire(self, plugboard: Plugboard, outputs: NDArray[np.bool_]) -> None:
        """Settles all units for these outputs of the retina."""
        self.active = self._reached(plugboard.excitation(outputs))
        self.active.flags.writeable = False

    def fire_all(self, plugboard: Plugboard, outputs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which units fire for each of many cards: (cards, A-units)."""
        return self._reached(plugboard.excitations(outputs))

    def _reached(self, excitation: NDArray[Any]) -> NDArray[np.bool_]:
        narrow = excitation.dtype == np.int8
        reached: NDArray[np.bool_] = excitation >= (self._narrow if narrow else self._wide)
        return reached

    def silence(self) -> None:
        """No unit fires: there is nothing on the retina that these wires have seen."""
        self.active = np.zeros(len(self.thresholds), np.bool_)
        self.active.flags.writeable = False

    def set_threshold(self, threshold: int, unit: int | None) -> None:
        """Of one unit, or of all."""
        thresholds = self.thresholds.copy()
        thresholds[slice(None) if unit is None else unit] = threshold
        self.thresholds = thresholds
        self.set()

    def set_pulled(self, units: tuple[int, ...], pulled: bool) -> None:
        """Pulls units out, or puts them back."""
        mask = self.pulled.copy()
        mask[list(units)] = pulled
        self.pulled = mask
        self.active = self.active & ~mask
        self.active.flags.writeable = False
        self.set()


assert MOST_INT8_WIRES < 127, "a pulled unit's narrow threshold must stay out of reach"
