"""Detection power: which shares a collection can detect, before any client is asked.

A value is detected when its estimate is significantly above zero: noise alone lifts any of the values so far with a
probability of at most ``alpha``, since each of the m candidates is tested, one-sided, at alpha / m (Bonferroni). With a
standard error of σ₀ where no client holds the value and σ₁ where a share f of n users does, it is detected with
probability ``power`` when f·n ≥ z(1 − alpha/m)·σ₀ + z(power)·σ₁ (normal approximation: counts of reports in the tens or
more). Shares are shares of the users who report. Nothing here reads data, so it costs no privacy.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist
from typing import Protocol

import numpy as np

from cobogo.floor.arrays import Floats

ALPHA = 0.05
POWER = 0.9
MOST_USERS = 10**12
"""The search ends here: no collection has more users."""


class Detectable(Protocol):
    """Anything that estimates how many users hold a value: every `cobogo.collect.oracle.Oracle`, and the decoding of
    RAPPOR (`cobogo.collect.rappor.decode.Decoding`)."""

    @property
    def values(self) -> int:
        """How many candidates are tested."""

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each value, where so many of the users hold each."""


def threshold(what: Detectable, users: int, *, alpha: float = ALPHA, candidates: int | None = None) -> float:
    """The estimate, in users, above which a value is significant.

    >>> from cobogo.collect.mechanisms import MECHANISMS
    >>> round(threshold(MECHANISMS["oue"](100, 1.0), 1_000_000))
    6315
    """
    return _quantile(1 - _level(what, alpha, candidates)) * _error(what, 0.0, users)


def too_few(what: Detectable, users: int, *, alpha: float = ALPHA, candidates: int | None = None) -> bool:
    """Whether the noise of so few reports hides even a value that every client holds.

    >>> from cobogo.collect.mechanisms import MECHANISMS
    >>> too_few(MECHANISMS["grr"](4, 1.0), 1), too_few(MECHANISMS["grr"](4, 1.0), 100)
    (True, False)
    """
    if not users:
        return True
    noise = sqrt(float(what.variance(np.zeros(1), users)[0]))
    return _quantile(1 - _level(what, alpha, candidates)) * noise >= users


def detection(
    what: Detectable, share: float, users: int, *, alpha: float = ALPHA, candidates: int | None = None
) -> float:
    """The probability that a value of a share is detected: the power of the test."""
    _check_share(share)
    above = share * users - threshold(what, users, alpha=alpha, candidates=candidates)
    return NormalDist().cdf(above / _error(what, share, users))


def smallest_share(
    what: Detectable, users: int, *, alpha: float = ALPHA, power: float = POWER, candidates: int | None = None
) -> float | None:
    """The smallest share that so many users detect with that power; None where they would not even detect a value that
    all of them hold.

    >>> from cobogo.collect.mechanisms import MECHANISMS
    >>> f"{smallest_share(MECHANISMS['oue'](100, 1.0), 1_000_000):.2%}"
    '0.88%'
    """
    _check_users(users)

    def is_detected(share: float) -> bool:
        return _lead(what, share, users, alpha, power, candidates) >= 0

    if not is_detected(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-12 + 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high


def required_users(
    what: Detectable, share: float, *, alpha: float = ALPHA, power: float = POWER, candidates: int | None = None
) -> int | None:
    """The number of users who detect a value of a share with that power; None where no number does (a sketch whose
    collisions hide the value: make it larger).

    >>> from cobogo.collect.mechanisms import MECHANISMS
    >>> required_users(MECHANISMS["oue"](100, 1.0), 0.01)
    770413
    """
    _check_share(share)
    if not share:
        return None

    def is_detected(users: int) -> bool:
        return _lead(what, share, users, alpha, power, candidates) >= 0

    high = ceil(1 / share)
    while not is_detected(high):
        high *= 2
        if high > MOST_USERS:
            return None
    low = high // 2
    if low < ceil(1 / share):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high


def _lead(what: Detectable, share: float, users: int, alpha: float, power: float, candidates: int | None) -> float:
    """By how many users a share exceeds what is detected with that power."""
    if not 0.5 <= power < 1:
        raise ValueError(f"The 'power' parameter of detection must be of 0.5 to below 1. Got {power!r} instead")
    needed = threshold(what, users, alpha=alpha, candidates=candidates)
    return share * users - needed - _quantile(power) * _error(what, share, users)


def _error(what: Detectable, share: float, users: int) -> float:
    """The standard error of a value of that share, where all the others hold one other value: the most that
    collisions can do."""
    _check_users(users)
    held = np.array([share * users, (1 - share) * users])
    return sqrt(float(what.variance(held, users)[0]))


def _level(what: Detectable, alpha: float, candidates: int | None) -> float:
    if not 0 < alpha < 1:
        raise ValueError(f"The 'alpha' parameter of detection must be above 0 and below 1. Got {alpha!r} instead")
    tested = what.values if candidates is None else candidates
    if tested < 1:
        raise ValueError(f"The 'candidates' parameter of detection must be 1 or more. Got {tested!r} instead")
    return alpha / tested


def _check_users(users: int) -> None:
    if users < 1:
        raise ValueError(f"The 'users' parameter of detection must be 1 or more. Got {users!r} instead")


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError(f"The 'share' parameter of detection must be of 0 to 1. Got {share!r} instead")


def _quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)
