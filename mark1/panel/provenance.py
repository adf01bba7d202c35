"""Where each part of the panel comes from. A widget without an entry here does not exist: a test sees to it.

Grades: documented (a source says so), inferred (arithmetic from documented facts), chosen (ours, because no source that
we could read says), modern (no such thing in 1960). "Not found" means that we do not know, never that the manual is
silent: of the Operators' Manual we have Figure 1 and a few quoted sentences.
"""

from typing import NamedTuple

DOCUMENTED, INFERRED, CHOSEN, MODERN = "documented", "inferred", "chosen", "modern"
GRADES = (DOCUMENTED, INFERRED, CHOSEN, MODERN)


class Source(NamedTuple):
    """A grade and what it rests on."""

    grade: str
    text: str


PROVENANCE: dict[str, Source] = {
    "nameplate": Source(DOCUMENTED, "the machine's name"),
    "annunciator": Source(MODERN, "messages of this program"),
    "status": Source(MODERN, "settings of this program"),
    "retina": Source(DOCUMENTED, "400 photocells, 20 x 20; the lamp field and its lines in photographs"),
    "plugboard": Source(DOCUMENTED, "Operators' Manual 1960, Figure 1: random connections"),
    "plugboard.glow": Source(MODERN, "wires that glow when they carry a signal"),
    "rack": Source(DOCUMENTED, "512 A-units, 8 x 8 modules counted in photographs; potentiometers -11 V to +11 V"),
    "responses": Source(DOCUMENTED, "eight R-units of two states; a rack of meters in photographs"),
    "response": Source(CHOSEN, "the meter's scale, the dead zone and the class names"),
    "easel": Source(DOCUMENTED, "cards before a bellows camera"),
    "easel.field": Source(MODERN, "drawing with a finger, and the camera's framing"),
    "tray": Source(CHOSEN, "cards are documented; these ones and the tray are ours"),
    "card": Source(CHOSEN, "cards are documented; these ones are ours"),
    "present": Source(DOCUMENTED, "the trainer shows the pattern (Navy text 1960)"),
    "teach": Source(DOCUMENTED, "when it is wrong the trainer forces the right answer by an electrical control"),
    "train": Source(MODERN, "an automatic trainer that shows the whole tray"),
    "clear": Source(MODERN, "takes the card away"),
    "break": Source(INFERRED, "Rosenblatt 1958, conclusion 9: removing units; here, pulled from the rack"),
    "rewire": Source(DOCUMENTED, "the plugboard could be rewired by hand; here all at once, at random"),
    "undo": Source(MODERN, "undo"),
    "more": Source(MODERN, "the drawer of this program"),
    "knob.mode": Source(DOCUMENTED, "forced learning, error correction, spontaneous learning: the manual's words"),
    "knob.system": Source(DOCUMENTED, "Rosenblatt 1958: alpha, beta, gamma; that the Mark I had a switch is chosen"),
    "knob.threshold": Source(CHOSEN, "A-units have thresholds (documented); the range is ours"),
    "knob.dead_zone": Source(CHOSEN, "no source found"),
    "knob.run_time": Source(CHOSEN, "no source found for the motors' run time"),
    "knob.speed": Source(MODERN, "1960 time itself is chosen: no source found for the motors' speed"),
    "hand": Source(DOCUMENTED, "reinforcement by the trainer's electrical control"),
    "answer": Source(CHOSEN, "what the R-units' code means; the codes used in 1960 were not found"),
    "chart": Source(MODERN, "a recorder of errors and corrections; the bound is of the theorem"),
    "why": Source(MODERN, "which A-units spoke for and against"),
    "loupe": Source(MODERN, "a closer look at eight units on a card; eight a card is documented once"),
    "plugpage": Source(MODERN, "wires one at a time; rewiring by hand is documented"),
    "rigpage": Source(MODERN, "a physical rig that mirrors values, and its commissioning"),
    "drawer": Source(MODERN, "files and options of this program"),
    "help": Source(MODERN, "help"),
    "files": Source(MODERN, "machine files"),
    "page": Source(MODERN, "keys of a page of this program"),
}


def source_of(name: str) -> Source:
    """The source of a widget: its own entry, or that of the family before the first dot."""
    return PROVENANCE[name] if name in PROVENANCE else PROVENANCE[name.split(".")[0]]
