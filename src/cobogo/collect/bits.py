"""Rows of bits, eight in a byte, the first in the highest bit of the first byte: drawn by chance, and counted."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
from numba import njit

from cobogo.floor.arrays import Bytes, Ints
from cobogo.floor.randomness import Source, packed_coins


def drawn(probability: Fraction, shape: tuple[int, ...], source: Source) -> Bytes:
    """Rows of bytes, each bit of which is set with exactly the probability given."""
    size = prod(shape)
    return packed_coins(probability, -(-size // 8), source).view(np.uint8)[:size].reshape(shape)


def chosen(where: Bytes, one: Bytes, other: Bytes) -> Bytes:
    """Bit by bit, that of ``one`` where a bit is set, else that of ``other``."""
    found: Bytes = other ^ (where & (one ^ other))
    return found


def count(bits: Bytes, kinds: Ints | None = None, *, of: int = 1) -> Ints:
    """How many rows have each bit set: [kind, bit], for the rows of each of ``of`` kinds.

    >>> count(np.array([[128], [129], [1]], dtype=np.uint8), np.array([0, 1, 1]), of=2).tolist()
    [[1, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 2]]
    """
    found = np.zeros((of, 8 * bits.shape[1]), dtype=np.int64)
    which = np.zeros(len(bits), dtype=np.int64) if kinds is None else np.ascontiguousarray(kinds, dtype=np.int64)
    _count(found, which, np.ascontiguousarray(bits))
    return found


@njit(cache=True)
def _count(found, kinds, bits):  # type: ignore[no-untyped-def]
    for number in range(len(kinds)):
        counts = found[kinds[number]]
        for place in range(bits.shape[1]):
            byte = np.int64(bits[number, place])
            for bit in range(8):
                counts[8 * place + bit] += (byte >> (7 - bit)) & 1
