"""How fast the compiled sketch takes values, per 16 million AVR cycles (one second of a real board), in simavr.

Run from the root: PYTHONPATH=.:tests/bridge python benchmarks/bridge_throughput.py. Needs the AVR toolchain.
The same run measures a bare echo sketch on the same line, which is as fast as a sketch can be.
"""

import ctypes
import sys
from dataclasses import dataclass

import boards
import numpy as np
import toolchain
from talk import Talk

ECHO = "void setup() { Serial.begin(BAUD); }\nvoid loop() { while (Serial.available()) Serial.write(Serial.read()); }\n"
SECOND_US = 1_000_000
CHANNELS = 512


@dataclass(frozen=True)
class Rates:
    """Per second of the board's time."""

    board: str
    baud: int
    value_frames: int  # of 15 values
    step_frames: int  # masks over 512 channels
    all_values_ms: float
    link_bytes: int
    echo_bytes: int


def _count_frames(board: str, baud: int, name: str, head: tuple[int, ...], tail: bytes) -> tuple[int, int]:
    talk = Talk(boards.SimAvr(board, "none", CHANNELS, BAUD=baud), reports=False)
    talk.run(lambda: talk.link.board is not None)
    sent, start, used = 0, talk.now_us, talk.link.statistics.bytes_sent
    while talk.now_us < start + SECOND_US:
        while talk.link.room(2 * len(head) + len(tail)):
            talk.link.send(name, *head, tail=tail)
            sent += 1
        talk.step()
    assert talk.link.statistics.frames_resent == 0, "the window keeps the board's ring from overflowing"
    return sent - len(talk.link._flight) - len(talk.link._fresh), talk.link.statistics.bytes_sent - used


def _all_values_ms(board: str, baud: int) -> float:
    talk = Talk(boards.SimAvr(board, "none", CHANNELS, BAUD=baud), reports=False)
    talk.run(lambda: talk.link.board is not None)
    talk.want(np.arange(CHANNELS) * 60 - 15000)
    start = talk.now_us
    talk.run(lambda: talk.mirror.in_step)
    return (talk.now_us - start) / 1000


def _echo_bytes(board: str, baud: int) -> int:
    elf = toolchain.program(board, ECHO, BAUD=baud)
    library = boards._library()
    sim = ctypes.c_void_p(library.sim_new(toolchain.BOARDS[board][0].encode(), str(elf).encode(), b""))
    buffer = ctypes.create_string_buffer(1 << 20)
    library.sim_run(sim, ctypes.c_uint64(2_000_000))
    library.sim_feed(sim, b"U" * 200_000, ctypes.c_size_t(200_000))
    library.sim_run(sim, ctypes.c_uint64(2_000_000 + 16 * SECOND_US))
    return int(library.sim_take(sim, buffer, ctypes.c_size_t(1 << 20)))


def measure(board: str, baud: int) -> Rates:
    """All figures for one board at one speed."""
    frames, used = _count_frames(board, baud, "VALUES", (0,), bytes(30))
    steps, _ = _count_frames(board, baud, "STEP", (0, 1), b"\x5a" * 64)
    return Rates(board, baud, frames, steps, _all_values_ms(board, baud), used, _echo_bytes(board, baud))


def main() -> int:
    """Prints the table."""
    print("board  baud    frames/s of 15   steps/s over 512   512 values   link bytes/s   bare echo   ratio")
    for board in ("uno", "mega"):
        for baud in (115_200, 500_000):
            r = measure(board, baud)
            print(
                f"{r.board:5} {r.baud:7} {r.value_frames:12} {r.step_frames:16} {r.all_values_ms:14.0f} ms"
                f" {r.link_bytes:12} {r.echo_bytes:12} {r.link_bytes / r.echo_bytes:9.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
