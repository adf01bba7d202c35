"""A sketch that hangs: its watchdog switches everything off and starts it again, whatever bootloader is in front."""

from collections.abc import Callable

import pytest
import toolchain
from boards import SimAvr
from talk import Talk
from test_bridge_pins import BOARDS, SERVO_PIN, high_times, i2c_writes

pytestmark = pytest.mark.firmware
WATCHDOG = 4  # of messages.BOOT_CAUSES
LOADERS = [
    ("uno", None),
    ("uno", "optiboot"),
    ("uno", "atmega/ATmegaBOOT_168_atmega328.hex"),
    ("mega", None),
    ("mega", "stk500v2/stk500boot_v2_mega2560.hex"),
]


def back_again(talk: Talk) -> None:
    """The program finds its way again; the board must be there at once, and say why."""
    talk.board.hang(False)
    talk.cut = False
    sessions = talk.link.statistics.sessions
    assert talk.run(lambda: talk.link.statistics.sessions > sessions) < 2.2, "no bootloader in between"
    assert talk.link.board is not None and talk.link.board.boot_cause == WATCHDOG


def until_off(talk: Talk, driven: Callable[[], bool]) -> None:
    assert driven()
    talk.board.hang()
    talk.cut = True  # so that nobody drives it again at once
    talk.wait(1.5)
    assert driven(), "it really hangs"
    talk.wait(0.6)
    assert not driven()


@pytest.mark.parametrize(("board", "loader"), LOADERS)
def test_motors_go_off_and_the_board_comes_back(board: str, loader: str | None) -> None:
    toolchain.need()
    talk = Talk(SimAvr(board, "motors", 8, boot=toolchain.bootloader(loader) if loader else None))
    talk.want([30000] * 8)
    talk.run(lambda: talk.mirror.in_step and talk.mirror.moving == 4)
    until_off(talk, lambda: any(talk.board.way(motor) for motor in range(8)))
    back_again(talk)
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)


@pytest.mark.parametrize("board", BOARDS)
def test_a_servo_goes_limp(board: str) -> None:
    toolchain.need()
    talk = Talk(SimAvr(board, "servo", 1))
    talk.want([5000])
    talk.settle()
    talk.wait(0.8)
    talk.board.trace()

    def driven() -> bool:
        list(talk.board.seen())
        talk.wait(0.1)
        return bool(high_times(list(talk.board.seen()), SERVO_PIN[board]))

    until_off(talk, driven)
    back_again(talk)


@pytest.mark.parametrize("board", BOARDS)
def test_servos_on_a_bus_go_limp_with_the_new_start(board: str) -> None:
    toolchain.need()
    talk = Talk(SimAvr(board, "pca9685", 16))
    talk.want([5000] * 16)
    talk.settle()
    talk.board.hang()
    talk.cut = True
    talk.wait(0.1)
    talk.board.trace()
    talk.wait(2.1)
    assert (0x40, [0xFD, 0x10]) in i2c_writes(list(talk.board.seen())), "all off, in one word"
    back_again(talk)


@pytest.mark.parametrize("board", BOARDS)
def test_static_memory_leaves_room_for_the_stack(board: str) -> None:
    toolchain.need()
    room = 2048 if board == "uno" else 8192
    for backend, channels in (("none", 512), ("pca9685", 64), ("motors", 16), ("digipot", 16), ("servo", 1)):
        flash, ram = toolchain.memory(toolchain.sketch(board, backend, channels))
        assert ram < room - 400 and flash < 30_000, (backend, flash, ram)
