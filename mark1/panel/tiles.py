"""Fields of like tiles drawn in one numpy move: lamps of the retina, dials of the rack, thumbnails of other banks.

Measured elsewhere: a tile atlas copied by index costs a tenth of one draw call per dial. The atlas holds every look of
a tile as ready pixels; a field is an array of look numbers. Groups (5 x 5 lamps, cards of 4 x 2 units) have gaps
between them, written by one strided assignment.
"""

from typing import Any, NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from mark1.panel.layout import Box

Looks = NDArray[np.intp]


class Field(NamedTuple):
    """A grid of tiles in groups, placed on the canvas."""

    columns: int
    rows: int
    group_w: int
    group_h: int
    tile: int
    gap: int  # between groups, downwards
    gap_x: int  # and across
    box: Box

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Column and row nearest to a point inside the field."""
        if not self.box.holds(x, y):
            return None
        group_wide = self.group_w * self.tile + self.gap_x
        group_high = self.group_h * self.tile + self.gap
        gx, gy = divmod(x - self.box.x, group_wide), divmod(y - self.box.y, group_high)
        column = int(gx[0]) * self.group_w + min(int(gx[1] // self.tile), self.group_w - 1)
        row = int(gy[0]) * self.group_h + min(int(gy[1] // self.tile), self.group_h - 1)
        return min(column, self.columns - 1), min(row, self.rows - 1)

    def tile_box(self, column: int, row: int) -> Box:
        """Where one tile is."""
        x = self.box.x + column * self.tile + column // self.group_w * self.gap_x
        y = self.box.y + row * self.tile + row // self.group_h * self.gap
        return Box(x, y, self.tile, self.tile)


def place(box: Box, columns: int, rows: int, group: tuple[int, int], gap: int, spread: bool = False) -> Field:
    """The largest such field in the middle of a box. spread uses what is left for gaps."""
    group_w = group[0] if group[0] and columns % group[0] == 0 else columns
    group_h = group[1] if group[1] and rows % group[1] == 0 else rows
    across, down = columns // group_w - 1, rows // group_h - 1
    tile = max(1, min((box.w - gap * across) // columns, (box.h - gap * down) // rows))
    gap_x = gap if not (spread and across) else max(gap, min((box.w - tile * columns) // across, tile * 4 // 5))
    gap_y = gap if not (spread and down) else max(gap, min((box.h - tile * rows) // down, tile * 4 // 5))
    w, h = tile * columns + gap_x * across, tile * rows + gap_y * down
    place_x, place_y = box.x + (box.w - w) // 2, box.y + (box.h - h) // 2
    return Field(columns, rows, group_w, group_h, tile, gap_y, gap_x, Box(place_x, place_y, w, h))


def mapped(rgb: NDArray[Any], surface: pygame.Surface) -> NDArray[np.uint32]:
    """Colours (..., 3) as pixel numbers of a surface."""
    red, green, blue, _ = surface.get_shifts()
    parts = rgb.astype(np.uint32)
    shifts = (np.uint32(s) for s in (red, green, blue))
    pixels: NDArray[np.uint32] = sum(parts[..., i] << shift for i, shift in enumerate(shifts))  # type: ignore[assignment]
    return pixels


def paint(surface: pygame.Surface, field: Field, atlas: NDArray[np.uint32], looks: Looks) -> None:
    """Writes all tiles: atlas (looks, tile, tile), looks (rows, columns)."""
    pixels = pygame.surfarray.pixels2d(surface).T
    box, tile = field.box, field.tile
    if not box.within(Box(0, 0, pixels.shape[1], pixels.shape[0])):
        return
    target = pixels[box.y : box.bottom, box.x : box.right]
    down, across = target.strides
    groups_y, groups_x = field.rows // field.group_h, field.columns // field.group_w
    high, wide = field.group_h * tile + field.gap, field.group_w * tile + field.gap_x
    view = np.lib.stride_tricks.as_strided(
        target,
        (groups_y, field.group_h, tile, groups_x, field.group_w, tile),
        (down * high, down * tile, down, across * wide, across * tile, across),
    )
    shaped = looks.reshape(groups_y, field.group_h, groups_x, field.group_w)
    view[:] = atlas[shaped].transpose(0, 1, 4, 2, 3, 5)
