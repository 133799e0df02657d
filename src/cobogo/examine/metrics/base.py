"""The contract of a utility metric, and what a metric sees of a recoded table: its outcome.

To add a metric: one frozen dataclass that follows `Metric` and carries a card, one line in
`cobogo.examine.metrics.METRICS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""One number, or one for each of many outcomes."""


@dataclass(frozen=True, eq=False, repr=False)
class Scale:
    """What stays the same for all recodings of a table: its size and its quasi-identifiers' hierarchies."""

    records: int
    leaves: NDArray[np.int64]  # of each attribute's hierarchy
    heights: NDArray[np.int64]
    weights: NDArray[np.float64]
    k: int | None = None
    tuple_nats: float = 0.0  # entropy of the original quasi-identifier tuples' distribution, in nats
    full_bits: Numbers | None = None  # per attribute: the `Outcome.bits` of a table that is suppressed whole


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What a recoding did, in sums over the records that were kept. Exact integers, so that equal is equal.

    Fields may also be arrays, one entry for each of many recodings: the last axis of the sums is the attribute's.
    The last four cost more than the others: they are there only where some metric needs them.
    """

    suppressed: Any  # records
    classes: Any  # kept
    squares: Any  # sum of the squared sizes of the kept classes
    leaf_sums: Numbers  # per attribute: sum over kept records of the leaves under the released value
    level_sums: Numbers  # per attribute: sum over kept records of the level of the released value
    majority: Any = None  # sum over kept classes of the records that have the class's most frequent label
    products: Any = None  # sum over kept records of the number of original tuples that the released one may stand for
    bits: Numbers | None = None  # per attribute: over all records, what the release leaves open about the original
    others: Mapping[str, float] = field(default_factory=dict)  # what only some algorithms lose, by name
    cross_nats: Any = None  # sum over all records of −ln of the share that the release gives the original tuple


@runtime_checkable
class Metric(Protocol):
    """A number that says what a recoding lost, or kept."""

    name: ClassVar[str]
    maximize: ClassVar[bool]
    needs: ClassVar[tuple[str, ...]]  # the fields of an outcome that it needs, of those that are not always there

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The metric of an outcome, or of many at once."""
        ...

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:
        """The best value that a node could reach, given an outcome no worse than its own in any respect.

        ``ideal`` suppresses nothing and has as many classes, of sizes as equal, as the marginals allow;
        ``limit`` is the number of records that may be suppressed. The bound never gets better on the way up.
        """
        ...


class IdealBound:
    """For metrics that suppression only worsens: the ideal outcome's own value is the bound."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:  # noqa: ARG002
        """The value of the ideal outcome."""
        return self.value(ideal, scale)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Given by the metric."""
        raise NotImplementedError


class Separable(IdealBound):
    """For metrics that are a function of a sum to which each attribute contributes by itself.

    The search then compares sums, and knows the bounds of all nodes from a small table: attributes × levels.
    """

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """What each attribute contributes; the last axis is the attribute's. Less is better. Given by the metric."""
        raise NotImplementedError

    def combine(self, total: Numbers) -> Numbers:
        """The metric, given the sum: the sum itself, or what rises or falls with it no slower than it does itself."""
        return total

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Of the sum of the terms; of no records, that of nothing lost."""
        if not scale.records:
            return np.asarray(self.combine(np.float64(0)))  # type: ignore[arg-type]
        return np.asarray(self.combine(self.terms(outcome, scale).sum(axis=-1)))
