"""Published numbers, recomputed on the machine: Rosenblatt's 1957 report (Appendix II, equation 1, Table I)."""

import math

import numpy as np
import pytest

from mark1 import HISTORIC, IDEAL, Mark1
from mark1.commands import LoadValues, Rewire
from mark1.core.association import Association
from mark1.core.plugboard import Plugboard
from mark1.core.wiring import draw

STEP = 550_000

# X fires. Left half feeds R1, right half R2 (64 A-units).
ROWS = {
    "S1": "OXOO OOOO XOXX OOXO OXOO OOOX XOXO OXOO | OXOO OXXO OXOO OOXO OXOX XOXO XOOO OOOO",
    "S2": "XOXO OOXO OXOO OOOX OXXO XOOO OOOO OXXO | XOXO OXOX OOOO OOXX OOOO OXOX XOOO OOXO",
    "S3": "XOOO OOXO XXOO OOXO OXOO XOOX XOXO OOOO | XOXO OOOX OXXO OOOO OOXO OXOO XOOX OOXO",
}
TABLE_A = "2110 0020 2211 0021 0310 2002 2020 0210 | 2020 1212 0022 0101 0120 0211 1101 1102"
TABLE_B = "1112 0012 1111 0112 0022 1102 1011 0110 | 2120 0212 0210 0021 0111 1211 3001 0020"
SUMS_A = {"S1": (18, 6), "S2": (17, 13), "S3": (21, 14)}
SUMS_B = {"S1": (10, 15), "S2": (11, 19), "S3": (10, 18)}


def _digits(text):
    return np.array([int(c) for c in text if c.isdigit()])


def _machine():
    """Each stimulus is one lit cell; an A-unit is wired to the cells of the stimuli for which it fires."""
    config = IDEAL.with_(
        retina__rows=1, retina__columns=3, plugboard__excitatory=1, plugboard__inhibitory=0,
        plugboard__fan_out_limit=0, association__units=64, response__in_use=2, response__split="blocks",
    )  # fmt: skip
    fires = [[c == "X" for c in row if c in "XO"] for row in ROWS.values()]
    machine = Mark1(config)
    machine.submit(Rewire(table=tuple(tuple(i + 1 for i in range(3) if fires[i][unit]) for unit in range(64))))
    return machine


def _force(machine, response):
    targets = np.zeros((3, 2), int)
    targets[:, response] = 1
    machine.train(np.eye(3), targets, mode="forced", passes=1)


def _sums(machine):
    found = {}
    for name, light in zip(ROWS, np.eye(3), strict=True):
        machine.present(light)
        found[name] = tuple(int(s) // STEP for s in machine.settle().sums)
    return found


@pytest.mark.parametrize(
    ("table", "response", "half", "published"),
    [(TABLE_A, 0, slice(0, 32), SUMS_A), (TABLE_B, 1, slice(32, 64), SUMS_B)],
)
def test_appendix_ii_is_learned_and_all_its_sums_follow(table, response, half, published):
    """S1-S3 are forced on one response; the half that S4-S6 (lost) made is loaded; six sums of each table follow."""
    machine = _machine()
    _force(machine, response)
    learned = machine.state().values[0] / STEP
    assert learned[half].tolist() == _digits(table)[half].tolist()
    assert not np.delete(learned, np.arange(64)[half]).any()
    machine.submit(LoadValues(_digits(table)[None, :] * STEP))
    assert _sums(machine) == published


def _probability(x, y, threshold, lit, cells=400):
    """Equation 1: x excitatory and y inhibitory wires on different cells, `lit` of them lit."""
    total = 0.0
    for e in range(x + 1):
        for i in range(y + 1):
            dark = x + y - e - i
            if e - i >= threshold and e + i <= lit and dark <= cells - lit:
                ways = math.comb(x, e) * math.comb(y, i)
                total += ways * math.comb(cells - x - y, lit - e - i) / math.comb(cells, lit)
    return total


PRINTED = {
    (5, 5, 1): (0.2711, 0.3409, 0.3645, 0.3771),
    (5, 5, 2): (0.0510, 0.1117, 0.1483, 0.1722),
    (10, 10, 3): (0.0296, 0.0787, 0.1103, 0.1319),
    (10, 10, 4): (0.0049, 0.0239, 0.0425, 0.0579),
    (10, 0, 4): (0.0116, 0.1182, 0.3494, 0.8312),
}


@pytest.mark.parametrize(("wiring", "printed"), PRINTED.items())
def test_a_units_fire_as_often_as_equation_1_says(wiring, printed):
    """Over 30 drawn plugboards, the share of firing A-units lies within 4.5 standard errors of the formula."""
    x, y, threshold = wiring
    config = HISTORIC.with_(
        plugboard__excitatory=x, plugboard__inhibitory=y, plugboard__fan_out_limit=0, association__threshold=threshold
    )
    units = Association(config.association)
    boards = [Plugboard(draw(config, seed), 400, 0) for seed in range(30)]
    rng = np.random.default_rng(0)
    for lit, figure in zip((40, 80, 120, 200), printed, strict=True):
        p = _probability(x, y, threshold, lit)
        assert round(p, 4) == figure
        outputs = np.zeros((8, 400), bool)
        for row in outputs:
            row[rng.permutation(400)[:lit]] = True
        share = np.mean([units.fire_all(board, outputs).mean() for board in boards])
        # units of one board are independent; the eight figures of one board are not, so count boards x units only
        assert abs(share - p) < 4.5 * math.sqrt(p * (1 - p) / (30 * 512))


TABLE_I = {
    10: (23.6, 33.3, 707, 1000),
    100: (7.45, 10.5, 223.7, 316),
    1_000: (2.36, 3.33, 70.7, 100),
    10_000: (0.745, 1.05, 22.37, 31.6),
    100_000: (0.236, 0.333, 7.07, 10.0),
    1_000_000: (0.0745, 0.105, 2.237, 3.16),
}


@pytest.mark.parametrize("stimuli", TABLE_I)
def test_table_i_is_recomputed(stimuli):
    """Z = (1 - Pc) / sigma; the columns for Pa = .01 come out as printed only without the Pa^4 term."""
    for column, (pa, na) in enumerate(((0.10, 100), (0.10, 200), (0.01, 1000), (0.01, 2000))):
        fourth = pa**4 if pa == 0.10 else 0.0
        sigma = math.sqrt(2 * stimuli / (pa * na) * (pa**3 - fourth))
        assert 1 / sigma == pytest.approx(TABLE_I[stimuli][column], rel=0.004)
