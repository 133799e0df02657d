"""A compiled GROUP BY of coded rows: searches and risk measures number the classes of a frequency table with it, and
add up the counts and histograms of each."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.floor.kernels import kernel

# Fibonacci hashing: 2^64 divided by the golden ratio spreads neighbouring keys over the whole table (Knuth 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Keys are products of spans in 64 signed bits; the margin of two bits keeps the product below the sign.
KEYS_BELOW = 2.0**62
# Cells for each row of a table: with so many keys or fewer, a row finds its class in the cell of its key, which takes
# from a third to two thirds of the time of hashing.
CELLS_A_ROW = 64
# Cells of 8 bytes at most: more are in no processor's cache.
CELLS_AT_MOST = 1 << 22
# Rows of a table with fewer cells, since many would have it compiled (see `floor.kernels`).
SMALL = 4096
# Cells that are gone through for each row: one takes half a nanosecond, a row that asks its cell a second time takes
# more than one.
SWEPT_A_ROW = 2
# A cell has the records of its class in its upper half, and one of its rows in its lower half.
HALF = 32
# Cells of a matrix that may be mostly empty: it is faster than a list of values, and takes 20 bytes a cell.
CELLS = 1 << 22


def new_cells(rows: int) -> Ints:
    """Cells for the roll-ups of a table, and of those made from it."""
    return np.zeros(min(CELLS_A_ROW * rows, CELLS_AT_MOST) if rows > SMALL else SWEPT_A_ROW * rows, dtype=np.int64)


@kernel(small_in_python=True)
def roll_up(digits, counts, maps, starts, spans, slots, cells, places, keys, numbered, ids, new_digits, new_counts):  # type: ignore[no-untyped-def]
    """Find the classes of rows, with their counts and the digits of one row of each. Returns how many there are.
    ``ids`` takes the class of each row if it is to be ``numbered``.

    ``slots`` are 2^n places, all −1 before and after; ``cells`` are zeros before and after. Where every key has a cell,
    rows are added up there, without a branch. Otherwise keys are hashed, or a key is its own place; those that would
    not fit into 64 bits are numbered in between. ``maps`` is overwritten.
    """
    rows, width = digits.shape
    keys_at_most = 1.0
    for digit in range(width):
        keys_at_most *= spans[digit]
    if keys_at_most <= len(cells) and counts.sum() < 1 << (HALF - 1):
        return _roll_up_in_cells(
            digits, counts, maps, starts, spans, cells, places, keys, numbered, ids, new_digits, new_counts
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
def _roll_up_in_cells(digits, counts, maps, starts, spans, cells, places, keys, numbered, ids, new_digits, new_counts):  # type: ignore[no-untyped-def]
    """The same where every key has a cell; a class keeps the digits of one of its rows."""
    width = len(spans)
    unit = 1
    for digit in range(width - 1, -1, -1):
        for value in range(starts[digit], starts[digit + 1]):
            maps[value] *= unit
        unit *= spans[digit]
    _add_to_cells(digits, counts, maps, starts, cells, ids)
    if unit <= SWEPT_A_ROW * len(digits):
        found = _gather_by_key(cells[:unit], places, numbered, ids, new_counts)
    else:
        found = _gather_by_row(cells, places, keys, numbered, ids, new_counts)
    for group in range(found):
        for digit in range(width):
            new_digits[group, digit] = digits[places[group], digit]
    return found


@kernel(small_in_python=True)
def _gather_by_key(cells, places, numbered, ids, new_counts):  # type: ignore[no-untyped-def]
    """Number the classes in the order of their keys. What is written of an empty cell, the next one replaces."""
    rows = len(ids)
    found = 0
    for key in range(len(cells)):
        if found == rows:
            break
        cell = cells[key]
        cells[key] = found if numbered else 0
        new_counts[found] = cell >> HALF
        places[found] = (cell & ((1 << HALF) - 1)) - 1
        found += cell != 0
    if numbered:
        for row in range(rows):
            ids[row] = cells[ids[row]]
        cells[:] = 0
    return found


@kernel(small_in_python=True)
def _gather_by_row(cells, places, keys, numbered, ids, new_counts):  # type: ignore[no-untyped-def]
    """Number the classes in the order of their first rows. What is written for another row, the next one replaces."""
    found = 0
    if not numbered:
        for row in range(len(ids)):
            cell = cells[ids[row]]
            cells[ids[row]] = 0
            new_counts[found] = cell >> HALF
            places[found] = row
            found += cell != 0
        return found
    for row in range(len(ids)):
        key = ids[row]
        cell = cells[key]
        first = cell > 0  # a cell that was seen has the number of the class, below zero
        cells[key] = -1 - found if first else cell
        ids[row] = found if first else -1 - cell
        new_counts[found] = cell >> HALF
        places[found] = row
        keys[found] = key
        found += first
    for group in range(found):
        cells[keys[group]] = 0
    return found


@kernel(small_in_python=True)
def _add_to_cells(digits, counts, maps, starts, cells, ids):  # type: ignore[no-untyped-def]
    """Add each row to the cell of its key, the sum of what its digits become.

    An index without a sign needs no look at it, and a loop whose length is known is unrolled: both together halve the
    time. Tables of up to ten columns mostly have three to five digits.
    """
    rows, width = digits.shape
    values, codes, start = digits.view(np.uint32), maps.view(np.uint64), starts.view(np.uint64)
    if width == 3:
        one, two, three = start[0], start[1], start[2]
        for row in range(rows):
            key = codes[one + values[row, 0]] + codes[two + values[row, 1]] + codes[three + values[row, 2]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            ids[row] = key
    elif width == 4:
        one, two, three, four = start[0], start[1], start[2], start[3]
        for row in range(rows):
            key = codes[one + values[row, 0]] + codes[two + values[row, 1]]
            key += codes[three + values[row, 2]] + codes[four + values[row, 3]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            ids[row] = key
    elif width == 5:
        one, two, three, four, five = start[0], start[1], start[2], start[3], start[4]
        for row in range(rows):
            key = codes[one + values[row, 0]] + codes[two + values[row, 1]] + codes[three + values[row, 2]]
            key += codes[four + values[row, 3]] + codes[five + values[row, 4]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
            ids[row] = key
    else:
        for row in range(rows):
            key = np.uint64(0)
            for digit in range(width):
                key += codes[start[digit] + values[row, digit]]
            cells[key] = (((cells[key] >> HALF) + counts[row]) << HALF) | (row + 1)
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
