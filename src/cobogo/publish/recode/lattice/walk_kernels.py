"""Compiled steps through a lattice. One that is held whole has its nodes numbered, the last level running fastest."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def next_open(order, position, bounds, ceiling):  # type: ignore[no-untyped-def]
    """From a position in the order on, that of the first node that may still be best; the end where there is none."""
    while position < len(order):
        bound = bounds[order[position]]
        if bound <= ceiling and bound < np.inf:
            break
        position += 1
    return position


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def corner_above(node, corners, count):  # type: ignore[no-untyped-def]
    """The first corner that a node lies below, or at; −1 where there is none."""
    for corner in range(count):
        below = True
        for column in range(len(node)):
            if corners[corner, column] < node[column]:
                below = False
                break
        if below:
            return corner
    return -1


@njit(cache=True, nogil=True)
def dear_corner_above(node, corners, terms, count, ceiling):  # type: ignore[no-untyped-def]
    """The first corner above a node, or at it, that leaves it a bound above the ceiling; −1 where there is none."""
    for corner in range(count):
        total = 0.0
        for column in range(len(node)):
            if corners[corner, column] < node[column]:
                total = -1.0
                break
            total += terms[corner, column, node[column]]
        if total > ceiling:
            return corner
    return -1
