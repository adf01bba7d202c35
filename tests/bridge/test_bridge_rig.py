"""Rig files, maps and commissioning."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import toolchain
from boards import Emulated, SimAvr
from talk import Talk

from firmware_bridge.commission import StopFinder
from firmware_bridge.mirror import Limits
from firmware_bridge.rig import ChannelMap, PortConfig, RigConfig, Source, load_rig, rig_from, rig_named, rig_text
from mark1.errors import BridgeError, ConfigError

TEXT = """
name = "desk"
response = 2
photocell_rows = 4
photocell_columns = 5

[[port]]
device = "/dev/ttyACM0"
baud = 500000
motors_at_once = 3
[[port.channel]]
source = "A17"
ends = [600, 1500, 2400]
[[port.channel]]
source = "A3/R2"
[[port.channel]]
source = "sum R1"

[[port]]
device = "auto"
map = "auto"
"""


def test_a_rig_file_is_read_and_written(tmp_path: Path) -> None:
    file = tmp_path / "rig.toml"
    file.write_text(TEXT)
    rig = load_rig(file)
    first = rig.ports[0]
    assert (rig.name, rig.response, rig.photocell_rows) == ("desk", 1, 4)
    assert first.sources == (Source("value", 16), Source("value", 2, 1), Source("sum", 0))
    assert (first.map, first.baud, first.limits.motors_at_once, dict(first.calibration)) == (
        "list",
        500_000,
        3,
        {0: (600, 1500, 2400)},
    )
    assert rig.ports[1].map == "auto"
    file.write_text(rig_text(rig))
    assert load_rig(file) == rig


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"prot": []}, "unknown setting prot; did you mean port?"),
        ({"port": [{"devise": "x"}]}, "unknown setting port.devise; did you mean device?"),
        ({"port": [{"baud": "fast"}]}, "baud is 'fast', but must be a whole number from 1200 to 2000000."),
        ({"port": [{"map": "some"}]}, "port.map is 'some', but must be auto, first or list."),
        ({"port": [{"channel": [{"source": "B7"}]}]}, "'B7' is no source of a channel; write A17, A17/R2, "),
        ({"port": [{"channel": [{"source": "A0"}]}]}, "'A0' is no source of a channel; "),
        ({"port": [{"channel": [{"source": "A1", "ends": [1, 2]}]}]}, "port.channel.ends is [1, 2], but must be three"),
    ],
)
def test_a_wrong_rig_file_is_one_sentence(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rig_from(data)
    assert str(caught.value).startswith(sentence)


def test_a_file_that_is_not_there_or_not_toml_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^There is no rig file .*; 'mark1 rig calibrate' writes one\.$"):
        load_rig(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(ConfigError, match="is not TOML"):
        load_rig(tmp_path / "bad.toml")


def test_a_port_by_name_is_a_rig_of_one() -> None:
    assert rig_named("/dev/ttyUSB0") == RigConfig(ports=(PortConfig(device="/dev/ttyUSB0"),))


def test_values_sums_and_lamps_on_the_wire() -> None:
    state = SimpleNamespace(
        values=np.array([[11e6, -5.5e6, 0, 1e6]]),
        sums=np.array([22e6, -3e6]),
        states=np.array([1, -1]),
        undecided=np.array([False, True]),
        feeds=np.array([[0, 1, 0, 1]]),
        active=np.array([True, True, True, False]),
    )
    sources = tuple(Source.parse(text) for text in ("A2", "sum R1", "lamp R1", "lamp R2", "A1"))
    assert ChannelMap(sources, state, 5).wire(state).tolist() == [-16384, 32767, 32767, 0, 32767]
    assert [str(source) for source in sources] == ["A2", "sum R1", "lamp R1", "lamp R2", "A1"]


class Stiff(Emulated):
    """An emulated board whose knobs have stops of their own."""

    def exchange(self, data: bytes, now_us: int) -> bytes:
        out = super().exchange(data, now_us)
        self.plant.position = [max(120_000, min(880_000, place)) for place in self.plant.position]
        return out


def find(talk: Talk, channel: int) -> tuple[int, int, int]:
    talk.want([0] * 4)
    finder = StopFinder(talk.mirror, channel)
    talk.run(lambda: finder.poll(talk.now_us), 30)
    assert finder.ends is not None
    return finder.ends


def test_stops_are_found_by_leaning_on_them_once() -> None:
    assert find(Talk(Stiff(4, "motors")), 2) == pytest.approx((125, 500, 875), abs=3)


@pytest.mark.firmware
@pytest.mark.parametrize("board", ["uno", "mega"])
def test_stops_are_found_on_the_sketch_too(board: str) -> None:
    toolchain.need()
    assert find(Talk(SimAvr(board, "motors", 4)), 2) == pytest.approx((25, 511, 998), abs=9)


def test_a_channel_that_does_not_move_is_named_with_the_likely_causes() -> None:
    talk = Talk(Emulated(4, "motors"))
    talk.board.jam(1)
    with pytest.raises(BridgeError, match="Channel 1 moved only . counts; it is jammed, has no power, or its"):
        find(talk, 1)


def test_servos_get_no_pulse_before_the_first_value_and_none_in_silence() -> None:
    talk = Talk(Emulated(4, "servos"), limits=Limits(silence_ms=500))
    talk.wait(0.5)
    assert talk.board.plant.pulses == [0] * 4
    talk.want([0, 32767, -32767, 16384])
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all())
    assert talk.board.plant.pulses == [1500, 2400, 600, 1950]
    talk.cut = True
    talk.wait(0.6)
    assert talk.board.plant.pulses == [0] * 4


def test_servos_take_turns() -> None:
    talk = Talk(Emulated(8, "servos"), limits=Limits(motors_at_once=2))
    talk.want([30000] * 8)
    most = []
    talk.each = lambda: most.append(talk.board.rig.moving())
    talk.run(lambda: talk.mirror.in_step and (talk.mirror.states == 0).all(), 30)
    assert max(most) == 2


def test_a_reflashed_board_with_more_channels_is_mapped_anew() -> None:
    emulators = [Emulated(4, "memory"), Emulated(8, "memory")]
    talk = Talk(emulators[0])
    talk.want([1, 2, 3, 4])
    talk.settle()
    talk.board = emulators[1]
    talk.run(lambda: len(talk.mirror.wanted) == 8)
    talk.want(list(range(8)))
    talk.settle()
    assert emulators[1].link.values.tolist() == list(range(8))
