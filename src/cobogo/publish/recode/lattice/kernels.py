"""Compiled kernels of the lattice: rolling tables up to a node and summing over its classes (for `tables` and
`evaluate`), and steps from node to node (for `walk`).

Only the search uses them. Verification counts its classes in the engine, so an error here cannot hide itself.
"""

from __future__ import annotations

import struct

import numpy as np

from cobogo.floor.arrays import Words
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.contract.problem import Levels

MARKS = np.uint64(0x8000_8000_8000_8000)
"""The highest bit of each level that is packed, with three others, into a word."""


def pack_levels(levels: Levels) -> Words:
    """Levels, four to a word.

    >>> [hex(word) for word in pack_levels((1, 2, 0, 0, 3)).tolist()]
    ['0x20001', '0x3']
    """
    places = -(-max(len(levels), 1) // 4) * 4
    return np.frombuffer(struct.pack(f"<{len(levels)}H{2 * (places - len(levels))}x", *levels), dtype="<u8")


@kernel(small_in_python=True)
def recode_digits(levels, columns, firsts, sizes, codes, code_starts, distinct, maps, starts, spans):  # type: ignore[no-untyped-def]
    """What every value of every digit becomes at a node (``maps``), and how many values there are then (``spans``).

    A digit is made of ``columns[firsts[d]:firsts[d+1]]``. Its map grows column by column, from its end: what is
    written there has been read before.
    """
    for digit in range(len(spans)):
        start = starts[digit]
        maps[start] = 0
        span = 1
        known = 1
        for place in range(firsts[digit], firsts[digit + 1]):
            column = columns[place]
            size = sizes[column]
            first = code_starts[column, levels[column]]
            wide = distinct[column, levels[column]]
            for value in range(known - 1, -1, -1):
                before = maps[start + value] * wide
                for code in range(size):
                    maps[start + value * size + code] = before + codes[first + code]
            known *= size
            span *= wide
        spans[digit] = span


@kernel(small_in_python=True)
def over_digits(digits, figures, starts, multiplied, out):  # type: ignore[no-untyped-def]
    """The figures of each row's digits, multiplied or added."""
    for row in range(len(digits)):
        total = 1.0 if multiplied else 0.0
        for digit in range(digits.shape[1]):
            figure = figures[starts[digit] + digits[row, digit]]
            total = total * figure if multiplied else total + figure
        out[row] = total


@kernel(small_in_python=True)
def sums_where(failed, least, records, digits, starts, k, lost, doomed):  # type: ignore[no-untyped-def]
    """Over the classes: records that fail, kept classes and their squared sizes; and over the records that must fail
    below: their number, up to k of each class that must fail whole, and each times the class's size or k.

    ``lost`` and ``doomed`` take, by value of each digit, the records that fail and those that must fail below.
    """
    suppressed = 0
    kept = 0
    squares = 0
    below = 0
    below_places = 0
    below_squares = 0
    for group in range(len(records)):
        size = records[group]
        if failed[group]:
            suppressed += size
            for digit in range(digits.shape[1]):
                lost[starts[digit] + digits[group, digit]] += size
        elif size > 0:
            kept += 1
            squares += size * size
        if least[group] > 0:
            below += least[group]
            below_squares += least[group] * max(size, k)
            if least[group] >= size:
                below_places += min(size, k)
            for digit in range(digits.shape[1]):
                doomed[starts[digit] + digits[group, digit]] += least[group]
    return suppressed, kept, squares, below, below_places, below_squares


@kernel(small_in_python=True)
def sums_below(k, limit, records, digits, starts, lost):  # type: ignore[no-untyped-def]
    """`sums_where` where the classes of fewer than k records fail, and no others: records that fail, kept classes and
    their squared sizes. ``lost`` is filled where no more records fail than the limit allows."""
    suppressed = 0
    kept = 0
    squares = 0
    for group in range(len(records)):
        size = records[group]
        if size >= k:
            kept += 1
            squares += size * size
        else:
            suppressed += size
    if suppressed <= limit:
        for group in range(len(records)):
            if 0 < records[group] < k:
                for digit in range(digits.shape[1]):
                    lost[starts[digit] + digits[group, digit]] += records[group]
    return suppressed, kept, squares


@kernel(small_in_python=True)
def spread_sums(records, k):  # type: ignore[no-untyped-def]
    """Over the classes: their records, up to k of each, and their records times the class's size or k."""
    places = 0
    squares = 0
    for group in range(len(records)):
        size = records[group]
        places += min(size, k)
        squares += size * max(size, k)
    return places, squares


@kernel(small_in_python=True)
def value_sums(weights, levels, columns, firsts, starts, codes, code_offsets, figures, code_starts, out):  # type: ignore[no-untyped-def]
    """Per column, the figures of the values at a node, summed by the weight of each digit's values. ``codes`` are those
    of each column in each value of its digit, column by column from its offset on."""
    for digit in range(len(firsts) - 1):
        for place in range(firsts[digit], firsts[digit + 1]):
            column = columns[place]
            first = code_starts[column, levels[column]]
            start = code_offsets[place] - starts[digit]
            total = out[column]
            for value in range(starts[digit], starts[digit + 1]):
                total += weights[value] * figures[first + codes[start + value]]
            out[column] = total


@kernel(small_in_python=True)
def smallest_below(kept, rows, count, node):  # type: ignore[no-untyped-def]
    """Of the tables kept, the one with fewest rows that lies below a node or at it; −1 where none does. Levels are
    packed (`pack_levels`): where one of a table is higher than the node's, its difference borrows the mark."""
    best = -1
    for table in range(count):
        if rows[table] >= 0 and (best < 0 or rows[table] < rows[best]):
            below = True
            for word in range(len(node)):
                below &= ((node[word] | MARKS) - kept[table, word]) & MARKS == MARKS
            if below:
                best = table
    return best


# Steps through a lattice. One that is held whole has its nodes numbered, the last level running fastest.


@kernel(small_in_python=True)
def next_open(order, position, bounds, surplus, ceiling):  # type: ignore[no-untyped-def]
    """From a position in the order on, that of the first node that may still be best; the end where there is none."""
    while position < len(order):
        bound = bounds[order[position]] + surplus[order[position]]
        if bound <= ceiling and bound < np.inf:
            break
        position += 1
    return position


@kernel(small_in_python=True)
def climb(node, shape, strides, bounds, surplus, hopeful, through_hopeful, ceiling, details, path, details_left):  # type: ignore[no-untyped-def]
    """From a node upwards by the cheapest step each time, through nodes that are open; of equal steps, the one that
    leaves most detail. Returns the path's length; ``details_left`` takes the detail of each of its nodes."""
    length = 0
    detail = 0.0
    for column in range(len(shape)):
        detail += details[column, (node // strides[column]) % shape[column]]
    while True:
        path[length] = node
        details_left[length] = detail
        length += 1
        best = -1
        least = np.inf
        least_lost = np.inf
        for column in range(len(shape)):
            level = (node // strides[column]) % shape[column]
            if level + 1 < shape[column]:
                step = node + strides[column]
                bound = bounds[step] + surplus[step]
                if bound == np.inf or bound > ceiling or (hopeful[step] and not through_hopeful):
                    continue
                lost = details[column, level] - details[column, level + 1]
                if best < 0 or bound < least or (bound == least and lost < least_lost):
                    best, least, least_lost = step, bound, lost
        if best < 0:
            return length
        node = best
        detail -= least_lost


@kernel(small_in_python=True)
def raise_below(place, lowest, strides, terms, bounds):  # type: ignore[no-untyped-def]
    """Raise the bounds of a node and all below it to the sums of their terms."""
    width = len(place)
    counter = np.zeros(width, np.int64)
    last = width - 1
    while True:
        node = 0
        total = 0.0
        for column in range(last):
            node += counter[column] * strides[column]
            total += terms[column, lowest[column] + counter[column]]
        for level in range(place[last] + 1):
            bound = total + terms[last, lowest[last] + level]
            bounds[node + level] = max(bounds[node + level], bound)
        column = last - 1
        while column >= 0:
            counter[column] += 1
            if counter[column] <= place[column]:
                break
            counter[column] = 0
            column -= 1
        if column < 0:
            return


@kernel(small_in_python=True)
def raise_box(low, high, strides, least, numbers):  # type: ignore[no-untyped-def]
    """Raise the numbers of all nodes between two to a least one."""
    counter = low.copy()
    last = len(low) - 1
    while True:
        node = 0
        for column in range(last):
            node += counter[column] * strides[column]
        for level in range(low[last], high[last] + 1):
            numbers[node + level] = max(numbers[node + level], least)
        column = last - 1
        while column >= 0:
            counter[column] += 1
            if counter[column] <= high[column]:
                break
            counter[column] = low[column]
            column -= 1
        if column < 0:
            return


@kernel(small_in_python=True)
def note_block(place, top, strides, outer, offsets, hopeless, bound, surplus, bounds, surpluses):  # type: ignore[no-untyped-def]
    """Note what was found at the nodes of a block: what each costs at least, with all above it; by how much more all
    below it; and that it is closed, with all below it where it is hopeless.

    ``offsets`` are the numbers of the nodes within a block; ``place`` is the block's in the ``outer`` columns.
    """
    for up in range(2):
        counter = place.copy()
        for column in outer:
            counter[column] = place[column] if up else 0
        while True:
            base = 0
            for column in outer:
                base += counter[column] * strides[column]
            for node in range(len(offsets)):
                number = base + offsets[node]
                if up:
                    bounds[number] = max(bounds[number], bound[node])
                elif hopeless[node]:
                    bounds[number] = np.inf
                else:
                    surpluses[number] = max(surpluses[number], surplus[node])
            moved = False
            for column in outer:
                if counter[column] < (top[column] if up else place[column]):
                    counter[column] += 1
                    moved = True
                    break
                counter[column] = place[column] if up else 0
            if not moved:
                break
    base = 0
    for column in outer:
        base += place[column] * strides[column]
    for node in range(len(offsets)):
        bounds[base + offsets[node]] = np.inf
