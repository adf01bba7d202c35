"""Help: what to do in four lines, what the colours mean, one key for everything."""

import pygame

from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.lettering import FIRM
from mark1.panel.pages.base import Page
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, Colour

STEPS = (
    "1  Draw on the card, or take one from the tray.",
    "2  PRESENT: the machine looks and answers.",
    "3  Wrong? Choose in the tray what it should say, then TEACH.",
    "4  TRAIN ALL shows it the whole tray until every card is right.",
)
KEYS = (
    ("P  T  A", "present, teach, train all or stop"),
    ("C  B  W  U", "clear, break, rewire, undo"),
    ("1 to 6", "turn a knob; with Shift, back"),
    ("+  −", "reinforce by hand"),
    ("S  O  N  E", "save, open, new seed, export"),
    ("D  Q  G  L", "as documented, sound, wires, loupe"),
    ("Tab, arrows, Enter", "everything else"),
    ("F11  Esc", "full screen; close, leave"),
)


class HelpPage(Page):
    """One page of help."""

    name = "help"
    title = "HELP"

    def lay(self) -> None:
        """A key to close."""
        px = self.kit.px
        self.keys = {"page.close": Box(self.box.right - px(264), self.box.bottom - px(100), px(240), px(76))}

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """Close."""
        return self.kit.words("CLOSE"), ""

    def content(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Steps, colours, keys."""
        kit, px, words = self.kit, self.kit.px, self.kit.words
        inside = self.box.inset(px(30), px(70), px(30), px(24))
        steps = Box(inside.x, inside.y, inside.w, px(150))
        for row, text in zip(steps.rows((1,) * len(STEPS), 0), STEPS, strict=True):
            kit.engrave(surface, words(text), row, 26, align="left")
        low = Box(inside.x, steps.bottom + px(14), inside.w, inside.bottom - steps.bottom - px(110))
        left, right = low.columns((1.25, 1), px(24))
        for row, (keys, text) in zip(left.rows((1,) * len(KEYS), 0), KEYS, strict=True):
            kit.engrave(surface, words(keys), Box(row.x, row.y, px(210), row.h), TEXT, align="left", weight=FIRM)
            kit.engrave(
                surface, words(text), Box(row.x + px(215), row.y, row.w - px(215), row.h), TEXT, align="left", lines=2
            )
        colours = self._colours()
        for row, (colour, text) in zip(right.rows((1,) * len(colours), 0), colours, strict=True):
            chip = Box(row.x, row.y + row.h // 2 - px(13), px(44), px(26))
            pygame.draw.rect(surface, THEME.bezel, chip.inset(-2))
            pygame.draw.rect(surface, colour, chip)
            kit.engrave(surface, text, Box(row.x + px(60), row.y, row.w - px(60), row.h), TEXT, align="left", lines=2)
        foot = Box(inside.x, self.box.bottom - px(104), inside.w - px(260), px(84))
        note = words("Of the 1960 manual we have one figure and a few sentences: chosen means that we do not know.")
        kit.engrave(surface, note, foot, TEXT, align="left", lines=3)

    def _colours(self) -> list[tuple[Colour, str]]:
        words = self.kit.words
        return [
            (THEME.lamp, words("lit: a cell sees light, a unit fires, R says 1")),
            (THEME.motor, words("white arc: a motor runs")),
            (THEME.right, words("right")),
            (THEME.wrong, words("wrong")),
            (THEME.undecided, words("undecided")),
            (THEME.inhibitory, words("inhibitory wire (open ring)")),
            (THEME.record, words("learned so far, spoke for it")),
            (THEME.focus, words("where the keyboard is")),
        ]


PAGE = HelpPage
