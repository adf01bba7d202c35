"""Writing a file so that it is always the old one or the new one, whole."""

import contextlib
import os
import tempfile
from pathlib import Path

from mark1.errors import InputError


def write_atomically(path: Path, content: bytes) -> None:
    """Writes beside the file, forces it to the disk, then takes its place; a failure leaves nothing behind."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode_of(path))
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"{path} cannot be written ({reason}); choose another place.") from error


def _mode_of(path: Path) -> int:
    """The permissions that the file has, or those that a new file would get."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def check_writable(path: Path) -> None:
    """Refuses a place that cannot be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file name.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} cannot be written by this user; choose another place.")
