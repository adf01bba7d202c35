"""Frames: they come back as they went in, and noise neither raises nor lasts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.firmware.micropython.mark1_rig import link as board_link
from firmware_bridge.frame import LARGEST_PAYLOAD, Splitter, crc_hqx, decode, encode, stuff, unstuff, wire_length
from firmware_bridge.messages import TABLE, digest, pack, table_hash, to_microvolts, to_wire, unpack

payloads = st.binary(max_size=LARGEST_PAYLOAD)
seeds = st.integers(0, 0xFFFE)


def test_the_checksum_is_crc16_ibm_3740() -> None:
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1
    assert board_link.crc16(b"123456789", 0xFFFF) == 0x29B1


@given(st.binary(max_size=600))
def test_stuffed_bytes_have_no_zero_and_come_back(data: bytes) -> None:
    assert 0 not in stuff(data)
    assert unstuff(stuff(data)) == data


@given(payloads)
def test_the_boards_own_stuffing_is_the_same(data: bytes) -> None:
    assert board_link.stuff(data) == stuff(data) + b"\0"


@given(st.integers(0, 255), st.integers(0, 255), payloads, seeds)
def test_a_frame_round_trips(kind: int, seq: int, payload: bytes, session: int) -> None:
    data = encode(kind, seq, payload, session)
    assert data.count(0) == 1 and len(data) == wire_length(len(payload))
    frame = decode(data[:-1], session)
    assert frame is not None and (frame.type, frame.seq, frame.payload) == (kind, seq, payload)


@given(st.integers(0x10, 255), payloads, seeds, seeds)
def test_a_frame_of_another_session_never_passes(kind: int, payload: bytes, mine: int, other: int) -> None:
    passed = decode(encode(kind, 0, payload, mine)[:-1], other)
    assert (passed is None) == (mine != other)


@given(st.lists(st.binary(max_size=60), max_size=6), payloads)
def test_noise_never_raises_and_the_next_frame_is_whole(noise: list[bytes], payload: bytes) -> None:
    splitter = Splitter()
    for piece in noise:
        for chunk in splitter.feed(piece):
            decode(chunk)
    chunks = splitter.feed(b"\0" + encode(5, 6, payload))
    frame = decode(chunks[-1])
    assert frame is not None and frame.payload == payload


@given(st.integers(0, 255), st.binary(max_size=40))
def test_any_payload_unpacks_or_is_refused(kind: int, payload: bytes) -> None:
    message = unpack(kind, 0, payload)
    if message is not None:
        assert pack(message.name, *message.head.values(), tail=message.tail) == (kind, payload)


def test_a_line_without_zeros_does_not_fill_the_memory() -> None:
    splitter = Splitter()
    for _ in range(100):
        assert splitter.feed(b"\xaa" * 1000) == []
    assert len(splitter._rest) < 300


def test_too_long_a_payload_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        encode(1, 0, bytes(LARGEST_PAYLOAD + 1))


def test_both_sides_have_the_same_table() -> None:
    assert table_hash() == board_link.TABLE_HASH
    assert len({layout.code for layout in TABLE}) == len(TABLE)


def test_wire_values_by_hand() -> None:
    assert to_wire([0, 11_000_000, -11_000_000, 550_000, 12_000_000]).tolist() == [0, 32767, -32767, 1638, 32767]
    assert to_wire(to_microvolts(1234)) == 1234


@given(st.lists(st.integers(-32767, 32767), min_size=2, max_size=64), st.data())
def test_one_or_two_wrong_values_always_change_the_digest(values: list[int], data: st.DataObject) -> None:
    wrong = list(values)
    for at in data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=2, unique=True)):
        wrong[at] = data.draw(st.integers(-32767, 32767).filter(lambda v, at=at: v != values[at]))
    assert digest(np.array(values, np.int16)) != digest(np.array(wrong, np.int16))
