"""Differential privacy, in either of its measures, as what a release promises.

It is a property of how the release was drawn, and cannot be read off it: verification adds up what the stated procedure
costs, and trusts that the procedure was followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.arguments import number
from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise

SLACK = 1e-9
"""How far floats may take a cost above what it is."""


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Nothing that may be released is likelier by more than e^ε, except by δ, for any one person (Dwork et al. 2006).

    Protects whoever is in the table against anyone, whatever they know already; says nothing of what holds of people
    in general, whether they are in it or not.
    """

    epsilon: float
    delta: float = 0.0

    name: ClassVar[str] = "differential-privacy"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)
        number(self.name, "delta", self.delta, least=0, most=1)

    def verdict(self, epsilon: float, delta: float) -> ModelVerdict:
        """Whether a procedure that costs so much keeps the promise; both must."""
        held = epsilon <= self.epsilon * (1 + SLACK) and delta <= self.delta * (1 + SLACK)
        return ModelVerdict(self, held, epsilon, None, 0 if held else 1)


@dataclass(frozen=True)
class ConcentratedPrivacy(Promise):
    """The Rényi divergence of order α of what is seen with and without a person is at most ρ·α, for every α above 1:
    zero-concentrated differential privacy (Bun & Steinke 2016).
    """

    rho: float

    name: ClassVar[str] = "zero-concentrated-differential-privacy"

    def __post_init__(self) -> None:
        number(self.name, "rho", self.rho, above=0)

    def verdict(self, rho: float) -> ModelVerdict:
        """Whether a procedure that costs so much keeps the promise."""
        held = rho <= self.rho * (1 + SLACK)
        return ModelVerdict(self, held, rho, None, 0 if held else 1)


MEASURES: dict[str, type[DifferentialPrivacy] | type[ConcentratedPrivacy]] = {
    DifferentialPrivacy.name: DifferentialPrivacy,
    ConcentratedPrivacy.name: ConcentratedPrivacy,
}
"""Each by its name in the manifest."""
