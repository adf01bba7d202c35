"""Must show 2: one typeface without error, and what a second one does, beside the Navy's figures."""

import sys
from pathlib import Path

import pytest

from mark1 import EXPANDED, HISTORIC

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import stimulus_typefaces  # noqa: E402


@pytest.mark.parametrize("config", [HISTORIC, EXPANDED], ids=["HISTORIC", "EXPANDED"])
def test_one_wiring(config) -> None:
    shares = stimulus_typefaces.one_seed(config, 1)
    assert shares["capitals-sans learned, asked"] == 1.0
    assert shares["both learned to the end, both asked"] == 1.0
    assert shares["capitals-serif asked of that machine"] < 0.5


@pytest.mark.slow
def test_twenty_wirings_beside_the_navy() -> None:
    table = stimulus_typefaces.measure(20)
    for name, rows in table.items():
        for question, (mean, low, high) in rows.items():
            print(f"{name}: {question}: {mean:.1%} ({low:.1%} to {high:.1%}); the Navy: {stimulus_typefaces.NAVY:.0%}")
        assert rows["capitals-sans learned, asked"][0] == 1.0
        assert rows["capitals-serif asked of that machine"][2] < 0.5  # it does not generalise over typefaces
