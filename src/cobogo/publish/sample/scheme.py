"""How a sample is drawn: which share, at which levels, and how many of its records must be equal.

The levels are stated by the policy or chosen by the exponential mechanism, never by looking at the data.

Each record is sampled with probability β, made coarser by a function that does not depend on the others, and released
if at least k of the sampled records are then equal. Of n records that become equal, j are released with the probability
of Bin(n, β) (none, if j < k). One record more changes n by one, and

    f(j; n, β) / f(j; n−1, β) = n(1−β)/(n−j) ≤ e^ε   while   j ≤ γn,  γ = 1 − (1−β)e^(−ε);

the other way the ratio is at most 1/(1−β), so that β ≤ 1 − e^(−ε). What is left is δ: that j is above both k and γn,

    δ(k) = max over n ≥ n_m of P[Bin(n, β) > γn],  n_m = ⌈k/γ − 1⌉,

for below n_m the tail from k on grows with n. (Li, Qardaji & Su 2012, Theorem 1; Bild, Kuhn & Prasser 2018.)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build_for_table
from cobogo.data.policy import IntervalsHierarchy, MaskHierarchy, PathHierarchy, Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.mechanisms.selection import ExponentialMechanism

FINEST = 10**9
"""The share of a sample is a multiple of 1/FINEST, so that the manifest states it exactly."""

SHARES = 20
"""Shares that `best_share` tries, at equal distances. More would refine β, but k/β is flat around its minimum."""

LARGEST_K = 1 << 20
AT_ONCE = 4096
CAREFUL = 1 + 1e-6
"""Computed tails are multiplied by this, far more than the rounding error of SciPy's binomial tail."""


@dataclass(frozen=True)
class SamplingParameters:
    """A share β, and the least k that meets (ε, δ) with it."""

    epsilon: float
    delta: float
    share: Fraction
    k: int


def largest_share(epsilon: float) -> Fraction:
    """1 − e^(−ε), rounded down."""
    return Fraction(int(-math.expm1(-epsilon) * FINEST * (1 - 1e-12)), FINEST)


def best_share(epsilon: float, delta: float, where: str) -> Fraction:
    """The share for which the fewest equal records are needed for a release: k/β of them, on average.

    Among shares within a tenth of the best, the largest is taken. It depends on ε and δ alone.
    """
    most = largest_share(epsilon)
    shares = [most * step / SHARES for step in range(SHARES, 0, -1)]
    needed = [least_k(epsilon, delta, float(share), where) / float(share) for share in shares]
    best = next(share for share, number in zip(shares, needed, strict=True) if number <= 1.1 * min(needed))
    return Fraction(int(best * FINEST), FINEST)


@card("private-sample", title="private sample")
def parameters(epsilon: float, delta: float, share: float | None, where: str) -> SamplingParameters:
    r"""A private sample: true rows, made coarser; which of them are released is decided at random.

    Each record is drawn with probability β, made coarser by levels that do not depend on the data, and released if at
    least k of the drawn records are equal. β and k follow from ε and δ: of all β that ε allows, the one with the
    smallest k is taken.

    Formula: $\beta \le 1 - e^{-\varepsilon}$ and $\delta = \max_{n \ge \lceil k/\gamma - 1 \rceil} \Pr[\mathrm{Bin}(n,
        \beta) > \gamma n]$ with $\gamma = 1 - (1 - \beta)\,e^{-\varepsilon}$
    Example:
        >>> found = parameters(1.0, 1e-6, None, "policy")
        >>> float(found.share), found.k
        (0.410878362, 32)

    Guarantee: (ε, δ)-differential privacy for one record.
    Limits: Rows that fewer than about k/β people share are lost. Tables in which a person has several records are
        refused. The levels must not be chosen by looking at the data; the policy sets them, or a part of ε pays for the
        choice.
    Cost: $O(n)$ to draw; k is found by adding up binomial tails.
    Paper: N. Li, W. Qardaji and D. Su, On sampling, anonymization, and differential privacy or, k-anonymization meets
        differential privacy, ASIACCS 2012; R. Bild, K. A. Kuhn and F. Prasser, SafePub: a truthful data anonymization
        algorithm with strong privacy guarantees, Proceedings on Privacy Enhancing Technologies, 2018.
    """
    most = largest_share(epsilon)
    if not 0 < delta < 1:
        raise PolicyError(
            tr("a sample needs a δ above 0 and below 1"),
            where=f"{where}, privacy.models",
            remedy=tr("Set delta = 1e-6, or another probability far below 1 divided by the number of records."),
        )
    chosen = (
        best_share(epsilon, delta, where) if share is None else Fraction(int(Fraction(str(share)) * FINEST), FINEST)
    )
    if not 0 < chosen <= most:
        raise PolicyError(
            tr(
                "the share of the sample is {chosen:g}, and ε = {epsilon:g} allows at most {most:g}",
                chosen=float(chosen),
                epsilon=epsilon,
                most=float(most),
            ),
            where=f"{where}, sampling.share",
            remedy=tr("Lower share, raise ε, or leave out share."),
        )
    return SamplingParameters(epsilon, delta, chosen, least_k(epsilon, delta, float(chosen), where))


def least_k(epsilon: float, delta: float, share: float, where: str = "policy") -> int:
    """The least k with δ(k) ≤ δ, by bisection: δ(k) falls with k."""
    high = 1
    while delta_of(high, epsilon, share) > delta:
        high *= 2
        if high > LARGEST_K:
            raise PolicyError(
                tr("no number of equal rows is enough for this ε and δ"),
                where=where,
                remedy=tr("Raise ε or δ, or lower share."),
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if delta_of(middle, epsilon, share) <= delta else (middle, high)
    return high


def delta_of(k: int, epsilon: float, share: float) -> float:
    """An upper bound on δ(k): tails are computed over n until no later one can be larger.

    P[Bin(n, β) > γn] is at most e^(−n·D), D the divergence of γ from β.
    """
    from scipy.special import bdtrc

    gamma = 1 - (1 - share) * math.exp(-epsilon)
    if gamma <= share:
        return 1.0
    rest = (1 - gamma) * math.log((1 - gamma) / (1 - share)) if gamma < 1 else 0.0
    divergence = gamma * math.log(gamma / share) + rest
    worst, start = 0.0, max(1, math.ceil(k / gamma - 1 - 1e-9))
    while math.exp(-start * divergence) * CAREFUL > worst:
        n = np.arange(start, start + AT_ONCE)
        threshold = np.minimum(np.floor(gamma * n - 1e-9), n - 1)
        worst = max(worst, float(bdtrc(threshold, n, share).max()) * CAREFUL)
        start += AT_ONCE
    return min(1.0, worst)


MOST_SCHEMES = 10_000
FULL = 1000
"""The worth, for each record, of a scheme that changes nothing. Scores are whole numbers, so a larger one makes them
finer; the sensitivity grows with it, so that probabilities stay the same."""

Levels = Mapping[str, int]


@dataclass(frozen=True, eq=False, repr=False)
class Coarser:
    """The distinct rows of a table's released columns, and the hierarchies that make them coarser."""

    counted: FrequencyTable
    hierarchies: Mapping[str, Hierarchy]  # of the quasi-identifiers

    def classes(self, levels: Levels) -> tuple[Ints, Ints]:
        """The class of each distinct row, and the number of records of each class."""
        keys = np.zeros(len(self.counted.counts), dtype=np.int64)
        for place, name in enumerate(self.counted.quasi_identifiers):
            codes = self.codes(name, levels)[self.counted.codes[:, place]]
            _, keys = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
        return keys, np.bincount(keys, weights=self.counted.counts).astype(np.int64)

    def codes(self, name: str, levels: Levels) -> Ints:
        """The released value of each value of a column, as an index into `labels`."""
        values = self.counted.values[name]
        if name not in levels:
            return np.arange(len(values))
        hierarchy = self.hierarchies[name]
        return hierarchy.maps[levels[name]][hierarchy.encode(values)].astype(np.int64)

    def labels(self, name: str, levels: Levels) -> Sequence[str | None]:
        """The released values of a column."""
        return self.hierarchies[name].labels[levels[name]] if name in levels else self.counted.values[name]


def build_coarser(policy: Policy, table: Table, counted: FrequencyTable) -> Coarser:
    """Build the hierarchies; refuse those in which a value's generalization depends on other values."""
    made = {name: build_for_table(name, policy, table, counted) for name in policy.quasi_identifiers}
    for name in policy.quasi_identifiers:
        spec = policy.attributes[name].hierarchy
        if isinstance(spec, IntervalsHierarchy):
            numbers = (*spec.intervals, spec.origin, spec.lower, spec.upper, spec.bottom_code, spec.top_code)
            stated = max(_decimals(repr(number), ".") for number in numbers if number is not None)
            mark = spec.decimal or policy.data.decimal
            found = max((_decimals(value, mark) for value in counted.values[name] if value is not None), default=0)
            if found > stated:
                raise PolicyError(
                    tr(
                        "numbers of the data have more decimals than the interval widths of the policy "
                        "({stated}), which would change how intervals are written",
                        stated=stated,
                    ),
                    where=tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=name),
                    remedy=tr("Round the numbers, or write a width with as many decimals."),
                )
    return Coarser(counted, made)


def _decimals(text: str, mark: str) -> int:
    return len(text.partition(mark)[2].rstrip("0"))


def stated_levels(policy: Policy, made: Coarser) -> dict[str, int]:
    """The levels that the policy states, checked against the hierarchies."""
    assert policy.sampling is not None
    levels = dict(policy.sampling.levels or {})
    for name, level in levels.items():
        where = f"{policy.name}, sampling.levels.{name}"
        if name not in made.hierarchies:
            raise PolicyError(
                tr("is not a quasi-identifier"),
                where=where,
                remedy=tr("Quasi-identifiers: {names}.", names=", ".join(made.hierarchies)),
            )
        if level > made.hierarchies[name].height:
            raise PolicyError(
                tr("the highest level of the hierarchy is {height}", height=made.hierarchies[name].height),
                where=where,
                remedy=tr("Lower the level."),
            )
    return levels


def candidates(policy: Policy, made: Coarser, fixed: Levels) -> list[dict[str, int]]:
    """All schemes that the policy allows. Their number must not depend on the data."""
    free = [name for name in made.hierarchies if name not in fixed]
    ranges = []
    for name in free:
        attribute = policy.attributes[name]
        if isinstance(attribute.hierarchy, MaskHierarchy | PathHierarchy):
            raise PolicyError(
                tr("the number of levels depends on the data, so a level cannot be chosen privately"),
                where=tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=name),
                remedy=tr("Give its level: sampling.levels.{name}.", name=name),
            )
        height = made.hierarchies[name].height
        most = height if attribute.max_level is None else min(height, attribute.max_level)
        ranges.append(range(attribute.min_level, most + 1))
    number = math.prod(len(one) for one in ranges)
    if number > MOST_SCHEMES:
        raise PolicyError(
            tr(
                "there are {number:,} combinations of levels to choose from, and the limit is {most:,}",
                number=number,
                most=MOST_SCHEMES,
            ),
            where=f"{policy.name}, sampling",
            remedy=tr("Give the levels of some attributes under levels, or narrow them with min-level and max-level."),
        )
    return [{**fixed, **dict(zip(free, levels, strict=True))} for levels in itertools.product(*ranges)]


def choose_levels(
    made: Coarser, schemes: Sequence[dict[str, int]], least: int, epsilon: Fraction, weights: Mapping[str, float]
) -> dict[str, int]:
    """Choose one scheme by the exponential mechanism.

    Its score is its `worth` times the sum, over classes, of the records beyond ``least``: one record more or less
    changes that sum by at most 1, and the score by at most `FULL`.
    """
    scores = [worth(made, levels, weights) * count_beyond(made.classes(levels)[1], least) for levels in schemes]
    return dict(schemes[ExponentialMechanism(FULL, epsilon).choose(scores)])


def worth(made: Coarser, levels: Levels, weights: Mapping[str, float]) -> int:
    """The mean over quasi-identifiers of how far below the top they are, from 0 (all ``*``) to `FULL`."""
    total = math.fsum(weights.values())
    detail = math.fsum(
        weights[name] * (1 - levels[name] / hierarchy.height if hierarchy.height else 1)
        for name, hierarchy in made.hierarchies.items()
    )
    return max(0, min(FULL, int(FULL * detail / total)))


def count_beyond(sizes: Ints, least: int) -> int:
    """Σ max(0, n − least) over classes."""
    return int(np.maximum(sizes - least, 0).sum())
