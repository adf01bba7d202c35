"""A picture of a machine: what each R-unit has learned to look for, drawn back on the retina, and its potentiometers.

Chosen: the layout and the colours. The needles' travel is the wipers' own, from stop to stop; on a machine without
stops it reaches as far as its largest value.
"""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mark1 import MachineState

if TYPE_CHECKING:
    from PIL import Image

Floats = NDArray[np.float64]
Place = tuple[int, int]
STEEL, INK, FAINT, FIELD, FACE = (203, 205, 199), (28, 30, 30), (84, 87, 84), (14, 14, 13), (50, 50, 47)
UNTURNED = (122, 122, 116)
FOR, AGAINST = np.array((255, 176, 64)), np.array((96, 164, 236))
MARGIN, GAP, PANEL = 56, 44, 320
LEAST_WIDTH = 2 * MARGIN + 2 * PANEL + GAP
HEAD, HEADING, CAPTION, LEGEND = 126, 34, 20, 62
MOST_ACROSS = 4  # R-units in a row of the sheet
DIALS_ACROSS, MOST_DIALS = 16, 800  # larger racks are drawn as squares
FINE = 4  # dials are drawn so many times larger, then reduced, for smooth edges
SWING = 135.0  # degrees from upright to a stop
RETINA_WORDS = (
    "Retina: how the photocells pull on the R-unit, by the values of the A-units that they excite, less those of the "
    "A-units that they inhibit; each cell is blended with its neighbours. Orange pulls towards +1, blue towards -1."
)
RACK_WORDS = (
    "Potentiometers: those that feed the R-unit, in the order of their A-units. An upright needle is 0 V; its ends, "
    "135 degrees to either side, are {ends}."
)


def portrait(state: MachineState, title: str) -> "Image.Image":
    """For each R-unit in use: the retina as its values weigh it, and its potentiometers as dials."""
    from PIL import Image

    sheet = _Sheet(state)
    picture = Image.new("RGB", sheet.size, STEEL)
    sheet.write(picture, (MARGIN, 30), _shortened(title, 42), 28)
    for number, line in enumerate(_about(state)):
        sheet.write(picture, (MARGIN, 68 + 20 * number), line, 14, FAINT)
    for response in range(state.config.response.in_use):
        _response(picture, sheet, state, response)
    _legend(picture, sheet)
    return picture


class _Sheet:
    """Where everything goes, and the two scales: microvolts at which a colour is full."""

    def __init__(self, state: MachineState) -> None:
        used = state.config.response.in_use
        self.views = [blended(view_of(state, response)) for response in range(used)]
        self.racks = [state.values[state.feeds == response] for response in range(used)]
        self.view_scale = _round_up(max(float(np.abs(view).max()) for view in self.views))
        self.value_scale = _round_up(float(np.abs(state.values).max()))
        self.stops = state.config.potentiometer.stops
        self.travel = float(max(map(abs, self.stops))) if self.stops else self.value_scale
        self.fields = [_squares(view / self.view_scale, PANEL) for view in self.views]
        self.dials = [self._rack(values) for values in self.racks]
        self._place(used)

    def _rack(self, values: Floats) -> "Image.Image":
        if len(values) > MOST_DIALS:
            columns = int(np.ceil(np.sqrt(len(values))))
            return _squares(_in_rows(values, columns, 0.0) / self.value_scale, PANEL)
        return _dials(_in_rows(values, DIALS_ACROSS, np.nan), self.travel, self.value_scale)

    def _place(self, used: int) -> None:
        pictures = [*self.fields, *self.dials]
        self.width = max(PANEL, *(one.width for one in pictures))
        self.field_height = max(one.height for one in self.fields)
        self.height = HEADING + 2 * CAPTION + self.field_height + GAP // 2 + max(one.height for one in self.dials)
        self.across = -(-used // -(-used // MOST_ACROSS))  # rows as full as each other
        wide = max(LEAST_WIDTH, 2 * MARGIN + self.across * (self.width + GAP) - GAP)
        self.foot = HEAD + -(-used // self.across) * (self.height + GAP)
        self.lines = self._words(wide - 2 * MARGIN)
        self.size = (wide, self.foot + LEGEND + 19 * len(self.lines) + MARGIN)

    def _words(self, width: int) -> list[str]:
        ends = f"{_volts(-self.travel)} and {_volts(self.travel)}"
        ends = f"the stops at {ends}" if self.stops else f"at {ends}; there are no stops"
        letters = int(width / 6.4)
        return wrap(RETINA_WORDS, letters) + wrap(RACK_WORDS.format(ends=ends), letters)

    def place(self, response: int) -> Place:
        row, column = divmod(response, self.across)
        return MARGIN + column * (self.width + GAP), HEAD + row * (self.height + GAP)

    def write(self, picture: "Image.Image", place: Place, words: str, size: int, colour: Any = INK) -> None:
        from PIL import ImageDraw, ImageFont

        ImageDraw.Draw(picture).text(place, words, fill=colour, font=ImageFont.load_default(size))


def _round_up(microvolts: float) -> float:
    """The next whole volt, so that a scale has plain ends."""
    return max(1.0, float(np.ceil(microvolts / 1e6))) * 1e6


def _volts(microvolts: float) -> str:
    return f"{microvolts / 1e6:+g} V" if microvolts else "0 V"


def _about(state: MachineState) -> tuple[str, str]:
    units = f"{state.config.association.units:,} A-units"
    machine = ["Mark I Perceptron, simulated", state.config.name, f"seed {state.seed}", units]
    life = [f"{state.presentations:,} presentations", f"{int(state.corrections.sum()):,} corrections"]
    life += [f"{state.now_us / 1e6:,.0f} s of machine time"]
    return "  \N{MIDDLE DOT}  ".join(machine), "  \N{MIDDLE DOT}  ".join(life)


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 4].rstrip(", ") + " ..."


# -- one R-unit ------------------------------------------------------------------------------------------------


def _response(picture: "Image.Image", sheet: _Sheet, state: MachineState, response: int) -> None:
    x, y = sheet.place(response)
    book = state.codebook
    meant = [name for name, code in zip(book.names, book.codes, strict=True) if code >> response & 1]
    words = _shortened(", ".join(meant), 40)
    sheet.write(picture, (x, y), f"R{response + 1}", 20)
    sheet.write(picture, (x + 38, y + 5), words, 14, FAINT)
    y += HEADING
    sheet.write(picture, (x, y), f"the retina, as R{response + 1} weighs it", 12, FAINT)
    picture.paste(sheet.fields[response], (x, y + CAPTION))
    y += CAPTION + sheet.field_height + GAP // 2
    sheet.write(picture, (x, y), f"its {len(sheet.racks[response]):,} potentiometers", 12, FAINT)
    picture.paste(sheet.dials[response], (x, y + CAPTION))


def view_of(state: MachineState, response: int) -> Floats:
    """Each cell's pull on an R-unit: the values of the A-units it excites, less those of the units it inhibits."""
    cells = state.config.retina.cells
    values = np.where(state.feeds == response, state.values, 0.0).sum(axis=0)
    pulls = np.sign(state.table) * values[:, None]
    counts = np.bincount(np.abs(state.table).ravel(), weights=pulls.ravel(), minlength=cells + 1)
    view = counts[1:].astype(np.float64)
    return view.reshape(state.config.retina.rows, state.config.retina.columns)


def blended(view: Floats) -> Floats:
    """Each cell with its neighbours, weights 1 2 1 both ways: a few random wires a cell make a grainy picture."""
    for axis in (0, 1):
        edges = np.concatenate([view.take([0], axis), view, view.take([-1], axis)], axis)
        ahead, behind = (np.delete(edges, ends, axis) for ends in ([0, 1], [-1, -2]))
        view = (2 * view + ahead + behind) / 4
    return view


def _in_rows(values: Floats, columns: int, nothing: float) -> Floats:
    table = np.full(-(-len(values) // columns) * columns, nothing)
    table[: len(values)] = values
    return table.reshape(-1, columns)


def colours(levels: Any) -> NDArray[np.uint8]:
    """Numbers from -1 to 1: dark at 0, orange towards 1, blue towards -1; strength grows evenly with the number."""
    strength = np.clip(np.abs(levels), 0, 1)[..., None]
    mixed = np.where(np.asarray(levels)[..., None] >= 0, FOR, AGAINST) * strength + np.array(FIELD) * (1 - strength)
    coloured: NDArray[np.uint8] = mixed.astype(np.uint8)
    return coloured


def _squares(levels: Floats, side: int) -> "Image.Image":
    """A table of numbers as coloured squares, about this wide; thin lines between them where there is room."""
    from PIL import Image

    size = max(1, side // max(levels.shape))
    big = np.repeat(np.repeat(colours(levels), size, axis=0), size, axis=1)
    if size > 3:
        big[::size] = big[:, ::size] = FIELD
    return Image.fromarray(big)


def _dials(table: Floats, travel: float, full: float) -> "Image.Image":
    """A table of values as dials: the needle's angle is the wiper's place, its colour the value."""
    from PIL import Image, ImageDraw

    pitch = PANEL // DIALS_ACROSS
    size = (table.shape[1] * pitch, table.shape[0] * pitch)
    field = Image.new("RGB", (size[0] * FINE, size[1] * FINE), FIELD)
    pen, radius = ImageDraw.Draw(field), (pitch / 2 - 1) * FINE
    for (row, column), value in np.ndenumerate(table):
        if np.isnan(value):
            continue
        x, y = (column + 0.5) * pitch * FINE, (row + 0.5) * pitch * FINE
        angle = np.radians(SWING * value / travel)
        strength = np.sign(value) * (0.4 + 0.6 * abs(value) / full)  # even a small value shows which way it went
        colour = tuple(int(part) for part in colours(np.float64(strength))) if value else UNTURNED
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=FACE)
        tip = (x + 0.9 * radius * np.sin(angle), y - 0.9 * radius * np.cos(angle))
        pen.line((x, y, *tip), fill=colour, width=2 * FINE)
        pen.ellipse((x - FINE, y - FINE, x + FINE, y + FINE), fill=colour)
    return field.resize(size, Image.Resampling.LANCZOS)


# -- the legend ------------------------------------------------------------------------------------------------


def _legend(picture: "Image.Image", sheet: _Sheet) -> None:
    scales = (("retina: pull of a cell", sheet.view_scale), ("potentiometers: value", sheet.value_scale))
    for number, (words, scale) in enumerate(scales):
        _scale(picture, sheet, (MARGIN + number * (PANEL + GAP), sheet.foot), words, scale)
    for number, line in enumerate(sheet.lines):
        sheet.write(picture, (MARGIN, sheet.foot + LEGEND + 12 + 19 * number), line, 13, FAINT)


def _scale(picture: "Image.Image", sheet: _Sheet, place: Place, words: str, full: float) -> None:
    """A bar of all colours with its ends in volts."""
    from PIL import Image, ImageDraw, ImageFont

    x, y = place
    sheet.write(picture, (x, y), words, 12, FAINT)
    bar = np.repeat(colours(np.linspace(-1, 1, PANEL))[None], 12, axis=0)
    picture.paste(Image.fromarray(bar), (x, y + CAPTION))
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(12)
    for share, anchor in ((-1, "la"), (-0.5, "ma"), (0, "ma"), (0.5, "ma"), (1, "ra")):
        middle = x + (share + 1) / 2 * PANEL
        pen.text((middle, y + CAPTION + 16), _volts(share * full), fill=INK, font=font, anchor=anchor)
