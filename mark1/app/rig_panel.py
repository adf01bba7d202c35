"""--rig for the panel: the bridge in the panel's words. Nothing here waits for a port."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from firmware_bridge.commission import usual_ends
from firmware_bridge.host import Bridge
from firmware_bridge.messages import CHANNEL_STATES, FEATURE_CALIBRATES, FEATURE_MEASURES, FULL_WIRE, to_wire
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import Source, rig_text
from firmware_bridge.views import PortView
from mark1 import Mark1
from mark1.errors import BridgeError, ConfigError
from mark1.panel.rig import FULL_V, STATES, BoardView, Ends, LinkFacts, Outcome
from mark1.savefile import write_atomically

assert STATES == CHANNEL_STATES, "the panel's names of channel states are the protocol's"


def _board(view: PortView) -> BoardView:
    volts = FULL_V / FULL_WIRE
    board, link, mirror = view.board, view.link, view.mirror
    facts = LinkFacts(
        link.round_trip_us / 1000, mirror.values_sent, mirror.digests, mirror.mismatches,
        link.frames_resent, link.checksum_failures, link.sessions, view.openings,
    )  # fmt: skip
    found = None if view.found is None else Outcome(view.found.channel, view.found.ends, view.found.trouble)
    size = min(len(view.wanted), len(view.measured), len(view.states))  # resized one after the other by their thread
    return BoardView(
        device=view.device,
        name=board.name if board is not None else "",
        trouble=view.trouble,
        note=view.notes[-1] if view.notes else "",
        proved=view.in_step,
        stopped=view.stopped,
        measures=board is not None and bool(board.features & FEATURE_MEASURES),
        at_once=view.motors_at_once,
        wanted_v=view.wanted[:size].astype(np.float64) * volts,
        measured_v=view.measured[:size].astype(np.float64) * volts,
        states=np.minimum(view.states[:size], len(STATES) - 1),
        sources=view.sources,
        held=view.held,
        finding=view.finding,
        found=found,
        link=facts,
    )


@dataclass
class PanelRig:
    """A bridge, as the panel's page uses it."""

    bridge: Bridge
    file: Path  # where KEEP writes

    def attend(self, machine: Mark1) -> None:
        """Once a frame."""
        self.bridge.attend(machine)

    def boards(self) -> list[BoardView]:
        """Every port."""
        return [_board(view) for view in self.bridge.views()]

    def _port(self, board: int) -> PortHost:
        return self.bridge.ports[board]

    def curve(self, board: int, channel: int) -> tuple[Ends, bool]:
        """The ends of a channel, and whether they are its own."""
        port = self._port(board)
        own = port.mirror.calibration.get(channel, (0, 0, 0))
        return (own, True) if any(own) else (usual_ends(port.link.board), False)

    def bend(self, board: int, channel: int, ends: Ends) -> None:
        """Other ends, held within the firmware's travel; those of the firmware itself are (0, 0, 0) to it."""
        port = self._port(board)
        if port.link.board is None or not port.link.board.features & FEATURE_CALIBRATES:
            raise BridgeError("This board keeps no curves; change the ends in its sketch.")
        usual = usual_ends(port.link.board)
        low, middle, high = (max(usual[0], min(usual[2], end)) for end in ends)
        port.order(lambda: port.mirror.calibrate(channel, (low, middle, high)))

    def hold(self, board: int, channel: int, volts: float) -> None:
        """A value by hand."""
        port, wire = self._port(board), int(to_wire(volts * 1e6))
        port.order(lambda: port.bench.hold(channel, wire))

    def let_go(self) -> None:
        """Every channel follows the machine."""
        for port in self.bridge.ports:
            port.order(port.bench.let_go)

    def find_stops(self, board: int, channel: int) -> None:
        """Drives a measuring channel to both its stops."""
        port = self._port(board)
        if port.link.board is None or not port.link.board.features & FEATURE_MEASURES:
            raise BridgeError("This board does not measure positions; use LOW, MIDDLE, HIGH and TRIM instead.")
        port.order(lambda: port.bench.find(channel))

    def listen(self, on: bool) -> None:
        """A turned knob is only named."""
        if on and not any(p.link.board is not None and p.link.board.features & FEATURE_MEASURES
                          for p in self.bridge.ports):  # fmt: skip
            raise BridgeError("This board does not feel its knobs; find the channel with JOG instead.")
        self.bridge.naming, self.bridge.named = on, None

    def named(self) -> tuple[int, int] | None:
        """Whose knob was turned."""
        return self.bridge.named

    def shows(self, board: int, channel: int, unit: int) -> None:
        """Another A-unit on a channel."""
        sources = list(self._sources(board, channel))
        sources[channel] = Source("value", unit)
        self.bridge.remap(board, tuple(sources))

    def swap(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        """Two channels change places."""
        maps = {board: list(self._sources(board, channel)) for board, channel in (one, other)}
        for board, channel in (one, other):
            self._sources(board, channel)
        a, b = maps[one[0]][one[1]], maps[other[0]][other[1]]
        maps[one[0]][one[1]], maps[other[0]][other[1]] = b, a
        for board, sources in maps.items():
            self.bridge.remap(board, tuple(sources))

    def _sources(self, board: int, channel: int) -> tuple[Source, ...]:
        mapped = self._port(board).map
        if mapped is None or channel >= len(mapped.sources):
            raise ConfigError(f"Channel {channel} shows nothing: the machine has fewer A-units than the rig channels.")
        return mapped.sources

    def keep(self) -> tuple[str, dict[str, object]]:
        """The rig file."""
        write_atomically(self.file, rig_text(self.bridge.as_config()).encode())
        return "Kept. The next time: mark1 --rig {file}", {"file": self.file}

    def stop(self) -> None:
        """Emergency stop."""
        self.bridge.stop()

    def resume(self) -> None:
        """Lifts it."""
        self.bridge.resume()


def rig_file(text: str, folder: Path) -> Path:
    """Where the page keeps a rig: the file it came from, or rig.toml in the folder of machines."""
    return Path(text) if text.endswith(".toml") else folder / "rig.toml"
