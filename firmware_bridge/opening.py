"""Which port to open next: the named one, or for "auto" each of this computer's in turn."""

from collections.abc import Callable

from firmware_bridge.port import Port, SerialPort, known_ports
from firmware_bridge.rig import PortConfig
from mark1.errors import BridgeError

Opener = Callable[[PortConfig], Port]


class SerialOpener:
    """Opens the named port; for "auto", the computer's ports in turn, since only HELLO tells which is a rig."""

    def __init__(self) -> None:
        self._turn = 0

    def __call__(self, config: PortConfig) -> Port:
        if config.device != "auto":
            return SerialPort(config.device, config.baud)
        names = [name for name, _ in known_ports()]
        if not names:
            raise BridgeError("No serial port was found; plug the board in, or name its port.")
        self._turn += 1
        return SerialPort(names[self._turn % len(names)], config.baud)
