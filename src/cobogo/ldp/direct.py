"""The direct answer: one's own value, or any of all by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import ClassVar

import numpy as np

from cobogo.ldp.base import Ints, Oracle, Reports, at_most
from cobogo.ldp.layout import Layout
from cobogo.randomness import Source, below, coins


@dataclass(frozen=True)
class Direct(Oracle):
    """Generalized randomized response: one's own value with a probability, else one of all values by chance.

    The operator of uniform perturbation (Warner 1965; Kairouz, Bonawitz and Ramage 2016). Of m values, the own one is
    reported e^ε times as likely as any other. The variance of a count of n users is about n·(e^ε + m − 2) / (e^ε − 1)²:
    best where there are few values, below about 3·e^ε + 2 of them. A report is the number of a value; counting takes
    no longer than reading.
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
