"""The camera: a drawing on the card becomes light on the retina. numpy only, because it runs while one draws.

Chosen: framing. The drawing's own box is centred and scaled to a fixed share of the field, because a machine taught
with free drawings reads them hardly at all without it. Left out: lens, bellows, exposure.
"""

import numpy as np
from numpy.typing import NDArray

FILL = 0.7  # the longer side of the framed drawing, as a share of the field; the card sets use the same
INK = 0.3  # what counts as drawn

Grey = NDArray[np.float32]


def frame_of(picture: Grey) -> tuple[float, float, float] | None:
    """Centre x, centre y and side of the square that the camera sees, in pixels of the picture; None if blank."""
    drawn = picture > INK
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    if not len(rows):
        return None
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    side = max(bottom - top, right - left) / FILL
    return float(left + right) / 2, float(top + bottom) / 2, float(side)


def project(picture: Grey, rows: int, columns: int, framed: bool = True) -> NDArray[np.float64]:
    """Light on each cell, row by row, 0 to 1: the mean brightness of the part of the card that the cell sees."""
    height, width = picture.shape
    frame = frame_of(picture) if framed else (width / 2, height / 2, float(max(width, height)))
    if frame is None:
        return np.zeros(rows * columns)
    x, y, side = frame
    total = np.zeros((height + 1, width + 1))
    total[1:, 1:] = picture.cumsum(0, dtype=np.float64).cumsum(1)
    ys = _edges(y, side, rows, height)
    xs = _edges(x, side, columns, width)
    corner = _between(total, ys, xs)
    light = corner[1:, 1:] - corner[:-1, 1:] - corner[1:, :-1] + corner[:-1, :-1]
    cell = (side / rows) * (side / columns)
    return np.asarray(np.clip(light / cell, 0, 1).ravel(), np.float64)


def _edges(centre: float, side: float, count: int, limit: int) -> NDArray[np.float64]:
    return np.clip(centre - side / 2 + side * np.arange(count + 1) / count, 0, limit)


def _between(total: NDArray[np.float64], ys: NDArray[np.float64], xs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The summed picture at fractional corners, by bilinear interpolation: exact areas."""
    y0 = np.minimum(ys.astype(int), total.shape[0] - 2)
    x0 = np.minimum(xs.astype(int), total.shape[1] - 2)
    fy, fx = (ys - y0)[:, None], (xs - x0)[None, :]
    a, b = total[np.ix_(y0, x0)], total[np.ix_(y0, x0 + 1)]
    c, d = total[np.ix_(y0 + 1, x0)], total[np.ix_(y0 + 1, x0 + 1)]
    return np.asarray(a * (1 - fy) * (1 - fx) + b * (1 - fy) * fx + c * fy * (1 - fx) + d * fy * fx)
