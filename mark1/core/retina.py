"""The retina: a field of photocells. Light 0..1 comes in, a binary output per cell goes out.

Documented: 400 cadmium sulphide cells, 20 x 20, binary outputs. Chosen: threshold, settling time, noise, and what the
toggle switches do (forced on, forced off, normal); no source found says. Settling is linear in time, for meters and
lamps only: outputs are read once, when all cells have settled. Left out: the cells' own spectral and thermal drift.
"""

from __future__ import annotations  # numpy.random is loaded when the first machine is built, not before

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance
from mark1.core.config import RetinaConfig
from mark1.core.errors import StimulusError

FULL_PPM = 1_000_000
TOGGLES = ("normal", "on", "off")
FAULTS = ("none", "dead", "lit")
Light = NDArray[np.int32]


def light_ppm(light: Any, config: RetinaConfig) -> Light:
    """Light as whole parts per million; refuses what is not light. Shape (cells,) or (rows, columns)."""
    array = _numbers(light)
    if array.shape == (config.rows, config.columns):
        array = array.reshape(-1)
    if array.shape != (config.cells,):
        size = f"{config.cells} cells, {config.rows} x {config.columns}"
        raise StimulusError(f"the light has shape {array.shape}, but this retina has {size}.")
    one: Light = tray_ppm([array], config.cells)[0]
    return one


def _numbers(light: Any) -> NDArray[np.float64]:
    try:
        if np.iscomplexobj(light):
            raise TypeError
        return np.asarray(light, dtype=np.float64)
    except (TypeError, ValueError):
        raise StimulusError("the light must be an array of numbers from 0 to 1.") from None


def tray_ppm(lights: Any, cells: int) -> Light:
    """The same for a tray of cards: (cards, cells)."""
    array = _numbers(lights)
    if array.ndim == 3:
        array = array.reshape(array.shape[0], -1)
    if array.ndim != 2 or array.shape[1] != cells:
        raise StimulusError(f"the tray has shape {array.shape}, but needs a row of {cells} cells for every card.")
    if array.size and not (array.min() >= 0 and array.max() <= 1):  # what is not a number fails both
        raise StimulusError("the light of every cell must be a number from 0 (dark) to 1 (bright).")
    return np.rint(array * FULL_PPM).astype(np.int32)


class Retina:
    """The cells: light on them, toggles, faults, outputs."""

    def __init__(self, config: RetinaConfig, noise: np.random.PCG64) -> None:
        self.config = config
        self.noise = noise
        self.light: Light = np.zeros(config.cells, np.int32)
        self.earlier: Light = self.light  # the level each cell had when this light came
        self.since_us = 0
        self.outputs: NDArray[np.bool_] = np.zeros(config.cells, np.bool_)
        self.toggles = np.zeros(config.cells, np.int8)
        self.faults = np.zeros(config.cells, np.int8)
        self._forced = False  # whether any toggle or fault is set

    def expose(self, light: Light, now_us: int) -> None:
        """New light; cells begin to settle from the level they have."""
        self.earlier = self.level(now_us)
        self.light = light
        self.since_us = now_us

    def level(self, now_us: int) -> Light:
        """What each cell's lamp shows at this moment, in parts per million."""
        passed, whole = now_us - self.since_us, self.config.settle_us
        if passed >= whole:
            return self.light
        change = (self.light - self.earlier).astype(np.int64) * passed // whole
        return (self.earlier + change).astype(np.int32)

    def settle(self) -> None:
        """Reads every cell once."""
        self.outputs = self.seen(self.light if not self.config.noise_ppm else self.light + self._noise(1)[0])

    def seen(self, light: NDArray[Any]) -> NDArray[np.bool_]:
        """Outputs for light on one card or a tray of cards, toggles and faults included."""
        outputs: NDArray[np.bool_] = light >= self.config.threshold_ppm
        if self._forced:
            outputs = (outputs | (self.faults == 2)) & (self.faults != 1)
            outputs = (outputs | (self.toggles == 1)) & (self.toggles != 2)  # the switch sits behind the cell
        return outputs

    def seen_next(self, lights: Light) -> NDArray[np.bool_]:
        """Outputs for the next presentations in turn, drawing each one's noise as settle() would."""
        return self.seen(lights + self._noise(len(lights)) if self.config.noise_ppm else lights)

    def _noise(self, presentations: int) -> NDArray[np.int64]:
        return chance.around_zero(self.noise, self.config.noise_ppm, (presentations, self.config.cells))

    def set_toggle(self, cell: int, position: str) -> None:
        """One switch."""
        self.toggles = _with(self.toggles, cell, TOGGLES.index(position))
        self._note()

    def set_fault(self, cell: int, fault: str) -> None:
        """One cell dead, stuck lit, or mended."""
        self.faults = _with(self.faults, cell, FAULTS.index(fault))
        self._note()

    def _note(self) -> None:
        self._forced = bool(self.toggles.any() or self.faults.any())

    def dump(self) -> dict[str, Any]:
        """Everything, for save()."""
        return {
            "light": self.light,
            "earlier": self.earlier,
            "since_us": self.since_us,
            "outputs": self.outputs,
            "toggles": self.toggles,
            "faults": self.faults,
        }

    def load(self, tree: dict[str, Any]) -> None:
        """The reverse of dump."""
        self.light, self.earlier, self.since_us = tree["light"], tree["earlier"], tree["since_us"]
        self.outputs, self.toggles, self.faults = tree["outputs"], tree["toggles"], tree["faults"]
        self._note()


def _with(array: NDArray[np.int8], place: int, value: int) -> NDArray[np.int8]:
    """A copy with one entry changed: undo points may hold the old one."""
    array = array.copy()
    array[place] = value
    return array
