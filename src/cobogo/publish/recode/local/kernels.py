"""Compiled kernels of the local search. What they find is checked by the plain reference before it is released."""

from __future__ import annotations

import numpy as np
from numba import njit

MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _place(leaves, starts, names, levels, mask):  # type: ignore[no-untyped-def]
    """Where in a hash table to look first for what a tuple becomes at a node."""
    key = np.uint64(0)
    for column in range(len(leaves)):
        name = names[starts[column, levels[column]] + leaves[column]]
        key = (key ^ np.uint64(name)) * MIX
        key ^= key >> np.uint64(29)
    return np.int64(key & np.uint64(mask))


@njit(cache=True, nogil=True)
def group(rows, leaves, starts, names, levels, slots, ids, first):  # type: ignore[no-untyped-def]
    """Number the classes of some tuples at a node; ``slots`` is a table of 2^n places, all −1 before and after.

    Tuples are compared, not only their hashes, so no class is ever a mixture.
    """
    mask = len(slots) - 1
    width = leaves.shape[1]
    found = 0
    for position in range(len(rows)):
        row = rows[position]
        place = _place(leaves[row], starts, names, levels, mask)
        while True:
            other = slots[place]
            if other < 0:
                slots[place] = found
                first[found] = row
                ids[position] = found
                found += 1
                break
            same = True
            for column in range(width):
                start = starts[column, levels[column]]
                if names[start + leaves[first[other], column]] != names[start + leaves[row, column]]:
                    same = False
                    break
            if same:
                ids[position] = other
                break
            place = (place + 1) & mask
    if found * 4 < len(slots):
        for position in range(found):
            row = first[position]
            place = _place(leaves[row], starts, names, levels, mask)
            while slots[place] >= 0:
                slots[place] = -1
                place = (place + 1) & mask
    else:
        slots[:] = -1
    return found
