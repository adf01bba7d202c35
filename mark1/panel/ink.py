"""Small pictures by arithmetic: smooth discs, rings, strokes and rounded boxes, laid over one another with numpy.

pygame's own circles have hard edges; a dial of 25 pixels needs better. Used for tiles, screws, knobs and keys that
are made once per window size, never per frame.
"""

from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray

from mark1.panel.theme import Colour

Plane = NDArray[np.floating[Any]]


class Picture:
    """A float picture with transparency. xs and ys are the pixel centres."""

    def __init__(self, width: int, height: int, ground: Colour | None = None) -> None:
        self.ys, self.xs = (axis.astype(np.float32) + 0.5 for axis in np.ogrid[:height, :width])
        self.alpha: Plane = np.zeros((height, width), np.float32)
        self.rgb: Plane = np.zeros((height, width, 3), np.float32)
        if ground is not None:
            self.rgb[:] = ground
            self.alpha[:] = 1

    def lay(self, cover: Plane | float, colour: Colour | Plane) -> "Picture":
        """Paint over what is there, where cover is above 0."""
        cover = np.broadcast_to(np.asarray(cover, np.float32), self.alpha.shape)
        out = cover + self.alpha * (1 - cover)
        safe = np.where(out > 0, out, 1)[..., None]
        old = self.rgb * (self.alpha * (1 - cover))[..., None]
        self.rgb = (np.asarray(colour, np.float32) * cover[..., None] + old) / safe
        self.alpha = out
        return self

    def glow(self, strength: Plane, colour: Colour) -> "Picture":
        """Add light, without covering."""
        self.rgb = np.minimum(self.rgb + np.asarray(colour, np.float32) * strength[..., None], 255)
        return self

    def disc(self, x: float, y: float, radius: float, soft: float = 1.0) -> Plane:
        """Cover of a disc."""
        return _edge(radius - np.hypot(self.xs - x, self.ys - y), soft)

    def ring(self, x: float, y: float, radius: float, width: float) -> Plane:
        """Cover of a circle drawn with a pen."""
        return _edge(width / 2 - np.abs(np.hypot(self.xs - x, self.ys - y) - radius))

    def arc(self, x: float, y: float, radius: float, width: float, middle: float, spread: float) -> Plane:
        """Part of a ring; angles in radians, clockwise from above."""
        angle = np.arctan2(self.xs - x, y - self.ys) - middle
        angle = (angle + np.pi) % (2 * np.pi) - np.pi
        return self.ring(x, y, radius, width) * _edge((spread - np.abs(angle)) * radius)

    def stroke(self, x0: float, y0: float, x1: float, y1: float, width: float) -> Plane:
        """Cover of a line with round ends."""
        dx, dy = x1 - x0, y1 - y0
        along = ((self.xs - x0) * dx + (self.ys - y0) * dy) / max(dx * dx + dy * dy, 1e-6)
        along = np.clip(along, 0, 1)
        return _edge(width / 2 - np.hypot(self.xs - x0 - along * dx, self.ys - y0 - along * dy))

    def round_box(self, x: float, y: float, w: float, h: float, radius: float, soft: float = 1.0) -> Plane:
        """Cover of a box with round corners."""
        return _edge(-self.box_distance(x, y, w, h, radius), soft)

    def box_distance(self, x: float, y: float, w: float, h: float, radius: float) -> Plane:
        """Distance from the edge of a rounded box: negative inside."""
        qx = np.abs(self.xs - x - w / 2) - w / 2 + radius
        qy = np.abs(self.ys - y - h / 2) - h / 2 + radius
        outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
        distance: Plane = outside + np.minimum(np.maximum(qx, qy), 0) - radius
        return distance

    def pixels(self) -> NDArray[np.uint8]:
        """The colours as bytes, (height, width, 3), on black."""
        return (self.rgb * self.alpha[..., None] + 0.5).astype(np.uint8)

    def surface(self) -> pygame.Surface:
        """For blitting, with transparency."""
        height, width = self.alpha.shape
        rgba = np.dstack((self.rgb, self.alpha * 255)).round().astype(np.uint8)
        return pygame.image.frombuffer(rgba.tobytes(), (width, height), "RGBA").copy()


def _edge(inside: Plane, soft: float = 1.0) -> Plane:
    """1 inside, 0 outside, smooth over so many pixels."""
    cover: Plane = np.clip(inside / soft + 0.5, 0, 1).astype(np.float32)
    return cover
