"""Ways to divide groups along one quasi-identifier: here, numbers at the median of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.partition.groups import Parcels


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
    return Ways(child, whole.problem.weights[column] * (np.maximum(told, 0.0) + 1e-6), possible)


def _ends(place: Ints, ids: Ints, groups: int) -> tuple[Ints, Ints]:
    """The first and the last place of each group's numbers; the first after the last where there are none."""
    known = place >= 0
    low, high = np.full(groups, np.iinfo(np.int32).max, dtype=np.int64), np.full(groups, -1, dtype=np.int64)
    np.minimum.at(low, ids[known], place[known])
    np.maximum.at(high, ids[known], place[known])
    return low, high
