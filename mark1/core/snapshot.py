"""A tree of plain data and arrays as bytes, and back: the format of save().

    MARK1 MACHINE 1                       what it is, and the version of the format
    sha256 <64 hex digits>                of everything behind this line
    { ... }                               a readable header: JSON, keys sorted; {"array": i} stands for an array
    <a line with END>
    raw little-endian arrays, one after the other

No pickle, no compression (whose bytes differ between versions of zlib): equal trees give equal bytes everywhere.
"""

import math
from typing import Any

import numpy as np

from mark1.core.errors import SaveError

MAGIC = b"MARK1 MACHINE "
VERSION = 1
END = b"\nEND\n"
KINDS = ("<f8", "<i8", "<i4", "<i2", "|i1", "|b1", "|u1")


def pack(tree: dict[str, Any]) -> bytes:
    """The tree as bytes."""
    arrays: list[np.ndarray[Any, Any]] = []
    plain = _plain(tree, arrays)
    import json  # here and below: most machines are never saved, and start-up is counted in milliseconds

    header = {"arrays": [[a.dtype.str, list(a.shape)] for a in arrays], "tree": plain}
    text = json.dumps(header, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False).encode("ascii")
    body = b"".join([text, END, *(np.ascontiguousarray(a).tobytes() for a in arrays)])
    return MAGIC + b"%d\nsha256 %s\n" % (VERSION, _digest(body)) + body


def _digest(body: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(body).hexdigest().encode()


def _plain(node: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(node, np.ndarray):
        little = node.astype(node.dtype.newbyteorder("<"), copy=False)
        assert little.dtype.str in KINDS, little.dtype.str
        arrays.append(little)
        return {"array": len(arrays) - 1}
    if isinstance(node, dict):
        return {key: _plain(node[key], arrays) for key in sorted(node)}
    if isinstance(node, list | tuple):
        return [_plain(item, arrays) for item in node]
    return node


def unpack(data: bytes) -> dict[str, Any]:
    """The tree again, arrays writeable; SaveError for anything that pack did not write."""
    header, raw = _header(_body(data))
    try:
        arrays = _arrays(header["arrays"], raw)
        tree = _whole(header["tree"], arrays)
        assert isinstance(tree, dict)
        return tree
    except (KeyError, TypeError, ValueError, IndexError, AssertionError, RecursionError):
        raise SaveError("this machine file has a header that makes no sense; take an earlier copy.") from None


def _body(data: bytes) -> bytes:
    """What stands behind the two opening lines, if version and checksum are right."""
    if not data.startswith(MAGIC):
        raise SaveError("this is not a Mark I machine file.")
    first, _, rest = data.partition(b"\n")
    version = first[len(MAGIC) :]
    if not version.isdigit() or len(version) > 6:
        raise SaveError("this machine file is damaged in its first line; take an earlier copy.")
    if int(version) > VERSION:
        raise SaveError(
            f"this machine file has format {int(version)}, newer than {VERSION}; install a newer mark1 to open it."
        )
    line, _, body = rest.partition(b"\n")
    if line != b"sha256 " + _digest(body):
        raise SaveError("this machine file is damaged: its checksum is wrong; take an earlier copy.")
    return body


def _header(body: bytes) -> tuple[dict[str, Any], bytes]:
    import json

    text, end, raw = body.partition(END)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not end or not isinstance(header, dict):
        raise SaveError("this machine file has no header that can be read; take an earlier copy.")
    return header, raw


def _arrays(listed: list[Any], raw: bytes) -> list[np.ndarray[Any, Any]]:
    arrays, start = [], 0
    for kind, shape in listed:
        if kind not in KINDS or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError(kind)
        size = np.dtype(kind).itemsize * math.prod(shape)
        if start + size > len(raw):
            raise ValueError("shape")
        arrays.append(np.frombuffer(raw[start : start + size], kind).reshape(shape).copy())
        start += size
    if start != len(raw):
        raise ValueError("rest")
    return arrays


def _whole(node: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(node, dict):
        if set(node) == {"array"} and type(node["array"]) is int:  # a note may well be called array
            return arrays[node["array"]]
        return {key: _whole(value, arrays) for key, value in node.items()}
    if isinstance(node, list):
        return [_whole(item, arrays) for item in node]
    return node
