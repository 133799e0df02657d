"""Sketches: reports of a fixed size about a domain of any size, words that nobody has listed included.

A server keeps ``rows`` rows of ``width`` cells, each row with a public hash function of its own
(`cobogo.collect.hashing`). A client draws a row, hashes its value into a cell of it and randomizes an answer for
the cell: a bit for every cell (Apple's count mean sketch), one bit of its Hadamard transform, or the cell itself. The
server counts the reports that support each cell: the *sketch*, whole numbers that add up over parts of the reports.
The cells of any value, listed beforehand or not, give its estimate later (Apple Differential Privacy Team 2017).

Values that share cells disturb each other. The estimate corrects for the average over hash functions; what remains is a
variance of Σ n'(n' − 1) / (rows·(width − 1)) over the other values, with n' the users who hold each. More users do not
reduce it. The standard errors include it, estimated from the sketch itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import exp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.hashing import cells, hadamard_transform, read
from cobogo.collect.layout import count_bits, random_bits
from cobogo.collect.oracle import FrequencyEstimate, Oracle, Reports, fraction_above, fraction_below
from cobogo.collect.randomized_response import Direct
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, below, coins


@dataclass(frozen=True)
class SketchOracle(Oracle):
    """What sketches have in common. Values are numbers from 0, or the `fingerprints` of strings, of which ``values``
    are asked for. ``seed`` determines the hash functions and is public."""

    rows: int = 1024
    width: int = 1024
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_width()
        if not 1 <= self.rows <= 65_536:
            raise ValueError(refusal(self.name, "rows", tr("from 1 to 65,536"), self.rows))

    def _check_width(self) -> None:
        if not (8 <= self.width <= 65_536 and self.width.bit_count() == 1):
            raise ValueError(refusal(self.name, "width", tr("a power of two from 8 to 65,536"), self.width))

    @property
    @abstractmethod
    def report(self) -> np.dtype[Any]:
        """The fields of a report."""

    @property
    @abstractmethod
    def supports_own(self) -> Fraction:
        """The probability that a report supports its own cell."""

    @property
    @abstractmethod
    def supports_other(self) -> Fraction:
        """The probability that it supports another cell of the row."""

    @property
    def p(self) -> float:
        """The own cell is supported."""
        return float(self.supports_own)

    @property
    def q(self) -> float:
        """The probability that a report supports another value: it has the same cell, or another one that is
        supported."""
        return float(self.supports_own / self.width + self.supports_other * (1 - Fraction(1, self.width)))

    @abstractmethod
    def cells(self, reports: Reports) -> Ints:
        """For each row and cell, how many of the reports support it."""

    def sketch(self, reports: Reports) -> Ints:
        """For each row, how many reports there are, and how many support each cell: [row, 1 + cell]. The sketches of
        several parts of the reports add up."""
        found = np.empty((self.rows, 1 + self.width), dtype=np.int64)
        found[:, 0] = np.bincount(reports["row"], minlength=self.rows)
        found[:, 1:] = self.cells(reports)
        return found

    def read(self, sketch: Ints, keys: Ints) -> Ints:
        """For each value, how many reports support it: what `estimate` takes."""
        return read(sketch[:, 1:], np.ascontiguousarray(keys, dtype=np.int64), self.seed)

    def support(self, reports: Reports) -> Ints:
        """A report supports the values whose cell in its row it supports. Of the values from 0."""
        return self.read(self.sketch(reports), np.arange(self.values))

    def frequencies(self, sketch: Ints, keys: Ints) -> FrequencyEstimate:
        """How many users hold each of some values, listed beforehand or not."""
        users = int(sketch[:, 0].sum())
        return self.estimate(self.read(sketch, keys), users, pairs=self.pairs(sketch))

    def estimate(self, support: Ints, users: int, pairs: float | None = None) -> FrequencyEstimate:
        """How many of the users hold each value. The standard errors include what other values do by sharing cells.
        Without a sketch's ``pairs`` they assume the estimated counts, and that all other users hold one value."""
        counts = super().estimate(support, users).counts
        held = np.clip(counts, 0, users)
        noise = super().variance(held, users)
        if pairs is None:
            unseen = max(users - float(counts.sum()), 0.0)
            pairs = min(max(float((counts**2 - noise).sum()), 0.0) + unseen**2, float(users) ** 2)
        others = np.maximum(pairs - held**2, 0)
        return FrequencyEstimate(counts, np.sqrt(noise + others / self._apart), users)

    def pairs(self, sketch: Ints) -> float:
        """An upper estimate of the ordered pairs of users who hold the same value, Σ n'(n' − 1).

        In a row, the products of two users' reports, cell by cell, are an unbiased estimate of whether they have the
        same cell; their sum follows from the counts alone. Two standard errors of it, from its spread over the rows,
        are added to be on the safe side.
        """
        reports, cells = sketch[:, :1].astype(np.float64), sketch[:, 1:]
        users = float(reports.sum())
        q = float(self.supports_other)
        together = ((cells - reports * q) ** 2 - cells * (1 - 2 * q) - reports * q**2).sum(axis=1)
        same = together / float(self.supports_own - self.supports_other) ** 2
        spread = 2 * float(np.std(same, ddof=1)) * sqrt(self.rows) if self.rows > 1 else float("inf")
        shown = (float(same.sum()) + spread) * self.rows
        found = (shown - users * (users - 1) / self.width) * self.width / (self.width - 1)
        return min(max(found, 0.0), users * max(users - 1, 0))

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each value over reports and hash functions, where so many users hold each
        value and no user another."""
        held = np.asarray(held, dtype=np.float64)
        squares = held * np.maximum(held - 1, 0)
        shared: Floats = (squares.sum() - squares) / self._apart
        return super().variance(held, users) + shared

    @property
    def _apart(self) -> int:
        """The divisor of the variance that shared cells cause: rows · (width − 1)."""
        return self.rows * (self.width - 1)

    def _places(self, held: Ints, source: Source) -> tuple[Ints, Ints]:
        """Draw a row for each client, and find the cell of its value there."""
        rows = below(self.rows, len(held), source)
        return rows, cells(rows, np.ascontiguousarray(held, dtype=np.int64), self.rows, self.width, self.seed)

    def _own_cells(self, held: int) -> Ints:
        return cells(np.arange(self.rows), np.full(self.rows, held, dtype=np.int64), self.rows, self.width, self.seed)


@card("cms", title="count mean sketch", group="strings")
@dataclass(frozen=True)
class CountMeanSketch(SketchOracle):
    r"""Apple's count mean sketch: a bit for each cell of a random row; the bit of the value's cell is set, then each
    bit is flipped with some probability.

    It works for any domain, strings included, whether the values are listed beforehand or not. A report has a row and
    ``width`` bits. The variance is about that of `sue`.

    Formula: each bit is flipped with $\frac{1}{e^{\varepsilon/2} + 1}$; values that share cells add a variance of
        $\frac{\sum n' (n' - 1)}{k\,(w - 1)}$ over the others, for $k$ rows of $w$ cells
    Example:
        >>> sketch = CountMeanSketch(values=1000, epsilon=2.0)
        >>> round(sketch.p / float(sketch.flip), 6)    # e
        2.718282

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: Values that share a cell disturb each other, and more users do not remove this error; the standard errors
        include it.
    Cost: $O(w)$ bits for a client; $O(n\,w)$ to count, then $O(k)$ for each value that is estimated.
    Paper: Differential Privacy Team, Apple, Learning with privacy at scale, 2017.
    """

    @cached_property
    def flip(self) -> Fraction:
        """The probability that a bit is flipped, since two cells differ in two bits."""
        return fraction_above(1 / (exp(self.epsilon / 2) + 1))

    @property
    def supports_own(self) -> Fraction:
        """Not flipped."""
        return 1 - self.flip

    @property
    def supports_other(self) -> Fraction:
        """Flipped."""
        return self.flip

    @property
    def report(self) -> np.dtype[Any]:
        """The number of the row, and its bits packed into bytes, the first cell in the highest bit of the first."""
        return np.dtype([("row", np.uint32), ("bits", np.uint8, (self.width // 8,))])

    def encode(self, held: Ints, source: Source) -> Reports:
        """A row, and a bit for each of its cells."""
        reports = np.empty(len(held), dtype=self.report)
        rows, own = self._places(held, source)
        reports["row"] = rows
        bits = random_bits(self.flip, (len(held), self.width // 8), source)
        bits[np.arange(len(held)), own >> 3] ^= (128 >> (own & 7)).astype(np.uint8)
        reports["bits"] = bits
        return reports

    def cells(self, reports: Reports) -> Ints:
        """A report supports the cells whose bits are set."""
        return count_bits(reports["bits"], reports["row"], of=self.rows)

    def law(self, held: int) -> Mapping[tuple[int, tuple[bool, ...]], Fraction]:
        """Every row, and every set of bits."""
        chances = {}
        for row, own in enumerate(self._own_cells(held).tolist()):
            for bits in product((False, True), repeat=self.width):
                flips = sum(bit != (cell == own) for cell, bit in enumerate(bits))
                chances[row, bits] = self.flip**flips * (1 - self.flip) ** (self.width - flips) / self.rows
        return chances


@card("hcms", title="Hadamard count mean sketch", group="strings")
@dataclass(frozen=True)
class HadamardSketch(SketchOracle):
    r"""Apple's Hadamard count mean sketch: one bit, which is the sign of a random column of a Hadamard matrix for the
    value's cell of a random row, flipped with some probability.

    It works for any domain, strings included. A report has a row, a column and a bit. The variance is about that of
    `hadamard`.

    Formula: the sign is flipped with $\frac{1}{e^{\varepsilon} + 1}$; values that share cells add a variance of
        $\frac{\sum n' (n' - 1)}{k\,(w - 1)}$ over the others, for $k$ rows of $w$ cells
    Example:
        >>> sketch = HadamardSketch(values=1000, epsilon=1.0)
        >>> round(sketch.p / (1 - sketch.p), 6)
        2.718282

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The same as for `cms`; and the variance never falls below that of one bit, however large ε is.
    Cost: $O(1)$ for a client; $O(n + k\,w \log w)$ to count, then $O(k)$ for each value that is estimated.
    Paper: Differential Privacy Team, Apple, Learning with privacy at scale, 2017.
    """

    @property
    def report(self) -> np.dtype[Any]:
        """Row, column, and whether the sign is said to be negative."""
        return np.dtype([("row", np.uint16), ("column", np.uint16), ("negative", np.bool_)])

    @cached_property
    def supports_own(self) -> Fraction:
        """Not flipped: e^ε / (e^ε + 1)."""
        return fraction_below(exp(self.epsilon) / (exp(self.epsilon) + 1))

    @property
    def supports_other(self) -> Fraction:
        """Two cells have the same sign in half of the columns."""
        return Fraction(1, 2)

    def encode(self, held: Ints, source: Source) -> Reports:
        """A row, a column, and whether the sign there is said to be negative."""
        reports = np.empty(len(held), dtype=self.report)
        rows, own = self._places(held, source)
        columns = below(self.width, len(held), source)
        signs = (np.bitwise_count(columns & own) % 2).astype(np.bool_)
        reports["row"], reports["column"] = rows, columns
        reports["negative"] = signs ^ ~coins(self.supports_own, len(held), source)
        return reports

    def cells(self, reports: Reports) -> Ints:
        """A report supports the cells of its row that have the sign it says in its column."""
        places = reports["row"].astype(np.int64) * self.width + reports["column"]
        said = [np.bincount(places[which], minlength=self.rows * self.width) for which in _split(reports["negative"])]
        positive, negative = (part.reshape(self.rows, self.width) for part in said)
        reported: Ints = (positive + negative).sum(axis=1, keepdims=True)
        return (reported + hadamard_transform(positive - negative)) // 2

    def law(self, held: int) -> Mapping[tuple[int, int, bool], Fraction]:
        """Every row, column and sign."""
        each = Fraction(1, self.rows * self.width)
        return {
            (row, column, negative): each
            * (self.supports_own if negative == ((column & own).bit_count() % 2 == 1) else 1 - self.supports_own)
            for row, own in enumerate(self._own_cells(held).tolist())
            for column in range(self.width)
            for negative in (False, True)
        }


@card("flh", title="fast local hashing", group="strings")
@dataclass(frozen=True)
class FastHashing(SketchOracle):
    r"""Fast local hashing: randomized response for the cell of the value in a random row.

    It is `olh` with few hash functions, which clients share, so that the server has nothing more to do once it has
    counted. At a large ε it has much less variance than `hcms`. ``width`` 0 means the best width if collisions do not
    matter, about e^ε + 1; ``rows`` 0 means as many rows as make a million cells.

    Formula: $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + w - 1}$ for the own cell of $w$ and $\frac{1}{e^{\varepsilon}
        + w - 1}$ for another
    Example:
        >>> sketch = FastHashing(values=1000, epsilon=1.0)
        >>> sketch.width, sketch.rows, round(float(sketch.supports_own / sketch.supports_other), 6)
        (4, 65536, 2.718282)

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: With few functions, some values share their cells in all of them; the standard errors include the error from
        it.
    Cost: $O(1)$ for a client; $O(n)$ to count, then $O(k)$ for each value that is estimated.
    Paper: G. Cormode, S. Maddock and C. Maple, Frequency estimation under local differential privacy, PVLDB 2021.
    """

    rows: int = 0
    width: int = 0

    def _check_width(self) -> None:
        if not self.width:
            object.__setattr__(self, "width", min(round(exp(self.epsilon)) + 1, 65_536))
        if not self.rows:
            object.__setattr__(self, "rows", min(max(2**20 // max(self.width, 1), 256), 65_536))
        if not 2 <= self.width <= 65_536:
            raise ValueError(refusal(self.name, "width", tr("from 2 to 65,536"), self.width))

    @property
    def report(self) -> np.dtype[Any]:
        """Row and cell."""
        return np.dtype([("row", np.uint16), ("cell", np.uint16)])

    @cached_property
    def answer(self) -> Direct:
        """Randomized response for cells."""
        return Direct(self.width, self.epsilon)

    @property
    def supports_own(self) -> Fraction:
        """The own cell is answered."""
        return self.answer.retention + self.supports_other

    @property
    def supports_other(self) -> Fraction:
        """Another one is, by chance."""
        return (1 - self.answer.retention) / self.width

    def encode(self, held: Ints, source: Source) -> Reports:
        """A row and a cell of it."""
        reports = np.empty(len(held), dtype=self.report)
        reports["row"], own = self._places(held, source)
        reports["cell"] = self.answer.encode(own, source)
        return reports

    def cells(self, reports: Reports) -> Ints:
        """A report supports the cell that it names."""
        places = reports["row"].astype(np.int64) * self.width + reports["cell"]
        return np.bincount(places, minlength=self.rows * self.width).reshape(self.rows, self.width)

    def law(self, held: int) -> Mapping[tuple[int, int], Fraction]:
        """Every row and cell."""
        return {
            (row, cell): chance / self.rows
            for row, own in enumerate(self._own_cells(held).tolist())
            for cell, chance in self.answer.law(own).items()
        }


def _split(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return ~chosen, chosen
