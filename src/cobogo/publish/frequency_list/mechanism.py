"""The mechanism: from the true list of counts to one that may be released.

A list is drawn along its rim: straight runs of steps, of which the long ones are cut in their middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.promises.accounting import PrivacyLoss
from cobogo.publish.frequency_list.bounds import MOST_ACCOUNTS, DistanceBounds, bounds

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
        from cobogo.publish.frequency_list import kernels

        between = self.bounds.scaling_interval
        kept = kernels.checkpoints(rim.downs, rim.pinned, self.weights, BLOCK, between)
        steps, state = len(rim.downs), self.bounds.band
        states = np.empty(steps + 1, dtype=np.int16)
        states[0] = state
        for block, start in enumerate(range(0, steps, BLOCK)):
            end = min(start + BLOCK, steps)
            last = kept[block + 1]
            sums = kernels.restore_sums(rim.downs, rim.pinned, self.weights, start, end, last, between)
            words = source.words(2 * (end - start) + 64)
            state, _ = kernels.walk(rim.downs, sums, start, state, words, 0, states)
        return states


def _trace_list(rim: Outline, states: NDArray[np.int16]) -> Counts:
    from cobogo.publish.frequency_list import kernels

    skipped = np.zeros(len(rim.downs), dtype=np.int64)
    for point, steps in rim.skipped.items():
        skipped[point] = steps
    most = len(rim.downs) // 2 + 1
    counts, items = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    found = kernels.trace_list(rim.downs, states, skipped, rim.top, counts, items)
    return Counts(counts[:found].copy(), items[:found].copy())
