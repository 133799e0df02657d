"""Ways to divide groups along one quasi-identifier: here, numbers at the median of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.partition.groups import Parcels, least_size, sums

A_LITTLE = 1e-6
"""What a division tells that narrows nothing: more than none, so that it is still made where no other is possible."""


@dataclass(frozen=True, eq=False, repr=False)
class Ways:
    """For each parcel of some groups the child that it would come to, and what a record of it would tell more; and
    which groups can be divided at all."""

    child: Ints
    told: Floats
    possible: Mask


def halves(whole: Parcels, chosen: Ints, ids: Ints, groups: int, column: int, places: Ints) -> Ways:
    """Below and above the median of each group's numbers (LeFevre and others 2006); NULL is apart. ``places``: of each
    leaf in the order of the numbers, −1 for NULL. What is told is by how many places a half is narrower."""
    place, counts = places[whole.leaves[chosen, column]], whole.counts[chosen]
    order = np.lexsort((place, ids))
    ends = np.cumsum(np.where(place[order] >= 0, counts[order], 0))
    total = np.bincount(ids, np.where(place >= 0, counts, 0), groups)
    before = np.cumsum(total) - total
    middle = np.minimum(np.searchsorted(ends, before + total / 2), len(order) - 1)
    low, high = _ends(place, ids, groups)
    # The last place never is the lower half's, or nothing would be left for the upper one.
    cut = np.minimum(place[order][middle], high - 1)
    child = np.where(place < 0, 2, np.where(place <= cut[ids], 0, 1)).astype(np.int64)
    subs = 3 * ids + child
    first, last = _ends(place, subs, 3 * groups)
    mixed = np.bincount(ids, place < 0, groups) > 0
    wide = np.where(mixed & (high >= 0), len(places), np.maximum(high - low, 0))
    told = (wide[ids] - np.maximum(last - first, 0)[subs]) / max(len(places) - 1, 1)
    possible = (high > low) | (mixed & (high >= 0))
    return Ways(child, whole.problem.weights[column] * (np.maximum(told, 0.0) + A_LITTLE), possible)


def _ends(place: Ints, ids: Ints, groups: int) -> tuple[Ints, Ints]:
    """The first and the last place of each group's numbers; the first after the last where there are none."""
    known = place >= 0
    low, high = np.full(groups, np.iinfo(np.int32).max, dtype=np.int64), np.full(groups, -1, dtype=np.int64)
    np.minimum.at(low, ids[known], place[known])
    np.maximum.at(high, ids[known], place[known])
    return low, high


ATTEMPTS = 3
"""How often a loan is tried, doubled each time, where the models ask for more than a number of records: each try asks
the models again."""


@dataclass(frozen=True, eq=False, repr=False)
class Parts:
    """The parts that groups fall into: each parcel's, and each part's group, records, and whether it may stand."""

    of: Ints
    parent: Ints
    sizes: Ints
    good: Mask


def lend(whole: Parcels, chosen: Ints, ids: Ints, parts: Parts, needy: Mask, least: int) -> tuple[Ints, Mask]:
    """How many records of each parcel go to what is left over in its group, and which groups that helps.

    The largest good part lends, from its most frequent parcels, as many as are wanting; where what is left over needs
    more than records, twice and four times as many. Both must satisfy the models after.
    """
    least = max(least, least_size(whole.problem))
    lent, helped = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(needy), dtype=np.bool_)
    bad = ~parts.good[parts.of]
    wanting = np.maximum(least - sums(ids[bad], whole.counts[chosen[bad]], len(needy)), 1)
    for attempt in range(ATTEMPTS):
        asking = needy & ~helped
        candidates = np.flatnonzero(parts.good & asking[parts.parent])
        order = candidates[np.lexsort((-parts.sizes[candidates], parts.parent[candidates]))]
        lenders = order[np.unique(parts.parent[order], return_index=True)[1]]
        lenders = lenders[parts.sizes[lenders] - (wanting[parts.parent[lenders]] << attempt) >= least]
        if not len(lenders):
            break
        taken = _taken(whole, chosen, parts.of, lenders, wanting[parts.parent[lenders]] << attempt)
        good = _both_fit(whole, chosen, ids, parts, lenders, taken, least)
        helped[parts.parent[lenders[good]]] = True
        lent = np.where(np.isin(parts.of, lenders[good]), taken, lent)
    return lent, helped


def _taken(whole: Parcels, chosen: Ints, of: Ints, lenders: Ints, amounts: Ints) -> Ints:
    """Of each parcel, how many records are lent: the most frequent first; all of one where it may not be divided."""
    places = np.flatnonzero(np.isin(of, lenders))
    counts, rank = whole.counts[chosen[places]], np.argsort(lenders)
    owner = rank[np.searchsorted(lenders[rank], of[places])]
    order = np.lexsort((-counts, owner))
    ends = np.cumsum(counts[order])
    starts = ends - counts[order]
    base = starts[np.searchsorted(owner[order], owner[order])]
    amount = np.clip(amounts[owner[order]] - (starts - base), 0, counts[order])
    if not whole.divisible:
        amount = np.where(amount > 0, counts[order], 0)
    found = np.zeros(len(of), dtype=np.int64)
    found[places[order]] = amount
    return found


def _both_fit(whole: Parcels, chosen: Ints, ids: Ints, parts: Parts, lenders: Ints, taken: Ints, least: int) -> Mask:
    """Whether what is left of each lender and what was left over, with the loan, satisfy the models."""
    number = np.full(int(parts.parent.max(initial=0)) + 1, -1, dtype=np.int64)
    number[parts.parent[lenders]] = np.arange(len(lenders))
    of_lender = np.isin(parts.of, lenders)
    counts = whole.counts[chosen]
    stay = np.flatnonzero(of_lender & (counts > taken))
    go = np.flatnonzero((of_lender & (taken > 0)) | (~parts.good[parts.of] & (number[ids] >= 0)))
    places = np.concatenate([stay, go])
    groups = np.concatenate([2 * number[ids[stay]], 2 * number[ids[go]] + 1])
    amounts = np.concatenate([(counts - taken)[stay], np.where(of_lender, taken, counts)[go]])
    fit = whole.fit(chosen[places], groups, 2 * len(lenders), least, amounts)
    return fit[0::2] & fit[1::2]
