"""Where everything is: pure arithmetic from a window's size to boxes. No pygame here.

Three shapes (16:9, 4:3, portrait), all in the order of the manual's Figure 1: retina, plugboard, association rack,
responses; what is touched lies in the lower half. Chosen: all proportions.
"""

from collections.abc import Sequence
from typing import NamedTuple

KNOBS = ("mode", "system", "threshold", "dead_zone", "run_time", "speed")
PLATES = ("retina", "plugboard", "rack", "responses", "easel", "desk", "answer", "chart", "why")
SECOND_ROW = ("clear", "break", "rewire", "undo", "more")
RESPONSE_ROWS = 8


class Box(NamedTuple):
    """A rectangle in whole pixels."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """First column beyond the box."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """First row beyond the box."""
        return self.y + self.h

    @property
    def centre(self) -> tuple[int, int]:
        """The middle."""
        return self.x + self.w // 2, self.y + self.h // 2

    def inset(self, left: int, top: int | None = None, right: int | None = None, bottom: int | None = None) -> "Box":
        """A smaller box inside; one number for all sides, or four."""
        top = left if top is None else top
        right = left if right is None else right
        bottom = top if bottom is None else bottom
        return Box(self.x + left, self.y + top, max(1, self.w - left - right), max(1, self.h - top - bottom))

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def meets(self, other: "Box") -> bool:
        """Whether two boxes share a pixel."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def within(self, other: "Box") -> bool:
        """Whether this box lies wholly inside another."""
        return self.x >= other.x and self.y >= other.y and self.right <= other.right and self.bottom <= other.bottom

    def square(self) -> "Box":
        """The largest square in the middle."""
        side = min(self.w, self.h)
        return Box(self.x + (self.w - side) // 2, self.y + (self.h - side) // 2, side, side)

    def fitted(self, aspect: float) -> "Box":
        """The largest box of this aspect (width to height) in the middle."""
        w = min(self.w, round(self.h * aspect))
        h = min(self.h, round(self.w / aspect))
        return Box(self.x + (self.w - w) // 2, self.y + (self.h - h) // 2, w, h)

    def columns(self, shares: Sequence[float], gap: int) -> list["Box"]:
        """Side by side, by shares of the width."""
        edges = _edges(self.x, self.w, shares, gap)
        return [Box(a, self.y, b - a, self.h) for a, b in edges]

    def rows(self, shares: Sequence[float], gap: int) -> list["Box"]:
        """One below the other, by shares of the height."""
        edges = _edges(self.y, self.h, shares, gap)
        return [Box(self.x, a, self.w, b - a) for a, b in edges]


def _edges(start: int, length: int, shares: Sequence[float], gap: int) -> list[tuple[int, int]]:
    room, total = length - gap * (len(shares) - 1), sum(shares)
    edges, passed = [], 0.0
    for i, share in enumerate(shares):
        a = start + round(room * passed / total) + gap * i
        passed += share
        edges.append((a, start + round(room * passed / total) + gap * i))
    return edges


class Arrangement(NamedTuple):
    """A window's size, its shape, the scale of lettering and targets (1 on a 1080-line screen), and the boxes."""

    size: tuple[int, int]
    shape: str
    scale: float
    boxes: dict[str, Box]

    def px(self, units: float) -> int:
        """Units of a 1080-line screen in pixels, at least one."""
        return max(1, round(units * self.scale))


BASES = {"wide": (1920, 1080), "square": (1600, 1200), "portrait": (1080, 1920)}


def shape_of(width: int, height: int) -> str:
    """Which of the three shapes suits a window."""
    ratio = width / height
    return "wide" if ratio >= 1.55 else "square" if ratio >= 1.0 else "portrait"


def arrange(width: int, height: int, cards: int = 8) -> Arrangement:
    """Boxes of every part of the panel in a window."""
    shape = shape_of(width, height)
    base_w, base_h = BASES[shape]
    scale = min(width / base_w, height / base_h)
    a = Arrangement((width, height), shape, scale, {})
    page = Box(0, 0, width, height)
    a.boxes["page"] = page
    header = a.px(60 if shape != "portrait" else 116)
    a.boxes["header"] = Box(0, 0, width, header)
    body = Box(0, header, width, height - header).inset(a.px(12), a.px(4), a.px(12), a.px(12))
    {"wide": _wide, "square": _square, "portrait": _portrait}[shape](a, body)
    _header(a)
    _upper(a)
    _desk(a, cards)
    _lower(a)
    return a


def _wide(a: Arrangement, body: Box) -> None:
    gap, b = a.px(10), a.boxes
    top, low = body.rows((488, 512), gap)
    b["retina"], b["plugboard"], b["rack"], b["responses"] = top.columns((430, 208, 850, 378), gap)
    b["easel"], b["desk"], b["answer"], side = low.columns((428, 726, 344, 368), gap)
    b["chart"], b["why"] = side.rows((236, 276), gap)


def _square(a: Arrangement, body: Box) -> None:
    gap, b = a.px(10), a.boxes
    top, low = body.rows((430, 690), gap)
    b["retina"], b["plugboard"], b["rack"], b["responses"] = top.columns((352, 176, 664, 364), gap)
    left, middle, b["answer"] = low.columns((424, 768, 368), gap)
    b["why"], b["easel"] = left.rows((232, 458), gap)
    b["chart"], b["desk"] = middle.rows((184, 510), gap)


def _portrait(a: Arrangement, body: Box) -> None:
    gap, b = a.px(10), a.boxes
    first, second, third, fourth = body.rows((384, 446, 412, 516), gap)
    b["retina"], b["plugboard"], b["responses"] = first.columns((372, 204, 470), gap)
    b["rack"], side = second.columns((716, 330), gap)
    b["chart"], b["why"] = side.rows((1, 1.12), gap)
    b["easel"], b["answer"] = third.columns((430, 616), gap)
    b["desk"] = fourth


def _header(a: Arrangement) -> None:
    head, b = a.boxes["header"].inset(a.px(12), a.px(7), a.px(12), a.px(5)), a.boxes
    if a.shape == "portrait":
        line, b["annunciator"] = head.rows((1, 1), a.px(6))
        b["nameplate"], b["status"] = line.columns((470, 580), a.px(12))
    else:
        b["nameplate"], b["annunciator"], b["status"] = head.columns((400, 880, 560), a.px(14))


def _plate(a: Arrangement, name: str, foot: int) -> tuple[Box, Box, Box]:
    """A plate's title line, its inside and its caption line."""
    plate = a.boxes[name]
    pad = a.px(14)
    title = Box(plate.x + a.px(20), plate.y + a.px(7), plate.w - a.px(40), a.px(32))
    a.boxes[f"{name}.title"] = title
    inside = plate.inset(pad, a.px(42), pad, a.px(14 + foot))
    caption = Box(inside.x, inside.bottom + a.px(2), inside.w, a.px(foot + 4))
    return title, inside, caption


def _upper(a: Arrangement) -> None:
    b = a.boxes
    _, b["retina.field"], b["retina.caption"] = _plate(a, "retina", 28)
    _, b["plugboard.field"], b["plugboard.caption"] = _plate(a, "plugboard", 28)
    _, b["rack.field"], b["rack.caption"] = _plate(a, "rack", 28)
    _, inside, _ = _plate(a, "responses", 0)
    for i, row in enumerate(inside.rows((1,) * RESPONSE_ROWS, a.px(4))):
        b[f"response.{i}"] = row


def _desk(a: Arrangement, cards: int) -> None:
    b = a.boxes
    plate = b["desk"]
    inside = plate.inset(a.px(20), a.px(20), a.px(20), a.px(14))
    gap = a.px(9)
    tray, first, second, knobs = inside.rows((76, 88, 77, 200), gap)
    b["tray"] = tray
    slots = tray_slots(cards)
    for name, box in zip(slots, tray.columns((1,) * len(slots), a.px(6)), strict=True):
        b[name] = box
    b["present"], b["teach"], b["train"] = first.columns((1, 1.15, 1), gap)
    for name, box in zip(SECOND_ROW, second.columns((1, 1, 1.1, 1, 0.9), gap), strict=True):
        b[name] = box
    row = knobs.columns((110, 82, 119, 111, 96, 89, 75), a.px(2))
    for name, box in zip(KNOBS, row[:-1], strict=True):
        b[f"knob.{name}"] = box
    label, b["hand.plus"], b["hand.minus"] = row[-1].rows((40, 76, 76), a.px(4))
    b["hand.label"] = label


def tray_slots(cards: int) -> list[str]:
    """Names of the tray's places: the cards, or a page of them between two arrows."""
    if cards <= 8:
        return [f"card.{i}" for i in range(max(1, cards))]
    return ["tray.back", *(f"card.{i}" for i in range(6)), "tray.on"]


def _lower(a: Arrangement) -> None:
    b = a.boxes
    _, b["easel.field"], b["easel.caption"] = _plate(a, "easel", 28)
    plate = b["answer"].inset(a.px(18), a.px(18), a.px(18), a.px(10))
    if plate.w > plate.h * 1.15:  # a low, wide plate: verdict beside the answer
        b["answer.field"], words = plate.columns((1, 1.3), a.px(12))
        b["answer.verdict"], b["answer.caption"] = words.rows((1, 1), a.px(6))
    else:
        b["answer.field"], b["answer.verdict"], b["answer.caption"] = plate.rows((300, 116, 62), a.px(8))
    _, b["chart.field"], b["chart.caption"] = _plate(a, "chart", 0)
    _, inside, b["why.caption"] = _plate(a, "why", 28)
    b["why.field"], b["why.list"] = inside.columns((1, 0.9), a.px(8))
