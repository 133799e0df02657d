"""The Laplace mechanism on whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from cobogo.dp.accounting import Loss
from cobogo.dp.mechanisms.base import Noise, opendp, raised, vectors
from cobogo.dp.units import above


@dataclass(frozen=True)
class Laplace(Noise):
    """Discrete Laplace (two-sided geometric) noise: Pr[X = x] ∝ exp(−|x| / scale), scale = sensitivity / ε.

    The Laplace mechanism of Dwork, McSherry, Nissim & Smith 2006 in the geometric form of Ghosh, Roughgarden &
    Sundararajan 2009. ``sensitivity`` is in the L1 norm. Pure ε-differential privacy.
    """

    sensitivity: int
    epsilon: Fraction

    name: ClassVar[str] = "laplace"

    @property
    def loss(self) -> Loss:
        """ε, as it was allowed."""
        return Loss("epsilon", self.epsilon)

    @cached_property
    def scale(self) -> float:
        """sensitivity / ε, raised until OpenDP finds the cost within ε."""
        scale = above(self.sensitivity / self.epsilon)
        while Fraction(self._made(scale).map(self.sensitivity)) > self.epsilon:
            scale = raised(scale)
        return scale

    @cached_property
    def measurement(self) -> Any:
        """OpenDP's discrete Laplace for vectors."""
        return self._made(self.scale)

    def variance(self) -> float:
        """2p / (1 − p)² for p = exp(−1/scale)."""
        one_less = -math.expm1(-1 / self.scale)
        return 2 * math.exp(-1 / self.scale) / one_less**2

    def beyond(self, distance: int) -> float:
        """2 pᵈ / (1 + p) for a distance d of 1 or more."""
        if distance <= 0:
            return 1.0
        return 2 * math.exp(-distance / self.scale) / (1 + math.exp(-1 / self.scale))

    def at_least(self, distance: int) -> float:
        """The probability that the noise is ``distance`` (1 or more) or above: one side only."""
        return self.beyond(distance) / 2

    def _made(self, scale: float) -> Any:
        core = opendp()
        return core.m.make_laplace(vectors(), core.l1_distance(T="i64"), scale=scale)
