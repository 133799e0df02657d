"""Dividing groups for Mondrian: numbers at the median of each group, and loans of records to parts that are too
small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.contract.problem import least_size, sum_by_group
from cobogo.publish.recode.partition.groups import Parcels

A_LITTLE = 1e-6
"""The gain of a division that narrows no value: above 0, so that it is made where no other is possible, and below any
other gain (a gain is a share of a domain, so this serves domains of up to a million values)."""


@dataclass(frozen=True, eq=False, repr=False)
class Ways:
    """A way to divide groups: the child that each parcel goes to, the gain per record of it, and which groups can be
    divided at all."""

    child: Ints
    gain: Floats
    possible: Mask


def halves(whole: Parcels, chosen: Ints, ids: Ints, groups: int, column: int, places: Ints) -> Ways:
    """Divide each group at the median of its numbers (LeFevre and others 2006); NULL is a part of its own.

    ``places`` has each leaf's rank among the numbers, −1 for NULL. The gain is by how many places a half is narrower.
    """
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
    gain = (wide[ids] - np.maximum(last - first, 0)[subs]) / max(len(places) - 1, 1)
    possible = (high > low) | (mixed & (high >= 0))
    return Ways(child, whole.problem.weights[column] * (np.maximum(gain, 0.0) + A_LITTLE), possible)


def _ends(place: Ints, ids: Ints, groups: int) -> tuple[Ints, Ints]:
    """The first and the last place of each group's numbers; where there are none, the first is after the last."""
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
    """The parts of divided groups: the part of each parcel, and of each part its group, its records, and whether it
    satisfies the models."""

    owners: Ints
    parent: Ints
    sizes: Ints
    good: Mask


def lend(whole: Parcels, chosen: Ints, ids: Ints, parts: Parts, needy: Mask, least: int) -> tuple[Ints, Mask]:
    """Lend records to the remainder of each needy group: how many of each parcel, and which groups that helps.

    The largest good part lends, from its most frequent parcels, as many records as the remainder lacks; where those do
    not suffice for the models, twice and four times as many. Lender and remainder must satisfy the models afterwards.
    """
    least = max(least, least_size(whole.problem))
    lent, helped = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(needy), dtype=np.bool_)
    bad = ~parts.good[parts.owners]
    wanting = np.maximum(least - sum_by_group(ids[bad], whole.counts[chosen[bad]], len(needy)), 1)
    for attempt in range(ATTEMPTS):
        asking = needy & ~helped
        candidates = np.flatnonzero(parts.good & asking[parts.parent])
        order = candidates[np.lexsort((-parts.sizes[candidates], parts.parent[candidates]))]
        lenders = order[np.unique(parts.parent[order], return_index=True)[1]]
        lenders = lenders[parts.sizes[lenders] - (wanting[parts.parent[lenders]] << attempt) >= least]
        if not len(lenders):
            break
        taken = _choose_loans(whole, chosen, parts.owners, lenders, wanting[parts.parent[lenders]] << attempt)
        good = _both_fit(whole, chosen, ids, parts, lenders, taken, least)
        helped[parts.parent[lenders[good]]] = True
        lent = np.where(np.isin(parts.owners, lenders[good]), taken, lent)
    return lent, helped


def _choose_loans(whole: Parcels, chosen: Ints, of: Ints, lenders: Ints, amounts: Ints) -> Ints:
    """How many records of each parcel to lend: the most frequent first; whole parcels where they may not be divided."""
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
    """Whether each lender without the loan, and the remainder with it, satisfy the models."""
    number = np.full(int(parts.parent.max(initial=0)) + 1, -1, dtype=np.int64)
    number[parts.parent[lenders]] = np.arange(len(lenders))
    of_lender = np.isin(parts.owners, lenders)
    counts = whole.counts[chosen]
    stay = np.flatnonzero(of_lender & (counts > taken))
    go = np.flatnonzero((of_lender & (taken > 0)) | (~parts.good[parts.owners] & (number[ids] >= 0)))
    places = np.concatenate([stay, go])
    groups = np.concatenate([2 * number[ids[stay]], 2 * number[ids[go]] + 1])
    amounts = np.concatenate([(counts - taken)[stay], np.where(of_lender, taken, counts)[go]])
    fit = whole.fit(chosen[places], groups, 2 * len(lenders), least, amounts)
    return fit[0::2] & fit[1::2]
