"""The mechanism of frequency lists: from the true list of counts to one that may be released.

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

A list is drawn along its rim: straight runs of steps, of which the long ones are cut in their middle. In the compiled
walk, sums are of positive floats and never leave their range, so each is exact up to one rounding for each operation;
powers of two scale them exactly. A coin compares random words with the binary digits of a float, to the last of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError, PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.promises.accounting import PrivacyLoss

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


SMALLEST = 2.0**-940
"""A sum below this share of the largest on its diagonal counts as 0 (`cobogo.promises.mechanisms.frequency_list`)."""


@kernel(error_model="numpy")
def step_back(sums, weights, down, pinned, out):  # type: ignore[no-untyped-def]
    """Compute the sums of a point from those of the next: the states' ``weights`` times the two ways to go on."""
    last = len(sums) - 1
    if pinned:
        out[:] = 0.0
        middle = last // 2
        out[middle] = sums[middle] + sums[middle + 1 if down else middle - 1]
    elif down:
        for d in range(last):
            out[d] = weights[d] * (sums[d] + sums[d + 1])
        out[last] = weights[last] * sums[last]
    else:
        for d in range(1, last + 1):
            out[d] = weights[d] * (sums[d] + sums[d - 1])
        out[0] = weights[0] * sums[0]


@kernel(error_model="numpy")
def scale(sums):  # type: ignore[no-untyped-def]
    """Rescale sums by a power of two, and set those to 0 that are negligible beside the largest."""
    _, exponent = math.frexp(sums.max())
    factor = math.ldexp(1.0, -exponent)
    for d in range(len(sums)):
        value = sums[d] * factor
        sums[d] = value if value >= SMALLEST else 0.0


@kernel(error_model="numpy")
def checkpoints(downs, pinned, weights, block, between):  # type: ignore[no-untyped-def]
    """The sums of every ``block``-th point and of the last: `restore_sums` computes those in between from them."""
    steps = len(downs)
    blocks = (steps + block - 1) // block
    kept = np.zeros((blocks + 1, len(weights)))
    sums, other = np.zeros(len(weights)), np.zeros(len(weights))
    sums[len(weights) // 2] = 1.0
    kept[blocks] = sums
    for t in range(steps - 1, -1, -1):
        step_back(sums, weights, downs[t], pinned[t], other)
        sums, other = other, sums
        if t % between == 0:
            scale(sums)
        if t % block == 0:
            kept[t // block] = sums
    return kept


@kernel(error_model="numpy")
def restore_sums(downs, pinned, weights, start, end, last, between):  # type: ignore[no-untyped-def]
    """Compute the sums of a block's points again from those of its end: the same operations give the same floats."""
    sums = np.empty((end - start + 1, len(weights)))
    sums[end - start] = last
    for t in range(end - 1, start - 1, -1):
        step_back(sums[t - start + 1], weights, downs[t], pinned[t], sums[t - start])
        if t % between == 0:
            scale(sums[t - start])
    return sums


@kernel(error_model="numpy")
def walk(downs, sums, start, state, words, used, states):  # type: ignore[no-untyped-def]
    """Draw the states of the points of a block after its first; return the last state and how many words were used.

    The caller gives two words for each step, and some more.
    """
    for step in range(len(sums) - 1):
        move = 1 if downs[start + step] else -1
        stay, go = sums[step + 1, state], 0.0
        if 0 <= state + move < sums.shape[1]:
            go = sums[step + 1, state + move]
        less = min(stay, go)
        if less > 0:
            share, rare = less / (stay + go), False
            while share > 0:
                scaled = share * 18446744073709551616.0
                digits = np.floor(scaled)
                word, threshold = words[used], np.uint64(digits)
                used += 1
                if word != threshold:
                    rare = word < threshold
                    break
                share = scaled - digits
            if rare == (go < stay):
                state += move
        elif go > 0:
            state += move
        states[start + step + 1] = state
    return state, used


@kernel()
def trace_list(downs, states, skipped, top, counts, items):  # type: ignore[no-untyped-def]
    """Write the list that the states along the rim stand for into ``counts`` and ``items``; return its length.

    ``skipped`` has an entry for each point.
    """
    found, height, width = 0, top, 0
    for t in range(len(downs)):
        ahead = skipped[t]
        if not downs[t]:
            width += ahead
        falls = downs[t] != (states[t + 1] != states[t])
        if width > 0 and (falls or (downs[t] and ahead > 0)):
            counts[found], items[found] = height, width
            found, width = found + 1, 0
        if downs[t]:
            height -= ahead
        if falls:
            height -= 1
        else:
            width += 1
    return found


Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """A list of counts, each with the number of items that have it: counts above 0, falling."""

    counts: Whole
    items: Whole

    def __post_init__(self) -> None:
        falling = bool((np.diff(self.counts) < 0).all())
        if not falling or len(self.counts) != len(self.items) or (self.counts < 1).any() or (self.items < 1).any():
            raise ValueError("counts must fall and be above 0, and each must have an item")

    @classmethod
    def from_each(cls, listed: Whole) -> Counts:
        """Group one count for each item, in any order. Items with a count of 0 are left out.

        >>> Counts.from_each(np.array([1, 3, 0, 1])).items.tolist()
        [1, 2]
        """
        counts, items = np.unique(np.asarray(listed, dtype=np.int64), return_counts=True)
        there = counts > 0
        return cls(counts[there][::-1].copy(), items[there][::-1].astype(np.int64))

    @property
    def accounts(self) -> int:
        """The sum of all counts; approximate where it exceeds 64 bits."""
        about = float(self.counts.astype(np.float64) @ self.items.astype(np.float64))
        return int(self.counts @ self.items) if about < 2.0**62 else int(about)

    @property
    def distinct(self) -> int:
        """The number of items."""
        return int(self.items.sum())

    def distance(self, other: Counts) -> int:
        """The L1 distance ‖f − g‖₁ of the two sorted lists: the area between their rims.

        >>> Counts.from_each(np.array([3, 1])).distance(Counts.from_each(np.array([2, 1, 1])))
        2
        """
        levels = np.unique(np.concatenate([[0], self.counts, other.counts]))[::-1]
        area, heights = 0, -np.diff(levels)
        for level, height in zip(levels[:-1], heights, strict=True):
            area += int(height) * abs(self._reaching(level) - other._reaching(level))
        return area

    def _reaching(self, level: int) -> int:
        return int(self.items[: np.searchsorted(-self.counts, -level, side="right")].sum())


@dataclass(frozen=True, eq=False, repr=False)
class Outline:
    """Steps of the rim from its first point (0, ``top``) to its last.

    ``downs``: whether each step goes down (else right). ``pinned``: whether the drawn rim must pass through each point.
    ``skipped``: how many steps were cut out after a point, all in the direction of the step that follows.
    """

    top: int
    downs: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    skipped: dict[int, int]


def outline(counts: Counts, run: int) -> Outline:
    """Build the rim; runs of more than 2·``run`` steps are cut to that length, its endless ends to ``run`` steps."""
    lower = np.append(counts.counts[1:], 0)
    lengths = np.empty(2 * len(counts.counts), dtype=np.int64)
    lengths[0::2], lengths[1::2] = counts.items, counts.counts - lower
    lengths = np.concatenate([[run], lengths, [run]])
    top = int(counts.counts[0]) + run if len(counts.counts) else run
    directions = np.arange(len(lengths)) % 2 == 0  # down, right, down, … and right at the end
    kept = np.minimum(lengths, 2 * run)
    starts = np.concatenate([[0], np.cumsum(kept)])
    pinned = np.zeros(int(starts[-1]) + 1, dtype=np.bool_)
    pinned[[0, -1]] = True
    cut = np.flatnonzero(lengths > kept)
    middles = starts[cut] + run
    pinned[middles] = True
    skipped = dict(zip(middles.tolist(), (lengths - kept)[cut].tolist(), strict=True))
    return Outline(top, np.repeat(directions, kept), pinned, skipped)


BLOCK = 4096
"""Points whose sums are in memory together. Only the sums of every block's first point are stored, the others are
computed again: memory grows with steps/BLOCK + BLOCK, which is least where the two are about equal."""


@card("frequency-list", title="frequency list", guide="frequency-list")
@dataclass(frozen=True)
class FrequencyList:
    r"""Releases how often the items of a column occur, without the items: another list of counts, drawn near the true
    one.

    A sorted list of frequencies is an integer partition, and the exponential mechanism draws only integer partitions. δ
    bounds the probability of what the draw leaves out, so that one walk along the rim of the list is enough.

    Formula: $\Pr[g] \propto e^{-\varepsilon\,\lVert f - g\rVert_1 / 2}$ over the integer partitions $g$
    Example:
        >>> found = FrequencyList(Fraction(1), Fraction(1, 10**9)).bounds
        >>> found.band, found.run
        (8, 77)

    Guarantee: (ε, δ)-differential privacy for one account: the list hides whether any one account is in the data.
    Limits: A person with many accounts has the guarantee for each account, not for all of them together. The release
        does not say which items the counts belong to.
    Cost: $O(s\,b)$ for the s steps of the rim and a band of b states; the L1 error is of the order of
        $\sqrt{N}/\varepsilon$.
    Paper: J. Blocki, A. Datta and J. Bonneau, Differentially private password frequency lists, NDSS 2016.
    """

    epsilon: Fraction
    delta: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """The cost, ε and δ."""
        return PrivacyLoss("epsilon", self.epsilon, self.delta)

    @cached_property
    def bounds(self) -> DistanceBounds:
        """The limits of the law that the list is drawn from."""
        return bounds(self.epsilon, self.delta)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weights q^|d| of the states d of a diagonal, each rounded once."""
        q, powers = Fraction(self.bounds.q), [Fraction(1)]
        for _ in range(self.bounds.band):
            powers.append(powers[-1] * q)
        outer = [float(power) for power in powers]
        return np.array([*reversed(outer[1:]), *outer])

    def draw(self, counts: Counts, source: Source | None = None) -> Counts:
        """Draw a list that may be released in place of the true one."""
        if counts.accounts > MOST_ACCOUNTS:
            raise DataError(
                tr(
                    "the data have more than {most:,} accounts, and the mechanism's guarantee is not "
                    "proven for so many",
                    most=MOST_ACCOUNTS,
                ),
                remedy=tr("Split the data so that each account is in one part, and release the list of each part."),
            )
        rim = outline(counts, self.bounds.run)
        return _trace_list(rim, self.walk(rim, source or Entropy()))

    def walk(self, rim: Outline, source: Source) -> NDArray[np.int16]:
        """Draw the states of the points of a rim, as indices into `weights`."""

        between = self.bounds.scaling_interval
        kept = checkpoints(rim.downs, rim.pinned, self.weights, BLOCK, between)
        steps, state = len(rim.downs), self.bounds.band
        states = np.empty(steps + 1, dtype=np.int16)
        states[0] = state
        for block, start in enumerate(range(0, steps, BLOCK)):
            end = min(start + BLOCK, steps)
            last = kept[block + 1]
            sums = restore_sums(rim.downs, rim.pinned, self.weights, start, end, last, between)
            words = source.words(2 * (end - start) + 64)
            state, _ = walk(rim.downs, sums, start, state, words, 0, states)
        return states


def _trace_list(rim: Outline, states: NDArray[np.int16]) -> Counts:

    skipped = np.zeros(len(rim.downs), dtype=np.int64)
    for point, steps in rim.skipped.items():
        skipped[point] = steps
    most = len(rim.downs) // 2 + 1
    counts, items = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    found = trace_list(rim.downs, states, skipped, rim.top, counts, items)
    return Counts(counts[:found].copy(), items[:found].copy())
