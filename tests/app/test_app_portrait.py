"""The picture of a machine: what it shows, and that nothing runs over its margins."""

from pathlib import Path

import numpy as np
import pytest

from mark1 import PRESETS, Mark1
from mark1.app import machinefile
from mark1.app.portrait import blended, portrait, view_of


@pytest.mark.parametrize("preset", ["HISTORIC", "EXPANDED", "IDEAL"])
@pytest.mark.parametrize("used", [1, 2, 5, 8])
def test_a_portrait_has_room_for_every_r_unit(preset: str, used: int) -> None:
    state = Mark1(PRESETS[preset].with_(response__in_use=used), seed=1).state()
    picture = portrait(state, "a machine with a name that is much too long for the head of a sheet")
    edge = np.concatenate([np.asarray(picture)[:, :20], np.asarray(picture)[:, -20:]], axis=1)
    assert len(np.unique(edge.reshape(-1, 3), axis=0)) == 1  # nothing runs over the margins


def test_a_portrait_shows_left_from_right(mark1, tmp_path: Path) -> None:
    mark1("train", "squares", "--out", tmp_path / "m.mark1")
    state = machinefile.read(tmp_path / "m.mark1")[0].state()
    for response, sign in ((0, 1), (1, -1)):
        view = view_of(state, response)
        assert sign * (view[:, :10].mean() - view[:, 10:].mean()) > 0
        assert blended(view).std() < view.std()


def test_blending_by_hand() -> None:
    point = np.zeros((5, 5))
    point[2, 2] = 16.0
    assert np.array_equal(blended(point)[1:4, 1:4], [[1, 2, 1], [2, 4, 2], [1, 2, 1]])
    assert np.array_equal(blended(np.ones((1, 3))), np.ones((1, 3)))
