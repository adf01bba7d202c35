"""The plugboard: drawn at random, under the limit, every A-unit alike; and changed wire by wire."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark1 import HISTORIC, Mark1
from mark1 import commands as c
from mark1.core.plugboard import Plugboard, as_lines, from_lines
from mark1.core.wiring import draw
from mark1.errors import CommandError


@given(seed=st.integers(0, 2**64 - 1), x=st.integers(0, 16), y=st.integers(0, 15))
def test_every_draw_keeps_the_limit_and_gives_every_unit_its_wires(seed, x, y):
    table = draw(HISTORIC.with_(plugboard__excitatory=x, plugboard__inhibitory=y), seed)
    assert table.shape == (512, x + y)
    if x + y:
        assert np.bincount(np.abs(table).ravel()).max() <= 40
        assert (np.diff(np.sort(np.abs(table), axis=1)) > 0).all()
        assert ((table > 0).sum(axis=1) == x).all()


def test_an_unlimited_draw_would_break_the_limit_about_every_other_time():
    """So the repair is really at work in the test above."""
    free = HISTORIC.with_(plugboard__excitatory=10, plugboard__inhibitory=10, plugboard__fan_out_limit=0)
    broken = sum(np.bincount(np.abs(draw(free, seed)).ravel()).max() > 40 for seed in range(40))
    assert 8 <= broken <= 36


@given(seed=st.integers(0, 10**6), reach=st.integers(2, 6))
def test_topological_wires_come_from_one_neighbourhood(seed, reach):
    config = HISTORIC.with_(plugboard__layout="topological", plugboard__reach=reach, plugboard__fan_out_limit=0)
    cells = np.abs(draw(config, seed)) - 1
    assert np.ptp(cells // 20, axis=1).max() <= 2 * reach
    assert np.ptp(cells % 20, axis=1).max() <= 2 * reach


def test_cells_are_used_evenly():
    """Each of 400 cells is as likely as any other: chi-square over 200 boards stays in its range."""
    counts = sum(np.bincount(np.abs(draw(HISTORIC, seed)).ravel(), minlength=401)[1:] for seed in range(200))
    expected = 200 * 5120 / 400
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert 290 < chi_square < 515  # 399 degrees of freedom: four standard deviations


def test_the_readable_table_comes_back_as_it_was():
    table = draw(HISTORIC, 3)
    lines = as_lines(table)
    assert lines[0].split()[0].startswith("+")
    assert np.array_equal(from_lines(lines, 512, 400), table)


def test_wires_are_cut_added_and_moved_singly():
    board = Plugboard(draw(HISTORIC, 3), 400, 40)
    first, free = abs(board.wires(9)[0]) - 1, next(n for n in range(400) if n + 1 not in map(abs, board.wires(9)))
    board.cut(9, first)
    assert board.count() == 5119
    board.add(9, free, "inhibitory")
    assert -(free + 1) in board.wires(9)
    board.move(9, free, first)
    assert -(first + 1) in board.wires(9)
    with pytest.raises(CommandError, match="already has a wire"):
        board.add(9, first, "excitatory")


def test_a_full_s_unit_takes_no_more_wires():
    machine = Mark1(HISTORIC.with_(plugboard__excitatory=1, plugboard__inhibitory=0), 1)
    table = [() for _ in range(512)]
    for unit in range(40):
        table[unit] = (1,)
    machine.submit(c.Rewire(table=tuple(table)))
    with pytest.raises(CommandError, match="its limit"):
        machine.submit(c.AddWire(100, 0, "excitatory"))


@given(seed=st.integers(0, 10**6))
def test_one_card_and_many_cards_are_seen_alike(seed):
    machine = Mark1(seed=seed)
    works = machine._works
    outputs = np.random.default_rng(seed).random((5, 400)) < 0.4
    together = works.association.fire_all(works.plugboard, outputs)
    for row, alone in zip(together, outputs, strict=True):
        works.association.fire(works.plugboard, alone)
        assert np.array_equal(row, works.association.active)
