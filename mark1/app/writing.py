"""Looking at a place before any work is done for it; the writing itself is savefile's, whole or not at all."""

import os
from pathlib import Path

from mark1.errors import InputError


def check_writable(path: Path) -> None:
    """Refuses a place that cannot be written."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file name.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} cannot be written by this user; choose another place.")
