"""Pictures of a rig's channels: a bank of sixteen dials, and one channel large on an ivory scale.

The needle stands where the knob was measured, an open ring where the machine wants it; on a board that does not
measure, the needle is what is wanted. Only what the board said is drawn.
"""

from typing import Any

import numpy as np
import pygame

from mark1.panel import dials, steel
from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.lettering import HEAVY, LIGHT
from mark1.panel.rig import FULL_V, MOVING, RESTING, BoardView, RigWatch
from mark1.panel.theme import LABEL, TEXT, THEME
from mark1.panel.views.base import Kit

SIDE = 4  # of the bank, in dials


def cells(bank: Box, gap: int) -> list[Box]:
    """Sixteen places."""
    return [cell for row in bank.rows((1,) * SIDE, gap) for cell in row.columns((1,) * SIDE, gap)]


def cell_at(bank: Box, x: float, y: float) -> int | None:
    """Which of the sixteen is at a point."""
    return next((i for i, cell in enumerate(cells(bank, 0)) if cell.holds(x, y)), None)


def state_word(words: Any, state: int) -> str:
    """A channel's state in the panel's language."""
    every = (words("at rest"), words("moving"), words("held by a hand"), words("turned by a hand"), words("stalled"),
             words("ran too long"), words("off"), words("waiting"))  # fmt: skip
    return str(every[state])


def draw_bank(surface: pygame.Surface, kit: Kit, bank: Box, boards: list[BoardView], first: int, chosen: int) -> None:
    """The sixteen channels from this one on."""
    flat = [(board, channel) for board in boards for channel in range(len(board.states))][first : first + SIDE * SIDE]
    for i, box in enumerate(cells(bank, kit.px(5))):
        pygame.draw.rect(surface, THEME.field, box)
        if i < len(flat):
            _dial(surface, kit, box, *flat[i])
        if first + i == chosen:
            pygame.draw.rect(surface, THEME.ivory, box.inset(-kit.px(2)), kit.px(3))


def _dial(surface: pygame.Surface, kit: Kit, box: Box, board: BoardView, channel: int) -> None:
    side = min(box.w - kit.px(4), box.h - kit.px(19))  # the number stands where no needle goes
    wanted, measured = float(board.wanted_v[channel]), float(board.measured_v[channel])
    shown = measured if board.measures else wanted
    way = np.sign(wanted - measured) if board.states[channel] == MOVING else 0
    values = np.array([shown])
    look = dials.dial_numbers(
        values, FULL_V, np.zeros(1, np.float32), np.array([way], np.int8), np.array([not board.name])
    )
    picture = pygame.surfarray.make_surface(dials.one_dial(side, int(look[0])).transpose(1, 0, 2))
    at = (box.centre[0] - side // 2, box.y + kit.px(2))
    surface.blit(picture, at)
    if board.measures:
        _wanted_ring(surface, kit, at, side, wanted)
    _sign(surface, kit, box, board, channel)


def _wanted_ring(surface: pygame.Surface, kit: Kit, at: tuple[int, int], side: int, wanted: float) -> None:
    angle, reach = dials.dial_angle(wanted, FULL_V), side * 0.44
    size = max(7, round(side * 0.15)) | 1
    p = Picture(size, size)
    p.lay(p.ring(size / 2, size / 2, size * 0.34, max(1.6, size * 0.17)), THEME.ivory)
    x = at[0] + side / 2 + reach * np.sin(angle) - size / 2
    y = at[1] + side / 2 - reach * np.cos(angle) - size / 2
    surface.blit(p.surface(), (round(x), round(y)))


def _sign(surface: pygame.Surface, kit: Kit, box: Box, board: BoardView, channel: int) -> None:
    """The channel's number, and a word if it neither rests nor moves."""
    state = int(board.states[channel])
    word = "" if state in (RESTING, MOVING) else f" {state_word(kit.words, state).split(' ')[0]}"
    room = Box(box.x, box.bottom - kit.px(25), box.w, kit.px(24))
    kit.lettering.put(surface, f"{channel}{word}", room, TEXT, THEME.ivory, THEME.field)


def draw_scale(surface: pygame.Surface, kit: Kit, box: Box, board: BoardView, channel: int) -> None:
    """The channel in hand, -11 V to +11 V: a ring for what is wanted, a needle for what is measured."""
    face = box.inset(kit.px(6), kit.px(6), kit.px(6), kit.px(8))
    steel.bezel(surface, face, kit.scale, rim=4)
    pygame.draw.rect(surface, THEME.ivory, face)
    line = face.y + round(face.h * 0.42)
    left, right = face.x + kit.px(34), face.right - kit.px(34)

    def place(volts: float) -> int:
        return round(left + (right - left) * (volts + FULL_V) / (2 * FULL_V))

    pygame.draw.line(surface, THEME.ink, (left, line), (right, line), kit.px(2))
    for volts in range(-11, 12):
        long = volts in (-11, 0, 11)
        pygame.draw.line(surface, THEME.ink, (place(volts), line), (place(volts), line + kit.px(12 if long else 7)),
                         kit.px(2))  # fmt: skip
    for volts, text in ((-11, "−11 V"), (0, "0"), (11, "+11 V")):
        room = Box(place(volts) - kit.px(34), line + kit.px(12), kit.px(68), face.bottom - line - kit.px(12))
        kit.lettering.put(surface, text, room, TEXT, THEME.ink, THEME.ivory)
    if board.measures:
        x = place(float(board.measured_v[channel]))
        pygame.draw.line(surface, THEME.ink, (x, face.y + kit.px(3)), (x, line + kit.px(9)), kit.px(5))
    centre = (place(float(board.wanted_v[channel])), line)
    pygame.draw.circle(surface, THEME.ivory, centre, kit.px(11))
    pygame.draw.circle(surface, THEME.ink, centre, kit.px(11), kit.px(3))


def draw_channel(surface: pygame.Surface, kit: Kit, side: Box, rig: RigWatch, place: tuple[int, int]) -> None:
    """The channel in hand: what it shows, where it stands, its curve, its board."""
    board = rig.boards[place[0]]
    head, scale, words, facts = side.rows((50, 96, 88, 184), kit.px(4))
    shown = str(board.sources[place[1]]) if place[1] < len(board.sources) else "–"
    title = kit.words("Channel {c} shows {what}", c=place[1], what=shown)
    kit.engrave(surface, title, head, 32, align="left", weight=HEAVY)
    draw_scale(surface, kit, scale, board, place[1])
    lines = _lines(kit, rig, board, place)
    for row, text in zip(words.rows((1,) * len(lines), 0), lines, strict=True):
        kit.engrave(surface, text, row, LABEL, align="left")
    _link(surface, kit, board, facts)


def _lines(kit: Kit, rig: RigWatch, board: BoardView, place: tuple[int, int]) -> list[str]:
    words, channel = kit.words, place[1]
    state = state_word(words, int(board.states[channel]))
    if channel in board.held:
        state = words("{state}, in hand", state=state)
    wanted, measured = board.wanted_v[channel], board.measured_v[channel]
    ends, own = rig.rig.curve(*place)
    curve = words("its own curve") if own else words("the board's own curve")
    values = (
        words("wanted {w:+.2f} V, measured {m:+.2f} V", w=wanted, m=measured)
        if board.measures
        else words("wanted {w:+.2f} V, not measured", w=wanted)
    )
    return [values, words("{state}; {curve}: {a}, {b}, {c}", state=state, curve=curve, a=ends[0], b=ends[1],
                          c=ends[2])]  # fmt: skip


def _link(surface: pygame.Surface, kit: Kit, board: BoardView, box: Box) -> None:
    """The board and its link; or what is wrong with it."""
    words, link = kit.words, board.link
    pygame.draw.line(surface, THEME.enamel_dark, (box.x, box.y), (box.right, box.y), kit.px(2))
    trouble = board.trouble if not board.name else board.note
    name = words("{name}, {n} channels, {k} at once", name=board.name or "–", n=len(board.states), k=board.at_once)
    first = (
        words("STOPPED: press RESUME")
        if board.stopped and board.name
        else words("the board has every value")
        if board.proved
        else words("catching up")
    )
    lines = [
        (first, HEAVY),
        (name, LIGHT),
        (words("{n:,} values sent, round trip {t:.1f} ms", n=link.values_sent, t=link.round_trip_ms), LIGHT),
        (words("{k} of {n} digests differed, {r} frames sent again", k=link.mismatches, n=link.digests,
               r=link.resent), LIGHT),
        (words("damaged: {d}, sessions: {s}, openings: {o}", d=link.damaged, s=link.sessions, o=link.openings),
         LIGHT),
    ]  # fmt: skip
    if trouble:
        top, low = box.rows((1, 4), kit.px(4))
        kit.engrave(surface, first if board.name else board.device, top, TEXT, align="left", weight=HEAVY)
        kit.engrave(surface, trouble, low, TEXT, align="left", lines=4)
        return
    for row, (text, weight) in zip(box.rows((1,) * 5, 0), lines, strict=True):
        kit.engrave(surface, text, row, TEXT, align="left", weight=weight)
