"""Compiled kernels of the search: rolling a frequency table up to a coarser one.

Used by the search alone. Verification counts its classes in the engine, so a fault here cannot hide itself.
"""

from __future__ import annotations

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def fold(codes, maps, starts, radices, first, last, keys):  # type: ignore[no-untyped-def]
    """Fold columns ``first`` … ``last-1``, each through its map, into the 64-bit keys."""
    for row in range(len(keys)):
        key = keys[row]
        for column in range(first, last):
            key = key * radices[column] + maps[starts[column] + codes[row, column]]
        keys[row] = key


@njit(cache=True, nogil=True)
def number(keys, slots, ids, representatives):  # type: ignore[no-untyped-def]
    """Number equal keys alike in order of first appearance; ``slots`` is a table of 2^n places, all -1."""
    shift = np.uint64(64)
    places = len(slots)
    while places > 1:
        places >>= 1
        shift -= np.uint64(1)
    mask = len(slots) - 1
    found = 0
    for row in range(len(keys)):
        key = keys[row]
        place = np.int64((np.uint64(key) * GOLDEN) >> shift) & mask
        while True:
            other = slots[place]
            if other < 0:
                slots[place] = found
                representatives[found] = row
                ids[row] = found
                found += 1
                break
            if keys[representatives[other]] == key:
                ids[row] = other
                break
            place = (place + 1) & mask
    return found


@njit(cache=True, nogil=True)
def gather(codes, maps, starts, representatives, out):  # type: ignore[no-untyped-def]
    """The recoded tuple of each class."""
    for group in range(out.shape[0]):
        row = representatives[group]
        for column in range(out.shape[1]):
            out[group, column] = maps[starts[column] + codes[row, column]]


@njit(cache=True, nogil=True)
def sum_by(ids, counts, out):  # type: ignore[no-untyped-def]
    """Add each row's count to its class."""
    for row in range(len(ids)):
        out[ids[row]] += counts[row]


@njit(cache=True, nogil=True)
def merge_histograms(ids, groups, offsets, values, counts, domain):  # type: ignore[no-untyped-def]
    """The sparse histogram of each class, from those of the rows that fall into it."""
    rows = len(ids)
    start = np.zeros(groups + 1, np.int64)
    for row in range(rows):
        start[ids[row] + 1] += 1
    for group in range(groups):
        start[group + 1] += start[group]
    place = start[:-1].copy()
    order = np.empty(rows, np.int64)
    for row in range(rows):
        order[place[ids[row]]] = row
        place[ids[row]] += 1
    new_offsets = np.zeros(groups + 1, np.int64)
    new_values = np.empty(len(values), np.int32)
    new_counts = np.empty(len(values), np.int64)
    slot_of = np.full(domain, -1, np.int64)
    end = 0
    for group in range(groups):
        begin = end
        for position in range(start[group], start[group + 1]):
            row = order[position]
            for entry in range(offsets[row], offsets[row + 1]):
                value = values[entry]
                slot = slot_of[value]
                if slot < 0:
                    slot_of[value] = end
                    new_values[end] = value
                    new_counts[end] = counts[entry]
                    end += 1
                else:
                    new_counts[slot] += counts[entry]
        for slot in range(begin, end):
            slot_of[new_values[slot]] = -1
        new_offsets[group + 1] = end
    return new_offsets, new_values[:end].copy(), new_counts[:end].copy()


@njit(cache=True, nogil=True)
def sums_where(failing, sizes, codes, leaves, starts, leaf_sums):  # type: ignore[no-untyped-def]
    """Over the failing classes: records, squared sizes, and per column the leaves under the released values."""
    records = 0
    squares = 0
    for group in range(len(sizes)):
        if failing[group]:
            size = sizes[group]
            records += size
            squares += size * size
            for column in range(codes.shape[1]):
                leaf_sums[column] += size * leaves[starts[column] + codes[group, column]]
    return records, squares
