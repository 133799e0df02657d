"""How far the drawn list may be from the true one before it is left out of the draw, and what that costs.

**The mechanism.** A list of counts f₁ ≥ f₂ ≥ … is a Young diagram: a column of fᵢ cells for each item. One
account more or less adds or takes one cell, so the score u(f, g) = −‖f − g‖₁ = −|f Δ g| has sensitivity 1, and the
exponential mechanism draws g with P(g) ∝ q^|f Δ g| over *all* partitions, q = e^(−ε′/2). It is ε′-differentially
private.

**The walk.** The rim of a diagram is a path of steps down (D) and right (R) that meets every diagonal once. Let d_t
be by how many cells the rim of g lies outside that of f on diagonal t; then |f Δ g| = Σ |d_t|, and where f steps D, d
stays or grows by 1, where f steps R it stays or falls by 1. So g is a Markov chain with two ways at every step, and
is drawn from backward sums over one row of states: exactly, but for the states that are left out.

**What is left out.** Let L_t(w), R_t(w) be the sums over all that lies left and right of diagonal t where d_t = w,
each with the weight of t. By induction over the steps, for w ≥ 0,

    L(w+1) ≤ ρ_w·L(w),  ρ_w = q^(w+1) / (1 − q^(w+1)),

and the same for R, and for w ≤ 0 mirrored. (A step D: q(1 + ρ_w) = ρ_w(1 + 1/ρ_(w−1)), which is how ρ is chosen; a
step R: ρ falls with w.) So P(d_t = w+1) ≤ (ρ_w²/q)·P(d_t = w): it falls like q^(w²)/(q;q)_w², the law of the side of
a Durfee square, which it is for the empty list. Hence, each with its bound below:

* *bands*: |d| > W at some corner of f. Between corners d is monotone.
* *pins*: in a straight run of more than 2M steps, d ≠ 0 at M steps from either end. After m straight steps, the ratio
  is at most q^m·ρ_w, so P(d > 0) ≤ Σ_w q^(mw)·q^(w²)/(q;q)_w² ≤ 2x, x = q^(m+1)/(1−q)² ≤ ½.
* *flushes*: sums that are below 2^−940 of the largest on their diagonal.

Let η bound all of them together. What is drawn is the law above, given that nothing of this happened, up to rounding:
sums of positive floats keep every probability within a factor e^(±γ) of that. Then, for neighbours f and f′ and any
set,

    P̂_f(S) ≤ e^(ε′+2γ)/(1−η)·P̂_f′(S) + e^(ε′+γ)·η/(1−η).

So ε = ε′ + 2γ − ln(1−η) and δ = e^(ε′+γ)·η/(1−η). Nothing here looks at the data: W, M and γ are for every list
within the limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from cobogo.errors import PolicyError
from cobogo.floor.language import tr

MOST_ACCOUNTS = 2**29
MOST_COUNTS = 2**15
"""Distinct counts that a list of so many accounts can have: m of them need m(m + 1)/2 accounts."""

MOST_STEPS = 2**30
"""Steps of the rim that can be walked: the items and the largest count are together at most one more than the accounts,
and the rim's straight ends are cut."""

ROUNDING = 16 * MOST_STEPS * 2.0**-53
"""γ: each step costs a probability at most ten roundings of 2^−53."""

FLUSHED = -940
"""The power of two, of the largest sum on a diagonal, below which a sum is taken for nothing."""

LEAST_EPSILON, MOST_EPSILON = Fraction(6, 1000), Fraction(20)


@dataclass(frozen=True)
class DistanceBounds:
    """The limits of the draw: ``q``, the band of states that are kept, the length of straight runs that is kept."""

    q: float
    band: int
    run: int
    omitted: float  # η, a bound on the probability of all that is left out

    @property
    def scaling_interval(self) -> int:
        """How many steps may be walked before sums must be rescaled to stay within the range of floats."""
        return max(1, int(80 / (1 + self.band * -math.log2(self.q))))


def bounds(epsilon: Fraction, delta: Fraction) -> DistanceBounds:
    """Find the widest law that (ε, δ) allows.

    >>> found = bounds(Fraction(1), Fraction(1, 10**9))
    >>> round(-2 * math.log(found.q), 4), found.band, found.run
    (1.0, 8, 77)
    """
    if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise PolicyError(
            tr(
                "must be between {least} and {most:g}. Got {epsilon:g} instead",
                least=float(LEAST_EPSILON),
                most=float(MOST_EPSILON),
                epsilon=float(epsilon),
            ),
            where="epsilon",
            remedy=tr(
                "Choose a value in this range: below it, the noise cannot be drawn exactly; above it, "
                "there is hardly any noise."
            ),
        )
    if not Fraction(1, 10**18) <= delta <= min(epsilon, Fraction(1)) / 10:
        raise PolicyError(
            tr("must be between 1e-18 and a tenth of ε, and at most 0.1. Got {delta:g} instead", delta=float(delta)),
            where="delta",
            remedy=tr("Choose a probability far below 1 divided by the number of accounts, such as 1e-9."),
        )
    failing = float(delta) * math.exp(-float(epsilon)) * 0.999
    inner = float(epsilon) - 2 * ROUNDING - 2 * failing
    q = math.nextafter(math.exp(-inner / 2), 1) * (1 + 2.0**-50)
    run = _run(q, failing / 4)
    band = _band(q, failing / 2)
    assert _flushing(q, band) <= math.log(failing / 8)
    return DistanceBounds(q, band, run, failing)


def ratio(q: float, w: int) -> float:
    """An upper bound on P(d_t = w + 1) / P(d_t = w) for w ≥ 0: ρ_w²/q, and a little more for rounding."""
    return q ** (2 * w + 1) / (1 - q ** (w + 1)) ** 2 * (1 + 1e-9)


def tail(q: float, band: int) -> float:
    """An upper bound on P(d_t > band) for any diagonal of any list: the sum of products of ratios from the mode on."""
    mode = 0
    while ratio(q, mode) > 1:
        mode += 1
    logarithm = math.fsum(math.log(ratio(q, w)) for w in range(mode, band + 1)) if band >= mode else 0.0
    last = ratio(q, max(band, mode) + 1)
    return math.exp(logarithm) / (1 - last) if last < 1 else math.inf


def _band(q: float, failing: float) -> int:
    """The least band such that some corner (two for each distinct count) leaves it with at most this probability."""
    band = 1
    while 2 * MOST_COUNTS * 2 * tail(q, band) > failing:
        band += 1
    return band


def _run(q: float, failing: float) -> int:
    """The least M at which some run (two for each distinct count, and one) fails with at most this probability."""
    each = failing / (4 * (2 * MOST_COUNTS + 1))
    x = min(0.5, each / 2)
    return math.ceil(math.log(x * (1 - q) ** 2) / math.log(q))


def _flushing(q: float, band: int) -> float:
    """The logarithm of a bound on the probability that a flushed sum would have been drawn."""
    outer = [0.0]
    for w in range(band):
        outer.append(outer[-1] + (w + 1) * math.log(q) - math.log1p(-(q ** (w + 1))))
    inward = max(total - w * math.log(q) for w, total in enumerate(outer))
    return FLUSHED * math.log(2) + max(outer) + inward + math.log(MOST_STEPS * (2 * band + 1)) + 1e-6
