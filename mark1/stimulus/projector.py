"""The projector: a picture becomes light on the cells.

The image on the camera's ground glass is kept as a plate of 4 x 4 points per cell; disturbance moves the plate, and
exposing it gives each cell 1.0 (lit) or 0.0. A plate is made once per card and exposed many times.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mark1.stimulus.figure import Figure, find_figure
from mark1.stimulus.opening import Grey, read_grey
from mark1.stimulus.projection import CARD, Projection

POINTS = 4  # chosen: points of the plate along each side of a cell
LEAST_EXPOSURE = 0.08  # chosen: "auto" never lights a cell that is covered by less
FULL_EXPOSURE = 0.5  # chosen: a cell covered by half or more is always lit
STRAY_SHARE = 0.01  # chosen: what does not touch the edge is the figure if it covers at least this share
COARSE = 64
MOST_ACROSS = 4096  # points across the box; two for each point of the largest plate

Light = NDArray[np.float64]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Plate:
    """What falls on the ground glass: points 0..255, and how it was found."""

    points: Grey
    figure: Figure


def project(source: object, projection: Projection = CARD) -> Light:
    """The light on the cells, row by row, for a picture: a path, bytes, a Pillow image or an array of grey levels."""
    return expose(develop(source, projection).points, projection)


def develop(source: object, projection: Projection = CARD) -> Plate:
    """The plate of a picture: read, told from its ground, framed or fitted, and reduced to points."""
    figure = find_figure(read_grey(source), projection)
    box = _figure_box(figure, projection) if projection.framing and not figure.blank else None
    return Plate(_points(figure.coverage, box or _whole_box(figure.coverage.shape, projection), projection), figure)


def expose(points: Grey, projection: Projection = CARD) -> Light:
    """The light on each cell: how much of it the figure covers, then lit or not (unless the threshold is "none")."""
    rows, columns = projection.rows, projection.columns
    sums = points.reshape(rows, POINTS, columns, POINTS).sum(axis=(1, 3), dtype=np.uint32).ravel()
    covered: Light = sums / (255.0 * POINTS**2)
    if projection.threshold == "none":
        return covered
    return np.where(covered >= _exposure(covered, projection), 1.0, 0.0)


def _exposure(covered: Light, projection: Projection) -> float:
    if isinstance(projection.exposure, int | float):
        return float(projection.exposure)
    touched = np.sort(covered[covered > covered.max() / 4])  # by a stroke, not by the grain of the ground
    stroke = touched[len(touched) * 3 // 4] if len(touched) else 1.0  # a cell well inside the strokes
    return max(LEAST_EXPOSURE, FULL_EXPOSURE * float(stroke))


def _whole_box(shape: tuple[int, ...], projection: Projection) -> Box:
    """The part of the picture that the retina sees without framing: all of it, or its central part."""
    rows, columns = shape
    scales = (columns / projection.columns, rows / projection.rows)
    scale = max(scales) if projection.fit == "fit" else min(scales)
    return _box_around(columns / 2, rows / 2, scale, projection)


def _box_around(x: float, y: float, scale: float, projection: Projection) -> Box:
    half_width, half_height = scale * projection.columns / 2, scale * projection.rows / 2
    return x - half_width, y - half_height, x + half_width, y + half_height


def _figure_box(figure: Figure, projection: Projection) -> Box | None:
    """The part of the picture that puts the figure in the middle, as large as `fill` says; None without a figure."""
    inside = figure.coverage > 127
    if figure.method == "local":
        inside = without_stray_parts(inside)
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if rows.size == 0:
        return None
    left, right, top, bottom = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    scale = max((right - left) / projection.columns, (bottom - top) / projection.rows) / projection.fill
    return _box_around((left + right) / 2, (top + bottom) / 2, scale, projection)


def without_stray_parts(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In a photograph: without single points, and without what reaches in from the edge (the table, a thumb)."""
    size = max(1, min(inside.shape) // COARSE)
    rows, columns = inside.shape[0] // size, inside.shape[1] // size
    blocks = inside[: rows * size, : columns * size].reshape(rows, size, columns, size)
    coarse = blocks.sum(axis=(1, 3)) * 2 >= size * size
    kept = coarse & ~_reached_from_edge(coarse)
    if np.count_nonzero(kept) < STRAY_SHARE * kept.size:
        kept = coarse if coarse.any() else np.ones_like(coarse)
    near = _spread(kept)
    return inside[: rows * size, : columns * size] & np.repeat(np.repeat(near, size, axis=0), size, axis=1)


def _reached_from_edge(coarse: NDArray[np.bool_]) -> NDArray[np.bool_]:
    edge = np.ones_like(coarse)
    edge[1:-1, 1:-1] = False
    reached, count = coarse & edge, -1
    while count != (count := int(np.count_nonzero(reached))):
        reached = coarse & _spread(reached)
    return reached


def _spread(blocks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The blocks and their neighbours, eight around each."""
    wide = blocks.copy()
    wide[1:] |= blocks[:-1]
    wide[:-1] |= blocks[1:]
    tall = wide.copy()
    tall[:, 1:] |= wide[:, :-1]
    tall[:, :-1] |= wide[:, 1:]
    return tall


def _points(coverage: Grey, box: Box, projection: Projection) -> Grey:
    """The coverage inside the box as points; outside the picture there is no light."""
    from PIL import Image

    picture = Image.fromarray(np.ascontiguousarray(coverage))
    factor = math.ceil(max(box[2] - box[0], box[3] - box[1]) / MOST_ACROSS)
    if factor > 1:  # a long thin picture has a square box around it that is a hundred times as large
        picture, box = picture.reduce(factor), (box[0] / factor, box[1] / factor, box[2] / factor, box[3] / factor)
    left, top = int(np.floor(box[0])), int(np.floor(box[1]))
    right, bottom = int(np.ceil(box[2])), int(np.ceil(box[3]))
    cut = picture.crop((left, top, right, bottom))
    size = (projection.columns * POINTS, projection.rows * POINTS)
    inner = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
    shrinks = inner[2] - inner[0] >= size[0]
    way = Image.Resampling.BOX if shrinks else Image.Resampling.BILINEAR
    return np.asarray(cut.resize(size, way, box=inner))
