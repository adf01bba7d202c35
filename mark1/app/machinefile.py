"""Machine files and journals as the commands use them: the machine, and the camera that it saw its cards with.

The camera is no part of the machine, but a picture can only be recognised through the camera of training. So training
puts the camera's settings on a note that the machine keeps, in its file and in its journal; every other program that
opens and saves the machine hands the note on.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import IO

from mark1 import Mark1
from mark1.commands import SetNote
from mark1.errors import InputError, Mark1Error, SaveError
from mark1.journal import Journal, read_lines, replay
from mark1.savefile import load_machine
from mark1.stimulus import Projection

CAMERA = "camera"


def camera_note(camera: Projection) -> SetNote:
    """The command that makes a machine remember its camera."""
    return SetNote(CAMERA, camera.as_text())


def camera_of(machine: Mark1) -> Projection:
    """The camera that a machine remembers; without a note the usual one, for its retina."""
    retina, text = machine.config.retina, machine.state().notes.get(CAMERA)
    if text is None:
        return Projection(rows=retina.rows, columns=retina.columns)
    camera = Projection.from_text(text)
    if (camera.rows, camera.columns) != (retina.rows, retina.columns):
        raise SaveError("the camera's settings do not fit the retina; take an earlier copy.")
    return camera


def read(path: Path) -> tuple[Mark1, Projection]:
    """The machine of a file and its camera."""
    machine = load_machine(path)
    try:
        return machine, camera_of(machine)
    except InputError as error:
        raise SaveError(f"{path}: {error}") from None


def unused(path: Path) -> Path:
    """The path, or the first of its numbered ones at which nothing has been written yet."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in count(2))
    return next(p for p in chain([path], numbered) if not os.path.isfile(p) or p.stat().st_size == 0)  # noqa: PTH113


@contextmanager
def journal_of(machine: Mark1, path: Path | None) -> Iterator[None]:
    """While it lasts, commands and facts go to the journal, if one is asked for.

    An earlier file of that name is lost, so first make sure that nothing will be refused.
    """
    if path is None:
        yield
        return
    try:
        file = path.open("w", encoding="ascii")
    except OSError as error:
        raise InputError(f"the journal {path} cannot be written ({_reason(error)}); choose another place.") from None
    journal = Journal(machine, file, with_facts=True)
    try:
        yield
    except BaseException:
        with suppress(Mark1Error):  # what went wrong first is what the user should read
            _close(journal, file, path)
        raise
    _close(journal, file, path)


def _close(journal: Journal, file: IO[str], path: Path) -> None:
    try:
        with file:
            journal.close()
    except OSError as error:
        with suppress(OSError):
            file.close()
        words = f"the journal {path} is not complete ({_reason(error)}); free some space, or choose another place."
        raise Mark1Error(words) from None


def _reason(error: OSError) -> str:
    return (error.strerror or "unknown reason").lower()


def replayed(path: Path) -> Mark1:
    """The machine at the end of a journal."""
    try:
        return replay(read_lines(path))
    except InputError as error:
        if str(error).startswith(f"{path}, line 1 "):
            raise SaveError(f"{path} is not a journal; name a file that mark1 train --journal wrote.") from None
        words = str(error) if str(error).startswith(str(path)) else f"{path}: {error}"
        raise SaveError(words) from None
