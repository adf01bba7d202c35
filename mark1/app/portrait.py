"""A picture of a machine: its values, and what each R-unit has learned to look for, drawn back on the retina."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mark1 import MachineState

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

STEEL, INK, FAINT, FIELD = (203, 205, 199), (28, 30, 30), (96, 99, 96), (14, 14, 13)
FOR, AGAINST = np.array((255, 176, 64)), np.array((86, 148, 214))
MARGIN, SQUARE, HEAD, LABEL, GAP = 28, 9, 84, 24, 10
MOST_ACROSS = 5


def portrait(state: MachineState, title: str) -> "Image.Image":
    """For each R-unit in use: the retina as its values weigh it, and its potentiometers as coloured squares."""
    from PIL import Image, ImageDraw, ImageFont

    used = state.config.response.in_use
    tables = [_rack(state, response) for response in range(used)]
    retina = state.config.retina
    width = max(retina.columns, max(table.shape[1] for table in tables)) * SQUARE
    height = LABEL + (retina.rows + max(table.shape[0] for table in tables)) * SQUARE + GAP
    across = used if used <= MOST_ACROSS else -(-used // 2)
    size = (MARGIN + across * (width + MARGIN), HEAD + -(-used // across) * (height + MARGIN))
    sheet = Image.new("RGB", (max(size[0], 620), size[1]), STEEL)
    pen = ImageDraw.Draw(sheet)
    pen.text((MARGIN, 16), title, fill=INK, font=ImageFont.load_default(24))
    legend = "what each R-unit looks for, and its potentiometers: orange for it, blue against, the brighter the more"
    pen.text((MARGIN, 50), legend, fill=FAINT, font=ImageFont.load_default(13))
    for response, table in enumerate(tables):
        row, column = divmod(response, across)
        place = (MARGIN + column * (width + MARGIN), HEAD + row * (height + MARGIN))
        _response(sheet, pen, state, response, table, place)
    return sheet


def _response(
    sheet: "Image.Image", pen: "ImageDraw.ImageDraw", state: MachineState, response: int,
    table: NDArray[np.float64], place: tuple[int, int],
) -> None:  # fmt: skip
    from PIL import ImageFont

    x, y = place
    meant = [n for n, c in zip(state.codebook.names, state.codebook.codes, strict=True) if c >> response & 1]
    words = ", ".join(meant)
    words = words if len(words) <= 25 else words[:22].rstrip(", ") + " ..."
    pen.text((x, y), f"R{response + 1}", fill=INK, font=ImageFont.load_default(16))
    pen.text((x + 32, y + 4), words, fill=FAINT, font=ImageFont.load_default(11))
    view = view_of(state, response)
    retina = _squares(view / max(1.0, float(np.abs(view).max())))
    sheet.paste(retina, (x, y + LABEL))
    stops = state.config.potentiometer.stops
    most = float(stops[1]) if stops else max(1.0, float(np.abs(state.values).max()))
    sheet.paste(_squares(table / most), (x, y + LABEL + retina.height + GAP))


def view_of(state: MachineState, response: int) -> NDArray[np.float64]:
    """Each cell's pull on an R-unit: the values of the A-units it excites, less those of the units it inhibits."""
    cells = state.config.retina.cells
    values = np.where(state.feeds == response, state.values, 0.0).sum(axis=0)
    pulls = np.sign(state.table) * values[:, None]
    counts = np.bincount(np.abs(state.table).ravel(), weights=pulls.ravel(), minlength=cells + 1)
    view = counts[1:].astype(np.float64)
    return view.reshape(state.config.retina.rows, state.config.retina.columns)


def _rack(state: MachineState, response: int) -> NDArray[np.float64]:
    """The values that feed an R-unit, in the order of the A-units, in rows of twenty (more on large machines)."""
    values = state.values[state.feeds == response]
    columns = 20 if len(values) <= 800 else int(np.ceil(np.sqrt(len(values))))
    rows = -(-len(values) // columns)
    table = np.zeros(rows * columns)
    table[: len(values)] = values
    return table.reshape(rows, columns)


def _squares(levels: NDArray[np.float64], size: int = SQUARE) -> "Image.Image":
    """Numbers from -1 to 1 as squares on black: dark at 0, orange towards 1, blue towards -1."""
    from PIL import Image

    strength = np.sqrt(np.clip(np.abs(levels), 0, 1))[..., None]
    colours = np.where(levels[..., None] >= 0, FOR, AGAINST) * strength + np.array(FIELD) * (1 - strength)
    big = np.repeat(np.repeat(colours, size, axis=0), size, axis=1)
    big[::size] = big[:, ::size] = FIELD
    return Image.fromarray(big.astype(np.uint8))
