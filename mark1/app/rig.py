"""mark1 rig: find, try, calibrate and mirror to a physical rig, or be one in software.

Words only; what they do is in firmware_bridge. Every failure is one sentence with the cure.
"""

import argparse
import contextlib
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firmware_bridge import firmware
from firmware_bridge.host import Bridge
from firmware_bridge.living import CARDS, living_machine
from firmware_bridge.messages import BOOT_CAUSES, to_wire
from firmware_bridge.port import DEFAULT_BAUD, known_ports, monotonic_us
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import PortConfig, Source, auto_sources, first_sources, rig_named
from firmware_bridge.stopping import StopListener, stop_running_hosts
from firmware_bridge.views import PortView
from mark1.app.rig_board import ANSWER_S, CURE, TURN_S, board_on, keep_values, rest_of, wait_for
from mark1.app.rig_calibrate import calibrate
from mark1.app.rig_emulate import emulate, emulate_arguments
from mark1.commands import StartTraining
from mark1.core.machine import Mark1
from mark1.errors import BridgeError, InputError
from mark1.pace import Pace
from mark1.savefile import load_machine, save_machine

TELL_EVERY_US = 5_000_000
_NO_STOP = "The board on {port} did not confirm the stop; pull its motors' plug."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after 'mark1 rig'."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("ports", help="list the serial ports of this computer")
    probe = _with_port(verbs.add_parser("probe", help="ask the board on a port who it is"))
    probe.add_argument("--seconds", type=float, default=ANSWER_S, help="how long to wait for it")
    jog = _with_port(verbs.add_parser("jog", help="put one channel at a value, in volts from -11 to 11"))
    jog.add_argument("channel", type=int, help="channel, from 0")
    jog.add_argument("volts", type=float, help="value, -11 to 11")
    calibrate = _with_port(verbs.add_parser("calibrate", help="find low, middle and high of each channel, by hand"))
    calibrate.add_argument("--file", type=Path, default=Path("rig.toml"), help="the rig file to write")
    calibrate.add_argument("--find-stops", action="store_true", help="drive measuring channels to both stops instead")
    _mirror_arguments(verbs.add_parser("mirror", help="mirror a machine file to a rig, until interrupted"))
    machine = verbs.add_parser("machine", help="make a whole machine whose A-units are the rig's channels")
    machine.add_argument("file", type=Path, help="the machine file to write")
    machine.add_argument("--channels", type=int, required=True, help="channels of the rig")
    machine.add_argument("--cards", choices=sorted(CARDS), default="bars", help="cards that it must learn")
    machine.add_argument("--seed", type=int, default=1960, help="the first wiring to try")
    emulate_arguments(verbs.add_parser("emulate", help="be a rig in software; prints the port to open"))
    sketch = verbs.add_parser("sketch", help="copy the Arduino sketch and the MicroPython version to a folder")
    sketch.add_argument("folder", type=Path)
    stop = verbs.add_parser("stop", help="emergency stop: all running hosts, or the board on a port")
    stop.add_argument("port", nargs="?", help="only needed when no mark1 is running")
    stop.add_argument("--baud", type=int, default=DEFAULT_BAUD)


def _with_port(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("port", help="a device, a URL such as socket://localhost:1960, or auto")
    parser.add_argument("--baud", type=int, default=DEFAULT_BAUD, help="as in the sketch")
    return parser


def _mirror_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a machine file")
    parser.add_argument("port", help="a device, a URL, auto, or a rig file (.toml)")
    parser.add_argument("--baud", type=int, default=DEFAULT_BAUD, help="as in the sketch")
    parser.add_argument("--once", action="store_true", help="end when the rig shows every value")
    parser.add_argument("--save", action="store_true", help="write the machine back at the end, as hands turned it")
    parser.add_argument("--train", choices=sorted(CARDS), help="train on demo cards meanwhile, at the speed of 1960")


def run(args: argparse.Namespace) -> int:
    """Carries out the verb."""
    verbs = {
        "ports": _ports,
        "probe": _probe,
        "jog": _jog,
        "calibrate": calibrate,
        "mirror": _mirror,
        "machine": _machine,
        "emulate": emulate,
        "sketch": _sketch,
        "stop": _stop,
    }
    return verbs[args.verb](args)


def runtime_folder() -> Path:
    """Where running hosts leave the address of their stop socket."""
    from platformdirs import user_cache_path

    return Path(user_cache_path("mark1", appauthor=False)) / "rig"


def _ports(args: argparse.Namespace) -> int:
    found = known_ports()
    for device, description in found:
        print(f"{device}  {description}")
    if not found:
        print("No serial port was found; plug the board in. Pseudo-terminals and URLs are never listed.")
    return 0


# ---- one board ----
def _probe(args: argparse.Namespace) -> int:
    with board_on(args, args.seconds) as host:
        board = host.link.board
        if board is None:
            raise BridgeError(host.trouble)
        says = ("measures positions", "photocells", "buttons", "calibrates")
        abilities = [text for bit, text in enumerate(says) if board.features >> bit & 1]
        cause = BOOT_CAUSES[board.boot_cause % len(BOOT_CAUSES)]
        can = ", ".join(abilities) or "values only"
        print(f"{board.name}: {board.channels} channels, protocol {board.version}; {can}")
        print(f"last start: {cause}; at most {board.motors_at_once} motors at once")
        print(f"window {board.window} bytes, round trip {host.link.statistics.round_trip_us / 1000:.1f} ms")
    return 0


def _jog(args: argparse.Namespace) -> int:
    if not -11 <= args.volts <= 11:
        raise InputError(f"{args.volts:g} volts is beyond the stops; give a value from -11 to 11.")
    with board_on(args) as host:
        channels = len(host.mirror.wanted)
        if not 0 <= args.channel < channels:
            raise InputError(f"Channel {args.channel} does not exist; this board has channels 0 to {channels - 1}.")
        keep_values(host)
        wire = host.mirror.wanted.copy()
        wire[args.channel] = to_wire(args.volts * 1e6)
        host.show(wire)
        if not wait_for(lambda: host.in_step, 10):
            raise BridgeError(f"The board did not confirm the value: {host.trouble or 'no digest came'}")
        state = rest_of(host, args.channel)
        if state != "resting":
            raise BridgeError(f"Channel {args.channel} did not come to {args.volts:g} V: it is {state}. {CURE}")
        print(f"channel {args.channel} is at {args.volts:g} V, resting")
    return 0


# ---- machines ----
@contextlib.contextmanager
def mirrored(
    text: str, machine: Mark1, lights: Any = None, targets: Any = None, baud: int = DEFAULT_BAUD
) -> Iterator[Bridge]:
    """For --rig TEXT: the machine is mirrored inside the with block; call attend(machine) on the bridge now and then.

    With a tray, map = auto takes the A-units that move most on it; without one, the first. A board that answers in the
    middle of a training gets those that were found before it.
    """
    rig = rig_named(text, baud)
    before: tuple[Source, ...] = ()
    if lights is not None and not machine.state().training.running:
        before = auto_sources(machine, lights, targets, machine.state().values.size)

    def choose(machine: Mark1, channels: int) -> tuple[Source, ...]:
        if not before:
            return first_sources(machine, channels)
        if not machine.state().training.running:
            return auto_sources(machine, lights, targets, channels)
        return before[:channels] if len(before) == machine.state().values.size else first_sources(machine, channels)

    bridge = Bridge(rig, choose)
    with contextlib.ExitStack() as opened:
        try:
            opened.callback(StopListener(runtime_folder(), bridge.stop_confirmed).close)
        except OSError as error:
            why = f"'mark1 rig stop' cannot reach this program: {runtime_folder()} cannot be written ({error.strerror})"
            bridge.ports[0].notes.append(f"{why}; stop on the panel, or pull the motors' plug.")
        opened.callback(bridge.close)
        bridge.start(machine)
        yield bridge


def _mirror(args: argparse.Namespace) -> int:
    machine = load_machine(args.file)
    tray = CARDS[args.train]() if args.train else (None, None)
    try:
        with mirrored(args.port, machine, tray[0], tray[1], args.baud) as bridge:
            _follow(bridge, machine, args.once, tray)
    except KeyboardInterrupt:
        print()
    finally:
        if args.save:
            save_machine(args.file, machine)
            print(f"wrote {args.file}")
    return 0


def _follow(bridge: Bridge, machine: Mark1, once: bool, tray: tuple[Any, Any]) -> None:
    pace, pause, said, told_us = Pace(), threading.Event(), "", monotonic_us()
    waited_until = monotonic_us() + int(ANSWER_S * 1e6)
    while True:
        pace.advance(machine, 1)
        bridge.attend(machine)
        mapped = all(port.map is not None for port in bridge.ports)
        if tray[0] is not None and mapped and not machine.state().training.running:
            machine.submit(StartTraining(*tray, passes=0))
        said = _say(said, _line(bridge))
        if monotonic_us() - told_us > TELL_EVERY_US:
            told_us = monotonic_us()
            _say("", _numbers(bridge, machine))
        if once and _all_shown(bridge.views()):
            _say("", "in step: the rig has proved that it shows every value")
            return
        if any(view.in_step and view.moving for view in bridge.views()):
            waited_until = monotonic_us() + int(ANSWER_S * 1e6)
        if once and monotonic_us() > waited_until:
            raise BridgeError(bridge.views()[0].trouble or "The rig did not come into step; try 'mark1 rig probe'.")
        pause.wait(TURN_S)


def _all_shown(views: list[PortView]) -> bool:
    """Every actuator of every board rests at its value; BridgeError if one never will."""
    for view in views:
        if view.in_step and (view.stopped or view.hindered):
            raise BridgeError(f"{view.device} does not show every value: {view.hindered or 'it is stopped'}. {CURE}")
    return all(view.shown for view in views)


def _say(before: str, now: str) -> str:
    if now != before:
        print(now, flush=True)
    return now


def _line(bridge: Bridge) -> str:
    """What changes seldom: who is there, what is wrong."""
    parts = []
    for view in bridge.views():
        if view.board is None:
            parts.append(f"{view.device}: {view.trouble}")
        else:
            state = "stopped" if view.stopped else "mirrored"
            parts.append(f"{view.device}: {view.board.name}, {len(view.sources)} channels, {state}")
        parts += view.notes[-1:]
    return "; ".join(parts)


def _numbers(bridge: Bridge, machine: Mark1) -> str:
    parts = [f"{machine.presentations} presentations"]
    for view in bridge.views():
        parts.append(
            f"{view.device}: {view.mirror.values_sent} values sent, {view.mirror.mismatches} of {view.mirror.digests} "
            f"digests differed, {view.link.frames_resent} frames sent again, {view.link.sessions} session(s), "
            f"{view.moving} motors moving"
        )
    return "; ".join(parts)


def _machine(args: argparse.Namespace) -> int:
    living = living_machine(args.channels, args.cards, args.seed)
    save_machine(args.file, living.machine)
    print(f"wrote {args.file}: {args.channels} A-units, seed {args.seed + living.seeds_tried - 1}")
    print(f"verified: it learns the cards '{living.cards}' in {living.presentations} presentations")
    return 0


# ---- sketch and stop ----
def _sketch(args: argparse.Namespace) -> int:
    source = Path(firmware.__file__).parent
    for name in ("mark1_rig", "micropython"):
        target = args.folder / name
        if target.exists():
            raise InputError(f"{target} exists already; name another folder.")
        try:
            shutil.copytree(source / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        except OSError as error:
            raise InputError(f"{target} cannot be written ({error.strerror}); name another folder.") from None
    print(f"open {args.folder / 'mark1_rig' / 'mark1_rig.ino'} in the Arduino IDE and choose the back end at its top")
    print(f"or copy main.py and the folder mark1_rig from {args.folder / 'micropython'} to a Pico")
    return 0


def _stop(args: argparse.Namespace) -> int:
    stopped = stop_running_hosts(runtime_folder())
    for port in (port for port, confirmed in stopped.items() if confirmed):
        print(f"stopped: the board on {port} confirmed it")
    if args.port is not None and not stopped.get(args.port):
        _stop_board(args)
    elif not stopped:
        raise InputError("No mark1 with a rig is running; name the port: 'mark1 rig stop PORT'.")
    silent = [port for port, confirmed in stopped.items() if not confirmed and port != args.port]
    if silent:
        raise BridgeError(f"{_NO_STOP.format(port=', '.join(silent))} mark1 says it again when the board returns.")
    return 0


def _stop_board(args: argparse.Namespace) -> None:
    host = PortHost(PortConfig(device=args.port, baud=args.baud))
    host.order(host.link.stop)
    host.start()
    try:
        # Opening may have reset the board: its motors are off, but it has not heard the stop. So say it again.
        wait_for(lambda: host.link.board is not None or host.refused, ANSWER_S)
        host.order(host.link.stop)
        if host.refused or not wait_for(lambda: host.confirmed_stop, 2.0):
            raise BridgeError(f"{_NO_STOP.format(port=args.port)} {host.trouble}".strip())
    finally:
        host.close()
    print(f"stopped: the board on {args.port} confirmed it")
