"""Putting a directory in place whole, at once, or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cobogo.errors import OutputError
from cobogo.floor import scratch

MARK = ".cobogo-"


@contextmanager
def staged(directory: Path, *, replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A temporary directory beside ``directory`` that takes its place when the block ends well.

    What is at ``directory`` must not exist, be empty, or be ``replaceable``; it is replaced whole. If the block
    raises, nothing has changed. What a killed run left behind is removed by the next one.
    """
    directory = directory.resolve()
    _refuse_foreign(directory, replaceable)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        stage = scratch.create(directory.parent, f".{directory.name}{MARK}")
    except OSError as error:
        raise _os_error(error, directory) from None
    try:
        yield stage
        _refuse_foreign(directory, replaceable)
        _exchange(stage, directory)
    except OSError as error:
        raise _os_error(error, directory) from error
    finally:
        scratch.remove(stage)


def holds_only(files: Sequence[str]) -> Callable[[Path], bool]:
    """Whether a directory is an earlier output of some files, of which the first is always there, and nothing else."""

    def found(directory: Path) -> bool:
        names = {entry.name for entry in directory.iterdir()}
        return names <= set(files) and files[0] in names

    return found


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


def _exchange(stage: Path, directory: Path) -> None:
    """Swap the two in one step, so that at no moment is there nothing, or half, at ``directory``."""
    mask = os.umask(0)
    os.umask(mask)
    stage.chmod(0o777 & ~mask)
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
