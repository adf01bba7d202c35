"""How the camera is set: which part of a picture falls on the retina, and what counts as light.

Documented: 20 x 20 photocells, a camera aimed at a card, light parts switch cells on. Everything else is chosen; a card
set's manifest and a machine's note carry these settings, so that a machine sees new pictures as it saw its cards.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

from mark1.errors import ConfigError

POLARITIES = ("auto", "light", "dark")
THRESHOLDS = ("auto", "otsu", "local", "none")
FITS = ("fit", "crop")
MOST_CELLS_A_SIDE = 512  # as many as a machine's retina can have
LEAST_FILL = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Projection:
    """The camera's settings."""

    rows: int = 20  # documented
    columns: int = 20  # documented
    framing: bool = True  # chosen: centre and scale the figure, as an operator aims the camera
    fill: float = 0.7  # chosen: share of the field that a framed figure spans; leaves three cells for shifts
    fit: str = "fit"  # chosen; without framing: "fit" shows the whole picture, "crop" its central part
    polarity: str = "auto"  # "light" is documented (light parts on); "auto" (chosen) also reads dark ink on light paper
    threshold: str | float = "auto"  # chosen: Otsu's, or local for uneven light; a number is a fixed level 0..1
    exposure: str | float = "auto"  # chosen: share of a cell that must be covered; "auto" keeps thin strokes

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            _check(name, getattr(self, name), _whole(getattr(self, name), 1, MOST_CELLS_A_SIDE), "1 to 512")
        _check("framing", self.framing, isinstance(self.framing, bool), "true or false")
        _check("fill", self.fill, _share(self.fill) and self.fill >= LEAST_FILL, "0.1 to 1")
        _check("fit", self.fit, self.fit in FITS, " or ".join(FITS))
        _check("polarity", self.polarity, self.polarity in POLARITIES, ", ".join(POLARITIES))
        _check(
            "threshold",
            self.threshold,
            self.threshold in THRESHOLDS or _share(self.threshold),
            ", ".join(THRESHOLDS) + ", or a level above 0, at most 1",
        )
        _check("exposure", self.exposure, self.exposure == "auto" or _share(self.exposure), "auto, or above 0 to 1")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> "Projection":
        """Settings from a manifest or a note; an unknown key is refused with the nearest known one."""
        return CARD.changed(**table)

    def changed(self, **changes: Any) -> "Projection":
        """The same settings but for these."""
        known = [field.name for field in fields(self)]
        for key in changes:
            if key not in known:
                near = get_close_matches(key, known, n=1, cutoff=0)[0]
                raise ConfigError(f"the camera has no setting '{key}'; the nearest is '{near}'.")
        return replace(self, **changes)

    def as_text(self) -> str:
        """One line, for a machine's note."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> "Projection":
        """The reverse of as_text; refuses what is not a camera's settings."""
        try:
            table = json.loads(text)
        except (ValueError, RecursionError):
            table = None
        if not isinstance(table, dict):
            raise ConfigError("the note on the camera cannot be read; train again, or remove the note.")
        return cls.from_table(table)


def _whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _check(field: str, value: object, good: bool, allowed: str) -> None:
    if not good:
        raise ConfigError(f"the camera's {field} cannot be {value!r}; allowed is {allowed}.")


CARD = Projection()
