"""The panel: takes events, lets pace advance the machine, draws state(). The only loop is run() in window.py.

Keys act on release, while the pointer is still on them. A page lies over the panel; below it the machine goes on.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pygame

from mark1.panel import marks, steel
from mark1.panel.desk import Desk
from mark1.panel.keyboard import Keyboard
from mark1.panel.pointer import Pointer, Touch
from mark1.panel.scene import Scene
from mark1.panel.sound import Silence, Voice
from mark1.panel.stage import Stage
from mark1.panel.widget import Widget, under, widgets
from mark1.panel.words import LONG, Words, languages

if TYPE_CHECKING:
    from mark1.panel.pages.base import Page

PAGES = ("drawer", "files", "help", "loupe", "plugpage", "rigpage")  # modules of pages/, loaded when first opened
STEP_PX = 26  # of a drag, for one position of a knob, in units of a 1080-line screen
LONGEST_S = 0.25


class Panel:
    """One machine on one screen."""

    def __init__(
        self,
        desk: Desk,
        advance: Callable[[Any, int], None],
        size: tuple[int, int],
        clock: Callable[[], float],
        voice: Voice | None = None,
    ) -> None:
        self.desk, self.advance, self.clock = desk, advance, clock
        self.voice: Voice = voice or Silence()
        self.scene = Scene(desk.state())
        self.look = self.scene.attention
        self.pointer, self.keyboard = Pointer(), Keyboard(self)
        self.running = True
        self.page: Page | None = None
        self._last_s: float | None = None
        self._knob: tuple[str, float, bool] | None = None
        self._page_key: object = None
        self._overlay: object = None
        self._unit = 0  # the A-unit that a page looked at last
        self.resize(size)

    # -- size --------------------------------------------------------------------------------------------------

    def resize(self, size: tuple[int, int]) -> None:
        """Another window size or language: everything is laid out anew."""
        size = max(320, size[0]), max(240, size[1])
        self.stage = Stage(size, self.desk, self.look.documented)
        self.widgets = widgets(self.stage.arrangement, len(self.desk.cards.cards))
        self._shape = self._shape_now()
        self._all = True
        if self.page is not None:
            self.open_page(self.page.name)

    def _shape_now(self) -> tuple[Any, ...]:
        """What the stage was built for: a restored machine may be of another kind."""
        state = self.scene.state
        return len(state.active), state.values.shape, state.config.retina.rows, state.config.retina.columns

    @property
    def size(self) -> tuple[int, int]:
        """Of the canvas."""
        return self.stage.arrangement.size

    def speak(self, language: str) -> None:
        """Another language, in place."""
        self.desk.speak(Words(language))
        self.resize(self.size)

    # -- events ------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> None:
        """One pygame event."""
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            self.keyboard.press(event)
        elif event.type == pygame.DROPFILE:
            self.desk.dropped(event.file)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.pointer.forget()
            self._let_go()
        else:
            touch = self.pointer.feed(event, self.size, self.clock())
            if touch is not None:
                self._touch(touch)

    def active_widgets(self) -> list[Widget]:
        """What can be touched now: the page's keys, or the panel's that are not covered."""
        if self.page is not None:
            return self.page.widgets()
        return [w for w in self.widgets if not self.covered(w.name)]

    def covered(self, name: str) -> bool:
        """Whether a blank plate lies over a part."""
        return self.look.documented and name in marks.COVERED

    def tell_source(self, name: str) -> None:
        """As documented: what the grade of a part rests on."""
        if name:
            self.desk.message = marks.source_text(self.desk.words, name)

    def _touch(self, touch: Touch) -> None:
        self.look.focus = ""
        {"press": self._press, "move": self._move, "release": self._release}[touch.what](touch.x, touch.y)

    def _press(self, x: float, y: float) -> None:
        self._let_go()  # of a finger whose release was lost
        found = under(self.active_widgets(), x, y)
        self.look.held = found.name if found else ""
        if self.look.documented and self.page is None:
            self.tell_source(marks.part_at(self.stage.kit, self.widgets, x, y))
        if found is None or self.page is not None:
            return
        if found.name == "easel" and self.stage.easel.card.holds(x, y):
            self.desk.easel.press(*self.stage.easel.place(x, y))
        elif found.kind == "knob":
            self._knob = (found.name, x - y, False)

    def _move(self, x: float, y: float) -> None:
        if self.look.held == "easel":
            self.desk.easel.drag(*self.stage.easel.place(x, y))
        elif self._knob is not None:
            name, start, turned = self._knob
            steps = int((x - y - start) / (STEP_PX * self.stage.kit.scale))
            if steps:
                place, count = self.desk.knob(name[5:])
                self.desk.set_knob(name[5:], min(max(place + steps, 0), count - 1))
                self._knob = (name, x - y, True)

    def _release(self, x: float, y: float) -> None:
        held, knob = self.look.held, self._knob
        self._let_go()
        if self.page is not None:
            self._release_on_page(held, x, y)
            return
        found = under(self.active_widgets(), x, y)
        if found is None or found.name != held or (knob is not None and knob[2]):
            return
        self.act(found.name, x, y)

    def _release_on_page(self, held: str, x: float, y: float) -> None:
        assert self.page is not None
        found = under(self.page.widgets(), x, y)
        if found is not None and found.name == held:
            self._page_act(found.name)
        elif found is None and not held:
            if self.page.box.holds(x, y):
                self.page.touch(x, y, self.desk)
            else:
                self.close_page()

    def _let_go(self) -> None:
        self.desk.easel.lift()
        self.look.held, self._knob = "", None

    # -- acting ------------------------------------------------------------------------------------------------

    def act(self, name: str, x: float = -1, y: float = -1) -> None:
        """A widget was touched, or its key pressed."""
        desk, family, _, rest = self.desk, *name.partition(".")
        plain = {"present": desk.present, "teach": desk.teach, "train": desk.train, "clear": desk.clear,
                 "break": desk.break_units, "rewire": desk.rewire, "undo": desk.undo}  # fmt: skip
        if name in plain:
            plain[name]()
        elif family == "knob":
            box = self.stage.arrangement.boxes[name]
            desk.turn(rest, -1 if 0 <= x < box.centre[0] else 1)
        elif family == "hand":
            desk.reinforce(1 if rest == "plus" else -1)
        elif family in ("card", "tray"):
            self._act_tray(name)
        elif name == "responses":
            self._choose_response(self.stage.responses.row_at(x, y))
        elif family in ("drawer", "rigpage"):
            if self.page is None:
                self.open_page(family)
            self._page_act(name)
        elif name in ("more", "rack", "retina", "plugboard"):
            self._open_at(name, x, y)

    def _act_tray(self, name: str) -> None:
        slots = [w for w in self.widgets if w.kind == "card"]
        cards = self.desk.cards.cards
        pages = -(-len(cards) // len(slots))
        if name in ("tray.back", "tray.on"):
            self.look.tray_page = (self.look.tray_page + (1 if name == "tray.on" else -1)) % pages
            return
        number = self.look.tray_page * len(slots) + int(name.split(".")[1])
        if number < len(cards):
            self.desk.take_card(cards[number])

    def _choose_response(self, response: int | None) -> None:
        """Chart, why and hand look at another R-unit: this one, or the next."""
        state = self.scene.state
        response = (self.desk.response + 1) % len(state.sums) if response is None else response
        if response < len(state.sums):
            self.desk.response = response
            self.desk.bank = response if state.values.shape[0] > 1 else 0
            self.desk.look_again()

    def _open_at(self, name: str, x: float, y: float) -> None:
        if name == "rack" and (bank := self.stage.rack.bank_at(x, y)) is not None:
            self._choose_response(bank)
            return
        page = {"more": "drawer", "rack": "loupe", "retina": "plugpage", "plugboard": "plugpage"}[name]
        opened = self.open_page(page)
        if name == "rack":
            opened.show_unit(self.stage.rack.unit_at(x, y) or 0)
        elif name == "retina":
            opened.show_cell(self.stage.retina.cell_at(x, y))

    # -- pages -------------------------------------------------------------------------------------------------

    def open_page(self, name: str) -> "Page":
        """Lays a page over the panel."""
        if self.page is not None:
            self._unit = self.page.unit
            if self.page.name != name:
                self.page.closed(self.desk)
        self.page = import_module(f"mark1.panel.pages.{name}").PAGE(self.stage.kit)
        self.page.unit = self._unit
        self.page.opened(self.desk)
        self.stage.refresh()  # another page may have lain here
        self._let_go()
        self.look.focus = ""
        self._all = True
        return self.page

    def close_page(self) -> None:
        """Back to the panel."""
        if self.page is not None:
            self._unit = self.page.unit
            self.page.closed(self.desk)
        self.page, self._all = None, True
        self._let_go()
        self.look.focus = ""
        self.stage.refresh()

    def _page_act(self, name: str) -> None:
        assert self.page is not None
        doing = self.page.act(name, self.desk)
        if doing == "close":
            self.close_page()
        elif doing in PAGES:
            self.open_page(doing)
        elif doing == "drawer.documented":
            self.show_marks(not self.look.documented)
            self.close_page()
        elif doing == "drawer.sound":
            self.look.muted = not self.look.muted
        elif doing == "drawer.language":
            every = [name for name in languages() if name != LONG]
            self.speak(
                every[(every.index(self.desk.words.language) + 1) % len(every)]
                if self.desk.words.language in every
                else "en"
            )
        elif doing == "drawer.export":
            self.close_page()
            self.stage.draw(self.scene, self.desk)
            chart = self.stage.canvas.subsurface(self.stage.arrangement.boxes["chart"])
            self.desk.export(self.stage.canvas.copy(), chart.copy())

    def page_act(self, name: str) -> None:
        """A page's key, by keyboard."""
        self._page_act(name)

    def show_marks(self, shown: bool) -> None:
        """As documented: every part shows its grade."""
        self.look.documented = self.stage.kit.marks = shown
        self._all = True
        self.resize(self.size)

    # -- frames ------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Lets the machine run, then looks at it."""
        now = self.clock()
        seconds = 0.0 if self._last_s is None else min(max(0.0, now - self._last_s), LONGEST_S)
        self._last_s = now
        self.advance(self.desk.machine, self.desk.speed)
        self.desk.attend_rig(now)
        state = self.desk.state()
        self.desk.watch(state)
        if self.page is not None:
            self.page.step(self.desk)
        self.scene.update(state, seconds, self.desk.stale)
        if self._shape_now() != self._shape:
            self.resize(self.size)
        self.voice.follow(state, self.desk.take_clicks(), self.look.muted)

    def draw(self, screen: pygame.Surface) -> list[pygame.Rect]:
        """Draws what changed onto the screen; the places where."""
        changed = self.stage.draw(self.scene, self.desk)
        if self.page is not None:
            changed += self._draw_page(changed)
        overlay = (self.look.focus, self.look.documented, self.page is None)
        if self._all or overlay != self._overlay:
            changed = [screen.get_rect()]
        for rect in changed:
            screen.blit(self.stage.canvas, rect, rect)
        self._overlay, self._all = overlay, False
        if self.page is None and self.look.documented:
            marks.draw(screen, self.stage.kit, self.widgets, changed)
        if self.look.focus:
            marks.ring(screen, self.stage.kit, self.active_widgets(), self.look.focus)
        return changed

    def _draw_page(self, below: list[pygame.Rect]) -> list[pygame.Rect]:
        assert self.page is not None
        key = (self.page.name, self.page.key(self.scene, self.desk))
        if not (below or self._all or key != self._page_key):
            return []
        self._page_key = key
        canvas = self.stage.canvas
        if not self._all:  # the plate's shadow lies on what was drawn anew below, and nowhere twice
            for rect in below:
                canvas.set_clip(rect)
                steel.plate(canvas, self.page.box, self.stage.kit.scale)
            canvas.set_clip(self.page.box.inset(self.stage.kit.px(8)))  # within its rounded corners
        self.page.draw(canvas, self.scene, self.desk)
        canvas.set_clip(None)
        return [pygame.Rect(self.page.box).inflate(24, 24)]
