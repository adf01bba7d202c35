"""The rig page: a person commissions a physical rig, channel by channel, while the machine goes on.

Jog a channel, turn it round, trim its ends or let it find its stops, say which A-unit it shows, or turn the knob that
you mean. Measured against wanted, live; one large key stops every motor. Leaving the page lets every channel go.
"""

from collections.abc import Callable, Hashable

import pygame

from mark1.core.errors import Mark1Error
from mark1.panel import rigdials
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.pages.base import Page
from mark1.panel.rig import FULL_V, Outcome, RigWatch
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, Colour
from mark1.panel.views.base import Kit

NAMES = ("back", "minus", "plus", "on", "follow", "low", "middle", "high", "less", "more",
         "reverse", "find", "which", "swap", "show", "stop", "resume", "keep")  # fmt: skip
ENDS = ("low", "middle", "high")
JOG_V = 1.1
SHOWN = 16  # channels at once
Text = tuple[str, str]


class RigPage(Page):
    """Sixteen channels, one of them in hand."""

    name = "rigpage"
    title = "RIG"

    def __init__(self, kit: Kit) -> None:
        self.channel = 0  # counted over all boards
        self.end = 1  # low, middle or high: what TRIM moves
        self.asking = ""  # "which" or "swap", while a knob is to be turned
        self.found: list[Outcome | None] = []
        super().__init__(kit)

    def lay(self) -> None:
        """Dials at the left, the channel in hand at the right, four rows of keys."""
        px = self.kit.px
        inside = self.box.inset(px(26), px(66), px(26), px(22))
        keys_h = px(4 * 76 + 3 * 10)
        top = Box(inside.x, inside.y, inside.w, inside.h - keys_h - px(14))
        keys = Box(inside.x, inside.bottom - keys_h, inside.w, keys_h)
        foot = px(32)
        self.bank = Box(top.x, top.y, top.h - foot, top.h - foot)
        self.legend = Box(top.x, self.bank.bottom, self.bank.w, foot)
        self.side = Box(self.bank.right + px(24), top.y, top.right - self.bank.right - px(24), top.h)
        cells = [cell for row in keys.rows((1,) * 4, px(10)) for cell in row.columns((1,) * 5, px(10))]
        stop = Box(cells[15].x, cells[15].y, cells[16].right - cells[15].x, cells[15].h)
        cells[15:17] = [stop]
        self.keys = dict(zip([*(f"rigpage.{name}" for name in NAMES), "page.close"], cells, strict=True))

    def opened(self, desk: Desk) -> None:
        """Without a rig there is only one key."""
        if desk.rig is None:
            self.keys = {"page.close": self.keys["page.close"]}
        else:
            self.found = [board.found for board in desk.rig.boards]

    def closed(self, desk: Desk) -> None:
        """Nothing stays in a person's hand."""
        if desk.rig is not None:
            desk.rig.rig.let_go()
            desk.rig.rig.listen(False)

    # -- where we are ------------------------------------------------------------------------------------------

    def place_of(self, rig: RigWatch) -> tuple[int, int] | None:
        """Board and channel on it; None while no board is there."""
        total = sum(len(board.states) for board in rig.boards)
        if not total:
            return None
        self.channel %= total
        rest = self.channel
        for number, board in enumerate(rig.boards):
            if rest < len(board.states):
                return number, rest
            rest -= len(board.states)
        return None

    def _choose(self, rig: RigWatch, place: tuple[int, int]) -> None:
        self.channel = sum(len(board.states) for board in rig.boards[: place[0]]) + place[1]

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Everything about the sixteen, and the link."""
        rig = desk.rig
        if rig is None:
            return super().key(scene, desk)
        live = tuple(
            (b.name, b.trouble, b.note, b.proved, b.stopped, b.wanted_v.round(2).tobytes(),
             b.measured_v.round(2).tobytes(), b.states.tobytes(), b.held, b.finding, b.link, len(b.sources))
            for b in rig.boards
        )  # fmt: skip
        place = self.place_of(rig)
        curve = rig.rig.curve(*place) if place else None
        return super().key(scene, desk), self.channel, self.end, self.asking, self.unit, curve, live

    # -- keys --------------------------------------------------------------------------------------------------

    def text(self, name: str, desk: Desk, scene: Scene) -> Text:
        """What each key says."""
        words = self.kit.words
        place = self.place_of(desk.rig) if desk.rig is not None else None
        if name == "page.close" or desk.rig is None or place is None:
            return (words("CLOSE"), "") if name == "page.close" else (self._plain(name), "")
        ends, _ = desk.rig.rig.curve(*place)
        end = self._end_name(self.end)
        asked = words("turn the knob now")
        lines = {
            "minus": words("by {v:.1f} V", v=JOG_V), "plus": words("by {v:.1f} V", v=JOG_V),
            "follow": words("follow the machine"),
            "low": str(ends[0]), "middle": str(ends[1]), "high": str(ends[2]), "less": end, "more": end,
            "reverse": words("is on") if ends[0] > ends[2] else words("is off"),
            "find": words("searching ..") if desk.rig.boards[place[0]].finding is not None else words("to both ends"),
            "which": asked if self.asking == "which" else words("turn the knob"),
            "swap": asked if self.asking == "swap" else words("with the knob turned"),
            "show": words("touched last"), "stop": words("all motors off"), "resume": words("lift the stop"),
            "keep": words("curves and map"),
        }  # fmt: skip
        return self._plain(name), lines.get(name.split(".")[1], "")

    def _plain(self, name: str) -> str:
        words = self.kit.words
        return {
            "back": "<", "on": ">", "minus": words("JOG −"), "plus": words("JOG +"), "follow": words("LET GO"),
            "low": words("LOW"), "middle": words("MIDDLE"), "high": words("HIGH"),
            "less": words("TRIM −"), "more": words("TRIM +"),
            "reverse": words("REVERSE"), "find": words("FIND STOPS"), "which": words("WHICH?"), "swap": words("SWAP"),
            "show": words("SHOW A{n}", n=self.unit + 1), "stop": words("STOP"), "resume": words("RESUME"),
            "keep": words("KEEP"),
        }[name.split(".")[1]]  # fmt: skip

    def _end_name(self, end: int) -> str:
        words = self.kit.words
        return (words("low end"), words("middle"), words("high end"))[end]

    def shade(self, name: str) -> tuple[Colour, Colour]:
        """STOP is red; what is chosen or waits for a knob is dark."""
        if name == "rigpage.stop":
            return THEME.stop, THEME.chalk
        if name in (f"rigpage.{ENDS[self.end]}", f"rigpage.{self.asking}"):
            return (36, 36, 34), THEME.ivory
        return super().shade(name)

    # -- acting ------------------------------------------------------------------------------------------------

    def act(self, name: str, desk: Desk) -> str:
        """One key; every refusal is a sentence in the header."""
        rig, what = desk.rig, name.partition(".")[2]
        if name == "page.close" or rig is None:
            return "close" if name == "page.close" else ""
        if what in ("stop", "resume"):
            self._stop_or_resume(what, rig, desk)
            return ""
        place = self.place_of(rig)
        if place is None:
            desk.message = rig.boards[0].trouble if rig.boards else ""
            return ""
        try:
            self._do(what, place, rig, desk)
        except Mark1Error as error:
            desk.message = str(error)
        return ""

    def _stop_or_resume(self, what: str, rig: RigWatch, desk: Desk) -> None:
        words = desk.words
        if what == "resume":
            rig.rig.resume()
            desk.message = words("RESUME is sent: the motors may run again.")
            return
        rig.rig.stop()
        desk.message = (
            words("STOP is sent; the line at the right says when the board has it.")
            if rig.connected
            else words("No board is there to hear STOP: pull the plug of its motors.")
        )

    def _do(self, what: str, place: tuple[int, int], rig: RigWatch, desk: Desk) -> None:
        doing: dict[str, Callable[[], None]] = {
            "follow": rig.rig.let_go,
            "reverse": lambda: self._reverse(place, rig),
            "find": lambda: self._find(place, rig, desk),
            "show": lambda: rig.rig.shows(*place, self.unit),
            "keep": lambda: self._keep(rig, desk),
        }
        if what in ("back", "on"):
            self.channel += 1 if what == "on" else -1
        elif what in ("minus", "plus"):
            here = float(rig.boards[place[0]].wanted_v[place[1]])
            there = here + (JOG_V if what == "plus" else -JOG_V)
            rig.rig.hold(*place, min(FULL_V, max(-FULL_V, there)))
        elif what in ENDS:
            self.end = ENDS.index(what)
            rig.rig.hold(*place, (self.end - 1) * FULL_V)
        elif what in ("less", "more"):
            self._trim(place, rig, 1 if what == "more" else -1)
        elif what in ("which", "swap"):
            self._ask(what, rig, desk)
        else:
            doing[what]()

    def _trim(self, place: tuple[int, int], rig: RigWatch, way: int) -> None:
        ends, _ = rig.rig.curve(*place)
        step = 10 if abs(ends[2] - ends[0]) > 300 else 2  # chosen: about a hundredth of the travel
        moved = [*ends]
        moved[self.end] += way * step
        rig.rig.bend(*place, (moved[0], moved[1], moved[2]))
        rig.rig.hold(*place, (self.end - 1) * FULL_V)

    def _reverse(self, place: tuple[int, int], rig: RigWatch) -> None:
        low, middle, high = rig.rig.curve(*place)[0]
        rig.rig.bend(*place, (high, middle, low))

    def _find(self, place: tuple[int, int], rig: RigWatch, desk: Desk) -> None:
        words = desk.words
        if desk.training:
            desk.message = words("Stop the training first: the search needs a channel at rest.")
        elif rig.stopped:
            desk.message = words("The rig is stopped: press RESUME first.")
        else:
            rig.rig.find_stops(*place)
            desk.message = words("Channel {c} looks for its stops.", c=place[1])

    def _ask(self, what: str, rig: RigWatch, desk: Desk) -> None:
        on = self.asking != what
        rig.rig.listen(on)
        self.asking = what if on else ""
        words = desk.words
        if on:
            desk.message = (
                words("Turn the knob that you mean, and let go.")
                if what == "which"
                else words("Turn the knob that shall change places with this channel.")
            )

    def _keep(self, rig: RigWatch, desk: Desk) -> None:
        text, fields = rig.rig.keep()
        desk.message = desk.words(text, **fields)

    # -- each frame --------------------------------------------------------------------------------------------

    def step(self, desk: Desk) -> None:
        """A knob was turned, a search ended."""
        rig = desk.rig
        if rig is None:
            return
        found = [board.found for board in rig.boards]
        if found != self.found:
            self.found = found
            self._tell(found, desk)
        named = rig.rig.named() if self.asking else None
        if named is not None:
            self._named(named, rig, desk)

    def _tell(self, found: list[Outcome | None], desk: Desk) -> None:
        for outcome in found:
            if outcome is not None and outcome.ends is not None:
                low, high = outcome.ends[0], outcome.ends[2]
                desk.message = desk.words(
                    "Channel {c}: stops found, curve {low} to {high}.", c=outcome.channel, low=low, high=high
                )
            elif outcome is not None:
                desk.message = outcome.trouble

    def _named(self, named: tuple[int, int], rig: RigWatch, desk: Desk) -> None:
        place, asked, self.asking = self.place_of(rig), self.asking, ""
        words = desk.words
        rig.rig.listen(False)
        if asked == "swap" and place is not None and place != named:
            try:
                rig.rig.swap(place, named)
            except Mark1Error as error:
                desk.message = str(error)
                return
            desk.message = words("Channels {a} and {b} have changed places.", a=place[1], b=named[1])
        else:
            desk.message = words("That is channel {c}.", c=named[1])
        self._choose(rig, named)

    def touch(self, x: float, y: float, desk: Desk) -> None:
        """Takes another channel in hand."""
        cell = rigdials.cell_at(self.bank, x, y)
        if cell is not None and desk.rig is not None:
            number = self.channel // SHOWN * SHOWN + cell
            if number < sum(len(board.states) for board in desk.rig.boards):
                self.channel = number

    # -- picture -----------------------------------------------------------------------------------------------

    def content(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """The dials and the channel in hand; or why there is nothing."""
        kit, words, rig = self.kit, self.kit.words, desk.rig
        place = self.place_of(rig) if rig is not None else None
        if rig is None or place is None:
            room = Box(self.bank.x, self.bank.y, self.side.right - self.bank.x, self.bank.h)
            why = (
                words("No rig. Start with: mark1 --rig PORT, or mark1 --rig auto. With no hardware: mark1 rig emulate.")
                if rig is None
                else (rig.boards[0].trouble if rig.boards else "")
            )
            kit.engrave(surface, why, room, 30, lines=5)
            return
        first = self.channel // SHOWN * SHOWN
        rigdials.draw_bank(surface, kit, self.bank, rig.boards, first, self.channel)
        measures = rig.boards[place[0]].measures
        note = words("needle: measured   ring: wanted") if measures else words("needle: wanted; it does not measure")
        kit.engrave(surface, note, self.legend, TEXT, align="left")
        rigdials.draw_channel(surface, kit, self.side, rig, place)


PAGE = RigPage
