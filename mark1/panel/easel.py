"""The card on the easel: what the visitor draws, or a printed card from the tray.

The first finger owns a stroke; a brush is three cells wide (chosen: thinner strokes are hardly ever read right).
"""

import numpy as np

from mark1.panel.camera import Grey
from mark1.panel.cards import SIDE, Card

BRUSH = 3 / 20 / 2  # radius as a share of the card's side


class Easel:
    """A square card, 0 black to 1 chalk."""

    def __init__(self) -> None:
        self.picture: Grey = np.zeros((SIDE, SIDE), np.float32)
        self.card: Card | None = None
        self.drawn = False
        self.version = 0  # goes up with every change
        self._last: tuple[float, float] | None = None

    @property
    def blank(self) -> bool:
        """Whether there is nothing on the card."""
        return self.card is None and not self.drawn

    def clear(self) -> None:
        """A new, black card."""
        self.picture = np.zeros((SIDE, SIDE), np.float32)
        self.card, self.drawn, self._last = None, False, None
        self.version += 1

    def take(self, card: Card) -> None:
        """Puts a printed card on the easel."""
        self.picture = card.picture
        self.card, self.drawn, self._last = card, False, None
        self.version += 1

    def press(self, x: float, y: float) -> None:
        """Begins a stroke at a place on the card, 0 to 1 each way; a printed card is replaced by a black one."""
        if self.card is not None:
            self.clear()
        self._last = (x, y)
        self.drag(x, y)

    def drag(self, x: float, y: float) -> None:
        """Draws on to a place."""
        if self._last is None:
            return
        (x0, y0), (x1, y1) = self._last, (x, y)
        self._last = (x, y)
        ys, xs = (np.ogrid[:SIDE, :SIDE][i] + 0.5 for i in (0, 1))
        dx, dy = (x1 - x0) * SIDE, (y1 - y0) * SIDE
        along = ((xs - x0 * SIDE) * dx + (ys - y0 * SIDE) * dy) / max(dx * dx + dy * dy, 1e-9)
        along = np.clip(along, 0, 1)
        distance = np.hypot(xs - x0 * SIDE - along * dx, ys - y0 * SIDE - along * dy)
        ink = np.clip(BRUSH * SIDE - distance + 0.5, 0, 1).astype(np.float32)
        self.picture = np.maximum(self.picture, ink)
        self.drawn = True
        self.version += 1

    def lift(self) -> None:
        """Ends a stroke."""
        self._last = None
