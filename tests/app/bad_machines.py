"""A cabinet of things that are no machine file. cabinet(good) gives name -> content for the bytes of a good one."""

import gzip
import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from typing import Any

END = b"\nEND\n"


class Trap:
    """A pickle that would say so if it were ever opened."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('the pickle was opened')",))


def sealed(body: bytes, version: bytes = b"1") -> bytes:
    """A body with the right checksum: what a determined person would write."""
    return b"MARK1 MACHINE " + version + b"\nsha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def edited(good: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A good file with its header changed and its checksum made right again."""
    text, _, raw = good.split(b"\n", 2)[2].partition(END)
    header = json.loads(text)
    change(header)
    return sealed(json.dumps(header, sort_keys=True, indent=1).encode() + END + raw)


def with_nan(good: bytes) -> bytes:
    """The first value of every float array is no number."""
    text, _, raw = good.split(b"\n", 2)[2].partition(END)
    start, data = 0, bytearray(raw)
    sizes = {"<f8": 8, "<i8": 8, "<i4": 4, "<i2": 2, "|i1": 1, "|b1": 1, "|u1": 1}
    for kind, shape in json.loads(text)["arrays"]:
        count = 1
        for length in shape:
            count *= length
        if kind == "<f8" and count:
            data[start : start + 8] = b"\x00\x00\x00\x00\x00\x00\xf8\x7f"
        start += sizes[kind] * count
    return sealed(text + END + bytes(data))


def zip_bomb() -> bytes:
    """Half a gigabyte of nothing in half a megabyte."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("values.npy", bytes(50_000_000))
    return content.getvalue()


def _tree(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        place, *rest = path.split(".")
        node = header
        for step in [place, *rest[:-1]] if rest else []:
            node = node[step]
        node[rest[-1] if rest else place] = value

    return change


def cabinet(good: bytes) -> dict[str, bytes]:
    """Every bad content by name."""
    body = good.split(b"\n", 2)[2]
    found = {
        "empty": b"",
        "text": b"This is not a machine.\n",
        "picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "pickle": pickle.dumps(Trap()),
        "pickle-after-magic": b"MARK1 MACHINE 1\n" + pickle.dumps(Trap()),
        "pickle-sealed": sealed(pickle.dumps(Trap())),
        "zip-bomb": zip_bomb(),
        "gzip-bomb": gzip.compress(bytes(50_000_000)),
        "zip-bomb-sealed": sealed(zip_bomb()),
        "only-magic": b"MARK1 MACHINE ",
        "no-version": b"MARK1 MACHINE x\n" + good.split(b"\n", 1)[1],
        "newer": sealed(body, b"2"),
        "much-newer": sealed(body, b"999999"),
        "endless-version": b"MARK1 MACHINE " + b"9" * 100_000,
        "no-checksum": b"MARK1 MACHINE 1\n" + body,
        "wrong-checksum": good.replace(b"\nsha256 ", b"\nsha256 0", 1),
        "no-end": sealed(body.partition(END)[0]),
        "no-arrays": sealed(body.partition(END)[0] + END),
        "too-long": sealed(body + b"more"),
        "header-is-a-list": sealed(b"[]" + END),
        "header-is-deep": sealed(b"[" * 100_000 + END),
        "header-is-empty": sealed(b"{}" + END),
        "nan": with_nan(good),
        "nan-in-header": edited(good, _tree("tree.now_us", float("nan"))),
        "infinite-seed": edited(good, _tree("tree.seed", float("inf"))),
        "text-for-time": edited(good, _tree("tree.now_us", "noon")),
        "no-tree": edited(good, lambda header: header.pop("tree")),
        "no-values": edited(good, lambda header: header["tree"]["learned"].pop("values")),
        "huge-shape": edited(good, lambda header: header["arrays"].__setitem__(0, ["<f8", [2**40, 2**40]])),
        "negative-shape": edited(good, lambda header: header["arrays"].__setitem__(0, ["<f8", [-1]])),
        "object-array": edited(good, lambda header: header["arrays"].__setitem__(0, ["|O", [1]])),
        "array-outside": edited(good, _tree("tree.active", {"array": 10**6})),
        "huge-machine": edited(good, _tree("tree.learned.config.association.units", 10**12)),
        "unknown-setting": edited(good, _tree("tree.learned.config.wheels", 4)),
        "names-without-codes": edited(good, _tree("tree.learned.codebook", {"names": ["a", "b"], "codes": [1]})),
        "number-for-a-table": edited(good, _tree("tree.counters.corrections", 5)),
        "number-for-a-history": edited(good, _tree("tree.sequencer.error_history", 5)),
        "nothing-for-a-count": edited(good, _tree("tree.counters.presentations", None)),
        "text-for-a-moment": edited(good, _tree("tree.light.since_us", "noon")),
        "camera-is-a-word": edited(good, _tree("tree.notes.camera", "kodak")),
        "camera-of-another-retina": edited(good, _tree("tree.notes.camera", '{"rows": 30, "columns": 30}')),
        "camera-that-is-no-text": edited(good, _tree("tree.notes.camera", 35)),
        "camera-is-deep": edited(good, _tree("tree.notes.camera", "[" * 100_000)),
        "camera-with-a-wrong-setting": edited(good, _tree("tree.notes.camera", '{"lens": 50}')),
    }
    step = max(1024, len(good) // 12)
    found |= {f"cut-at-{cut}": good[:cut] for cut in range(step, len(good), step)}
    for place in range(7, len(good), max(1, len(good) // 12)):
        found[f"bit-flipped-at-{place}"] = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
    return found
