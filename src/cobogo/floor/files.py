"""Files that are written whole or not at all, files that only their owner may read, temporary directories, and tables
that ship with the program.

A *private* file has the mode 0600 from its first moment. A *staged* file or directory is written under another name
and takes its place when it is complete. A *scratch* directory may hold what must not be left behind: it is locked for
as long as its process lives, and what a killed process left has no lock on it and is removed by the next process that
works in the same place.
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import errno
import glob
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from cobogo.errors import OutputError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import is_elsewhere

STAGE = ".cobogo-"
"""What stands between the name of a directory and the random part of its stage's name."""

_scratch: dict[Path, int] = {}  # the scratch directories of this process, each with the handle that holds its lock


def open_private(file: Path, *, new: bool = False) -> int:
    """A handle to read and write a file that only its owner may read; with ``new`` there must be none yet."""
    return os.open(file, os.O_RDWR | os.O_CREAT | (os.O_EXCL if new else 0), 0o600)


def create_private(file: Path, text: str = "") -> None:
    """Make a new file that only its owner may read; `FileExistsError` where there is one."""
    with os.fdopen(open_private(file, new=True), "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def write_private(file: Path, text: str) -> None:
    """Put a text at a file that only its owner may read. What was there is replaced whole: the old or the new text is
    there at any moment, even if the machine stops."""
    new = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    try:
        try:
            create_private(new, text)
            new.replace(file)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        directory = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as problem:
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(problem)),
            where=str(file),
            remedy=tr("Nothing has changed. Choose another place."),
            code="COBOGO-OUTPUT-WRITE",
        ) from None


def write_private_once(file: Path, text: str) -> None:
    """Put a text at a file that only its owner may read, unless another process was first: then its text stays."""
    new = file.with_name(f".{file.name}-{secrets.token_hex(6)}")
    write_private(new, text)
    with contextlib.suppress(FileExistsError):
        file.hardlink_to(new)
    new.unlink()


def lock(handle: int, *, wait: bool = False) -> bool:
    """Whether the lock of an open file could be had; never where the system has no such locks. With ``wait`` it is
    waited for, and what goes wrong is raised."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        if wait:
            raise
        return False
    return True


@contextmanager
def exclusive(file: Path) -> Iterator[None]:
    """A block that reads, changes and writes a file while no other process that asks for the same file is in such a
    block. The lock is a file beside it, since the file itself is replaced."""
    try:
        handle = open_private(file.with_name(f".{file.name}.lock"))
    except OSError as problem:
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(problem)),
            where=str(file),
            remedy=tr("Choose another place, or ask for the right to write there."),
            code="COBOGO-OUTPUT-WRITE",
        ) from None
    try:
        lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def create_scratch(parent: Path, prefix: str) -> Path:
    """A new directory that only this user may read, under a name that begins with ``prefix``."""
    _remove_leftovers(parent, prefix)
    name = secrets.token_hex(6)
    unlocked = parent / f".new-{name}"  # a name that nobody takes for a leftover, until it is locked
    unlocked.mkdir(mode=0o700)
    handle = os.open(unlocked, os.O_RDONLY)
    lock(handle)
    directory = unlocked.rename(parent / f"{prefix}{name}")
    _scratch[directory] = handle
    return directory


def remove_scratch(directory: Path) -> None:
    """Remove a scratch directory, whatever is in it by now."""
    handle = _scratch.pop(directory, None)
    shutil.rmtree(directory, ignore_errors=True)
    if handle is not None:
        os.close(handle)


def remove_all_scratch() -> None:
    """Remove every scratch directory of this process: for when it must stop at once."""
    for directory in list(_scratch):
        remove_scratch(directory)


@contextmanager
def scratch_directory(parent: Path, prefix: str) -> Iterator[Path]:
    """A scratch directory that is removed when the block ends."""
    directory = create_scratch(parent, prefix)
    try:
        yield directory
    finally:
        remove_scratch(directory)


def _remove_leftovers(parent: Path, prefix: str) -> None:
    for directory in parent.glob(f"{glob.escape(prefix)}{'[0-9a-f]' * 12}"):
        with contextlib.suppress(OSError):
            handle = os.open(directory, os.O_RDONLY)
            try:
                if lock(handle):
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(handle)


@contextmanager
def stage_file(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of ``path`` when the block ends well; if it does not, nothing changed."""
    try:
        with scratch_directory(path.absolute().parent, f".{path.name}-") as stage:
            yield stage / path.name
            (stage / path.name).replace(path)
    except OSError as error:
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(error)),
            where=str(path),
            remedy=tr("Choose another place, or ask for the right to write there."),
            code="COBOGO-OUTPUT-WRITE",
        ) from None


@contextmanager
def stage_directory(directory: Path, *, replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A temporary directory beside ``directory`` that takes its place when the block ends well.

    What is at ``directory`` must not exist, be empty, or be ``replaceable``; it is replaced whole. If the block
    raises, nothing has changed. What a killed run left behind is removed by the next one.
    """
    if is_elsewhere(directory):
        raise OutputError(
            tr("is not a directory of this machine"),
            where=str(directory),
            remedy=tr("Give a local directory, and copy what you give away with tools of your own."),
            code="COBOGO-OUTPUT-WRITE",
        )
    directory = directory.resolve()
    _refuse_foreign(directory, replaceable)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        stage = create_scratch(directory.parent, f".{directory.name}{STAGE}")
    except OSError as error:
        raise _os_error(error, directory) from None
    try:
        yield stage
        _refuse_foreign(directory, replaceable)
        _put_in_place(stage, directory)
    except OSError as error:
        raise _os_error(error, directory) from error
    finally:
        remove_scratch(stage)


def holds_only(files: Sequence[str]) -> Callable[[Path], bool]:
    """Whether a directory is an earlier output of some files, of which the first is always there, and nothing else."""

    def is_output(directory: Path) -> bool:
        names = {entry.name for entry in directory.iterdir()}
        return names <= set(files) and files[0] in names

    return is_output


def _refuse_foreign(directory: Path, replaceable: Callable[[Path], bool]) -> None:
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir():
        raise OutputError(
            tr("is a file, not a directory"),
            where=str(directory),
            remedy=tr("Choose another --out."),
            code="COBOGO-OUTPUT-OCCUPIED",
        )
    if any(directory.iterdir()) and not replaceable(directory):
        raise OutputError(
            tr("has files that Cobogó did not write"),
            where=str(directory),
            remedy=tr("Choose another --out, or empty it."),
            code="COBOGO-OUTPUT-OCCUPIED",
        )


def _put_in_place(stage: Path, directory: Path) -> None:
    """Swap the two in one step, so that at no moment is there nothing, or half, at ``directory``."""
    mask = os.umask(0)
    os.umask(mask)
    stage.chmod(0o777 & ~mask)
    if not directory.exists():
        stage.rename(directory)
    elif not _swap(stage, directory):
        # No atomic exchange on this system: the old output stands aside for the moment between two renames.
        aside = stage.with_name(stage.name + "-old")
        directory.rename(aside)
        stage.rename(directory)
        shutil.rmtree(aside, ignore_errors=True)


def _swap(one: Path, other: Path) -> bool:
    """Exchange two paths atomically, and say whether the system can (Linux: renameat2; macOS: renamex_np)."""
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
        errno.ENOSPC: tr("Free some space, or choose another --out."),
        errno.EACCES: tr("Choose another --out."),
    }
    return OutputError(
        tr("cannot be written: {reason}", reason=reason(error)),
        where=str(directory),
        remedy=remedies.get(error.errno or 0, tr("Nothing was written, and what was there before is unchanged.")),
        code="COBOGO-OUTPUT-WRITE",
    )


def read_packaged(package: str, name: str) -> Iterator[dict[str, str]]:
    """The rows of a table that ships, ``<name>.csv`` of a package, in its order, by the names of its header.

    >>> next(read_packaged("cobogo.data.hierarchy.classifications", "states"))["state"]
    'Rondônia'
    """
    text = resources.files(package).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
