"""A mechanism of collecting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp

import numpy as np

from cobogo.collect.layout import Layout
from cobogo.collect.oracle import Oracle, Reports, fraction_below
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, below, coins


@card("one-question", title="one question each", group="values")
@dataclass(frozen=True)
class OneQuestion(Oracle):
    r"""Each client is asked about one random value, and answers yes or no by randomized response.

    Formula: $p = \frac{t}{m}$ and $q = \frac{1 - t}{m}$ with $t = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}$
    Example:
        >>> oracle = OneQuestion(values=4, epsilon=1.0)
        >>> round(oracle.p / oracle.q, 6)
        2.718282

    Guarantee: ε-local differential privacy for one report; no party has to be trusted.
    Limits: Most clients are asked about values that they do not hold, so that the variance grows with their number.
    Cost: $O(1)$ for a client; $O(n + m)$ for the server with n reports of m values.
    Paper: None: made up for the guide of contributors.
    """

    @property
    def truth(self) -> Fraction:
        """The probability of a true answer."""
        return fraction_below(exp(self.epsilon) / (exp(self.epsilon) + 1))

    @property
    def p(self) -> float:
        """The client is asked about its value, and says yes."""
        return float(self.truth / self.values)

    @property
    def q(self) -> float:
        """The client is asked about another value, and says yes."""
        return float((1 - self.truth) / self.values)

    @property
    def layout(self) -> Layout:
        """Twice the number of the value, plus one for yes."""
        return Layout((("answer", 2 * self.values),))

    def encode(self, held: Ints, source: Source) -> Reports:
        """The value asked about, and the answer."""
        asked = below(self.values, len(held), source)
        yes = (asked == held) == coins(self.truth, len(held), source)
        return 2 * asked + yes

    def support(self, reports: Reports) -> Ints:
        """A yes supports the value asked about."""
        return np.bincount(reports[reports % 2 == 1] // 2, minlength=self.values)

    def law(self, held: int) -> Mapping[int, Fraction]:
        """Every value with both answers."""
        return {
            2 * asked + yes: (self.truth if yes == (asked == held) else 1 - self.truth) / self.values
            for asked in range(self.values)
            for yes in (False, True)
        }
