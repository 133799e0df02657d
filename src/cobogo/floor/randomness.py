"""The source of random bits, and exact samplers over it.

Whatever privacy rests on draws from the operating system's entropy. A seeded stream exists for tests and for made-up
examples: it must be asked for by name, and what was drawn from it says so (``safe``), so that verification refuses it.
The samplers use whole numbers only: a probability is a fraction, and is met exactly, not up to the rounding of floats.
"""

from __future__ import annotations

import hashlib
import os
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Words

AT_ONCE = 1 << 20
"""Words that are drawn at a time, so that samplers of many need little memory."""

AT_FIRST_HAND = 1 << 13
"""Bytes that are asked of the operating system itself."""


class Source(Protocol):
    """Where random bits come from."""

    @property
    def safe(self) -> bool:
        """Whether nobody can know or repeat them: privacy may rest on nothing else."""

    def words(self, count: int) -> Words:
        """Independent, uniform words of 64 bits."""


class Entropy:
    """The operating system's entropy. Where much is asked for at once, its keystream: that of AES-256 in counter mode
    under a key drawn for the one request and kept nowhere, which is twenty times as fast."""

    safe = True

    def words(self, count: int) -> Words:
        """Words that are used once and kept nowhere.

        >>> len(set(Entropy().words(100_000).tolist()))
        100000
        """
        size = 8 * count
        if size <= AT_FIRST_HAND:
            return np.frombuffer(os.urandom(size), dtype=np.uint64)
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        stream = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()
        return np.frombuffer(stream.update(bytes(size)), dtype=np.uint64)


class Seeded:
    """A stream that a seed determines (SHAKE-256 of seed and counter): for tests and made-up examples only."""

    safe = False

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._drawn = 0

    def words(self, count: int) -> Words:
        """The next words of the stream.

        >>> Seeded(7).words(2).tolist() == Seeded(7).words(2).tolist()
        True
        """
        stream = hashlib.shake_256(f"cobogo {self.seed} {self._drawn}".encode())
        self._drawn += 1
        return np.frombuffer(stream.digest(8 * count), dtype="<u8").astype(np.uint64)


def source(seed: int | None = None) -> Source:
    """The operating system's entropy, or a seeded stream where one was asked for by name."""
    return Entropy() if seed is None else Seeded(seed)


def keys(count: int) -> NDArray[np.int64]:
    """Independent, uniform 64-bit keys: rows sorted by them stand in a random order.

    >>> len(set(keys(1000).tolist()))
    1000
    """
    return Entropy().words(count).view(np.int64)


def below(bound: int, count: int, source: Source) -> NDArray[np.int64]:
    """Independent whole numbers, each of 0 … ``bound`` − 1 exactly equally likely.

    >>> sorted(set(below(3, 100, Seeded(1)).tolist()))
    [0, 1, 2]
    """
    if not 0 < bound <= 2**62:
        raise ValueError(f"The 'bound' parameter of below must be of 1 to 2**62. Got {bound!r} instead")
    drawn = np.empty(count, dtype=np.int64)
    rest = 2**64 % bound
    last = np.uint64(2**64 - 1 - rest)  # words beyond it would favour the first numbers
    for start in range(0, count, AT_ONCE):
        part = np.array(source.words(min(AT_ONCE, count - start)))
        while rest and (beyond := np.flatnonzero(part > last)).size:
            part[beyond] = source.words(beyond.size)
        drawn[start : start + len(part)] = (part % np.uint64(bound)).astype(np.int64)
    return drawn


def coins(probability: Fraction | float, count: int, source: Source) -> NDArray[np.bool_]:
    """Independent coins, each of which shows heads with exactly the probability given.

    A uniform number, bit by bit, is below the probability: eight bits tell for all but one coin in 256, for which the
    next are drawn. A float stands for the fraction that it is.

    >>> bool(coins(1, 5, Seeded(1)).all()), bool(coins(0.0, 5, Seeded(1)).any())
    (True, False)
    """
    share = Fraction(probability)
    if not 0 <= share <= 1:
        raise ValueError(f"The 'probability' parameter of coins must be of 0 to 1. Got {probability!r} instead")
    if share in (0, 1):
        return np.full(count, share == 1)
    heads = np.empty(count, dtype=np.bool_)
    for start in range(0, count, AT_ONCE):
        many = min(AT_ONCE, count - start)
        found, level, rest = _below_share(source.words(-(-many // 8)).view(np.uint8)[:many], share, 8)
        while rest and level.size:
            later, again, rest = _below_share(source.words(level.size), rest, 64)
            found[level] = later
            level = level[again]
        heads[start : start + many] = found
    return heads


def packed_coins(probability: Fraction | float, count: int, source: Source) -> Words:
    """As `coins`, 64 in a word: ``count`` words, each bit of which is set with exactly the probability given.

    The same comparison, of 64 uniform numbers at once: a bit of the probability and a word of their next bits decide
    half of those that are still level. A probability of few bits needs few words: a half one, three quarters two.

    >>> packed_coins(1, 2, Seeded(1)).tolist() == [2**64 - 1] * 2, packed_coins(0, 2, Seeded(1)).tolist()
    (True, [0, 0])
    """
    share = Fraction(probability)
    if not 0 <= share <= 1:
        raise ValueError(f"The 'probability' parameter of packed_coins must be of 0 to 1. Got {probability!r} instead")
    if share in (0, 1):
        return np.full(count, 2**64 - 1 if share else 0, dtype=np.uint64)
    heads = np.empty(count, dtype=np.uint64)
    for start in range(0, count, PACKED_AT_ONCE):
        part = heads[start : start + PACKED_AT_ONCE]
        part[:], level, rest = _packed_below(np.full(len(part), 2**64 - 1, dtype=np.uint64), share, source, 8)
        while rest and (still := np.flatnonzero(level)).size:
            later, level[still], rest = _packed_below(level[still], rest, source, 1)
            part[still] |= later
    return heads


PACKED_AT_ONCE = 1 << 15
"""Words of `packed_coins` at a time: they stay in the processor's cache."""


def _packed_below(level: Words, share: Fraction, source: Source, bits: int) -> tuple[Words, Words, Fraction]:
    """Of the uniform numbers that are level with a share (set bits), those whose next bits are below it, those that are
    still level, and what is left of the share."""
    heads = np.zeros_like(level)
    for _ in range(bits):
        share *= 2
        drawn = level & source.words(len(level))
        if share >= 1:
            heads |= level ^ drawn
            level, share = drawn, share - 1
        else:
            level = level ^ drawn
        if not share:
            break
    return heads, level, share


def _below_share(drawn: NDArray[Any], share: Fraction, bits: int) -> tuple[NDArray[np.bool_], NDArray[Any], Fraction]:
    """Which uniform numbers of so many bits are below a share, which are level with it so far, and what is left of it
    for their next bits to be compared with."""
    scaled = share * 2**bits
    whole = int(scaled)
    return drawn < drawn.dtype.type(whole), np.flatnonzero(drawn == whole), scaled - whole


STEPS = 1 << 53
"""Into so many equal steps are the probabilities of `choices` divided: as fine as floats are below 1."""


def choices(weights: NDArray[np.int64], which: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
    """For each entry of ``which`` a row number of ``weights``, drawn by that column: exactly in proportion to its
    whole numbers, which sum to `STEPS`.

    >>> choices(np.array([[STEPS, 0], [0, STEPS]]), np.array([0, 1, 1]), Seeded(1)).tolist()
    [0, 1, 1]
    """
    if (weights.sum(axis=0) != STEPS).any() or (weights < 0).any():
        raise ValueError("The 'weights' parameter of choices must be columns of whole numbers that sum to 2**53")
    bounds = np.cumsum(weights, axis=0)
    drawn = np.empty(len(which), dtype=np.int64)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(weights.shape[1] + 1))
    for column in np.flatnonzero(np.diff(ends)):
        rows = order[ends[column] : ends[column + 1]]
        drawn[rows] = np.searchsorted(bounds[:, column], below(STEPS, len(rows), source), side="right")
    return drawn
