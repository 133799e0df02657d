"""How well a mix zone mixed: what an observer can still infer from who went in and who came out.

An observer sees n people go in and n come out, and knows how likely entry i is to be exit j, from their places and
times: weights w(i, j). A mapping of entries to exits has a probability in proportion to the product of its weights; the
sum of all products is the permanent of w. Of n people who went in only e may have come out so far: the others are
inside, at n − e places that are all alike. With Z the permanent and p(i, j) the share of it in which i came out as j,
the entropy of the mapping is log Z − Σ p(i, j) log w(i, j), which takes no enumeration of n! mappings: sums over
subsets of exits take 2ⁿ n steps and add only positive numbers.

People who can only have been mixed among themselves are a component, and the entropies of components add up. In a
component of more than `EXACT` people mappings are drawn, and the entropy is the better of two lower bounds. One is −log
of the likeliest mapping's probability: the log of its product minus log Z, where log Z is never less than Σ (1 − p) log
(1 − p) − p log (p / w) for any doubly stochastic p (Gurvits 2011, after Schrijver 1998). The other is the entropy that
is left to an observer who knows everybody else's exit, summed over groups of people: by the chain rule it is at most
the whole. It is estimated by the mean over mappings that were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.floor.randomness import Source
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

EXACT = 14
"""The largest component in which every mapping is counted: 2¹⁴ subsets take some milliseconds."""

NEVER = 1e-12
"""The share in the doubly stochastic weights below which an exit is taken for impossible."""

TOGETHER = 10
"""People of a group whose mappings are counted where those of the whole component cannot be: 2¹⁰ subsets take a tenth
of a millisecond, and larger groups give a better bound."""

SWEEPS = 4000
"""Exchanges tried for each person where mappings are drawn: more bring the shares nearer to the truth, and take
longer."""


@dataclass(frozen=True, eq=False)
class MixQuality:
    """What an observer can infer. ``share[i, j]`` is the probability that entry i is exit j."""

    share: Floats
    entropy: float  # bits of the whole mapping: where not exact, no fewer than this
    exact: bool

    @property
    def entry_bits(self) -> Floats:
        """The entropy about each entry alone: which exit it is, or whether it is still inside."""
        inside = np.maximum(1 - self.share.sum(axis=1), 0.0)
        return np.asarray(-_times_log(self.share).sum(axis=1) - _times_log(inside))

    @property
    def exit_bits(self) -> Floats:
        """The entropy about each exit alone: which entry it is."""
        return np.asarray(-_times_log(self.share).sum(axis=0))

    @property
    def surest(self) -> float:
        """The probability of the observer's surest guess about one person."""
        return float(self.share.max(initial=0.0))

    @property
    def most(self) -> float:
        """The highest entropy that so many people can have: log2 n! where all came out."""
        entries, exits = self.share.shape
        return float(sum(log2(entries - number) for number in range(exits)))


def measure_mix(weights: Floats, source: Source) -> MixQuality:
    """How well people were mixed, given the weights of entries (rows) and exits (columns).

    >>> from cobogo.floor.randomness import Seeded
    >>> found = measure_mix(np.ones((3, 3)), Seeded(1))
    >>> round(found.entropy, 6) == round(log2(6), 6), found.share.round(3)[0].tolist()
    (True, [0.333, 0.333, 0.333])
    >>> round(measure_mix(np.ones((3, 1)), Seeded(1)).entropy, 6) == round(log2(3), 6)  # two of them are inside
    True
    """
    if weights.ndim != 2 or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("The 'weights' parameter of mix must be a table of numbers from 0 on")
    entries, exits = weights.shape
    if entries < exits:
        raise ValueError("The 'weights' parameter of mix must have an entry for every exit")
    if not exits:
        return MixQuality(weights, 0.0, True)
    inside = entries - exits
    padded = np.hstack([weights, np.ones((entries, inside))])
    if not padded.max(axis=1).all():
        raise ValueError("The 'weights' parameter of mix must allow every entry an exit")
    found = _measure_components(padded, source)
    same = sum(
        log2(number) for number in range(2, inside + 1)
    )  # the places inside are all alike: their order is no information
    return MixQuality(found.share[:, :exits], max(found.entropy - same, 0.0), found.exact)


def _measure_components(weights: Floats, source: Source) -> MixQuality:
    """Measure each component by itself; few people are one component."""
    if len(weights) <= EXACT:
        return _component(weights, source)
    share, bits, exact = np.zeros_like(weights), 0.0, True
    for entries, exits in _components(weights / weights.max(axis=1, keepdims=True)):
        part = np.ix_(entries, exits)
        found = _component(weights[part], source)
        share[part], bits, exact = found.share, bits + found.entropy, exact and found.exact
    return MixQuality(share, bits, exact)


def _component(weights: Floats, source: Source) -> MixQuality:
    """Measure one component: by counting, or by drawing and a lower bound."""
    scaled = weights / weights.max(axis=1, keepdims=True)  # a row's factor is in every product: it changes no share
    if len(scaled) <= EXACT:
        share, bits = _count_mappings(scaled)
        return MixQuality(share, bits, True)
    likeliest = likeliest_exits(scaled)
    share, drawn = _draw_mappings(scaled, likeliest, source)
    return MixQuality(
        share, max(_entropy_of_likeliest(scaled, likeliest), _entropy_within_groups(scaled, drawn), 0.0), False
    )


def _count_mappings(weights: Floats) -> tuple[Floats, float]:
    """The shares and the entropy over all mappings."""
    total, share = _sum_over_subsets(weights)
    if not total > 0:
        raise ValueError("The 'weights' parameter of mix must allow at least one mapping")
    known = share > 0
    bits = np.log2(total) - float((share[known] * np.log2(weights[known])).sum())
    return share, max(float(bits), 0.0)


def _entropy_of_likeliest(weights: Floats, likeliest: Ints) -> float:
    """A lower bound of the entropy: −log of the likeliest mapping's probability, with a lower bound of the
    permanent."""
    p = _doubly_stochastic(weights)
    known, less = p > 0, p < 1
    log_permanent = ((1 - p[less]) * np.log2(1 - p[less])).sum() - (p[known] * np.log2(p[known] / weights[known])).sum()
    return float(log_permanent - np.log2(weights[np.arange(len(weights)), likeliest]).sum())


def _entropy_within_groups(weights: Floats, drawn: list[Ints]) -> float:
    """A lower bound of the entropy: that within groups, for an observer who knows the exits of everybody else; two
    standard errors below the mean over drawn mappings."""
    groups = _alike(weights, min(EXACT, TOGETHER))
    bits = np.array([sum(_count_mappings(weights[np.ix_(some, way[some])])[1] for some in groups) for way in drawn])
    return float(bits.mean() - 2 * bits.std(ddof=1) / np.sqrt(len(bits)))


def _alike(weights: Floats, size: int) -> list[Ints]:
    """Groups of at most ``size`` entries with similar exits; they depend on the weights alone."""
    p = _doubly_stochastic(weights)
    likeness, left, groups = p @ p.T, np.ones(len(p), dtype=np.bool_), []
    for entry in range(len(p)):
        if left[entry]:
            near = np.argsort(np.where(left, -likeness[entry], np.inf), kind="stable")[: min(size, int(left.sum()))]
            groups.append(near)
            left[near] = False
    return groups


def _doubly_stochastic(weights: Floats) -> Floats:
    """The weights with rows and columns scaled until each sums to 1, or nearly (Sinkhorn)."""
    p = weights.copy()
    for _ in range(1000):
        p /= p.sum(axis=1, keepdims=True)
        columns = p.sum(axis=0)
        p /= columns
        if np.abs(columns - 1).max() < 1e-9:
            break
    return p


def _components(weights: Floats) -> list[tuple[Ints, Ints]]:
    """The entries and exits of each component. An exit is possible for an entry if some mapping has it, which is so if
    the two are strongly connected through any one mapping (Dulmage and Mendelsohn 1958)."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    own = likeliest_exits(weights)
    if not (weights[np.arange(len(weights)), own] > 0).all():
        raise ValueError("The 'weights' parameter of mix must allow at least one mapping")
    possible = _doubly_stochastic(weights) > NEVER
    possible[np.arange(len(weights)), own] = True
    _, label = connected_components(csr_matrix(possible[:, own]), connection="strong")
    groups = [np.flatnonzero(label == one) for one in range(label.max() + 1)]
    return [(group, own[group]) for group in groups]


def likeliest_exits(weights: Floats) -> Ints:
    """The exit of each entry in the likeliest mapping: an observer's best guess of the whole."""
    from scipy.optimize import linear_sum_assignment

    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    floor = logs[np.isfinite(logs)].min() if np.isfinite(logs).any() else 0.0
    logs = np.where(np.isfinite(logs), logs, floor - 1e6)
    return np.asarray(linear_sum_assignment(logs, maximize=True)[1], dtype=np.int64)


def walking_weights(entries: Points, exits: Points, *, speed: float = 1.4, spread: float = 0.5) -> Floats:
    """Weights of people who walk straight through a zone. The logarithm of their speed is normal with mean log
    ``speed`` (metres a second) and deviation ``spread``; nobody comes out before they went in."""
    if entries.time is None or exits.time is None:
        raise ValueError("The 'entries' and 'exits' parameters of walking must have times")
    away = distance(entries.lon[:, None], entries.lat[:, None], exits.lon, exits.lat)
    took = exits.time - entries.time[:, None]
    pace = np.maximum(away, 1.0) / np.maximum(took, 0.1)
    return np.where(took >= 0, np.exp(-((np.log(pace / speed) / spread) ** 2) / 2), 0.0)


def _times_log(share: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(share > 0, share * np.log2(share), 0.0)


@kernel()
def _sum_over_subsets(weights):  # type: ignore[no-untyped-def]
    """The permanent, and the share of it in which entry i is exit j, by dynamic programming over subsets of exits.

    ``before[s]`` sums the products in which the first entries have the exits of s; ``after[s]`` those of the other
    entries with the other exits.
    """
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


def _draw_mappings(weights: Floats, first: Ints, source: Source) -> tuple[Floats, list[Ints]]:
    """Shares over a Markov chain of exchanges that begins with the likeliest mapping (Metropolis), and some of its
    mappings. The first two of 16 parts are not counted: the chain forgets where it began."""
    n = len(weights)
    share = np.zeros((n, n))
    state, ways = first.copy(), []
    for part in range(16):
        words = source.words(3 * n * SWEEPS // 16).reshape(-1, 3)
        _exchange(weights, state, share, words, part >= 2)
        if part >= 2:
            ways.append(state.copy())
    return np.asarray(share / share.sum(axis=1, keepdims=True)), ways


@kernel()
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
