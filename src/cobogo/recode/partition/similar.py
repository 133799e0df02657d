"""Clustering over the hierarchies: k-member, OKA, and runs along a curve. Each group is released as its ancestors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cobogo import randomness
from cobogo.models.base import Ints
from cobogo.recode.assignment import Small
from cobogo.recode.partition import curves, kernels
from cobogo.recode.partition.clusters import Pieces, clustered
from cobogo.recode.partition.groups import parcels, solved
from cobogo.recode.partition.space import Points, points, tree_order
from cobogo.recode.partition.tree_costs import TreeCosts
from cobogo.recode.problem import Problem
from cobogo.recode.solution import Assigned

Progress = Callable[[int, int], None]
Cluster = Callable[[TreeCosts, Small, Points, Ints, int], Pieces]


def k_member(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:  # noqa: ARG001
    """Grows groups of k records one after another, each time by the record that costs least (Byun and others 2007).

    The time it takes grows with the square of the distinct tuples, up to blocks of 16,384.
    """

    def cluster(trees: TreeCosts, leaves: Small, _: Points, counts: Ints, k: int) -> Pieces:
        t = trees
        found: Pieces = kernels.k_member(leaves, counts, t.starts, t.codes, t.costs, t.lowest, t.highest, k)
        return found

    return _solved(problem, "k-member", cluster)


def oka(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:  # noqa: ARG001
    """Sends each record to the nearest of n/k groups that begin at random, in one pass, and evens out their sizes (Lin
    and Wei 2008).

    Every run begins elsewhere, and finds other groups.
    """

    def cluster(_: TreeCosts, __: Small, where: Points, counts: Ints, k: int) -> Pieces:
        groups = min(max(int(counts.sum()) // k, 1), len(counts))
        seeds = np.argsort(randomness.keys(len(counts)))[:groups].astype(np.int64)
        return np.arange(len(counts)), counts, kernels.oka(where, counts, seeds, k), groups

    return _solved(problem, "oka", cluster)


def hilbert(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:  # noqa: ARG001
    """Orders the records along a Hilbert curve and cuts that order, at the least cost, into runs of at least k (Ghinita
    and others 2007)."""
    return _solved(problem, "hilbert", partial(_runs, _ranks(problem), "hilbert"))


def r_tree(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:  # noqa: ARG001
    """Packs the records into the leaves of an R-tree, tile by tile, each with at least k (after Iwuchukwu and Naughton
    2007)."""
    return _solved(problem, "r-tree", partial(_runs, _ranks(problem), "r-tree"))


def _ranks(problem: Problem) -> list[Ints]:
    return [tree_order(h) for h in problem.hierarchies]


def _runs(orders: list[Ints], how: str, trees: TreeCosts, leaves: Small, _: Points, counts: Ints, k: int) -> Pieces:
    """The cheapest runs of an order. Where no cut is possible, all are one group, and mended after."""
    ranks = np.stack([order[leaves[:, column]] for column, order in enumerate(orders)], axis=1)
    spans = np.array([len(order) for order in orders], dtype=np.int64)
    order = curves.hilbert_order(ranks, spans) if how == "hilbert" else curves.tile_order(ranks, counts, k)
    t = trees
    runs = kernels.best_runs(
        np.ascontiguousarray(leaves[order]), counts[order], t.starts, t.codes, t.costs, t.lowest, t.highest, k
    )
    runs = np.maximum(runs, 0)
    return order, counts[order], runs, int(runs.max(initial=0)) + 1


def _solved(problem: Problem, name: str, cluster: Cluster) -> Assigned:
    whole = parcels(problem, divisible=True)
    where, trees, regions = points(whole), TreeCosts.of(problem), whole.regions()

    def grouped(block: Ints, counts: Ints, k: int) -> Pieces:
        inside = np.ascontiguousarray(whole.leaves[block])
        return cluster(trees, inside, np.ascontiguousarray(where[block]), counts, k)

    return solved(problem, name, lambda least: clustered(whole, where, regions, least, grouped))
