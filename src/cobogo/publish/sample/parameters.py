"""Which share may be sampled, and how many sampled records must be equal, for (ε, δ)-differential privacy.

Each record is sampled with probability β, made coarser by a function that does not depend on the others, and released
if at least k of the sampled records are then equal. Of n records that become equal, j are released with the probability
of Bin(n, β) (none, if j < k). One record more changes n by one, and

    f(j; n, β) / f(j; n−1, β) = n(1−β)/(n−j) ≤ e^ε   while   j ≤ γn,  γ = 1 − (1−β)e^(−ε);

the other way the ratio is at most 1/(1−β), so that β ≤ 1 − e^(−ε). What is left is δ: that j is above both k and γn,

    δ(k) = max over n ≥ n_m of P[Bin(n, β) > γn],  n_m = ⌈k/γ − 1⌉,

for below n_m the tail from k on grows with n. (Li, Qardaji & Su 2012, Theorem 1; Bild, Kuhn & Prasser 2018.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr

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
