"""How likely chance alone shows as much: far into the tail, where normal errors say too little of rare reports."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints


def tail(support: Ints, expected: Floats, users: int, disturbed: float = 0.0) -> Floats:
    """How likely a count of reports is at least as high, of which so many are expected: binomial where nothing else
    disturbs it, with more variance binomial or negative binomial of the same mean and variance.

    >>> tail(np.array([8]), np.array([5.0]), 10).round(6).tolist()  # of ten coins, eight or more: 56/1024
    [0.054688]
    >>> tail(np.array([1]), np.array([0.3]), 1).round(6).tolist()  # one report, and it supports the value
    [0.3]
    """
    from scipy.special import betainc, gammainc

    if not users:
        return np.ones(len(support))
    expected = np.clip(expected, 1e-9, users * (1 - 1e-9))
    variance = expected * (1 - expected / users) + disturbed
    least = np.maximum(support.astype(np.float64), 1e-9)
    ratio = variance / expected
    under = ratio < 1 - 1e-9
    over = ratio > 1 + 1e-9
    found = np.asarray(gammainc(least, expected), dtype=np.float64)
    size = np.where(under, expected / np.where(under, 1 - ratio, 1), 0) if disturbed else np.full(len(support), users)
    binomial = betainc(least, np.maximum(size - least + 1, 1e-9), np.where(under, 1 - ratio, 0.5))
    beyond = least > size * (1 + 1e-9)  # all of the reports are not more than all of them: rounding must not say so
    found = np.where(under, np.where(beyond, 0.0, binomial), found)
    shape = np.where(over, expected / np.where(over, ratio - 1, 1), 1)
    negative = betainc(least, shape, np.where(over, 1 - 1 / np.where(over, ratio, 2), 0.5))
    return np.where(support <= 0, 1.0, np.where(over, negative, found))
