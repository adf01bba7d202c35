"""What happens next: a queue of (time, order, kind, presentation) entries. Ties are served in the order they came.

Kinds are plain numbers and the queue plain data, so a machine saved with motors in flight resumes to the same bits.
(SimPy's processes are generators, which can be neither saved nor copied: hence this small file.)
"""

from heapq import heapify, heappop, heappush

CELLS_SETTLED, UNITS_SETTLED, RESPONSE_DUE, RUN_ENDED, NEXT_CARD = range(5)
Entry = tuple[int, int, int, int]


class Schedule:
    """A deterministic event queue; time itself is kept by the machine."""

    __slots__ = ("_count", "heap")

    def __init__(self) -> None:
        self.heap: list[Entry] = []
        self._count = 0

    def add(self, at_us: int, kind: int, number: int) -> None:
        """Schedules an event; number says which presentation or run it belongs to."""
        self._count += 1
        heappush(self.heap, (at_us, self._count, kind, number))

    def next_us(self) -> int | None:
        """The time of the next event, or None."""
        return self.heap[0][0] if self.heap else None

    def peek(self) -> Entry | None:
        """The next event, left in place."""
        return self.heap[0] if self.heap else None

    def pop(self) -> Entry:
        """The next event, taken out."""
        return heappop(self.heap)

    def drop(self, kinds: tuple[int, ...]) -> None:
        """Cancels every event of these kinds."""
        self.heap[:] = [entry for entry in self.heap if entry[2] not in kinds]
        heapify(self.heap)

    def dump(self) -> list[list[int]]:
        """Entries in order, as [at_us, kind, number]; the tie counter is renumbered, so equal queues dump equal."""
        return [[at_us, kind, number] for at_us, _, kind, number in sorted(self.heap)]

    @staticmethod
    def load(entries: list[list[int]]) -> "Schedule":
        """The reverse of dump."""
        schedule = Schedule()
        for at_us, kind, number in entries:
            schedule.add(at_us, kind, number)
        return schedule
