"""Commissioning a channel with feedback: find its stops by driving it there, and let its stall guard tell. Pure.

The firmware's own stall cut-off is the sensor: a motor at its stop no longer turns the potentiometer, and goes off.
Left out: actuators without feedback, whose ends only a person can see (mark1 rig calibrate asks).
"""

from dataclasses import dataclass

from firmware_bridge.messages import CHANNEL_STATES, FULL_WIRE
from firmware_bridge.mirror import Mirror
from mark1.errors import BridgeError

FIRMWARE_ENDS = (20, 511, 1003)  # M1_END_LOW, M1_END_MIDDLE, M1_END_HIGH of the motors back end
MARGIN = 5  # counts kept from a stop, so that it is never leaned on
LEAST_SPAN = 100
REPORT_US = 350_000  # three reports: what they say was measured after the target arrived
AT_REST = tuple(CHANNEL_STATES.index(name) for name in ("resting", "stalled", "overtime"))


def counts_of(wire: int) -> int:
    """Converter counts of a measured wire value, on the firmware's own curve."""
    low, middle, high = FIRMWARE_ENDS
    return middle + round((high - middle if wire >= 0 else middle - low) * wire / FULL_WIRE)


@dataclass(slots=True)
class StopFinder:
    """Drives one channel to both ends; ends is the curve to use when poll() says that it is done."""

    mirror: Mirror
    channel: int
    ends: tuple[int, int, int] | None = None
    _low: int | None = None
    _target: int = 0
    _since_us: int = -1

    def poll(self, now_us: int) -> bool:
        """One look; True when both ends are known."""
        if self.ends is not None:
            return True
        if self._target == 0:
            self.mirror.calibrate(self.channel, (0, 0, 0))
            self._go(-FULL_WIRE)
        if not self._rests(now_us):
            return False
        place = counts_of(int(self.mirror.measured[self.channel]))
        if self._low is None:
            self._low = place
            self._go(FULL_WIRE)
            return False
        self.ends = self._found(self._low, place)
        return True

    def _go(self, wire: int) -> None:
        self._target, self._since_us = wire, -1
        values = self.mirror.wanted.copy()
        values[self.channel] = wire
        self.mirror.want(values)
        self.mirror.resume()  # a motor that stalled at the other end may move again

    def _rests(self, now_us: int) -> bool:
        asked = self.mirror.wanted[self.channel] == self._target
        if not asked or not self.mirror.in_step or self.mirror.states[self.channel] not in AT_REST:
            self._since_us = -1
            return False
        if self._since_us < 0:
            self._since_us = now_us
        return now_us - self._since_us >= REPORT_US

    def _found(self, low: int, high: int) -> tuple[int, int, int]:
        if high - low < LEAST_SPAN:
            raise BridgeError(
                f"Channel {self.channel} moved only {abs(high - low)} counts; it is jammed, has no power, or its two "
                "motor wires are swapped."
            )
        return (low + MARGIN, (low + high) // 2, high - MARGIN)
