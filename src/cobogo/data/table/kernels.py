"""A compiled GROUP BY of coded rows: searches and risk measures number the classes of a frequency table with it, and
add up the counts and histograms of each."""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel

# Fibonacci hashing: 2^64 divided by the golden ratio spreads neighbouring keys over the whole table (Knuth 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Keys are products of spans in 64 signed bits; the margin of two bits keeps the product below the sign.
KEYS_BELOW = 2.0**62
# Cells that are gone through for each row: one takes a fraction of a nanosecond, a row that branches some three more.
CELLS_A_ROW = 4
# Cells of 8 bytes at most: more are in no processor's cache, and cost more than rows that branch.
CELLS_AT_MOST = 1 << 22
# A cell has the records of its class in its upper half, and one of its rows in its lower half.
HALF = 32
# Cells of a matrix that may be mostly empty: it is faster than a list of values, and takes 20 bytes a cell.
CELLS = 1 << 22


@kernel(small_in_python=True)
def roll_up(digits, counts, maps, starts, spans, slots, cells, places, keys, numbered, ids, new_digits, new_counts):  # type: ignore[no-untyped-def]
    """Find the classes of rows, with their counts and the digits of one row of each. Returns how many there are.
    ``ids`` takes the class of each row if it is to be ``numbered``.

    ``slots`` are 2^n places, all −1 before and after; ``cells`` are zeros before and after. Where the keys are few, a
    key is its own place; otherwise it is hashed. Keys that would not fit into 64 bits are numbered in between. Where
    they are few for the rows, too, all cells are gone through, in the order of the keys: a loop over rows without a
    branch takes a third of the time. ``maps`` is overwritten.
    """
    rows, width = digits.shape
    keys_at_most = 1.0
    for digit in range(width):
        keys_at_most *= spans[digit]
    if keys_at_most <= min(len(cells), CELLS_A_ROW * rows) and counts.sum() < 1 << (HALF - 1):
        return _roll_up_by_key(
            digits, counts, maps, starts, spans, cells, places, numbered, ids, new_digits, new_counts
        )
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


@kernel(small_in_python=True)
def _roll_up_by_key(digits, counts, maps, starts, spans, cells, places, numbered, ids, new_digits, new_counts):  # type: ignore[no-untyped-def]
    """The same where every key has a cell; a class keeps the digits of its last row."""
    rows, width = digits.shape
    unit = 1
    for digit in range(width - 1, -1, -1):
        for value in range(starts[digit], starts[digit + 1]):
            maps[value] *= unit
        unit *= spans[digit]
    _add_to_cells(digits, counts, maps, starts, cells, numbered, ids)
    found = 0
    for key in range(unit):
        if found == rows:
            break
        cell = cells[key]
        cells[key] = found if numbered else 0
        new_counts[found] = cell >> HALF  # of an empty cell, too: what is written next replaces it
        places[found] = (cell & ((1 << HALF) - 1)) - 1
        found += cell != 0
    for group in range(found):
        for digit in range(width):
            new_digits[group, digit] = digits[places[group], digit]
    if numbered:
        for row in range(rows):
            ids[row] = cells[ids[row]]
        cells[:unit] = 0
    return found


@kernel(small_in_python=True)
def _add_to_cells(digits, counts, maps, starts, cells, numbered, ids):  # type: ignore[no-untyped-def]
    """Add each row to the cell of its key, the sum of what its digits become.

    An index without a sign needs no look at it, and a loop whose length is known is unrolled: both together halve the
    time. Tables of up to ten columns mostly have three or four digits.
    """
    rows, width = digits.shape
    values, codes, start = digits.view(np.uint32), maps.view(np.uint64), starts.view(np.uint64)
    if width == 3:
        one, two, three = start[0], start[1], start[2]
        for row in range(rows):
            key = codes[one + values[row, 0]] + codes[two + values[row, 1]] + codes[three + values[row, 2]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            if numbered:
                ids[row] = key
    elif width == 4:
        one, two, three, four = start[0], start[1], start[2], start[3]
        for row in range(rows):
            key = codes[one + values[row, 0]] + codes[two + values[row, 1]]
            key += codes[three + values[row, 2]] + codes[four + values[row, 3]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            if numbered:
                ids[row] = key
    else:
        for row in range(rows):
            key = np.uint64(0)
            for digit in range(width):
                key += codes[start[digit] + values[row, digit]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            if numbered:
                ids[row] = key


@kernel(small_in_python=True)
def sum_by(ids, counts, out):  # type: ignore[no-untyped-def]
    """Add each row's count to its class."""
    for row in range(len(ids)):
        out[ids[row]] += counts[row]


@kernel(small_in_python=True)
def largest_counts(offsets, counts, out):  # type: ignore[no-untyped-def]
    """The largest count of each class's entries; what is there already, for a class without any."""
    for group in range(len(out)):
        for entry in range(offsets[group], offsets[group + 1]):
            out[group] = max(out[group], counts[entry])


@kernel(small_in_python=True)
def merge_histograms(ids, groups, offsets, values, counts, domain):  # type: ignore[no-untyped-def]
    """The sparse histogram of each class, from those of the rows that fall into it."""
    cells = groups * domain
    if cells <= len(values) or cells <= min(4 * len(values), CELLS):
        return _merge_in_a_matrix(ids, groups, offsets, values, counts, domain)
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


@kernel(small_in_python=True)
def _merge_in_a_matrix(ids, groups, offsets, values, counts, domain):  # type: ignore[no-untyped-def]
    """The same where most classes have most values."""
    matrix = np.zeros((groups, domain), np.int64)
    for row in range(len(ids)):
        group = ids[row]
        for entry in range(offsets[row], offsets[row + 1]):
            matrix[group, values[entry]] += counts[entry]
    new_offsets = np.zeros(groups + 1, np.int64)
    new_values = np.empty(groups * domain, np.int32)
    new_counts = np.empty(groups * domain, np.int64)
    end = 0
    for group in range(groups):
        for value in range(domain):
            new_values[end] = value  # of no record, too: what is written next replaces it
            new_counts[end] = matrix[group, value]
            end += matrix[group, value] > 0
        new_offsets[group + 1] = end
    return new_offsets, new_values[:end].copy(), new_counts[:end].copy()
