"""Compiled kernels of the bucketizing algorithms."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def drawn(starts, ends, values, l):  # type: ignore[no-untyped-def]
    """The bucket of each record, which come sorted by value: again and again, one of each of the l most frequent left.

    What is left in the end goes, one by one, to a bucket that does not have its value.
    """
    owner = np.full(len(values), -1, dtype=np.int64)
    place = starts.copy()
    chosen = np.empty(l, dtype=np.int64)
    bucket = 0
    while True:
        many = 0
        for value in range(len(place)):
            left = ends[value] - place[value]
            if left <= 0:
                continue
            if many == l and left <= ends[chosen[l - 1]] - place[chosen[l - 1]]:
                continue
            position = many if many < l else l - 1
            while position > 0 and ends[chosen[position - 1]] - place[chosen[position - 1]] < left:
                chosen[position] = chosen[position - 1]
                position -= 1
            chosen[position] = value
            if many < l:
                many += 1
        if many < l:
            break
        for position in range(l):
            owner[place[chosen[position]]] = bucket
            place[chosen[position]] += 1
        bucket += 1
    for value in range(len(place)):
        has = np.zeros(bucket, dtype=np.bool_)
        for record in range(starts[value], place[value]):
            has[owner[record]] = True
        free = 0
        while place[value] < ends[value] and bucket > 0:
            while free < bucket and has[free]:
                free += 1
            if free == bucket:
                break
            owner[place[value]] = free
            has[free] = True
            place[value] += 1
    return owner
