"""The same .hex in a second, independent simulator: what simavr shows is not an accident of simavr."""

import json
import random
import subprocess
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import toolchain
from boards import CYCLES_PER_US
from talk import Talk

pytestmark = pytest.mark.firmware


class Avr8js:
    """An Uno; pulses has the length of every pulse on the servo pin."""

    def __init__(self, backend: str, channels: int) -> None:
        package = toolchain.npm("avr8js", "0.21.1")
        elf = toolchain.sketch("uno", backend, channels)
        words = ["node", toolchain.HERE / "avr8js_board.mjs", package, elf.with_suffix(".hex")]
        self.process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pulses: list[float] = []
        self._reset = False

    def exchange(self, data: bytes, now_us: int) -> bytes:
        assert self.process.stdin is not None and self.process.stdout is not None
        words = {"data": data.hex(), "until": now_us * CYCLES_PER_US, "reset": self._reset}
        self._reset = False
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.pulses += answer["pulses"]
        return bytes.fromhex(answer["out"])

    def reset(self) -> None:
        self._reset = True

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


@pytest.fixture
def make() -> Iterator[Callable[..., Avr8js]]:
    toolchain.need()
    made: list[Avr8js] = []

    def remember(backend: str, channels: int) -> Avr8js:
        made.append(Avr8js(backend, channels))
        return made[-1]

    yield remember
    for board in made:
        board.close()


def test_values_steps_digest_and_read_back(make: Callable[..., Avr8js]) -> None:
    talk = Talk(make("none", 512))
    values = np.random.default_rng(4).integers(-20000, 20000, 512)
    talk.want(values)
    talk.settle()
    talk.want(values + np.arange(512) % 3 * 1638)
    talk.settle()
    assert talk.mirror.statistics.step_frames >= 2
    assert talk.read_back() == (values + np.arange(512) % 3 * 1638).tolist()


def test_noise_and_a_reset(make: Callable[..., Avr8js]) -> None:
    talk = Talk(make("none", 40), noise=1e-2)
    chance = random.Random(7)
    for turn in range(100):
        talk.wait(0.01)
        talk.want([chance.randrange(-32767, 32768) for _ in range(40)])
        if turn == 50:
            talk.board.reset()
    talk.run(lambda: talk.mirror.in_step and talk.link.statistics.sessions >= 2, 60)
    assert talk.link.statistics.frames_resent and talk.link.statistics.checksum_failures
    talk.noise(0)
    assert talk.read_back() == talk.mirror.wanted.tolist()


def test_servo_pulses(make: Callable[..., Avr8js]) -> None:
    talk = Talk(make("servo", 1))
    for wire, pulse in ((0, 1500), (32767, 2400), (-32767, 600)):
        talk.want([wire])
        talk.settle()
        talk.wait(0.8)
        talk.board.pulses.clear()
        talk.wait(0.2)
        assert len(talk.board.pulses) >= 8
        assert talk.board.pulses == pytest.approx([pulse] * len(talk.board.pulses), abs=1.5)
