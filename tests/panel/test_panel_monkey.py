"""A monkey at the panel: random events raise nothing and leak nothing."""

import gc
import random
import tracemalloc
from typing import Any

import pygame
import pytest

KEYS = [pygame.K_TAB, pygame.K_RETURN, pygame.K_SPACE, pygame.K_F1]
KEYS += [pygame.K_LEFT, pygame.K_RIGHT, pygame.K_UP, pygame.K_DOWN]
LETTERS = "patcbwum123456+-lgsonezrdqhi[]"


def monkey_event(rng: random.Random, size: tuple[int, int]) -> pygame.event.Event:
    """Any event that a person, a cat or a broken touch screen may cause."""
    x, y = rng.randrange(-20, size[0] + 20), rng.randrange(-20, size[1] + 20)
    kind = rng.random()
    if kind < 0.3:
        return pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=rng.choice((1, 1, 1, 2, 3)), pos=(x, y))
    if kind < 0.6:
        return pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(x, y))
    if kind < 0.75:
        return pygame.event.Event(pygame.MOUSEMOTION, pos=(x, y), rel=(1, 1), buttons=(1, 0, 0))
    if kind < 0.85:
        what = rng.choice((pygame.FINGERDOWN, pygame.FINGERMOTION, pygame.FINGERUP))
        return pygame.event.Event(what, x=rng.random(), y=rng.random(), finger_id=rng.randrange(3), touch_id=1)
    if kind < 0.93:
        letter = rng.choice(LETTERS)
        return pygame.event.Event(
            pygame.KEYDOWN, key=ord(letter), unicode=letter, mod=rng.choice((0, pygame.KMOD_SHIFT))
        )
    return pygame.event.Event(pygame.KEYDOWN, key=rng.choice(KEYS), unicode="", mod=0)


def let_loose(person: Any, events: int, seed: int) -> None:
    rng = random.Random(seed)
    size = person.panel.size
    for i in range(events):
        person.panel.handle(monkey_event(rng, size))
        if i % 12 == 0:
            person.look(rate=rng.choice((5, 30, 60)))


def test_two_thousand_events_raise_nothing(sit: Any) -> None:
    person = sit((1280, 720))
    let_loose(person, 2_000, seed=1)
    assert person.panel.running


@pytest.mark.slow
def test_a_hundred_thousand_events_raise_nothing_and_leak_nothing(sit: Any) -> None:
    person = sit((1280, 720))
    let_loose(person, 20_000, seed=2)  # caches are full afterwards
    person.facts.clear()
    gc.collect()
    tracemalloc.start()
    let_loose(person, 20_000, seed=3)
    person.facts.clear()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    let_loose(person, 60_000, seed=4)
    person.facts.clear()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 4_000_000, f"{grown:,} bytes more after 60,000 events"
