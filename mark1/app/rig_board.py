"""One board on a port, for the verbs of mark1 rig: open it, wait for it, say why it does not answer."""

import argparse
import contextlib
import threading
from collections.abc import Callable, Iterator

import numpy as np

from firmware_bridge.messages import CHANNEL_STATES, FEATURE_MEASURES
from firmware_bridge.port import monotonic_us
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import PortConfig
from mark1.errors import BridgeError

ANSWER_S = 14.0  # a Mega whose bootloader was disturbed needs ten seconds
TURN_S = 0.02
NEAR = 700  # wire: chosen, somewhat more than the 534 (8 counts) within which a motor rests
AT_REST = ("resting", "held", "reported", "stalled", "overtime")
CURE = "Free it, check its power and wires, or reset the board, and try again."


@contextlib.contextmanager
def board_on(args: argparse.Namespace, seconds: float = ANSWER_S) -> Iterator[PortHost]:
    """A running port whose board has answered."""
    host = PortHost(PortConfig(device=args.port, baud=args.baud))
    host.start()
    try:
        wait_for(lambda: host.refused or (host.link.board is not None and len(host.mirror.wanted) > 0), seconds)
        if host.link.board is None or not len(host.mirror.wanted):
            raise BridgeError(_silent(host))
        yield host
    finally:
        host.close()


def _silent(host: PortHost) -> str:
    return host.trouble if host.openings == 0 or host.link.statistics.frames_received else host.silence()


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Until it comes true, or the time is over."""
    pause, end = threading.Event(), monotonic_us() + seconds * 1e6
    while monotonic_us() < end:
        if condition():
            return True
        pause.wait(TURN_S)
    return bool(condition())


def keep_values(host: PortHost) -> None:
    """Reads what the board shows, so that a jog moves one channel and leaves the others.

    Where a measured position is elsewhere it counts: opening the port resets many boards, and their values are then 0.
    """
    host.order(host.mirror.ask_read_back)
    if not wait_for(lambda: host.mirror.read_back is not None, 5):
        raise BridgeError("The board did not give its values back; try again.")
    assert host.mirror.read_back is not None
    values = host.mirror.read_back
    if host.link.board is not None and host.link.board.features & FEATURE_MEASURES:
        if not wait_for(lambda: bool(host.mirror.fresh().all()), 5):
            raise BridgeError("The board did not report its positions; try again.")
        measured = host.mirror.measured
        values = np.where(np.abs(measured.astype(int) - values) > NEAR, measured, values)
    host.mirror.wanted[:] = values


def rest_of(host: PortHost, channel: int) -> str:
    """How a channel came to rest, by reports that are newer than its value; or what it is after a while."""

    def state() -> str:
        return CHANNEL_STATES[host.mirror.states[channel] % len(CHANNEL_STATES)]

    wait_for(lambda: host.mirror.stopped or (bool(host.mirror.fresh()[channel]) and state() in AT_REST), 15)
    return "stopped" if host.mirror.stopped else state()
