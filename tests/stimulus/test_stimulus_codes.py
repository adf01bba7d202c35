"""Codes: what is asked of the R-units, and what their answer means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark1.errors import StimulusError
from mark1.stimulus import NO_ANSWER, UNDECIDED, codes_for


def test_up_to_eight_classes_have_an_r_unit_each() -> None:
    book = codes_for(list("ABCDEFGH"))
    assert book.r_units == 8
    assert book.target("C").tolist() == [-1, -1, 1, -1, -1, -1, -1, -1]


def test_twenty_six_letters_need_five_r_units_counted_from_one() -> None:
    book = codes_for([chr(65 + i) for i in range(26)])
    assert book.r_units == 5
    assert book.target("A").tolist() == [1, -1, -1, -1, -1]
    assert book.target("Z").tolist() == [-1, 1, -1, 1, 1]  # 26 = 2 + 8 + 16, R1 the lowest bit


@given(st.integers(1, 255))
def test_every_answer_reads_back_as_its_class(count: int) -> None:
    names = [f"class {i}" for i in range(count)]
    book = codes_for(names)
    assert [book.read(row) for row in book.targets] == names


def test_no_code_is_no_answer_and_a_doubt_is_undecided() -> None:
    book = codes_for(list("ABC"))
    assert book.read([-1, -1, -1]) == NO_ANSWER
    assert book.read([1, 1, -1]) == NO_ANSWER
    assert book.read([1, -1, -1], undecided=[False, True, False]) == UNDECIDED


def test_255_classes_fit_and_256_do_not() -> None:
    assert codes_for([str(i) for i in range(255)]).r_units == 8
    with pytest.raises(StimulusError, match="256 classes"):
        codes_for([str(i) for i in range(256)])


def test_codes_can_be_given_as_numbers_or_states() -> None:
    assert codes_for(["a", "b"], {"a": 5, "b": 2}).targets.tolist() == [[1, -1, 1], [-1, 1, -1]]
    mixed = codes_for(["a", "b"], {"a": [1, 0], "b": [-1, 1]})
    assert mixed.targets.dtype == np.int8
    assert mixed.read([1, -1]) == "a"


@pytest.mark.parametrize(
    "given",
    [{"a": 1}, {"a": 0, "b": 1}, {"a": 256, "b": 1}, {"a": [1, 2], "b": [1, 1]}, {"a": [1], "b": [1, 1]}]
    + [{"a": 3, "b": 3}]
    + [{"a": True, "b": 2}, {"a": "1", "b": 2}, {"a": [1, 0], "b": [0, 1]}, {"a": [], "b": []}, {"a": [1] * 9, "b": 1}],
)
def test_unusable_codes_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(StimulusError):
        codes_for(["a", "b"], given)


def test_plain_data_gives_the_same_book() -> None:
    book = codes_for([str(i) for i in range(20)])
    again = codes_for(book.classes, book.as_table())
    assert np.array_equal(again.targets, book.targets)
