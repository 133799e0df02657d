"""The contract of a frequency oracle: a randomized answer to the question which of some values a client holds.

A client encodes its value; a server counts, for each value, the reports that support it, and estimates how many clients
hold it. A report of a client who holds v supports v with probability ``p`` and any other value with probability ``q``:
both are all that the estimate needs (Wang, Blocki, Li and Jha 2017). To add one: one class that extends `Oracle`, and
its name in `FrequencyCollection.randomizers`; the conformance suite asks of it what is asked of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.layout import Layout
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source

Reports = NDArray[Any]


@dataclass(frozen=True, eq=False)
class FrequencyEstimate:
    """How many clients hold each value, with standard errors. Estimates may be negative: sums of them are unbiased."""

    counts: Floats
    errors: Floats
    users: int

    @property
    def shares(self) -> Floats:
        """The counts as shares of the clients."""
        return self.counts / max(self.users, 1)


@dataclass(frozen=True)
class Oracle(ABC):
    """A way to answer for one of ``values`` values, at a privacy loss of at most ``epsilon`` a report."""

    values: int
    epsilon: float

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not (isinstance(self.values, int) and self.values >= 1):
            raise ValueError(f"The 'values' parameter of {self.name} must be 1 or more. Got {self.values!r} instead")
        if not 0 < self.epsilon <= 20:
            raise ValueError(refusal(self.name, "epsilon", tr("above 0 and at most 20"), self.epsilon))

    @property
    @abstractmethod
    def p(self) -> float:
        """The probability that a report supports the value that its client holds."""

    @property
    @abstractmethod
    def q(self) -> float:
        """The probability that a report supports a value that its client does not hold."""

    @property
    def layout(self) -> Layout:
        """How a report lies in bytes. Reports with one number are arrays of it; with several, they are records of them;
        without any, rows of packed bits; with both, records whose field ``bits`` holds the row."""
        raise NotImplementedError(f"{self.name} does not say how its reports lie in bytes")

    @abstractmethod
    def encode(self, held: Ints, source: Source) -> Reports:
        """One report for each client, whose values are numbered from 0. Rows of the array are reports."""

    @abstractmethod
    def support(self, reports: Reports) -> Ints:
        """For each value, the number of reports that support it. The counts of several parts of the reports add up."""

    @abstractmethod
    def law(self, held: int) -> Mapping[Any, Fraction]:
        """The exact probability of every report of a client who holds a value; for tests on small domains."""

    def likelihoods(self, reports: Reports) -> Floats:
        """The likelihood of each report for each value, up to a factor for each report: a row for each report."""
        raise NotImplementedError(f"{self.name} does not tell how likely a report is ({len(reports)} reports)")

    def estimate(self, support: Ints, users: int) -> FrequencyEstimate:
        """How many of the users hold each value, from the counts of reports that support it."""
        counts: Floats = np.asarray((support - users * self.q) / (self.p - self.q), dtype=np.float64)
        held = np.clip(counts, 0, users)
        return FrequencyEstimate(counts, np.sqrt(self.variance(held, users)), users)

    def chances(self, support: Ints, users: int) -> Floats:
        """The probability that each value would be supported as often if no client held it. It is exact: each report
        then supports it with probability ``q``."""
        return tail_probability(np.asarray(support), np.full(np.shape(support), users * self.q), users)

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each value, where so many of the users hold each."""
        p, q = self.p, self.q
        return (held * p * (1 - p) + (users - held) * q * (1 - q)) / (p - q) ** 2


MARGIN = Fraction(1, 2**40)
"""exp(ε) as a float may be wrong in its last places. Probabilities are moved by this much to the safe side: far more
than that error, and far less than could be measured."""


def fraction_below(probability: float) -> Fraction:
    """A fraction just below a probability that must not be exceeded."""
    return max(Fraction(probability) - MARGIN, Fraction(0))


def fraction_above(probability: float) -> Fraction:
    """A fraction just above a probability that must be reached."""
    return min(Fraction(probability) + MARGIN, Fraction(1))


def tail_probability(support: Ints, expected: Floats, users: int, disturbed: float = 0.0) -> Floats:
    """The probability that a count of reports with an expected value is at least as high as the one seen.

    The count is binomial. Where it has a further variance (``disturbed``), the tail is that of a binomial or negative
    binomial variable of the same mean and variance.

    >>> tail_probability(np.array([8]), np.array([5.0]), 10).round(6).tolist()  # of ten coins, eight or more: 56/1024
    [0.054688]
    >>> tail_probability(np.array([1]), np.array([0.3]), 1).round(6).tolist()  # one report, and it supports the value
    [0.3]
    """
    from scipy.special import betainc, gammainc

    if not users:
        return np.ones(len(support))
    expected = np.clip(expected, 1e-9, users * (1 - 1e-9))
    variance = expected * (1 - expected / users) + disturbed
    least = np.maximum(support.astype(np.float64), 1e-9)
    ratio = variance / expected
    under = ratio < 1 - 1e-9
    over = ratio > 1 + 1e-9
    found = np.asarray(gammainc(least, expected), dtype=np.float64)
    size = np.where(under, expected / np.where(under, 1 - ratio, 1), 0) if disturbed else np.full(len(support), users)
    binomial = betainc(least, np.maximum(size - least + 1, 1e-9), np.where(under, 1 - ratio, 0.5))
    beyond = least > size * (1 + 1e-9)  # all of the reports are not more than all of them: rounding must not say so
    found = np.where(under, np.where(beyond, 0.0, binomial), found)
    shape = np.where(over, expected / np.where(over, ratio - 1, 1), 1)
    negative = betainc(least, shape, np.where(over, 1 - 1 / np.where(over, ratio, 2), 0.5))
    return np.where(support <= 0, 1.0, np.where(over, negative, found))
