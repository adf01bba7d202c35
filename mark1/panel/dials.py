"""The looks of lamps and dials: an incandescent lamp at every brightness, a potentiometer dial at every angle.

A dial is one object: dark face, ivory needle, its window lit from behind when the unit fires, a white arc at the rim
on the side towards which its motor runs. A pulled unit is an empty socket. Angles are chosen: -11 V is at the lower
left, +11 V at the lower right, 0 above, as on a volume control.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mark1.panel.ink import Picture, Plane
from mark1.panel.theme import THEME, mix
from mark1.panel.tiles import Looks

SWEEP = np.radians(135)
ANGLES, GLOWS, MOTORS = 49, 8, 3
EMPTY = ANGLES * GLOWS * MOTORS  # the look of a socket whose unit is pulled
LEVELS = 24


def lamp_looks(tile: int) -> NDArray[np.uint8]:
    """A lamp at LEVELS brightnesses: (LEVELS, tile, tile, 3)."""
    p = Picture(tile, tile)
    c, r = tile / 2, tile * 0.36
    level = (np.arange(LEVELS, dtype=np.float32) / (LEVELS - 1))[:, None, None, None]
    distance = np.hypot(p.xs - c, p.ys - c)
    halo = np.exp(-((distance / (tile * 0.46)) ** 2))[None, ..., None]
    bulb = p.disc(c, c, r)[None, ..., None]
    socket = p.disc(c, c, r + max(0.8, tile * 0.07))[None, ..., None]
    core = np.exp(-((distance / (r * 0.82)) ** 2))[None, ..., None]
    shine = p.disc(c - r * 0.34, c - r * 0.38, r * 0.24, 1.5)[None, ..., None]
    ground = np.asarray(THEME.field, np.float32) + np.asarray((104, 58, 12), np.float32) * halo * level
    rim = np.asarray((30, 28, 26), np.float32) + np.asarray((92, 54, 14), np.float32) * level
    cold = np.asarray((46, 34, 24), np.float32) + np.asarray((26, 20, 16), np.float32) * shine
    hot = np.asarray(THEME.lamp, np.float32) * (1 - core) + np.asarray(THEME.lamp_hot, np.float32) * core
    glass = cold * (1 - level**0.7) + hot * level**0.7
    picture = ground * (1 - socket) + rim * socket
    picture = picture * (1 - bulb) + glass * bulb
    looks: NDArray[np.uint8] = np.clip(picture, 0, 255).astype(np.uint8)
    return looks


def dial_looks(tile: int, only_dark: bool = False) -> NDArray[np.uint8]:
    """All dials: (ANGLES * GLOWS * MOTORS + 1, tile, tile, 3), the last an empty socket.

    only_dark: just ANGLES + 1 of them, dark and at rest, which is all that a first frame needs.
    """
    glows = np.arange(1 if only_dark else GLOWS, dtype=np.float32) / (GLOWS - 1)
    looks = _dials(tile, 0.9, glows, np.linspace(-SWEEP, SWEEP, ANGLES), range(1 if only_dark else MOTORS))
    return np.concatenate((looks, _socket(tile)[None])).round().astype(np.uint8)


def chip_looks(tile: int) -> NDArray[np.uint8]:
    """For fields too small for needles: ivory above 0, dark below; numbered as dial_looks.

    By the cube root, so that small values show (chosen). Firing and motors are seen on the large dials.
    """
    turn = np.linspace(-1, 1, ANGLES)
    depth = np.cbrt(np.abs(turn))[:, None]
    zero, above, below = (np.asarray(c, np.float64) for c in ((96, 94, 88), THEME.ivory, (0, 0, 0)))
    shade = zero + depth * np.where(turn[:, None] > 0, above - zero, below - zero)
    colours = np.concatenate((np.tile(shade, (GLOWS * MOTORS, 1)), [THEME.field]))
    return np.broadcast_to(colours.round().astype(np.uint8)[:, None, None], (EMPTY + 1, tile, tile, 3))


def one_dial(tile: int, look: int) -> NDArray[np.uint8]:
    """A single dial of any size, for the loupe: with room for its halo."""
    if look == EMPTY:
        return _socket(tile).round().astype(np.uint8)
    rest, angle = divmod(look, ANGLES)
    motor, glow = divmod(rest, GLOWS)
    angles = np.linspace(-SWEEP, SWEEP, ANGLES)[angle : angle + 1]
    dial = _dials(tile, 0.76, np.array([glow / (GLOWS - 1)], np.float32), angles, [motor])[0]
    pixels: NDArray[np.uint8] = dial.round().astype(np.uint8)
    return pixels


def _dials(tile: int, fill: float, glows: Plane, angles: NDArray[np.float64], motors: Iterable[int]) -> Plane:
    """Dials for each motor, glow and angle: (combinations, tile, tile, 3). fill: of the tile by the dial."""
    p, c = Picture(tile, tile), tile / 2
    r = min(tile * fill / 2, tile / 2 - 0.6)
    faces = _faces(p, c, r, glows)  # (glows, tile, tile, 3)
    needles = _needles(p, c, r, angles)[None, ..., None]  # (1, angles, tile, tile, 1)
    glow = glows[:, None, None, None, None]
    ink = np.asarray(THEME.needle, np.float32) * (1 - glow) + np.asarray((38, 20, 4), np.float32) * glow
    rest: Plane = faces[:, None] * (1 - needles) + ink * needles
    return np.concatenate([_with_arc(p, c, r, rest, motor) for motor in motors]).reshape(-1, tile, tile, 3)


def _with_arc(p: Picture, c: float, r: float, rest: Plane, motor: int) -> Plane:
    """The dials with the arc of a running motor; its dark edge lets it stand out on a lit window too."""
    if motor == 0:
        return rest
    white = np.asarray(THEME.motor, np.float32)
    dark = _over(rest, np.clip(_arc(p, c, r, motor, 1.9), 0, 1), white * 0)
    return _over(dark, _arc(p, c, r, motor, 1.0), white)


def _faces(p: Picture, c: float, r: float, glows: Plane) -> Plane:
    """The dial without its needle, at every glow."""
    glow = glows[:, None, None, None]
    distance = np.hypot(p.xs - c, p.ys - c)
    disc = p.disc(c, c, r)[None, ..., None]
    face_r = r - max(0.7, r * 0.1)
    face = p.disc(c, c, face_r)[None, ..., None]
    reach = max(1.5 * r, len(p.ys) / 2) if r > 0.44 * len(p.ys) else len(p.ys) / 2
    halo = np.clip((reach - distance) / (reach - 0.9 * r), 0, 1)[None, ..., None] ** 1.5
    core = np.exp(-((distance / (r * 0.8)) ** 2))[None, ..., None]
    ground = np.asarray(THEME.field, np.float32) + np.asarray((120, 70, 16), np.float32) * glow * halo
    slope = np.clip((p.ys - c) / r, -1, 1)[None, ..., None]
    dark = np.asarray((34, 34, 34), np.float32) - 9 * slope
    hot = np.asarray(THEME.lamp, np.float32) * (1 - 0.75 * core) + np.asarray(THEME.lamp_hot, np.float32) * 0.75 * core
    rim = np.asarray((84, 84, 80), np.float32) - 26 * slope + np.asarray((110, 66, 0), np.float32) * glow
    window = dark * (1 - glow) + hot * glow
    picture = ground * (1 - disc) + rim * disc
    faces: Plane = np.clip(picture * (1 - face) + window * face, 0, 255).astype(np.float32)
    return faces


def _needles(p: Picture, c: float, r: float, angles: NDArray[np.float64]) -> Plane:
    width = max(1.35, r * 0.17)
    tails = [(np.sin(a), -np.cos(a)) for a in angles]
    strokes = [p.stroke(c - 0.12 * r * x, c - 0.12 * r * y, c + 0.8 * r * x, c + 0.8 * r * y, width) for x, y in tails]
    return np.stack(strokes).astype(np.float32)


def _over(below: Plane, cover: Plane, colour: Plane) -> Plane:
    return below * (1 - cover[..., None]) + colour * cover[..., None]


def _arc(p: Picture, c: float, r: float, motor: int, wider: float) -> Plane:
    """On the right for a motor that runs up (1), on the left for one that runs down (2)."""
    width = max(1.8, r * 0.24)
    way = 1.1 if motor == 1 else -1.1
    return p.arc(c, c, r - width * 0.4, width * wider, way, 0.9 + 0.1 * (wider - 1))


def _socket(tile: int) -> Plane:
    """An empty place in the rack: a hole in bare metal with a cross, so that it reads without colour."""
    p, c = Picture(tile, tile, THEME.field), tile / 2
    s = tile * 0.3
    p.lay(p.round_box(tile * 0.1, tile * 0.1, tile * 0.8, tile * 0.8, tile * 0.16), mix(THEME.pulled, (0, 0, 0), 0.35))
    for sign in (-1, 1):
        p.lay(0.9 * p.stroke(c - s, c - sign * s, c + s, c + sign * s, max(1, tile * 0.07)), (104, 104, 100))
    return p.rgb


def dial_numbers(
    values: NDArray[np.float64],
    stop_uv: float,
    glow: Plane,
    motors: NDArray[np.int8],
    pulled: NDArray[np.bool_],
) -> Looks:
    """Which look each unit has now; values and motors may be of one bank or of many."""
    turn = np.clip(values / stop_uv, -1, 1)
    angle = np.rint((turn + 1) * ((ANGLES - 1) / 2)).astype(np.intp)
    level = np.rint(glow * (GLOWS - 1)).astype(np.intp)
    side = np.where(motors > 0, 1, np.where(motors < 0, 2, 0))
    looks: Looks = (side * GLOWS + level) * ANGLES + angle
    looks[..., pulled] = EMPTY
    return looks


def lamp_numbers(glow: Plane) -> Looks:
    """Which look each lamp has now."""
    looks: Looks = np.rint(np.clip(glow, 0, 1) * (LEVELS - 1)).astype(np.intp)
    return looks


def dial_angle(value_uv: float, stop_uv: float) -> float:
    """Clockwise from above, in radians."""
    return float(np.clip(value_uv / stop_uv, -1, 1) * SWEEP)
