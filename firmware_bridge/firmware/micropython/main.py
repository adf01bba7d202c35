# mypy: ignore-errors
# The modules machine, micropython and mark1_rig are on the board, not on this computer.
"""Mark I rig on MicroPython, for a Raspberry Pi Pico (RP2040) or Pico 2: copy this file and the folder mark1_rig to it.

Choose the back end and its pins below; wiring is in docs/rig_wiring.md. The board talks over its USB port. Safety is in
mark1_rig/motors.py; if the program itself fails or hangs, outputs go off and the board starts again. Left out: PCA9685
and digital potentiometers, which the Arduino sketch has; other boards, whose pins and converters differ.
"""

import select
import sys
import time

import machine
import micropython
from mark1_rig.link import Link
from mark1_rig.loop import Loop
from mark1_rig.motors import Memory, Motors, Servos

# ---- choose here ----
BACKEND = "servos"  # "servos", "motors" or "none"
CHANNELS = 8
MOTORS_AT_ONCE = 4  # what your power supply can start at once
SERVO_PINS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
ADDRESS_PINS = (2, 3, 4, 5)  # S0-S3 of every 74HC4067
ANALOG_PINS = (26, 27, 28)  # their common pins, 16 potentiometers each
LATCH_PIN, ENABLE_PIN = 20, 21  # RCLK and OE of the 74HC595 chain; OE with a 10 kOhm pull-up
SPI_BUS, CLOCK_PIN, DATA_PIN = 0, 18, 19
NAME = "MicroPython"
AGAIN_MS = 20  # registers are written again, so that a disturbed one lasts no longer
WATCHDOG_MS = 2000  # a board that hangs so long starts again; at most 8388
# ---------------------


class UsbPort:
    """The board's USB serial port, which is also the console: Ctrl-C must not interrupt, 3 is a byte like any other."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)
        self.poll = select.poll()
        self.poll.register(sys.stdin, select.POLLIN)

    def read(self) -> bytes:
        """What is there, byte by byte, because more would wait."""
        data = bytearray()
        while len(data) < 256 and self.poll.poll(0):
            data += sys.stdin.buffer.read(1)
        return bytes(data)

    def write(self, data: bytes) -> None:
        """To the host."""
        sys.stdout.buffer.write(data)


class ServoPins:
    """A PWM pin for each servo, 50 pulses a second."""

    def __init__(self) -> None:
        self.pins = [machine.PWM(machine.Pin(pin)) for pin in SERVO_PINS[:CHANNELS]]
        for pin in self.pins:
            pin.freq(50)
            pin.duty_u16(0)

    def pulse(self, channel: int, microseconds: int) -> None:
        """A pulse so long, or none."""
        if microseconds:
            self.pins[channel].duty_ns(1000 * microseconds)
        else:
            self.pins[channel].duty_u16(0)

    def off(self) -> None:
        """All of them, whatever happened."""
        for pin in self.pins:
            pin.duty_u16(0)


class MotorBoards:
    """Potentiometers through 74HC4067s; two bits a motor through 74HC595s: 01 up, 10 down, 00 off."""

    def __init__(self) -> None:
        self.address = [machine.Pin(pin, machine.Pin.OUT) for pin in ADDRESS_PINS]
        self.analog = [machine.ADC(machine.Pin(pin)) for pin in ANALOG_PINS[: (CHANNELS + 15) // 16]]
        self.latch = machine.Pin(LATCH_PIN, machine.Pin.OUT)
        self.enable = machine.Pin(ENABLE_PIN, machine.Pin.OUT)
        self.enable.value(1)
        clock, data = machine.Pin(CLOCK_PIN), machine.Pin(DATA_PIN)
        self.spi = machine.SPI(SPI_BUS, baudrate=4_000_000, sck=clock, mosi=data)
        self.bits = bytearray((CHANNELS + 3) // 4)
        self.again_ms = 0
        self._write()
        self.enable.value(0)

    def read(self, channel: int) -> int:
        """Ten bits of one potentiometer."""
        for bit in range(4):
            self.address[bit].value(channel % 16 >> bit & 1)
        time.sleep_us(20)  # the multiplexer and the wiper settle
        return self.analog[channel // 16].read_u16() >> 6

    def drive(self, channel: int, way: int) -> None:
        """One motor up, down or off."""
        shift = 2 * (channel % 4)
        kept = self.bits[channel // 4] & ~(3 << shift) & 0xFF
        self.bits[channel // 4] = kept | (1 if way > 0 else 2 if way < 0 else 0) << shift
        self._write()

    def again(self, now_ms: int) -> None:
        """Once a turn."""
        if now_ms - self.again_ms >= AGAIN_MS:
            self.again_ms = now_ms
            self._write()

    def off(self) -> None:
        """All of them, whatever happened: by the enable pin first, then by their bits."""
        self.enable.value(1)
        self.bits = bytearray(len(self.bits))
        self._write()

    def _write(self) -> None:
        self.spi.write(bytes(reversed(self.bits)))
        self.latch.value(1)
        self.latch.value(0)


def make_rig():  # type: ignore[no-untyped-def]
    """The chosen back end."""
    if BACKEND == "servos":
        return Servos(ServoPins(), CHANNELS, MOTORS_AT_ONCE)
    if BACKEND == "motors":
        return Motors(MotorBoards(), CHANNELS, MOTORS_AT_ONCE)
    return Memory(CHANNELS)


def boot_cause() -> int:
    """As in PROTOCOL.md; a board that cannot tell says 0."""
    cause = machine.reset_cause()
    if cause == getattr(machine, "PWRON_RESET", -1):
        return 1
    if cause == getattr(machine, "BROWNOUT_RESET", -2):
        return 3
    return 4 if cause == getattr(machine, "WDT_RESET", -3) else 0


def make_loop(port):  # type: ignore[no-untyped-def]
    """Everything but the port and the clock."""
    rig = make_rig()
    return Loop(port, Link(rig, NAME + " " + BACKEND, CHANNELS, window=255, largest=200, cause=boot_cause()), rig)


def run(loop, watchdog) -> None:  # type: ignore[no-untyped-def]
    """For ever."""
    start = time.ticks_ms()
    now = 0
    while True:
        ticks = time.ticks_ms()  # wraps round; the board's own time does not
        now += time.ticks_diff(ticks, start)
        start = ticks
        loop.turn(now)
        watchdog.feed()


def main() -> None:
    """For ever; after any failure with everything off, and from the start."""
    loop = make_loop(UsbPort())  # a mistake in the settings above ends here, and can be read: nothing is driven yet
    watchdog = machine.WDT(timeout=WATCHDOG_MS)
    failed = True
    try:
        run(loop, watchdog)
    except KeyboardInterrupt:
        failed = False  # somebody at the console; but once started, the watchdog cannot be stopped
    finally:
        switch_off(loop.rig)
        if failed:
            machine.reset()


def switch_off(rig) -> None:  # type: ignore[no-untyped-def]
    """Its outputs; a failure here must not keep the board from starting again."""
    try:
        if getattr(rig, "plant", None):
            rig.plant.off()
    except Exception:  # noqa: BLE001
        pass


if __name__ == "__main__":
    main()
