"""What lies over the picture: the ring of the keyboard's focus, and in 'as documented' the mark of every part.

In 'as documented' a part without a graded source is covered by a blank plate that says modern; every other part shows
its grade. The marks differ by word, not by colour.
"""

import pygame

from mark1.panel import steel
from mark1.panel.layout import PLATES, RESPONSE_ROWS, Box
from mark1.panel.lettering import width_of
from mark1.panel.provenance import MODERN, source_of
from mark1.panel.theme import TEXT, THEME
from mark1.panel.views.base import Kit
from mark1.panel.widget import Widget, under
from mark1.panel.words import Words

HEADER = ("nameplate", "annunciator", "status")
COVERED = ("chart", "why", "undo", "clear", "train")  # modern, and not needed to run the machine
SMALL = 18  # marks are shown on request only, so they may be smaller than other lettering


def ring(screen: pygame.Surface, kit: Kit, found: list[Widget], name: str) -> None:
    """A double ring: blue within white, seen on light and dark."""
    widget = next((w for w in found if w.name == name), None)
    if widget is None:
        return
    width = kit.px(4)
    pygame.draw.rect(screen, (255, 255, 255), widget.box.inset(-width - 1), width + 2, border_radius=kit.px(6))
    pygame.draw.rect(screen, THEME.focus, widget.box.inset(-width), width, border_radius=kit.px(6))


def marked(found: list[Widget]) -> list[str]:
    """Names of all parts that carry a mark."""
    keys = [w.name for w in found if w.kind != "card" and not w.name.startswith(("tray.", "hand."))]
    further = [*(f"response.{i}" for i in range(RESPONSE_ROWS)), "plugboard.glow", "easel.field"]
    plates = [name for name in PLATES if name != "desk"]
    return [*dict.fromkeys([*plates, *keys, *further, "tray", "hand.label", *HEADER])]


def part_at(kit: Kit, found: list[Widget], x: float, y: float) -> str:
    """The part that a touch is about: the one whose mark is there, else the smallest that is."""
    boxes = kit.arrangement.boxes
    chips = (n for n in marked(found) if n not in COVERED and chip(kit, n).inset(-kit.px(3)).holds(x, y))
    small = (n for n in (*(f"response.{i}" for i in range(RESPONSE_ROWS)), "easel.field") if boxes[n].holds(x, y))
    widget = under(found, x, y)
    large = (n for n in (*HEADER, *(p for p in PLATES if p != "desk")) if boxes[n].holds(x, y))
    return next(chips, "") or next(small, "") or (widget.name if widget else next(large, ""))


def source_text(words: Words, name: str) -> str:
    """The grade of a part and what it rests on."""
    source = source_of(name)
    return f"{words(source.grade)}: {words(source.text)}"


def draw(screen: pygame.Surface, kit: Kit, found: list[Widget], areas: list[pygame.Rect]) -> None:
    """Covers and marks, in the areas that have just been drawn anew."""
    for area in areas:
        screen.set_clip(area)
        for name in marked(found):
            grade = source_of(name).grade
            if grade == MODERN and name in COVERED:
                box = kit.arrangement.boxes[name]
                if area.colliderect(pygame.Rect(box).inflate(24, 24)):
                    steel.plate(screen, box, kit.scale)
                    kit.engrave(screen, kit.words("modern"), box, TEXT, colour=THEME.engraved_soft)
            elif area.colliderect(pygame.Rect(chip(kit, name)).inflate(12, 12)):
                _draw_chip(screen, kit, chip(kit, name), kit.words(grade))
    screen.set_clip(None)


def room(kit: Kit, name: str, box: Box) -> Box:
    """What a part's mark leaves of a box in the header."""
    return Box(box.x, box.y, max(1, chip(kit, name).x - kit.px(8) - box.x), box.h) if kit.marks else box


def chip(kit: Kit, name: str) -> Box:
    """Where a part's mark goes."""
    text = kit.words(source_of(name).grade)
    face = "narrow" if name.startswith(("knob.", "hand.")) else "regular"
    wide = width_of(text, kit.lettering.px(SMALL), 0.0, face) + kit.px(10)
    return _chip_box(kit, name, wide)


def _chip_box(kit: Kit, name: str, wide: int) -> Box:
    """Beside a plate's title, over a key's second line, under a knob."""
    boxes = kit.arrangement.boxes
    box = boxes[{"plugboard.glow": "plugboard"}.get(name, name)]
    width, height = min(box.w, wide), kit.px(22)
    middle = box.centre[0] - width // 2
    if name == "plugboard.glow":
        return Box(middle, box.bottom - height - kit.px(68), width, height)
    if name == "easel.field":
        return Box(box.right - width - kit.px(12), box.bottom - height - kit.px(8), width, height)
    if name.startswith("response."):
        return Box(box.right - kit.px(70) - width, box.bottom - height, width, height)  # beside the needle's rest
    if name in HEADER:
        return Box(box.right - width - kit.px(8), box.bottom - height - kit.px(8), width, height)
    if name == "plugboard":
        return Box(middle, box.bottom - height - kit.px(40), width, height)
    if f"{name}.title" in boxes:
        title = boxes[f"{name}.title"]
        return Box(title.right - width, title.y + (title.h - height) // 2, width, height)
    if name in ("tray", "answer"):
        plate = boxes["desk" if name == "tray" else name]
        return Box(plate.right - width - kit.px(26), plate.y - kit.px(2), width, height)
    if name.startswith("knob."):
        return Box(middle, box.y + round(box.h * 0.625), width, height)
    if name == "hand.label":
        return Box(middle, boxes["hand.minus"].bottom - kit.px(10), width, height)
    return Box(middle, box.bottom - height - kit.px(6), width, height)


def _draw_chip(screen: pygame.Surface, kit: Kit, at: Box, text: str) -> None:
    """A small black label."""
    pygame.draw.rect(screen, THEME.bezel, at.inset(-kit.px(3), 0), border_radius=kit.px(4))
    kit.lettering.put(screen, text, at, SMALL, THEME.ivory, THEME.bezel)
