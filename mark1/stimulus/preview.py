"""Pictures of what the cells see: one card beside its retina, or a contact sheet of a whole set."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from mark1.errors import StimulusError
from mark1.stimulus.inspection import Inspected
from mark1.stimulus.opening import read_grey
from mark1.stimulus.projection import CARD, Projection
from mark1.stimulus.projector import Light, project

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

STEEL, INK, FAINT, ALARM = (203, 205, 199), (28, 30, 30), (96, 99, 96), (168, 30, 18)
FIELD, DARK_LAMP, LIT_LAMP, ENGRAVED = (14, 14, 13), (42, 40, 36), (255, 196, 96), (92, 90, 84)
LAMP = 5  # points a lamp on a contact sheet
RETINA = 20 * LAMP + 4
ENTRY_WIDTH, ENTRY_HEIGHT, PROBLEM_HEIGHT = 2 * RETINA + 26, RETINA + 28, 28
COLUMNS, LEAST_COLUMNS, MARGIN, HEAD = 6, 3, 24, 68
MOST_ENTRIES = 300  # chosen: a sheet that still opens everywhere; problems come first


def retina_picture(light: Light, projection: Projection = CARD, lamp: int = LAMP) -> "Image.Image":
    """The lamp field of the retina, with the machine's thin lines every five cells (documented)."""
    from PIL import Image, ImageDraw

    rows, columns = projection.rows, projection.columns
    picture = Image.new("RGB", (columns * lamp + 4, rows * lamp + 4), FIELD)
    pen = ImageDraw.Draw(picture)
    for line in range(5, columns, 5):
        pen.line((1 + line * lamp, 2, 1 + line * lamp, rows * lamp + 1), fill=ENGRAVED)
    for line in range(5, rows, 5):
        pen.line((2, 1 + line * lamp, columns * lamp + 1, 1 + line * lamp), fill=ENGRAVED)
    for cell, level in enumerate(light):
        x, y = 2 + cell % columns * lamp, 2 + cell // columns * lamp
        colour = tuple(round(dark + (lit - dark) * level) for dark, lit in zip(DARK_LAMP, LIT_LAMP, strict=True))
        pen.rectangle((x + 1, y + 1, x + lamp - 2, y + lamp - 2), fill=colour)
    return picture


def preview(source: object, projection: Projection = CARD, lamp: int = 12) -> "Image.Image":
    """A picture beside what the cells see of it."""
    from PIL import Image

    retina = retina_picture(project(source, projection), projection, lamp)
    both = Image.new("RGB", (2 * retina.width + 3 * MARGIN, retina.height + 2 * MARGIN), STEEL)
    _paste_fitted(both, source, MARGIN, MARGIN, retina.width)
    both.paste(retina, (retina.width + 2 * MARGIN, MARGIN))
    return both


def contact_sheet(title: str, found: Sequence[Inspected], projection: Projection = CARD) -> "Image.Image":
    """All cards (or the first 300, those with problems before the others), each beside what the cells see of it."""
    from PIL import Image, ImageDraw

    shown = sorted(found, key=lambda one: not one.problem)[:MOST_ENTRIES] if len(found) > MOST_ENTRIES else list(found)
    columns = min(COLUMNS, max(LEAST_COLUMNS, len(shown)))
    rows = -(-len(shown) // columns)
    height = ENTRY_HEIGHT + (PROBLEM_HEIGHT if any(one.problem for one in shown) else 0)
    size = (2 * MARGIN + columns * ENTRY_WIDTH - 20, HEAD + rows * height + MARGIN // 2)
    sheet = Image.new("RGB", size, STEEL)
    pen = ImageDraw.Draw(sheet)
    _head(pen, title, found, len(shown))
    for number, one in enumerate(shown):
        row, column = divmod(number, columns)
        _entry(sheet, pen, one, MARGIN + column * ENTRY_WIDTH, HEAD + row * height, projection)
    return sheet


def _head(pen: "ImageDraw.ImageDraw", title: str, found: Sequence[Inspected], shown: int) -> None:
    from PIL import ImageFont

    problems = sum(1 for one in found if one.problem)
    classes = len({one.card.class_name for one in found})
    words = f"{_count(len(found), 'card')} in {_count(classes, 'class')}, "
    words += f"{_count(problems, 'problem')}" if problems else "no problems"
    words += f"; {shown} shown" if shown < len(found) else ""
    words += ". Left: the card; right: what the cells see of it."
    pen.text((MARGIN, 12), title, fill=INK, font=ImageFont.load_default(22))
    pen.text((MARGIN, 40), words, fill=ALARM if problems else FAINT, font=ImageFont.load_default(13))


def _count(number: int, word: str) -> str:
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{number:,} {word if number == 1 else plural}"


def _entry(
    sheet: "Image.Image", pen: "ImageDraw.ImageDraw", one: Inspected, x: int, y: int, projection: Projection
) -> None:
    from PIL import ImageFont

    if one.light is None:
        pen.rectangle((x, y, x + RETINA - 1, y + RETINA - 1), outline=FAINT)
        pen.line((x, y, x + RETINA - 1, y + RETINA - 1), fill=FAINT)
    else:
        _paste_fitted(sheet, one.card.open(), x, y, RETINA)
        retina = retina_picture(one.light, projection)
        sheet.paste(retina.resize((RETINA, RETINA)) if retina.size != (RETINA, RETINA) else retina, (x + RETINA + 6, y))
    if one.problem:
        pen.rectangle((x - 3, y - 3, x + 2 * RETINA + 8, y + RETINA + 2), outline=ALARM, width=2)
    font = ImageFont.load_default(11)
    pen.text((x, y + RETINA + 5), _shortened(one.card.name, 36), fill=INK, font=font)
    for number, line in enumerate(wrap(_short_problem(one), 40, max_lines=2, placeholder=" ...")):
        pen.text((x, y + RETINA + 19 + 13 * number), line, fill=ALARM, font=font)


def _short_problem(one: Inspected) -> str:
    """The problem without the card's own path, which stands above it."""
    return one.problem.removeprefix(str(one.card.picture)).strip()


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 3] + "..."


def _paste_fitted(sheet: "Image.Image", source: object, x: int, y: int, side: int) -> None:
    """The picture itself in grey, whole, in a square of black."""
    from PIL import Image

    try:
        grey = Image.fromarray(np.ascontiguousarray(read_grey(source)))
    except StimulusError:
        return
    scale = side / max(grey.size)
    grey = grey.resize((max(1, round(grey.width * scale)), max(1, round(grey.height * scale))))
    sheet.paste(FIELD, (x, y, x + side, y + side))
    sheet.paste(grey.convert("RGB"), (x + (side - grey.width) // 2, y + (side - grey.height) // 2))
