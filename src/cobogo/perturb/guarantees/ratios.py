"""Guarantees that bound the ratio of what two values lead to: amplification, local differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.arguments import number, text
from cobogo.perturb.guarantees.base import SLACK, Exposure, Guarantee, raised


@dataclass(frozen=True)
class Amplification(Guarantee):
    """No released value is more than γ times as likely from one original value as from another (Evfimievski, Gehrke
    and Srikant 2003). Whatever was known before, the odds of any property change by at most γ. Measured: that ratio.
    """

    attribute: str
    gamma: float

    name: ClassVar[str] = "gamma-amplification"

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "gamma", self.gamma, least=1)

    @property
    def largest_amplification(self) -> float:
        """γ itself."""
        return float(self.gamma)

    def measure(self, exposure: Exposure) -> float:
        """γ of all draws together."""
        return exposure.amplification

    def holds(self, measured: float) -> bool:
        """At most γ."""
        return measured <= self.gamma * (1 + SLACK)


@dataclass(frozen=True)
class LocalPrivacy(Guarantee):
    """ε-local differential privacy: the logarithm of the amplification is at most ε (Kasiviswanathan et al. 2008;
    Duchi, Jordan and Wainwright 2013). Measured: ε of all that was drawn from one person.
    """

    attribute: str
    epsilon: float

    name: ClassVar[str] = "local-differential-privacy"

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "epsilon", self.epsilon, above=0, most=700)

    @property
    def largest_amplification(self) -> float:
        """e^ε."""
        return math.exp(self.epsilon)

    def measure(self, exposure: Exposure) -> float:
        """ln γ."""
        return math.log(exposure.amplification)

    def holds(self, measured: float) -> bool:
        """At most ε."""
        return measured <= self.epsilon + SLACK


@dataclass(frozen=True)
class DGammaPrivacy(Guarantee):
    """For every value whose prior is at most d, the posterior is at most γ, and not below d/γ times the prior (Rastogi,
    Suciu and Hong 2007). This γ bounds a posterior: it is no amplification. Measured: the largest posterior.

    An operator meets it when its amplification is at most γ/d, which is what the smallest priors ask for.
    """

    attribute: str
    d: float
    gamma: float

    name: ClassVar[str] = "d-gamma-privacy"

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "d", self.d, above=0)
        number(self.name, "gamma", self.gamma, above=0)
        if not self.d < self.gamma < 1:
            raise ValueError(f"{self.name} needs 0 < d < gamma < 1. Got {self.d!r} and {self.gamma!r} instead")

    @property
    def largest_amplification(self) -> float:
        """The smaller of γ(1 − d)/(d(1 − γ)), for the upper bound, and γ/d, for the lower."""
        return min(self.gamma * (1 - self.d) / (self.d * (1 - self.gamma)), self.gamma / self.d)

    def measure(self, exposure: Exposure) -> float:
        """The largest posterior from a prior of d; 1 where a value's probability falls too far."""
        if exposure.amplification > self.largest_amplification * (1 + SLACK):
            return max(raised(self.d, exposure.amplification), min(1.0, self.d * exposure.amplification))
        return raised(self.d, exposure.amplification)

    def holds(self, measured: float) -> bool:
        """At most γ."""
        return measured <= self.gamma + SLACK
