"""The ledger of history, read at run time: what is known of the machine, how well, and from where.

The file is docs/facts.toml (mark1/facts.toml in an installed copy). Not to be confused with mark1.facts, the events
of a running machine. Leaves out the numbers of the 1957 report, which only the tests need.
"""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from mark1.errors import InputError

GRADES = ("documented", "inferred", "chosen", "modern", "not found")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One row of the ledger; docs/facts.toml explains the fields."""

    id: str
    what: str
    grade: str
    value: int | float | str | bool | None = None
    unit: str = ""
    confidence: str = ""
    source: str = ""
    seen: str = ""
    why: str = ""
    sets: str = ""
    config: str = ""
    machine: str = ""
    panel: str = ""
    data: str = ""
    ask: tuple[str, ...] = ()

    @property
    def basis(self) -> str:
        """What it rests on: the source, or the reason of the choice."""
        return self.source or self.why


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """A primary source that we could not read, and what it should tell."""

    id: str
    title: str
    have: str
    questions: tuple[str, ...]


def path() -> Path:
    """The ledger's file: beside this module when installed, in docs/ in a working copy."""
    installed = Path(__file__).parent / "facts.toml"
    return installed if installed.exists() else Path(__file__).parent.parent / "docs" / "facts.toml"


@cache
def facts() -> dict[str, Fact]:
    """Every row, by id, in the ledger's order."""
    return {row["id"]: Fact(**_known(row, Fact)) for row in _read()["fact"]}


@cache
def unread() -> tuple[Unread, ...]:
    """The unread primary sources."""
    return tuple(Unread(**_known(row, Unread)) for row in _read()["unread"])


def fact(name: str) -> Fact:
    """The row with this id."""
    if name not in facts():
        raise InputError(f"the ledger has no row {name!r}; docs/facts.toml lists them.")
    return facts()[name]


def setting(constant: str) -> Fact:
    """The row that sets a constant of mark1.core.defaults, or a field of MachineConfig ("response.split")."""
    for row in facts().values():
        if constant and constant in (row.sets, row.config):
            return row
    raise InputError(f"no row of the ledger sets {constant!r}; docs/facts.toml lists them.")


def grade(constant: str) -> str:
    """How well a default is known: setting(constant).grade."""
    return setting(constant).grade


def panel_marks() -> dict[str, Fact]:
    """The row behind each marked part of the panel."""
    return {row.panel: row for row in facts().values() if row.panel}


def _read() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(path().read_text(encoding="utf-8"))


def _known(row: dict[str, Any], kind: type) -> dict[str, Any]:
    for key in row:
        if key not in {field.name for field in fields(kind)}:
            raise InputError(f"row {row.get('id')!r} of the ledger has the unknown field {key!r}; remove it.")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
