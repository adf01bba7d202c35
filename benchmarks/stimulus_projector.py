"""How fast a picture becomes light, against bare Pillow decoding of the same picture, interleaved, median of rounds.

    PYTHONPATH=. python benchmarks/stimulus_projector.py
To reach: an 8-megapixel JPEG at least as fast as bare full decoding (ratio 1 or more); a small card under 0.5 ms.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from mark1.stimulus import Draws, Projection, builtin, develop, disturbed_light, project
from mark1.stimulus.disturbance import Disturbance

sys.path.append(str(Path(__file__).parents[1] / "tests" / "stimulus"))
from photographs import jpeg, photograph  # noqa: E402

ROUNDS = 9


def decode(content: bytes) -> None:
    """Bare full decoding."""
    with Image.open(io.BytesIO(content)) as picture:
        picture.load()


def seconds(work: Callable[[], object], times: int) -> float:
    """Seconds for one call, the mean of so many."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def against_decoding(content: bytes, times: int) -> tuple[float, float]:
    """Median milliseconds of projecting and of bare decoding, taken in turn."""
    light, bare = (lambda: project(content)), (lambda: decode(content))
    rounds = [(seconds(light, times), seconds(bare, times)) for _ in range(ROUNDS)]
    return statistics.median(r[0] for r in rounds) * 1e3, statistics.median(r[1] for r in rounds) * 1e3


def measure() -> dict[str, dict[str, float]]:
    """Name -> milliseconds for the light, milliseconds for bare decoding, and the ratio."""
    card = Path(str(builtin("capitals-sans").cards[0].picture)).read_bytes()
    letter = Image.open(io.BytesIO(card))
    small = io.BytesIO()
    letter.convert("RGB").resize((200, 200)).save(small, "JPEG")
    pictures = {
        "JPEG, 8 megapixels, photograph": (jpeg(photograph(letter, [1], (3264, 2448)), 6), 1),
        "JPEG, 0.3 megapixels, photograph": (jpeg(photograph(letter, [1]), 6), 10),
        "JPEG, 200 x 200": (small.getvalue(), 100),
        "PNG card, 160 x 160": (card, 100),
    }
    table = {}
    for name, (content, times) in pictures.items():
        light, bare = against_decoding(content, times)
        table[name] = {"light_ms": light, "decoding_ms": bare, "ratio": bare / light}
    points, shaken = develop(card).points, Disturbance(shift_cells=2, rotation_deg=10, scale=0.1, noise=0.02)
    draws, camera = Draws(1), Projection()
    took = [seconds(lambda: disturbed_light(points, shaken, draws, camera), 200) for _ in range(ROUNDS)]
    table["one disturbed view of a plate"] = {"light_ms": statistics.median(took) * 1e3}
    return table


if __name__ == "__main__":
    for name, row in measure().items():
        words = ", ".join(f"{key} {value:.3f}" for key, value in row.items())
        print(f"{name:36} {words}")
