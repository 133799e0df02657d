"""What answers cost a person's privacy, and how costs add up: pure, approximate and zero-concentrated.

The ledger's rules are the plain ones, which hold whatever analysts ask next: costs of one measure add up. Conversions
between measures use bounds that hold for every order α tried, so that a coarse search costs accuracy, never privacy.

References: Dwork & Roth 2014, ch. 3; Bun & Steinke 2016 (zCDP); Canonne, Kamath & Steinke 2020 (the conversion);
Cesar & Rogers 2021 (bounded range).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from cobogo.errors import QueryRefused
from cobogo.promises.units import ATTO, NANO, exact

Measure = Literal["epsilon", "rho"]
"""What a data set's budget counts: ε of (approximate) differential privacy, or ρ of zero-concentrated."""

LARGEST_LOSS = 10**6
"""The most ε or ρ that can be declared: beyond it there is no privacy left to speak of."""


@dataclass(frozen=True)
class PrivacyLoss:
    """The most that something tells about a person: ``amount`` of ε or ρ, except with probability ``delta``.

    >>> PrivacyLoss("epsilon", Fraction(1, 2)) + PrivacyLoss("epsilon", Fraction(1, 4), Fraction(1, 10**6))
    PrivacyLoss(measure='epsilon', amount=Fraction(3, 4), delta=Fraction(1, 1000000))
    """

    measure: Measure
    amount: Fraction
    delta: Fraction = Fraction(0)

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        """Sequential composition."""
        if self.measure != other.measure:
            raise ValueError(f"costs in {self.measure} and {other.measure} do not add up: convert one of them")
        return PrivacyLoss(self.measure, self.amount + other.amount, self.delta + other.delta)

    def times(self, number: int) -> PrivacyLoss:
        """The same, so many times."""
        return PrivacyLoss(self.measure, self.amount * number, self.delta * number)


def loss_of(epsilon: Any = None, rho: Any = None, delta: Any = 0, *, measure: str = "epsilon") -> PrivacyLoss:
    """What an analyst is ready to spend, in the measure of the book."""
    given, other = (epsilon, rho) if measure == "epsilon" else (rho, epsilon)
    if given is None or other is not None:
        raise QueryRefused(
            f"the book of this data set counts in {measure}", where="budget", remedy=f"Say how much {measure} to spend."
        )
    amount, share = exact(given, measure), exact(delta, "delta", zero=True)
    if not Fraction(1, NANO) <= amount <= LARGEST_LOSS:
        raise QueryRefused(f"must be from 1e-9 to {LARGEST_LOSS:,}", where=measure)
    if share and not Fraction(1, ATTO) <= share < 1:
        raise QueryRefused("must be 0, or from 1e-18 to below 1", where="delta")
    return PrivacyLoss("epsilon" if measure == "epsilon" else "rho", amount, share)


def sequential(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """What several answers about the same people cost."""
    first, *rest = losses
    return sum(rest, first)


def parallel(losses: Sequence[PrivacyLoss], parts_of_a_person: int) -> PrivacyLoss:
    """What answers about the parts of a partition cost.

    The dearest of them, where a person lies in one part only; a person who lies in several is told about in each.

    >>> parallel([PrivacyLoss("epsilon", Fraction(1)), PrivacyLoss("epsilon", Fraction(2))], 1).amount
    Fraction(2, 1)
    >>> parallel([PrivacyLoss("epsilon", Fraction(1)), PrivacyLoss("epsilon", Fraction(2))], 5).amount
    Fraction(4, 1)
    """
    if len({loss.measure for loss in losses}) != 1:
        raise ValueError("parts are charged in one measure")
    dearest = PrivacyLoss(losses[0].measure, max(loss.amount for loss in losses), max(loss.delta for loss in losses))
    return dearest.times(min(parts_of_a_person, len(losses)))


def concentrated(loss: PrivacyLoss) -> PrivacyLoss:
    """A cost in ε as one in ρ: ε-differential privacy is ε²/2-zCDP (Bun & Steinke, Proposition 1.4)."""
    if loss.measure == "rho":
        return loss
    return PrivacyLoss("rho", loss.amount**2 / 2, loss.delta)


def pure(loss: PrivacyLoss) -> Fraction:
    """The ε of a mechanism that may cost so much: √(2ρ), rounded down, where the cost is one in ρ.

    >>> pure(concentrated(PrivacyLoss("epsilon", Fraction(3)))), pure(PrivacyLoss("rho", Fraction(1)))
    (Fraction(3, 1), Fraction(1414213562373, 1000000000000))
    """
    if loss.measure == "epsilon":
        return loss.amount
    return Fraction(math.isqrt(math.floor(2 * loss.amount * 10**24)), 10**12)


def choosing(rho: Fraction) -> Fraction:
    """The ε of an exponential mechanism that costs ρ at most: √(8ρ), rounded down.

    The exponential mechanism has a bounded range of ε, and is ε²/8-zCDP for that (Cesar & Rogers 2021, Lemma 17): a
    quarter of what any other mechanism of pure ε costs.

    >>> choosing(Fraction(1, 2)), choosing(Fraction(1))
    (Fraction(2, 1), Fraction(1414213562373, 500000000000))
    """
    return Fraction(math.isqrt(math.floor(8 * rho * 10**24)), 10**12)


def delta_of(rho: float, epsilon: float) -> float:
    """A δ for which ρ-zCDP is (ε, δ)-differential privacy: Canonne, Kamath & Steinke 2020, Proposition 12.

    δ = min over α > 1 of exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α. Every α gives a valid δ.
    """
    if rho == 0:
        return 0.0

    def logarithm(alpha: float) -> float:
        return (alpha - 1) * (alpha * rho - epsilon) + alpha * math.log1p(-1 / alpha) - math.log(alpha - 1)

    low, high = 1 + 1e-9, max(2.0, (epsilon + 1) / (2 * rho) + 2) * 4
    for _ in range(200):  # the exponent is convex in α
        one, two = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, two) if logarithm(one) < logarithm(two) else (one, high)
    return min(1.0, math.exp(min(0.0, logarithm((low + high) / 2))) * (1 + 1e-9))


def epsilon_of(rho: float, delta: float) -> float:
    """An ε for which ρ-zCDP is (ε, δ)-differential privacy."""
    if not 0 < delta < 1:
        raise ValueError(f"The 'delta' parameter of epsilon_of must be between 0 and 1. Got {delta!r} instead")
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / delta))
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(rho, middle) <= delta else (middle, high)
    return high * (1 + 1e-12)


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ, as far as a search finds it, whose conversion stays within (ε, δ)."""
    low, high = 0.0, float(epsilon) + 1
    goal, chance = float(epsilon) * (1 - 1e-12), float(delta) * (1 - 1e-12)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, goal) <= chance else (low, middle)
    return Fraction(low)
