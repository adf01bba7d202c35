"""Signs drawn by hand: the font has no pictures, and nothing on the panel may be told by colour alone."""

from functools import lru_cache

import pygame

from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.lettering import HEAVY, cut
from mark1.panel.theme import Colour

Stroke = tuple[float, float, float, float]


@lru_cache(maxsize=128)
def _sign(size: int, colour: Colour, strokes: tuple[Stroke, ...], weight: float) -> pygame.Surface:
    p = Picture(size, size)
    for x0, y0, x1, y1 in strokes:
        p.lay(p.stroke(x0 * size, y0 * size, x1 * size, y1 * size, max(1.5, size * weight)), colour)
    return p.surface()


def _put(surface: pygame.Surface, box: Box, colour: Colour, strokes: tuple[Stroke, ...], weight: float = 0.13) -> None:
    square = box.square()
    surface.blit(_sign(square.w, colour, strokes, weight), (square.x, square.y))


def tick(surface: pygame.Surface, box: Box, colour: Colour) -> None:
    """Right."""
    _put(surface, box, colour, ((0.12, 0.55, 0.38, 0.82), (0.38, 0.82, 0.9, 0.2)))


def cross(surface: pygame.Surface, box: Box, colour: Colour) -> None:
    """Wrong."""
    _put(surface, box, colour, ((0.18, 0.18, 0.82, 0.82), (0.82, 0.18, 0.18, 0.82)))


def stroke(surface: pygame.Surface, box: Box, colour: Colour) -> None:
    """Nothing to say."""
    _put(surface, box, colour, ((0.2, 0.5, 0.8, 0.5),))


def question(surface: pygame.Surface, box: Box, colour: Colour) -> None:
    """Undecided: a question mark."""
    square = box.square()
    mark = cut("?", max(9, round(square.h * 1.15)), colour, HEAVY, "regular")
    surface.blit(
        mark, (square.centre[0] - mark.get_width() // 2, square.centre[1] - mark.get_height() // 2 + square.h // 18)
    )


def arrow(surface: pygame.Surface, box: Box, colour: Colour, way: int) -> None:
    """Back (-1) or on (+1)."""
    near, far = (0.35, 0.65) if way > 0 else (0.65, 0.35)
    _put(surface, box, colour, ((near, 0.2, far, 0.5), (far, 0.5, near, 0.8)), 0.11)


def plus(surface: pygame.Surface, box: Box, colour: Colour) -> None:
    """More."""
    _put(surface, box, colour, ((0.2, 0.5, 0.8, 0.5), (0.5, 0.2, 0.5, 0.8)), 0.12)
