"""Uniform perturbation: a coin decides whether a value is kept or exchanged for one drawn from the whole domain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.models.base import Floats, Ints
from cobogo.perturb.operators.base import Operator
from cobogo.randomness import Source, below, coins


def largest_retention(amplification: float, size: int) -> Fraction:
    """The largest p with γ at most the one given: (γ − 1)/(γ − 1 + m), rounded down.

    >>> [round(float(largest_retention(19, m)), 3) for m in (2, 10, 50)]
    [0.9, 0.643, 0.265]
    """
    if amplification == math.inf:
        return Fraction(1)
    excess = max(Fraction(amplification) - 1, Fraction(0))
    steps = 2**40
    return Fraction(math.floor(excess / (excess + size) * steps), steps)


@dataclass(frozen=True, eq=False)
class Uniform(Operator):
    """P = p·I + (1 − p)/m · 11ᵀ with the retention p (Agrawal, Srikant and Thomas 2005; k-ary randomized response).

    The retention is the coin's; a value is released as it is with the probability p + (1 − p)/m, the ``diagonal``,
    since what is drawn may be the value itself.

    >>> operator = Uniform(10, Fraction(9, 14))
    >>> round(operator.amplification, 9)
    19.0
    """

    retention: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.retention <= 1:
            raise ValueError(f"The 'retention' of Uniform must be of 0 to 1. Got {self.retention!r} instead")

    @property
    def other(self) -> Fraction:
        """q = (1 − p)/m: P[y|x] for any y but x."""
        return (1 - self.retention) / self.size

    @property
    def amplification(self) -> float:
        """γ = 1 + p·m/(1 − p)."""
        return float("inf") if self.retention == 1 else float(1 + self.retention / self.other)

    def stated(self) -> dict[str, Any]:
        """Its size and its retention, exactly."""
        return {"operator": "uniform", "size": self.size, "retention": str(self.retention)}

    def bounds(self) -> tuple[Floats, Floats]:
        """q and p + q."""
        ones = np.ones(self.size)
        return float(self.other) * ones, float(self.retention + self.other) * ones

    def sample(self, codes: Ints, source: Source) -> Ints:
        """The coins first, then values for those that show tails."""
        released = np.array(codes, dtype=np.int64)
        tails = np.flatnonzero(~coins(self.retention, len(released), source))
        released[tails] = below(self.size, len(tails), source)
        return released

    def probability(self, released: Ints, original: Ints) -> Floats:
        """p + q on the diagonal, q off it."""
        q = float(self.other)
        return np.where(np.equal(released, original), float(self.retention + self.other), q)

    def spread(self, shares: Floats) -> Floats:
        """p·f + q·Σf."""
        return np.asarray(float(self.retention) * shares + float(self.other) * shares.sum())

    def inverse(self, released: Floats) -> Floats:
        """(o − q·Σo)/p."""
        if not self.retention:
            raise ValueError("nothing was retained: there is no inverse")
        return np.asarray((released - float(self.other) * released.sum()) / float(self.retention))
