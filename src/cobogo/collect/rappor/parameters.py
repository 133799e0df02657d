"""The parameters of RAPPOR, what each report costs, and the Bloom filters of values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.floor.untrusted import fraction

Probability = Fraction | float | str


def _fraction(value: Probability) -> Fraction:
    """A decimal as it is written: 0.75 is three quarters, whatever floats make of it."""
    return fraction(value)


@dataclass(frozen=True)
class RapporParameters:
    """``bits`` of a Bloom filter with ``hashes`` hash functions, of which each of the ``cohorts`` has its own.

    The permanent answer keeps a bit with probability 1 − ``f`` and else sets it by a fair coin; each report then shows
    a bit with probability ``q`` where the permanent answer has it and ``p`` where it does not.

    >>> default = RapporParameters()
    >>> round(default.epsilon_forever, 3), round(default.epsilon_once, 3)
    (4.394, 1.074)
    """

    bits: int = 128
    hashes: int = 2
    cohorts: int = 64
    f: Fraction = Fraction(1, 2)
    p: Fraction = Fraction(1, 2)
    q: Fraction = Fraction(3, 4)

    @classmethod
    def of(cls, *, f: Probability, p: Probability, q: Probability, **sizes: int) -> RapporParameters:
        """Parameters whose probabilities are written as decimals."""
        return cls(**sizes, f=_fraction(f), p=_fraction(p), q=_fraction(q))

    def __post_init__(self) -> None:
        if not (8 <= self.bits <= 4096 and self.bits % 8 == 0):
            raise ValueError(f"The 'bits' parameter of RAPPOR must be a multiple of 8, of 8 to 4096. Got {self.bits!r}")
        if not 1 <= self.hashes <= self.bits:
            raise ValueError(f"The 'hashes' parameter of RAPPOR must be of 1 to the bits. Got {self.hashes!r} instead")
        if not 1 <= self.cohorts <= 65_536:
            raise ValueError(f"The 'cohorts' parameter of RAPPOR must be of 1 to 65,536. Got {self.cohorts!r} instead")
        if not (0 < self.f <= 1 and 0 <= self.p <= 1 and 0 <= self.q <= 1):
            raise ValueError("The 'f' parameter of RAPPOR must be above 0 and at most 1, 'p' and 'q' of 0 to 1")
        if self.p >= self.q:
            raise ValueError("The 'p' parameter of RAPPOR must be below 'q': a report must tell something")

    @property
    def shown_if_set(self) -> Fraction:
        """q*: how likely a report shows a bit that the filter has."""
        return (self.p + self.q) * self.f / 2 + (1 - self.f) * self.q

    @property
    def shown_if_not(self) -> Fraction:
        """p*: how likely it shows one that the filter does not have."""
        return (self.p + self.q) * self.f / 2 + (1 - self.f) * self.p

    @property
    def epsilon_forever(self) -> float:
        """What all the reports of one value tell at most: two values differ in at most 2·h bits. Infinite where nothing
        is ever forgotten, and an upper bound, since hashes may collide."""
        return 2 * self.hashes * log((1 - self.f / 2) / (self.f / 2))

    @property
    def epsilon_once(self) -> float:
        """What one report tells, as published: h·ln(q*(1 − p*) / (p*(1 − q*)))."""
        q, p = self.shown_if_set, self.shown_if_not
        if p == 0 or q == 1:
            return self.epsilon_forever
        return self.hashes * log(q * (1 - p) / (p * (1 - q)))


Bits = NDArray[np.bool_]


def places(value: str, cohort: int, parameters: RapporParameters) -> list[int]:
    """The bits of a value in a cohort: as many as there are hash functions, some of them perhaps the same.

    >>> places("Fortaleza", 3, RapporParameters()) == places("Fortaleza", 3, RapporParameters())
    True
    """
    seal = hashlib.blake2b(value.encode(), digest_size=64, key=f"cobogo rappor {cohort}".encode()).digest()
    while len(seal) < 8 * parameters.hashes:
        seal += hashlib.blake2b(seal, digest_size=64).digest()
    drawn = np.frombuffer(seal[: 8 * parameters.hashes], dtype="<u8")
    return [int(word) for word in drawn % np.uint64(parameters.bits)]


def filters(values: Sequence[str], parameters: RapporParameters) -> Bits:
    """The filters of values, in a block for each cohort: [cohort, value, bit]."""
    found = np.zeros((parameters.cohorts, len(values), parameters.bits), dtype=np.bool_)
    for cohort in range(parameters.cohorts):
        for number, value in enumerate(values):
            found[cohort, number, places(value, cohort, parameters)] = True
    return found


def filters_of(
    values: Sequence[str], held: Ints, cohorts: Ints, parameters: RapporParameters
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
