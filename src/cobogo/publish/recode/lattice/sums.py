"""Sums over the classes of a node: what it costs, and what it says about the cost of the nodes below and above it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cobogo.examine.metrics import Outcome
from cobogo.examine.metrics.base import Floor
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.lattice import kernels
from cobogo.publish.recode.lattice.tables import RolledTable

A_LITTLE_LESS = 1 - 1e-12
"""Takes a bound that is made of rounded numbers to the safe side."""


NO_SUMS = np.zeros(0, dtype=np.int64)
"""In place of sums that are not asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassValueCounts:
    """How many of some records have each value of each digit, and what these values are at a node."""

    rolled: RolledTable
    counts: Ints

    @cached_property
    def leaf_sums(self) -> Ints:
        """Per column, the leaves under the released values."""
        return self.rolled.packing.leaf_sums(self.counts, self.rolled.levels)

    @cached_property
    def bits(self) -> Floats:
        """Per column, the bits that suppressing the released values costs."""
        return self.rolled.packing.bits(self.counts, self.rolled.levels)


@dataclass(frozen=True, eq=False, repr=False)
class ClassSums:
    """Sums over all classes of a node, over those that fail, and over the records that fail at every node below."""

    suppressed: int
    classes: int  # kept
    squares: int  # of the kept classes' sizes
    doomed: int  # records that fail at every node below
    doomed_places: int  # of the classes that are doomed whole
    doomed_squares: int  # over the doomed records: the sizes of their classes, or k
    lost_values: ClassValueCounts  # of the suppressed records
    doomed_values: ClassValueCounts  # of the doomed ones


def sum_classes(rolled: RolledTable, failed: Mask, least: Ints | None = None) -> ClassSums:
    """Sum over a node's classes; ``least`` is how many records of each class fail however it is divided."""
    packing = rolled.packing
    lost, doomed = np.zeros((2, packing.values), dtype=np.int64)
    least = np.zeros(len(rolled), dtype=np.int64) if least is None else least
    suppressed, kept, squares, below, below_places, below_squares = kernels.sums_where(
        failed, least, rolled.records, rolled.digits, packing.starts, packing.problem.scale.k or 1, lost, doomed
    )
    return ClassSums(
        int(suppressed), int(kept), int(squares), int(below), int(below_places), int(below_squares),
        ClassValueCounts(rolled, lost), ClassValueCounts(rolled, doomed),
    )  # fmt: skip


def sum_sizes(rolled: RolledTable, k: int, limit: int) -> ClassSums:
    """The same where the classes of fewer than k records fail, and no others: what is suppressed at the node is doomed.
    Values are counted where no more records fail than the limit allows."""
    packing = rolled.packing
    values = ClassValueCounts(rolled, np.zeros(packing.values, dtype=np.int64))
    lost, kept, squares = kernels.sums_below(k, limit, rolled.records, rolled.digits, packing.starts, values.counts)
    return ClassSums(lost, kept, squares, lost, lost, lost * k, values, values)


def outcome(
    rolled: RolledTable, failed: Mask, found: ClassSums, needs: Collection[str], *, leaves: bool = True
) -> Outcome:
    """The outcome of a node whose failing classes are suppressed: sums over the whole table less those over the failing
    classes. ``needs`` are the optional fields to fill; without ``leaves`` there are no sums of leaves."""
    problem = rolled.packing.problem
    kept = ~failed & (rolled.records > 0) if needs else failed
    return Outcome(
        suppressed=found.suppressed,
        classes=found.classes,
        squares=found.squares,
        leaf_sums=_leaf_totals(rolled) - found.lost_values.leaf_sums if leaves else NO_SUMS,
        level_sums=np.array(rolled.levels, dtype=np.int64) * (problem.scale.records - found.suppressed),
        majority=int(rolled.label.majorities[kept].sum()) if "majority" in needs and rolled.label is not None else None,
        products=_products(rolled, np.where(kept, rolled.records, 0)) if "products" in needs else None,
        bits=_bit_totals(rolled) + found.lost_values.bits if "bits" in needs else None,
        cross_nats=_cross_nats(rolled, kept, found.suppressed) if "cross_nats" in needs else None,
    )


def spread(rolled: RolledTable, needs: Collection[str]) -> Outcome:
    r"""An outcome no worse than that of any node above: nothing is suppressed, and nothing merges more than it must.

    A kept class of a node above is made of classes of this node and has at least k records. So there is one for each
    class of k records here, or for k records of smaller classes: at most $\sum_E \min(1, \lvert E\rvert / k)$. A record
    is with as many others as here and with k at least; its class covers as many tuples as here; and the majority of a
    class is no more than the majorities of its parts together.
    """
    problem = rolled.packing.problem
    k = problem.scale.k or 1
    places, squares = kernels.spread_sums(rolled.records, k)
    return Outcome(
        suppressed=0,
        classes=float(places / k),
        squares=int(squares),
        leaf_sums=NO_SUMS,
        level_sums=NO_SUMS,
        majority=int(rolled.label.majorities.sum()) if "majority" in needs and rolled.label is not None else None,
        products=_products(rolled, rolled.records) * A_LITTLE_LESS if "products" in needs else None,
        cross_nats=_own_nats(rolled, rolled.records) * A_LITTLE_LESS if "cross_nats" in needs else None,
    )


def floor(rolled: RolledTable, found: ClassSums, least: Ints, needs: Collection[str]) -> Floor:
    """What every node below loses at least; see `Floor`."""
    if not found.doomed:
        return Floor(0)
    return Floor(
        suppressed=found.doomed,
        leaf_sums=found.doomed_values.leaf_sums if "leaf_sums" in needs else 0,
        classes=found.doomed_places / (rolled.packing.problem.scale.k or 1),
        squares=found.doomed_squares,
        majority=_sure_majority(rolled, least) if "majority" in needs else 0,
        products=_products(rolled, least) if "products" in needs else 0.0,
        bits=found.doomed_values.bits if "bits" in needs else 0.0,
        cross_nats=_own_nats(rolled, least) if "cross_nats" in needs else 0.0,
    )


def _leaf_totals(rolled: RolledTable) -> Ints:
    totals = rolled.packing.leaf_totals
    return totals[np.arange(len(totals)), rolled.levels]


def _bit_totals(rolled: RolledTable) -> Floats:
    """Without suppression, whose cost is added to it, so that no rounding brings the sum below the ideal."""
    totals = rolled.packing.problem.bit_totals
    return np.array([t[level] for t, level in zip(totals, rolled.levels, strict=True)], dtype=float)


def _cross_nats(rolled: RolledTable, kept: Mask, suppressed: int) -> float:
    """Over all records, −ln of the probability that the release gives the original tuple: the share of its class,
    spread evenly over the tuples that the class covers, and that of the suppressed records, spread over all tuples."""
    scale = rolled.packing.problem.scale
    some = rolled.records > 0  # a public table may have classes of which the data have nobody
    sizes = rolled.records[some]
    with np.errstate(divide="ignore"):
        own = np.where(kept[some], np.log(sizes / scale.records) - rolled.log_tuples[some], -np.inf)
        starred = np.log(suppressed / scale.records) - np.log(scale.leaves).sum()
    return float(-(sizes * np.logaddexp(own, starred)).sum())


def _products(rolled: RolledTable, weights: Ints) -> float:
    """Over so many records of each class, the sum of the numbers of original tuples that its tuple covers."""
    some = weights > 0
    with np.errstate(over="ignore"):
        return float((weights[some] * rolled.tuples[some]).sum())


def _own_nats(rolled: RolledTable, least: Ints) -> float:
    """Of so many records of each class: −ln of the share of the table that they have, spread over their tuples."""
    shares = np.maximum(least, 1) / rolled.packing.problem.scale.records
    return float((least * (rolled.log_tuples - np.log(shares))).sum())


def _sure_majority(rolled: RolledTable, least: Ints) -> int:
    """The records with the most frequent label of their class that are lost below: all that are doomed but those of
    other labels."""
    if rolled.label is None:
        return 0
    return int(np.maximum(least - (rolled.records - rolled.label.majorities), 0).sum())
