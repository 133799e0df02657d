"""How well a mix zone mixed: what an observer of who went in and who came out can still tell.

An observer sees n people go in and n come out, and how likely it is that one who went in here came out there after so
long: weights w(i, j). A mapping of entries to exits has a probability in proportion to the product of its weights; the
sum of all products is the permanent of w. With Z the permanent and p(i, j) the share of it in which i came out as j,
the entropy of the mapping is log Z − Σ p(i, j) log w(i, j), so that nobody has to go through n! mappings: sums over
subsets of exits take 2ⁿ n steps and add only positive numbers. Above `EXACT` people mappings are drawn instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
from numba import njit

from cobogo.location.geometry import Floats, distance
from cobogo.location.points import Ints, Points
from cobogo.randomness import Source

EXACT = 14
"""Up to so many people every mapping is counted."""

SWEEPS = 4000
"""Exchanges tried for each person where mappings are drawn."""


@dataclass(frozen=True, eq=False)
class Mix:
    """What is left to an observer. ``share`` has a row for each entry and a column for each exit."""

    share: Floats
    entropy: float  # bits of the whole mapping: where not exact, no more than this
    exact: bool

    @property
    def each(self) -> Floats:
        """Bits that are left about each person alone."""
        return np.asarray(-_times_log(self.share).sum(axis=1))

    @property
    def surest(self) -> float:
        """The probability of an observer's best guess about the person they are surest of."""
        return float(self.share.max(initial=0.0))

    @property
    def most(self) -> float:
        """Bits that so many people could have at best: log2 n!."""
        return float(sum(log2(number) for number in range(2, len(self.share) + 1)))


def mix(weights: Floats, source: Source) -> Mix:
    """How well people with these weights of entries (rows) and exits (columns) were mixed.

    >>> from cobogo.randomness import Seeded
    >>> found = mix(np.ones((3, 3)), Seeded(1))
    >>> round(found.entropy, 6) == round(log2(6), 6), found.share.round(3)[0].tolist()
    (True, [0.333, 0.333, 0.333])
    """
    n = len(weights)
    if weights.shape != (n, n) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("The 'weights' parameter of mix must be a square of numbers from 0 on")
    if n == 0:
        return Mix(weights, 0.0, True)
    scale = weights.max(axis=1, keepdims=True)
    if not scale.all():
        raise ValueError("The 'weights' parameter of mix must allow every entry an exit")
    scaled = weights / scale  # a row's factor is in every product: it changes no share
    if n <= EXACT:
        total, share = _by_subsets(scaled)
        if not total > 0:
            raise ValueError("The 'weights' parameter of mix must allow at least one mapping")
        known = share > 0
        bits = np.log2(total) - float((share[known] * np.log2(scaled[known])).sum())
        return Mix(share, max(float(bits), 0.0), True)
    share = _drawn(scaled, best(scaled), source)
    found = Mix(share, 0.0, False)
    return Mix(share, float(min(found.each.sum(), found.most)), False)


def best(weights: Floats) -> Ints:
    """The exit of each entry in the likeliest mapping: an observer's best guess of all of it."""
    from scipy.optimize import linear_sum_assignment

    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    floor = logs[np.isfinite(logs)].min() if np.isfinite(logs).any() else 0.0
    logs = np.where(np.isfinite(logs), logs, floor - 1e6)
    return np.asarray(linear_sum_assignment(logs, maximize=True)[1], dtype=np.int64)


def walking(entries: Points, exits: Points, *, speed: float = 1.4, spread: float = 0.5) -> Floats:
    """Weights of people who walk straight through: the logarithm of their speed is normal about that of ``speed``
    metres a second with a deviation of ``spread``. Nobody comes out before going in."""
    if entries.time is None or exits.time is None:
        raise ValueError("The 'entries' and 'exits' parameters of walking must have times")
    away = distance(entries.lon[:, None], entries.lat[:, None], exits.lon, exits.lat)
    took = exits.time - entries.time[:, None]
    pace = np.maximum(away, 1.0) / np.maximum(took, 0.1)
    return np.where(took >= 0, np.exp(-((np.log(pace / speed) / spread) ** 2) / 2), 0.0)


def _times_log(share: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(share > 0, share * np.log2(share), 0.0)


@njit(cache=True, nogil=True)
def _by_subsets(weights):  # type: ignore[no-untyped-def]
    """The permanent, and the share of it in which each entry came out as each exit."""
    n = len(weights)
    size = 1 << n
    before, after, share = np.zeros(size), np.zeros(size), np.zeros((n, n))
    before[0] = 1.0
    after[size - 1] = 1.0
    many = np.zeros(size, np.int64)
    for taken in range(1, size):
        many[taken] = many[taken >> 1] + (taken & 1)
        for exit_ in range(n):
            if taken >> exit_ & 1:
                before[taken] += before[taken ^ (1 << exit_)] * weights[many[taken] - 1, exit_]
    for taken in range(size - 2, -1, -1):
        for exit_ in range(n):
            if not taken >> exit_ & 1:
                after[taken] += after[taken | 1 << exit_] * weights[many[taken], exit_]
    total = before[size - 1]
    if total > 0:
        for taken in range(size - 1):
            for exit_ in range(n):
                if not taken >> exit_ & 1:
                    entry = many[taken]
                    share[entry, exit_] += before[taken] * weights[entry, exit_] * after[taken | 1 << exit_] / total
    return total, share


def _drawn(weights: Floats, first: Ints, source: Source) -> Floats:
    """Shares of a chain of exchanges that begins with the likeliest mapping (Metropolis)."""
    n = len(weights)
    share = np.zeros((n, n))
    state = first.copy()
    for part in range(16):
        words = source.words(3 * n * SWEEPS // 16).reshape(-1, 3)
        _exchange(weights, state, share, words, part >= 2)
    return np.asarray(share / share.sum(axis=1, keepdims=True))


@njit(cache=True, nogil=True)
def _exchange(weights, state, share, words, counted):  # type: ignore[no-untyped-def]
    n = len(state)
    for step in range(len(words)):
        one, other = np.int64(words[step, 0] % np.uint64(n)), np.int64(words[step, 1] % np.uint64(n))
        now = weights[one, state[one]] * weights[other, state[other]]
        then = weights[one, state[other]] * weights[other, state[one]]
        if then >= now or np.float64(words[step, 2] >> np.uint64(11)) * 2.0**-53 * now < then:
            state[one], state[other] = state[other], state[one]
        if counted and step % n == 0:
            for entry in range(n):
                share[entry, state[entry]] += 1.0
