"""What main.py does on a Pico when its own program fails: outputs off, and from the start. In MicroPython itself."""

from collections.abc import Callable, Iterator

import pytest
from boards import MicroPythonBoard
from talk import Talk

pytestmark = pytest.mark.firmware
CHANNELS = 4


@pytest.fixture
def driven() -> Iterator[Callable[[str], MicroPythonBoard]]:
    """A board that drives every channel."""
    made: list[MicroPythonBoard] = []

    def make(kind: str) -> MicroPythonBoard:
        board = MicroPythonBoard(kind, CHANNELS)
        made.append(board)
        talk = Talk(board)
        talk.want([30000] * CHANNELS)
        talk.run(lambda: talk.mirror.in_step and talk.mirror.moving == CHANNELS)
        assert outputs(board, kind) == [True] * CHANNELS
        return board

    yield make
    for board in made:
        board.close()


def outputs(board: MicroPythonBoard, kind: str) -> list[bool]:
    """Which of them are driven."""
    if kind == "motors":
        return [board.way(channel) != 0 for channel in range(CHANNELS)]
    return [board._eval(f"board.pins.get({2 + channel}, 0)") != 0 for channel in range(CHANNELS)]


@pytest.mark.parametrize("kind", ["motors", "servos"])
@pytest.mark.parametrize(("failure", "end"), [("error", "reset"), ("key", "ended")])
def test_a_failure_switches_everything_off(
    driven: Callable[[str], MicroPythonBoard], kind: str, failure: str, end: str
) -> None:
    board = driven(kind)
    said = str(board._ask(call="run_main", args=[failure, 5]))
    assert outputs(board, kind) == [False] * CHANNELS
    assert said == f"{end} [7, 14, 21, 28, 35, 42]", "and the board's time went on where its ticks wrapped round"
    assert board._eval("WDT.last.fed") == 5


def test_off_is_tried_even_if_it_fails_and_the_board_starts_again(driven: Callable[[str], MicroPythonBoard]) -> None:
    board = driven("motors")
    board._ask(run="def broken(): raise OSError()\nloop.rig.plant._write = broken")
    assert str(board._ask(call="run_main", args=["error", 1])).startswith("reset")
    assert board._eval("board.pins[21]") == 1, "the enable pin goes first"


def test_a_port_that_keeps_the_board_waiting_does_so_once_a_turn(driven: Callable[[str], MicroPythonBoard]) -> None:
    board = driven("motors")
    board._ask(run="writes = []\ndef slow(data): writes.append(data)\nport.write = slow")
    board._ask(run="loop.link.ack = True\nloop.link.digest = 1\nloop.turn(99000)")
    assert board._eval("len(writes)") == 1


def test_a_disturbed_register_lasts_no_longer_than_on_an_arduino() -> None:
    board = MicroPythonBoard("motors", CHANNELS)
    try:
        board.exchange(b"", 1_000_000)
        board._ask(run="board.way = [1] * 4")  # a spark in the registers; nobody is there, nothing changes
        board.exchange(b"", 1_021_000)
        assert outputs(board, "motors") == [False] * CHANNELS
    finally:
        board.close()
