"""Fingers, mouse and keyboard: one pointer, everything within reach of Tab."""

from typing import Any

import pygame

from mark1.panel.pointer import Pointer

SIZE = (1000, 500)
SIZE_NOW = (1280, 720)  # of the window that sit() opens


def finger(what: int, number: int, x: float = 0.5, y: float = 0.5) -> pygame.event.Event:
    return pygame.event.Event(what, finger_id=number, x=x, y=y, touch_id=1)


def test_the_first_finger_owns_the_stroke() -> None:
    pointer = Pointer()
    assert pointer.feed(finger(pygame.FINGERDOWN, 1), SIZE, 0) == ("press", 500, 250)
    assert pointer.feed(finger(pygame.FINGERDOWN, 2), SIZE, 0) is None
    assert pointer.feed(finger(pygame.FINGERMOTION, 2), SIZE, 0) is None
    assert pointer.feed(finger(pygame.FINGERUP, 2), SIZE, 0) is None
    assert pointer.feed(finger(pygame.FINGERUP, 1), SIZE, 0) == ("release", 500, 250)


def test_a_finger_whose_release_was_lost_gives_way_after_a_second() -> None:
    pointer = Pointer()
    pointer.feed(finger(pygame.FINGERDOWN, 1), SIZE, 0)
    pointer.feed(finger(pygame.FINGERMOTION, 1), SIZE, 3)
    assert pointer.feed(finger(pygame.FINGERDOWN, 2), SIZE, 3.9) is None
    assert pointer.feed(finger(pygame.FINGERDOWN, 3), SIZE, 4.1) == ("press", 500, 250)
    assert pointer.feed(finger(pygame.FINGERUP, 1), SIZE, 4.2) is None
    assert pointer.feed(finger(pygame.FINGERUP, 3), SIZE, 4.3) == ("release", 500, 250)


def test_a_window_that_loses_the_focus_forgets_its_fingers(sit: Any) -> None:
    person = sit()
    x, y = (at / side for at, side in zip(person.panel.stage.arrangement.boxes["break"].centre, SIZE_NOW, strict=True))
    person.panel.handle(finger(pygame.FINGERDOWN, 1, x, y))
    person.panel.handle(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    person.panel.handle(finger(pygame.FINGERDOWN, 2, x, y))
    person.panel.handle(finger(pygame.FINGERUP, 2, x, y))
    assert person.machine.state().pulled.sum() == 100


def test_the_mouse_that_sdl_makes_of_a_finger_is_ignored() -> None:
    pointer = Pointer()
    made = pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(3, 4), touch=True)
    own = pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(3, 4))
    assert pointer.feed(made, SIZE, 9) is None
    pointer.feed(finger(pygame.FINGERDOWN, 1), SIZE, 10)
    assert pointer.feed(own, SIZE, 10.4) is None
    assert pointer.feed(own, SIZE, 10.6) == ("press", 3, 4)


def test_a_key_acts_on_release_and_not_if_the_finger_slides_off(sit: Any) -> None:
    person = sit()
    x, y = person.panel.stage.arrangement.boxes["break"].centre
    person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
    assert not person.machine.state().pulled.any()
    person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(5, 5)))
    assert not person.machine.state().pulled.any()


def test_tab_reaches_every_widget_and_the_ring_is_seen(sit: Any) -> None:
    person = sit()
    seen, pictures = [], set()
    for _ in person.panel.widgets:
        person.key(pygame.K_TAB)
        seen.append(person.panel.look.focus)
        pictures.add(hash(person.pixels()))
    assert seen == [w.name for w in person.panel.widgets]
    assert len(pictures) == len(seen)


def test_a_card_is_drawn_with_the_keyboard_alone(sit: Any) -> None:
    person = sit()
    person.key(pygame.K_TAB)
    person.key(pygame.K_RETURN)
    for _ in range(6):
        person.key(pygame.K_RIGHT)
    person.key(pygame.K_RETURN)
    person.key(ord("p"), "p")
    person.look(15)
    assert person.machine.state().cells.sum() > 20


def test_escape_closes_a_page_before_it_leaves(sit: Any) -> None:
    person = sit()
    person.key(pygame.K_F1)
    person.key(pygame.K_ESCAPE)
    assert person.panel.page is None and person.panel.running
    person.key(pygame.K_ESCAPE)
    assert person.panel.running and person.desk.message == "Press ESC again to leave."
    person.look(5, rate=1)
    person.key(pygame.K_ESCAPE)
    assert person.panel.running  # that was too late to be meant
    person.key(pygame.K_ESCAPE)
    assert not person.panel.running


def test_the_windows_own_button_leaves_at_once(sit: Any) -> None:
    person = sit()
    person.panel.handle(pygame.event.Event(pygame.QUIT))
    assert not person.panel.running


def test_a_knob_can_be_dragged(sit: Any) -> None:
    person = sit()
    x, y = person.panel.stage.arrangement.boxes["knob.speed"].centre
    person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
    for i in range(1, 13):
        person.panel.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(x + 4 * i, y), rel=(4, 0), buttons=(1, 0, 0)))
    person.panel.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(x + 48, y)))
    assert person.desk.speed == 100


def test_the_window_can_be_resized_at_any_time(sit: Any) -> None:
    person = sit()
    for size in ((640, 480), (1080, 1920), (333, 250), (1920, 1080)):
        person.screen = pygame.display.set_mode(size)
        person.panel.resize(size)
        person.look(2)
        assert person.panel.size[0] >= 320


def test_a_picture_is_the_same_after_a_page_was_open(sit: Any) -> None:
    person = sit()
    person.look(5)
    before = person.pixels()
    for name in ("drawer", "help", "loupe", "plugpage", "files"):
        person.panel.open_page(name)
        person.look(2)
        assert person.pixels() != before
        person.panel.close_page()
        person.look(2)
        assert person.pixels() == before
