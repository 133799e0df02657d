"""Compiled kernels of the clustering algorithms: parcels as points, each with a number of records."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, fastmath=True)
def _apart(one, other):  # type: ignore[no-untyped-def]
    total = np.float32(0.0)
    for axis in range(len(one)):
        gap = one[axis] - other[axis]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _farthest(points, active, many, centre):  # type: ignore[no-untyped-def]
    best, place = np.float32(-1.0), -1
    for position in range(many):
        apart = _apart(points[active[position]], centre)
        if apart > best:
            best, place = apart, active[position]
    return place


@njit(cache=True, nogil=True)
def _take(points, left, active, many, centre, wanted, near, gaps):  # type: ignore[no-untyped-def]
    """Move the nearest ``wanted`` records to a group: returns how many parcels were touched, in ``near``.

    What is taken of each stands in ``gaps`` then; ``left`` is not changed.
    """
    known = 0
    for position in range(many):
        parcel = active[position]
        apart = _apart(points[parcel], centre)
        if known == wanted and apart >= gaps[known - 1]:
            continue
        place = known if known < wanted else wanted - 1
        while place > 0 and gaps[place - 1] > apart:
            gaps[place] = gaps[place - 1]
            near[place] = near[place - 1]
            place -= 1
        gaps[place] = apart
        near[place] = parcel
        if known < wanted:
            known += 1
    rest = wanted
    touched = 0
    while touched < known and rest > 0:
        parcel = near[touched]
        moved = min(rest, left[parcel])
        gaps[touched] = np.float32(moved)
        rest -= moved
        touched += 1
    return touched


@njit(cache=True, nogil=True)
def mdav(points, counts, k):  # type: ignore[no-untyped-def]
    """Maximum distance to average vector: the groups as lists of (parcel, records, group).

    While 3k records are left, the k nearest to the one farthest from the mean become a group, and so do the k nearest
    to the one farthest from that; then one more, if 2k are left, and the rest.
    """
    n, dims = points.shape
    left = counts.copy()
    active = np.arange(n)
    many = n
    records = left.sum()
    total = np.zeros(dims, dtype=np.float64)
    for parcel in range(n):
        for axis in range(dims):
            total[axis] += points[parcel, axis] * left[parcel]
    room = n + 2 * (records // max(k, 1)) + 4 * k + 16
    parcels, amounts, owners = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    used, group = 0, 0
    near, gaps = np.empty(k, np.int64), np.empty(k, np.float32)
    centre = np.empty(dims, dtype=np.float32)
    while records >= 2 * k:
        for axis in range(dims):
            centre[axis] = total[axis] / records
        start = _farthest(points, active, many, centre)
        other = start
        for turn in range(2):
            if turn == 1 and records < 2 * k:
                break
            if turn == 1:
                other = _farthest(points, active, many, points[start])
            touched = _take(points, left, active, many, points[other], k, near, gaps)
            for position in range(touched):
                parcel, moved = near[position], np.int64(gaps[position])
                parcels[used], amounts[used], owners[used] = parcel, moved, group
                used += 1
                left[parcel] -= moved
                records -= moved
                for axis in range(dims):
                    total[axis] -= points[parcel, axis] * moved
            group += 1
            kept = 0
            for position in range(many):
                if left[active[position]] > 0:
                    active[kept] = active[position]
                    kept += 1
            many = kept
    for position in range(many):
        parcel = active[position]
        parcels[used], amounts[used], owners[used] = parcel, left[parcel], group
        used += 1
    if many > 0:
        group += 1
    return parcels[:used], amounts[:used], owners[:used], group
