"""Compiled kernels of k-similar: the records as a tree whose edges join those that are most alike."""

from __future__ import annotations

import numpy as np
from numba import njit

from cobogo.publish.recode.partition.kernels import joined


@njit(cache=True, nogil=True)
def _spanning_tree(leaves, starts, codes, costs, lowest, highest):  # type: ignore[no-untyped-def]
    """The tree that joins all parcels at the least cost (Prim): each parcel's parent, what the edge to it costs, and
    the order in which they were reached."""
    n, width = leaves.shape
    parents, edges = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
    order, reached = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    trial = np.empty(width, np.int64)
    here = 0
    for turn in range(n):
        order[turn] = here
        reached[here] = True
        best, following = np.inf, -1
        for other in range(n):
            if reached[other]:
                continue
            cost = joined(other, lowest, here, leaves, starts, codes, costs, highest, trial)
            if cost < edges[other]:
                edges[other], parents[other] = cost, here
            if following < 0 or edges[other] < best:
                best, following = edges[other], other
        here = following
    return parents, edges, order


@njit(cache=True, nogil=True)
def k_similar(leaves, counts, starts, codes, costs, lowest, highest, k):  # type: ignore[no-untyped-def]
    """Each parcel's group: the least spanning tree, cut at its dearest edges as long as both sides keep k records."""
    n = len(counts)
    parents, edges, order = _spanning_tree(leaves, starts, codes, costs, lowest, highest)
    below = counts.copy()  # records of each parcel and of all that hang on it, in its own part of the tree
    for turn in range(n - 1, 0, -1):
        below[parents[order[turn]]] += below[order[turn]]
    cut = np.zeros(n, dtype=np.bool_)
    cut[order[0]] = True
    for parcel in np.argsort(-edges):
        if cut[parcel] or below[parcel] < k:
            continue
        root = parents[parcel]
        while not cut[root]:
            root = parents[root]
        if below[root] - below[parcel] < k:
            continue
        above = parents[parcel]
        while True:
            below[above] -= below[parcel]
            if cut[above]:
                break
            above = parents[above]
        cut[parcel] = True
    owners = np.empty(n, dtype=np.int64)
    groups = 0
    for turn in range(n):
        parcel = order[turn]
        if cut[parcel]:
            owners[parcel] = groups
            groups += 1
        else:
            owners[parcel] = owners[parents[parcel]]
    return owners, groups
