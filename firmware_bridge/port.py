"""The serial port behind four methods; the only place that imports serial.

Opens any path or pyserial URL (socket://, loop://, spy://), always exclusively. Every failure is a BridgeError of one
sentence with its cure; a port that goes away in mid-read does the same. Opening resets an Uno, Mega or Nano: that is
expected, the handshake waits for it. Left out: which board it is: only HELLO can tell.
"""

import errno
from typing import Protocol

import serial
from serial.tools import list_ports

from mark1.errors import BridgeError
from mark1.pace import wall_clock

try:
    from termios import error as _termios_error
except ImportError:  # Windows has no termios
    _termios_error = OSError  # type: ignore[assignment,misc]

DEFAULT_BAUD = 115_200
MOST_AT_ONCE = 4096
_GONE = (serial.SerialException, OSError, _termios_error)


class Port(Protocol):
    """What the bridge needs of a port."""

    def read(self) -> bytes:
        """What has arrived by now; empty if nothing. Never waits."""

    def write(self, data: bytes) -> None:
        """Writes all of it."""

    def close(self) -> None:
        """Gives the port back; never raises."""

    @property
    def name(self) -> str:
        """What the user called it."""


class SerialPort:
    """A port by pyserial."""

    def __init__(self, name: str, baud: int = DEFAULT_BAUD) -> None:
        self.name = name
        try:
            options = {} if "://" in name else {"exclusive": True}
            self._serial = serial.serial_for_url(name, baud, timeout=0, write_timeout=1.0, **options)
        except _GONE as error:
            raise BridgeError(_why_not(name, error)) from error
        except ValueError as error:
            raise BridgeError(f"'{name}' is no port that can be opened; 'mark1 rig ports' lists them.") from error

    def read(self) -> bytes:
        """All that is there. One call: each one more is a fight with the machine's thread for the interpreter."""
        try:
            return bytes(self._serial.read(MOST_AT_ONCE))
        except (*_GONE, TypeError) as error:  # pyserial 3.5 raises TypeError when a port closes under a read
            raise BridgeError(f"The rig on {self.name} went away; it is mirrored again when it returns.") from error

    def write(self, data: bytes) -> None:
        """Writes all of it, or says that the port is gone."""
        try:
            self._serial.write(data)
        except (*_GONE, TypeError) as error:
            raise BridgeError(f"The rig on {self.name} went away; it is mirrored again when it returns.") from error

    def close(self) -> None:
        """Gives the port back."""
        try:
            self._serial.close()
        except _GONE:
            return


def _why_not(name: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    text = str(error).lower()
    if number == errno.EACCES or "permission denied" in text:
        return f"No permission for {name}; join the group dialout ('sudo usermod -aG dialout $USER') and log in again."
    if number in (errno.EBUSY, errno.EAGAIN) or "lock" in text or "busy" in text:
        return f"{name} is in use by another program; close it (a serial monitor, another mark1) and try again."
    if number == errno.ENOENT or "no such file" in text or "cannot find" in text:
        return f"There is no port {name}; plug the board in, and see 'mark1 rig ports'."
    return f"{name} cannot be opened; check the cable and 'mark1 rig ports'."


def known_ports() -> list[tuple[str, str]]:
    """The ports of this computer, as (device, description); ptys and URLs are never listed."""
    return [(port.device, port.description or "") for port in sorted(list_ports.comports())]


def monotonic_us() -> int:
    """The time that links live in: whole microseconds of the one wall clock."""
    return int(wall_clock() * 1e6)
