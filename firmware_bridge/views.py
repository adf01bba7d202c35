"""What a person is shown of one port: a copy, safe to keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_bridge.commission import Found
from firmware_bridge.link import Board, LinkStatistics
from firmware_bridge.messages import CHANNEL_STATES, Wire
from firmware_bridge.mirror import MirrorStatistics
from firmware_bridge.rig import Source

RESTING = CHANNEL_STATES.index("resting")
HINDERED = tuple(CHANNEL_STATES.index(name) for name in ("held", "reported", "stalled", "overtime"))
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class PortView:
    """One port as the panel shows it."""

    device: str
    board: Board | None
    trouble: str
    in_step: bool
    stopped: bool
    openings: int
    motors_at_once: int
    moving: int
    wanted: Wire
    measured: Wire
    states: Any
    fresh: Any  # channels whose state was reported after the values were proved
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    link: LinkStatistics
    mirror: MirrorStatistics
    calibration: Mapping[int, tuple[int, int, int]]
    held: frozenset[int]  # channels that show a person's value, not the machine's
    finding: int | None  # the channel whose stops are being looked for
    found: Found | None  # how the last search ended

    @property
    def shown(self) -> bool:
        """The board has proved every value, and every actuator has come to rest at it."""
        resting = (self.states == RESTING) & self.fresh
        return self.in_step and not self.stopped and bool(resting.all())

    @property
    def hindered(self) -> str:
        """Channels that will not come to their value by themselves, with what they are; empty if there are none."""
        if not self.in_step or not bool(self.fresh.all()):
            return ""
        found = [(int(c), CHANNEL_STATES[self.states[c]]) for c in np.flatnonzero(np.isin(self.states, HINDERED))]
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        return ", ".join(f"channel {channel} {state}" for channel, state in found[:MOST_NAMED]) + more
