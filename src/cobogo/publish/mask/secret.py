"""The secret that consistent substitutes follow from, and the numbers drawn by it."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Words
from cobogo.floor.files import create_private
from cobogo.floor.randomness import Entropy

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
                f"the secret cannot be read: {error.strerror}",
                where=str(path),
                remedy="`cobogo vault secret` makes one.",
            ) from None
        if len(content) < LEAST:
            raise PolicyError(
                f"a secret has at least {LEAST} bytes", where=str(path), remedy="`cobogo vault secret` makes one."
            )
        return cls(hmac.digest(b"cobogo secret", content, "sha256"), kept=True)

    @classmethod
    def draw(cls) -> Secret:
        """A secret that nobody will ever know."""
        return cls(os.urandom(LEAST))

    @staticmethod
    def create(path: Path) -> None:
        """Write a new one that only this user may read."""
        try:
            create_private(path, os.urandom(LEAST).hex() + "\n")
        except OSError as error:
            raise PolicyError(f"the secret cannot be written: {error.strerror}", where=str(path)) from None

    def derive_key(self, purpose: str) -> bytes:
        """A key of its own for a purpose."""
        return hmac.digest(self.key, purpose.encode(), "sha256")

    def words(self, group: str, values: Sequence[str], attempt: int = 0) -> Words:
        """Four numbers for each value, always the same for the same value, group and attempt."""
        key = self.derive_key(f"{attempt} {group}")
        keyed = hashlib.blake2b
        digests = b"".join(
            [keyed(text.encode("utf-8", "surrogatepass"), key=key, digest_size=32).digest() for text in values]
        )
        return np.frombuffer(digests, dtype="<u8").reshape(-1, WORDS).astype(np.uint64)


def random_words(count: int) -> Words:
    """Four numbers for each of so many records, from the operating system's entropy."""
    return Entropy().words(WORDS * count).reshape(-1, WORDS)
