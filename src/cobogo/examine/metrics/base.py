"""The contract of a utility metric, and what a metric is computed from: the outcome of a recoding.

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
    """What all recodings of a table share: its size and its quasi-identifiers' hierarchies."""

    records: int
    leaves: NDArray[np.int64]  # of each attribute's hierarchy
    heights: NDArray[np.int64]
    weights: NDArray[np.float64]
    k: int | None = None
    small_only: bool = False  # whether classes are suppressed only for having fewer than k records
    tuple_nats: float = 0.0  # entropy of the original quasi-identifier tuples' distribution, in nats
    full_bits: Numbers | None = None  # per attribute: the `Outcome.bits` of a table of which every cell is suppressed


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What a recoding did, as sums over the records that it kept. Sums are exact integers, so that ties are exact.

    Fields may also be arrays, one entry for each of many recodings: the last axis of the sums is the attribute's.
    Those with a default cost more than the others, and are computed only for metrics that need them.
    """

    suppressed: Any  # records
    classes: Any  # kept
    squares: Any  # sum of the squared sizes of the kept classes
    leaf_sums: Numbers  # per attribute: sum over kept records of the leaves under the released value
    level_sums: Numbers  # per attribute: sum over kept records of the level of the released value
    majority: Any = None  # sum over kept classes of the records that have the class's most frequent label
    products: Any = None  # sum over kept records of the number of original tuples that are possible
    bits: Numbers | None = None  # per attribute: sum over all records of the bits that identify the original value
    others: Mapping[str, float] = field(default_factory=dict)  # metrics that only some algorithms have, by name
    cross_nats: Any = None  # sum over all records of −ln of the share that the release gives the original tuple


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
    """The records that every node below a node suppresses at least (they are *doomed*), and what they would add to the
    outcome's sums if they were kept as they are at the node: at every node below it, at most that."""

    suppressed: Any
    leaf_sums: Numbers | int = 0  # per attribute
    classes: Any = 0.0
    squares: int = 0
    majority: Any = 0
    products: float = 0.0
    bits: Numbers | float = 0.0  # per attribute: those that their suppression costs, at least
    cross_nats: float = 0.0


@runtime_checkable
class Metric(Protocol):
    """A number that says what a recoding lost, or kept."""

    name: ClassVar[str]
    maximize: ClassVar[bool]
    needs: ClassVar[tuple[str, ...]]  # the optional fields of an outcome that it is computed from

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The metric of an outcome, or of many at once."""
        ...

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:
        """A bound of the best value that a node can reach, from an outcome that is no worse in any field.

        ``ideal`` suppresses nothing and has as many classes, of sizes as equal, as the marginals allow;
        ``limit`` is the number of records that may be suppressed. The bound of a node is no better than those of the
        nodes below it.
        """
        ...


class IdealBound:
    """For metrics that suppression can only worsen: the value of the ideal outcome is the bound."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:  # noqa: ARG002
        """The value of the ideal outcome."""
        return self.value(ideal, scale)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Given by the metric."""
        raise NotImplementedError


class Bracketed(IdealBound):
    """For metrics that depend on the classes: the search bounds a node by what it found at nodes below and above it.

    An outcome with nothing suppressed, found at a node below, gives a bound (`Metric.bound`). The records that are
    doomed at a node above raise it by a surplus. The two add up in a unit of the metric's own. The outcome that a bound
    is computed from has no sums by attribute.
    """

    first_look: ClassVar[float] = 0.5
    """The part of a path up the lattice that lies below the node which is looked at first. Any is right; it decides how
    many nodes are looked at, and was found by trying 0.4 to 0.9 on two tables of 4,320 and 45,000 nodes."""

    counts_alone: ClassVar[bool] = False
    """Whether value, bound and surplus look only at how many classes there are, how many records are suppressed and the
    majorities, and take many outcomes at once."""

    def measure(self, value: Numbers, scale: Scale) -> Numbers:  # noqa: ARG002
        """A value in the unit in which bounds and surpluses add up: the larger, the worse."""
        return value

    def value_of(self, measure: float, scale: Scale) -> float:  # noqa: ARG002
        """The value whose measure this is."""
        return measure

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> Numbers | float:
        """By how much a node costs more than the bound from below, in that unit, for what it must lose. Given by the
        metric."""
        raise NotImplementedError


class Separable(IdealBound):
    """For metrics that are a function of a sum of terms, one for each attribute.

    The search then compares sums, and reads the bounds of all nodes from a small table of attributes × levels.
    """

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The term of each attribute, on the last axis; less is better. Given by the metric."""
        raise NotImplementedError

    def combine(self, total: Numbers) -> Numbers:
        """The metric of a sum of terms: the sum itself, or a monotone function of it whose slope is at least 1."""
        return total

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The metric of the sum of the terms; without records, of nothing lost."""
        if not scale.records:
            return np.asarray(self.combine(np.float64(0)))  # type: ignore[arg-type]
        return np.asarray(self.combine(self.terms(outcome, scale).sum(axis=-1)))
