"""Putting a directory in place whole, at once, or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cobogo.errors import OutputError

MARK = ".cobogo-"


@contextmanager
def staged(directory: Path, *, replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A temporary directory beside ``directory`` that takes its place when the block ends well.

    What is at ``directory`` must not exist, be empty, or be ``replaceable``; it is replaced whole. If the block
    raises, nothing has changed. What a killed run left behind is removed by the next one.
    """
    directory = directory.absolute()
    _refuse_foreign(directory, replaceable)
    _remove_leftovers(directory)
    stage = directory.parent / f"{_prefix(directory)}{secrets.token_hex(6)}"
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        stage.mkdir(mode=0o700)
    except OSError as error:
        raise _os_error(error, directory) from None
    lock = _lock(stage)
    try:
        yield stage
        _refuse_foreign(directory, replaceable)
        _exchange(stage, directory)
    except OSError as error:
        raise _os_error(error, directory) from error
    finally:
        os.close(lock)
        shutil.rmtree(stage, ignore_errors=True)


def _prefix(directory: Path) -> str:
    return f".{directory.name}{MARK}"


def _refuse_foreign(directory: Path, replaceable: Callable[[Path], bool]) -> None:
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir():
        raise OutputError("is a file, not a directory", where=str(directory), remedy="Choose another --out.")
    if any(directory.iterdir()) and not replaceable(directory):
        raise OutputError(
            "holds something that Cobogó did not write",
            where=str(directory),
            remedy="Choose another --out, or empty it.",
        )


def _lock(stage: Path) -> int:
    """Hold a lock on the stage for as long as this process lives: the sign that it is not a leftover."""
    handle = os.open(stage, os.O_RDONLY)
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def _remove_leftovers(directory: Path) -> None:
    """Remove the stages of runs that died: those nobody holds a lock on."""
    try:
        import fcntl
    except ImportError:
        return
    for stage in directory.parent.glob(f"{_glob_escaped(_prefix(directory))}*"):
        with contextlib.suppress(OSError):
            handle = os.open(stage, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(stage, ignore_errors=True)
            finally:
                os.close(handle)


def _glob_escaped(text: str) -> str:
    import glob

    return glob.escape(text)


def _exchange(stage: Path, directory: Path) -> None:
    """Swap the two in one step, so that at no moment is there nothing, or half, at ``directory``."""
    stage.chmod(0o755)
    if not directory.exists():
        stage.rename(directory)
    elif not _swapped(stage, directory):
        # No atomic exchange on this system: the old output stands aside for the moment between two renames.
        aside = stage.with_name(stage.name + "-old")
        directory.rename(aside)
        stage.rename(directory)
        shutil.rmtree(aside, ignore_errors=True)


def _swapped(one: Path, other: Path) -> bool:
    """Exchange two paths atomically where the system can (Linux: renameat2; macOS: renamex_np)."""
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "linux":
            done = library.renameat2(-100, first, -100, second, 2)
        elif sys.platform == "darwin":
            done = library.renamex_np(first, second, 2)
        else:
            return False
    except AttributeError:
        return False
    if done == 0:
        return True
    if ctypes.get_errno() in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))


def _os_error(error: OSError, directory: Path) -> OutputError:
    remedies = {
        errno.ENOSPC: "Free some space, or choose another --out.",
        errno.EACCES: "Choose another --out.",
    }
    return OutputError(
        f"cannot be written: {error.strerror or error}",
        where=str(directory),
        remedy=remedies.get(error.errno or 0, "Nothing was left behind; what was there before still is."),
    )
