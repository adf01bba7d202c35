"""Puts the emulated board behind a pty or a TCP port, so that any program can open it like a real one.

One thread, the caller's: serve() turns until told to end. Faults on request: a noisy cable, resets, a line that goes
away. Left out: Windows ptys; use TCP there (socket://localhost:PORT).
"""

import os
import random
import select
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from firmware_bridge.emulator import Emulator, Noise
from firmware_bridge.port import monotonic_us
from mark1.errors import BridgeError

TURN_S = 0.001


class Line(Protocol):
    """The emulator's end of a cable."""

    address: str

    def read(self) -> bytes:
        """What the host wrote, after a wait of at most TURN_S."""

    def write(self, data: bytes) -> None:
        """To the host, if there is one."""

    def close(self) -> None:
        """Takes the line away."""


class PtyLine:
    """A pseudo-terminal; hosts come and go, the line stays."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            raise BridgeError("Windows has no pseudo-terminals; use 'mark1 rig emulate --tcp 1960'.")
        import tty

        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.address = os.ttyname(self._slave)

    def read(self) -> bytes:
        """What the host wrote."""
        ready, _, _ = select.select([self._master], [], [], TURN_S)
        try:
            return os.read(self._master, 4096) if ready else b""
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """To the host; what nobody reads is lost, as on a real line."""
        try:
            os.write(self._master, data)
        except OSError:
            return

    def close(self) -> None:
        """Takes the line away."""
        os.close(self._master)
        os.close(self._slave)


class TcpLine:
    """A TCP port on this computer; one host at a time, the newest wins."""

    def __init__(self, port: int = 0) -> None:
        self._server = socket.create_server(("127.0.0.1", port))
        self._server.setblocking(False)
        self._host: socket.socket | None = None
        self.address = f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def read(self) -> bytes:
        """What the host wrote."""
        watched = [self._server] + ([self._host] if self._host else [])
        ready, _, _ = select.select(watched, [], [], TURN_S)
        if self._server in ready:
            self._drop()
            self._host, _ = self._server.accept()
            self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return b""
        return self._receive() if self._host in ready else b""

    def _receive(self) -> bytes:
        assert self._host is not None
        try:
            data = self._host.recv(4096)
        except OSError:
            data = b""
        if not data:
            self._drop()
        return data

    def _drop(self) -> None:
        if self._host is not None:
            self._host.close()
            self._host = None

    def write(self, data: bytes) -> None:
        """To the host, if there is one."""
        try:
            if self._host is not None:
                self._host.sendall(data)
        except OSError:
            self._drop()

    def close(self) -> None:
        """Takes the line away."""
        self._drop()
        self._server.close()


@dataclass(slots=True)
class Faults:
    """What goes wrong on request: noise per byte, seconds between resets, and what a reset is called."""

    noise: float = 0.0
    reset_every_s: float = 0.0
    reset_cause: int = 2
    seed: int = 1960
    _next_reset_us: int = field(default=0)

    def due(self, now_us: int) -> bool:
        """Is a reset due?"""
        if not self.reset_every_s:
            return False
        if not self._next_reset_us:
            self._next_reset_us = now_us + int(self.reset_every_s * 1e6)
        if now_us < self._next_reset_us:
            return False
        self._next_reset_us = now_us + int(self.reset_every_s * 1e6)
        return True


def serve(emulator: Emulator, line: Line, faults: Faults, ended: Callable[[], bool]) -> None:
    """Runs the board until ended() says so."""
    chance = random.Random(faults.seed)
    there, back = Noise(faults.noise, chance), Noise(faults.noise, chance)
    while not ended():
        data = line.read()
        now_us = monotonic_us()
        if faults.due(now_us):
            emulator.reset(faults.reset_cause)
        out = emulator.exchange(there.spoil(data) if faults.noise else data, now_us)
        if out:
            line.write(back.spoil(out) if faults.noise else out)
