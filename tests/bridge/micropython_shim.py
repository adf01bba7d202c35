"""Runs inside MicroPython: the real main.py, with the UART and the chip's peripherals shimmed, turned from outside.

The shims of machine.Pin, ADC, SPI and PWM carry a plant: motors on the 74HC595 bits move potentiometers behind the
74HC4067 address pins.
"""

import binascii
import sys

COUNTS = 1023 * 1000


class Board:
    """Pins by number, and what hangs on them."""

    pins = {}
    position = []
    way = []
    jammed = set()
    chain = b""
    noise = 0
    chance = 1960
    most = 0
    at_us = 0

    def advance(self, now_us):
        passed = now_us - self.at_us
        self.at_us = now_us
        for channel, way in enumerate(self.way):
            if way and channel not in self.jammed:
                self.position[channel] = max(0, min(COUNTS, self.position[channel] + way * 500 * passed // 1000))

    def latch(self):
        bits = bytes(reversed(self.chain))
        for channel in range(len(self.way)):
            pair = bits[channel // 4] >> 2 * (channel % 4) & 3
            self.way[channel] = 0 if self.pins.get(21) else {0: 0, 1: 1, 2: -1, 3: 0}[pair]
        self.most = max(self.most, sum(1 for way in self.way if way))


board = Board()


class Pin:
    OUT = 1

    def __init__(self, number, mode=None):
        self.number = number

    def value(self, level):
        rising = level and not board.pins.get(self.number)
        board.pins[self.number] = level
        if self.number == 20 and rising:
            board.latch()


class ADC:
    def __init__(self, pin):
        self.first = 16 * (pin.number - 26)

    def read_u16(self):
        address = sum((1 if board.pins.get(2 + bit) else 0) << bit for bit in range(4))
        board.chance = (board.chance * 1103515245 + 12345) & 0x7FFFFFFF
        wobble = (board.chance >> 16) % (2 * board.noise + 1) - board.noise if board.noise else 0
        counts = max(0, min(1023, board.position[self.first + address] // 1000 + wobble))
        return counts << 6


class SPI:
    def __init__(self, bus, baudrate=0, sck=None, mosi=None):
        pass

    def write(self, data):
        board.chain = data


class PWM:
    def __init__(self, pin):
        self.number = pin.number

    def freq(self, hertz):
        assert hertz == 50

    def duty_u16(self, duty):
        board.pins[self.number] = duty

    def duty_ns(self, nanoseconds):
        board.pins[self.number] = nanoseconds


class ResetError(Exception):
    """Where the board would start again."""


class WDT:
    def __init__(self, timeout):
        assert 0 < timeout <= 8388
        self.fed = 0
        WDT.last = self

    def feed(self):
        self.fed += 1


class Machine:
    PWRON_RESET = 1
    cause = 1

    def reset(self):
        raise ResetError()

    def reset_cause(self):
        return self.cause


class Nothing:
    pass


class Port:
    """The shimmed UART."""

    def __init__(self):
        self.rx = b""
        self.tx = b""

    def read(self):
        data, self.rx = self.rx, b""
        return data

    def write(self, data):
        self.tx += data


machine = Machine()
machine.Pin, machine.ADC, machine.SPI, machine.PWM, machine.WDT = Pin, ADC, SPI, PWM, WDT
sys.modules["machine"] = machine
if "select" not in sys.modules:
    sys.modules["select"] = Nothing()
sys.path.insert(0, "/flash")
import main  # noqa: E402

main.time = Nothing()
main.time.sleep_us = lambda microseconds: None  # time is simulated here
port = Port()
loop = None


def start(backend, channels, cause):
    """Power-on, or a reset: the knobs stay where they are."""
    global port, loop
    main.BACKEND, main.CHANNELS = backend, channels
    machine.cause = cause
    board.way = [0] * channels
    if len(board.position) != channels:
        board.position = [COUNTS // 2] * channels
    port = Port()
    loop = main.make_loop(port)


def exchange(data, now_us):
    """Bytes and time in, bytes out, as hex."""
    board.advance(now_us)
    port.rx += bytes.fromhex(data)
    loop.turn(now_us // 1000)
    out, port.tx = port.tx, b""
    return binascii.hexlify(out).decode()  # bytes.hex() of nothing is bytes here


def run_main(failure, turns):
    """The real main(), with this loop, until a turn fails; how it ended, and the board's times in milliseconds."""
    times, turn, ticks = [], loop.turn, [(1 << 30) - 20]

    def ticks_ms():
        ticks[0] = (ticks[0] + 7) % (1 << 30)  # wraps round soon
        return ticks[0]

    def until(now_ms):
        times.append(now_ms)
        if len(times) > turns:
            raise {"error": ValueError, "key": KeyboardInterrupt}[failure]()

    main.time.ticks_ms = ticks_ms
    main.time.ticks_diff = lambda a, b: (a - b + (1 << 29)) % (1 << 30) - (1 << 29)
    main.UsbPort, main.make_loop, loop.turn = (lambda: port), (lambda port: loop), until
    try:
        main.main()
        return "ended " + str(times)
    except ResetError:
        return "reset " + str(times)
    finally:
        loop.turn = turn
