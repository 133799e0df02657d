"""RAPPOR: its parameters and privacy loss, Bloom filters of values, and how they are randomized."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.layout import count_bits, random_bits, select_bits
from cobogo.floor.arguments import choice, refusal
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, below
from cobogo.floor.untrusted import fraction

Probability = Fraction | float | str
"""What people may write for a probability. 0.75 means three quarters, and not the float nearest to it."""


@dataclass(frozen=True)
class RapporParameters:
    """``bits`` of a Bloom filter with ``hashes`` hash functions, of which each of the ``cohorts`` has its own.

    The permanent answer keeps a bit with probability 1 − ``f`` and else sets it by a fair coin; each report then shows
    a bit with probability ``q`` where the permanent answer has it and ``p`` where it does not. ``hashing`` names the
    hash functions: ours, or those of Google's clients (`HASHINGS`).

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
    hashing: str = "cobogo"

    @classmethod
    def from_decimals(cls, *, f: Probability, p: Probability, q: Probability, **others: Any) -> RapporParameters:
        """Parameters whose probabilities are written as decimals."""
        return cls(**others, f=fraction(f), p=fraction(p), q=fraction(q))

    def __post_init__(self) -> None:
        if not (8 <= self.bits <= 4096 and self.bits % 8 == 0):
            raise ValueError(refusal("RAPPOR", "bits", tr("a multiple of 8, from 8 to 4096"), self.bits))
        if not 1 <= self.hashes <= self.bits:
            raise ValueError(refusal("RAPPOR", "hashes", tr("from 1 to the number of bits"), self.hashes))
        if not 1 <= self.cohorts <= 65_536:
            raise ValueError(refusal("RAPPOR", "cohorts", tr("from 1 to 65,536"), self.cohorts))
        self._check_hashing()
        if not (0 <= self.f <= 1 and 0 <= self.p <= 1 and 0 <= self.q <= 1):
            raise ValueError(tr("The 'f', 'p' and 'q' parameters of RAPPOR must be from 0 to 1"))
        if self.p >= self.q:
            raise ValueError(tr("The 'p' parameter of RAPPOR must be below 'q', or a report says nothing"))

    def _check_hashing(self) -> None:
        choice("RAPPOR", "hashing", self.hashing, tuple(HASHINGS))
        if self.hashing != "cobogo" and self.hashes > google_hashes(self.bits, self.hashing):
            raise ValueError(
                refusal(
                    "RAPPOR",
                    "hashes",
                    tr(
                        "at most {most} with the hashing {name}, which takes them from one MD5",
                        most=google_hashes(self.bits, self.hashing),
                        name=self.hashing,
                    ),
                    self.hashes,
                )
            )

    @property
    def shown_if_set(self) -> Fraction:
        """q*: the probability that a report shows a bit that the filter has."""
        return (self.p + self.q) * self.f / 2 + (1 - self.f) * self.q

    @property
    def shown_if_not(self) -> Fraction:
        """p*: the probability that it shows a bit that the filter does not have."""
        return (self.p + self.q) * self.f / 2 + (1 - self.f) * self.p

    @property
    def epsilon_forever(self) -> float:
        """The loss of all reports of one value, at most: two values differ in at most 2·h bits. Infinite where no bit
        is ever forgotten, and an upper bound, since hashes may collide."""
        return 2 * self.hashes * log((1 - self.f / 2) / (self.f / 2)) if self.f else inf

    @property
    def epsilon_once(self) -> float:
        """The loss of one report, as published: h·ln(q*(1 − p*) / (p*(1 − q*)))."""
        q, p = self.shown_if_set, self.shown_if_not
        if p == 0 or q == 1:
            return self.epsilon_forever
        return self.hashes * log(q * (1 - p) / (p * (1 - q)))


Bits = NDArray[np.bool_]


def bit_positions(value: str, cohort: int, parameters: RapporParameters) -> list[int]:
    """The bits of a value in a cohort: as many as there are hash functions, some of them perhaps the same.

    >>> bit_positions("Fortaleza", 3, RapporParameters()) == bit_positions("Fortaleza", 3, RapporParameters())
    True
    """
    found: list[int] = HASHINGS[parameters.hashing]([value], cohort, parameters.hashes, parameters.bits)[0].tolist()
    return found


def bit_table(values: Sequence[str], parameters: RapporParameters) -> NDArray[np.int32]:
    """The bits of values in all cohorts: [value, cohort, hash function]."""
    found = np.empty((len(values), parameters.cohorts, parameters.hashes), dtype=np.int32)
    for cohort in range(parameters.cohorts):
        found[:, cohort] = HASHINGS[parameters.hashing](values, cohort, parameters.hashes, parameters.bits)
    return found


def own_positions(values: Sequence[str], cohort: int, hashes: int, bits: int) -> Ints:
    """The bits of each value by BLAKE2b, keyed by the cohort, eight bytes for each hash function."""
    key = f"cobogo rappor {cohort}".encode()
    seals = b"".join(_lengthen(hashlib.blake2b(value.encode(), key=key).digest(), 8 * hashes) for value in values)
    return (np.frombuffer(seals, dtype="<u8").reshape(len(values), hashes) % np.uint64(bits)).astype(np.int64)


def _lengthen(seal: bytes, length: int) -> bytes:
    """A digest of at least so many bytes, cut to them."""
    while len(seal) < length:
        seal += hashlib.blake2b(seal).digest()
    return seal[:length]


def google_positions(values: Sequence[str], cohort: int, hashes: int, bits: int) -> Ints:
    """The bits by MD5 of the cohort (four bytes, the big end first) and the value, as Google's Python and C++ clients
    and its map take them: a byte for each hash function, or two with the little end first above 256 bits.

    >>> google_positions(["apple"], 0, 2, 16).tolist()
    [[4, 0]]
    """
    return _google_words(values, cohort, "<u1" if bits <= 256 else "<u2")[:, :hashes] % bits


def google_java_positions(values: Sequence[str], cohort: int, hashes: int, bits: int) -> Ints:
    """The same for Google's Java client: two bytes for each hash function, the big end first.

    >>> google_java_positions(["Whizbang"], 0, 2, 12).tolist()
    [[7, 2]]
    """
    return _google_words(values, cohort, ">u2")[:, :hashes] % bits


def google_hashes(bits: int, hashing: str) -> int:
    """How many hash functions an MD5 has bytes for."""
    return 16 if bits <= 256 and hashing == "google" else 8


def _google_words(values: Sequence[str], cohort: int, word: str) -> Ints:
    """The words of each value's digest."""
    head = cohort.to_bytes(4, "big")
    digests = b"".join(hashlib.md5(head + value.encode(), usedforsecurity=False).digest() for value in values)
    return np.frombuffer(digests, dtype=word).reshape(len(values), -1).astype(np.int64)


HASHINGS: dict[str, Callable[[Sequence[str], int, int, int], Ints]] = {
    "cobogo": own_positions, "google": google_positions, "google-java": google_java_positions,
}  # fmt: skip
"""Hash functions by name. None of them hides a value: privacy comes from the noise alone."""


def bloom_filters(values: Sequence[str], parameters: RapporParameters) -> Bits:
    """The filters of values, in a block for each cohort: [cohort, value, bit]."""
    found = np.zeros((parameters.cohorts, len(values), parameters.bits), dtype=np.bool_)
    np.put_along_axis(found, bit_table(values, parameters).transpose(1, 0, 2), True, axis=2)
    return found


def client_filters(
    values: Sequence[str], held: Ints, cohorts: Ints, parameters: RapporParameters
) -> tuple[NDArray[np.uint8], Ints]:
    """The filters of clients, each with the number of its value and its cohort: one row of packed bits for each pair of
    value and cohort that occurs, and for each client the number of its row."""
    pairs, which = _distinct(held * parameters.cohorts + cohorts, len(values) * parameters.cohorts)
    bits = np.zeros((len(pairs), parameters.bits), dtype=np.bool_)
    for row, pair in enumerate(pairs.tolist()):
        number, cohort = divmod(pair, parameters.cohorts)
        bits[row, bit_positions(values[number], cohort, parameters)] = True
    return np.packbits(bits, axis=1), which


def _distinct(numbers: Ints, bound: int) -> tuple[Ints, Ints]:
    """The distinct numbers, and the place of each among them; without sorting where they are below a small bound."""
    if bound > 8 * len(numbers):
        found, which = np.unique(numbers, return_inverse=True)
        return found, which
    there = np.zeros(bound, dtype=np.bool_)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


AT_ONCE = 1 << 16
"""Clients whose bits are drawn at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """One report of each client: its cohort, and its bits, packed into bytes."""

    cohorts: NDArray[np.int64]
    bits: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.cohorts)


def randomize_permanently(
    filters: NDArray[np.uint8], parameters: RapporParameters, source: Source
) -> NDArray[np.uint8]:
    """Draw the permanent answers of filters, packed into bytes as these are: a fair coin for every bit that is
    forgotten. They are drawn once for a client's value, and kept."""
    coin = random_bits(Fraction(1, 2), filters.shape, source)
    return select_bits(random_bits(parameters.f, filters.shape, source), coin, filters)


def randomize_report(answers: NDArray[np.uint8], parameters: RapporParameters, source: Source) -> NDArray[np.uint8]:
    """Draw reports of permanent answers, packed as these are, anew each time."""
    shown = random_bits(parameters.q, answers.shape, source)
    return select_bits(answers, shown, random_bits(parameters.p, answers.shape, source))


def encode(values: Sequence[str], held: NDArray[np.int64], parameters: RapporParameters, source: Source) -> Reports:
    """One report for each client, who holds the value of a number and gets a cohort by chance."""
    cohorts = below(parameters.cohorts, len(held), source)
    reports = np.empty((len(held), parameters.bits // 8), dtype=np.uint8)
    blooms, which = client_filters(values, held, cohorts, parameters)
    for start in range(0, len(held), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        kept = randomize_permanently(blooms[which[part]], parameters, source)
        reports[part] = randomize_report(kept, parameters, source)
    return Reports(cohorts, reports)


def count_reports(reports: Reports, parameters: RapporParameters) -> NDArray[np.int64]:
    """For each cohort, how many reports there are and how many show each bit. The counts of several parts add up."""
    found = np.empty((parameters.cohorts, 1 + parameters.bits), dtype=np.int64)
    found[:, 0] = np.bincount(reports.cohorts, minlength=parameters.cohorts)
    found[:, 1:] = count_bits(reports.bits, reports.cohorts, of=parameters.cohorts)
    return found


OTHER = "(other)"
"""The label of all strings that are no candidates."""


def likelihoods(
    cohorts: NDArray[np.int64], bits: NDArray[np.uint8], candidates: Sequence[str], parameters: RapporParameters
) -> NDArray[np.float64]:
    """For each report a row: its likelihood for each candidate, and for any other string, up to a factor for the row.

    A bit that the string's filter has is shown with q*, another with p*. The filter of an unknown string has each bit
    with the probability that h hash functions set it, independently; that is exact for one hash function and on average
    over strings.
    """
    q, p = float(parameters.shown_if_set), float(parameters.shown_if_not)
    loaded = 1 - (1 - 1 / parameters.bits) ** parameters.hashes
    other = p + loaded * (q - p)
    shown, hidden = np.log(q / p), np.log((1 - q) / (1 - p))
    found = np.empty((len(cohorts), len(candidates) + 1))
    blooms = bloom_filters(candidates, parameters).astype(np.float64)
    for cohort in np.unique(cohorts):
        members = np.flatnonzero(cohorts == cohort)
        seen = np.unpackbits(bits[members], axis=1).astype(np.float64)
        weights = blooms[cohort].T
        found[members, :-1] = hidden * weights.sum(axis=0) + (shown - hidden) * (seen @ weights)
        found[members, -1] = seen.sum(axis=1) * np.log(other / p) + (1 - seen).sum(axis=1) * np.log(
            (1 - other) / (1 - p)
        )
    return np.asarray(np.exp(found - found.max(axis=1, keepdims=True)), dtype=np.float64)
