"""Privacy losses and how they add up: pure, approximate and zero-concentrated differential privacy.

The ledger adds losses of one measure up, which holds however analysts choose their next question. Conversions between
measures use bounds that hold for every order α, so that a coarse search over α costs accuracy and never privacy.
Amounts are fractions in computations and whole numbers in the ledger: no decision depends on the rounding of a float.

References: Dwork & Roth 2014, ch. 3; Bun & Steinke 2016 (zCDP); Canonne, Kamath & Steinke 2020 (the conversion);
Cesar & Rogers 2021 (bounded range).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from cobogo.errors import PolicyError, QueryRefused
from cobogo.floor.language import tr
from cobogo.floor.untrusted import fraction, shorten

NANO = 10**9
"""Parts of one ε or ρ that the ledger counts in."""

ATTO = 10**18
"""Parts of one δ that the ledger counts in."""

Amount = int | float | str | Decimal | Fraction
"""What people may write for an amount. 0.1 means one tenth, and not the float nearest to it."""


def exact_amount(amount: Amount, name: str, *, zero: bool = False) -> Fraction:
    """Read an amount as the fraction that it is written as.

    >>> exact_amount(0.1, "epsilon"), exact_amount("1e-6", "delta")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    try:
        found = fraction(amount)
    except ValueError:
        raise PolicyError(tr("must be a number. Got {amount} instead", amount=shorten(amount)), where=name) from None
    if found < 0 or (found == 0 and not zero):
        raise PolicyError(tr("must be above 0. Got {amount} instead", amount=shorten(amount)), where=name)
    return found


def round_up(amount: Fraction, unit: int) -> int:
    """A cost in whole units, rounded up: it is never understated.

    >>> round_up(Fraction(1, 3), NANO)
    333333334
    """
    return math.ceil(amount * unit)


def round_down(amount: Fraction, unit: int) -> int:
    """A limit in whole units, rounded down: it is never overstated.

    >>> round_down(Fraction(2, 3), NANO)
    666666666
    """
    return math.floor(amount * unit)


def float_above(amount: Fraction) -> float:
    """The least float that is not below a fraction.

    >>> float_above(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    found = float(amount)
    return found if Fraction(found) >= amount else math.nextafter(found, math.inf)


Measure = Literal["epsilon", "rho"]
"""What a data set's budget counts: ε of (approximate) differential privacy, or ρ of zero-concentrated."""

LARGEST_LOSS = 10**6
"""The largest ε or ρ that can be declared. A larger one would protect nobody; it is most likely a slip of the pen."""


@dataclass(frozen=True)
class PrivacyLoss:
    """A bound on what a release reveals about one person: ``amount`` of ε or ρ, with failure probability ``delta``.

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
        """The loss of ``number`` releases, each of which loses this much."""
        return PrivacyLoss(self.measure, self.amount * number, self.delta * number)


def loss_of(epsilon: Any = None, rho: Any = None, delta: Any = 0, *, measure: str = "epsilon") -> PrivacyLoss:
    """Read the loss that an analyst is ready to spend, which must be in the measure of the book."""
    given, other = (epsilon, rho) if measure == "epsilon" else (rho, epsilon)
    if given is None or other is not None:
        raise QueryRefused(
            tr("the ledger counts this data set's budget in {measure}", measure=measure),
            where="budget",
            remedy=tr("Say how much {measure} to spend.", measure=measure),
        )
    amount, share = exact_amount(given, measure), exact_amount(delta, "delta", zero=True)
    if not Fraction(1, NANO) <= amount <= LARGEST_LOSS:
        raise QueryRefused(tr("must be between 1e-9 and {largest:,}", largest=LARGEST_LOSS), where=measure)
    if share and not Fraction(1, ATTO) <= share < 1:
        raise QueryRefused(tr("must be 0, or at least 1e-18 and below 1"), where="delta")
    return PrivacyLoss("epsilon" if measure == "epsilon" else "rho", amount, share)


def to_rho(loss: PrivacyLoss) -> PrivacyLoss:
    """A cost in ε as one in ρ: ε-differential privacy is ε²/2-zCDP (Bun & Steinke, Proposition 1.4)."""
    if loss.measure == "rho":
        return loss
    return PrivacyLoss("rho", loss.amount**2 / 2, loss.delta)


def pure_epsilon(loss: PrivacyLoss) -> Fraction:
    """The ε of a pure mechanism whose loss is within the one given: √(2ρ), rounded down, where that is in ρ.

    >>> pure_epsilon(to_rho(PrivacyLoss("epsilon", Fraction(3)))), pure_epsilon(PrivacyLoss("rho", Fraction(1)))
    (Fraction(3, 1), Fraction(1414213562373, 1000000000000))
    """
    if loss.measure == "epsilon":
        return loss.amount
    return Fraction(math.isqrt(math.floor(2 * loss.amount * 10**24)), 10**12)


def selection_epsilon(rho: Fraction) -> Fraction:
    """The ε of an exponential mechanism that costs ρ at most: √(8ρ), rounded down.

    The exponential mechanism has a bounded range of ε, hence it is ε²/8-zCDP (Cesar & Rogers 2021, Lemma 17): a
    quarter of the loss of other mechanisms of pure ε.

    >>> selection_epsilon(Fraction(1, 2)), selection_epsilon(Fraction(1))
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
    goal, failure = float(epsilon) * (1 - 1e-12), float(delta) * (1 - 1e-12)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, goal) <= failure else (low, middle)
    return Fraction(low)
