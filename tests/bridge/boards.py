"""Boards for the tests: the emulator and the compiled sketch in simavr, with one face, in simulated time."""

import ctypes
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import toolchain

from firmware_bridge.emulator import Emulator

CYCLES_PER_US = 16
# S0 S1 S2 S3 latch enable, as port letter and bit, of pins.h (Arduino's pin numbers resolved by the core's variants)
PLANT_PINS = {"uno": b"D4D5D6D7B2B1", "mega": b"A0A1A2A3B0L0"}


class _Item(ctypes.Structure):
    _fields_ = (
        ("cycle", ctypes.c_uint64),
        ("kind", ctypes.c_uint8),
        ("where", ctypes.c_uint8),
        ("bit", ctypes.c_uint8),
        ("value", ctypes.c_uint8),
    )


@dataclass(frozen=True)
class Seen:
    """One thing seen on a pin or a bus."""

    at_us: float
    kind: str
    where: int
    bit: int
    value: int

    @property
    def pin(self) -> str:
        return f"{chr(self.where)}{self.bit}"


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(toolchain.runner_library()))
    library.sim_new.restype = ctypes.c_void_p
    library.sim_cycles.restype = ctypes.c_uint64
    for name in ("sim_take", "sim_trace", "sim_waiting"):
        getattr(library, name).restype = ctypes.c_size_t
    return library


class SimAvr:
    """The sketch in simavr, in lockstep: exchange() feeds bytes and runs the AVR to the given time."""

    def __init__(self, board: str, backend: str, channels: int, boot: Path | None = None, **defines: object) -> None:
        elf = toolchain.sketch(board, backend, channels, **defines)
        self.elf = elf
        self.library = _library()
        loader = str(boot).encode() if boot else b""
        made = self.library.sim_new(toolchain.BOARDS[board][0].encode(), str(elf).encode(), loader)
        assert made, "simavr did not take the sketch"
        self.sim = ctypes.c_void_p(made)
        self.channels = channels
        if backend == "motors" or defines.get("PHOTOCELLS"):
            count = channels if backend == "motors" else 0
            self.library.sim_plant(self.sim, count, 500, PLANT_PINS[board])

    def exchange(self, data: bytes, now_us: int) -> bytes:
        self.library.sim_feed(self.sim, data, ctypes.c_size_t(len(data)))
        state = self.library.sim_run(self.sim, ctypes.c_uint64(now_us * CYCLES_PER_US))
        assert state == 0, f"the AVR stopped in state {state}"
        buffer = ctypes.create_string_buffer(4096)
        size = self.library.sim_take(self.sim, buffer, ctypes.c_size_t(4096))
        return buffer.raw[:size]

    def reset(self, cause: int = 2) -> None:
        """cause as in messages.BOOT_CAUSES."""
        self.library.sim_reset(self.sim, {1: 1, 2: 2, 3: 4, 4: 8}[cause])

    def trace(self, on: bool = True) -> None:
        self.library.sim_set_traced(self.sim, int(on))

    def seen(self) -> Iterator[Seen]:
        """What was traced since the last call."""
        room = 10_000
        items = (_Item * room)()
        while size := self.library.sim_trace(self.sim, items, ctypes.c_size_t(room)):
            for item in items[:size]:
                yield Seen(item.cycle / CYCLES_PER_US, chr(item.kind), item.where, item.bit, item.value)

    def pin(self, name: str, value: int) -> None:
        self.library.sim_set_pin(self.sim, ord(name[0]), int(name[1]), value)

    def turn(self, slot: int, counts: int) -> None:
        self.library.sim_turn(self.sim, slot, counts)

    def position(self, slot: int) -> int:
        return int(self.library.sim_position(self.sim, slot))

    def way(self, motor: int) -> int:
        return int(self.library.sim_way(self.sim, motor))

    def jam(self, motor: int, jammed: bool = True) -> None:
        self.library.sim_jam(self.sim, motor, int(jammed))

    def hang(self, hang: bool = True) -> None:
        """The program runs in a circle of one instruction, in loop() (which the compiler puts into main)."""
        first, size = toolchain.place(self.elf, "main") if hang else (0, 0)
        self.library.sim_hang(self.sim, first, first + size)

    def deafen(self, writes: int) -> None:
        """So many I2C writes find nobody; -1: all of them."""
        self.library.sim_deafen(self.sim, writes)

    def noise(self, counts: int) -> None:
        self.library.sim_noise(self.sim, counts)

    @property
    def most_moving(self) -> int:
        return int(self.library.sim_most_moving(self.sim))


class Emulated(Emulator):
    """The emulator with the same face for knobs."""

    def turn(self, slot: int, counts: int) -> None:
        self.plant.turn(slot, counts)

    def position(self, slot: int) -> int:
        return self.plant.position[slot] // 1000

    def way(self, motor: int) -> int:
        return self.plant.way[motor]

    def jam(self, motor: int, jammed: bool = True) -> None:
        (self.plant.jammed.add if jammed else self.plant.jammed.discard)(motor)

    def noise(self, counts: int) -> None:
        self.plant.noise = counts

    @property
    def most_moving(self) -> int:
        return self.plant.most_at_once


class MicroPythonBoard:
    """The MicroPython version in npm's wasm build, with the UART and the chip's peripherals shimmed."""

    def __init__(self, backend: str, channels: int) -> None:
        package = toolchain.npm("@micropython/micropython-webassembly-pyscript", "1.27.0")
        here = toolchain.HERE
        words = ["node", here / "micropython_board.mjs", package, toolchain.FIRMWARE / "micropython"]
        self.process = subprocess.Popen(
            [str(word) for word in [*words, here / "micropython_shim.py"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # node prints the whole wasm loader with any error
            text=True,
        )
        self.backend, self.channels = backend, channels
        self.reset(cause=1)

    def _ask(self, **words: object) -> object:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "MicroPython stopped"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def exchange(self, data: bytes, now_us: int) -> bytes:
        return bytes.fromhex(str(self._ask(call="exchange", args=[data.hex(), now_us])))

    def reset(self, cause: int = 2) -> None:
        self._ask(call="start", args=[self.backend, self.channels, cause])

    def _eval(self, expression: str) -> int:
        self._ask(run=f"def _answer(): return {expression}")
        return int(str(self._ask(call="_answer", args=[])))

    def turn(self, slot: int, counts: int) -> None:
        self._ask(run=f"board.position[{slot}] = {counts * 1000 + 500}")

    def position(self, slot: int) -> int:
        return self._eval(f"board.position[{slot}] // 1000")

    def way(self, motor: int) -> int:
        return self._eval(f"board.way[{motor}]")

    def jam(self, motor: int, jammed: bool = True) -> None:
        self._ask(run=f"board.jammed.{'add' if jammed else 'discard'}({motor})")

    def noise(self, counts: int) -> None:
        self._ask(run=f"board.noise = {counts}")

    @property
    def most_moving(self) -> int:
        return self._eval("board.most")

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()
