"""Uniform perturbation: a coin decides whether a value is kept or exchanged for one drawn from the whole domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, below, coins
from cobogo.promises.operators.base import Operator


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


@card("uniform", title="uniform perturbation")
@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Operator):
    r"""Each sensitive value is kept with a given probability, and otherwise drawn from the whole domain.

    ``retention`` is the probability that a value is kept without a draw. The probability that it is released unchanged
    is the ``diagonal``, which is larger, since a draw may give the same value. Without a ``retention`` the largest one
    that satisfies every guarantee is used. This is the operator of k-ary randomized response.

    Formula: $P[y \mid x] = p + \frac{1 - p}{m}$ if $y = x$, else $\frac{1 - p}{m}$; $\gamma = 1 + \frac{p\,m}{1 - p}$,
        so the largest retention is $p = \frac{\gamma - 1}{\gamma - 1 + m}$
    Example:
        >>> operator = Uniform(10, Fraction(9, 14))
        >>> round(operator.amplification, 9)
        19.0

    Guarantee: γ-amplification, hence ln γ-local differential privacy and (ρ1, ρ2)-privacy for any prior, even if the
        attacker knows all other people.
    Limits: With many values little is retained. Two releases of the same people multiply: γ² instead of γ.
        Quasi-identifiers are released unchanged.
    Cost: $O(n)$ draws for n records; counts are estimated with a variance of about $\frac{n\,q (1 - q)}{p^2}$, $q = (1
        - p)/m$.
    Paper: R. Agrawal, R. Srikant and D. Thomas, Privacy preserving OLAP, SIGMOD 2005; P. Kairouz, K. Bonawitz and D.
        Ramage, Discrete distribution estimation under local privacy, ICML 2016.
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

    def as_dict(self) -> dict[str, Any]:
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


@card("gamma-diagonal", title="γ-diagonal matrix")
def gamma_diagonal(amplification: float, sizes: Sequence[int]) -> Uniform:
    r"""Whole records are kept or drawn, over the cross product of all columns (FRAPP).

    It protects quasi-identifiers, too. The product is never written out; the marginal of some columns is uniform
    perturbation with the same retention. The variant with random matrix elements is not included.

    Formula: $A_{uu} = \gamma x$ and $A_{uv} = x$ with $x = \frac{1}{\gamma + N - 1}$, over the $N = \prod_j m_j$
        possible records; the retention is $\frac{\gamma - 1}{\gamma - 1 + N}$
    Example: With three columns of ten values each, 1.8 % of the records are kept.
        >>> round(float(gamma_diagonal(19, (10, 10, 10)).retention), 3)
        0.018

    Guarantee: γ-amplification of whole records, hence (ρ1, ρ2)-privacy for any property of a person, quasi-identifiers
        included.
    Limits: It retains very little, since the number of possible records is large. List the possible values of every
        column under ``domains``.
    Cost: $O(n\,a)$ draws for n records of a columns; the condition number of the estimate is $\frac{\gamma + N -
        1}{\gamma - 1}$.
    Paper: S. Agrawal and J. R. Haritsa, A framework for high-accuracy privacy-preserving mining, ICDE 2005.
    """
    size = math.prod(sizes)
    return Uniform(size, largest_retention(amplification, size))
