"""Keys to a vault: what a person or a program holds. The vault knows which roles each has, and in which domains.

Losing the file of a key is losing the key; whoever has a copy of it has its roles.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Self

from cobogo.errors import VaultError
from cobogo.floor.files import create_private
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.floor.sealing import KEY_BYTES, new_key

MARK = "cobogo-vault-key-1"


class VaultRole(StrEnum):
    """What the holder of a key may do."""

    TOKENIZE = "tokenize"  # give values tokens, and find the token of a value
    DETOKENIZE = "detokenize"  # find the value of a token
    STEWARD = "steward"  # everything, in every domain: domains, keys, rotation, deletion, the log


@dataclass(frozen=True, repr=False)
class VaultKey:
    """A key: the name that the vault's log calls it, and its secret, which is never shown.

    >>> key = VaultKey.new()
    >>> VaultKey.parse(key.text(), "here") == key
    True
    >>> key.secret.hex() in repr(key)
    False
    """

    name: str
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Self:
        """A new key."""
        return cls(os.urandom(4).hex(), new_key())

    def text(self) -> str:
        """What its file holds."""
        return f"{MARK}:{self.name}:{base64.urlsafe_b64encode(self.secret).decode()}\n"

    @classmethod
    def parse(cls, text: str, where: str) -> Self:
        """A key from what its file holds."""
        mark, _, rest = text.strip().partition(":")
        name, _, secret = rest.partition(":")
        try:
            found = base64.b64decode(secret.encode(), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            found = b""
        if mark != MARK or not re.fullmatch("[0-9a-f]{8}", name) or len(found) != KEY_BYTES:
            raise VaultError(
                tr("does not contain a key to a vault"),
                where=where,
                remedy=tr("Give the file of a key that `cobogo vault key` made."),
            )
        return cls(name, found)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a key's file."""
        try:
            text = Path(path).expanduser().read_bytes()[:4096].decode("ascii", "replace")
        except OSError as error:
            raise VaultError(
                tr("the key cannot be read: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("Check the path and the permission to read the file."),
            ) from None
        return cls.parse(text, str(path))

    def save(self, path: str | Path) -> None:
        """Write a new file that only this user may read. A file that is there already is never overwritten."""
        try:
            create_private(Path(path).expanduser(), self.text())
        except FileExistsError:
            raise VaultError(
                tr("is there already"), where=str(path), remedy=tr("Choose another name: a key is never overwritten.")
            ) from None
        except OSError as error:
            raise VaultError(
                tr("the key cannot be written: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("Check the path, the permission to write there, and the space on the disk."),
            ) from None
