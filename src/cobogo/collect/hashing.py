"""Hash functions that server and clients share, and oracles with small reports that rest on hashing.

A hash function of a sketch's row is a polynomial of degree 2 over the field of 2⁶¹ − 1 elements, its coefficients drawn
from a public seed: any three different keys fall independently and evenly into the cells (Wegman and Carter 1981), to
one part in 2³². That is what the variance of a sketch rests on; no privacy rests on it, so that everyone may know the
seed.

The oracles are local hashing, where each client draws a hash function, and Hadamard response.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.layout import Layout
from cobogo.collect.oracle import Oracle, Reports, fraction_below
from cobogo.collect.randomized_response import Direct
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.randomness import Source, below, coins

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
def _sketch_cell(a, b, c, key, squared, width):  # type: ignore[no-untyped-def]
    element = _reduce(_product(a, squared) + _product(b, key) + c)
    return np.int64(((element >> np.uint64(29)) * np.uint64(width)) >> np.uint64(32))


@kernel()
def _cells(coefficients, rows, keys, width):  # type: ignore[no-untyped-def]
    found = np.empty(len(keys), dtype=np.int64)
    for number in range(len(keys)):
        a, b, c = coefficients[rows[number]]
        key = keys[number]
        found[number] = _sketch_cell(a, b, c, key, _reduce(_product(key, key)), width)
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
            found[number] += counts[_sketch_cell(a, b, c, keys[number], squares[number], len(counts))]
    return found


REPORT = np.dtype([("function", np.uint32), ("cell", np.uint32)])


@card("olh", title="optimal local hashing", group="values")
@dataclass(frozen=True)
class LocalHashing(Oracle):
    r"""Optimal local hashing: randomized response for a hash of the value into about e^ε + 1 cells, with a hash
    function that the client draws.

    The hash function does not depend on the value. A report is a hash function and a cell, and is small however many
    values there are. The variance is that of `oue`.

    Formula: $g = \mathrm{round}(e^{\varepsilon}) + 1$ cells; $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + g - 1}$ and
        $q = \frac{1}{g}$; the variance of a count is about $n\,\frac{4 e^{\varepsilon}}{(e^{\varepsilon} - 1)^2}$
    Example:
        >>> oracle = LocalHashing(values=1_000_000, epsilon=1.0)
        >>> oracle.answer.values, round(oracle.p, 3), oracle.q
        (4, 0.475, 0.25)

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The server hashes every value with the function of every client. In `flh` clients share functions, which
        saves this work.
    Cost: $O(1)$ for a client; $O(n\,m)$ for the server with n reports of m values.
    Paper: T. Wang, J. Blocki, N. Li and S. Jha, Locally differentially private protocols for frequency estimation,
        USENIX Security 2017.
    """

    @cached_property
    def answer(self) -> Direct:
        """Randomized response for cells."""
        return Direct(max(2, round(exp(self.epsilon)) + 1), self.epsilon)

    @property
    def p(self) -> float:
        """The cell of the value held is answered."""
        return self.answer.p

    @property
    def q(self) -> float:
        """Another value falls in the cell that is answered: one in as many as there are cells."""
        return 1 / self.answer.values

    @property
    def layout(self) -> Layout:
        """The number of the function, and of the cell."""
        return Layout((("function", 2**32), ("cell", self.answer.values)))

    def encode(self, held: Ints, source: Source) -> Reports:
        """The number of the function and of the cell."""
        reports = np.empty(len(held), dtype=REPORT)
        reports["function"] = source.words((len(held) + 1) // 2).view(np.uint32)[: len(held)]
        cells = cells_of(reports["function"], held, self.answer.values)
        reports["cell"] = self.answer.encode(cells, source)
        return reports

    def support(self, reports: Reports) -> Ints:
        """A report supports the values that its function puts in its cell."""
        found: Ints = _support(reports["function"], reports["cell"], self.values, self.answer.values)
        return found

    def law(self, held: int) -> Mapping[tuple[int, int], Fraction]:
        """Of a few functions with equal probability: the function does not depend on the value."""
        functions = np.arange(16, dtype=np.uint32)
        cells = cells_of(functions, np.full(16, held), self.answer.values)
        chances: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for function, cell in zip(functions.tolist(), cells.tolist(), strict=True):
            for shown, chance in self.answer.law(cell).items():
                chances[function, shown] += chance / 16
        return dict(chances)

    def likelihoods(self, reports: Reports) -> Floats:
        """p or q, by whether the function of the report puts each value into the cell named."""
        values = np.arange(self.values)
        cells = cells_of(np.repeat(reports["function"], len(values)), np.tile(values, len(reports)), self.answer.values)
        named = cells.reshape(len(reports), -1) == reports["cell"][:, None]
        return np.where(named, self.answer.p, self.answer.q)


@kernel()
def _cell(function, value, cells):  # type: ignore[no-untyped-def]
    """The cell of a value under a function: the finalizer of MurmurHash3 over both."""
    mixed = (np.uint64(function) << np.uint64(32)) ^ (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15))
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    mixed = mixed ^ (mixed >> np.uint64(33))
    return np.int64(((mixed >> np.uint64(32)) * np.uint64(cells)) >> np.uint64(32))


@kernel()
def cells_of(functions, values, cells):  # type: ignore[no-untyped-def]
    found = np.empty(len(functions), dtype=np.int64)
    for number in range(len(functions)):
        found[number] = _cell(functions[number], values[number], cells)
    return found


@kernel()
def _support(functions, answers, values, cells):  # type: ignore[no-untyped-def]
    found = np.zeros(values, dtype=np.int64)
    for number in range(len(functions)):
        for value in range(values):
            found[value] += _cell(functions[number], value, cells) == answers[number]
    return found


@card("hadamard", title="Hadamard response", group="values")
@dataclass(frozen=True)
class Hadamard(Oracle):
    r"""Hadamard response: a column of a Hadamard matrix, mostly one in which the row of the value is +1.

    A column is at most e^ε times as probable for one value as for another. A report is the number of a column, and one
    fast transform of the counts estimates all values. At a small ε it is as good as the best mechanisms.

    Formula: the column agrees with the value's row with $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}$, and with
        another's with $q = \frac{1}{2}$; the variance of a count is $n\,\frac{(e^{\varepsilon} + 1)^2}{(e^{\varepsilon}
        - 1)^2}$
    Example:
        >>> oracle = Hadamard(values=100, epsilon=1.0)
        >>> oracle.size, round(oracle.p / (1 - oracle.p), 6)
        (128, 2.718282)

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The variance of a count of n users never falls below n, however large ε is.
    Cost: $O(1)$ for a client; $O(n + m \log m)$ for the server with n reports of m values.
    Paper: J. Acharya, Z. Sun and H. Zhang, Hadamard response: estimating distributions privately, efficiently, and with
        little communication, AISTATS 2019.
    """

    @cached_property
    def size(self) -> int:
        """The size of the matrix: a power of two above the number of values, since its first row is constant."""
        return 1 << self.values.bit_length()

    @cached_property
    def agreeing(self) -> Fraction:
        """The probability that the column agrees with the row of the value."""
        return fraction_below(exp(self.epsilon) / (exp(self.epsilon) + 1))

    @property
    def p(self) -> float:
        """The column agrees with the row of the value held."""
        return float(self.agreeing)

    @property
    def q(self) -> float:
        """Two rows agree on half of the columns."""
        return 0.5

    @property
    def layout(self) -> Layout:
        """The number of a column."""
        return Layout((("column", self.size),))

    def encode(self, held: Ints, source: Source) -> Reports:
        """The number of a column: any at first; where its sign is not the one drawn, the column across."""
        rows = held + 1
        columns = below(self.size, len(held), source)
        wanted = ~coins(self.agreeing, len(held), source)
        wrong = (np.bitwise_count(columns & rows) % 2).astype(bool) != wanted
        return columns ^ np.where(wrong, rows & -rows, 0)

    def support(self, reports: Reports) -> Ints:
        """A report supports the values on whose rows its column is +1."""
        signs = hadamard_transform(np.bincount(reports, minlength=self.size))
        return (len(reports) + signs[1 : self.values + 1]) // 2

    def law(self, held: int) -> Mapping[int, Fraction]:
        """Every column."""
        half = Fraction(2, self.size)
        signs = [((held + 1) & column).bit_count() % 2 for column in range(self.size)]
        return {column: half * ((1 - self.agreeing) if sign else self.agreeing) for column, sign in enumerate(signs)}

    def likelihoods(self, reports: Reports) -> Floats:
        """p or 1 − p, by the sign of the column on the row of each value."""
        negative = np.bitwise_count(reports[:, None] & np.arange(1, self.values + 1)) % 2
        return np.where(negative == 0, self.p, 1 - self.p)


def hadamard_transform(counts: Ints) -> Ints:
    """The Walsh–Hadamard transform of each row (of the last axis, whose length is a power of two).

    >>> hadamard_transform(np.array([1, 2, 3, 4])).tolist()
    [10, -2, -4, 0]
    """
    found = counts.astype(np.int64)
    width = 1
    while width < counts.shape[-1]:
        pairs = found.reshape(-1, 2, width)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        width *= 2
    return found.reshape(counts.shape)
