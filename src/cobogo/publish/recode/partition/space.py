"""Records as points, and orders in which neighbours are alike: along the Hilbert curve, or in tiles as in an R-tree."""

from __future__ import annotations

import math
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
"""Values of a level up to which each has an axis of its own, so that distances are exact. Beyond, the level is one axis
in the tree's order, which is not exact but keeps distances cheap: their time grows with the axes."""

BLOCK = 16_384
"""Parcels that are compared with each other, all with all; more are divided into blocks of neighbours first. Clustering
is quadratic in a block: larger ones lose less at their borders and take longer."""


BITS = 62
"""Bits of a place on the curve: keys are signed 64-bit numbers, and stay positive."""


def points(parcels: Parcels, as_numbers: Collection[int] = ()) -> Points:
    """Each parcel as a point. A squared distance is a weighted sum over the attributes: for the columns ``as_numbers``
    the squared difference in standard deviations; for others the share of the levels at which two values differ, which
    is 1 where only the top of the hierarchy joins them."""
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
    """Leaves in standard deviations from the mean; NULL is at the mean, and at 1 on an axis of its own."""
    values = numbers(h, decimal)
    known = ~np.isnan(values)
    here = known[leaf]
    weights = counts[here] / max(int(counts[here].sum()), 1)
    mean = float((weights * values[leaf[here]]).sum())
    deviation = float(np.sqrt((weights * (values[leaf[here]] - mean) ** 2).sum())) or 1.0
    return np.stack([np.where(known, (values - mean) / deviation, 0.0), np.where(known, 0.0, 1.0)], axis=1)


def _tree_axes(h: Hierarchy) -> Floats:
    """Axes on which two leaves are apart by the share of the levels below the top at which they differ."""
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
    def from_groups(cls, where: Points, owners: Ints, counts: Ints, groups: int) -> Centres:
        """The centres of groups of parcels; parcels of no group (−1) are left out."""
        kept = owners >= 0
        total = np.zeros((groups, where.shape[1]))
        np.add.at(total, owners[kept], where[kept] * counts[kept, None])
        sizes = np.bincount(owners[kept], counts[kept], groups)
        return cls(total / np.maximum(sizes, 1)[:, None])

    def nearest(self, wanted: Ints, among: Ints) -> Ints:
        """For each of some groups, the nearest other group in ``among``."""
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
    """Parcels by region; regions that are too large are halved along the axis on which they spread most."""
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


def hilbert_keys(cells: Ints, bits: int) -> Ints:
    """The place of each cell (one a row, coordinates below 2^bits) on the Hilbert curve (Skilling 2004).

    >>> cells = np.array([[x, y] for x in range(2) for y in range(2)])
    >>> hilbert_keys(cells, 1).tolist()
    [0, 1, 3, 2]
    """
    axes = [column.astype(np.int64) for column in cells.T]
    width, top = len(axes), 1 << (bits - 1)
    step = top
    while step > 1:
        low = step - 1
        for axis in range(width):
            here = (axes[axis] & step) > 0
            swap = np.where(here, 0, (axes[0] ^ axes[axis]) & low)
            axes[0] = np.where(here, axes[0] ^ low, axes[0] ^ swap)
            if axis:
                axes[axis] = axes[axis] ^ swap
        step >>= 1
    for axis in range(1, width):
        axes[axis] = axes[axis] ^ axes[axis - 1]
    turn = np.zeros(len(cells), dtype=np.int64)
    step = top
    while step > 1:
        turn ^= np.where((axes[-1] & step) > 0, step - 1, 0)
        step >>= 1
    keys = np.zeros(len(cells), dtype=np.int64)
    for bit in range(bits - 1, -1, -1):
        for axis in range(width):
            keys = (keys << 1) | (((axes[axis] ^ turn) >> bit) & 1)
    return keys


def hilbert_order(ranks: Ints, spans: Ints, weights: Floats) -> Ints:
    """Parcels in the order of the curve; ``ranks`` are their places on each attribute, which has ``spans`` of them.

    An attribute of less weight gets a shorter axis, so that the curve leaves places of the others later. Attributes
    beyond the bits of a key (62 of them) only decide ties.
    """
    bits = max(1, min(16, BITS // max(ranks.shape[1], 1)))
    lengths = ((1 << bits) - 1) * np.sqrt(weights / weights.max(initial=0.0))
    cells = (ranks[:, :BITS] * lengths[:BITS] // np.maximum(spans[:BITS] - 1, 1)).astype(np.int64)
    return np.lexsort((*ranks.T, hilbert_keys(cells, bits)))


def tile_order(ranks: Ints, counts: Ints, size: int, weights: Floats) -> Ints:
    """Parcels in the order of the leaves of an R-tree with ``size`` records each, packed by sort-tile-recursive
    (Leutenegger, Lopez and Edgington 1997). Attributes are cut into slabs one after another, first the one with most
    values times weight; one of more weight is cut into more slabs."""
    distinct = np.array([len(np.unique(column)) for column in ranks.T])
    axes = [int(axis) for axis in np.argsort(-distinct * weights, kind="stable") if distinct[axis] > 1]
    slabs = np.zeros(len(ranks), dtype=np.int64)
    order = np.arange(len(ranks))
    for position, axis in enumerate(axes):
        order = np.lexsort((ranks[:, axis], slabs))
        sizes = np.bincount(slabs, counts).astype(np.int64)
        leaves = np.maximum(sizes / max(size, 1), 1.0)
        pieces = np.ceil(leaves ** (weights[axis] / weights[axes[position:]].sum())).astype(np.int64)
        ends = np.cumsum(counts[order])
        base = (np.cumsum(sizes) - sizes)[slabs[order]]
        middle = ends - counts[order] / 2 - base
        piece = np.minimum((middle * pieces[slabs[order]] / sizes[slabs[order]]).astype(np.int64), math.inf)
        keys = slabs[order] * (int(pieces.max(initial=1)) + 1) + piece.astype(np.int64)
        renamed = np.unique(keys, return_inverse=True)[1]
        slabs[order] = renamed
    return order
