"""A rig in software: the MicroPython board's own code with motors, knobs, buttons and photocells that are numbers.

Pure: bytes and time go in, bytes come out; serve.py puts it behind a pty or a TCP port. It models motor speed, end
stops and a hand on a knob; it leaves out electrical noise, except the noise that tests ask for.
"""

import random
from dataclasses import dataclass, field

from firmware_bridge.firmware.micropython.mark1_rig.link import Link
from firmware_bridge.firmware.micropython.mark1_rig.motors import Memory, Motors, Rig, Servos

KINDS = ("motors", "servos", "memory")
COUNTS = 1023
MOTOR_COUNTS_S = 500  # chosen: two seconds over the whole travel


@dataclass(slots=True)
class Plant:
    """Motors and potentiometers as numbers; positions are thousandths of a converter count."""

    channels: int
    speed: int = MOTOR_COUNTS_S
    position: list[int] = field(default_factory=list)
    way: list[int] = field(default_factory=list)
    pulses: list[int] = field(default_factory=list)
    jammed: set[int] = field(default_factory=set)
    noise: int = 0
    most_at_once: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(1960))
    _at_us: int = 0

    def __post_init__(self) -> None:
        self.position = [COUNTS * 1000 // 2] * self.channels
        self.way = [0] * self.channels
        self.pulses = [0] * self.channels

    def advance(self, now_us: int) -> None:
        """Moves every driven motor to this time."""
        passed = now_us - self._at_us
        self._at_us = now_us
        for channel, way in enumerate(self.way):
            if way and channel not in self.jammed:
                moved = self.position[channel] + way * self.speed * passed // 1000
                self.position[channel] = max(0, min(COUNTS * 1000, moved))

    def read(self, channel: int) -> int:
        """What the converter shows."""
        noise = self.chance.randint(-self.noise, self.noise) if self.noise else 0
        return max(0, min(COUNTS, self.position[channel] // 1000 + noise))

    def turn(self, channel: int, counts: int) -> None:
        """A hand (or drift) puts the knob there."""
        self.position[channel] = counts * 1000

    def drive(self, channel: int, way: int) -> None:
        """The H-bridge of one motor."""
        self.way[channel] = way
        self.most_at_once = max(self.most_at_once, sum(1 for w in self.way if w))

    def pulse(self, channel: int, microseconds: int) -> None:
        """The pulse of one servo; 0 is none."""
        self.pulses[channel] = microseconds


class Emulator:
    """One emulated board; reset() is its reset button."""

    def __init__(self, channels: int = 16, kind: str = "motors", motors_limit: int = 4, baud: int = 0) -> None:
        self.channels = channels
        self.kind = kind
        self.motors_limit = motors_limit
        self.plant = Plant(channels)
        self.light = b""
        self.baud = baud  # 0: no line speed, everything at once
        self._sent_until_us = 0
        self._polled_ms = -1
        self.reset(cause=1)

    def reset(self, cause: int = 2) -> None:
        """Values, session and motors are gone; the knobs stay where they are."""
        self.plant.way = [0] * self.channels
        self.plant.pulses = [0] * self.channels
        self.rig = self._rig()
        self.rig.light = self.light
        self.link = Link(self.rig, f"emulator {self.kind}", self.channels, cause=cause)

    def _rig(self) -> Rig:
        if self.kind == "motors":
            return Motors(self.plant, self.channels, self.motors_limit)
        if self.kind == "servos":
            return Servos(self.plant, self.channels, self.motors_limit)
        return Memory(self.channels)

    def press(self, button: int) -> None:
        """Someone pushes one of the four buttons."""
        self.link.raise_event(1, button, 1)

    def show(self, light: bytes) -> None:
        """Light on the photocells, a byte each."""
        self.light = self.rig.light = light

    def exchange(self, data: bytes, now_us: int) -> bytes:
        """Takes what the host wrote, moves the motors, gives what the board writes."""
        now_ms = now_us // 1000
        self.plant.advance(now_us)
        self.link.receive(data, now_ms)
        if now_ms != self._polled_ms:
            self._polled_ms = now_ms
            self.rig.poll(self.link, now_ms)
        return self._write(now_us, now_ms)

    def _write(self, now_us: int, now_ms: int) -> bytes:
        out = bytearray()
        while self._sent_until_us <= now_us and (frame := self.link.output(now_ms)):
            out += frame
            if self.baud:
                self._sent_until_us = max(self._sent_until_us, now_us) + len(frame) * 10_000_000 // self.baud
        return bytes(out)


@dataclass(slots=True)
class Noise:
    """A bad cable: each byte is flipped, dropped or doubled by something else with a chance of rate."""

    rate: float
    chance: random.Random
    hits: int = 0

    def spoil(self, data: bytes) -> bytes:
        """The bytes after the cable."""
        out = bytearray()
        for byte in data:
            if self.chance.random() >= self.rate:
                out.append(byte)
                continue
            self.hits += 1
            out += self._damage(byte)
        return bytes(out)

    def _damage(self, byte: int) -> bytes:
        kind = self.chance.randrange(3)
        if kind == 0:
            return bytes((byte ^ 1 << self.chance.randrange(8),))
        return b"" if kind == 1 else bytes((byte, self.chance.randrange(256)))
