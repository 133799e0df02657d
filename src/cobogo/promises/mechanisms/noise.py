"""Noise on whole numbers: the discrete Laplace and the discrete Gaussian mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any

from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.promises.accounting import PrivacyLoss, float_above
from cobogo.promises.mechanisms.base import Noise, next_scale, opendp, vectors
from cobogo.promises.mechanisms.draws import gaussians, laplaces


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


FINE = 50.0
"""From this scale on the tails are computed as those of the normal distribution, which differ by less than a step.
Below it the weights are added up: at this scale there are 2,000 of them."""


@card("gaussian", title="discrete Gaussian noise")
@dataclass(frozen=True)
class Gaussian(Noise):
    r"""Adds discrete Gaussian noise to whole numbers.

    ``squared`` is the square of the sensitivity in the L2 norm: for a person in up to L0 groups it is L0·Δ², a whole
    number. The tails are lighter than those of the Laplace mechanism, and the costs of many answers add up to less.

    Formula: $\Pr[X = x] \propto e^{-x^2 / 2 \sigma^2}$ with $\sigma^2 = \frac{\Delta_2^2}{2 \rho}$
    Example: A person in four groups, at ρ = 1/2.
        >>> noise = Gaussian(squared=4, rho=Fraction(1, 2))
        >>> round(noise.scale, 3), noise.error(0.95), noise.loss.measure
        (2.0, 4, 'rho')

    Guarantee: ρ-zero-concentrated differential privacy, hence (ε, δ)-differential privacy for every δ above 0.
    Limits: It gives no pure ε. For a single answer at a small ε, `laplace` may have a smaller error.
    Cost: $O(k)$ draws for k numbers; an error of the order of $\Delta_2 / \sqrt{\rho}$.
    Paper: C. L. Canonne, G. Kamath and T. Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020.
    """

    squared: int
    rho: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """ρ, as it was allowed."""
        return PrivacyLoss("rho", self.rho)

    @cached_property
    def scale(self) -> float:
        """The root of sensitivity² / 2ρ, raised until OpenDP finds the cost within ρ."""
        scale = math.sqrt(float_above(self.squared / (2 * self.rho)))
        distance = math.nextafter(math.sqrt(self.squared), math.inf)
        while Fraction(self._opendp_noise(scale).map(distance)) > self.rho:
            scale = next_scale(scale)
        return scale

    @cached_property
    def measurement(self) -> Any:
        """OpenDP's discrete Gaussian for vectors."""
        return self._opendp_noise(self.scale)

    def draw(self, scale: Fraction, number: int, source: Source) -> Ints:
        """By `draws.gaussians`."""
        return gaussians(scale, number, source)

    def variance(self) -> float:
        """At most scale²; computed from the weights where the scale is small."""
        if self.scale >= FINE:
            return self.scale**2
        weights = self._weights()
        return 2 * sum(weight * x * x for x, weight in enumerate(weights)) / (2 * sum(weights) - weights[0])

    def two_sided_tail(self, distance: int) -> float:
        """The sum of both tails."""
        if distance <= 0:
            return 1.0
        if self.scale >= FINE:
            return 2 * NormalDist(0, self.scale).cdf(-(distance - 1))
        weights = self._weights()
        return 2 * sum(weights[distance:]) / (2 * sum(weights) - weights[0])

    def _weights(self) -> list[float]:
        """The weights of the distribution at 0, 1, 2, … until they vanish."""
        return [math.exp(-x * x / (2 * self.scale**2)) for x in range(math.ceil(40 * self.scale) + 2)]

    def _opendp_noise(self, scale: float) -> Any:
        core = opendp()
        return core.m.make_gaussian(vectors(), core.l2_distance(T=float), scale=scale)
