"""The Laplace mechanism on whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.promises.accounting import PrivacyLoss, float_above
from cobogo.promises.mechanisms.base import Noise, next_scale, opendp, vectors
from cobogo.promises.mechanisms.draws import laplaces


@card("laplace", title="discrete Laplace noise")
@dataclass(frozen=True)
class Laplace(Noise):
    r"""Adds discrete Laplace (two-sided geometric) noise to whole numbers.

    ``sensitivity`` is the largest amount by which one person can change the vector, in the L1 norm. It is declared,
    never computed from the data. The noise consists of whole numbers, too, so that the last bits of floats reveal
    nothing. The scale is raised until OpenDP confirms that the loss is at most ε.

    Formula: $\Pr[X = x] \propto e^{-\lvert x\rvert / b}$ with the scale $b = \frac{\Delta_1}{\varepsilon}$; the
        variance is $\frac{2p}{(1 - p)^2}$ for $p = e^{-1/b}$
    Example:
        >>> noise = Laplace(sensitivity=1, epsilon=Fraction(1))
        >>> noise.scale, noise.error(0.95), noise.loss.amount
        (1.0, 3, Fraction(1, 1))

    Guarantee: ε-differential privacy for one person, against an attacker who knows everything else.
    Limits: The error is the same for a small table as for a large one: noise hides small counts. For many answers at
        once `gaussian` costs less.
    Cost: $O(k)$ draws for k numbers; an error of the order of $\Delta_1 / \varepsilon$.
    Paper: C. Dwork, F. McSherry, K. Nissim and A. Smith, Calibrating noise to sensitivity in private data analysis, TCC
        2006; in the geometric form of A. Ghosh, T. Roughgarden and M. Sundararajan, Universally utility-maximizing
        privacy mechanisms, STOC 2009.
    """

    sensitivity: int
    epsilon: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """ε, as it was allowed."""
        return PrivacyLoss("epsilon", self.epsilon)

    @cached_property
    def scale(self) -> float:
        """sensitivity / ε, raised until OpenDP finds the cost within ε."""
        scale = float_above(self.sensitivity / self.epsilon)
        while Fraction(self._opendp_noise(scale).map(self.sensitivity)) > self.epsilon:
            scale = next_scale(scale)
        return scale

    @cached_property
    def measurement(self) -> Any:
        """OpenDP's discrete Laplace for vectors."""
        return self._opendp_noise(self.scale)

    def draw(self, scale: Fraction, number: int, source: Source) -> Ints:
        """By `draws.laplaces`."""
        return laplaces(scale, number, source)

    def variance(self) -> float:
        """2p / (1 − p)² for p = exp(−1/scale)."""
        one_less = -math.expm1(-1 / self.scale)
        return 2 * math.exp(-1 / self.scale) / one_less**2

    def two_sided_tail(self, distance: int) -> float:
        """2 pᵈ / (1 + p) for a distance d of 1 or more."""
        if distance <= 0:
            return 1.0
        return 2 * math.exp(-distance / self.scale) / (1 + math.exp(-1 / self.scale))

    def _opendp_noise(self, scale: float) -> Any:
        core = opendp()
        return core.m.make_laplace(vectors(), core.l1_distance(T="i64"), scale=scale)
