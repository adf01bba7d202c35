"""What all pages share: a plate over the panel with its own keys, closed by a key, Escape or a touch outside."""

from collections.abc import Hashable

import pygame

from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.lettering import FIRM, HEAVY
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, TITLE
from mark1.panel.views.base import Kit
from mark1.panel.widget import HOTKEYS, Widget


class Page:
    """A plate with keys. name is its entry in provenance."""

    name = "page"
    title = ""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.unit = 0  # the A-unit that loupe and plugboard look at
        self.box = self.place()
        self.keys: dict[str, Box] = {}
        self.lay()

    def place(self) -> Box:
        """Where the page lies; keys are in the lower half of the window."""
        page = self.kit.box("page")
        w, h = min(page.w - self.kit.px(40), self.kit.px(1240)), min(page.h - self.kit.px(40), self.kit.px(860))
        return Box((page.w - w) // 2, page.h - h - self.kit.px(20), w, h)

    def opened(self, desk: Desk) -> None:
        """The page was just opened."""

    def show_unit(self, unit: int) -> None:
        """The page is about this A-unit."""
        self.unit = unit

    def show_cell(self, cell: int | None) -> None:
        """The page is about this S-unit."""

    def lay(self) -> None:
        """Puts the keys in their places."""

    def widgets(self) -> list[Widget]:
        """What can be touched."""
        return [Widget(name, box, box.inset(-4), "key", HOTKEYS.get(name, "")) for name, box in self.keys.items()]

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """What the page's picture depends on."""
        return scene.attention.held, scene.attention.documented, scene.attention.muted

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """The word on a key and the line below it."""
        return name, ""

    def act(self, name: str, desk: Desk) -> str:
        """A key was pressed; the name of a page to go to, 'close', or nothing."""
        return "close" if name == "page.close" else ""

    def touch(self, x: float, y: float, desk: Desk) -> None:
        """A touch on the page beside its keys."""

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """The plate, the title, the content, the keys."""
        steel.plate(surface, self.box, self.kit.scale)
        px = self.kit.px
        head = Box(self.box.x + px(28), self.box.y + px(14), self.box.w - px(56), px(44))
        self.kit.engrave(surface, self.kit.words(self.title), head, TITLE + 8, align="left", weight=HEAVY)
        self.content(surface, scene, desk)
        for name, box in self.keys.items():
            self._key(surface, name, box, self.text(name, desk, scene), scene.attention.held == name)

    def content(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """What the page shows besides its keys."""

    def _key(self, surface: pygame.Surface, name: str, box: Box, text: tuple[str, str], held: bool) -> None:
        kit = self.kit
        dark = name == "page.close"
        ground, ink = ((36, 36, 34), THEME.ivory) if dark else (THEME.ivory, THEME.ink)
        steel.key(surface, box, kit.scale, ground, held)
        face = box.inset(kit.px(8), kit.px(5), kit.px(8), kit.px(9))
        if not text[1]:
            kit.lettering.put(surface, text[0], face, 27, ink, ground, weight=FIRM, lines=2)
            return
        top, low = face.rows((1.1, 1), 0)
        kit.lettering.put(surface, text[0], top, 27, ink, ground, weight=FIRM)
        kit.lettering.put(surface, text[1], low, TEXT, ink, ground)
