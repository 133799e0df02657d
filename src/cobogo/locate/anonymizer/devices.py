"""Who may use the anonymizer: each device has a token, of which the server keeps a digest only."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cobogo.errors import InputError
from cobogo.floor.files import exclusive, write_private
from cobogo.floor.language import tr

OPERATOR = "operator"
PERSON = "person"


class Devices:
    """Tokens and their owners, in a file that only the server's user may read, or in memory.

    >>> devices = Devices()
    >>> token = devices.enrol("ana")
    >>> devices.owner(token), devices.owner("something else")
    (('person', 'ana'), None)
    """

    def __init__(self, file: str | Path | None = None) -> None:
        self._file = None if file is None else Path(file).expanduser()
        self._known: dict[str, tuple[str, str]] = {}
        self._stamp: tuple[int, int] | None = None
        self._refresh()

    def enrol(self, name: str, *, operator: bool = False) -> str:
        """A new token for a person's device, or for an operator of the server. It cannot be shown again."""
        if not name or len(name) > 200:
            raise InputError(
                tr("must have from 1 to 200 characters"),
                where=tr("the name of a device's owner"),
                remedy=tr("Choose a shorter name."),
            )
        token = secrets.token_urlsafe(32)
        with self._lock():
            self._known[_digest(token)] = (OPERATOR if operator else PERSON, name)
        return token

    def revoke(self, name: str) -> int:
        """Make all tokens of a person invalid; returns how many there were."""
        with self._lock():
            gone = [digest for digest, (_, owner) in self._known.items() if owner == name]
            for digest in gone:
                del self._known[digest]
        return len(gone)

    def owner(self, token: str) -> tuple[str, str] | None:
        """The kind (`PERSON`, `OPERATOR`) and the name of a token's owner. Digests are looked up, so that the time it
        takes reveals nothing about any token."""
        self._refresh()
        return self._known.get(_digest(token))

    def _refresh(self) -> None:
        """Read the file again if it was changed: devices are enrolled and revoked while the server runs. Where the file
        is gone, no device is enrolled."""
        if self._file is None:
            return
        try:
            status = self._file.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return
        if (status.st_mtime_ns, status.st_ino) == self._stamp:
            return
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            self._known = {str(digest): (str(kind), str(name)) for digest, (kind, name) in content.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            raise InputError(
                tr("is not a file of devices"), where=str(self._file), remedy=tr("Restore the file, or remove it.")
            ) from None
        self._stamp = (status.st_mtime_ns, status.st_ino)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Lock the file, read it, let the block change what it says, and write it."""
        if self._file is None:
            yield
            return
        with exclusive(self._file):
            self._stamp = None  # the file may have changed within one tick of its clock
            self._refresh()
            yield
            before = self._file.stat().st_mtime_ns if self._file.exists() else 0
            write_private(self._file, json.dumps(self._known, indent=1))
            status = self._file.stat()
            if status.st_mtime_ns <= before:  # a coarse clock: the change must be seen by its time
                os.utime(self._file, ns=(status.st_atime_ns, before + 1))


def _digest(token: str) -> str:
    """One round of a hash is enough: a token has 256 random bits, and cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
