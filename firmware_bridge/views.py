"""What a person is shown of one port: a copy, safe to keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmware_bridge.commission import Found
from firmware_bridge.link import Board, LinkStatistics
from firmware_bridge.messages import Wire
from firmware_bridge.mirror import MirrorStatistics
from firmware_bridge.rig import Source


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
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    link: LinkStatistics
    mirror: MirrorStatistics
    calibration: Mapping[int, tuple[int, int, int]]
    held: frozenset[int]  # channels that show a person's value, not the machine's
    finding: int | None  # the channel whose stops are being looked for
    found: Found | None  # how the last search ended
