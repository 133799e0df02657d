"""Records as points, so that those that lie near each other can be put together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Hierarchy
from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode.partition.groups import Parcels
from cobogo.publish.recode.partition.ranges import numbers

Points = NDArray[np.float32]

ONE_AXIS_A_VALUE = 64
"""Up to so many values of a level each has an axis of its own; beyond, the level is one axis, in the tree's order,
which is not exact: the time of every distance grows with the axes."""

BLOCK = 16_384
"""Parcels that are compared with each other, all with all; more are divided into blocks of neighbours first. Clustering
is quadratic in a block: larger ones lose less at their borders and take longer."""


def points(parcels: Parcels, as_numbers: Collection[int] = ()) -> Points:
    """Each parcel as a point. Squared distances are sums over the attributes, by weight: for numbers (the columns in
    ``as_numbers``) that of the numbers in standard deviations, otherwise the share of the levels at which two values
    are not yet the same: 1 where only the top of the hierarchy joins them."""
    problem = parcels.problem
    axes: list[NDArray[np.float64]] = [np.zeros((len(parcels), 0))]
    for column, (h, weight) in enumerate(zip(problem.hierarchies, problem.weights, strict=True)):
        leaf = parcels.leaves[:, column]
        of_leaves = _number_axes(h, problem.decimal, leaf, parcels.counts) if column in as_numbers else _tree_axes(h)
        used = np.unique(leaf)
        apart = np.ptp(of_leaves[used], axis=0) > 0 if len(used) else np.zeros(of_leaves.shape[1], dtype=np.bool_)
        axes.append(np.sqrt(weight) * of_leaves[:, apart][leaf])
    return np.ascontiguousarray(np.concatenate(axes, axis=1), dtype=np.float32)


def _number_axes(h: Hierarchy, decimal: str, leaf: NDArray[np.int32], counts: Ints) -> Floats:
    """In standard deviations from the mean; NULL is at the mean, and one away on an axis of its own."""
    values = numbers(h, decimal)
    known = ~np.isnan(values)
    here = known[leaf]
    weights = counts[here] / max(int(counts[here].sum()), 1)
    mean = float((weights * values[leaf[here]]).sum())
    deviation = float(np.sqrt((weights * (values[leaf[here]] - mean) ** 2).sum())) or 1.0
    return np.stack([np.where(known, (values - mean) / deviation, 0.0), np.where(known, 0.0, 1.0)], axis=1)


def _tree_axes(h: Hierarchy) -> Floats:
    """Two leaves are apart by the share of the levels below the top at which they are not the same."""
    rank = tree_order(h)
    axes: list[Floats] = [np.zeros((len(h.leaves), 0))]
    levels = [level for level in range(h.height + 1) if len(h.labels[level]) > 1]
    for level in levels:
        scale = 1 / max(len(levels), 1)
        if len(h.labels[level]) <= ONE_AXIS_A_VALUE:
            axes.append(np.eye(len(h.labels[level]))[h.maps[level]] * np.sqrt(scale / 2))
        else:
            axes.append(rank[:, None] / max(len(rank) - 1, 1) * np.sqrt(scale))
    return np.concatenate(axes, axis=1)


def tree_order(h: Hierarchy) -> Ints:
    """Each leaf's place in an order in which the leaves under any value are neighbours."""
    first = []
    for codes, labels in zip(h.maps, h.labels, strict=True):
        least = np.full(len(labels), len(codes), dtype=np.int64)
        np.minimum.at(least, codes, np.arange(len(codes)))
        first.append(least[codes])
    rank = np.empty(len(h.leaves), dtype=np.int64)
    rank[np.lexsort(first)] = np.arange(len(h.leaves))
    return rank


@dataclass(frozen=True, eq=False, repr=False)
class Centres:
    """The mean point of each group."""

    points: NDArray[np.float64]

    @classmethod
    def of(cls, where: Points, owners: Ints, counts: Ints, groups: int) -> Centres:
        """Of the parcels that are in a group."""
        kept = owners >= 0
        total = np.zeros((groups, where.shape[1]))
        np.add.at(total, owners[kept], where[kept] * counts[kept, None])
        sizes = np.bincount(owners[kept], counts[kept], groups)
        return cls(total / np.maximum(sizes, 1)[:, None])

    def nearest(self, wanted: Ints, among: Ints) -> Ints:
        """For each of some groups the nearest other one of ``among``."""
        others = self.points[among]
        found = np.empty(len(wanted), dtype=np.int64)
        step = max(1, 4_000_000 // max(len(among), 1))  # distances at a time: 32 MB
        for begin in range(0, len(wanted), step):
            part = wanted[begin : begin + step]
            own = self.points[part]
            apart = (own**2).sum(axis=1)[:, None] - 2 * own @ others.T + (others**2).sum(axis=1)[None, :]
            apart[part[:, None] == among[None, :]] = np.inf
            found[begin : begin + step] = among[apart.argmin(axis=1)]
        return found


def blocks(where: Points, regions: Ints) -> list[Ints]:
    """Parcels by region, and regions that are too large by halves along the axis on which they spread most."""
    order = np.argsort(regions, kind="stable")
    stack = np.split(order, np.flatnonzero(np.diff(regions[order])) + 1) if len(order) else []
    found = []
    while stack:
        part = stack.pop()
        spread = where[part].var(axis=0) if where.shape[1] else np.zeros(1)
        if len(part) <= BLOCK or not spread.max(initial=0):
            found.append(part)
        else:
            part = part[np.argsort(where[part, int(spread.argmax())], kind="stable")]
            stack += [part[: len(part) // 2], part[len(part) // 2 :]]
    return found
