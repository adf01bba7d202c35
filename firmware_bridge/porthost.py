"""One port of a rig: its thread, its link, its mirror.

A port is opened again for ever, with growing pauses, after unplug, reset or reflash. Turns are paced, because each one
is a fight with the machine's thread for the interpreter. After two brown-outs the motors allowed at once are halved,
and the notes say why. Left out: what the values are (host.py).
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from firmware_bridge.commission import Bench
from firmware_bridge.link import Board, Link
from firmware_bridge.messages import Wire
from firmware_bridge.mirror import Mirror
from firmware_bridge.opening import Opener, SerialOpener
from firmware_bridge.port import Port, monotonic_us
from firmware_bridge.rig import ChannelMap, PortConfig
from firmware_bridge.views import PortView
from mark1.errors import BridgeError

NOT_OPEN = "The port is not open yet."
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 5.0
TURN_S = 0.003  # chosen: at 115200 baud, 35 bytes
CALM_TURN_S = 0.012  # chosen: while the machine rehearses, which each turn of a port's thread disturbs
CALM_US = 100_000  # a machine that rehearsed so lately still does
JUST_OPENED_US = 3_000_000  # a board that starts within this time was reset by opening the port
BROWN_OUTS = 2
BROWN_OUTS_WITHIN_US = 3_600_000_000  # chosen: a power cut now and then over months is no weak supply
AUTO_PATIENCE_US = 4_000_000  # a bootloader takes up to two seconds
SILENT_US = 14_000_000  # a Mega whose bootloader was disturbed needs ten seconds

BAUD_WORDS = "--baud of 'mark1 rig', or baud in a rig file"


def _nonce() -> int:
    return int.from_bytes(os.urandom(4), "little")


@dataclass(slots=True)
class PortHost:
    """One port, its thread, its mirror."""

    config: PortConfig
    opener: Opener = field(default_factory=SerialOpener)
    clock: Callable[[], int] = monotonic_us
    trouble: str = NOT_OPEN
    name: str = ""  # of the port that is open, or was last
    openings: int = 0
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    link: Link = field(default_factory=lambda: Link(_nonce, host=_nonce()))
    mirror: Mirror = field(init=False)
    bench: Bench = field(init=False)
    map: ChannelMap | None = None
    unmappable: tuple[int, ...] = ()  # banks and A-units of a machine that the map does not fit
    hungry: bool = True
    _latest: deque[tuple[int, Wire]] = field(default_factory=lambda: deque(maxlen=1))  # appended and popped atomically
    _calm_until_us: int = 0
    _given: int = 0
    _used: int = 0
    _orders: deque[Callable[[], None]] = field(default_factory=deque)
    _opened_us: int = 0
    _ending: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _brown_outs: list[int] = field(default_factory=list)  # when
    _lowered: int = 0
    _good: str = ""  # the port that "auto" found
    _try_good: bool = False
    _heard_before: int = 0  # frames until this opening
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

    def be_calm(self) -> None:
        """The machine rehearses: for a while, fewer turns."""
        self._calm_until_us = self.clock() + CALM_US

    def order(self, call: Callable[[], None]) -> None:
        """Something for the port's thread to do with its mirror or link."""
        self._orders.append(call)

    # ---- the port's thread ----
    def _live(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._ending.is_set():
            try:
                port = self.opener(self._where())
            except Exception as error:  # pyserial's own handlers raise anything; a thread must not end in silence
                unknown = f"'{self.config.device}' cannot be opened ({error!r}); 'mark1 rig ports' lists ports."
                self.trouble = str(error) if isinstance(error, BridgeError) else unknown
                self._ending.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
                continue
            pause = FIRST_PAUSE_S
            self._serve(port)

    def _where(self) -> PortConfig:
        """For "auto", every other time the port that was found last: a board mostly returns to it."""
        self._try_good = not self._try_good and self.config.device == "auto" and bool(self._good)
        return replace(self.config, device=self._good) if self._try_good else self.config

    def _serve(self, port: Port) -> None:
        self.openings += 1
        self.name = port.name
        self._opened_us, self._heard_before = self.clock(), self.link.statistics.frames_received
        try:
            while not self._ending.wait(self.pause_s()):
                self.turn(port)
        except BridgeError as error:
            self._lost(str(error))
        except Exception as error:  # a mistake in this program: said, never silent, and the machine goes on
            self.notes.append(f"The bridge to {self.config.device} failed ({error!r}); it starts again.")
            self._lost(self.notes[-1])
        finally:
            port.close()

    def pause_s(self) -> float:
        """Between two turns: a machine at full speed pays for each of them (docs/decisions/bridge.md)."""
        return CALM_TURN_S if self.clock() < self._calm_until_us else TURN_S

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
        silent = self.link.board is None and self.link.statistics.frames_received == self._heard_before
        if self.config.device == "auto" and silent and self.clock() - self._opened_us > AUTO_PATIENCE_US:
            raise BridgeError(
                f"No rig answered on {port.name}, the next port is tried; flash the sketch that 'mark1 rig sketch' "
                "gives, or name the port."
            )
        if silent and self.clock() - self._opened_us > SILENT_US:
            self.trouble = self.silence()

    @property
    def refused(self) -> bool:
        """The port could not be opened, and never was."""
        return not self.openings and self.trouble != NOT_OPEN

    @property
    def confirmed_stop(self) -> bool:
        """A board is there, and says that it is stopped."""
        return self.link.board is not None and self.mirror.stopped

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
        self._sessions, self._good = sessions, self.name
        unasked = self.openings > 0 and self.clock() - self._opened_us > JUST_OPENED_US and moving > 0
        if board.sessions == 1 and (board.boot_cause == 3 or unasked):
            now_us = self.clock()
            self._brown_outs = [t for t in self._brown_outs if now_us - t < BROWN_OUTS_WITHIN_US] + [now_us]
            if len(self._brown_outs) >= BROWN_OUTS:
                self._brown_outs = []
                self._ease(board)

    def _ease(self, board: Board) -> None:
        was = self.mirror.limits.motors_at_once or board.motors_at_once
        less = max(1, was // 2)
        if was <= 1:
            return
        self._lowered += 1
        self.mirror.set_limits(replace(self.mirror.limits, motors_at_once=less))
        self.notes.append(
            f"The board on {self.config.device} lost power {BROWN_OUTS * self._lowered} times while motors moved: "
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
            mirror.fresh(),
            self.map.sources if self.map else (),
            tuple(self.notes),
            replace(link.statistics),
            replace(mirror.statistics),
            dict(mirror.calibration),
            frozenset(self.bench.held),
            self.bench.finding,
            self.bench.found,
        )
