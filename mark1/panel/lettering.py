"""Lettering: Routed Gothic, cut with a thin or a thick cutter, fitted into boxes, and noted for the tests.

The manual's Figure 1 looks Leroy-lettered; Routed Gothic (OFL, in fonts/) follows the same drafting templates. A
thicker cutter is the same path outlined, so heavy lettering stays true to the drawing.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pygame

from mark1.panel.layout import Box
from mark1.panel.theme import Colour

FONTS = Path(__file__).parent / "fonts"
FACES = {"regular": FONTS / "routed-gothic.ttf", "narrow": FONTS / "routed-gothic-narrow.ttf"}
LIGHT, FIRM, HEAVY = 0.0, 0.018, 0.034  # how much thicker than the plain stroke, as a share of the size
DROP = 0.05  # capitals sit high in their line; this brings them to its middle
SHRINK = 0.93  # one step of fitting


class Note(NamedTuple):
    """What was lettered where: for tests of size, contrast, overflow and honesty."""

    text: str
    area: Box
    box: Box
    size: float
    colour: Colour
    ground: Colour
    whole: bool


@lru_cache(maxsize=256)
def font_of(face: str, size: int) -> pygame.font.Font:
    """One of our two faces at a size in pixels."""
    return pygame.font.Font(FACES[face], size)


@lru_cache(maxsize=1024)
def cut(text: str, size: int, colour: Colour, weight: float, face: str) -> pygame.Surface:
    """The text as a picture."""
    if weight <= 0:
        return font_of(face, size).render(text, True, colour)
    twice, thick = font_of(face, 2 * size), max(1, round(2 * size * weight))
    plain = twice.render(text, True, colour)
    picture = pygame.Surface((plain.get_width() + 2 * thick, plain.get_height() + 2 * thick), pygame.SRCALPHA)
    picture.fill((*colour, 0))
    twice.outline = thick
    picture.blit(twice.render(text, True, colour), (0, 0))
    twice.outline = 0
    picture.blit(plain, (thick, thick))
    w, h = picture.get_size()
    return pygame.transform.smoothscale(picture, (max(1, w // 2), max(1, h // 2)))


@lru_cache(maxsize=512)
def _relief(text: str, size: int, colour: Colour, weight: float, face: str, light: Colour) -> pygame.Surface:
    """The same letters in a lighter colour; recolouring costs a tenth of cutting them again."""
    picture = cut(text, size, colour, weight, face).copy()
    picture.fill((*light, 0), special_flags=pygame.BLEND_RGBA_MAX)
    return picture


@lru_cache(maxsize=2048)
def width_of(text: str, size: int, weight: float = LIGHT, face: str = "regular") -> int:
    """Pixels across."""
    if weight <= 0:
        return int(font_of(face, size).size(text)[0])
    return (int(font_of(face, 2 * size).size(text)[0]) + 2 * max(1, round(2 * size * weight))) // 2


class Lettering:
    """Puts text into boxes of one surface; keeps notes if asked to."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.notes: list[Note] | None = None

    def px(self, units: float) -> int:
        """A size in pixels; never below nine."""
        return max(9, round(units * self.scale))

    def put(
        self,
        surface: pygame.Surface,
        text: str,
        box: Box,
        units: float,
        colour: Colour,
        ground: Colour,
        *,
        align: str = "centre",
        weight: float = LIGHT,
        lines: int = 1,
        relief: Colour | None = None,
    ) -> None:
        """Letters a text in a box: as large as asked if it fits, else narrow, else in more lines, else smaller."""
        if not text:
            return
        rows, size, face = self.fit(text, box, units, weight, lines)
        pitch = round(size * 1.06)
        top = box.y + (box.h - pitch * len(rows)) // 2
        for i, row in enumerate(rows):
            picture = cut(row, size, colour, weight, face)
            x = _start(box, picture.get_width(), align)
            y = top + i * pitch + (pitch - picture.get_height()) // 2 + round(size * DROP)
            if relief is not None:
                surface.blit(_relief(row, size, colour, weight, face, relief), (x, y + max(1, round(self.scale))))
            surface.blit(picture, (x, y))
            self._note(row, Box(x, y + size // 8, picture.get_width(), size * 3 // 4), box, size, colour, ground)

    def fit(self, text: str, box: Box, units: float, weight: float, lines: int) -> tuple[list[str], int, str]:
        """Rows, size and face with which a text fits a box."""
        size = self.px(units)
        smallest = self.px(22) if units >= 22 else max(9, size * 3 // 4)  # small print is on request only
        while True:
            for face in ("regular", "narrow"):
                rows = _wrapped(text, box.w, size, weight, face)
                if (
                    len(rows) <= lines
                    and len(rows) * size <= box.h + size // 5
                    and _all_fit(rows, box.w, size, weight, face)
                ):
                    return rows, size, face
            if size <= smallest or size <= 9:
                return _shortened(_wrapped(text, box.w, size, weight, "narrow")[:lines], text, box.w, size, weight)
            size = max(smallest, int(size * SHRINK))

    def _note(self, text: str, area: Box, box: Box, size: int, colour: Colour, ground: Colour) -> None:
        if self.notes is not None:
            self.notes.append(Note(text, area, box, size / self.scale, colour, ground, not text.endswith("..")))


def _start(box: Box, width: int, align: str) -> int:
    if align == "left":
        return box.x
    return box.right - width if align == "right" else box.x + (box.w - width) // 2


@lru_cache(maxsize=2048)
def _cached_wrap(text: str, room: int, size: int, weight: float, face: str) -> tuple[str, ...]:
    rows: list[str] = []
    for word in text.split(" "):
        if rows and width_of(f"{rows[-1]} {word}", size, weight, face) <= room:
            rows[-1] = f"{rows[-1]} {word}"
        else:
            rows.append(word)
    return tuple(rows)


def _wrapped(text: str, room: int, size: int, weight: float, face: str) -> list[str]:
    return list(_cached_wrap(text, room, size, weight, face))


def _all_fit(rows: list[str], room: int, size: int, weight: float, face: str) -> bool:
    return all(width_of(row, size, weight, face) <= room for row in rows)


def _shortened(rows: list[str], text: str, room: int, size: int, weight: float) -> tuple[list[str], int, str]:
    """What still fits, with an ellipsis where something is missing."""
    kept = [*rows] or [text]
    if " ".join(kept) != text:
        kept[-1] += ".."
    for i, row in enumerate(kept):
        while len(row) > 2 and width_of(row, size, weight, "narrow") > room:
            row = row.rstrip(".")[:-1] + ".."
        kept[i] = row
    return kept, size, "narrow"
