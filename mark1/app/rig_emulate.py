"""mark1 rig emulate: a rig in software behind a port, with hands, buttons and faults by typed words."""

import argparse
import contextlib
import signal
import sys
import threading
from collections import deque

from firmware_bridge.emulator import KINDS, Emulator
from firmware_bridge.messages import BROWN_OUT, BUTTONS
from firmware_bridge.port import monotonic_us
from firmware_bridge.serve import Faults, Line, PtyLine, TcpLine, serve
from mark1.errors import BridgeError, InputError

WORDS = "turn CHANNEL COUNTS (0-1023), press present|right|wrong|clear, jam CHANNEL, free CHANNEL, reset, brownout"


def emulate_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after 'mark1 rig emulate'."""
    parser.add_argument("--channels", type=int, default=16)
    parser.add_argument("--kind", choices=KINDS, default="motors")
    parser.add_argument("--tcp", type=int, metavar="PORT", help="listen on a TCP port instead of a pseudo-terminal")
    parser.add_argument("--noise", type=float, default=0.0, help="chance that a byte is damaged, both ways")
    parser.add_argument("--reset-every", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--photocells", default="", metavar="HEX", help="light on the photocells, two digits each")
    parser.add_argument("--seconds", type=float, default=0.0, help="end after so long (default: when interrupted)")


def emulate(args: argparse.Namespace) -> int:
    """Serves until interrupted, or for the seconds given."""
    if not 1 <= args.channels <= 4096:
        raise InputError(f"{args.channels} channels cannot be emulated; give 1 to 4096.")
    emulator = Emulator(args.channels, args.kind)
    emulator.show(_light(args.photocells))
    line: Line = PtyLine() if args.tcp is None else _tcp(args.tcp)
    print(f"open {line.address}", flush=True)
    print(f"words: {WORDS}", flush=True)
    end = monotonic_us() + args.seconds * 1e6 if args.seconds else None
    typed = _typed_lines()

    def ended() -> bool:
        while typed:
            print(obey(emulator, typed.popleft()), flush=True)
        return end is not None and monotonic_us() > end

    try:
        serve(emulator, line, Faults(noise=args.noise, reset_every_s=args.reset_every), ended)
    except KeyboardInterrupt:
        print()
    finally:
        line.close()
    return 0


def _light(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InputError(f"--photocells '{text}' is not hexadecimal; give two digits for each photocell.") from None


def _tcp(port: int) -> TcpLine:
    try:
        return TcpLine(port)
    except (OSError, OverflowError) as error:
        raise BridgeError(f"TCP port {port} cannot be used ({error}); give another.") from None


def _typed_lines() -> deque[str]:
    """Lines from the keyboard, gathered by a thread that ends with the program."""
    lines: deque[str] = deque()

    def gather() -> None:
        with contextlib.suppress(OSError, ValueError):
            lines.extend(sys.stdin)

    if hasattr(signal, "SIGTTIN"):  # started with '&', reading the keyboard must fail, not stop the program
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    threading.Thread(target=gather, daemon=True).start()
    return lines


def obey(emulator: Emulator, text: str) -> str:
    """Carries out one typed line; the answer is a sentence."""
    match text.split():
        case ["turn", channel, counts] if _within(channel, emulator.channels) and _within(counts, 1024):
            emulator.plant.turn(int(channel), int(counts))
        case ["press", button] if button in BUTTONS:
            emulator.press(BUTTONS.index(button))
        case ["jam", channel] if _within(channel, emulator.channels):
            emulator.plant.jammed.add(int(channel))
        case ["free", channel] if _within(channel, emulator.channels):
            emulator.plant.jammed.discard(int(channel))
        case ["reset"]:
            emulator.reset()
        case ["brownout"]:
            emulator.reset(BROWN_OUT)
        case _:
            return f"'{text.strip()}' is not understood; words: {WORDS}."
    return f"done: {text.strip()}"


def _within(text: str, limit: int) -> bool:
    return text.isdigit() and int(text) < limit
