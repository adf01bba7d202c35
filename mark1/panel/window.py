"""The window: pygame's display and the frame loop. With SDL_VIDEODRIVER=dummy it is a real window that nobody sees."""

import contextlib
import os
import tempfile
from collections.abc import Callable
from typing import Any

from mark1.core.errors import Mark1Error

FRAMES_S = 60


class DisplayError(Mark1Error):
    """There is no screen to draw on, or the wrong pygame."""


def load_pygame() -> Any:
    """pygame-ce, or a sentence about how to get it."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    if "WAYLAND_DISPLAY" not in os.environ:  # else SDL, looking for Wayland, complains on stderr that there is none
        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        import pygame
    except ImportError:
        raise DisplayError("pygame-ce is not installed; install it with: python -m pip install pygame-ce.") from None
    if not getattr(pygame, "IS_CE", False):
        raise DisplayError(
            "this is pygame, but the panel needs pygame-ce, and the two cannot live together: "
            "python -m pip uninstall pygame, then python -m pip install --force-reinstall pygame-ce."
        )
    return pygame


def open_window(size: tuple[int, int] | None, fullscreen: bool, display: int) -> Any:
    """A window of a size, or the whole screen; DisplayError if there is no screen."""
    pygame = load_pygame()
    try:
        pygame.display.init()
        pygame.font.init()
        sizes = pygame.display.get_desktop_sizes()
        display = min(max(display, 0), len(sizes) - 1)
        wanted = sizes[display] if fullscreen else size or fitting(sizes[display])
        flags = pygame.FULLSCREEN if fullscreen else pygame.RESIZABLE
        screen = pygame.display.set_mode(wanted, flags, display=display)
    except pygame.error as error:
        raise DisplayError(
            f"no window can be opened ({error}); use a desktop session, or mark1 demo, which needs no screen."
        ) from None
    if pygame.display.get_driver() == "offscreen":
        pygame.display.quit()
        raise DisplayError("there is no display; use a desktop session, or mark1 demo, which needs no screen.")
    pygame.display.set_caption("Mark I Perceptron")
    return screen


def fitting(desktop: tuple[int, int]) -> tuple[int, int]:
    """A window that leaves room for the desktop's own bars."""
    for w, h in ((1920, 1080), (1600, 900), (1280, 720)):
        if w <= desktop[0] * 0.96 and h <= desktop[1] * 0.92:
            return w, h
    return max(640, min(1280, desktop[0])), max(360, min(720, desktop[1]))


def run(panel: Any, screen: Any, frames: int = 0, wait: Callable[[int], object] | None = None) -> None:
    """The frame loop: events, a step of the machine, a picture; until the panel stops, or for so many frames."""
    import pygame

    pace = wait or pygame.time.Clock().tick
    done = 0
    while panel.running and (not frames or done < frames):
        for event in pygame.event.get():
            screen = _special(panel, screen, event)
            panel.handle(event)
        panel.step()
        changed = panel.draw(screen)
        if changed:
            pygame.display.update(changed)
        pace(FRAMES_S)
        done += 1


def _special(panel: Any, screen: Any, event: Any) -> Any:
    """Window events: another size, full screen."""
    import pygame

    if event.type == pygame.VIDEORESIZE:
        screen = pygame.display.get_surface()
        panel.resize(screen.get_size())
    elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
        with contextlib.suppress(pygame.error):
            pygame.display.toggle_fullscreen()
        screen = pygame.display.get_surface()
        panel.resize(screen.get_size())
    return screen
