"""The secret of a masking job, and what follows from a value and the secret alone: pseudonyms and encrypted values.

A *pseudonym* is the HMAC-SHA256 of a value. It cannot be turned back, but whoever has the secret can try values (all
10⁹ CPFs take minutes), and equal values have equal pseudonyms. An *encrypted* value (AES-256-GCM, a random nonce each)
can be decrypted with the secret; without it only its length shows, not even which values are equal. The ciphertext is
bound to the name of its column: a value moved to another column does not open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cobogo.errors import DataError, PolicyError
from cobogo.floor.arrays import Words
from cobogo.floor.catalogue import card
from cobogo.floor.files import create_private
from cobogo.floor.language import tr, trn
from cobogo.floor.language.errors import reason
from cobogo.floor.randomness import Entropy
from cobogo.floor.sealing import DoesNotOpen, Sealer

LEAST = 32
WORDS = 4
"""Numbers of 64 bits that one digest gives."""


@dataclass(frozen=True, repr=False)
class Secret:
    """A key for HMAC-SHA256 and keyed BLAKE2b (RFC 7693). Whoever has it can find
    the substitute of any value that they guess.

    >>> secret = Secret(bytes(32))
    >>> bool((secret.words("names", ["Ana"]) == secret.words("names", ["Ana"])).all())
    True
    """

    key: bytes = field(repr=False)
    kept: bool = False  # whether it is in a file, so that other jobs can use it too

    @classmethod
    def load(cls, path: Path) -> Secret:
        """Read the file of a secret."""
        try:
            content = path.read_bytes().strip()
        except OSError as error:
            raise PolicyError(
                tr("the secret cannot be read: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("`cobogo vault secret` makes one."),
            ) from None
        if len(content) < LEAST:
            raise PolicyError(
                tr("a secret needs at least {least} bytes", least=LEAST),
                where=str(path),
                remedy=tr("`cobogo vault secret` makes one."),
            )
        return cls(hmac.digest(b"cobogo secret", content, "sha256"), kept=True)

    @classmethod
    def draw(cls) -> Secret:
        """A random secret that is not stored."""
        return cls(os.urandom(LEAST))

    @staticmethod
    def create(path: Path) -> None:
        """Write a new secret to a file that only this user may read."""
        try:
            create_private(path, os.urandom(LEAST).hex() + "\n")
        except OSError as error:
            raise PolicyError(
                tr("the secret cannot be written: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("Check the path, the permission to write there, and the space on the disk."),
            ) from None

    def derive_key(self, purpose: str) -> bytes:
        """Derive a separate key for a purpose."""
        return hmac.digest(self.key, purpose.encode(), "sha256")

    def words(self, group: str, values: Sequence[str], attempt: int = 0) -> Words:
        """Four words for each value, always the same for the same value, group and attempt."""
        key = self.derive_key(f"{attempt} {group}")
        keyed = hashlib.blake2b
        digests = b"".join(
            [keyed(text.encode("utf-8", "surrogatepass"), key=key, digest_size=32).digest() for text in values]
        )
        return np.frombuffer(digests, dtype="<u8").reshape(-1, WORDS).astype(np.uint64)


def random_words(count: int) -> Words:
    """Four words for each of ``count`` records, from the operating system's entropy."""
    return Entropy().words(WORDS * count).reshape(-1, WORDS)


@card("pseudonym", title="pseudonyms")
def pseudonyms(values: Sequence[str], secret: Secret, group: str, length: int) -> list[str]:
    r"""A keyed pseudonym: HMAC-SHA256 of the value, in hexadecimal, cut to a given length.

    Equal values of a group have equal pseudonyms, so that tables can be joined.

    Formula: $y = \mathrm{HMAC}_{K_g}(x)$ with a key $K_g$ derived from the secret and the group
    Example:
        >>> secret = Secret(bytes(32))
        >>> len(pseudonyms(["Ana"], secret, "people", 32)[0])
        32
        >>> pseudonyms(["Ana"], secret, "people", 32) == pseudonyms(["Ana"], secret, "staff", 32)
        False

    Guarantee: Without the secret, pseudonyms reveal only which values are equal, as far as HMAC-SHA256 is a
        pseudorandom function.
    Limits: An attacker who has the secret can try values: all CPFs take minutes. The frequency of a value is visible.
    Cost: $O(v)$ hashes for v distinct values.
    Paper: M. Bellare, R. Canetti and H. Krawczyk, Keying hash functions for message authentication, CRYPTO 1996 (HMAC).
    """
    key = secret.derive_key(f"pseudonym {group}")
    return [hmac.digest(key, value.encode("utf-8", "surrogatepass"), "sha256").hex()[:length] for value in values]


@card("encrypt", title="encrypted values")
def encrypt_values(values: Sequence[str | None], secret: Secret, column: str) -> list[str | None]:
    r"""The value, encrypted with AES-256-GCM: anyone who has the secret can read it, and equal values look different.

    The column's name is bound to the value: a value that is moved to another column cannot be decrypted. NULL stays
    NULL.

    Formula: $y = N \,\Vert\, \mathrm{AES\text{-}GCM}_{K}(N, x; \text{column})$ with a random nonce $N$ for each value
    Example:
        >>> secret = Secret(bytes(32))
        >>> decrypt_values(encrypt_values(["Ana", None, "Ana"], secret, "name"), secret, "name")
        ['Ana', None, 'Ana']

    Guarantee: Without the secret, only the length is visible, not even which values are equal.
    Limits: With the secret, everything can be read. If the secret is lost, the values are lost.
    Cost: $O(n)$ for n values.
    Paper: D. A. McGrew and J. Viega, The security and performance of the Galois/Counter Mode of operation, INDOCRYPT
        2004; NIST SP 800-38D, 2007.
    """
    sealer = Sealer(secret.derive_key("encryption"))
    return [
        None
        if value is None
        else base64.urlsafe_b64encode(sealer.seal(value.encode("utf-8", "surrogatepass"), column)).decode()
        for value in values
    ]


def decrypt_values(values: Sequence[str | None], secret: Secret, column: str) -> list[str | None]:
    """Decrypt each value of a column."""
    sealer = Sealer(secret.derive_key("encryption"))
    found: list[str | None] = []
    wrong = 0
    for value in values:
        if value is None:
            found.append(None)
            continue
        try:
            sealed = base64.b64decode(value.encode(), altchars=b"-_", validate=True)
            found.append(sealer.open(sealed, column).decode("utf-8", "surrogatepass"))
        except (DoesNotOpen, binascii.Error, ValueError):
            wrong += 1
    if wrong:
        raise DataError(
            trn(
                "{n:,} value of {all:,} cannot be decrypted",
                "{n:,} values of {all:,} cannot be decrypted",
                n=wrong,
                all=len(values),
            ),
            where=tr('column "{column}"', column=column),
            remedy=tr("Use the secret and the column name with which the column was encrypted."),
        )
    return found
