"""The shelf: machines that NEW SEED or OPEN replaced, so that UNDO brings them back. No files: bytes in memory.

A machine's own undo points are inside its saved bytes. So UNDO first goes back through what was done to the new
machine since it came, then to the one before, and on through that one's steps.
"""

from typing import Any, NamedTuple

from mark1.core import commands as c
from mark1.core import facts

MOST = 4  # machines kept


class Replaced(NamedTuple):
    """A machine that was replaced: its bytes, what was done to it since it came, and how far UNDO could go."""

    saved: bytes
    since: int
    steps: int


class Shelf:
    """Counts undo points since the present machine came; keeps those before it."""

    def __init__(self) -> None:
        self._kept: list[Replaced] = []
        self._since = 0
        self._last: Any = None

    def take(self, fact: Any) -> None:
        """Looks at each fact as it happens."""
        if isinstance(fact, facts.CommandTaken):
            self._last = fact.command
            self._since += _weight(fact.command)
        elif isinstance(fact, facts.CommandRejected):
            self._since -= _weight(self._last)

    def replace(self, saved: bytes, steps: int) -> None:
        """The present machine gives way to another."""
        self._kept = [*self._kept, Replaced(saved, self._since, steps)][-MOST:]
        self._since = 0

    def steps(self, points: int) -> int:
        """How many steps UNDO can go back, from a machine with so many undo points."""
        if not self._kept:
            return points
        return max(0, min(self._since, points)) + 1 + self._kept[-1].steps

    def due(self, points: int) -> bytes | None:
        """The machine that UNDO should bring back now, if any."""
        return self._kept[-1].saved if self._kept and (self._since <= 0 or not points) else None

    def brought_back(self) -> None:
        """The last machine is on the desk again."""
        self._since = self._kept.pop().since


def _weight(command: Any) -> int:
    """Undo points that a command adds or takes."""
    if isinstance(command, c.Undo):
        return -command.steps
    return 1 if isinstance(command, c.Rewind) or not isinstance(command, c.NOT_UNDONE) else 0
