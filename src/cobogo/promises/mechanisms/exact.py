"""Exact coins: probabilities exp(−γ) met by whole numbers alone (Canonne, Kamath & Steinke 2020, Algorithm 1)."""

from __future__ import annotations

import secrets
from fractions import Fraction


def coin(probability: Fraction) -> bool:
    """Heads with exactly the probability given."""
    return secrets.randbelow(probability.denominator) < probability.numerator


def exponential_coin(gamma: Fraction) -> bool:
    """Heads with probability exp(−γ), γ ≥ 0: one coin of exp(−1) for each whole part, then one for the rest.

    >>> exponential_coin(Fraction(0))
    True
    """
    whole, rest = divmod(gamma, 1)
    return all(_small(Fraction(1)) for _ in range(int(whole))) and _small(rest)


def _small(gamma: Fraction) -> bool:
    """The same for γ ≤ 1: the first k for which a coin of γ/k shows tails is odd with that probability."""
    if gamma == 0:
        return True
    k = 1
    while coin(gamma / k):
        k += 1
    return k % 2 == 1
