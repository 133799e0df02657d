"""Temporary directories that never outlive their use: they may hold what must not be left lying about.

Each is locked for as long as its process lives. What a killed process left behind has no lock on it, and is removed
by the next one that works in the same place.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from cobogo.errors import OutputError

_locks: dict[Path, int] = {}


def create(parent: Path, prefix: str) -> Path:
    """A new directory that only this user may read, under a name that begins with ``prefix``."""
    _remove_leftovers(parent, prefix)
    name = secrets.token_hex(6)
    unlocked = parent / f".new-{name}"  # a name that nobody takes for a leftover, until it is locked
    unlocked.mkdir(mode=0o700)
    handle = os.open(unlocked, os.O_RDONLY)
    _locked(handle)
    directory = unlocked.rename(parent / f"{prefix}{name}")
    _locks[directory] = handle
    return directory


def remove(directory: Path) -> None:
    """Remove one, whatever is in it by now."""
    handle = _locks.pop(directory, None)
    shutil.rmtree(directory, ignore_errors=True)
    if handle is not None:
        os.close(handle)


def remove_all() -> None:
    """Remove every one of this process: for when it is told to stop at once."""
    for directory in list(_locks):
        remove(directory)


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of ``path`` when the block ends well; if it does not, nothing changed."""
    try:
        stage = create(path.absolute().parent, f".{path.name}-")
        try:
            yield stage / path.name
            (stage / path.name).replace(path)
        finally:
            remove(stage)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from None


def _remove_leftovers(parent: Path, prefix: str) -> None:
    for directory in parent.glob(f"{glob.escape(prefix)}{'[0-9a-f]' * 12}"):
        with contextlib.suppress(OSError):
            handle = os.open(directory, os.O_RDONLY)
            try:
                if _locked(handle):
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock could be had; never where the system has no such locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
