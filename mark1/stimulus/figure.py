"""Telling the figure from its ground: grey levels in, coverage out (0 ground, 255 figure, between at soft edges).

Otsu's threshold (1979) splits the levels into two classes of least spread; its own measure of goodness decides when
the light is too uneven for one threshold, and then the ground is levelled first. All of it is chosen: on the machine a
white figure on black needed none of this.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mark1.stimulus.opening import Grey
from mark1.stimulus.projection import Projection

LEVELS = np.arange(256, dtype=np.float64)
LEAST_CONTRAST = 12  # chosen: levels of 255 between figure and ground; less is a blank card
GOOD_SPLIT = 0.9  # chosen: Otsu's goodness (0..1) of a card under even light; below it the light is levelled
GROUND_BLOCKS = 24  # chosen: the ground's light is estimated on about 24 blocks along the shorter side
RATIO_ONE = 170.0  # level that stands for "as bright as the ground" after levelling; leaves room for lighter figures


@dataclass(frozen=True, slots=True)
class Split:
    """Two classes of grey levels: the mean of each, and how much of the spread the split explains."""

    low: float
    high: float
    goodness: float

    @property
    def middle(self) -> float:
        """The level half-way between the classes."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Figure:
    """What was found: the coverage, the way it was found, and whether there was any contrast."""

    coverage: Grey
    method: str
    dark_on_light: bool
    blank: bool


def otsu(levels: Grey) -> Split:
    """Otsu's split of the levels; with one level only, both classes are that level."""
    counts = np.bincount(levels.ravel(), minlength=256)
    below = np.cumsum(counts)[:-1]
    mass = np.cumsum(counts * LEVELS)
    total, whole = int(levels.size), float(mass[-1])
    inside = (below > 0) & (below < total)
    if not inside.any():
        return Split(whole / total, whole / total, 1.0)
    below, lower = below[inside], mass[:-1][inside]
    between = (whole * below - total * lower) ** 2 / (below * (total - below))
    best = int(np.argmax(between))
    low, high = lower[best] / below[best], (whole - lower[best]) / (total - below[best])
    spread = float(np.dot(counts, (LEVELS - whole / total) ** 2))
    return Split(float(low), float(high), float(between[best]) / total / spread)


def find_figure(grey: Grey, projection: Projection) -> Figure:
    """The figure of a picture, by the projection's threshold and polarity."""
    threshold = projection.threshold
    if isinstance(threshold, int | float) and not isinstance(threshold, bool):
        return _fixed(grey, float(threshold), projection.polarity)
    split = otsu(grey)
    if split.high - split.low < LEAST_CONTRAST:
        return _blank(grey, projection.polarity)
    if threshold == "none":
        dark = _is_dark_figure(grey, split.middle, projection.polarity)
        return Figure(255 - grey if dark else grey, "none", dark, False)
    if threshold == "local" or (threshold == "auto" and split.goodness < GOOD_SPLIT):
        return _local(grey, split, projection.polarity)
    return _ramp(grey, split, projection.polarity, "otsu")


def _fixed(grey: Grey, threshold: float, polarity: str) -> Figure:
    level = threshold * 255
    dark = _is_dark_figure(grey, level, polarity)
    lit = (grey < level) if dark else (grey >= level)
    return Figure(lit.astype(np.uint8) * np.uint8(255), "fixed", dark, False)


def _blank(grey: Grey, polarity: str) -> Figure:
    """No contrast: an even card is all light or all dark if the polarity is known, and all ground if it is not."""
    light = float(grey.mean()) >= 127.5
    lit = (polarity == "light" and light) or (polarity == "dark" and not light)
    return Figure(np.full(grey.shape, 255 if lit else 0, dtype=np.uint8), "blank", polarity == "dark", True)


def _ramp(grey: Grey, split: Split, polarity: str, method: str) -> Figure:
    """Coverage by a straight ramp between the two class means, so that soft edges keep their place."""
    dark = _is_dark_figure(grey, split.middle, polarity)
    ramp = np.clip((LEVELS - split.low) / (split.high - split.low), 0, 1) * 255
    if dark:
        ramp = 255 - ramp
    return Figure(np.rint(ramp).astype(np.uint8)[grey], method, dark, False)


def _is_dark_figure(grey: Grey, level: float, polarity: str) -> bool:
    """Whether the figure is the dark part. Automatic: the ground is what most of the outermost points are."""
    if polarity != "auto":
        return polarity == "dark"
    depth = max(1, min(grey.shape) // 32)
    light = sum(int(np.count_nonzero(edge > level)) for edge in _edges(grey, depth))
    return light * 2 > sum(edge.size for edge in _edges(grey, depth))


def _edges(grey: Grey, depth: int) -> tuple[Grey, Grey, Grey, Grey]:
    return grey[:depth], grey[-depth:], grey[depth:-depth, :depth], grey[depth:-depth, -depth:]


def _local(grey: Grey, split: Split, polarity: str) -> Figure:
    """Levels the light twice: first by all points, then by the points that the first attempt took for ground."""
    levelled = _levelled(grey, np.ones(grey.shape, dtype=np.bool_))
    first = otsu(levelled)
    dark = _is_dark_figure(levelled, first.middle, polarity)
    ground = (levelled > first.middle) if dark else (levelled <= first.middle)
    levelled = _levelled(grey if dark else 255 - grey, ground)  # a dark ground has no light to level: take the negative
    second = otsu(levelled)
    if second.high - second.low < LEAST_CONTRAST:
        return _ramp(grey, split, polarity, "otsu")
    found = _ramp(levelled, second, "dark", "local")
    return Figure(found.coverage, "local", dark, False)


def _levelled(grey: Grey, ground: NDArray[np.bool_]) -> Grey:
    """Each point's level relative to the ground around it."""
    light = _ground_light(grey, ground)
    return np.clip(grey * (RATIO_ONE / light), 0, 255).astype(np.uint8)


def _ground_light(grey: Grey, ground: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The ground's light everywhere: the mean of ground points in blocks, widened until every block has some."""
    from PIL import Image

    size = max(1, min(grey.shape) // GROUND_BLOCKS)
    light, count = _block_sums(grey * ground, size), _block_sums(ground.astype(np.uint8), size)
    reach = GROUND_BLOCKS // 6
    near_light, near_count = _window_sums(light, reach), _window_sums(count, reach)
    mean_all = light.sum() / max(1.0, count.sum())
    smooth = np.where(near_count > 0, near_light / np.maximum(near_count, 1), mean_all)
    table = Image.fromarray(np.maximum(smooth, max(1.0, mean_all / 4)).astype(np.float32))
    return np.asarray(table.resize(grey.shape[::-1], Image.Resampling.BILINEAR))


def _block_sums(values: NDArray[np.generic], size: int) -> NDArray[np.float64]:
    rows, columns = values.shape
    row_starts, column_starts = np.arange(0, rows, size), np.arange(0, columns, size)
    sums = np.add.reduceat(values.astype(np.float64), row_starts, axis=0)
    return np.add.reduceat(sums, column_starts, axis=1)


def _window_sums(blocks: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Sums over a square window around each block, cut off at the edges."""
    for axis in (0, 1):
        length = blocks.shape[axis]
        padding = [(1, 0) if a == axis else (0, 0) for a in (0, 1)]
        running = np.cumsum(np.pad(blocks, padding), axis=axis)
        places = np.arange(length)
        high, low = np.minimum(places + reach + 1, length), np.maximum(places - reach, 0)
        blocks = np.take(running, high, axis=axis) - np.take(running, low, axis=axis)
    return blocks
