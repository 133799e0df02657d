"""Bloom filters of values, one for each cohort."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.rappor.parameters import Parameters
from cobogo.floor.arrays import Ints

Bits = NDArray[np.bool_]


def places(value: str, cohort: int, parameters: Parameters) -> list[int]:
    """The bits of a value in a cohort: as many as there are hash functions, some of them perhaps the same.

    >>> places("Fortaleza", 3, Parameters()) == places("Fortaleza", 3, Parameters())
    True
    """
    seal = hashlib.blake2b(value.encode(), digest_size=64, key=f"cobogo rappor {cohort}".encode()).digest()
    while len(seal) < 8 * parameters.hashes:
        seal += hashlib.blake2b(seal, digest_size=64).digest()
    drawn = np.frombuffer(seal[: 8 * parameters.hashes], dtype="<u8")
    return [int(word) for word in drawn % np.uint64(parameters.bits)]


def filters(values: Sequence[str], parameters: Parameters) -> Bits:
    """The filters of values, in a block for each cohort: [cohort, value, bit]."""
    found = np.zeros((parameters.cohorts, len(values), parameters.bits), dtype=np.bool_)
    for cohort in range(parameters.cohorts):
        for number, value in enumerate(values):
            found[cohort, number, places(value, cohort, parameters)] = True
    return found


def filters_of(
    values: Sequence[str], held: Ints, cohorts: Ints, parameters: Parameters
) -> tuple[NDArray[np.uint8], Ints]:
    """The filters of clients who hold the values of some numbers in some cohorts: those of the pairs that occur, packed
    into bytes, each hashed once; and for each client the row of its own."""
    pairs, which = _distinct(held * parameters.cohorts + cohorts, len(values) * parameters.cohorts)
    bits = np.zeros((len(pairs), parameters.bits), dtype=np.bool_)
    for row, pair in enumerate(pairs.tolist()):
        number, cohort = divmod(pair, parameters.cohorts)
        bits[row, places(values[number], cohort, parameters)] = True
    return np.packbits(bits, axis=1), which


def _distinct(numbers: Ints, bound: int) -> tuple[Ints, Ints]:
    """The distinct numbers, and the place of each among them; without sorting where they are below a small bound."""
    if bound > 8 * len(numbers):
        found, which = np.unique(numbers, return_inverse=True)
        return found, which
    there = np.zeros(bound, dtype=np.bool_)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]
