"""Any picture that Pillow reads, as a small array of grey levels, or one sentence that says why not.

A picture may be hostile: its header is checked against our own limits before a pixel is decoded, only the first frame
is read, and every failure inside Pillow becomes a StimulusError. Formats that start another program are refused.
Left out: colour. The photocells of the machine knew only light.
"""

import io
import stat
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mark1.errors import StimulusError

if TYPE_CHECKING:
    from PIL import Image

Grey = NDArray[np.uint8]

WORKING_SIDE = 200  # chosen: ten points for each of 20 cells; an 8-megapixel JPEG is then decoded at one eighth
MOST_PIXELS = 80_000_000  # chosen: larger than cameras of the day, below Pillow's own limit
MOST_BYTES = 256 * 2**20  # chosen: of a picture file
MOST_ELONGATED = 100  # chosen: beyond 100 : 1 nothing of the shorter side is left on 20 cells
PROGRAM_FORMATS = frozenset({"EPS", "WMF", "EMF"})  # Pillow hands these to Ghostscript or to the system
ORIENTATION_TAG = 0x0112


def read_grey(source: object, side: int = WORKING_SIDE) -> Grey:
    """The picture upright in grey levels 0..255, reduced until its shorter side is near `side`."""
    if isinstance(source, np.ndarray):
        return _reduced_array(_levels(source, "the drawing"), side)
    name = _name(source)
    try:
        with warnings.catch_warnings():  # Pillow warns of odd files on stderr; our limits and refusals say it better
            warnings.simplefilter("ignore")
            return _read(source, name, side)
    except StimulusError:
        raise
    except Exception as error:  # Pillow's decoders raise nearly every kind: all of them mean "not a usable picture"
        raise _refusal(name, error) from error


def _name(source: object) -> str:
    return str(source) if isinstance(source, str | PathLike) else "the picture"


def _refusal(name: str, error: Exception) -> StimulusError:
    from PIL import Image, UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return StimulusError(f"{name} is not a picture that can be read; use PNG, JPEG, GIF, BMP, TIFF or WebP.")
    if isinstance(error, Image.DecompressionBombError):
        return _too_large(name)
    return StimulusError(f"{name} is damaged or cut short; copy it again or save it anew as PNG.")


def _too_large(name: str) -> StimulusError:
    return StimulusError(f"{name} has more than {MOST_PIXELS // 1_000_000} million pixels; make it smaller.")


def _read(source: object, name: str, side: int) -> Grey:
    from PIL import Image

    if isinstance(source, Image.Image):
        _check_size(source, name)
        return _upright_grey(source, name, side)
    content = source if isinstance(source, bytes) else file_content(Path(str(source)))
    with Image.open(io.BytesIO(content)) as picture:
        _check_size(picture, name)
        if picture.format in PROGRAM_FORMATS:
            raise StimulusError(f"{name} is an {picture.format} file, which needs another program; save it as PNG.")
        # JPEG only: decode at 1/2, 1/4 or 1/8 and in grey. The shorter side stays at least `side`.
        picture.draft("L", (side, side))
        return _upright_grey(picture, name, side)


def file_content(path: Path) -> bytes:
    """The bytes of an ordinary file of bearable size; anything else is refused by name."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise StimulusError(f"{path} is a folder; give a picture file.")
        if not stat.S_ISREG(status.st_mode):
            raise StimulusError(f"{path} is not an ordinary file; give a picture file.")
        if status.st_size > MOST_BYTES:
            raise StimulusError(f"{path} is larger than {MOST_BYTES // 2**20} MB; make it smaller.")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise StimulusError(_file_refusal(path, error)) from error
    if not content:
        raise StimulusError(f"{path} is empty (0 bytes); replace it by a picture.")
    return content


def _file_refusal(path: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return f"{path} is a link that leads nowhere; restore the file it points to."
        return f"{path} does not exist; check the spelling."
    if isinstance(error, PermissionError):
        return f"{path} may not be read by this user; change its permissions."
    reason = getattr(error, "strerror", None) or "its name is impossible"
    return f"{path} cannot be read ({reason.lower()}); check the file."


def _check_size(picture: "Image.Image", name: str) -> None:
    width, height = picture.size
    if width < 1 or height < 1:
        raise StimulusError(f"{name} has no pixels; replace it by a picture.")
    if width * height > MOST_PIXELS:
        raise _too_large(name)
    if max(width, height) > MOST_ELONGATED * min(width, height):
        raise StimulusError(f"{name} is {width} x {height}, too narrow for a card; crop it to the figure.")


def _upright_grey(picture: "Image.Image", name: str, side: int) -> Grey:
    picture.load()
    orientation = _orientation(picture)
    grey = _grey(picture, name, side)
    return _turned(grey, orientation)


def _orientation(picture: "Image.Image") -> int:
    """The EXIF orientation 1..8; damaged EXIF counts as upright, for the picture itself is sound."""
    if not picture.info and picture.format != "TIFF":
        return 1
    try:
        value = picture.getexif().get(ORIENTATION_TAG, 1)
    except Exception:  # as in read_grey: the EXIF parser raises nearly every kind
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _turned(grey: Grey, orientation: int) -> Grey:
    """The array as the camera's holder saw it: EXIF 2 to 8 are the mirrored and turned ways to store a picture."""
    if orientation in (5, 6, 7, 8):
        grey = grey.T
    if orientation in (2, 3, 6, 7):
        grey = grey[:, ::-1]
    if orientation in (3, 4, 7, 8):
        grey = grey[::-1, :]
    return np.ascontiguousarray(grey)


def _grey(picture: "Image.Image", name: str, side: int) -> Grey:
    mode, factor = picture.mode, max(1, min(picture.size) // side)
    if mode.startswith("I") or mode == "F":
        return _reduced_array(_levels(np.asarray(picture), name), side)
    if picture.has_transparency_data:
        picture = picture.convert("LA") if mode == "La" else picture
        return _on_contrary_ground(_reduced(picture.convert("RGBA"), factor))
    if mode == "LAB":
        picture = picture.getchannel(0)
    elif mode not in ("L", "RGB"):
        picture = picture.convert("L" if mode == "1" else "RGB").convert("L")
    return np.asarray(_reduced(picture, factor).convert("L"))


def _reduced(picture: "Image.Image", factor: int) -> "Image.Image":
    return picture.reduce(factor) if factor > 1 else picture


def _on_contrary_ground(picture: "Image.Image") -> Grey:
    """A transparent picture laid on white if what is drawn is dark, on black if it is light (chosen)."""
    alpha = np.asarray(picture.getchannel("A")).astype(np.uint32)
    level = np.asarray(picture.convert("RGB").convert("L")).astype(np.uint32)
    drawn_is_light = int((level * alpha).sum()) * 2 > 255 * int(alpha.sum())
    ground = 0 if drawn_is_light else 255
    return ((level * alpha + ground * (255 - alpha)) // 255).astype(np.uint8)


def _levels(values: NDArray[np.generic], name: str) -> Grey:
    """Numbers of any depth as 0..255: 8 bits as they are, 10 to 16 bits by their range, others from least to most."""
    if values.ndim != 2 or values.size == 0:
        raise StimulusError(f"{name} is not a plain table of grey levels; give rows x columns.")
    if values.dtype == np.uint8:
        return values.view(np.uint8)
    if values.dtype == np.bool_:
        return np.where(values, np.uint8(255), np.uint8(0))
    if values.dtype.kind in "iu" and values.min() >= 0 and 255 < values.max() <= 65535:
        full = next(full for full in (1023, 4095, 16383, 65535) if values.max() <= full)
        return (values.astype(np.uint32) * 255 // full).astype(np.uint8)
    return _stretched(values.astype(np.float64), name)


def _stretched(values: NDArray[np.float64], name: str) -> Grey:
    if not np.isfinite(values).all():
        raise StimulusError(f"{name} holds values that are not numbers; save it anew as PNG.")
    low, high = float(values.min()), float(values.max())
    if high == low:
        return np.zeros(values.shape, dtype=np.uint8)
    return ((values / 2 - low / 2) / (high / 2 - low / 2) * 255).astype(np.uint8)  # halves: no overflow


def _reduced_array(levels: Grey, side: int) -> Grey:
    """Averages of whole blocks, as Image.reduce does."""
    factor = min(levels.shape) // side
    if factor <= 1:
        return levels
    rows, columns = (length // factor for length in levels.shape)
    blocks = levels[: rows * factor, : columns * factor].reshape(rows, factor, columns, factor)
    means: Grey = (blocks.sum(axis=(1, 3), dtype=np.uint32) // factor**2).astype(np.uint8)
    return means
