"""Draws the built-in card sets: images/SET/CLASS/CARD.png and images/SET/manifest.toml.

Run from the root of a working copy:  python images/make_cards.py
Needs the Debian packages fonts-liberation and fonts-routed-gothic for the capitals, scikit-learn for the digits.
White figure on black, as the machine's famous C card (a photograph of 1960); everything else is chosen. Cards are
160 x 160 points, so that a cell sees 8 x 8 of them. Random numbers are drawn by seed: a second run draws the same.
Parity is not here: its 2,048 cards are drawn at run time (mark1/stimulus/builtins.py).
"""

# ruff: noqa: T201  (a script that says what it drew)
import math
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from mark1.stimulus.draws import Draws  # noqa: E402  (the working copy's, before any installed one)

CELL = 8
SIDE = 20 * CELL
FINE = 4  # figures are drawn this much larger and reduced, for clean edges
OWN = "drawn by images/make_cards.py"
FONTS = Path("/usr/share/fonts/truetype")
TYPEFACES = {
    "capitals-sans": ("liberation/LiberationSans-Bold.ttf", "Liberation Sans Bold"),
    "capitals-serif": ("liberation/LiberationSerif-Bold.ttf", "Liberation Serif Bold"),
    "capitals-drafting": ("routed-gothic/routed-gothic-half-italic.ttf", "Routed Gothic Half Italic"),
}
POSITION_COUNTS = '[projection]\nframing = false\npolarity = "light"\nthreshold = 0.5\nexposure = 0.5\n'
DIGITS = '[projection]\nfill = 0.9\npolarity = "light"\nthreshold = 0.5\nexposure = 0.5\n'
FRAMED = '[projection]\npolarity = "light"\n'
Points = list[tuple[float, float]]
Cards = Iterator[tuple[str, Image.Image]]  # class, card


def blank() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A black card, in the fine size, and a pen for it."""
    card = Image.new("L", (SIDE * FINE, SIDE * FINE), 0)
    return card, ImageDraw.Draw(card)


def finished(card: Image.Image) -> Image.Image:
    """The card in its own size, in black and white."""
    return card.reduce(FINE).point(lambda level: 255 if level > 127 else 0).convert("1")


def polygon_card(*polygons: Points) -> Image.Image:
    """A card with filled polygons; coordinates are in cells."""
    card, pen = blank()
    for points in polygons:
        pen.polygon([(x * CELL * FINE, y * CELL * FINE) for x, y in points], fill=255)
    return finished(card)


def cells_card(cells: set[tuple[int, int]], size: int = 1) -> Image.Image:
    """A card with lit squares, given by column and row, each `size` cells wide."""
    card = Image.new("1", (SIDE, SIDE), 0)
    pen = ImageDraw.Draw(card)
    for x, y in cells:
        left, top = x * size * CELL, y * size * CELL
        pen.rectangle((left, top, left + size * CELL - 1, top + size * CELL - 1), fill=1)
    return card


def capitals(font_file: str) -> Cards:
    """A to Z in one typeface, upright in the middle."""
    font = ImageFont.truetype(str(FONTS / font_file), 150 * FINE)
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        card, pen = blank()
        left, top, right, bottom = font.getbbox(letter)
        middle = SIDE * FINE / 2
        pen.text((middle - (left + right) / 2, middle - (top + bottom) / 2), letter, fill=255, font=font)
        yield letter, finished(card)


def turned(points: Points, angle: float, scale: float, x: float, y: float) -> Points:
    """Points turned about 0, scaled, and moved to (x, y)."""
    cosine, sine = math.cos(angle) * scale, math.sin(angle) * scale
    return [(x + px * cosine - py * sine, y + px * sine + py * cosine) for px, py in points]


def regular(corners: int, phase: float) -> Points:
    """A regular polygon of radius 1."""
    angles = [phase + 2 * math.pi * corner / corners for corner in range(corners)]
    return [(math.cos(angle), math.sin(angle)) for angle in angles]


CROSS: Points = [
    *((-0.3, -1), (0.3, -1), (0.3, -0.3), (1, -0.3), (1, 0.3), (0.3, 0.3)),
    *((0.3, 1), (-0.3, 1), (-0.3, 0.3), (-1, 0.3), (-1, -0.3), (-0.3, -0.3)),
]
SHAPES: dict[str, Points] = {
    "square": [(-0.75, -0.75), (0.75, -0.75), (0.75, 0.75), (-0.75, 0.75)],
    "diamond": regular(4, 0),
    "circle": regular(64, 0),
    "triangle": regular(3, -math.pi / 2),
    "cross": CROSS,
}


def shapes() -> Cards:
    """Twenty of each shape: upright, of three sizes, anywhere in the field."""
    for number, (name, outline) in enumerate(SHAPES.items()):
        draws = Draws([19600623, 1, number])
        for _ in range(20):
            radius = draws.between(4, 6)
            x, y = draws.between(radius, 20 - radius), draws.between(radius, 20 - radius)
            place = (x - 0.5, y - 0.5) if name == "square" and radius == 6 else (x, y)  # its sides lie on cell edges
            yield name, polygon_card(turned(outline, 0, radius, *place))


def squares() -> Cards:
    """A square of 6 x 6 cells in the left or the right half: fifty of each, all at different places."""
    for class_name, first in (("left", 0), ("right", 10)):
        places = [(first + x, y) for x in range(5) for y in range(15)]
        order = Draws([19600623, 2, first]).shuffled(len(places))[:50]
        for x, y in (places[i] for i in sorted(order)):
            yield class_name, cells_card({(x + i, y + j) for i in range(6) for j in range(6)})


def bars() -> Cards:
    """A bar of 4 x 20 cells, lying or standing, at each of its 17 places."""
    for class_name in ("horizontal", "vertical"):
        for place in range(17):
            bar = {(along, place + across) for along in range(20) for across in range(4)}
            yield class_name, cells_card(bar if class_name == "horizontal" else {(y, x) for x, y in bar})


def stroke(x0: float, y0: float, x1: float, y1: float, width: float) -> Points:
    """A straight stroke as a polygon with square ends."""
    length = math.hypot(x1 - x0, y1 - y0)
    ax, ay = (x1 - x0) / length * width / 2, (y1 - y0) / length * width / 2
    return [(x0 - ay, y0 + ax), (x1 - ay, y1 + ax), (x1 + ay, y1 - ax), (x0 + ay, y0 - ax)]


LETTER_STROKES: dict[str, list[Points]] = {
    "E": [stroke(-3, -5, -3, 5, 2), stroke(-4, -4, 4, -4, 2), stroke(-4, 0, 3, 0, 2), stroke(-4, 4, 4, 4, 2)],
    "F": [stroke(-3, -5, -3, 5, 2), stroke(-4, -4, 4, -4, 2), stroke(-4, 0, 3, 0, 2)],
    "X": [stroke(-3.5, -5, 3.5, 5, 2.2), stroke(-3.5, 5, 3.5, -5, 2.2)],
}


def letter_card(letter: str, angle: float, x: float, y: float) -> Image.Image:
    """A letter of strokes about the place (x, y), turned by an angle."""
    return polygon_card(*(turned(points, angle, 1, x, y) for points in LETTER_STROKES[letter]))


def turned_letters(letters: str, count: int, most_degrees: int) -> Cards:
    """So many of each letter near the middle, turned at random up to so many degrees."""
    for letter in letters:
        draws = Draws([19600623, 3, ord(letter)])
        for _ in range(count):
            angle = math.radians(draws.between(-most_degrees * 10, most_degrees * 10) / 10)
            yield letter, letter_card(letter, angle, draws.between(6, 14), draws.between(7, 13))


def moved_letters(letters: str, count: int) -> Cards:
    """So many of each letter, upright, all at different places of the field."""
    places = [(x, y) for x in range(4, 17) for y in range(5, 16)]
    for letter in letters:
        order = Draws([19600623, 5, ord(letter)]).shuffled(len(places))[:count]
        for x, y in (places[i] for i in sorted(order)):
            yield letter, letter_card(letter, 0, x, y)


NEXT = ((1, 0), (0, 1), (-1, 0), (0, -1))
AROUND = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1))


def worm(draws: Draws, length: int, taken: set[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """A walk on a 10 x 10 board that touches neither itself nor what is taken; None if it runs into a corner."""
    body = [(draws.below(10), draws.below(10))]
    while len(body) < length:
        choices = [p for p in ((body[-1][0] + x, body[-1][1] + y) for x, y in NEXT) if free(p, body[:-1], taken)]
        if not choices:
            return None
        body.append(choices[draws.below(len(choices))])
    return body if free(body[0], [], taken) else None


def free(place: tuple[int, int], body: list[tuple[int, int]], taken: set[tuple[int, int]]) -> bool:
    """Whether a place is on the board, beside no earlier part of the body and near nothing taken."""
    x, y = place
    beside = {(x + i, y + j) for i, j in (*NEXT, (0, 0))}
    near = {(x + i, y + j) for i, j in AROUND}
    return 0 <= x < 10 and 0 <= y < 10 and not beside & set(body) and not near & taken


def worms(draws: Draws, lengths: tuple[int, ...]) -> set[tuple[int, int]]:
    """Worms of these lengths that do not touch; tries until it finds some."""
    while True:
        taken: set[tuple[int, int]] = set()
        for length in lengths:
            body = worm(draws, length, taken)
            if body is None:
                break
            taken |= set(body)
        else:
            return taken


def connected() -> Cards:
    """Figures of 24 squares in one piece or in two: equal in area, so that area cannot tell."""
    for class_name in ("connected", "parted"):
        draws = Draws([19600623, 4, len(class_name)])
        for _ in range(40):
            first = draws.between(8, 16)
            lengths = (24,) if class_name == "connected" else (first, 24 - first)
            yield class_name, cells_card(worms(draws, lengths), size=2)


def clean_folder(name: str) -> Path:
    """An empty folder for one set."""
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def head(title: str, source: str, licence: str, rest: str) -> str:
    """The first part of a manifest."""
    return f'title = "{title}"\nsource = "{source}"\nlicence = "{licence}"\n\n{rest}'


def write_set(name: str, title: str, cards: Cards, settings: str, source: str = OWN, licence: str = "MIT") -> None:
    """The cards of one set and their manifest."""
    folder, entries, numbers = clean_folder(name), [], dict[str, int]()
    for class_name, card in cards:
        numbers[class_name] = number = numbers.get(class_name, 0) + 1
        (folder / class_name).mkdir(exist_ok=True)
        file = f"{class_name}/{class_name}-{number:02d}.png"
        card.save(folder / file, optimize=True)
        entries.append(f'[[card]]\nfile = "{file}"\nclass = "{class_name}"\n')
    (folder / "manifest.toml").write_text("\n".join([head(title, source, licence, settings), *entries]))
    print(f"{name}: {len(entries)} cards")


def write_digits(each: int = 30, tile: int = 40) -> None:
    """The first thirty of each digit of scikit-learn's load_digits, enlarged, ten rows on one sheet."""
    from sklearn.datasets import load_digits

    data = load_digits()
    folder = clean_folder("digits")
    sheet = Image.new("L", (each * tile, 10 * tile), 0)
    for digit in range(10):
        for column, image in enumerate(data.images[data.target == digit][:each]):
            small = Image.fromarray((image * 255 / 16).round().astype("uint8"))
            sheet.paste(small.resize((tile, tile), Image.Resampling.BICUBIC), (column * tile, digit * tile))
    sheet.quantize(16).save(folder / "digits.png", optimize=True)
    rows = ", ".join(f'["{digit}", {each}]' for digit in range(10))
    source = (
        "E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998, "
        "doi 10.24432/C50P49, as in scikit-learn's load_digits; 8 x 8 originals enlarged to 40 x 40"
    )
    text = head("Handwritten digits, thirty of each", source, "CC BY 4.0", DIGITS)
    sheet_table = f'\n[[sheet]]\nfile = "digits.png"\ntile = [{tile}, {tile}]\nrows = [{rows}]\n'
    (folder / "manifest.toml").write_text(text + sheet_table)
    print(f"digits: {10 * each} cards")


def main() -> None:
    """Draws every set anew."""
    for name, (file, face) in TYPEFACES.items():
        source = f"set in {face} by images/make_cards.py"
        write_set(name, f"Capitals, {face}", capitals(file), FRAMED, source, "SIL OFL 1.1")
    plain: dict[str, tuple[str, Callable[[], Cards]]] = {
        "squares": ("A square in the left or the right half", squares),
        "shapes": ("Square, diamond, circle, triangle, cross", shapes),
        "bars": ("Lying and standing bars", bars),
        "e-x": ("E or X, turned up to 30 degrees", lambda: turned_letters("EX", 20, 30)),
        "e-f": ("E or F, anywhere in the field", lambda: moved_letters("EF", 30)),
        "connected": ("In one piece or in two", connected),
    }
    for name, (title, draw) in plain.items():
        write_set(name, title, draw(), POSITION_COUNTS)
    write_digits()


if __name__ == "__main__":
    main()
