"""What all views share: a kit of layout, lettering and words; a still part; a part drawn again on change."""

from collections.abc import Hashable

import pygame

from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.layout import Arrangement, Box
from mark1.panel.lettering import HEAVY, LIGHT, Lettering, width_of
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, TITLE, Colour
from mark1.panel.words import Words

TITLE_SHARE = 0.64  # of a title line, at most


class Kit:
    """Layout, lettering and words of one window size and language."""

    def __init__(self, arrangement: Arrangement, words: Words) -> None:
        self.arrangement, self.words = arrangement, words
        self.scale = arrangement.scale
        self.lettering = Lettering(arrangement.scale)
        self.marks = False  # "as documented": marks stand where small print stood

    def box(self, name: str) -> Box:
        """A box of the layout."""
        return self.arrangement.boxes[name]

    def px(self, units: float) -> int:
        """Units of a 1080-line screen in pixels."""
        return self.arrangement.px(units)

    def title(self, surface: pygame.Surface, name: str, title: str, share: float = TITLE_SHARE) -> None:
        """An enamelled plate with its engraved title."""
        steel.plate(surface, self.box(name), self.scale)
        box = self.box(f"{name}.title")
        room = Box(box.x, box.y, round(box.w * share), box.h)
        self.engrave(surface, title, room, TITLE, align="left", weight=HEAVY)
        rows, size, face = self.lettering.fit(title, room, TITLE, HEAVY, 1)
        used = width_of(rows[0], size, HEAVY, face) + self.px(14)
        self.arrangement.boxes[f"{name}.note"] = Box(box.x + used, box.y, max(1, box.w - used), box.h)

    def note(self, surface: pygame.Surface, name: str, text: str) -> None:
        """The small print at the right of a title, in what room the title leaves; marks take its place."""
        if self.marks:
            return
        self.engrave(surface, text, self.box(f"{name}.note"), TEXT, align="right", colour=THEME.engraved_soft)

    def engrave(
        self,
        surface: pygame.Surface,
        text: str,
        box: Box,
        units: float = TEXT,
        *,
        colour: Colour = THEME.engraved,
        align: str = "centre",
        weight: float = LIGHT,
        lines: int = 1,
    ) -> None:
        """Dark lettering cut into enamel, with the light edge that a cut has."""
        self.lettering.put(
            surface,
            text,
            box,
            units,
            colour,
            THEME.enamel,
            align=align,
            weight=weight,
            lines=lines,
            relief=THEME.enamel_light,
        )


class View:
    """One part of the panel. name is its box and its entry in provenance."""

    name = ""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.box = kit.box(self.name)

    def still(self, surface: pygame.Surface) -> None:
        """What never moves."""

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """What the moving part depends on: drawn again only when this changes."""
        return None

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """The moving part; the still part has just been restored below it."""
