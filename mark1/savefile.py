"""A machine on disk: the bytes of save(), written so that the file is always the old one or the new one.

The bytes go to a new file beside the target, are forced to the disk, and only then take the target's name. A process
that is killed meanwhile leaves its new file behind, hidden; the next save to that target clears it away.
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from mark1.core.errors import Mark1Error, SaveError
from mark1.core.machine import Mark1

SUFFIX = ".mark1"
MOST_BYTES = 1 << 31
MOST_NAME = 40  # characters of the target's name that the new file's name repeats: both stay short enough for any disk
STAGES = ("made", "written", "synced", "renamed")  # moments at which a test may pull the plug


def _nothing(stage: str) -> None:
    """No test is running."""


def save_machine(path: str | Path, machine: Mark1) -> Path:
    """Writes a machine file; an existing one is replaced only by a complete one."""
    return write_atomically(path, machine.save())


def load_machine(path: str | Path) -> Mark1:
    """Reads a machine file; SaveError says what is wrong with it."""
    data = read_bytes(path)
    try:
        return Mark1.restored(data)
    except SaveError as error:
        raise SaveError(f"{path}: {error}") from None


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, or a sentence about why not."""
    target = Path(path)
    try:
        if target.is_dir():
            raise SaveError(f"{path} is a folder; name a machine file ({SUFFIX}).")
        if target.stat().st_size > MOST_BYTES:
            raise SaveError(f"{path} is larger than any machine file; name another.")
        return target.read_bytes()
    except FileNotFoundError:
        raise SaveError(f"{path} does not exist; check the name.") from None
    except OSError as error:
        raise SaveError(f"{path} cannot be read ({error.strerror}); check its permissions.") from None


def write_atomically(path: str | Path, data: bytes, reached: Callable[[str], None] = _nothing) -> Path:
    """Writes a file so that a crash at any moment leaves the old one or the new one; a link stays a link."""
    target = landing(path)
    try:
        _write(target, data, reached)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise Mark1Error(f"{path} could not be written ({reason}); free some space or choose another.") from None
    return Path(path)


def landing(path: str | Path) -> Path:
    """Where the bytes for a path go: what a link points to; refuses what is or can be no ordinary file."""
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise SaveError(f"{path} is a folder; give a file name.")
        if not target.parent.is_dir():
            raise SaveError(f"the folder {target.parent} does not exist; make it first.")
        if target.is_symlink() or (target.exists() and not target.is_file()):
            raise SaveError(f"{path} is not an ordinary file; give another name.")
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise SaveError(f"{path} cannot be written ({reason}); choose another place.") from None
    return target


def _write(target: Path, data: bytes, reached: Callable[[str], None]) -> None:
    _clear_leftovers(target)
    prefix = f".{target.name[:MOST_NAME]}.{os.getpid()}."
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".new", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            reached("made")
            file.write(data)
            file.flush()
            reached("written")
            os.fsync(file.fileno())
        reached("synced")
        _keep_mode(name, target)
        Path(name).replace(target)
        reached("renamed")
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(target.parent)


def _clear_leftovers(target: Path) -> None:
    """Removes the new files of processes that were killed while they wrote them; no harm if it cannot."""
    if os.name != "posix":  # elsewhere there is no harmless way to ask whether a process lives
        return
    ours = re.compile(re.escape(f".{target.name[:MOST_NAME]}.") + r"([1-9][0-9]{0,8})\.\w+\.new")
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            found = ours.fullmatch(path.name)
            if found and not _lives(int(found[1])):
                path.unlink()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def _keep_mode(name: str, target: Path) -> None:
    """mkstemp makes private files; the machine file keeps its mode, or gets the usual one."""
    if os.name == "nt":
        return
    if target.exists():
        Path(name).chmod(target.stat().st_mode & 0o7777)
        return
    mask = os.umask(0)
    os.umask(mask)
    Path(name).chmod(0o666 & ~mask)


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut; some systems cannot, which is no loss."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
