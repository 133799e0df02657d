"""Tests whether released values can have been drawn by an operator, with a fixed and tiny chance of a false alarm."""

from __future__ import annotations

import math

import numpy as np

from cobogo.floor.arrays import Floats, Ints

FALSE_ALARM = 1e-9
"""The probability, at most, that a test of all the values of a release fails one that was drawn as stated."""


def too_few(observed: Ints, records: int, least: Floats) -> Ints:
    """The values of which fewer were released than any original leads to: ``least`` are the smallest probabilities.

    The number of records with a value is a sum of independent draws of at least these probabilities, so that its tail
    is at most exp(−n·KL(o/n ‖ q)) (Hoeffding 1963, whether or not the draws have equal probabilities).
    """
    return _beyond(observed, records, least, below=True)


def too_many(observed: Ints, records: int, most: Floats) -> Ints:
    """The values of which more were released than any original leads to."""
    return _beyond(observed, records, most, below=False)


def unlike(observed: Ints, expected: Floats) -> Ints:
    """The values that were released more or less often than the original, of which this many are ``expected``."""
    records = int(observed.sum())
    shares = expected / records
    return np.union1d(_beyond(observed, records, shares, below=True), _beyond(observed, records, shares, below=False))


def _beyond(observed: Ints, records: int, shares: Floats, *, below: bool) -> Ints:
    if not records:
        return np.zeros(0, dtype=np.int64)
    found = observed / records
    threshold = math.log(2 * len(observed) / FALSE_ALARM)
    suspicious = found < shares if below else found > shares
    return np.flatnonzero(suspicious & (records * divergence(found, np.clip(shares, 0, 1)) > threshold))


def divergence(found: Floats, shares: Floats) -> Floats:
    """KL(found ‖ share) of two coins, in nats.

    >>> divergence(np.array([0.5, 0.0]), np.array([0.5, 0.5])).round(3).tolist()
    [0.0, 0.693]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(found > 0, found * np.log(found / shares), 0.0)
        tails = np.where(found < 1, (1 - found) * np.log((1 - found) / (1 - shares)), 0.0)
    return np.asarray(heads + tails)
