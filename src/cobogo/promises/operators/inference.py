"""What released values tell of the original ones, and whether an operator can have drawn them.

The original distribution is estimated by inversion, which is unbiased, or by likelihood. The tests have a fixed and
tiny probability of a false alarm.
"""

from __future__ import annotations

import math

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.promises.operators.base import LARGEST, Operator
from cobogo.promises.operators.uniform import Uniform


def estimate_by_inversion(operator: Operator, observed: Ints) -> Floats:
    """P⁻¹·o/n: unbiased. Entries may be negative, and must stay so where they are summed.

    >>> from fractions import Fraction
    >>> estimate_by_inversion(Uniform(2, Fraction(1, 2)), np.array([60, 40])).round(9).round(9).tolist()
    [0.7, 0.3]
    """
    return operator.inverse(observed.astype(float) / max(int(observed.sum()), 1))


def project_onto_simplex(estimate: Floats) -> Floats:
    """The distribution nearest to an estimate, in Euclidean distance. Show it, but do not add it up: it is biased.

    >>> project_onto_simplex(np.array([1.1, -0.1])).tolist()
    [1.0, 0.0]
    """
    descending = np.sort(estimate)[::-1]
    excess = np.cumsum(descending) - 1
    last = np.flatnonzero(descending - excess / np.arange(1, len(estimate) + 1) > 0)[-1]
    return np.asarray(np.clip(estimate - excess[last] / (last + 1), 0, None))


def estimate_by_likelihood(
    operator: Operator, observed: Ints, *, rounds: int = 10_000, tolerance: float = 1e-12
) -> Floats:
    """The distribution of maximum likelihood, by expectation maximization (Agrawal and Aggarwal 2001).

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
    """The variance of each share that is estimated by inversion, over the draws alone (the table is fixed):
    [π·a(1 − a) + (1 − π)·q(1 − q)]/(n·p²), with a = p + q."""
    p, q = float(operator.retention), float(operator.other)
    a = p + q
    return np.asarray((shares * a * (1 - a) + (1 - shares) * q * (1 - q)) / (records * p * p))


FALSE_ALARM = 1e-9
"""The largest probability that a release which was drawn as stated fails a test of all its values."""


def unexpectedly_rare(observed: Ints, records: int, least: Floats) -> Ints:
    """The values that appear more rarely than any original can explain; ``least`` are the smallest probabilities.

    The number of records with a value is a sum of independent draws of at least these probabilities, so that its tail
    is at most exp(−n·KL(o/n ‖ q)) (Hoeffding 1963, whether or not the draws have equal probabilities).
    """
    return _outliers(observed, records, least, below=True)


def unexpectedly_frequent(observed: Ints, records: int, most: Floats) -> Ints:
    """The values that appear more often than any original can explain; ``most`` are the largest probabilities."""
    return _outliers(observed, records, most, below=False)


def unexpected_counts(observed: Ints, expected: Floats) -> Ints:
    """The values that appear more or less often than the ``expected`` counts can explain."""
    records = int(observed.sum())
    shares = expected / records
    return np.union1d(
        _outliers(observed, records, shares, below=True), _outliers(observed, records, shares, below=False)
    )


def _outliers(observed: Ints, records: int, shares: Floats, *, below: bool) -> Ints:
    if not records:
        return np.zeros(0, dtype=np.int64)
    found = observed / records
    threshold = math.log(2 * len(observed) / FALSE_ALARM)
    suspicious = found < shares if below else found > shares
    return np.flatnonzero(suspicious & (records * coin_divergence(found, np.clip(shares, 0, 1)) > threshold))


def coin_divergence(found: Floats, shares: Floats) -> Floats:
    """KL(found ‖ share) of two Bernoulli distributions, in nats.

    >>> coin_divergence(np.array([0.5, 0.0]), np.array([0.5, 0.5])).round(3).tolist()
    [0.0, 0.693]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(found > 0, found * np.log(found / shares), 0.0)
        tails = np.where(found < 1, (1 - found) * np.log((1 - found) / (1 - shares)), 0.0)
    return np.asarray(heads + tails)
