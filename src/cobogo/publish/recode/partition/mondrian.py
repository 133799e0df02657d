"""Mondrian: records are divided again and again, along one quasi-identifier at a time (LeFevre et al. 2006).

A group whose records have a common value of a hierarchy is divided into the children of that value. All groups that can
still be divided are looked at together, so a round costs a few passes over the distinct tuples, however many there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cobogo.data.table.frequency import number_tuples
from cobogo.floor.arrays import Floats, Ints, Mask, Small
from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import Problem, sum_by_group
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.partition.aggregate import aggregate, aggregation_methods
from cobogo.publish.recode.partition.divide import A_LITTLE, Parts, Ways, halves, lend
from cobogo.publish.recode.partition.groups import (
    Parcels,
    RecordGroups,
    common_levels,
    generalize_groups,
    parcels,
    retry_with_suppression,
    solve_by_groups,
)
from cobogo.publish.recode.partition.ranges import places

TIMES_GIVEN_UP = 16
"""How many children of one value may stay undivided so that the remainder is large enough. Bounds the tries, each of
which checks the models on all groups; a value with more such children is not divided."""


@retry_with_suppression
@card("mondrian", title="Mondrian", group="partition")
def mondrian(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Divides the records along one quasi-identifier at a time, as long as every part satisfies the models (strict:
    equal tuples stay together).

    In each quasi-identifier, a part has the lowest value of the hierarchy that covers all its records. It is divided
    into the children of that value; the children that would fail stay together at the value itself. Numbers with
    ``aggregate = "range"`` are divided at their median instead. The algorithm always runs to its end and ignores a time
    limit.

    Formula: $E \to \{E \cap c : c \text{ a child of the value of } A \text{ in } E\}$, as long as all parts satisfy the
        models; $A$ is the attribute that narrows most values of most records
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> classes(anonymize_patients("mondrian"))
        {('*', 'f'): 2, ('*', 'm'): 2, ('40-59', 'f'): 2, ('40-59', 'm'): 2}

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: It is greedy: a division is never undone. Models that look at a population or at the tuples behind each
        class are refused.
    Cost: $O(a\,n \log n)$ for n distinct tuples and a attributes.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """
    return _solve(problem, "mondrian", parcels(problem), progress, lending=False)


@retry_with_suppression
@card("mondrian-relaxed", title="Mondrian, relaxed", group="partition")
def mondrian_relaxed(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Divides the records as mondrian does, but may release equal tuples differently: a part that is too small borrows
    records from its largest neighbour.

    It draws at random which of several equal records are lent. Where people have several records, records of equal
    tuples stay together.

    Formula: as of mondrian; what is left over, $P$, becomes $P \cup L$ with $L \subset E$ records of the largest part
        beside it, if both $P \cup L$ and $E \setminus L$ satisfy the models
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> classes(anonymize_patients("mondrian-relaxed"))
        {('*', 'f'): 2, ('*', 'm'): 2, ('40-59', 'f'): 2, ('40-59', 'm'): 2}

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: Those of mondrian. Also, the ranges of parts may overlap, so counting by value needs more care.
    Cost: $O(a\,n \log n)$ for n distinct tuples and a attributes.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """
    return _solve(problem, "mondrian-relaxed", parcels(problem, divisible=True), progress, lending=True)


def _solve(problem: Problem, name: str, whole: Parcels, progress: Steps | None, *, lending: bool) -> Assigned:
    """Divide and release; attributes whose ``aggregate`` is a range are divided at the median of each part."""
    asked = problem.aggregates or (None,) * len(problem.hierarchies)
    chosen = aggregation_methods(
        replace(problem, aggregates=tuple("range" if how == "range" else "ancestor" for how in asked))
    )
    numeric = {
        column: places(problem.hierarchies[column], problem.decimal)
        for column, how in enumerate(chosen)
        if how == "range"
    }

    def publish(groups: RecordGroups) -> Assignment:
        return (
            aggregate(generalize_groups(groups, joined=False), chosen).canonical()
            if numeric
            else generalize_groups(groups)
        )

    return solve_by_groups(
        problem,
        name,
        lambda least: divide_records(whole, least, progress, lending=lending, numeric=numeric),
        publish=publish,
    )


def divide_records(
    whole: Parcels,
    least: int,
    progress: Steps | None = None,
    *,
    lending: bool = False,
    numeric: Mapping[int, Ints] | None = None,
) -> RecordGroups:
    """Mondrian's groups, of at least ``least`` records each. Attributes in ``numeric`` (with their leaves' places) are
    divided at the median instead of along the hierarchy."""
    owners = whole.regions()
    count = int(owners.max(initial=-1)) + 1
    everything = np.arange(len(whole))
    fit = whole.fit(everything, owners, count, least)
    owners = np.where(fit[owners], owners, -1)
    checked = count
    open_ = fit
    while open_.any():
        if progress is not None:
            progress(int((~open_).sum()), count)
        chosen = np.flatnonzero((owners >= 0) & open_[owners])
        numbers = np.cumsum(open_) - 1
        ids, groups = numbers[owners[chosen]], int(open_.sum())
        cut = _best_cut(whole, chosen, ids, groups, least, numeric or {}, lending=lending)
        checked += cut.checked
        cut.parts[cut.lent == whole.counts[chosen]] = -1
        lent = np.flatnonzero((cut.lent > 0) & (cut.parts >= 0))
        if len(lent):
            more = np.arange(len(whole), len(whole) + len(lent))
            whole = whole.divide(chosen[lent], cut.lent[lent])
            owners = np.concatenate([owners, owners[chosen[lent]]])
            chosen, ids = np.concatenate([chosen, more]), np.concatenate([ids, ids[lent]])
            cut.parts = np.concatenate([cut.parts, np.full(len(lent), -1)])
        parts, first = number_tuples([ids, cut.parts + 1], [groups, int(cut.parts.max(initial=0)) + 2], len(ids))
        closed = np.cumsum(~open_) - 1  # those that are done come first
        before = int((~open_).sum())
        settled = (owners >= 0) & ~open_[owners]
        owners[settled] = closed[owners[settled]]
        owners[chosen] = parts + before
        count = before + len(first)
        open_ = np.concatenate([np.zeros(before, dtype=np.bool_), cut.allowed[ids[first]]])
    numbers_left = np.unique(owners[owners >= 0])
    compact = np.full(count + 1, -1, dtype=np.int64)
    compact[numbers_left] = np.arange(len(numbers_left))
    return RecordGroups(whole, compact[owners], len(numbers_left), checked)


@dataclass(eq=False, repr=False)
class _Cut:
    """A division of groups: which groups it divides, and for each parcel its part, −1 for the remainder."""

    allowed: Mask
    parts: Ints
    gains: Floats
    lent: Ints  # how many of each parcel's records go to the remainder
    checked: int = 0


def _best_cut(
    whole: Parcels, chosen: Ints, ids: Ints, groups: int, least: int, numeric: Mapping[int, Ints], *, lending: bool
) -> _Cut:
    """Divide each group along the quasi-identifier that gains most, of those along which it can be divided."""
    nowhere, none = np.full(len(chosen), -1, dtype=np.int64), np.zeros(len(chosen), dtype=np.int64)
    best = _Cut(np.zeros(groups, dtype=np.bool_), nowhere, np.zeros(groups), none)
    levels = common_levels(whole, chosen, ids, groups)
    for column in range(levels.shape[1]):
        if column in numeric:
            ways = halves(whole, chosen, ids, groups, column, numeric[column])
        else:
            ways = _children(whole, chosen, ids, levels[:, column], column)
        cut = _cut(whole, chosen, ids, groups, ways, least, lending=lending)
        better = cut.allowed & (cut.gains > best.gains)
        best.allowed |= better
        best.gains = np.where(better, cut.gains, best.gains)
        best.parts = np.where(better[ids], cut.parts, best.parts)
        best.lent = np.where(better[ids], cut.lent, best.lent)
        best.checked += cut.checked
    return best


def _cut(whole: Parcels, chosen: Ints, ids: Ints, groups: int, ways: Ways, least: int, *, lending: bool) -> _Cut:
    """Divide groups along one quasi-identifier, into the children of their value or at the median.

    Children that do not satisfy the models form the remainder, which keeps the value itself. Where the remainder does
    not satisfy them either, the smallest of the other children joins it, again and again.
    """
    child = ways.child
    known = int(child.max(initial=0)) + 1
    subs, first = number_tuples([ids, child], [groups, known], len(ids))
    parent, sizes = ids[first], sum_by_group(subs, whole.counts[chosen], len(first))
    good = whole.fit(chosen, subs, len(first), least)
    checked = len(first)
    lent, helped = np.zeros(len(chosen), dtype=np.int64), np.zeros(groups, dtype=np.bool_)
    left_fit = np.ones(groups, dtype=np.bool_)
    for attempt in range(TIMES_GIVEN_UP):
        left_fit, tried = _left_over(whole, chosen, ids, ~good[subs], groups, least)
        checked += tried
        if lending and not attempt:
            lent, helped = lend(whole, chosen, ids, Parts(subs, parent, sizes, good), ~left_fit, least)
        left_fit |= helped
        many = sum_by_group(parent[good], np.ones(int(good.sum()), dtype=np.int64), groups) > 1
        doomed = ~left_fit & many
        if not doomed.any():
            break
        candidates = np.flatnonzero(good & doomed[parent])
        order = candidates[np.lexsort((sizes[candidates], parent[candidates]))]
        smallest = order[np.unique(parent[order], return_index=True)[1]]
        good[smallest] = False
    some = sum_by_group(parent[good], np.ones(int(good.sum()), dtype=np.int64), groups) > 0
    still = sizes - sum_by_group(subs, lent, len(first))
    per_part = np.where(good, still * ways.gain[first], 0.0)
    gains = np.bincount(parent, per_part, groups).astype(np.float64)
    return _Cut(left_fit & some & ways.possible, np.where(good[subs], child, -1), gains, lent, checked)


def _left_over(whole: Parcels, chosen: Ints, ids: Ints, left: Mask, groups: int, least: int) -> tuple[Mask, int]:
    """Which groups have a remainder that satisfies the models, or none; and how many remainders were checked."""
    there = np.unique(ids[left])
    fit = np.ones(groups, dtype=np.bool_)
    if len(there):
        fit[there] = whole.fit(chosen[left], np.searchsorted(there, ids[left]), len(there), least)
    return fit, len(there)


def _children(whole: Parcels, chosen: Ints, ids: Ints, levels: Small, column: int) -> Ways:
    """The division of each group into the children of its value."""
    h = whole.problem.hierarchies[column]
    leaf, level = whole.leaves[chosen, column], levels[ids]
    found = np.zeros(len(chosen), dtype=np.int64)
    for number in np.unique(levels).tolist():
        there = level == number
        found[there] = h.maps[max(number - 1, 0)][leaf[there]]
    return Ways(found, _gains(whole, column, level, found), levels > whole.problem.lowest[column])


def _gains(whole: Parcels, column: int, levels: Small, child: Ints) -> Floats:
    """The share of the attribute's domain that each child no longer covers, times the attribute's weight."""
    problem = whole.problem
    h = problem.hierarchies[column]
    found = np.zeros(len(child))
    for number in np.unique(levels[levels > 0]).tolist():
        there = np.flatnonzero(levels == number)
        below = h.leaf_counts[number - 1][child[there]]
        above = h.leaf_counts[number][h.parents[number - 1][child[there]]]
        found[there] = (above - below) / max(len(h.leaves) - 1, 1)
    # A level that only renames the same leaves gains next to nothing, and is still made where it is free.
    return problem.weights[column] * (found + A_LITTLE)
