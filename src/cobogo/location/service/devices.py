"""Who may talk to the anonymizer: a token for each device, of which the server keeps no more than a digest."""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path

from cobogo.errors import InputError
from cobogo.private import write_private

OPERATOR = "operator"
PERSON = "person"


class Devices:
    """Tokens and whose they are, in a file that its owner alone may read, or in memory.

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
        """A new token for a person's device, or for one who looks after the server. It is shown only now."""
        if not name or len(name) > 200:
            raise InputError("must be of 1 to 200 characters", where="the name of a device's owner")
        token = secrets.token_urlsafe(32)
        self._known[_digest(token)] = (OPERATOR if operator else PERSON, name)
        self._save()
        return token

    def revoke(self, name: str) -> int:
        """Close the server to all tokens of somebody; returns how many there were."""
        gone = [digest for digest, (_, owner) in self._known.items() if owner == name]
        for digest in gone:
            del self._known[digest]
        self._save()
        return len(gone)

    def owner(self, token: str) -> tuple[str, str] | None:
        """The kind and the name of whoever holds a token. Digests are looked up, so that how long it takes tells
        nothing of any token."""
        self._refresh()
        return self._known.get(_digest(token))

    def _refresh(self) -> None:
        """Read the file again if it was changed: devices are enrolled while the server runs."""
        if self._file is None or not self._file.exists():
            return
        status = self._file.stat()
        if (status.st_mtime_ns, status.st_ino) == self._stamp:
            return
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            self._known = {str(digest): (str(kind), str(name)) for digest, (kind, name) in content.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            raise InputError("is not a file of devices", where=str(self._file), remedy="Choose another one.") from None
        self._stamp = (status.st_mtime_ns, status.st_ino)

    def _save(self) -> None:
        if self._file is not None:
            write_private(self._file, json.dumps(self._known, indent=1))


def _digest(token: str) -> str:
    """A token has 256 random bits: one round of a hash keeps it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
