"""Files that only their owner may read: the old or the new one is there at any moment, even if the machine stops."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cobogo.errors import OutputError


def write_private(file: Path, text: str) -> None:
    """Put a text at a file. What was there is replaced whole."""
    new = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
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
            f"cannot be written: {problem.strerror}",
            where=str(file),
            remedy="Nothing has changed. Choose another place.",
        ) from None


@contextmanager
def alone_with(file: Path) -> Iterator[None]:
    """Nobody else who asks for the same file comes in while the block runs: to read, change and write it. The lock is a
    file beside it, since the file itself is replaced."""
    import fcntl

    try:
        lock = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror}", where=str(file)) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
