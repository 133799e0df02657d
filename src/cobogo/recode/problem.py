"""The question that a recoding algorithm answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.hierarchy import Hierarchy
from cobogo.metrics import Metric, Scale
from cobogo.models import KAnonymity, Model
from cobogo.table.frequency import FrequencyTable

Levels = tuple[int, ...]
"""A node of the generalization lattice: one level per quasi-identifier, in the policy's order."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A frequency table to be recoded over hierarchies until the models hold, best by a metric.

    ``limit`` is how many records may be suppressed; levels stay between ``lowest`` and ``highest``.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    models: tuple[Model, ...]
    metric: Metric
    limit: int
    lowest: Levels
    highest: Levels
    weights: tuple[float, ...]

    @cached_property
    def scale(self) -> Scale:
        """What stays the same for all solutions."""
        return Scale(
            records=self.table.records,
            leaves=np.array([len(h.leaves) for h in self.hierarchies], dtype=np.int64),
            heights=np.array([h.height for h in self.hierarchies], dtype=np.int64),
            weights=np.array(self.weights, dtype=float),
            k=asked_k(self.models),
        )

    @cached_property
    def leaf_codes(self) -> tuple[NDArray[np.int32], ...]:
        """For each quasi-identifier, the hierarchy's leaf for each value of the table."""
        return tuple(h.encode(self.table.values[h.attribute]) for h in self.hierarchies)

    @cached_property
    def histograms_needed(self) -> tuple[str, ...]:
        """The sensitive attributes whose distribution some model looks at."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.attributes))

    @cached_property
    def leaf_totals(self) -> tuple[NDArray[np.int64], ...]:
        """For each quasi-identifier and level: over all records, the leaves under the value each would have there."""
        return tuple(
            np.array(
                [
                    int((self.table.marginal(position) * counts[codes[leaf]]).sum())
                    for codes, counts in zip(h.maps, h.leaf_counts, strict=True)
                ],
                dtype=np.int64,
            )
            for position, (h, leaf) in enumerate(zip(self.hierarchies, self.leaf_codes, strict=True))
        )

    @cached_property
    def distinct(self) -> tuple[NDArray[np.int64], ...]:
        """For each quasi-identifier and level: how many distinct values the table would have there."""
        return tuple(
            np.array([len(np.unique(codes[leaf])) for codes in h.maps], dtype=np.int64)
            for h, leaf in zip(self.hierarchies, self.leaf_codes, strict=True)
        )


def asked_k(models: Sequence[Model]) -> int | None:
    """The k of the k-anonymity asked for; None where none is."""
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=None)


def records_allowed(share: float, records: int) -> int:
    """How many of the records a suppression limit allows: floor(share · records), in exact decimal arithmetic.

    >>> records_allowed(0.29, 100)       # 0.29 * 100 is 28.999999999999996 in binary
    29
    """
    return int(Decimal(repr(share)) * records)


def level_range(
    hierarchies: Sequence[Hierarchy], lowest: Sequence[int], highest: Sequence[int | None]
) -> tuple[Levels, Levels]:
    """The levels to search, with no upper bound meaning the hierarchy's height."""
    tops = tuple(
        h.height if most is None else min(most, h.height) for h, most in zip(hierarchies, highest, strict=True)
    )
    return tuple(lowest), tops
