"""The registry's key, and sealing with it: AES-GCM, so that a record can be neither read nor altered without the key.

A plan shows which value became which, a class structure which records are together: either undoes part of a release.
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from cobogo.errors import RegistryError
from cobogo.floor.files import create_private
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason

VARIABLE = "COBOGO_REGISTRY_KEY"
"""The environment variable that may hold the key, in hexadecimal, instead of a file."""

BYTES = 32


@dataclass(frozen=True, repr=False)
class RegistryKey:
    """A key of 256 bits. It is never shown."""

    secret: bytes = field(repr=False)

    def seal(self, content: bytes, label: str) -> bytes:
        """Encrypt under a label that is needed to decrypt, so that a sealed record cannot be moved to another place."""
        from cobogo.floor.sealing import Sealer

        return Sealer(self._derive_key("seal")).seal(content, label)

    def open(self, sealed: bytes, label: str) -> bytes | None:
        """Decrypt; None if the key, the label or the content is not the one that was sealed."""
        from cobogo.floor.sealing import DoesNotOpen, Sealer

        try:
            return Sealer(self._derive_key("seal")).open(sealed, label)
        except DoesNotOpen:
            return None

    def digests(self, dataset: str) -> bytes:
        """The key of a data set's digests: records are recognized within one data set, and not across two."""
        return self._derive_key(f"digests of {dataset}")

    def _derive_key(self, purpose: str) -> bytes:
        return blake2b(purpose.encode(), key=self.secret, digest_size=BYTES).digest()


def load(file: Path | None) -> RegistryKey:
    """Load the key from the environment, or from a file that only its owner may read."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _parse(given, tr("the environment variable {name}", name=VARIABLE))
    if file is None:
        raise RegistryError(
            tr("no key of the registry was given"),
            where="registry.key",
            remedy=tr("Name the key's file with registry.key (or --key), or set {variable}.", variable=VARIABLE),
        )
    try:
        text, mode = file.read_text(encoding="ascii"), file.stat().st_mode
    except FileNotFoundError:
        raise RegistryError(
            tr("the registry's key does not exist"),
            where=str(file),
            remedy=tr(
                "Name the key's file with registry.key (or --key), or set {variable}. A registry "
                "cannot be read without its key; `cobogo registry init` creates a new one.",
                variable=VARIABLE,
            ),
        ) from None
    except (OSError, ValueError) as error:
        raise RegistryError(
            tr("the registry's key cannot be read ({error})", error=type(error).__name__),
            where=str(file),
            remedy=tr("Check the path and the permission to read the file."),
        ) from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RegistryError(
            tr("other users can read the registry's key"),
            where=str(file),
            remedy=tr("Restrict its permissions: chmod 600 {file}", file=file),
        )
    return _parse(text, str(file))


def create(file: Path) -> RegistryKey:
    """Create a key in a new file that only its owner may read."""
    key = RegistryKey(secrets.token_bytes(BYTES))
    try:
        create_private(file, key.secret.hex() + "\n")
    except FileExistsError:
        raise RegistryError(
            tr("there is already a key here"),
            where=str(file),
            remedy=tr("Choose another --key: this one may belong to another registry."),
        ) from None
    except OSError as error:
        raise RegistryError(
            tr("the key cannot be written: {reason}", reason=reason(error)),
            where=str(file),
            remedy=tr("Check the path, the permission to write there, and the space on the disk."),
        ) from None
    return key


def _parse(text: str, where: str) -> RegistryKey:
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        secret = b""
    if len(secret) != BYTES:
        raise RegistryError(
            tr("the registry's key must have {digits} hexadecimal digits", digits=2 * BYTES),
            where=where,
            remedy=tr("`cobogo registry init` creates one."),
        )
    return RegistryKey(secret)
