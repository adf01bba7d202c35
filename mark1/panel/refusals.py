"""Why not, in the panel's language: the machine, the files and the theory give their reasons in English sentences.

The other rooms know no catalogue, so their sentences are recognised here, by these tables. One that is not
recognised is shown as it came.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mark1.panel.words import Words

THINGS = (
    "showing a card by hand",
    "clearing the retina",
    "reinforcement",
    "teaching",
    "a new training",
    "rewiring",
    "pulling a unit",
    "putting a unit back",
    "resetting the values",
)
REASONS = (
    "{what} must wait until the motors rest.",
    "{what} must wait: training is running; stop it first.",
    "{what} needs an answer first: show a card and let it settle.",
    "going back must wait until training has stopped and the motors rest.",
    "no training is running.",
    "that potentiometer's motor is running.",
    "A-unit {a} has no wire to S-unit {s}.",
    "A-unit {a} already has a wire to S-unit {s}.",
    "S-unit {s} already feeds {n} A-units, which is its limit.",
    "{path} does not exist; check the name.",
    "{path} is a folder; name a machine file (.mark1).",
    "{path} is larger than any machine file; name another.",
    "{path} cannot be read ({why}); check its permissions.",
    "{path} could not be written ({why}); free some space or choose another.",
    "the folder {path} does not exist; make it first.",
    "this is not a Mark I machine file.",
    "this machine file is damaged: its checksum is wrong; take an earlier copy.",
    "this machine file is damaged in its first line; take an earlier copy.",
    "this machine file does not describe a machine ({why}); take an earlier copy.",
    "this machine file has format {n}, newer than {known}; install a newer mark1 to open it.",
    "{path} is not a picture that can be read; use PNG, JPEG, GIF, BMP, TIFF or WebP.",
    "Not separable: with equal weights the samples of the two classes cancel exactly.",
    "Not separable: samples {a} and {b} are the same point with opposite labels.",
    "Not separable: sample {a} is all zeros, so its sum is 0 whatever the values are.",
    "Not separable: {a} of the {n} samples cancel exactly with positive weights.",
)


def reason(words: "Words", sentence: str) -> str:
    """A sentence of another room in the panel's language, with a capital at its beginning."""
    head, found = re.match(r"R\d+: ", sentence), None
    rest = sentence[head.end() :] if head else sentence
    for text, pattern in _patterns():
        found = pattern.fullmatch(rest)
        if found:
            fields = {name: words(value) if value in THINGS else value for name, value in found.groupdict().items()}
            rest = words(text, **fields)
            break
    told = (head.group() if head else "") + rest
    return told[:1].upper() + told[1:]


@cache
def _patterns() -> tuple[tuple[str, "re.Pattern[str]"], ...]:
    """Each reason with a pattern in which its fields stand for anything."""
    made = ((text, re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(text))) for text in REASONS)
    return tuple((text, re.compile(pattern, re.DOTALL)) for text, pattern in made)
