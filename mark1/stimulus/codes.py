"""What the R-units are asked to answer for each class, and how an answer is read back.

Documented: eight two-state R-units, and many classes by binary code (a 3-bit example in the 1957 report). Chosen: one
R-unit per class up to eight classes; binary codes count from 1, R1 is the lowest bit, and 0 means "no answer".
Left out: "the highest R-unit wins" has no source; the R-units are independent, so a pattern that is no class's code
is "no answer".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mark1.errors import StimulusError

R_UNITS = 8  # documented: R1..R8
MOST_CLASSES = 2**R_UNITS - 1  # inferred: eight bits without code 0
UNDECIDED = "undecided"
NO_ANSWER = "no answer"


@dataclass(frozen=True, eq=False, slots=True)
class CodeBook:
    """The classes in order, and for each the wanted state of every R-unit in use: -1, +1, or 0 for "not asked"."""

    classes: tuple[str, ...]
    targets: NDArray[np.int8]  # (classes, R-units in use)

    @property
    def r_units(self) -> int:
        """How many R-units are in use."""
        return int(self.targets.shape[1])

    def target(self, class_name: str) -> NDArray[np.int8]:
        """The wanted states for one class."""
        wanted: NDArray[np.int8] = self.targets[self.classes.index(class_name)]
        return wanted

    def read(self, states: ArrayLike, undecided: ArrayLike | None = None) -> str:
        """The class that a response names, or "undecided", or "no answer"."""
        answer = np.asarray(states)[: self.r_units]
        if undecided is not None and np.any(np.asarray(undecided)[: self.r_units]):
            return UNDECIDED
        fits = np.all((self.targets == answer) | (self.targets == 0), axis=1)
        return self.classes[int(np.argmax(fits))] if np.count_nonzero(fits) == 1 else NO_ANSWER

    def numbers(self) -> tuple[int, ...]:
        """Each class's code as a number, as a machine keeps it; an R-unit that is "not asked" has no number."""
        if (self.targets == 0).any():
            raise StimulusError("codes with 0 (not asked) cannot be kept in a machine; give whole numbers.")
        return tuple(sum(1 << bit for bit, state in enumerate(row) if state > 0) for row in self.targets)

    def as_table(self) -> dict[str, list[int]]:
        """Plain data, for a manifest or a machine file."""
        return {name: row.tolist() for name, row in zip(self.classes, self.targets, strict=True)}


def bits(code: int, width: int) -> list[int]:
    """A code as R-unit states, R1 (the lowest bit) first."""
    return [1 if code >> bit & 1 else -1 for bit in range(width)]


def one_each(classes: Sequence[str]) -> CodeBook:
    """One R-unit per class: it answers 1 for its own class and 0 for the others."""
    return CodeBook(tuple(classes), (2 * np.eye(len(classes)) - 1).astype(np.int8))


def binary(classes: Sequence[str]) -> CodeBook:
    """Class number i, counted from 1, in binary, on as few R-units as will do."""
    width = len(classes).bit_length()
    rows = [bits(number, width) for number in range(1, len(classes) + 1)]
    return CodeBook(tuple(classes), np.array(rows, dtype=np.int8))


def codes_for(classes: Sequence[str], given: Mapping[str, object] | None = None) -> CodeBook:
    """The code book: as given, or one R-unit per class up to eight, or binary up to 255."""
    if not 1 <= len(classes) <= MOST_CLASSES:
        raise StimulusError(f"{len(classes)} classes cannot be coded; eight R-units name 1 to {MOST_CLASSES}.")
    for name in (UNDECIDED, NO_ANSWER):
        if name in classes:
            raise StimulusError(
                f"no class can be named '{name}': that is what a machine says that names none; rename it."
            )
    if given:
        return given_codes(classes, given)
    return one_each(classes) if len(classes) <= R_UNITS else binary(classes)


def given_codes(classes: Sequence[str], given: Mapping[str, object]) -> CodeBook:
    """Codes from a manifest: for each class a whole number from 1 to 255, or a list of R-unit states -1, 0, +1."""
    missing = [name for name in classes if name not in given]
    if missing:
        raise StimulusError(f"the class '{missing[0]}' has no code; add it to the table of codes.")
    codes = [given[name] for name in classes]
    width = max(code.bit_length() if isinstance(code, int) else 0 for code in codes)
    rows = [_row(name, code, width) for name, code in zip(classes, codes, strict=True)]
    if len({len(row) for row in rows}) != 1:
        raise StimulusError("the codes have different numbers of R-units; give every class equally many.")
    book = CodeBook(tuple(classes), np.array(rows, dtype=np.int8))
    _refuse_ambiguous(book)
    return book


def _row(name: str, code: object, width: int) -> list[int]:
    if isinstance(code, int) and not isinstance(code, bool) and 1 <= code <= MOST_CLASSES:
        return bits(code, width)
    if isinstance(code, list) and 1 <= len(code) <= R_UNITS and all(s in (-1, 0, 1) and type(s) is int for s in code):
        return list(code)
    raise StimulusError(
        f"the code of class '{name}' is unusable; give a whole number from 1 to {MOST_CLASSES} or a list of -1, 0, 1."
    )


def _refuse_ambiguous(book: CodeBook) -> None:
    for first, row in enumerate(book.targets):
        for second in range(first + 1, len(book.classes)):
            if np.all((row == book.targets[second]) | (row == 0) | (book.targets[second] == 0)):
                pair = f"'{book.classes[first]}' and '{book.classes[second]}'"
                raise StimulusError(f"the classes {pair} have codes that one response could mean; give each its own.")
