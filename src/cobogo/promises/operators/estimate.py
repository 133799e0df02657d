"""The original distribution of randomized values: by inversion, which is unbiased, or as the likeliest one."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.promises.operators.base import LARGEST, Operator
from cobogo.promises.operators.uniform import Uniform


def inverted(operator: Operator, observed: Ints) -> Floats:
    """P⁻¹·o/n: unbiased. Entries may be negative, and must stay so where they are summed.

    >>> from fractions import Fraction
    >>> inverted(Uniform(2, Fraction(1, 2)), np.array([60, 40])).round(9).round(9).tolist()
    [0.7, 0.3]
    """
    return operator.inverse(observed.astype(float) / max(int(observed.sum()), 1))


def onto_simplex(estimate: Floats) -> Floats:
    """The distribution nearest to an estimate (in Euclid's distance): to be shown, never to be summed.

    >>> onto_simplex(np.array([1.1, -0.1])).tolist()
    [1.0, 0.0]
    """
    descending = np.sort(estimate)[::-1]
    excess = np.cumsum(descending) - 1
    last = np.flatnonzero(descending - excess / np.arange(1, len(estimate) + 1) > 0)[-1]
    return np.asarray(np.clip(estimate - excess[last] / (last + 1), 0, None))


def likeliest(operator: Operator, observed: Ints, *, rounds: int = 10_000, tolerance: float = 1e-12) -> Floats:
    """The distribution that makes the released values likeliest: expectation maximization (Agrawal and Aggarwal 2001).

    Equal to the inversion wherever that is a distribution; otherwise the best one on the edge.
    """
    shares = observed / max(int(observed.sum()), 1)
    guess = np.full(operator.size, 1 / operator.size)
    matrix = operator.matrix() if operator.size <= LARGEST and not isinstance(operator, Uniform) else None
    before = -np.inf
    for _ in range(rounds):
        seen = operator.spread(guess)
        ratio = np.divide(shares, seen, out=np.zeros_like(seen), where=seen > 0)
        # Uniform perturbation is symmetric: its transpose need not be written out.
        guess = guess * (operator.spread(ratio) if matrix is None else matrix.T @ ratio)
        now = float((shares[shares > 0] * np.log(seen[shares > 0])).sum())
        if now - before <= tolerance:
            break
        before = now
    return guess


def variances(operator: Uniform, shares: Floats, records: int) -> Floats:
    """Of the inverted estimate, over the draws alone (the table is what it is):
    [π·a(1 − a) + (1 − π)·q(1 − q)]/(n·p²), with a = p + q."""
    p, q = float(operator.retention), float(operator.other)
    a = p + q
    return np.asarray((shares * a * (1 - a) + (1 - shares) * q * (1 - q)) / (records * p * p))
