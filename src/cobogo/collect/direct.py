"""The direct answer: one's own value, or any of all by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import ClassVar

import numpy as np

from cobogo.collect.base import Oracle, Reports, at_most
from cobogo.collect.layout import Layout
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Source, below, coins


@dataclass(frozen=True)
class Direct(Oracle):
    r"""Generalized randomized response: one's own value with a probability, else one of all values by chance.

    The operator of uniform perturbation. Best where there are few values, below about 3·e^ε + 2 of them. A report is
    the number of a value.

    Formula: $P[y \mid x] = p$ if $y = x$, else $q$, with $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + m - 1}$ and $q =
        \frac{1}{e^{\varepsilon} + m - 1}$; the estimate is $\hat{n}_x = \frac{c_x - n\,q}{p - q}$, with variance about
        $n\,\frac{e^{\varepsilon} + m - 2}{(e^{\varepsilon} - 1)^2}$
    Example: All thousand hold the first value.
        >>> oracle = Direct(values=10, epsilon=1.0)
        >>> round(oracle.p / oracle.q, 6)
        2.718282
        >>> oracle.estimate(np.array([232, *[85] * 9]), users=1000).counts.round(-1).astype(int).tolist()[:3]
        [1000, 0, 0]

    Guarantee: ε-local differential privacy for one report; nobody need be trusted.
    Limits: With many values little is told. Reports of the same value must be kept (the client does), for fresh ones
        add up.
    Cost: $O(1)$ for a client; $O(n + m)$ for the server with n reports of m values.
    Paper: S. L. Warner, Randomized response: a survey technique for eliminating evasive answer bias, Journal of the
        American Statistical Association, 1965; P. Kairouz, K. Bonawitz and D. Ramage, Discrete distribution estimation
        under local privacy, ICML 2016.
    """

    name: ClassVar[str] = "grr"

    @cached_property
    def retention(self) -> Fraction:
        """How likely the value is kept before any is drawn: (e^ε − 1) / (e^ε + m − 1)."""
        return at_most((exp(self.epsilon) - 1) / (exp(self.epsilon) + self.values - 1))

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
