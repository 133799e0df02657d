"""Orders of the records in which neighbours are alike: along the Hilbert curve, and tile by tile as in an R-tree."""

from __future__ import annotations

import math

import numpy as np

from cobogo.floor.arrays import Floats, Ints

BITS = 62
"""Of a place on the curve: keys are whole numbers of 64 bits, and stay positive."""


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
    """Parcels in the order of the curve; ``ranks`` are places on each attribute, of ``spans`` there are.

    An attribute that weighs less is drawn shorter, so that the curve leaves places of the others later. Attributes
    beyond the bits of a key (62 of them) decide ties only.
    """
    bits = max(1, min(16, BITS // max(ranks.shape[1], 1)))
    lengths = ((1 << bits) - 1) * np.sqrt(weights / weights.max(initial=0.0))
    cells = (ranks[:, :BITS] * lengths[:BITS] // np.maximum(spans[:BITS] - 1, 1)).astype(np.int64)
    return np.lexsort((*ranks.T, hilbert_keys(cells, bits)))


def tile_order(ranks: Ints, counts: Ints, size: int, weights: Floats) -> Ints:
    """Parcels in the order of an R-tree's leaves of so many records, packed by sort-tile-recursive (Leutenegger, Lopez
    and Edgington 1997): the attribute with most values, by weight, first, cut into as many slabs as all attributes
    shall have; one that weighs more, into more."""
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
