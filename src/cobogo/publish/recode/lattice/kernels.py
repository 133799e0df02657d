"""Compiled kernels of the lattice: rolling tables up to a node and summing over its classes (for `tables` and
`evaluate`), and steps from node to node (for `walk`).

Only the search uses them. Verification counts its classes in the engine, so an error here cannot hide itself.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel


@kernel(small_in_python=True)
def recode_digits(levels, columns, firsts, sizes, codes, code_starts, distinct, maps, starts, spans):  # type: ignore[no-untyped-def]
    """What every value of every digit becomes at a node (``maps``), and how many values there are then (``spans``).

    A digit is made of ``columns[firsts[d]:firsts[d+1]]``; its values are gone through like an odometer's.
    """
    counter = np.zeros(len(columns), np.int64)
    for digit in range(len(spans)):
        first, last = firsts[digit], firsts[digit + 1]
        span = 1
        for place in range(first, last):
            span *= distinct[columns[place], levels[columns[place]]]
            counter[place] = 0
        spans[digit] = span
        for value in range(starts[digit], starts[digit + 1]):
            code = 0
            for place in range(first, last):
                column = columns[place]
                level = levels[column]
                code = code * distinct[column, level] + codes[code_starts[column, level] + counter[place]]
            maps[value] = code
            for place in range(last - 1, first - 1, -1):
                counter[place] += 1
                if counter[place] < sizes[columns[place]]:
                    break
                counter[place] = 0


@kernel(small_in_python=True)
def sums_where(failed, least, records, digits, starts, lost, doomed):  # type: ignore[no-untyped-def]
    """Over the classes: records that fail, that must fail below, kept classes, and the squared sizes of those.

    ``lost`` and ``doomed`` take, by value of each digit, the records of the first two.
    """
    suppressed = 0
    below = 0
    kept = 0
    squares = 0
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
            for digit in range(digits.shape[1]):
                doomed[starts[digit] + digits[group, digit]] += least[group]
    return suppressed, below, kept, squares


@kernel(small_in_python=True)
def leaf_sums(weights, levels, columns, firsts, sizes, starts, leaves, code_starts, out):  # type: ignore[no-untyped-def]
    """Per column, the leaves under the values at a node, summed by the weight of each digit's values."""
    counter = np.zeros(len(columns), np.int64)
    for digit in range(len(firsts) - 1):
        first, last = firsts[digit], firsts[digit + 1]
        counter[first:last] = 0
        for value in range(starts[digit], starts[digit + 1]):
            weight = weights[value]
            if weight > 0:
                for place in range(first, last):
                    column = columns[place]
                    out[column] += weight * leaves[code_starts[column, levels[column]] + counter[place]]
            for place in range(last - 1, first - 1, -1):
                counter[place] += 1
                if counter[place] < sizes[columns[place]]:
                    break
                counter[place] = 0


@kernel(small_in_python=True)
def smallest_below(kept, rows, count, levels):  # type: ignore[no-untyped-def]
    """Of the tables kept, the one with fewest rows that lies below a node or at it; −1 where none does."""
    best = -1
    for table in range(count):
        if rows[table] >= 0 and (best < 0 or rows[table] < rows[best]):
            below = True
            for column in range(len(levels)):
                if kept[table, column] > levels[column]:
                    below = False
                    break
            if below:
                best = table
    return best


# Steps through a lattice. One that is held whole has its nodes numbered, the last level running fastest.


@kernel(small_in_python=True)
def next_open(order, position, bounds, ceiling):  # type: ignore[no-untyped-def]
    """From a position in the order on, that of the first node that may still be best; the end where there is none."""
    while position < len(order):
        bound = bounds[order[position]]
        if bound <= ceiling and bound < np.inf:
            break
        position += 1
    return position


@kernel(small_in_python=True)
def climb(node, shape, strides, bounds, hopeful, through_hopeful, path):  # type: ignore[no-untyped-def]
    """From a node upwards by the cheapest step each time, through nodes that are open. Returns the path's length."""
    length = 0
    while True:
        path[length] = node
        length += 1
        best = -1
        for column in range(len(shape)):
            if (node // strides[column]) % shape[column] + 1 < shape[column]:
                step = node + strides[column]
                if bounds[step] == np.inf or (hopeful[step] and not through_hopeful):
                    continue
                if best < 0 or bounds[step] < bounds[best] or (bounds[step] == bounds[best] and step < best):
                    best = step
        if best < 0:
            return length
        node = best


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
def mark_above(place, shape, strides, hopeful):  # type: ignore[no-untyped-def]
    """Note that a node and all above it are not hopeless."""
    width = len(place)
    counter = place.copy()
    last = width - 1
    while True:
        node = 0
        for column in range(last):
            node += counter[column] * strides[column]
        hopeful[node + place[last] : node + shape[last]] = True
        column = last - 1
        while column >= 0:
            counter[column] += 1
            if counter[column] < shape[column]:
                break
            counter[column] = place[column]
            column -= 1
        if column < 0:
            return
