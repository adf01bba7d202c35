"""The mirror through any life: values change, cables break, boards reset, hosts go; in the end all is equal."""

import numpy as np
from boards import Emulated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talk import Talk

from firmware_bridge.messages import to_wire

CHANNELS = 24
values = st.lists(st.integers(-32767, 32767), min_size=CHANNELS, max_size=CHANNELS)
steps = st.tuples(st.just("step"), st.integers(-2000, 2000))
happenings = st.lists(
    st.one_of(
        st.tuples(st.just("values"), values),
        steps,
        st.tuples(st.just("wait"), st.integers(1, 60)),
        st.tuples(st.just("reset"), st.just(0)),
        st.tuples(st.just("cut"), st.integers(1, 400)),
        st.tuples(st.just("noise"), st.sampled_from([0.0, 0.01, 0.05])),
        st.tuples(st.just("meddle"), st.integers(0, CHANNELS - 1)),
    ),
    max_size=12,
)


def happen(talk: Talk, what: str, how: object) -> None:
    if what == "values":
        talk.want(np.array(how))
    elif what == "step":
        moved = talk.mirror.wanted.astype(np.int32) + int(str(how)) * (np.arange(CHANNELS) % 3 > 0)
        talk.want(np.clip(moved, -32767, 32767))
    elif what == "wait":
        talk.wait(int(str(how)) / 1000)
    elif what == "reset":
        talk.board.reset()
    elif what == "cut":
        talk.cut = True
        talk.wait(int(str(how)) / 1000)
        talk.cut = False
    elif what == "noise":
        talk.noise(float(str(how)))
    else:
        talk.board.link.values[int(str(how))] ^= 0x0101  # a bit flips in the board's memory


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(happenings)
def test_whatever_happens_the_end_is_equal(life: list[tuple[str, object]]) -> None:
    talk = Talk(Emulated(CHANNELS, "memory"))
    talk.want(np.zeros(CHANNELS, np.int16))
    for what, how in life:
        happen(talk, what, how)
    talk.noise(0.0)
    talk.wait(2.5)  # a proof is asked every second, and one that fails sends all again
    talk.settle(40)
    assert talk.board.link.values.tolist() == talk.mirror.wanted.tolist()


def test_a_bit_that_flips_in_the_boards_memory_is_noticed_and_mended() -> None:
    talk = Talk(Emulated(CHANNELS, "memory"))
    talk.want(np.arange(CHANNELS))
    talk.settle()
    talk.board.link.values[7] ^= 0x4000
    talk.wait(1.5)
    talk.settle()
    assert talk.mirror.statistics.mismatches == 1 and talk.board.link.values[7] == 7


def test_historic_motors_of_unequal_speed_go_as_absolutes_and_equal_ones_as_steps() -> None:
    equal, unequal = Talk(Emulated(64, "memory")), Talk(Emulated(64, "memory"))
    speeds = 550_000 * (1 + np.random.default_rng(1).uniform(-0.05, 0.05, 64))
    for talk, step in ((equal, np.full(64, 550_000.0)), (unequal, speeds)):
        talk.want(np.zeros(64, np.int16))
        talk.settle()
        for number in range(1, 6):
            talk.want(to_wire(step * number))
            talk.settle()
    assert equal.mirror.statistics.step_frames == 5 and unequal.mirror.statistics.step_frames == 0
    assert equal.mirror.statistics.value_frames == 1
