"""One pointer layer: mouse and fingers become press, move, release. The first finger owns a stroke.

A finger's release can get lost (a window that opens over ours, a touch screen that is unplugged): after a second
without a word from the owner the next finger takes over, and a window that loses the focus forgets all fingers.

SDL sends a synthetic mouse event for each finger; those are ignored, and so is the mouse for half a second after any
finger, because some drivers send their own.
"""

from typing import NamedTuple

import pygame

AFTER_FINGER_S = 0.5
SILENT_S = 1.0  # chosen: a finger that rests longer loses its stroke to the next one


class Touch(NamedTuple):
    """What the pointer did: 'press', 'move' or 'release', at a place in pixels."""

    what: str
    x: float
    y: float


class Pointer:
    """Turns pygame events into touches."""

    def __init__(self) -> None:
        self._finger: int | None = None
        self._last_finger_s = -10.0
        self._heard_s = -10.0  # when the owner of the stroke last moved
        self._down = False

    def forget(self) -> None:
        """Nothing is down any more."""
        self._finger, self._down = None, False

    def feed(self, event: pygame.event.Event, size: tuple[int, int], now_s: float) -> Touch | None:
        """The touch that an event means, or None."""
        if event.type in (pygame.FINGERDOWN, pygame.FINGERMOTION, pygame.FINGERUP):
            self._last_finger_s = now_s
            return self._of_finger(event, size, now_s)
        if getattr(event, "touch", False) or now_s - self._last_finger_s < AFTER_FINGER_S:
            return None
        return self._of_mouse(event)

    def _of_finger(self, event: pygame.event.Event, size: tuple[int, int], now_s: float) -> Touch | None:
        x, y = event.x * size[0], event.y * size[1]
        if event.type == pygame.FINGERDOWN:
            if self._finger not in (None, event.finger_id) and now_s - self._heard_s < SILENT_S:
                return None
            self._finger, self._heard_s = event.finger_id, now_s
            return Touch("press", x, y)
        if event.finger_id != self._finger:
            return None
        self._heard_s = now_s
        if event.type == pygame.FINGERUP:
            self._finger = None
            return Touch("release", x, y)
        return Touch("move", x, y)

    def _of_mouse(self, event: pygame.event.Event) -> Touch | None:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._down = True
            return Touch("press", *event.pos)
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self._down:
            self._down = False
            return Touch("release", *event.pos)
        if event.type == pygame.MOUSEMOTION and self._down:
            return Touch("move", *event.pos)
        return None
