"""Public hash functions that server and clients share: one for each row of a sketch.

A function is a polynomial of degree 2 over the field of 2⁶¹ − 1 elements, its coefficients drawn from a public seed:
any three different keys fall independently and evenly into the cells (Wegman and Carter 1981), to one part in 2³².
That is what the variance of a sketch rests on; no privacy rests on it, so that everyone may know the seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.floor.kernels import kernel

FIELD = 2**61 - 1


def fingerprints(words: Iterable[str]) -> Ints:
    """Keys of strings: numbers below 2⁶¹ − 1. Two of a million strings have the same one with a probability of 3 in ten
    million.

    >>> int(fingerprints(["oi"])[0]) == int(fingerprints(["olá", "oi"])[1])
    True
    """
    seals = b"".join(hashlib.blake2b(word.encode(), digest_size=8, person=b"cobogo key").digest() for word in words)
    return (np.frombuffer(seals, dtype="<u8") % np.uint64(FIELD)).astype(np.int64)


@lru_cache(maxsize=16)
def coefficients(rows: int, seed: int) -> NDArray[np.uint64]:
    """Three for each row."""
    stream = hashlib.shake_256(f"cobogo family {seed}".encode()).digest(48 * rows)
    drawn = [int.from_bytes(stream[start : start + 16], "little") % FIELD for start in range(0, len(stream), 16)]
    return np.array(drawn, dtype=np.uint64).reshape(rows, 3)


def cells(rows: Ints, keys: Ints, count: int, width: int, seed: int) -> Ints:
    """The cell of each key under the function of the row beside it, of ``count`` rows of ``width`` cells."""
    found: Ints = _cells(coefficients(count, seed), rows, keys.view(np.uint64), width)
    return found


def read(sketch: NDArray[Any], keys: Ints, seed: int) -> NDArray[Any]:
    """For each key, the sum of its cells over the rows."""
    found: NDArray[Any] = _read(coefficients(len(sketch), seed), np.ascontiguousarray(sketch), keys.view(np.uint64))
    return found


@kernel()
def _product(one, other):  # type: ignore[no-untyped-def]
    """A product in the field, up to multiples of its size, below 3·2⁶¹. It is computed from halves of 32 bits; modulo
    the size 2⁶⁴ is 8 and 2⁶¹ is 1."""
    low, half, field = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(FIELD)
    a, b, c, d = one >> half, one & low, other >> half, other & low
    middle = a * d + b * c
    small = b * d
    total = (a * c) * np.uint64(8)
    total += (middle >> np.uint64(29)) + ((middle & np.uint64(0x1FFFFFFF)) << half)
    return total + (small & field) + (small >> np.uint64(61))


@kernel()
def _reduce(total):  # type: ignore[no-untyped-def]
    field = np.uint64(FIELD)
    total = (total & field) + (total >> np.uint64(61))
    return total - field if total >= field else total


@kernel()
def _cell(a, b, c, key, squared, width):  # type: ignore[no-untyped-def]
    element = _reduce(_product(a, squared) + _product(b, key) + c)
    return np.int64(((element >> np.uint64(29)) * np.uint64(width)) >> np.uint64(32))


@kernel()
def _cells(coefficients, rows, keys, width):  # type: ignore[no-untyped-def]
    found = np.empty(len(keys), dtype=np.int64)
    for number in range(len(keys)):
        a, b, c = coefficients[rows[number]]
        key = keys[number]
        found[number] = _cell(a, b, c, key, _reduce(_product(key, key)), width)
    return found


@kernel()
def _read(coefficients, sketch, keys):  # type: ignore[no-untyped-def]
    found = np.zeros(len(keys), dtype=sketch.dtype)
    squares = np.empty(len(keys), dtype=np.uint64)
    for number in range(len(keys)):
        squares[number] = _reduce(_product(keys[number], keys[number]))
    for row in range(len(sketch)):
        a, b, c = coefficients[row]
        counts = sketch[row]
        for number in range(len(keys)):
            found[number] += counts[_cell(a, b, c, keys[number], squares[number], len(counts))]
    return found
