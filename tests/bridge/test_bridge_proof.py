"""What the host claims: never a value that is not there, never a stop that was not made, never rest where none is."""

import numpy as np
from boards import Emulated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talk import STEP_US, Talk
from test_bridge_mirror import CHANNELS, happen, steps, values

from firmware_bridge.commission import Bench
from firmware_bridge.messages import CHANNEL_STATES

honest = st.lists(
    st.one_of(
        st.tuples(st.just("values"), values),
        steps,
        st.tuples(st.just("wait"), st.integers(1, 60)),
        st.tuples(st.just("cut"), st.integers(1, 60)),
        st.tuples(st.just("noise"), st.sampled_from([0.0, 0.01, 0.05])),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(honest)
def test_in_step_is_never_said_of_another_value(life: list[tuple[str, object]]) -> None:
    talk = Talk(Emulated(CHANNELS, "memory"))

    def look() -> None:
        assert not talk.mirror.in_step or talk.board.link.values.tolist() == talk.mirror.wanted.tolist()

    talk.each = look
    talk.want(np.zeros(CHANNELS, np.int16))
    for what, how in life:
        happen(talk, what, how)
    talk.noise(0.0)
    talk.settle(40)


class Far(Emulated):
    """A board whose answers take ten milliseconds, on a cable that can lose what the host says."""

    deaf = False

    def exchange(self, data: bytes, now_us: int) -> bytes:
        self.__dict__.setdefault("under_way", []).append(super().exchange(b"" if self.deaf else data, now_us))
        return self.under_way.pop(0) if len(self.under_way) > 10 else b""


def test_a_digest_asked_before_a_value_proves_nothing_about_it() -> None:
    talk = Talk(Far(4, "memory"))
    talk.want([10, 0, 0, 0])
    talk.run(lambda: talk.mirror._asked is not None)
    talk.mirror.want(np.array([20, 0, 0, 0], np.int16))
    talk.board.deaf = True  # the new value is lost, the answer about the old one is not
    for _ in range(20):
        talk.step()
        assert not talk.mirror.in_step
    talk.board.deaf = False
    talk.settle()
    assert talk.board.link.values[0] == 20


def test_a_curve_of_an_earlier_session_is_cleared() -> None:
    """A board that opening does not reset keeps what an earlier host taught it."""
    board = Emulated(4, "motors")
    first = Talk(board, calibration={0: (100, 500, 900)})
    first.want([0, 0, 0, 0])
    first.settle()
    second = Talk(board, seed=2, host=2)
    second.now_us = first.now_us + 3_000_000
    second.want([0, 0, 0, 0])
    second.settle(10)
    assert second.mirror.statistics.mismatches <= 2


def bench_turn(talk: Talk, bench: Bench) -> None:
    bench.poll(talk.now_us + STEP_US)
    talk.step()


def test_a_stop_before_there_is_a_session_is_said_when_one_begins() -> None:
    talk = Talk(Emulated(4, "motors"))
    bench = Bench(talk.mirror)
    talk.cut = True
    bench.stop()
    for _ in range(50):
        bench_turn(talk, bench)
    talk.cut = False
    bench.show(np.full(4, 20_000, np.int16))
    while not talk.mirror.in_step:
        bench_turn(talk, bench)
        assert talk.mirror.moving == 0
    assert talk.board.rig.stopped


def test_a_board_that_was_reset_is_stopped_again_until_a_person_resumes() -> None:
    talk = Talk(Emulated(4, "motors"))
    bench = Bench(talk.mirror)
    talk.want([0, 0, 0, 0])
    talk.settle()
    bench.stop()
    for _ in range(300):
        bench_turn(talk, bench)
    talk.board.reset()
    for _ in range(4000):
        bench_turn(talk, bench)
    assert talk.mirror.stopped and talk.board.rig.stopped
    bench.resume()
    for _ in range(1000):
        bench_turn(talk, bench)
    assert not talk.board.rig.stopped


def test_rest_is_only_believed_of_reports_that_came_after_the_proof() -> None:
    talk = Talk(Emulated(4, "motors"))
    talk.want([0, 0, 0, 0])
    talk.settle()
    talk.wait(1)
    assert talk.mirror.fresh().all()
    talk.mirror.want(np.full(4, 30_000, np.int16))
    talk.run(lambda: talk.mirror.in_step)
    assert not talk.mirror.fresh().any()
    talk.run(lambda: bool(talk.mirror.fresh().all()))
    assert {CHANNEL_STATES[state] for state in talk.mirror.states} <= {"moving", "waiting"}
