"""What moves, and the safety of it: closed-loop motors with potentiometers, and servos without feedback.

The C twins are mark1_motors.h and mark1_servos.h. Safety here, not in the host: travel limits, most motors moving at
once, stall and over-time cut-off, motors off when the host is silent, a latched stop. Left out: pins (main.py, or the
emulator's plant): plant.read(channel), plant.drive(channel, -1 0 1), plant.pulse(channel, microseconds or 0).
"""

import struct

from .hand import FREE, HELD, Hand

RESTING, MOVING, IN_HAND, REPORTED, STALLED, OVERTIME, OFF, WAITING = range(8)
EVENT_HAND, EVENT_STALL, EVENT_OVERTIME = 2, 3, 4
START_BAND = 8  # counts: a motor starts only for more than this
STOP_BAND = 2
STALL_COUNTS = 3
RETRY_MS = 5000  # a stalled motor tries again for a new value, but not oftener
REVERSALS = 3  # after so many the motor rests where it is: the dead band is too small for its coasting
SILENCE_MS, STALL_MS, OVERTIME_MS = 2000, 400, 12000
SERVO_TRAVEL_MS = 600  # chosen: a slow hobby servo over its whole travel, used to count servos in motion


def scale(span: int, value: int) -> int:
    """span * value / 32767, towards zero, as C divides."""
    product = span * value
    return product // 32767 if product >= 0 else -(-product // 32767)


class Rig:
    """Limits, calibration and the stop: what all kinds of actuator share."""

    calibrates = True
    features = 8

    def __init__(self, channels: int, low: int, middle: int, high: int, motors_limit: int) -> None:
        self.channels = channels
        self.ends = (low, middle, high)
        self.motors_limit = motors_limit
        self.curve = [self.ends] * channels
        self.wanted = [0] * channels
        self.known = [False] * channels
        self.state = [OFF] * channels
        self.stopped = False
        self.silent = False
        self.next = 0
        self.light = b""
        self.set_limits(0, 0, 0, 0)

    def set_limits(self, motors: int, silence_ms: int, stall_ms: int, overtime_ms: int) -> None:
        """The host may only be stricter than the firmware; 0 means the firmware's own."""
        self.motors = min(motors or self.motors_limit, self.motors_limit)
        self.silence_ms = min(silence_ms or SILENCE_MS, SILENCE_MS)
        self.stall_ms = min(stall_ms or STALL_MS, STALL_MS)
        self.overtime_ms = min(overtime_ms or OVERTIME_MS, OVERTIME_MS)

    def at_once(self) -> int:
        """How many motors may move at once."""
        return self.motors

    def moving(self) -> int:
        """How many move now."""
        return self.state.count(MOVING)

    def flags(self) -> int:
        """Bits for ACK and STATUS."""
        fault = STALLED in self.state or OVERTIME in self.state
        return (1 if self.stopped else 0) | (2 if fault else 0) | (4 if self.silent else 0)

    def calibrate(self, channel: int, low: int, middle: int, high: int) -> None:
        """A channel's own curve, held within the firmware's travel limits."""
        if low == middle == high == 0:
            self.curve[channel] = self.ends
            return
        least, most = min(self.ends), max(self.ends)
        self.curve[channel] = tuple(max(least, min(most, end)) for end in (low, middle, high))  # type: ignore[assignment]

    def to_actuator(self, channel: int, value: int) -> int:
        """Wire value to counts or microseconds."""
        low, middle, high = self.curve[channel]
        return middle + scale(high - middle if value >= 0 else middle - low, value)

    def to_wire(self, channel: int, position: int) -> int:
        """Counts to wire value."""
        low, middle, high = self.curve[channel]
        away = position - middle
        upper = (away >= 0) == (high >= middle)
        span = high - middle if upper else middle - low
        if span == 0:
            return 0
        size = min(32767, abs(away) * 32767 // abs(span))
        return size if upper else -size

    def target(self, channel: int, value: int) -> None:
        """The host wants this value here."""
        self.wanted[channel] = value
        self.known[channel] = True

    def session_began(self, now_ms: int) -> None:
        """A host is here; nothing is driven before its first values."""
        self.known = [False] * self.channels

    def poll(self, link, now_ms: int) -> None:  # type: ignore[no-untyped-def]
        """Called in every turn of the main loop."""

    def watch_silence(self, link, now_ms: int) -> None:  # type: ignore[no-untyped-def]
        """Nothing may move without a live session. Latched until a frame of a session comes."""
        if link.session is None or now_ms - link.heard_ms > self.silence_ms:
            self.silent = True
        elif link.heard:
            self.silent = False
        link.heard = False

    def release(self, channel: int) -> None:
        """Only knobs can be held."""

    def stop(self) -> None:
        """Emergency stop: latched until the host resumes."""
        self.stopped = True

    def resume(self) -> None:
        """The host lifts the stop."""
        self.stopped = False

    def _report_states(self, cursor: int) -> "tuple[int, bytes, int | None]":
        end = min(cursor + 32, self.channels)
        following = self.channels + end if end < self.channels else (2 * self.channels if self.light else None)
        return 0x35, struct.pack("<H", cursor) + bytes(self.state[cursor:end]), following

    def _report_light(self, cursor: int) -> "tuple[int, bytes, int | None]":
        end = min(cursor + 32, len(self.light))
        following = 2 * self.channels + end if end < len(self.light) else None
        return 0x36, struct.pack("<H", cursor) + self.light[cursor:end], following

    def report(self, cursor: int, chunk: int) -> "tuple[int, bytes, int | None]":
        """One frame of a report and the cursor of the next: measured, states, light."""
        if cursor >= 2 * self.channels:
            return self._report_light(cursor - 2 * self.channels)
        return self._report_states(max(0, cursor - self.channels))


class Memory(Rig):
    """No actuator: the values are kept, and the state is always resting."""

    calibrates = False
    features = 0

    def __init__(self, channels: int) -> None:
        Rig.__init__(self, channels, 0, 0, 0, 0)
        self.state = [RESTING] * channels

    def poll(self, link, now_ms: int) -> None:  # type: ignore[no-untyped-def]
        """Nothing moves."""
        self.watch_silence(link, now_ms)


class Servos(Rig):
    """Open loop: a pulse per channel, at most so many in motion at once, none before the first value."""

    def __init__(self, plant, channels: int, motors_limit: int, low: int = 600, high: int = 2400) -> None:  # type: ignore[no-untyped-def]
        Rig.__init__(self, channels, low, (low + high) // 2, high, motors_limit)
        self.plant = plant
        self.pulse = [0] * channels
        self.until_ms = [0] * channels

    def session_began(self, now_ms: int) -> None:
        """Every servo goes limp until its value comes."""
        Rig.session_began(self, now_ms)
        self._all_off()

    def poll(self, link, now_ms: int) -> None:  # type: ignore[no-untyped-def]
        """Ends moves that have had their time, starts waiting ones, or switches all off."""
        self.watch_silence(link, now_ms)
        if self.stopped or self.silent:
            return self._all_off()
        for channel in range(self.channels):
            if self.state[channel] == MOVING and now_ms - self.until_ms[channel] >= 0:
                self.state[channel] = RESTING
        moving = self.moving()
        for _ in range(self.channels):
            channel = self.next
            self.next = (channel + 1) % self.channels
            if moving < self.motors and self._start(channel, now_ms):
                moving += 1
        return None

    def _start(self, channel: int, now_ms: int) -> bool:
        wanted = self.to_actuator(channel, self.wanted[channel])
        if not self.known[channel] or self.state[channel] == MOVING or wanted == self.pulse[channel]:
            return False
        span = max(self.ends) - min(self.ends)
        distance = abs(wanted - self.pulse[channel]) if self.pulse[channel] else span
        self.pulse[channel] = wanted
        self.until_ms[channel] = now_ms + 20 + SERVO_TRAVEL_MS * distance // span
        self.state[channel] = MOVING
        self.plant.pulse(channel, wanted)
        return True

    def _all_off(self) -> None:
        for channel in range(self.channels):
            if self.pulse[channel]:
                self.plant.pulse(channel, 0)
            self.pulse[channel] = 0
            self.state[channel] = OFF


class Motors(Rig):
    """Closed loop: a motor and a potentiometer per channel."""

    features = 8 | 1

    def __init__(self, plant, channels: int, motors_limit: int, low: int = 20, high: int = 1003) -> None:  # type: ignore[no-untyped-def]
        Rig.__init__(self, channels, low, (low + high) // 2, high, motors_limit)
        self.plant = plant
        self.hands = [Hand() for _ in range(channels)]
        self.sample = [0] * channels
        self.way = [0] * channels
        self.since_ms = [0] * channels
        self.mark = [0] * channels
        self.mark_ms = [0] * channels
        self.reversals = [0] * channels
        self.fresh = [False] * channels
        self.to_report = [False] * channels
        self.freed = [False] * channels

    def target(self, channel: int, value: int) -> None:
        """A new target lets a rested or stalled motor try again."""
        if value != self.wanted[channel] or not self.known[channel]:
            self._aim(channel)
        Rig.target(self, channel, value)

    def calibrate(self, channel: int, low: int, middle: int, high: int) -> None:
        """So does a new curve."""
        Rig.calibrate(self, channel, low, middle, high)
        self._aim(channel)

    def _aim(self, channel: int) -> None:
        self.reversals[channel] = 0
        self.fresh[channel] = True

    def session_began(self, now_ms: int) -> None:
        """What runs goes off; a knob that was reported to a host that is gone is reported again."""
        Rig.session_began(self, now_ms)
        for channel in range(self.channels):
            if self.way[channel]:
                self._off(channel, OFF, now_ms)
            if self.hands[channel].state not in (FREE, HELD):
                self.to_report[channel] = True

    def release(self, channel: int) -> None:
        """The host has taken the report of this knob."""
        if channel < self.channels:
            self.freed[channel] = True

    def resume(self) -> None:
        """Lifts the stop and forgives every stalled motor."""
        Rig.resume(self)
        for channel in range(self.channels):
            if self.state[channel] in (STALLED, OVERTIME):
                self.state[channel] = RESTING

    def poll(self, link, now_ms: int) -> None:  # type: ignore[no-untyped-def]
        """One pass over all channels."""
        self.watch_silence(link, now_ms)
        for number in range(self.channels):
            channel = (self.next + number) % self.channels
            self.sample[channel] = self.plant.read(channel)
            if self.way[channel]:
                self._moving(channel, now_ms, link)
            else:
                self._still(channel, now_ms, link)
        self.next = (self.next + 1) % self.channels

    def _moving(self, channel: int, now_ms: int, link) -> None:  # type: ignore[no-untyped-def]
        sample = self.sample[channel]
        error = self.to_actuator(channel, self.wanted[channel]) - sample
        if self.stopped or self.silent:
            self._off(channel, OFF, now_ms)
        elif error * self.way[channel] <= STOP_BAND:
            if error * self.way[channel] < -START_BAND:
                self.reversals[channel] += 1
            self._off(channel, RESTING, now_ms)
        elif now_ms - self.since_ms[channel] >= self.overtime_ms:
            self._off(channel, OVERTIME, now_ms)
            link.raise_event(EVENT_OVERTIME, channel, self.to_wire(channel, sample))
        elif abs(sample - self.mark[channel]) >= STALL_COUNTS:
            self.mark[channel], self.mark_ms[channel] = sample, now_ms
        elif now_ms - self.mark_ms[channel] >= self.stall_ms:
            self._off(channel, STALLED, now_ms)
            link.raise_event(EVENT_STALL, channel, self.to_wire(channel, sample))

    def _off(self, channel: int, state: int, now_ms: int) -> None:
        self.plant.drive(channel, 0)
        self.way[channel] = 0
        self.state[channel] = state
        self.since_ms[channel] = now_ms
        self.fresh[channel] = False
        self.hands[channel].restart(self.sample[channel], now_ms)

    def _still(self, channel: int, now_ms: int, link) -> None:  # type: ignore[no-untyped-def]
        hand = self.hands[channel]
        if self.freed[channel]:
            self.freed[channel] = False
            hand.release(self.sample[channel], now_ms)
        if hand.look(self.sample[channel], now_ms):
            self.to_report[channel] = True
        if self.to_report[channel] and hand.state not in (FREE, HELD):
            value = self.to_wire(channel, self.sample[channel])
            self.to_report[channel] = not link.raise_event(EVENT_HAND, channel, value)
        self._consider(channel, hand, now_ms)

    def _consider(self, channel: int, hand: Hand, now_ms: int) -> None:
        state = self.state[channel]
        if hand.state != FREE:
            self.state[channel] = IN_HAND if hand.state == HELD else REPORTED
            return
        if self.stopped or self.silent or not self.known[channel]:
            if state not in (STALLED, OVERTIME):
                self.state[channel] = OFF
            return
        if state in (STALLED, OVERTIME) and not (self.fresh[channel] and now_ms - self.since_ms[channel] >= RETRY_MS):
            return
        error = self.to_actuator(channel, self.wanted[channel]) - self.sample[channel]
        if abs(error) <= START_BAND or self.reversals[channel] >= REVERSALS:
            self.state[channel] = RESTING
        elif not hand.quiet(now_ms) or self.moving() >= self.motors:
            self.state[channel] = WAITING
        else:
            self._start(channel, 1 if error > 0 else -1, now_ms)

    def _start(self, channel: int, way: int, now_ms: int) -> None:
        self.way[channel] = way
        self.state[channel] = MOVING
        self.since_ms[channel] = self.mark_ms[channel] = now_ms
        self.mark[channel] = self.sample[channel]
        self.plant.drive(channel, way)

    def report(self, cursor: int, chunk: int) -> "tuple[int, bytes, int | None]":
        """Measured positions first, then states and light."""
        if cursor >= self.channels:
            return Rig.report(self, cursor, chunk)
        end = min(cursor + chunk, self.channels)
        payload = struct.pack("<H", cursor)
        for channel in range(cursor, end):
            payload += struct.pack("<h", self.to_wire(channel, self.sample[channel]))
        return 0x34, payload, end
