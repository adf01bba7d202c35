"""Widgets: what can be touched. A box, a larger box for fingers, a place in the focus order, a key, a source."""

from dataclasses import dataclass

from mark1.panel.layout import KNOBS, Arrangement, Box, tray_slots
from mark1.panel.provenance import Source, source_of

# The keyboard: one key for everything; docs/panel.md and the help page are made from this.
HOTKEYS = {
    "present": "p", "teach": "t", "train": "a", "clear": "c", "break": "b", "rewire": "w", "undo": "u", "more": "m",
    "knob.mode": "1", "knob.system": "2", "knob.threshold": "3", "knob.dead_zone": "4", "knob.run_time": "5",
    "knob.speed": "6", "hand.plus": "+", "hand.minus": "-", "rack": "l", "plugboard": "g",
    "tray.back": "[", "tray.on": "]", "responses": "i",
    "drawer.save": "s", "drawer.open": "o", "drawer.seed": "n", "drawer.export": "e", "drawer.forget": "z",
    "drawer.mend": "r", "drawer.documented": "d", "drawer.sound": "q", "drawer.help": "h", "drawer.plugboard": "g",
}  # fmt: skip


@dataclass(frozen=True)
class Widget:
    """One thing to touch. kind: key, knob, card, or field (touched at a place)."""

    name: str
    box: Box
    hit: Box
    kind: str = "key"
    key: str = ""

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return source_of(self.name)


def _widget(a: Arrangement, name: str, kind: str, grow: int = 0) -> Widget:
    box = a.boxes[name]
    return Widget(name, box, box.inset(-grow), kind, HOTKEYS.get(name, ""))


def widgets(a: Arrangement, cards: int) -> list[Widget]:
    """Everything on the panel that can be touched, in the order of Tab."""
    names = [("easel", "field"), *((slot, "card" if slot.startswith("card") else "key") for slot in tray_slots(cards))]
    names += [(name, "key") for name in ("present", "teach", "train", "clear", "break", "rewire", "undo", "more")]
    names += [(f"knob.{name}", "knob") for name in KNOBS]
    names += [
        ("hand.plus", "key"),
        ("hand.minus", "key"),
        ("retina", "field"),
        ("plugboard", "field"),
        ("rack", "field"),
    ]
    names += [("responses", "field"), ("answer", "field"), ("chart", "field"), ("why", "field")]
    return [_widget(a, name, kind) for name, kind in names]


def under(found: list[Widget], x: float, y: float) -> Widget | None:
    """The widget at a point: exactly, or by its larger finger box."""
    exact = next((w for w in found if w.box.holds(x, y)), None)
    return exact or next((w for w in found if w.hit.holds(x, y)), None)
