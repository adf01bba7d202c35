"""A host (link and mirror) and a board in one simulated time, with a cable that can be bad or cut."""

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from firmware_bridge.emulator import Noise
from firmware_bridge.link import Link
from firmware_bridge.messages import Wire
from firmware_bridge.mirror import Mirror
from firmware_bridge.serve import Line, PtyLine, TcpLine

STEP_US = 1000


def any_line() -> Line:
    """A pseudo-terminal, or on systems without them a TCP port."""
    return PtyLine() if os.name == "posix" else TcpLine()


def seeded(seed: int = 1) -> Callable[[], int]:
    chance = random.Random(seed)
    return lambda: chance.getrandbits(32)


class Talk:
    """run(until) lets time pass; the mirror does what it does in the host's thread."""

    def __init__(self, board: Any, noise: float = 0.0, seed: int = 1, host: int = 1, **mirror: Any) -> None:
        self.board = board
        self.link = Link(seeded(seed), host=host)
        self.mirror = Mirror(self.link, **mirror)
        self.now_us = 0
        self.noise(noise)
        self.cut = False
        self.each: Callable[[], None] = lambda: None

    def noise(self, rate: float) -> None:
        self.there = Noise(rate, random.Random(2))
        self.back = Noise(rate, random.Random(3))

    def step(self) -> None:
        self.now_us += STEP_US
        self.each()
        self.mirror.poll(self.now_us)
        out = self.link.transmit(self.now_us)
        back = self.board.exchange(b"" if self.cut else self.there.spoil(out), self.now_us)
        self.mirror.take(self.link.receive(b"" if self.cut else self.back.spoil(back), self.now_us))

    def run(self, until: Callable[[], bool], limit_s: float = 20.0) -> float:
        """Seconds of simulated time until it came true."""
        start = self.now_us
        while not until():
            assert self.now_us - start < limit_s * 1e6, f"{limit_s} s: {self.link.trouble} {self.link.statistics}"
            self.step()
        return (self.now_us - start) / 1e6

    def wait(self, seconds: float) -> None:
        end = self.now_us + int(seconds * 1e6)
        self.run(lambda: self.now_us >= end, seconds + 1)

    def want(self, values: Wire | list[int]) -> None:
        """Needs a session, so that the channels are known."""
        if self.link.board is None or not len(self.mirror.wanted):
            self.run(lambda: len(self.mirror.wanted) > 0)
        self.mirror.want(np.asarray(values, np.int16))

    def settle(self, limit_s: float = 20.0) -> float:
        """Until a digest agreed."""
        return self.run(lambda: self.mirror.in_step, limit_s)

    def read_back(self) -> list[int]:
        self.mirror.ask_read_back()
        self.run(lambda: self.mirror.read_back is not None)
        assert self.mirror.read_back is not None
        return list(self.mirror.read_back)
