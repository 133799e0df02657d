"""A compiled GROUP BY of coded rows: searches and risk measures number the classes of a frequency table with it."""

from __future__ import annotations

import numpy as np
from numba import njit

# Fibonacci hashing: 2^64 divided by the golden ratio spreads neighbouring keys over the whole table (Knuth 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Keys are products of spans in 64 signed bits; the margin of two bits keeps the product below the sign.
KEYS_BELOW = 2.0**62


@njit(cache=True, nogil=True)
def roll_up(digits, counts, maps, starts, spans, slots, places, keys, ids, new_digits, new_counts):  # type: ignore[no-untyped-def]
    """Number the rows by the class they fall into; a class keeps the digits of its first row. Returns the classes.

    ``slots`` are 2^n places, all −1 before and after. Where the keys are few, a key is its own place; otherwise it is
    hashed. Keys that would not fit into 64 bits are numbered in between.
    """
    rows, width = digits.shape
    groups = 1
    first = 0
    while True:
        span = float(groups)
        last = first
        while last < width and span * spans[last] < KEYS_BELOW:
            span *= spans[last]
            last += 1
        direct = span <= len(slots)
        shift = np.uint64(64)
        size = 1
        while size < 2 * rows and size < len(slots):
            size *= 2
            shift -= np.uint64(1)
        mask = size - 1
        found = 0
        for row in range(rows):
            key = np.int64(ids[row]) if first > 0 else np.int64(0)
            for digit in range(first, last):
                key = key * spans[digit] + maps[starts[digit] + digits[row, digit]]
            if direct:
                place = key
                group = slots[place]
            else:
                place = np.int64((np.uint64(key) * GOLDEN) >> shift) & mask
                group = slots[place]
                while group >= 0 and keys[group] != key:
                    place = (place + 1) & mask
                    group = slots[place]
            if group < 0:
                group = found
                slots[place] = group
                places[group] = place
                keys[group] = key
                new_counts[group] = 0
                for digit in range(width):
                    new_digits[group, digit] = digits[row, digit]
                found += 1
            ids[row] = group
            new_counts[group] += counts[row]
        for group in range(found):
            slots[places[group]] = -1
        groups = found
        if last >= width:
            return groups
        first = last
