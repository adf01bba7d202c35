"""What falls on the cells: framing, fitting, polarity, uneven light, thin strokes."""

import numpy as np
import pytest

from mark1.errors import ConfigError
from mark1.stimulus import Projection, builtin, develop, project
from mark1.stimulus.figure import otsu

PLAIN = Projection(framing=False, polarity="light", threshold=0.5, exposure=0.5)


def picture(cells: np.ndarray, scale: int = 8) -> np.ndarray:
    return np.repeat(np.repeat(cells.astype(np.uint8) * 255, scale, axis=0), scale, axis=1)


def letter_l(top: int, left: int, scale: int = 1) -> np.ndarray:
    cells = np.zeros((20, 20), dtype=bool)
    cells[top : top + 8 * scale, left : left + 2 * scale] = True
    cells[top + 6 * scale : top + 8 * scale, left : left + 6 * scale] = True
    return cells


def test_without_framing_each_cell_sees_its_own_part() -> None:
    cells = np.random.Generator(np.random.PCG64(1)).random((20, 20)) < 0.3
    assert np.array_equal(project(picture(cells), PLAIN).reshape(20, 20), cells)


def test_framing_makes_place_and_size_not_matter() -> None:
    here, there = project(picture(letter_l(0, 0))), project(picture(letter_l(4, 6, 2), 16))
    assert np.array_equal(here, there)


def test_framing_fills_seven_tenths_and_centres() -> None:
    lit = np.argwhere(project(picture(letter_l(1, 2))).reshape(20, 20))
    assert lit[:, 0].min() == 3
    assert lit[:, 0].max() == 16
    assert abs(lit[:, 1].min() + lit[:, 1].max() - 19) <= 1


def test_fit_shows_all_of_a_wide_picture_and_crop_its_middle() -> None:
    wide = np.zeros((80, 160), dtype=np.uint8)
    wide[:, :40] = 255
    fitted = project(wide, PLAIN).reshape(20, 20)
    assert np.array_equal(np.flatnonzero(fitted.any(axis=1)), np.arange(5, 15))
    assert np.array_equal(np.flatnonzero(fitted.any(axis=0)), np.arange(5))
    assert project(wide, PLAIN.changed(fit="crop")).sum() == 0


def test_dark_ink_on_paper_is_read_like_a_white_figure() -> None:
    card = picture(letter_l(5, 5))
    assert np.array_equal(project(card), project(255 - card))
    assert develop(255 - card).figure.dark_on_light


def test_polarity_can_be_forced() -> None:
    card = 255 - picture(letter_l(5, 5))
    light = project(card, PLAIN.changed(polarity="light"))
    assert light.sum() == 400 - letter_l(5, 5).sum()
    assert project(card, PLAIN.changed(polarity="dark")).sum() == letter_l(5, 5).sum()


def test_uneven_light_is_levelled_by_itself() -> None:
    paper = np.where(picture(letter_l(6, 6)) > 0, 110.0, 200.0)
    uneven = (paper * np.linspace(1.0, 0.4, 160)).astype(np.uint8)
    even = project(paper.astype(np.uint8))
    assert develop(uneven).figure.method == "local"
    assert np.count_nonzero(project(uneven) != even) <= 8
    assert np.count_nonzero(project(uneven, Projection(threshold="otsu")) != even) > 40


def test_the_edge_of_a_table_in_a_photograph_is_not_the_figure() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    paper = np.where(picture(letter_l(6, 6)) > 0, 90.0, 190.0) + rng.normal(0, 12, (160, 160))
    alone = project(np.clip(paper, 0, 255).astype(np.uint8))
    paper[:, 150:] = 40
    with_table = project(np.clip(paper, 0, 255).astype(np.uint8), Projection(threshold="local"))
    assert np.count_nonzero(alone != with_table) <= 12


@pytest.mark.parametrize("width", [1, 2, 3])
def test_thin_strokes_survive(width: int) -> None:
    card = np.zeros((160, 160), dtype=np.uint8)
    card[20:140, 80 : 80 + width] = 255
    card[140 - width : 140, 20:140] = 255
    lit = project(card).reshape(20, 20).astype(bool)
    assert lit.any(axis=1).sum() >= 14
    assert lit.any(axis=0).sum() >= 14


def test_a_blank_card_is_dark_and_a_white_card_is_lit_where_light_counts() -> None:
    grey = np.full((50, 50), 120, dtype=np.uint8)
    assert project(grey).sum() == 0
    assert project(grey + 120).sum() == 0
    assert project(grey + 120, Projection(polarity="light")).sum() == 400


def test_without_threshold_the_light_is_grey() -> None:
    ramp = np.tile(np.linspace(0, 255, 160).astype(np.uint8), (160, 1))
    light = project(ramp, Projection(framing=False, polarity="light", threshold="none")).reshape(20, 20)
    assert np.all(np.diff(light[0]) > 0.04)
    assert 0 <= light.min() < light.max() <= 1


def test_a_single_point_is_a_picture() -> None:
    assert project(np.array([[7]], dtype=np.uint8)).shape == (400,)


def test_other_retinas_than_the_documented_one() -> None:
    assert project(picture(letter_l(2, 2)), Projection(rows=10, columns=30)).shape == (300,)


def test_otsu_on_two_levels_finds_both() -> None:
    split = otsu(np.array([[10, 10, 10, 200]], dtype=np.uint8))
    assert (split.low, split.high, split.goodness) == (10, 200, pytest.approx(1.0))


@pytest.mark.parametrize(
    "wrong",
    [{"fill": 0}, {"fill": 1.5}, {"rows": 0}, {"rows": 2.0}, {"polarity": "white"}, {"threshold": 2.0}, {"fit": "zoom"}]
    + [{"threshold": "otzu"}, {"exposure": float("nan")}, {"framing": 1}, {"polarty": "light"}],
)
def test_impossible_settings_are_refused_by_name(wrong: dict[str, object]) -> None:
    name = "polarity" if "polarty" in wrong else next(iter(wrong))
    with pytest.raises(ConfigError, match=name):
        Projection().changed(**wrong)


def test_settings_survive_on_a_note() -> None:
    camera = Projection(framing=False, threshold=0.25, polarity="dark")
    assert Projection.from_text(camera.as_text()) == camera


@pytest.mark.parametrize("fill", [0.1, 0.7, 1.0])
def test_a_picture_a_hundred_times_as_long_as_high_is_a_line(fill: float) -> None:
    picture = np.zeros((600, 60_000), np.uint8)
    picture[100:500, 500:-500] = 255
    field = project(picture, Projection(fill=fill, exposure=0.005)).reshape(20, 20)
    assert field.any(axis=1).sum() <= 2
    assert abs(field.any(axis=0).sum() - 20 * fill) <= 1


NO_CAMERAS = ["", "35 mm", "[]", '{"lens": 50}', '{"fill": NaN}', '{"fill": 1e-300}', "{" * 100_000]


@pytest.mark.parametrize("text", NO_CAMERAS)
def test_a_note_that_is_no_camera_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"camera.*\.$"):
        Projection.from_text(text)


def test_every_capital_of_every_typeface_looks_different() -> None:
    lights = builtin("capitals").lights()
    assert len(np.unique(lights, axis=0)) == 78
