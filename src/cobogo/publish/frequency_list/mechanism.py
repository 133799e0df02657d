"""The mechanism: from the true list of counts to one that may be released."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Entropy, Source
from cobogo.promises.accounting import PrivacyLoss
from cobogo.publish.frequency_list.bounds import MOST_ACCOUNTS, DistanceBounds, bounds
from cobogo.publish.frequency_list.outline import Counts, Outline, outline

BLOCK = 4096
"""Points whose sums are in memory together."""


@card("frequency-list", title="frequency list", guide="frequency-list")
@dataclass(frozen=True)
class FrequencyList:
    r"""Releases how often the items of a column occur, without the items: another list of counts, drawn near the true
    one.

    A sorted list of frequencies is an integer partition; the exponential mechanism is restricted to those. δ bounds
    what the draw leaves out, so that it can be done in one walk along the rim of the list.

    Formula: $\Pr[g] \propto e^{-\varepsilon\,\lVert f - g\rVert_1 / 2}$ over the integer partitions $g$
    Example:
        >>> found = FrequencyList(Fraction(1), Fraction(1, 10**9)).bounds
        >>> found.band, found.run
        (8, 77)

    Guarantee: (ε, δ)-differential privacy for one account: one more or less is what it hides.
    Limits: Hides nothing of somebody who holds many accounts beyond ε for each of them. Says nothing of which items
        they are.
    Cost: $O(s\,b)$ for the s steps of the rim and a band of b states; the L1 error is of the order of
        $\sqrt{N}/\varepsilon$.
    Paper: J. Blocki, A. Datta and J. Bonneau, Differentially private password frequency lists, NDSS 2016.
    """

    epsilon: Fraction
    delta: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """ε and δ, as they were allowed."""
        return PrivacyLoss("epsilon", self.epsilon, self.delta)

    @cached_property
    def bounds(self) -> DistanceBounds:
        """What is drawn from."""
        return bounds(self.epsilon, self.delta)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """q^|d| of the states d of a diagonal, each rounded once."""
        q, powers = Fraction(self.bounds.q), [Fraction(1)]
        for _ in range(self.bounds.band):
            powers.append(powers[-1] * q)
        outer = [float(power) for power in powers]
        return np.array([*reversed(outer[1:]), *outer])

    def draw(self, counts: Counts, source: Source | None = None) -> Counts:
        """A list that may be released, in place of the true one."""
        if counts.accounts > MOST_ACCOUNTS:
            raise DataError(
                f"has more than {MOST_ACCOUNTS:,} accounts, for which the mechanism was not proven",
                remedy="Release the lists of its parts: each account is in one of them only.",
            )
        rim = outline(counts, self.bounds.run)
        return _trace_list(rim, self.walk(rim, source or Entropy()))

    def walk(self, rim: Outline, source: Source) -> NDArray[np.int16]:
        """The drawn states of the points of a rim, as places in `weights`."""
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
