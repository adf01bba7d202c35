"""The host's side of a whole rig: one thread per port, a mirror each, and the machine that never waits for them.

The machine's thread only leaves a snapshot when a port has used up the last one, and picks up commands; both are a
swap of one reference. A port is opened again for ever, with growing pauses, after unplug, reset or reflash. After two
brown-outs the motors allowed at once are halved, and the notes say why. Left out: pictures of all this (the panel).
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from firmware_bridge.commission import Bench
from firmware_bridge.link import Board, Link
from firmware_bridge.messages import BUTTONS, Wire, to_microvolts
from firmware_bridge.mirror import Hand, Mirror, Press
from firmware_bridge.opening import Opener, SerialOpener
from firmware_bridge.port import Port, monotonic_us
from firmware_bridge.rig import ChannelMap, PortConfig, RigConfig, Source, check_sources
from firmware_bridge.views import PortView
from mark1.commands import ClearRetina, Command, PresentStimulus, ReportPotentiometer, Teach
from mark1.errors import BridgeError, ConfigError, InputError
from mark1.facts import Rehearsed

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 5.0
TURN_S = 0.003  # chosen: at 115200 baud, 35 bytes
CALM_TURN_S = 0.012  # chosen: while the machine rehearses, which each turn of a port's thread disturbs
CALM_US = 100_000
JUST_OPENED_US = 3_000_000  # a board that starts within this time was reset by opening the port
BROWN_OUTS = 2
AUTO_PATIENCE_US = 4_000_000  # a bootloader takes up to two seconds
SILENT_US = 14_000_000  # a Mega whose bootloader was disturbed needs ten seconds

BAUD_WORDS = "--baud of 'mark1 rig', or baud in a rig file"
Chooser = Callable[[Any, int], tuple[Source, ...]]  # machine, channels -> sources


def _nonce() -> int:
    return int.from_bytes(os.urandom(4), "little")


@dataclass(slots=True)
class PortHost:
    """One port, its thread, its mirror."""

    config: PortConfig
    opener: Opener = field(default_factory=SerialOpener)
    clock: Callable[[], int] = monotonic_us
    trouble: str = "The port is not open yet."
    openings: int = 0
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    link: Link = field(default_factory=lambda: Link(_nonce, host=_nonce()))
    mirror: Mirror = field(init=False)
    bench: Bench = field(init=False)
    map: ChannelMap | None = None
    unmappable: tuple[int, ...] = ()  # banks and A-units of a machine that the map does not fit
    hungry: bool = True
    calm_until_us: int = 0  # the machine rehearses, as far as is known
    _latest: deque[tuple[int, Wire]] = field(default_factory=lambda: deque(maxlen=1))  # appended and popped atomically
    _given: int = 0
    _used: int = 0
    _orders: deque[Callable[[], None]] = field(default_factory=deque)
    _opened_us: int = 0
    _ending: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _brown_outs: int = 0
    _sessions: int = 0

    def __post_init__(self) -> None:
        self.mirror = Mirror(self.link, dict(self.config.calibration), self.config.limits)
        self.bench = Bench(self.mirror)

    # ---- any thread ----
    def start(self) -> None:
        """Starts the port's thread."""
        self._thread = threading.Thread(target=self._live, name=f"rig {self.config.device}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and gives the port back."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(3.0)

    def show(self, wire: Wire) -> None:
        """The newest values; an older snapshot that was not used yet is forgotten."""
        self._given += 1
        self._latest.append((self._given, wire))
        self.hungry = False

    def order(self, call: Callable[[], None]) -> None:
        """Something for the port's thread to do with its mirror or link."""
        self._orders.append(call)

    # ---- the port's thread ----
    def _live(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._ending.is_set():
            try:
                port = self.opener(self.config)
            except BridgeError as error:
                self.trouble = str(error)
                self._ending.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
                continue
            pause = FIRST_PAUSE_S
            self._serve(port)

    def _serve(self, port: Port) -> None:
        self.openings += 1
        self._opened_us = self.clock()
        try:
            while not self._ending.wait(self._pause_s()):
                self.turn(port)
        except BridgeError as error:
            self._lost(str(error))
        except Exception as error:  # a mistake in this program: said, never silent, and the machine goes on
            self.notes.append(f"The bridge to {self.config.device} failed ({error!r}); it starts again.")
            self._lost(self.notes[-1])
        finally:
            port.close()

    def _pause_s(self) -> float:
        """Between two turns: a machine at full speed pays for each of them (docs/decisions/bridge.md)."""
        return CALM_TURN_S if self.clock() < self.calm_until_us else TURN_S

    def _lost(self, reason: str) -> None:
        self.trouble = reason
        self.link.forget(reason)
        self.mirror.in_step = False
        self._ending.wait(FIRST_PAUSE_S)

    def turn(self, port: Port) -> None:
        """One turn: orders, newest values, write, read."""
        while self._orders:
            self._orders.popleft()()
        if self._latest and len(self.mirror.wanted):
            number, wire = self._latest.popleft()
            self.bench.show(wire)
            self._used = number
            self.hungry = True
        now_us = self.clock()
        self.bench.poll(now_us)
        self.mirror.poll(now_us)
        out = self.link.transmit(now_us)
        if out:
            port.write(out)
        data = port.read()
        if data:
            moving = self.mirror.moving
            self.mirror.take(self.link.receive(data, self.clock()))
            self._watch_boots(moving)
        self.trouble = self.link.trouble
        silent = self.link.board is None and not self.link.statistics.frames_received
        if self.config.device == "auto" and silent and self.clock() - self._opened_us > AUTO_PATIENCE_US:
            raise BridgeError(
                f"No rig answered on {port.name}, the next port is tried; flash the sketch that 'mark1 rig sketch' "
                "gives, or name the port."
            )
        if silent and self.clock() - self._opened_us > SILENT_US:
            self.trouble = self.silence()

    def silence(self) -> str:
        """Why a board on an open port may not have answered."""
        if self.link.statistics.checksum_failures:
            return f"The board on {self.config.device} sends garbage; give its sketch's baud rate ({BAUD_WORDS})."
        return (
            f"Nothing answered on {self.config.device}; flash the sketch that 'mark1 rig sketch' gives, or give its "
            f"baud rate ({BAUD_WORDS})."
        )

    def _watch_boots(self, moving: int) -> None:
        """Counts boots that the board calls a brown-out, or that came by themselves while motors moved."""
        board, sessions = self.link.board, self.link.statistics.sessions
        if board is None or sessions == self._sessions:
            return
        self._sessions = sessions
        unasked = self.openings > 0 and self.clock() - self._opened_us > JUST_OPENED_US and moving > 0
        if board.sessions == 1 and (board.boot_cause == 3 or unasked):
            self._brown_outs += 1
            if self._brown_outs % BROWN_OUTS == 0:
                self._ease(board)

    def _ease(self, board: Board) -> None:
        was = self.mirror.limits.motors_at_once or board.motors_at_once
        less = max(1, was // 2)
        self.mirror.set_limits(replace(self.mirror.limits, motors_at_once=less))
        self.notes.append(
            f"The board on {self.config.device} lost power {self._brown_outs} times while motors moved: "
            f"motors at once lowered from {was} to {less}; use a stronger supply for the motors."
        )

    @property
    def in_step(self) -> bool:
        """The board has proved that it shows the newest snapshot."""
        return self.mirror.in_step and self._used == self._given

    def as_config(self) -> PortConfig:
        """The port with the curves and the map of now."""
        ends = {channel: ends for channel, ends in self.mirror.calibration.items() if any(ends)}
        if self.map is None:
            return replace(self.config, calibration=ends)
        return replace(self.config, map="list", sources=self.map.sources, calibration=ends)

    def view(self) -> PortView:
        """A copy for the panel."""
        mirror, link = self.mirror, self.link
        board = link.board
        at_once = mirror.limits.motors_at_once or (board.motors_at_once if board else 0)
        return PortView(
            self.config.device,
            board,
            self.trouble,
            self.in_step,
            mirror.stopped,
            self.openings,
            at_once,
            mirror.moving,
            mirror.wanted.copy(),
            mirror.measured.copy(),
            mirror.states.copy(),
            self.map.sources if self.map else (),
            tuple(self.notes),
            replace(link.statistics),
            replace(mirror.statistics),
            dict(mirror.calibration),
            frozenset(self.bench.held),
            self.bench.finding,
            self.bench.found,
        )


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
                port.calm_until_us = port.clock() + CALM_US
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
        sources = port.config.sources[: board.channels] or self.choose(machine, board.channels)
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
