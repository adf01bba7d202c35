"""The keyboard: a key for every control, Tab and arrows for the rest, a pen on the easel moved by arrows."""

from typing import TYPE_CHECKING

import pygame

from mark1.panel.widget import HOTKEYS

if TYPE_CHECKING:
    from mark1.panel.panel import Panel

PEN_STEP = 0.05
AGAIN_S = 4.0  # within which a second Escape leaves
ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}


class Keyboard:
    """Keys into acts."""

    def __init__(self, panel: "Panel") -> None:
        self.panel = panel
        self.pen: tuple[float, float] = (0.5, 0.5)
        self.drawing = False
        self._escaped_s = -AGAIN_S
        self._by_key: dict[str, str] = {}
        for name, key in HOTKEYS.items():
            self._by_key.setdefault(key, name)

    def press(self, event: pygame.event.Event) -> None:
        """One key went down."""
        panel = self.panel
        if event.key == pygame.K_ESCAPE:
            self._escape()
        elif event.key == pygame.K_TAB:
            self._tab(-1 if event.mod & pygame.KMOD_SHIFT else 1)
        elif event.key in ARROWS:
            self._arrow(*ARROWS[event.key])
        elif event.key in (pygame.K_RETURN, pygame.K_SPACE, pygame.K_KP_ENTER):
            self._enter()
        elif event.key == pygame.K_F1:
            panel.open_page("help")
        elif not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META):
            self._letter(event)

    def _escape(self) -> None:
        panel = self.panel
        if panel.page is not None:
            panel.close_page()
        elif panel.look.focus:
            panel.look.focus = ""
        elif panel.clock() - self._escaped_s < AGAIN_S:
            panel.running = False
        else:
            self._escaped_s = panel.clock()
            panel.desk.message = panel.desk.words("Press ESC again to leave.")

    def _letter(self, event: pygame.event.Event) -> None:
        if event.key in range(pygame.K_1, pygame.K_7):
            knob = [name for name in HOTKEYS if name.startswith("knob.")][event.key - pygame.K_1]
            self.panel.desk.turn(knob[5:], -1 if event.mod & pygame.KMOD_SHIFT else 1)
            return
        name = self._by_key.get(getattr(event, "unicode", "").lower() or pygame.key.name(event.key))
        if name is not None and self.panel.covered(name):
            self.panel.tell_source(name)
        elif name is not None:
            if self.panel.page is not None:
                self.panel.close_page()
            self.panel.act(name)

    def _tab(self, way: int) -> None:
        names = [w.name for w in self.panel.active_widgets()]
        focus = self.panel.look.focus
        place = names.index(focus) + way if focus in names else (0 if way > 0 else -1)
        self.panel.look.focus = names[place % len(names)]
        if self.panel.look.documented and self.panel.page is None:
            self.panel.tell_source(self.panel.look.focus)

    def _arrow(self, dx: int, dy: int) -> None:
        panel, focus = self.panel, self.panel.look.focus
        if focus.startswith("knob."):
            panel.desk.turn(focus[5:], dx - dy)
        elif focus == "easel":
            self._move_pen(dx, dy)
        else:
            self._tab(1 if dx + dy > 0 else -1)

    def _move_pen(self, dx: int, dy: int) -> None:
        x, y = (min(max(v + PEN_STEP * d, 0.05), 0.95) for v, d in zip(self.pen, (dx, dy), strict=True))
        self.pen = (x, y)
        if self.drawing:
            self.panel.desk.easel.drag(x, y)

    def _enter(self) -> None:
        panel, focus = self.panel, self.panel.look.focus
        if focus == "easel":
            self.drawing = not self.drawing
            (panel.desk.easel.press(*self.pen) if self.drawing else panel.desk.easel.lift())
        elif focus and panel.page is not None:
            panel.page_act(focus)
        elif focus:
            panel.act(focus)
