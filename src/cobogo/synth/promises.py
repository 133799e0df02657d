"""What synthetic data can promise: differential privacy, in either of its measures."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from cobogo.dp.accounting import epsilon_of
from cobogo.models.arguments import number
from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise

SLACK = 1e-9


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Whatever anybody sees is at most e^ε times as likely with a person's records as without them, except with
    probability δ (Dwork et al. 2006). Measured: the ε of what was spent, for the same δ.
    """

    epsilon: float
    delta: float

    name: ClassVar[str] = "differential-privacy"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)
        number(self.name, "delta", self.delta, above=0, most=1)

    def check(self, rho: Fraction) -> ModelVerdict:
        """The verdict on a cost in ρ."""
        measured = epsilon_of(float(rho), self.delta) if rho else 0.0
        return ModelVerdict(self, measured <= self.epsilon * (1 + SLACK), measured, None, 0)


@dataclass(frozen=True)
class ConcentratedPrivacy(Promise):
    """Zero-concentrated differential privacy (Bun & Steinke 2016): the Rényi divergence of order α of what is seen with
    and without a person is at most ρ·α, for every α above 1. Measured: the ρ of what was spent.
    """

    rho: float

    name: ClassVar[str] = "zero-concentrated-differential-privacy"

    def __post_init__(self) -> None:
        number(self.name, "rho", self.rho, above=0)

    def check(self, rho: Fraction) -> ModelVerdict:
        """The verdict on a cost in ρ."""
        return ModelVerdict(self, float(rho) <= self.rho * (1 + SLACK), float(rho), None, 0)


PROMISES: dict[str, type[DifferentialPrivacy] | type[ConcentratedPrivacy]] = {
    DifferentialPrivacy.name: DifferentialPrivacy,
    ConcentratedPrivacy.name: ConcentratedPrivacy,
}
"""Each by its name in the manifest."""
