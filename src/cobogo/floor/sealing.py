"""Sealing with AES-256-GCM: what is sealed can be neither read nor altered without its key, nor moved elsewhere.

`Sealer` seals under a key that both sides have, with a random nonce before each content: the registry's records, a
vault's keys, encrypted columns. Each content is bound to a label (where it belongs) as associated data, and opens only
under the same label.

`SealedBatch` seals to a public key (X25519, then HKDF-SHA256, as in ECIES), as the vault does with values: each batch
has a fresh data key, which follows from the batch's ephemeral key and the private key. So whoever may write tokens
cannot read the values behind them, not even those written a moment ago. Within a batch the nonces count up; no data key
is ever used for a second batch. A value is bound to its token.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
NONCE_BYTES = 12
PLACE_BYTES = 4
LOOKUP_BYTES = 16
_ZEROS = bytes(NONCE_BYTES - PLACE_BYTES)

Secrets = dict[str, str]
"""Named secrets in hexadecimal."""


class DoesNotOpen(Exception):
    """The key is another one, or what it should open was altered."""


def new_key() -> bytes:
    """A key from the operating system's entropy."""
    return os.urandom(KEY_BYTES)


class Sealer:
    """Seals and opens under one key.

    >>> sealer = Sealer(new_key())
    >>> sealer.open(sealer.seal(b"Ana", "name"), "name")
    b'Ana'
    """

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, content: bytes, label: str) -> bytes:
        """The nonce and the encrypted content, bound to a label that must be given again to open it."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, label.encode())

    def open(self, sealed: bytes, label: str) -> bytes:
        """The content again; `DoesNotOpen` where the key, the label or a single bit is another."""
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], label.encode())
        except (InvalidTag, ValueError):
            raise DoesNotOpen from None


def wrap(key: bytes, secrets: Secrets, context: str) -> bytes:
    """Secrets under a key that both sides have, bound to what they are for.

    >>> key = new_key()
    >>> unwrap(key, wrap(key, {"index": "00ff"}, "domain 1"), "domain 1")
    {'index': '00ff'}
    """
    return Sealer(key).seal(json.dumps(secrets, sort_keys=True).encode(), context)


def unwrap(key: bytes, sealed: bytes, context: str) -> Secrets:
    """The secrets again; `DoesNotOpen` for another key, another context, or altered bytes."""
    return {str(name): str(secret) for name, secret in json.loads(Sealer(key).open(sealed, context)).items()}


def lookups(key: bytes, values: Iterable[str]) -> list[bytes]:
    """What finds a value again without saying what it is: its keyed BLAKE2b digest (RFC 7693) of 16 bytes."""
    keyed = hashlib.blake2b
    return [keyed(text, key=key, digest_size=LOOKUP_BYTES).digest() for text in map(str.encode, values)]


def new_pair() -> tuple[bytes, bytes]:
    """A private key and its public key, raw."""
    private = X25519PrivateKey.generate()
    return private.private_bytes_raw(), private.public_key().public_bytes_raw()


@dataclass(repr=False)
class SealedBatch:
    """A data key of its own for values that are written together."""

    ephemeral: bytes
    _cipher: AESGCM
    _used: int = 0

    @classmethod
    def new(cls, public: bytes) -> SealedBatch:
        """A batch that the holder of the private key can open, and nobody else once this object is gone."""
        private = X25519PrivateKey.generate()
        ephemeral = private.public_key().public_bytes_raw()
        shared = private.exchange(X25519PublicKey.from_public_bytes(public))
        return cls(ephemeral, AESGCM(_data_key(shared, ephemeral, public)))

    @classmethod
    def reopen(cls, private: bytes, ephemeral: bytes) -> SealedBatch:
        """A batch that was written earlier."""
        own = X25519PrivateKey.from_private_bytes(private)
        try:
            shared = own.exchange(X25519PublicKey.from_public_bytes(ephemeral))
        except ValueError:
            raise DoesNotOpen from None
        return cls(ephemeral, AESGCM(_data_key(shared, ephemeral, own.public_key().public_bytes_raw())))

    def seal(self, values: Sequence[str], tokens: Sequence[str]) -> list[bytes]:
        """Values, each bound to its token. Every value takes the batch's next nonce."""
        start, self._used = self._used, self._used + len(values)
        encrypt, places = self._cipher.encrypt, (n.to_bytes(PLACE_BYTES, "big") for n in range(start, self._used))
        return [
            place + encrypt(_ZEROS + place, value, token)
            for place, value, token in zip(places, map(str.encode, values), map(str.encode, tokens), strict=True)
        ]

    def open(self, sealed: Iterable[bytes], tokens: Sequence[str]) -> list[str]:
        """The values behind tokens."""
        decrypt = self._cipher.decrypt
        try:
            return [
                decrypt(_ZEROS + content[:PLACE_BYTES], content[PLACE_BYTES:], token).decode()
                for content, token in zip(sealed, map(str.encode, tokens), strict=True)
            ]
        except (InvalidTag, ValueError):
            raise DoesNotOpen from None


def _data_key(shared: bytes, ephemeral: bytes, public: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=ephemeral + public, info=b"cobogo vault batch").derive(shared)
