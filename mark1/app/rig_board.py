"""One board on a port, for the verbs of mark1 rig: open it, wait for it, say why it does not answer."""

import argparse
import contextlib
import threading
from collections.abc import Callable, Iterator

from firmware_bridge.port import monotonic_us
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import PortConfig
from mark1.errors import BridgeError

ANSWER_S = 14.0  # a Mega whose bootloader was disturbed needs ten seconds
TURN_S = 0.02


@contextlib.contextmanager
def board_on(args: argparse.Namespace, seconds: float = ANSWER_S) -> Iterator[PortHost]:
    """A running port whose board has answered."""
    host = PortHost(PortConfig(device=args.port, baud=args.baud))
    host.start()
    try:
        if not wait_for(lambda: host.link.board is not None and len(host.mirror.wanted) > 0, seconds):
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
    """Reads what the board shows, so that a jog moves one channel and leaves the others."""
    host.order(host.mirror.ask_read_back)
    if not wait_for(lambda: host.mirror.read_back is not None, 5):
        raise BridgeError("The board did not give its values back; try again.")
    assert host.mirror.read_back is not None
    host.mirror.wanted[:] = host.mirror.read_back
