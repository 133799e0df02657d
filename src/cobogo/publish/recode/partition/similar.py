"""Clustering over the hierarchies: k-member, k-similar, OKA, runs along a curve. Groups are released as ancestors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from cobogo.data.table.frequency import number_tuples
from cobogo.errors import NoSolution
from cobogo.floor import randomness
from cobogo.floor.arrays import Floats, Ints, Small
from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Problem, refuse_beyond_classes
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.partition import kernels
from cobogo.publish.recode.partition.clusters import Pieces, cluster_regions
from cobogo.publish.recode.partition.groups import can_divide, parcels, retry_with_suppression, solve_by_groups
from cobogo.publish.recode.partition.mondrian import divide_records
from cobogo.publish.recode.partition.space import Points, hilbert_order, points, tile_order, tree_order


@dataclass(frozen=True, eq=False, repr=False)
class TreeCosts:
    """The hierarchies as flat arrays for the kernels. At ``starts[a, l] + v`` are, for leaf ``v`` of attribute ``a`` at
    level ``l``, the code of its value and the share of the domain under it, times the attribute's weight."""

    starts: Ints
    codes: Small
    costs: Floats
    lowest: Ints
    highest: Ints

    @classmethod
    def from_problem(cls, problem: Problem) -> TreeCosts:
        """The arrays of a problem's hierarchies."""
        height = max(h.height for h in problem.hierarchies)
        starts = np.zeros((len(problem.hierarchies), height + 1), dtype=np.int64)
        codes, costs, place = [], [], 0
        for column, (h, weight) in enumerate(zip(problem.hierarchies, problem.weights, strict=True)):
            for level, there in enumerate(h.maps):
                starts[column, level] = place
                codes.append(there)
                costs.append(weight * (h.leaf_counts[level][there] - 1) / max(len(h.leaves) - 1, 1))
                place += len(there)
        levels = np.array([problem.lowest, problem.highest], dtype=np.int64)
        return cls(starts, np.concatenate(codes).astype(np.int32), np.concatenate(costs), levels[0], levels[1])


Cluster = Callable[[TreeCosts, Small, Points, Ints, int], Pieces]


@retry_with_suppression
@card("k-member", group="partition", study="mondrian-relaxed")
def k_member(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Builds groups of k records one after another, and adds each time the record that costs least.

    A group begins with the record farthest from the start of the previous group. Each record that is left over joins
    the group where it costs least.

    Formula: $r^{\ast} = \arg\min_r \mathrm{IL}(G \cup \{r\}) - \mathrm{IL}(G)$ with $\mathrm{IL}$ the loss of releasing
        a group alike; until $\lvert G\rvert = k$
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("k-member")).values())
        2

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: Later groups consist of the records that earlier groups left. The metric does not guide the algorithm.
    Cost: $O(n^2)$ for n distinct tuples, in blocks of up to 16,384.
    Paper: J.-W. Byun, A. Kamra, E. Bertino and N. Li, Efficient k-anonymization using clustering techniques, DASFAA
        2007.
    """

    def cluster(trees: TreeCosts, leaves: Small, _: Points, counts: Ints, k: int) -> Pieces:
        return _grow_groups(trees, leaves, counts, k)

    return _solve(problem, "k-member", cluster)


@retry_with_suppression
@card("k-similar", group="partition", study="mondrian-relaxed")
def k_similar(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Joins all records to the tree that costs least, and cuts it at its most expensive edges into groups of at least
    k.

    A part that no cut can divide, because too few records hang on each edge, is divided as by k-member. Sweeney names
    k-Similar beside Datafly and μ-Argus, and asks to group the most similar records; the steps are our own.

    Formula: a minimum spanning tree by $d(r, r') = \mathrm{IL}(\{r, r'\})$; an edge is cut, the dearest first, if both
        sides keep at least k records
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("k-similar")).values())
        2

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: It finds clusters of any shape first and considers their sizes second: better for small k, worse for large
        k. The metric does not guide the algorithm.
    Cost: $O(n^2)$ for n distinct tuples, in blocks of up to 16,384.
    Paper: After k-Similar of L. Sweeney 2002; cutting trees is known from M. Laszlo and S. Mukherjee, Minimum spanning
        tree partitioning algorithm for microaggregation, IEEE Transactions on Knowledge and Data Engineering, 2005.
    """

    def cluster(trees: TreeCosts, leaves: Small, _: Points, counts: Ints, k: int) -> Pieces:
        t = trees
        owners, groups = kernels.k_similar(leaves, counts, t.starts, t.codes, t.costs, t.lowest, t.highest, k)
        sizes = np.bincount(owners, counts, groups)
        settled = np.flatnonzero(sizes[owners] < 2 * k)
        parts = [(settled, counts[settled], owners[settled])]
        for large in np.flatnonzero(sizes >= 2 * k).tolist():
            inside = np.flatnonzero(owners == large)
            places, amounts, own, more = _grow_groups(trees, np.ascontiguousarray(leaves[inside]), counts[inside], k)
            parts.append((inside[places], amounts, own + groups))
            groups += more
        places, amounts, owners = (np.concatenate([part[n] for part in parts]) for n in range(3))
        return places, amounts, np.unique(owners, return_inverse=True)[1], len(np.unique(owners))

    return _solve(problem, "k-similar", cluster)


def _grow_groups(t: TreeCosts, leaves: Small, counts: Ints, k: int) -> Pieces:
    """Groups grown one by one, each time by what costs least."""
    found: Pieces = kernels.k_member(leaves, counts, t.starts, t.codes, t.costs, t.lowest, t.highest, k)
    return found


@retry_with_suppression
@card("oka", title="OKA", group="partition", study="mondrian-relaxed")
def oka(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Assigns each record, in one pass, to the nearest of n/k groups that begin at random, and then evens out their
    sizes.

    Every run begins at other records, and finds other groups.

    Formula: $G(r) = \arg\min_G d(r, G)$ over $\lfloor n/k \rfloor$ groups; then the farthest records of groups above k
        go to groups below k
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("oka")).values()) >= 2
        True

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: It is less careful than k-member, and no two runs give the same result. The metric does not guide the
        algorithm.
    Cost: $O(n^2 / k)$ for n distinct tuples, in blocks of up to 16,384.
    Paper: J.-L. Lin and M.-C. Wei, An efficient clustering method for k-anonymization, PAIS 2008.
    """

    def cluster(_: TreeCosts, __: Small, where: Points, counts: Ints, k: int) -> Pieces:
        groups = min(max(int(counts.sum()) // k, 1), len(counts))
        seeds = np.argsort(randomness.keys(len(counts)))[:groups].astype(np.int64)
        return np.arange(len(counts)), counts, kernels.oka(where, counts, seeds, k), groups

    return _solve(problem, "oka", cluster)


@retry_with_suppression
@card("hilbert", title="Hilbert", group="partition", study="mondrian-relaxed")
def hilbert(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Orders the records along a Hilbert curve, and cuts this order at the lowest cost into runs of at least k
    records.

    The curve passes through the leaves of the hierarchies, in which neighbours are similar.

    Formula: $c(j) = \min_{k \le j - i < 2k} c(i) + \mathrm{IL}(r_{i+1} \ldots r_j)$, a dynamic programme over the order
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("hilbert")).values()) >= 2
        True

    Guarantee: Every model of the policy holds, and is checked again on the written release. The cuts are the best ones
        for the order; the order is not proven to be the best.
    Limits: A curve separates some neighbours, and more of them the more quasi-identifiers there are. The metric does
        not guide the algorithm.
    Cost: $O(n \log n + n\,k)$ for n distinct tuples.
    Paper: G. Ghinita, P. Karras, P. Kalnis and N. Mamoulis, Fast data anonymization with low information loss, VLDB
        2007.
    """
    return _solve(problem, "hilbert", partial(_runs, problem, "hilbert"))


@retry_with_suppression
@card("r-tree", title="R-tree", group="partition", study="mondrian-relaxed")
def r_tree(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Packs the records into the leaves of an R-tree, tile by tile, with at least k records in each leaf.

    It sorts the records along one attribute after the other to pack the leaves, and cuts the resulting order at the
    lowest cost.

    Formula: as of hilbert, $c(j) = \min_i c(i) + \mathrm{IL}(r_{i+1} \ldots r_j)$, along the order of the leaves
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("r-tree")).values()) >= 2
        True

    Guarantee: Every model of the policy holds, and is checked again on the written release. The cuts are the best ones
        for the order; the order is not proven to be the best.
    Limits: If there are many attributes, tiles depend on few of them. The metric does not guide the algorithm.
    Cost: $O(n \log n + n\,k)$ for n distinct tuples.
    Paper: After T. Iwuchukwu and J. F. Naughton, k-anonymization as spatial indexing: toward scalable and incremental
        anonymization, VLDB 2007.
    """
    return _solve(problem, "r-tree", partial(_runs, problem, "r-tree"))


def _runs(problem: Problem, how: str, trees: TreeCosts, leaves: Small, _: Points, counts: Ints, k: int) -> Pieces:
    """The cheapest runs of an order. Where no cut is possible, all records are one group; joining mends it later."""
    orders = [tree_order(h) for h in problem.hierarchies]
    ranks = np.stack([order[leaves[:, column]] for column, order in enumerate(orders)], axis=1)
    spans, weights = np.array([len(order) for order in orders], dtype=np.int64), np.array(problem.weights)
    order = hilbert_order(ranks, spans, weights) if how == "hilbert" else tile_order(ranks, counts, k, weights)
    places, amounts = _cut_up(order, counts, k) if can_divide(problem) else (order, counts[order])
    t = trees
    runs = kernels.best_runs(
        np.ascontiguousarray(leaves[places]), amounts, t.starts, t.codes, t.costs, t.lowest, t.highest, k
    )
    runs = np.maximum(runs, 0)
    pieces, inverse = np.unique(places * (len(runs) + 1) + runs, return_inverse=True)
    total = np.bincount(inverse, amounts).astype(np.int64)
    return pieces // (len(runs) + 1), total, pieces % (len(runs) + 1), int(runs.max(initial=0)) + 1


def _cut_up(order: Ints, counts: Ints, k: int) -> tuple[Ints, Ints]:
    """Parcels record by record, so that a run may begin or end within one; of a large one, the middle stays whole."""
    many = counts[order]
    large = many > 4 * k
    pieces = np.where(large, 4 * k + 1, many)
    places = np.repeat(order, pieces)
    turn = np.arange(len(places)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    middle = np.repeat(large, pieces) & (turn == 2 * k)
    return places, np.where(middle, np.repeat(many - 4 * k, pieces), 1)


def _solve(problem: Problem, name: str, cluster: Cluster) -> Assigned:
    refuse_beyond_classes(problem, name)
    whole = parcels(problem, divisible=True)
    where, trees, regions = points(whole), TreeCosts.from_problem(problem), whole.regions()

    def cluster_block(block: Ints, counts: Ints, k: int) -> Pieces:
        inside = np.ascontiguousarray(whole.leaves[block])
        return cluster(trees, inside, np.ascontiguousarray(where[block]), counts, k)

    def solve_within(inside: Ints) -> Assigned:
        return solve_by_groups(problem, name, lambda least: cluster_regions(whole, where, inside, least, cluster_block))

    if not any(model.attributes for model in problem.models):
        return solve_within(regions)
    parts = divide_records(whole, 1)
    inside = number_tuples([regions, parts.owners + 1], [len(whole), parts.count + 1], len(whole))[0]
    return _better_solution(problem, [partial(solve_within, regions), partial(solve_within, inside)])


def _better_solution(problem: Problem, ways: list[Callable[[], Assigned]]) -> Assigned:
    """The better of two solutions where models look at sensitive values.

    One clusters all records, and failing groups join their neighbours, which tend to fail for the same reason. The
    other clusters within parts that satisfy the models (those of mondrian), so that at worst a part is one group.
    """
    found: list[Assigned] = []
    for number, way in enumerate(ways):
        try:
            found.append(way())
        except NoSolution:
            if number == len(ways) - 1 and not found:
                raise
    sign = -1.0 if found[0].metric == problem.metric.name and problem.metric.maximize else 1.0
    return min(found, key=lambda one: sign * one.value)
