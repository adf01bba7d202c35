"""Pictures of what the cells see."""

import numpy as np

from mark1.stimulus import Projection, builtin, parity
from mark1.stimulus.inspection import Inspected, inspect
from mark1.stimulus.preview import FIELD, LIT_LAMP, MOST_ENTRIES, contact_sheet, preview, retina_picture


def test_every_lamp_shows_its_own_cell() -> None:
    light = np.zeros(400)
    light[[0, 21, 399]] = 1
    picture = np.asarray(retina_picture(light, lamp=5))
    lamps = picture[4::5, 4::5][:20, :20]
    assert np.array_equal(np.flatnonzero((lamps == LIT_LAMP).all(axis=2).ravel()), [0, 21, 399])
    assert tuple(picture[0, 0]) == FIELD


def test_a_retina_of_another_shape_is_drawn_in_its_shape() -> None:
    assert retina_picture(np.zeros(300), Projection(rows=10, columns=30), lamp=4).size == (124, 44)


def test_a_preview_shows_the_picture_and_its_cells() -> None:
    assert preview(builtin("e-x").cards[0].open()).size == (2 * 244 + 72, 244 + 48)


def test_a_large_set_shows_its_problems_first() -> None:
    found = inspect(parity(9))
    marked = [Inspected(one.card, one.light, "odd one out") if one is found[-1] else one for one in found]
    sheet = contact_sheet("parity", marked)
    assert sheet.height < MOST_ENTRIES // 6 * 170 + 200
    assert tuple(sheet.getpixel((22, 66))) == (168, 30, 18)  # the frame around the first entry


def test_a_dark_parity_card_is_named() -> None:
    problems = [one.card.name for one in inspect(parity(3)) if one.problem]
    assert problems == ["000"]
