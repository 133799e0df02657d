"""Hadamard response: short reports, which one fast transform decodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp

import numpy as np

from cobogo.collect.layout import Layout
from cobogo.collect.oracle import Oracle, Reports, fraction_below
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, below, coins


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
