"""Photograph-like JPEGs of printed letters: perspective, uneven light, blur, paper grain, every EXIF orientation.

Run as a script to fill a folder:  python tests/stimulus/photographs.py FOLDER [WIDTH HEIGHT]
"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from mark1.stimulus import Draws, builtin
from mark1.stimulus.cards import CardSet

LETTERS = "ABCEFHKLRX"
EACH = 20
GRADIENT = 0.4


def _corners(draws: Draws, width: int, height: int) -> list[tuple[float, float]]:
    """Where the corners of the sheet's letter square come to lie: each moved on its own, so lines converge."""
    side = min(width, height) * draws.between(50, 75) / 100
    x0 = (width - side) / 2 + draws.between(-80, 80) / 1000 * width
    y0 = (height - side) / 2 + draws.between(-60, 60) / 1000 * height
    square = [(x0, y0), (x0 + side, y0), (x0 + side, y0 + side), (x0, y0 + side)]
    return [(x + draws.between(-70, 70) / 1000 * side, y + draws.between(-70, 70) / 1000 * side) for x, y in square]


def _perspective(corners: list[tuple[float, float]], side: int) -> list[float]:
    """The eight numbers that carry the picture's corners back to the square card."""
    rows, right = [], []
    for (x, y), (u, v) in zip(corners, [(0, 0), (side, 0), (side, side), (0, side)], strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return np.linalg.solve(np.array(rows), np.array(right)).tolist()


def photograph(card: Image.Image, seed: list[int], size: tuple[int, int] = (640, 480)) -> Image.Image:
    """One photograph of a card's figure printed dark on light paper."""
    draws = Draws(seed)
    width = size[0]
    big = card.convert("L").resize((480, 480), Image.Resampling.BICUBIC)
    way = _perspective(_corners(draws, *size), 480)
    ink = big.transform(size, Image.Transform.PERSPECTIVE, way, Image.Resampling.BICUBIC)
    ink = ink.filter(ImageFilter.GaussianBlur(draws.between(5, 25) / 10 * width / 640))
    covered = np.asarray(ink, dtype=np.float32) / 255
    paper, black = draws.between(180, 235), draws.between(35, 90)
    return Image.fromarray(_grain(_light(paper + (black - paper) * covered, draws), seed))


def _light(levels: np.ndarray, draws: Draws) -> np.ndarray:
    """A lamp at one side: across the picture the light falls by 40 %."""
    angle = np.deg2rad(draws.between(0, 359))
    x = np.linspace(0, np.cos(angle), levels.shape[1], dtype=np.float32)
    y = np.linspace(0, np.sin(angle), levels.shape[0], dtype=np.float32)[:, None]
    low, high = min(x) + min(y[:, 0]), max(x) + max(y[:, 0])
    return levels * (1 - GRADIENT * (x + y - low) / (high - low))


def _grain(levels: np.ndarray, seed: list[int]) -> np.ndarray:
    noise = np.random.Generator(np.random.PCG64(seed)).standard_normal(levels.shape, dtype=np.float32)
    return np.clip(levels + 7 * noise, 0, 255).astype(np.uint8)


STORED = {
    1: (),
    2: (Image.Transpose.FLIP_LEFT_RIGHT,),
    3: (Image.Transpose.ROTATE_180,),
    4: (Image.Transpose.FLIP_TOP_BOTTOM,),
    5: (Image.Transpose.TRANSPOSE,),
    6: (Image.Transpose.ROTATE_90,),
    7: (Image.Transpose.TRANSVERSE,),
    8: (Image.Transpose.ROTATE_270,),
}


def jpeg(picture: Image.Image, orientation: int, quality: int = 85) -> bytes:
    """The picture stored the way a camera held in that orientation stores it."""
    for turn in STORED[orientation]:
        picture = picture.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = io.BytesIO()
    picture.convert("RGB").save(content, "JPEG", quality=quality, exif=exif.tobytes())
    return content.getvalue()


def fill(folder: Path, size: tuple[int, int] = (640, 480), each: int = EACH, letters: str = LETTERS) -> None:
    """A folder per letter with so many photographs, all eight orientations in turn."""
    cards: CardSet = builtin("capitals-sans").only(list(letters))
    for card in cards.cards:
        (folder / card.class_name).mkdir(parents=True, exist_ok=True)
        picture = Image.open(str(card.picture))
        for number in range(each):
            taken = photograph(picture, [ord(card.class_name), number], size)
            (folder / card.class_name / f"{number:02d}.jpg").write_bytes(jpeg(taken, number % 8 + 1))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (640, 480))
