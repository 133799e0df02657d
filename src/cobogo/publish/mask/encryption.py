"""Column encryption and keyed pseudonyms: what follows from a value and a secret, without a vault.

A *pseudonym* is the HMAC-SHA256 of a value. It cannot be turned back, but whoever has the secret can try values (all
10⁹ CPFs take minutes), and equal values have equal pseudonyms. An *encrypted* value (AES-256-GCM, a random nonce each)
is read again with the secret; without it nothing shows but the length, not even which values are equal. The column's
name is bound to it: a value moved to another column does not open.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Sequence

from cobogo.errors import DataError, number_of
from cobogo.floor.catalogue import card
from cobogo.floor.sealing import DoesNotOpen, Sealer
from cobogo.publish.mask.secret import Secret


@card("pseudonym", title="pseudonyms")
def pseudonyms(values: Sequence[str], secret: Secret, group: str, length: int) -> list[str]:
    r"""A keyed pseudonym: HMAC-SHA256 of the value, in hexadecimal, cut to a length.

    Equal values of a group have equal pseudonyms, so that tables can be joined.

    Formula: $y = \mathrm{HMAC}_{K_g}(x)$ with a key $K_g$ derived from the secret and the group
    Example:
        >>> secret = Secret(bytes(32))
        >>> len(pseudonyms(["Ana"], secret, "people", 32)[0])
        32
        >>> pseudonyms(["Ana"], secret, "people", 32) == pseudonyms(["Ana"], secret, "staff", 32)
        False

    Guarantee: Without the secret nothing shows but which values are equal, as far as HMAC-SHA256 is a pseudorandom
        function.
    Limits: Whoever has the secret can try values: all CPFs take minutes. How often a value occurs shows.
    Cost: $O(v)$ hashes for v distinct values.
    Paper: M. Bellare, R. Canetti and H. Krawczyk, Keying hash functions for message authentication, CRYPTO 1996 (HMAC).
    """
    key = secret.derive_key(f"pseudonym {group}")
    return [hmac.digest(key, value.encode("utf-8", "surrogatepass"), "sha256").hex()[:length] for value in values]


@card("encrypt", title="encrypted values")
def encrypt(values: Sequence[str | None], secret: Secret, column: str) -> list[str | None]:
    r"""The value, encrypted with AES-256-GCM: whoever has the secret reads it, and equal values look different.

    The column's name is bound to it: a value moved to another column does not open. NULL stays NULL.

    Formula: $y = N \,\Vert\, \mathrm{AES\text{-}GCM}_{K}(N, x; \text{column})$ with a random nonce $N$ for each value
    Example:
        >>> secret = Secret(bytes(32))
        >>> decrypt(encrypt(["Ana", None, "Ana"], secret, "name"), secret, "name")
        ['Ana', None, 'Ana']

    Guarantee: Without the secret nothing shows but the length, not even which values are equal.
    Limits: With the secret everything does. Who loses it has lost the values.
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


def decrypt(values: Sequence[str | None], secret: Secret, column: str) -> list[str | None]:
    """Each value of a column, read again."""
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
            f"{number_of(wrong, 'value')} of {len(values):,} cannot be decrypted",
            where=f'column "{column}"',
            remedy="Is it the same secret, and was the column named so when it was encrypted?",
        )
    return found
