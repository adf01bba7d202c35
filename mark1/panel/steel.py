"""Enamelled steel, bezels, screws and keys: the still parts of the panel, made once for each window size.

Everything is nine-sliced: corners are computed, edges stretched, so that a 4K panel costs no more arithmetic than a
small one. Light comes from above left, everywhere.
"""

from functools import lru_cache

import numpy as np
import pygame

from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.theme import THEME, Colour, mix


@lru_cache(maxsize=64)
def _patch(kind: str, radius: int, colour: Colour, depth: int) -> pygame.Surface:
    """A small rounded box to be stretched: 'plate', 'bezel', 'key' or 'pressed'."""
    margin = radius + 3 * depth + 2
    side = 2 * margin + 2
    return {"plate": _plate, "bezel": _bezel, "key": _key, "pressed": _pressed}[kind](
        side, margin, radius, colour, depth
    )


def _plate(side: int, margin: int, radius: int, colour: Colour, depth: int) -> pygame.Surface:
    p = Picture(side, side)
    d = 3 * depth
    box = (d, d, side - 2 * d, side - 2 * d)
    p.lay(0.5 * p.round_box(box[0], box[1] + depth, box[2], box[3], radius, 2.5 * depth), (0, 0, 0))
    p.lay(p.round_box(*box, radius), mix(colour, (0, 0, 0), 0.42))
    inner = p.round_box(box[0] + 1, box[1] + 1, box[2] - 2, box[3] - 2, radius - 1)
    p.lay(inner, mix(colour, (255, 255, 255), 0.65))
    face = (box[0] + 1 + depth, box[1] + 1 + depth, box[2] - 2 - 2 * depth, box[3] - 2 - 2 * depth)
    low = p.round_box(box[0] + 1 + depth, box[1] + 1 + depth, box[2] - 2 - depth, box[3] - 2 - depth, radius - 1)
    p.lay(low * inner, mix(colour, (0, 0, 0), 0.2))
    p.lay(p.round_box(*face, max(1, radius - depth)), colour)
    return p.surface()


def _bezel(side: int, margin: int, radius: int, colour: Colour, depth: int) -> pygame.Surface:
    p = Picture(side, side)
    d = 3 * depth
    box = (d, d, side - 2 * d, side - 2 * d)
    p.lay(
        0.55 * p.round_box(box[0] - 1, box[1] + depth, box[2] + 2, box[3] + depth, radius, 2 * depth), (255, 255, 255)
    )
    p.lay(p.round_box(*box, radius), (8, 8, 8))
    p.lay(p.round_box(box[0] + 1, box[1] + 1, box[2] - 2, box[3] - 2, radius), mix(colour, (255, 255, 255), 0.16))
    p.lay(p.round_box(box[0] + 1, box[1] + 2, box[2] - 2, box[3] - 3, radius), colour)
    return p.surface()


def _key(side: int, margin: int, radius: int, colour: Colour, depth: int) -> pygame.Surface:
    p = Picture(side, side)
    d = 2 * depth
    w, h = side - 2 * d, side - 2 * d - depth
    p.lay(0.6 * p.round_box(d - 1, d + depth, w + 2, h + 1.4 * depth, radius, 2 * depth), (0, 0, 0))
    p.lay(p.round_box(d, d, w, h + depth, radius), (26, 26, 25))
    p.lay(p.round_box(d + 1, d + 1, w - 2, h + depth - 2, radius), mix(colour, (0, 0, 0), 0.45))
    p.lay(p.round_box(d + 1, d + 1, w - 2, h - 1, radius), mix(colour, (255, 255, 255), 0.55))
    p.lay(p.round_box(d + 1 + depth / 2, d + 1 + depth, w - 2 - depth, h - 1 - depth, radius - 1), colour)
    return p.surface()


def _pressed(side: int, margin: int, radius: int, colour: Colour, depth: int) -> pygame.Surface:
    p = Picture(side, side)
    d = 2 * depth
    w, h = side - 2 * d, side - 2 * d
    p.lay(p.round_box(d, d, w, h, radius), (20, 20, 19))
    p.lay(p.round_box(d + 1, d + 1 + depth, w - 2, h - 2 - depth, radius), mix(colour, (0, 0, 0), 0.12))
    return p.surface()


def stretch(surface: pygame.Surface, patch: pygame.Surface, box: Box, spill: int) -> None:
    """Nine-slices a patch around a box; spill is how far its shadow reaches beyond the box."""
    side = patch.get_width()
    m = side // 2 - 1
    out = Box(box.x - spill, box.y - spill, box.w + 2 * spill, box.h + 2 * spill)
    m = min(m, out.w // 2, out.h // 2)
    xs = ((0, m, out.x, m), (m, side - 2 * m, out.x + m, out.w - 2 * m), (side - m, m, out.right - m, m))
    ys = ((0, m, out.y, m), (m, side - 2 * m, out.y + m, out.h - 2 * m), (side - m, m, out.bottom - m, m))
    for sx, sw, dx, dw in xs:
        for sy, sh, dy, dh in ys:
            if min(sw, sh, dw, dh) <= 0:
                continue
            if sx == sy == m and patch.get_at((m, m)).a == 255:  # the middle is plain: far cheaper than a blit
                surface.fill(patch.get_at((m, m)), (dx, dy, dw, dh))
                continue
            piece = patch.subsurface((sx, sy, sw, sh))
            if (sw, sh) != (dw, dh):
                piece = pygame.transform.scale(piece, (dw, dh))
            surface.blit(piece, (dx, dy))


def plate(surface: pygame.Surface, box: Box, scale: float, colour: Colour = THEME.enamel) -> None:
    """An enamelled plate with its shadow and four screws."""
    depth = max(1, round(1.6 * scale))
    stretch(surface, _patch("plate", max(3, round(7 * scale)), colour, depth), box, 3 * depth)
    inset = round(10 * scale)
    corners = (
        (box.x, box.y, 1, 1),
        (box.right, box.y, -1, 1),
        (box.x, box.bottom, 1, -1),
        (box.right, box.bottom, -1, -1),
    )
    for n, (x, y, sx, sy) in enumerate(corners):
        head = screw(max(6, round(9 * scale)), (box.x + 3 * box.y + n * 7) % 12)
        half = head.get_width() // 2
        surface.blit(head, (x + sx * inset - half, y + sy * inset - half))


def bezel(surface: pygame.Surface, box: Box, scale: float, colour: Colour = THEME.bezel, rim: float = 5) -> None:
    """A black frame around a field; box is the field, the frame lies outside it."""
    depth = max(1, round(1.2 * scale))
    edge = round(rim * scale)
    stretch(surface, _patch("bezel", max(3, round(6 * scale)), colour, depth), box.inset(-edge), 3 * depth)


def key(surface: pygame.Surface, box: Box, scale: float, colour: Colour, pressed: bool) -> None:
    """A push key, up or down."""
    depth = max(1, round(2 * scale))
    kind = "pressed" if pressed else "key"
    stretch(surface, _patch(kind, max(3, round(6 * scale)), colour, depth), box, 2 * depth)


@lru_cache(maxsize=64)
def screw(size: int, turn: int) -> pygame.Surface:
    """A slotted screw; its slot stands anywhere, as screws do."""
    side = size + 4
    p, c, r = Picture(side, side), side / 2, size / 2
    p.lay(0.5 * p.disc(c, c + 1, r + 0.5, 2), (0, 0, 0))
    p.lay(p.disc(c, c, r), (96, 98, 94))
    p.lay(p.disc(c - 0.6, c - 0.8, r - 0.8), (196, 198, 192))
    p.lay(p.disc(c + 0.3, c + 0.4, r - 1.1), (160, 162, 156))
    angle = np.pi * turn / 12
    dx, dy = (r - 1.2) * np.cos(angle), (r - 1.2) * np.sin(angle)
    p.lay(p.stroke(c - dx, c - dy, c + dx, c + dy, max(1.2, size * 0.16)), (52, 54, 50))
    return p.surface()


def texture(surface: pygame.Surface) -> None:
    """The fine grain of enamel, over everything still."""
    rng = np.random.Generator(np.random.PCG64(1960))
    grain = rng.integers(0, 4, (192, 192), np.uint8)
    tile = pygame.image.frombuffer(np.repeat(grain[..., None], 3, 2).tobytes(), (192, 192), "RGB")
    tile = tile.convert(surface) if pygame.display.get_surface() else tile
    for y in range(0, surface.get_height(), 192):
        for x in range(0, surface.get_width(), 192):
            surface.blit(tile, (x, y), special_flags=pygame.BLEND_RGB_SUB)
