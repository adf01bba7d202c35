"""The host's side of a whole rig: a port host each, and the machine that never waits for them.

The machine's thread only leaves a snapshot when a port has used up the last one, and picks up commands; both are a
swap of one reference. Left out: threads, cables and boards (porthost.py), pictures of all this (the panel).
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from firmware_bridge.messages import BUTTONS, to_microvolts
from firmware_bridge.mirror import Hand, Press
from firmware_bridge.opening import Opener, SerialOpener
from firmware_bridge.porthost import PortHost
from firmware_bridge.rig import ChannelMap, RigConfig, Source, check_sources, first_sources
from firmware_bridge.views import PortView
from mark1.commands import ClearRetina, Command, PresentStimulus, ReportPotentiometer, Teach
from mark1.errors import ConfigError, InputError
from mark1.facts import Rehearsed
from mark1.pace import wall_clock

Chooser = Callable[[Any, int], tuple[Source, ...]]  # machine, channels -> sources


class Bridge:
    """A rig on a machine. Call attend(machine) once a frame, or after each run; it never waits."""

    def __init__(self, rig: RigConfig, choose: Chooser, opener: Opener | None = None) -> None:
        self.rig = rig
        self.choose = choose
        self.ports = [PortHost(config, opener or SerialOpener()) for config in rig.ports]
        self.rejected = 0
        self.naming = False  # "turn the knob you mean": a turned knob is only named, and goes back to its value
        self.named: tuple[int, int] | None = None  # port, channel
        self._machine: Any = None
        self._stale = True
        self._hands: list[tuple[PortHost, int]] = []

    def watch(self, machine: Any) -> None:
        """Observes the machine; whoever wants no threads turns the ports."""
        self._machine = machine
        machine.observe(self._fact)

    def start(self, machine: Any) -> None:
        """Observes the machine and starts the ports."""
        self.watch(machine)
        for port in self.ports:
            port.start()

    def close(self) -> None:
        """Lets the machine and the ports go; the firmware switches its motors off by itself."""
        if self._machine is not None:
            self._machine.unobserve(self._fact)
        for port in self.ports:
            port.close()

    def _fact(self, fact: Any) -> None:
        """In the machine's thread: only a glance at whether a port wants a new snapshot."""
        self._stale = True
        if isinstance(fact, Rehearsed):
            for port in self.ports:
                port.be_calm()
        for port in self.ports:
            if port.hungry and port.map is not None:
                self._show()
                return

    def attend(self, machine: Any) -> None:
        """Maps new boards, submits what the rig said, shows the newest values."""
        for port in self.ports:
            board = port.link.board
            if port.map is None or (board is not None and board.channels != port.map.channels):
                self._map(port, machine)
        commands = self.commands(machine)
        for command in commands:
            self.rejected += not self._submitted(machine, command)
        if self._stale or commands:
            self._show()
        for port, channel in self._hands:
            port.order(lambda port=port, channel=channel: port.mirror.release([channel]))  # type: ignore[misc]
        self._hands = []

    def _submitted(self, machine: Any, command: Command) -> bool:
        try:
            return bool(machine.submit(command))
        except InputError as error:  # a knob beyond this machine's stops; its motor takes it back
            self.ports[0].notes.append(f"The machine refused what the rig said: {error}")
            return False

    def _map(self, port: PortHost, machine: Any) -> None:
        board = port.link.board  # the port's thread may take it away meanwhile
        state = machine.state()
        if board is None or port.unmappable == state.values.shape:
            return
        choose = first_sources if port.config.map == "first" else self.choose
        sources = port.config.sources[: board.channels] or choose(machine, board.channels)
        try:
            check_sources(sources, state)
        except ConfigError as error:
            port.unmappable = state.values.shape
            port.notes.append(str(error))
            return
        port.map = ChannelMap(sources, state, board.channels)
        self._stale = True

    def _show(self) -> None:
        state = self._machine.state()
        self._stale = False
        for port in self.ports:
            if port.map is not None and not port.map.fits(state):
                port.map = None  # another machine behind the same door; attend() maps it anew
            if port.map is not None:
                port.show(port.map.wire(state))

    # ---- the way back ----
    def commands(self, machine: Any) -> list[Command]:
        """What hands and buttons ask of the machine, oldest first; hands are released by the next attend()."""
        out: list[Command] = []
        for port in self.ports:
            while port.mirror.events:
                event = port.mirror.events.popleft()
                out += self._hand(port, event) if isinstance(event, Hand) else self._press(machine, event, port)
        return out

    def _hand(self, port: PortHost, hand: Hand) -> list[Command]:
        self._hands.append((port, hand.channel))
        if self.naming:
            self.named = (self.ports.index(port), hand.channel)
            return []
        if port.map is None or hand.channel >= len(port.map.sources):
            return []
        source = port.map.sources[hand.channel]
        if source.kind != "value" or port.mirror.wanted[hand.channel] == hand.wire:
            return []  # a sum or a lamp is an answer, not a knob
        several = self._machine.state().values.shape[0] > 1
        return [ReportPotentiometer(source.unit, to_microvolts(hand.wire), source.bank if several else None)]

    def _press(self, machine: Any, press: Press, port: PortHost) -> list[Command]:
        button = BUTTONS[press.button] if press.button < len(BUTTONS) else ""
        if button == "present":
            light = self.light(machine.state(), port)
            return [] if light is None else [PresentStimulus(light)]
        if button == "clear":
            return [ClearRetina()]
        if button not in ("right", "wrong"):
            return []
        states = machine.response.states
        targets = [0] * len(states)
        response = min(self.rig.response, len(states) - 1)
        targets[response] = int(states[response]) * (1 if button == "right" else -1)
        return [Teach(tuple(targets), "forced" if button == "right" else "error correction")]

    def light(self, state: Any, port: PortHost) -> Any:
        """The photocells' light on the whole retina, each photocell a block of cells; None if there are none."""
        rows, columns = self.rig.photocell_rows, self.rig.photocell_columns
        if not rows or len(port.mirror.light) < rows * columns:
            return None
        seen = np.frombuffer(bytes(port.mirror.light[: rows * columns]), np.uint8).reshape(rows, columns) / 255.0
        retina = state.config.retina
        row = np.arange(retina.rows) * rows // retina.rows
        column = np.arange(retina.columns) * columns // retina.columns
        return seen[np.ix_(row, column)].ravel()

    # ---- for the panel and the stop ----
    def stop(self) -> None:
        """Emergency stop on every port."""
        for port in self.ports:
            port.order(port.bench.stop)

    def stop_confirmed(self, limit_s: float = 1.5) -> dict[str, bool]:
        """Emergency stop from another thread: waits a little, and says of every port whether its board agreed."""
        self.stop()
        pause, end = threading.Event(), wall_clock() + limit_s
        while wall_clock() < end and not all(port.confirmed_stop for port in self.ports):
            pause.wait(0.01)
        return {port.name or port.config.device: port.confirmed_stop for port in self.ports}

    def resume(self) -> None:
        """Lifts the stop on every port."""
        for port in self.ports:
            port.order(port.bench.resume)

    def remap(self, number: int, sources: tuple[Source, ...]) -> None:
        """Other sources for a port's channels, kept also for the next board and machine on it."""
        port, state = self.ports[number], self._machine.state()
        check_sources(sources, state)
        if port.map is not None:
            port.config = replace(port.config, map="list", sources=sources)
            port.map = ChannelMap(sources, state, port.map.channels)
            self._show()

    def as_config(self) -> RigConfig:
        """The rig as it is now, curves and map included, to be kept in a file."""
        return replace(self.rig, ports=tuple(port.as_config() for port in self.ports))

    def views(self) -> list[PortView]:
        """Every port, for the panel."""
        return [port.view() for port in self.ports]
