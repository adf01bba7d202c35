"""A panel on the dummy driver with an injected clock: a second passes when the test says so."""

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from collections.abc import Callable, Iterator
from typing import Any

import pygame
import pytest

from mark1 import HISTORIC, MachineConfig, Mark1
from mark1.pace import Pace
from mark1.panel.cards import letters
from mark1.panel.desk import Desk
from mark1.panel.filing import Services
from mark1.panel.panel import Panel
from mark1.panel.trainer import Judge
from mark1.panel.words import Words


class Person:
    """Somebody at the panel: touches, waits, looks."""

    def __init__(self, size: tuple[int, int], config: MachineConfig, cards: str, language: str, services: Services,
                 theory: Judge | None) -> None:  # fmt: skip
        self.now_s = 0.0
        self.screen = pygame.display.set_mode(size)
        self.machine = Mark1(config.with_(response__in_use=min(8, len(cards))), seed=1960)
        self.facts: list[Any] = []
        self.machine.observe(self.facts.append)
        tray = letters(cards, config.retina.rows, config.retina.columns)
        self.desk = Desk(self.machine, tray, Words(language), services, theory)
        self.desk.assign()
        pace = Pace(lambda: self.now_s)
        self.panel = Panel(self.desk, pace.advance, size, lambda: self.now_s)
        self.look()

    def look(self, frames: int = 1, rate: float = 30) -> None:
        """So many frames go by."""
        for _ in range(frames):
            self.now_s += 1 / rate
            self.panel.step()
            self.panel.draw(self.screen)

    def touch(self, name: str) -> None:
        """Presses and releases the middle of a widget."""
        widget = next(w for w in self.panel.active_widgets() if w.name == name)
        self.tap(*widget.box.centre)

    def tap(self, x: float, y: float) -> None:
        """Mouse down and up."""
        self.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
        self.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(x, y)))
        self.look()

    def stroke(self, *points: tuple[float, float]) -> None:
        """Draws on the easel's card; places are 0 to 1."""
        card = self.panel.stage.easel.card
        at = [(card.x + x * card.w, card.y + y * card.h) for x, y in points]
        self.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=at[0]))
        for place in at[1:]:
            self.panel.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=place, rel=(1, 1), buttons=(1, 0, 0)))
        self.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=at[-1]))
        self.look()

    def key(self, key: int, text: str = "", mod: int = 0) -> None:
        """Presses a key."""
        self.panel.handle(pygame.event.Event(pygame.KEYDOWN, key=key, unicode=text, mod=mod))
        self.look()

    def draw_e(self) -> None:
        """An E in three strokes."""
        self.stroke((0.72, 0.15), (0.28, 0.15), (0.28, 0.85), (0.72, 0.85))
        self.stroke((0.28, 0.5), (0.62, 0.5))

    def learn(self) -> None:
        """Trains the tray at full speed and comes back to 1960 time."""
        self.desk.speed = 0
        self.touch("train")
        for _ in range(200):
            self.look()
            if not self.machine.state().training.running:
                break
        self.desk.speed = 1

    def pixels(self) -> bytes:
        """The picture."""
        return pygame.image.tobytes(self.screen, "RGB")


@pytest.fixture(autouse=True)
def screen() -> Iterator[None]:
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.event.clear()


@pytest.fixture
def sit() -> Callable[..., Person]:
    """Makes a person at a new panel."""

    def make(
        size: tuple[int, int] = (1280, 720),
        config: MachineConfig = HISTORIC,
        cards: str = "ABCDEFGH",
        language: str = "en",
        services: Services | None = None,
        theory: Judge | None = None,
    ) -> Person:
        return Person(size, config, cards, language, services or Services(), theory)

    return make
