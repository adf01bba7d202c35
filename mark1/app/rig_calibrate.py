"""mark1 rig calibrate: low, middle and high of each channel, by hand or by driving it to its stops."""

import argparse
import sys

from firmware_bridge.commission import StopFinder, restless, usual_ends
from firmware_bridge.messages import FEATURE_MEASURES
from firmware_bridge.port import monotonic_us
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import PortConfig, RigConfig, rig_text
from mark1.app.rig_board import board_on, keep_values, wait_for
from mark1.errors import BridgeError
from mark1.savefile import write_atomically

ENDS = ("low", "middle", "high")


def calibrate(args: argparse.Namespace) -> int:
    """Finds the ends of each channel and writes the rig file."""
    with board_on(args) as host:
        keep_values(host)
        host.show(host.mirror.wanted.copy())
        wait_for(lambda: host.in_step, 10)
        found = _find_all_stops(host) if args.find_stops else _ask_all_ends(host)
    config = PortConfig(device=args.port, baud=args.baud, map="first", calibration=found)
    write_atomically(args.file, rig_text(RigConfig(ports=(config,))).encode())
    print(f"wrote {args.file}: {len(found)} channels calibrated")
    return 0


def _find_all_stops(host: PortHost) -> dict[int, tuple[int, int, int]]:
    if host.link.board is None or not host.link.board.features & FEATURE_MEASURES:
        raise BridgeError("This board does not measure positions; calibrate without --find-stops.")
    found = {}
    for channel in range(len(host.mirror.wanted)):
        found[channel] = _find_stops(host, StopFinder(host.mirror, channel))
        print(f"channel {channel}: {found[channel][0]} to {found[channel][2]}", flush=True)
    return found


def _find_stops(host: PortHost, finder: StopFinder) -> tuple[int, int, int]:
    """Lets the port's thread, which owns the mirror, look again and again."""
    trouble: list[BridgeError] = []

    def look() -> None:
        try:
            finder.poll(monotonic_us())
        except BridgeError as error:
            trouble.append(error)

    def done() -> bool:
        host.order(look)
        return finder.ends is not None or bool(trouble)

    if not wait_for(done, 60):
        raise BridgeError(restless(finder.channel))
    if trouble or finder.ends is None:
        raise trouble[0]
    return finder.ends


def _ask_all_ends(host: PortHost) -> dict[int, tuple[int, int, int]]:
    print("For each end: a number moves there, + and - move by 10, Enter takes it, s skips the channel, q ends.")
    found: dict[int, tuple[int, int, int]] = {}
    for channel in range(len(host.mirror.wanted)):
        word, ends = _calibrate_channel(host, channel)
        if ends is not None:
            found[channel] = ends
        if word == "end":
            break
    return found


def _calibrate_channel(host: PortHost, channel: int) -> tuple[str, tuple[int, int, int] | None]:
    ends: list[int] = []
    for end, usual in zip(ENDS, usual_ends(host.link.board), strict=True):
        word, place = _find_end(host, channel, end, usual)
        if word != "take":
            host.order(lambda: host.mirror.calibrate(channel, (0, 0, 0)))
            return word, None
        ends.append(place)
    found = (ends[0], ends[1], ends[2])
    host.order(lambda: host.mirror.calibrate(channel, found))
    return "take", found


def _find_end(host: PortHost, channel: int, end: str, place: int) -> tuple[str, int]:
    while True:
        here = (place, place, place)
        host.order(lambda here=here: host.mirror.calibrate(channel, here))  # type: ignore[misc]
        print(f"channel {channel} {end} [{place}]: ", end="", flush=True)
        said = sys.stdin.readline()
        word = said.strip()
        if not said or word == "q":
            return "end", place
        if word in ("", "s"):
            return ("skip" if word else "take"), place
        place = _moved(place, word)


def _moved(place: int, word: str) -> int:
    if word in ("+", "-"):
        return max(1, place + (10 if word == "+" else -10))
    if word.isdigit() and 0 < int(word) < 65_536:
        return int(word)
    print(f"'{word}' is not understood: give a number, +, -, Enter, s or q.")
    return place
