"""What lies over the picture: the ring of the keyboard's focus, and in 'as documented' the mark of every part.

In 'as documented' a part without a graded source is covered by a blank plate that says modern; every other part shows
its grade. The marks differ by word, not by colour.
"""

import pygame

from mark1.panel import steel
from mark1.panel.layout import PLATES, Box
from mark1.panel.lettering import width_of
from mark1.panel.provenance import MODERN, source_of
from mark1.panel.theme import TEXT, THEME
from mark1.panel.views.base import Kit
from mark1.panel.widget import Widget

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
    rows = [w.name for w in found if w.kind != "card" and not w.name.startswith(("response.", "tray.", "hand."))]
    return [*dict.fromkeys([*(p for p in PLATES if p != "desk"), *rows, "tray", "hand.label", "annunciator"])]


def draw(screen: pygame.Surface, kit: Kit, found: list[Widget]) -> None:
    """Covers and marks."""
    for name in marked(found):
        box = kit.arrangement.boxes[name]
        grade = source_of(name).grade
        if grade == MODERN and name in COVERED:
            steel.plate(screen, box, kit.scale)
            kit.engrave(screen, kit.words("modern"), box, TEXT, colour=THEME.engraved_soft)
        else:
            _chip(screen, kit, _chip_box(kit, name, box, kit.words(grade)), kit.words(grade))


def _chip_box(kit: Kit, name: str, box: Box, text: str) -> Box:
    """Where a part's mark goes: beside a plate's title, over a key's second line, under a knob."""
    face = "narrow" if name.startswith(("knob.", "hand.")) else "regular"
    width = min(box.w, width_of(text, kit.lettering.px(SMALL), 0.0, face) + kit.px(10))
    height = kit.px(22)
    middle = box.centre[0] - width // 2
    if name == "plugboard":
        return Box(middle, box.bottom - height - kit.px(40), width, height)
    if f"{name}.title" in kit.arrangement.boxes:
        title = kit.arrangement.boxes[f"{name}.title"]
        return Box(title.right - width, title.y + (title.h - height) // 2, width, height)
    if name in ("tray", "answer"):
        plate = kit.arrangement.boxes["desk" if name == "tray" else name]
        return Box(plate.right - width - kit.px(26), plate.y - kit.px(2), width, height)
    if name.startswith("knob."):
        return Box(middle, box.y + round(box.h * 0.625), width, height)
    if name == "hand.label":
        return Box(middle, kit.arrangement.boxes["hand.minus"].bottom - kit.px(10), width, height)
    if name in ("status", "annunciator"):
        return Box(box.right - width - kit.px(8), box.bottom - height - kit.px(8), width, height)
    return Box(middle, box.bottom - height - kit.px(6), width, height)


def _chip(screen: pygame.Surface, kit: Kit, at: Box, text: str) -> None:
    """A small black label."""
    pygame.draw.rect(screen, THEME.bezel, at.inset(-kit.px(3), 0), border_radius=kit.px(4))
    kit.lettering.put(screen, text, at, SMALL, THEME.ivory, THEME.bezel)
