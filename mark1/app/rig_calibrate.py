"""mark1 rig calibrate: low, middle and high of each channel, by hand or by driving it to its stops."""

import argparse
import sys
from dataclasses import replace

from firmware_bridge.commission import StopFinder, restless, usual_ends
from firmware_bridge.messages import FEATURE_MEASURES
from firmware_bridge.port import monotonic_us
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import PortConfig, RigConfig, load_rig, rig_text
from mark1.app.rig_board import board_on, keep_values, rest_of, wait_for
from mark1.errors import BridgeError
from mark1.savefile import write_atomically

ENDS = ("low", "middle", "high")
Curves = dict[int, tuple[int, int, int]]


def calibrate(args: argparse.Namespace) -> int:
    """Finds the ends of each channel and writes them into the rig file; what else is in it stays."""
    rig = load_rig(args.file) if args.file.exists() else RigConfig(ports=())
    with board_on(args) as host:
        keep_values(host)
        host.show(host.mirror.wanted.copy())
        wait_for(lambda: host.in_step, 10)
        found = _find_all_stops(host) if args.find_stops else _ask_all_ends(host)
    if not found:
        raise BridgeError(f"No channel was calibrated, so {args.file} was not written.")
    write_atomically(args.file, rig_text(_with_curves(rig, args, found)).encode())
    print(f"wrote {args.file}: {len(found)} channels calibrated")
    return 0


def _with_curves(rig: RigConfig, args: argparse.Namespace, found: Curves) -> RigConfig:
    """The rig with these curves for the port; a new port if it has none of that name."""
    ports = list(rig.ports)
    place = next((i for i, port in enumerate(ports) if port.device == args.port), None)
    if place is None:
        ports.append(PortConfig(device=args.port, baud=args.baud, map="first", calibration=found))
    else:
        ports[place] = replace(ports[place], calibration={**ports[place].calibration, **found})
    return replace(rig, ports=tuple(ports))


def _find_all_stops(host: PortHost) -> Curves:
    if host.link.board is None or not host.link.board.features & FEATURE_MEASURES:
        raise BridgeError("This board does not measure positions; calibrate without --find-stops.")
    found = {}
    for channel in range(len(host.mirror.wanted)):
        try:
            found[channel] = _find_stops(host, StopFinder(host.mirror, channel))
        except BridgeError as error:
            print(f"left out: {error}", flush=True)
            host.order(lambda channel=channel: host.mirror.calibrate(channel, (0, 0, 0)))  # type: ignore[misc]
            continue
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


def _ask_all_ends(host: PortHost) -> Curves:
    print("For each end: a number moves there, + and - move by 10, Enter takes it, s skips the channel, q ends.")
    found: Curves = {}
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
        host.order(lambda: None if host.mirror.stopped else host.mirror.resume())  # what stalled may move again
        print(f"channel {channel} {end} [{place}]: ", end="", flush=True)
        said = sys.stdin.readline()
        word = said.strip()
        if not said or word == "q":
            return "end", place
        if word == "s":
            return "skip", place
        if word:
            place = _moved(place, word)
        elif (state := _hindered(host, channel)) is None:
            return "take", place
        else:
            print(f"channel {channel} does not reach {place}: it is {state}. Give a number that it can reach, or s.")


def _hindered(host: PortHost, channel: int) -> str | None:
    """On a board that measures: what keeps a channel from its place."""
    board = host.link.board
    if board is None or not board.features & FEATURE_MEASURES:
        return None
    state = rest_of(host, channel)
    return None if state == "resting" else state


def _moved(place: int, word: str) -> int:
    if word in ("+", "-"):
        return max(1, place + (10 if word == "+" else -10))
    if word.isdigit() and 0 < int(word) < 65_536:
        return int(word)
    print(f"'{word}' is not understood: give a number, +, -, Enter, s or q.")
    return place
