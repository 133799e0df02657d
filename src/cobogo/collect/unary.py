"""Unary encodings: a bit for each value, one of them set, each flipped by chance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import exp, prod
from typing import ClassVar

import numpy as np

from cobogo.collect.base import Oracle, Reports, at_least
from cobogo.collect.bits import count, drawn
from cobogo.collect.layout import Layout
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Source, coins


class Unary(Oracle):
    """Reports are rows of bytes, eight bits in each, the first value in the highest bit of the first."""

    @property
    @abstractmethod
    def set_if_held(self) -> Fraction:
        """How likely the bit of the value held is set."""

    @property
    @abstractmethod
    def set_if_not(self) -> Fraction:
        """How likely the bit of any other value is."""

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
        reports = drawn(self.set_if_not, (len(held), width), source)
        reports[:, -1] &= 256 - (1 << (8 * width - self.values))
        own = (128 >> (held & 7)).astype(np.uint8)
        shown = np.where(coins(self.set_if_held, len(held), source), own, 0)
        clients, places = np.arange(len(held)), held >> 3
        reports[clients, places] = reports[clients, places] & ~own | shown
        return reports

    def support(self, reports: Reports) -> Ints:
        """A report supports the values whose bits are set."""
        return count(reports)[0, : self.values]

    def law(self, held: int) -> Mapping[tuple[bool, ...], Fraction]:
        """Every row of bits."""
        chances = [self.set_if_held if value == held else self.set_if_not for value in range(self.values)]
        return {
            bits: prod(
                (chance if bit else 1 - chance for bit, chance in zip(bits, chances, strict=True)), start=Fraction(1)
            )
            for bits in product((False, True), repeat=self.values)
        }


@dataclass(frozen=True)
class Symmetric(Unary):
    r"""Symmetric unary encoding: every bit is flipped with the same probability, as in basic RAPPOR.

    Two values differ in two bits, each of which tells ε/2. A report has a bit for each value.

    Formula: $p = 1 - f$ and $q = f$ with $f = \frac{1}{e^{\varepsilon/2} + 1}$; the variance of a count is about
        $n\,\frac{e^{\varepsilon/2}}{(e^{\varepsilon/2} - 1)^2}$, however many values there are
    Example:
        >>> oracle = Symmetric(values=10, epsilon=2.0)
        >>> round(oracle.p * (1 - oracle.q) / (oracle.q * (1 - oracle.p)), 6)    # e²
        7.389056

    Guarantee: ε-local differential privacy for one report; nobody need be trusted.
    Limits: A report is as long as the list of values; `oue` has less variance at the same length.
    Cost: $O(m)$ bits for a client with m values; $O(n\,m)$ for the server with n reports.
    Paper: Ú. Erlingsson, V. Pihur and A. Korolova, RAPPOR: randomized aggregatable privacy-preserving ordinal response,
        CCS 2014.
    """

    name: ClassVar[str] = "sue"

    @cached_property
    def flip(self) -> Fraction:
        """How likely a bit is flipped: 1 / (e^(ε/2) + 1), since two bits tell two values apart."""
        return at_least(1 / (exp(self.epsilon / 2) + 1))

    @property
    def set_if_held(self) -> Fraction:
        """Not flipped."""
        return 1 - self.flip

    @property
    def set_if_not(self) -> Fraction:
        """Flipped."""
        return self.flip


@dataclass(frozen=True)
class Optimized(Unary):
    r"""Optimized unary encoding: the own bit is a fair coin, others are set as rarely as ε allows.

    The least variance of all that send a bit for each value. Two values differ in two bits, which tell ε together.

    Formula: $p = \frac{1}{2}$ and $q = \frac{1}{e^{\varepsilon} + 1}$; the variance of a count is about $n\,\frac{4
        e^{\varepsilon}}{(e^{\varepsilon} - 1)^2}$
    Example:
        >>> oracle = Optimized(values=10, epsilon=2.0)
        >>> round(oracle.p * (1 - oracle.q) / (oracle.q * (1 - oracle.p)), 6)    # e²
        7.389056

    Guarantee: ε-local differential privacy for one report; nobody need be trusted.
    Limits: A report is as long as the list of values: `olh` and `hadamard` send less.
    Cost: $O(m)$ bits for a client with m values; $O(n\,m)$ for the server with n reports.
    Paper: T. Wang, J. Blocki, N. Li and S. Jha, Locally differentially private protocols for frequency estimation,
        USENIX Security 2017.
    """

    name: ClassVar[str] = "oue"

    @property
    def set_if_held(self) -> Fraction:
        """A fair coin."""
        return Fraction(1, 2)

    @cached_property
    def set_if_not(self) -> Fraction:
        """1 / (e^ε + 1)."""
        return at_least(1 / (exp(self.epsilon) + 1))
