"""The stop socket: a running host listens on this computer, so that 'mark1 rig stop' reaches it at once.

The port and a secret are in a file that only this user can read; the file goes when the host ends. Left out: other
computers: it listens on the loopback address alone.
"""

import contextlib
import json
import os
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

ANSWER_S = 4.0  # the host waits for its boards first
Stopped = Mapping[str, bool]  # port -> whether its board confirmed the stop


class StopListener:
    """Calls stop() when someone who knows the secret says so, and tells what came of it."""

    def __init__(self, folder: Path, stop: Callable[[], Stopped]) -> None:
        self._stop = stop
        self._secret = secrets.token_hex(16)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._file = folder / f"rig-{os.getpid()}-{self._server.getsockname()[1]}.json"
        folder.mkdir(parents=True, exist_ok=True)
        self._write()
        self._thread = threading.Thread(target=self._listen, name="rig stop", daemon=True)
        self._thread.start()

    def _write(self) -> None:
        text = json.dumps({"port": self._server.getsockname()[1], "secret": self._secret})
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)

    def _listen(self) -> None:
        while True:
            try:
                caller, _ = self._server.accept()
            except OSError:
                return
            with caller:
                self._answer(caller)

    def _answer(self, caller: socket.socket) -> None:
        caller.settimeout(ANSWER_S)
        try:
            said = caller.recv(200).decode("ascii", "replace").strip()
            if secrets.compare_digest(said.encode(), self._secret.encode()):
                caller.sendall(json.dumps(dict(self._stop())).encode() + b"\n")
        except OSError:
            return

    def close(self) -> None:
        """Stops listening."""
        self._file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not every system shuts a listening socket down; close() is enough there
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(1.0)


def stop_running_hosts(folder: Path) -> dict[str, bool]:
    """Tells every running host of this user to stop its rig: for each port, whether its board confirmed it."""
    found: dict[str, bool] = {}
    for file in sorted(folder.glob("rig-*.json")):
        found |= _tell(file)
    return found


def _tell(file: Path) -> Stopped:
    try:
        data = json.loads(file.read_text())
        with socket.create_connection(("127.0.0.1", int(data["port"])), ANSWER_S) as host:
            host.sendall(str(data["secret"]).encode() + b"\n")
            with host.makefile("rb") as answer:
                said = json.loads(answer.readline(10_000) or b"{}")
            return {str(port): said[port] is True for port in said}
    except ConnectionRefusedError:
        file.unlink(missing_ok=True)  # left behind by a host that died
        return {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
