"""(ρ1, ρ2)-privacy: what was unlikely does not become likely, nor the reverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.arguments import number, text
from cobogo.perturb.guarantees.base import Exposure, Guarantee

SLACK = 1e-9
"""By so much may a bound be missed through the rounding of floats."""


@dataclass(frozen=True)
class RhoPrivacy(Guarantee):
    """No property of a value whose prior probability is at most ρ1 gets a posterior above ρ2, and none of at least ρ2
    one below ρ1, for any prior (Evfimievski, Gehrke and Srikant 2003).

    Met by every operator with γ ≤ ρ2(1 − ρ1)/(ρ1(1 − ρ2)): the posterior odds are at most γ times the prior odds.
    Measured: the largest posterior from a prior of ρ1.
    """

    attribute: str
    rho1: float
    rho2: float

    name: ClassVar[str] = "rho1-rho2-privacy"

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "rho1", self.rho1, above=0)
        number(self.name, "rho2", self.rho2, above=0)
        if not self.rho1 < self.rho2 < 1:
            raise ValueError(f"{self.name} needs 0 < rho1 < rho2 < 1. Got {self.rho1!r} and {self.rho2!r} instead")

    @property
    def largest_amplification(self) -> float:
        """ρ2(1 − ρ1)/(ρ1(1 − ρ2))."""
        return self.rho2 * (1 - self.rho1) / (self.rho1 * (1 - self.rho2))

    def measure(self, exposure: Exposure) -> float:
        """γρ1/(1 − ρ1 + γρ1)."""
        gamma = exposure.amplification
        return 1.0 if gamma == float("inf") else gamma * self.rho1 / (1 - self.rho1 + gamma * self.rho1)

    def holds(self, measured: float) -> bool:
        """At most ρ2."""
        return measured <= self.rho2 + SLACK
