"""Machine files and journals as the commands use them: the machine, and the camera settings it saw its cards with.

The camera is no part of the machine, but a picture can only be recognised through the camera of training. So the
camera's settings stand in the machine file's readable header, beside the machine, where the machine's own reader
passes them over; and on a line of the journal that replay passes over.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mark1 import Mark1
from mark1.app.teaching import copy_at_rest
from mark1.core.snapshot import END
from mark1.errors import InputError, SaveError
from mark1.journal import Journal, read_lines, replay
from mark1.savefile import read_bytes, write_atomically
from mark1.stimulus import Projection

CAMERA = "camera"


def write(path: Path, machine: Mark1, camera: Projection | None) -> None:
    """Writes the machine file, whole or not at all."""
    write_atomically(path, file_bytes(machine, camera))


def file_bytes(machine: Mark1, camera: Projection | None) -> bytes:
    """The bytes of the machine file: the machine's own, with the camera in the header."""
    saved = machine.save()
    if camera is None:
        return saved
    first, _, body = saved.split(b"\n", 2)
    text, _, raw = body.partition(END)
    header = json.loads(text) | {CAMERA: camera.as_table()}
    body = json.dumps(header, sort_keys=True, indent=1, allow_nan=False).encode("ascii") + END + raw
    return first + b"\nsha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def read(path: Path) -> tuple[Mark1, Projection]:
    """The machine of a file and its camera (the usual one if the file names none)."""
    data = read_bytes(path)
    try:
        machine = Mark1.restored(data)
        _try_out(machine)
        header = json.loads(data.split(b"\n", 2)[2].partition(END)[0])
        return machine, _camera(header, machine)
    except InputError as error:
        raise SaveError(f"{path}: {error}") from None


def _try_out(machine: Mark1) -> None:
    """Refuses a machine that was put together by hand and does not work: it must tell its state, save and answer."""
    try:
        with np.errstate(all="raise"):
            machine.state().codebook.check(machine.config.response.in_use)
            copy = copy_at_rest(machine)
            copy.present(np.zeros(machine.config.retina.cells))
            copy.settle()
            str(copy.meaning)
    except SaveError:
        raise
    except Exception as error:  # a wrong kind of thing anywhere in the file can raise anything
        raise SaveError("this machine file describes a machine that does not work; take an earlier copy.") from error


def _camera(header: Mapping[str, Any], machine: Mark1) -> Projection:
    retina = machine.config.retina
    table = header.get(CAMERA, {})
    if not isinstance(table, dict):
        raise SaveError("the camera's settings make no sense; take an earlier copy.")
    camera = Projection.from_table({"rows": retina.rows, "columns": retina.columns} | table)
    if (camera.rows, camera.columns) != (retina.rows, retina.columns):
        raise SaveError("the camera's settings do not fit the retina; take an earlier copy.")
    return camera


@contextmanager
def journal_of(machine: Mark1, path: Path | None, camera: Projection | None) -> Iterator[None]:
    """While it lasts, commands and facts go to the journal, if one is asked for."""
    if path is None:
        yield
        return
    try:
        file = path.open("w", encoding="ascii")
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"the journal {path} cannot be written ({reason}); choose another place.") from None
    with file:
        journal = Journal(machine, file, with_facts=True)
        if camera is not None:
            file.write(json.dumps({CAMERA: camera.as_table()}, separators=(",", ":")) + "\n")
        try:
            yield
        finally:
            journal.close()


def replayed(path: Path) -> tuple[Mark1, Projection | None]:
    """The machine at the end of a journal, and the camera that the journal names."""
    cameras: list[Projection] = []

    def lines() -> Iterator[dict[str, Any]]:
        for line in read_lines(path):
            if CAMERA in line and isinstance(line[CAMERA], dict):
                cameras.append(Projection.from_table(line[CAMERA]))
            yield line

    try:
        machine = replay(lines())
    except InputError as error:
        raise SaveError(f"{path}: {error}") from None
    return machine, cameras[-1] if cameras else None
