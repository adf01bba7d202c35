"""A picture is a picture, however it is stored."""

import io

import numpy as np
import pytest
from photographs import STORED, jpeg
from PIL import Image, ImageDraw

from mark1.errors import StimulusError
from mark1.stimulus import Projection, project
from mark1.stimulus.opening import read_grey


def arrow(side: int = 160) -> Image.Image:
    """A white figure on black that looks different in all eight orientations."""
    picture = Image.new("L", (side, side), 0)
    pen = ImageDraw.Draw(picture)
    unit = side // 20
    pen.rectangle((4 * unit, 3 * unit, 7 * unit - 1, 17 * unit - 1), fill=255)
    pen.rectangle((4 * unit, 3 * unit, 14 * unit - 1, 6 * unit - 1), fill=255)
    return picture


def stored(picture: Image.Image, kind: str, **how: object) -> bytes:
    content = io.BytesIO()
    picture.save(content, kind, **how)
    return content.getvalue()


WANTED = project(np.asarray(arrow()))


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "TIFF", "PPM", "TGA", "PCX", "ICO", "JPEG2000", "WEBP", "JPEG"])
def test_every_format_gives_the_same_light(kind: str) -> None:
    how = {"lossless": True} if kind == "WEBP" else {"sizes": [(160, 160)]} if kind == "ICO" else {}
    assert np.array_equal(project(stored(arrow(), kind, **how)), WANTED)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "YCbCr", "I", "I;16", "F"])
def test_every_mode_gives_the_same_light(mode: str) -> None:
    if mode == "I;16":
        picture = Image.fromarray(np.asarray(arrow()).astype(np.uint16) * 257)
    elif mode in ("I", "F"):
        picture = arrow().convert(mode)
    else:
        picture = arrow().convert("RGB").convert(mode) if mode in ("CMYK", "YCbCr") else arrow().convert(mode)
    kind = "TIFF" if mode in ("CMYK", "F", "I") else "PNG"
    source = picture if mode == "YCbCr" else stored(picture, kind)  # some Pillows cannot read their own YCbCr TIFF
    assert np.array_equal(project(source), WANTED)


def test_lab_pictures_are_read_by_their_lightness() -> None:
    grey = arrow()
    middle = Image.new("L", grey.size, 128)
    assert np.array_equal(project(Image.merge("LAB", (grey, middle, middle))), WANTED)


@pytest.mark.parametrize("orientation", list(STORED))
def test_all_eight_exif_orientations_come_out_upright(orientation: int) -> None:
    assert np.array_equal(project(jpeg(arrow(), orientation, quality=95)), WANTED)


def test_tiff_orientation_is_applied_once() -> None:
    turned = arrow().transpose(Image.Transpose.ROTATE_90)
    assert np.array_equal(project(stored(turned, "TIFF", tiffinfo={0x0112: 6})), WANTED)


def test_damaged_exif_counts_as_upright() -> None:
    content = bytearray(jpeg(arrow(), 1, quality=95))
    place = content.index(b"Exif\0\0") + 6
    content[place : place + 8] = b"\xff" * 8
    assert np.array_equal(project(bytes(content)), WANTED)


@pytest.mark.parametrize("drawn", [0, 255])
def test_a_transparent_ground_is_the_contrary_of_what_is_drawn(drawn: int) -> None:
    alpha = arrow()
    level = Image.new("L", alpha.size, drawn)
    assert np.array_equal(project(stored(Image.merge("LA", (level, alpha)), "PNG")), WANTED)


def test_a_transparent_palette_colour_is_ground() -> None:
    picture = arrow().point(lambda level: 1 if level else 0).convert("P")
    picture.putpalette([200, 200, 200, 10, 10, 10])
    assert np.array_equal(project(stored(picture, "GIF", transparency=0)), WANTED)


def test_only_the_first_frame_of_a_gif_is_read() -> None:
    others = [Image.new("L", (160, 160), level) for level in (10, 200)]
    content = stored(arrow(), "GIF", save_all=True, append_images=others, loop=0)
    assert np.array_equal(project(content), WANTED)


def test_a_large_jpeg_is_decoded_small_and_gives_the_same_light() -> None:
    content = stored(arrow(2560), "JPEG", quality=95)
    assert read_grey(content).shape == (320, 320)
    camera = Projection(framing=False, polarity="light")
    assert np.array_equal(project(content, camera), project(np.asarray(arrow()), camera))


def test_sixteen_bit_levels_keep_their_order() -> None:
    ramp = np.linspace(0, 65535, 64 * 64).reshape(64, 64).astype(np.uint16)
    assert np.all(np.diff(read_grey(ramp).astype(int).ravel()) >= 0)
    assert read_grey(ramp).max() == 255


def test_twelve_bits_in_sixteen_are_not_taken_for_darkness() -> None:
    assert np.array_equal(project(np.asarray(arrow()).astype(np.uint16) * 16), WANTED)


def test_premultiplied_transparency_is_read() -> None:
    picture = Image.merge("LA", (Image.new("L", (160, 160), 255), arrow())).convert("La")
    assert np.array_equal(project(picture), WANTED)


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(StimulusError, match="not numbers"):
        read_grey(np.array([[0.0, np.nan], [1.0, 2.0]]))


def test_a_pillow_image_and_a_path_and_bytes_are_one(tmp_path) -> None:
    content = stored(arrow(), "PNG")
    path = tmp_path / "arrow.png"
    path.write_bytes(content)
    lights = [project(source) for source in (content, path, str(path), arrow())]
    assert all(np.array_equal(light, WANTED) for light in lights)


def test_a_fixed_level_divides_the_greys() -> None:
    ramp = np.tile(np.linspace(0, 255, 160).astype(np.uint8), (160, 1))
    light = project(ramp, Projection(framing=False, polarity="light", threshold=0.25, exposure=0.5)).reshape(20, 20)
    assert np.array_equal(light[0], np.arange(20) >= 5)
