"""What a synthesis may cost anybody's privacy, as a policy says it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cobogo.data.policy import Synthesis
from cobogo.errors import PolicyError
from cobogo.promises.accounting import PrivacyLoss, exact_amount, rho_of


@dataclass(frozen=True)
class Cost:
    """What a release may cost anybody's privacy: ρ, and the (ε, δ) that it was found from."""

    rho: Fraction
    epsilon: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def of(cls, wanted: Synthesis, where: str) -> Cost:
        """As a policy says it; ρ is the largest that stays within (ε, δ)."""
        if wanted.rho is not None:
            return cls(exact_amount(wanted.rho, f"{where}.rho"))
        if wanted.epsilon is None or wanted.delta is None:
            raise PolicyError(
                "nobody said what this may cost anybody's privacy",
                where=where,
                remedy="Give epsilon and delta, as in epsilon = 1.0 and delta = 1e-9.",
            )
        epsilon, delta = exact_amount(wanted.epsilon, f"{where}.epsilon"), exact_amount(wanted.delta, f"{where}.delta")
        return cls(rho_of(epsilon, delta).limit_denominator(10**15), epsilon, delta)

    def loss(self, measure: str, where: str) -> PrivacyLoss:
        """The same as a book counts it."""
        if measure == "rho":
            return PrivacyLoss("rho", self.rho)
        if self.epsilon is None or self.delta is None:
            raise PolicyError(
                "the curator's book counts in ε, and the cost is given in ρ",
                where=where,
                remedy="Give epsilon and delta instead of rho.",
            )
        return PrivacyLoss("epsilon", self.epsilon, self.delta)
