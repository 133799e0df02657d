"""Randomized response: of the value itself, or of a bit for each value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import exp, prod

import numpy as np

from cobogo.collect.layout import Layout, count_bits, random_bits
from cobogo.collect.oracle import Oracle, Reports, fraction_above, fraction_below
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, below, coins


@card("grr", title="generalized randomized response", group="values")
@dataclass(frozen=True)
class Direct(Oracle):
    r"""Generalized randomized response: the true value with some probability, and otherwise one of the other values.

    It is the operator of uniform perturbation. It is the best one for few values, below about 3·e^ε + 2 of them. A
    report is the number of a value.

    Formula: $P[y \mid x] = p$ if $y = x$, else $q$, with $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + m - 1}$ and $q =
        \frac{1}{e^{\varepsilon} + m - 1}$; the estimate is $\hat{n}_x = \frac{c_x - n\,q}{p - q}$, with variance about
        $n\,\frac{e^{\varepsilon} + m - 2}{(e^{\varepsilon} - 1)^2}$
    Example: All thousand people have the first value.
        >>> oracle = Direct(values=10, epsilon=1.0)
        >>> round(oracle.p / oracle.q, 6)
        2.718282
        >>> oracle.estimate(np.array([232, *[85] * 9]), users=1000).counts.round(-1).astype(int).tolist()[:3]
        [1000, 0, 0]

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: With many values a report says little. A client must send the same report for the same value (the client of
        Cobogó does): the costs of fresh reports add up.
    Cost: $O(1)$ for a client; $O(n + m)$ for the server with n reports of m values.
    Paper: S. L. Warner, Randomized response: a survey technique for eliminating evasive answer bias, Journal of the
        American Statistical Association, 1965; P. Kairouz, K. Bonawitz and D. Ramage, Discrete distribution estimation
        under local privacy, ICML 2016.
    """

    @cached_property
    def retention(self) -> Fraction:
        """The probability that the value is kept and none drawn: (e^ε − 1) / (e^ε + m − 1)."""
        return fraction_below((exp(self.epsilon) - 1) / (exp(self.epsilon) + self.values - 1))

    @property
    def p(self) -> float:
        """Kept, or drawn by chance."""
        return float(self.retention + (1 - self.retention) / self.values)

    @property
    def q(self) -> float:
        """Drawn by chance."""
        return float((1 - self.retention) / self.values)

    @property
    def layout(self) -> Layout:
        """The number of a value."""
        return Layout((("value", self.values),))

    def encode(self, held: Ints, source: Source) -> Reports:
        """The number of a value."""
        kept = coins(self.retention, len(held), source)
        return np.where(kept, held, below(self.values, len(held), source))

    def support(self, reports: Reports) -> Ints:
        """A report supports the value that it names."""
        return np.bincount(reports, minlength=self.values)

    def law(self, held: int) -> Mapping[int, Fraction]:
        """Every value, its own more likely."""
        other = (1 - self.retention) / self.values
        return {value: other + (self.retention if value == held else 0) for value in range(self.values)}

    def likelihoods(self, reports: Reports) -> Floats:
        """p for the value named, q for others.

        >>> Direct(3, 1.0).likelihoods(np.array([2])).round(3).tolist()
        [[0.212, 0.212, 0.576]]
        """
        return np.where(reports[:, None] == np.arange(self.values), self.p, self.q)


class Unary(Oracle):
    """Reports are rows of bytes, eight bits in each, the first value in the highest bit of the first."""

    @property
    @abstractmethod
    def set_if_held(self) -> Fraction:
        """The probability that the bit of the value held is set."""

    @property
    @abstractmethod
    def set_if_not(self) -> Fraction:
        """The probability that the bit of any other value is set."""

    @property
    def p(self) -> float:
        """The bit of the value held."""
        return float(self.set_if_held)

    @property
    def q(self) -> float:
        """The bit of another value."""
        return float(self.set_if_not)

    @property
    def layout(self) -> Layout:
        """A bit for each value."""
        return Layout(bits=self.values)

    def encode(self, held: Ints, source: Source) -> Reports:
        """The bits of each client, packed."""
        width = (self.values + 7) // 8
        reports = random_bits(self.set_if_not, (len(held), width), source)
        reports[:, -1] &= 256 - (1 << (8 * width - self.values))
        own = (128 >> (held & 7)).astype(np.uint8)
        shown = np.where(coins(self.set_if_held, len(held), source), own, 0)
        clients, places = np.arange(len(held)), held >> 3
        reports[clients, places] = reports[clients, places] & ~own | shown
        return reports

    def support(self, reports: Reports) -> Ints:
        """A report supports the values whose bits are set."""
        return count_bits(reports)[0, : self.values]

    def law(self, held: int) -> Mapping[tuple[bool, ...], Fraction]:
        """Every row of bits."""
        chances = [self.set_if_held if value == held else self.set_if_not for value in range(self.values)]
        return {
            bits: prod(
                (chance if bit else 1 - chance for bit, chance in zip(bits, chances, strict=True)), start=Fraction(1)
            )
            for bits in product((False, True), repeat=self.values)
        }

    def likelihoods(self, reports: Reports) -> Floats:
        """Likelihood ratios, against a report whose client holds no value."""
        bits = np.unpackbits(reports, axis=1, count=self.values).astype(np.bool_)
        return np.where(bits, self.p / self.q, (1 - self.p) / (1 - self.q))


@card("sue", title="symmetric unary encoding (one round of RAPPOR)", group="values")
@dataclass(frozen=True)
class Symmetric(Unary):
    r"""Symmetric unary encoding: every bit is flipped with the same probability, as in basic RAPPOR.

    Two values differ in two bits, each of which costs ε/2. A report has a bit for each value.

    Formula: $p = 1 - f$ and $q = f$ with $f = \frac{1}{e^{\varepsilon/2} + 1}$; the variance of a count is about
        $n\,\frac{e^{\varepsilon/2}}{(e^{\varepsilon/2} - 1)^2}$, however many values there are
    Example:
        >>> oracle = Symmetric(values=10, epsilon=2.0)
        >>> round(oracle.p * (1 - oracle.q) / (oracle.q * (1 - oracle.p)), 6)    # e²
        7.389056

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: A report is as long as the list of values; `oue` has less variance at the same length.
    Cost: $O(m)$ bits for a client with m values; $O(n\,m)$ for the server with n reports.
    Paper: Ú. Erlingsson, V. Pihur and A. Korolova, RAPPOR: randomized aggregatable privacy-preserving ordinal response,
        CCS 2014.
    """

    @cached_property
    def flip(self) -> Fraction:
        """The probability that a bit is flipped: 1 / (e^(ε/2) + 1), since two values differ in two bits."""
        return fraction_above(1 / (exp(self.epsilon / 2) + 1))

    @property
    def set_if_held(self) -> Fraction:
        """Not flipped."""
        return 1 - self.flip

    @property
    def set_if_not(self) -> Fraction:
        """Flipped."""
        return self.flip


@card("oue", title="optimized unary encoding", group="values")
@dataclass(frozen=True)
class Optimized(Unary):
    r"""Optimized unary encoding: the bit of the true value is set by a fair coin, the others as rarely as ε allows.

    It has the least variance of all mechanisms that send a bit for each value. Two values differ in two bits, which
    cost ε together.

    Formula: $p = \frac{1}{2}$ and $q = \frac{1}{e^{\varepsilon} + 1}$; the variance of a count is about $n\,\frac{4
        e^{\varepsilon}}{(e^{\varepsilon} - 1)^2}$
    Example:
        >>> oracle = Optimized(values=10, epsilon=2.0)
        >>> round(oracle.p * (1 - oracle.q) / (oracle.q * (1 - oracle.p)), 6)    # e²
        7.389056

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: A report is as long as the list of values: `olh` and `hadamard` send less.
    Cost: $O(m)$ bits for a client with m values; $O(n\,m)$ for the server with n reports.
    Paper: T. Wang, J. Blocki, N. Li and S. Jha, Locally differentially private protocols for frequency estimation,
        USENIX Security 2017.
    """

    @property
    def set_if_held(self) -> Fraction:
        """A fair coin."""
        return Fraction(1, 2)

    @cached_property
    def set_if_not(self) -> Fraction:
        """1 / (e^ε + 1)."""
        return fraction_above(1 / (exp(self.epsilon) + 1))
