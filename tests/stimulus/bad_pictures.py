"""A cabinet of things that are no usable picture. cabinet(folder) fills a folder and gives name -> path."""

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image


def _picture(kind: str, size: tuple[int, int] = (90, 70), **how: object) -> bytes:
    rng = np.random.Generator(np.random.PCG64(7))
    content = io.BytesIO()
    noise = Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))
    noise.save(content, kind, **how)
    return content.getvalue()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of_size(width: int, height: int, data: bytes = b"\0") -> bytes:
    """A PNG whose header says any size; the data are as given."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(data, 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def packed_zeros(count: int, parts: int = 100) -> bytes:
    """count zeros as zlib packs them, made from one part over and over, so that making it takes no time."""
    packer = zlib.compressobj(9, wbits=-15)
    part = packer.compress(bytes(count // parts)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = struct.pack(">HH", count // parts * parts % 65521, 1)  # Adler's of that many zeros
    return b"\x78\xda" + part * parts + b"\x03\x00" + checksum


def _flat_bomb() -> bytes:
    """A complete PNG of 30,000 x 30,000 black points: 900 MB from one."""
    data = packed_zeros(30_001 * 30_000)
    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _text_bomb() -> bytes:
    """A small PNG with a compressed text of 200 MB."""
    whole = png_of_size(1, 1, b"\0\0")
    text = _chunk(b"zTXt", b"Comment\0\0" + packed_zeros(200_000_000))
    return whole[:33] + text + whole[33:]


def gif_of_size(width: int, height: int) -> bytes:
    """A GIF whose screen is of any size, with one frame of one point."""
    screen = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    return screen + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x4c\x01\x00;"


def _bmp_of_size(width: int, height: int) -> bytes:
    body = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 30, 0, 0, 54) + body + bytes(30)


def _tiff_with(tag: int, kind: int, count: int, value: int) -> bytes:
    entries = {256: (3, 1, 8), 257: (3, 1, 8), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1), 273: (4, 1, 8)}
    entries |= {277: (3, 1, 1), 278: (3, 1, 8), 279: (4, 1, 64), tag: (kind, count, value)}
    body = b"".join(struct.pack("<HHII", t, *entries[t]) for t in sorted(entries))
    return b"II*\0" + struct.pack("<I", 72) + bytes(64) + struct.pack("<H", len(entries)) + body + bytes(4)


def contents() -> dict[str, bytes]:
    """Bad contents by file name."""
    jpeg, png, gif = _picture("JPEG", quality=90), _picture("PNG"), _picture("GIF")
    found = {
        "empty.png": b"",
        "one-byte.png": b"\x89",
        "zeros.png": bytes(5000),
        "text.png": b"This is not a picture. " * 100,
        "page.jpg": b"<html><body>404 not found</body></html>",
        "svg.png": b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>',
        "machine.png": b"PK\x03\x04" + bytes(400),
        "only-signature.png": b"\x89PNG\r\n\x1a\n",
        "only-signature.jpg": b"\xff\xd8\xff",
        "only-signature.gif": b"GIF89a",
        "only-signature.webp": b"RIFF\x10\0\0\0WEBPVP8 ",
        "only-signature.bmp": b"BM",
        "only-signature.tif": b"II*\0",
        "zero-wide.png": png_of_size(0, 10),
        "zero-high.png": png_of_size(10, 0),
        "claims-30000.png": png_of_size(30_000, 30_000),
        "claims-2-to-31.png": png_of_size(2**31 - 1, 2**31 - 1),
        "no-data.png": png_of_size(50, 50, b""),
        "bad-filter.png": png_of_size(50, 50, b"\x09" * 2550),
        "bad-checksum.png": png[:40] + b"\xff\xff\xff\xff" + png[44:],
        "claims-65535.gif": gif_of_size(65_535, 65_535),
        "cut-lzw.gif": gif[: len(gif) // 2],
        "claims-huge.bmp": _bmp_of_size(60_000, 60_000),
        "negative.bmp": _bmp_of_size(-50, 50),
        "cut.bmp": _picture("BMP")[:5000],
        "long-and-thin.png": _picture("PNG", (2000, 2)),
        "strip-outside.tif": _tiff_with(273, 4, 1, 0x7FFFFFFF),
        "huge-width.tif": _tiff_with(256, 4, 1, 0x7FFFFFFF),
        "odd-samples.tif": _tiff_with(277, 3, 1, 77),
        "odd-bits.tif": _tiff_with(258, 3, 1, 13),
        "odd-compression.tif": _tiff_with(259, 3, 1, 31_000),
        "program.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 50 50\n%%EndComments\nshowpage\n%%EOF\n",
        "wrong-order.jpg": jpeg[:2] + jpeg[200:] + jpeg[2:200],
        "two-heads.jpg": jpeg[:20] + jpeg[:20],
        "nan.tif": _nan_tiff(),
    }
    for cut in range(1024, len(jpeg), 1024):
        found[f"cut-{cut // 1024}k.jpg"] = jpeg[:cut]
    for cut in range(1024, len(png), 1024):
        found[f"cut-{cut // 1024}k.png"] = png[:cut]
    return found


def _nan_tiff() -> bytes:
    content = io.BytesIO()
    Image.fromarray(np.full((30, 30), np.nan, dtype=np.float32)).save(content, "TIFF")
    return content.getvalue()


def cabinet(folder: Path) -> dict[str, Path]:
    """All of them as files, with the things that are not files of bytes at all."""
    for name, content in contents().items():
        (folder / name).write_bytes(content)
    (folder / "flat-bomb.png").write_bytes(_flat_bomb())
    (folder / "text-bomb.png").write_bytes(_text_bomb())
    (folder / "folder.png").mkdir()
    (folder / "dangling.png").symlink_to(folder / "gone.png")
    (folder / "circle.png").symlink_to(folder / "circle.png")
    os.mkfifo(folder / "pipe.png")
    with (folder / "enormous.png").open("wb") as file:
        file.truncate(2**33)
    return {path.name: path for path in sorted(folder.iterdir())} | {"missing.png": folder / "missing.png"}


NO_PLAIN_BYTES = ["folder.png", "dangling.png", "circle.png", "pipe.png", "enormous.png", "missing.png"]
NAMES = sorted(contents()) + ["flat-bomb.png", "text-bomb.png"] + NO_PLAIN_BYTES
