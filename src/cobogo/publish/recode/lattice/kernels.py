"""Compiled kernels of the lattice: what digits become at a node, what fails there, and which table to start from.

Used by the search alone. Verification counts its classes in the engine, so an error here cannot hide itself.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
