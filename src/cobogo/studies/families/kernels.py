"""The attacks on releases of any kind, compiled: every target against every distinct row."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def attacked(targets, rows, many, fits, starts, known, guess, values):  # type: ignore[no-untyped-def]
    """For each target: the misfit of the nearest rows by what is known and by all; how many records are nearest by what
    is known, and fit in all of it; the records among the nearest of each value of the last column.

    ``rows`` are the distinct rows, ``many`` their records. ``fits[starts[c] + label, leaf]`` is the fit of column c.
    """
    count, width = targets.shape
    near = np.empty(count)
    whole = np.empty(count)
    fitting = np.zeros(count)
    votes = np.zeros((count, values))
    misfits = np.empty(len(rows))
    for target in range(count):
        best, best_of_all = 1e300, 1e300
        for row in range(len(rows)):
            misfit = 0.0
            for column in range(known):
                misfit += 1.0 - fits[starts[column] + rows[row, column], targets[target, column]]
            misfits[row] = misfit
            best = min(best, misfit)
            for column in range(known, width):
                misfit += 1.0 - fits[starts[column] + rows[row, column], targets[target, column]]
            best_of_all = min(best_of_all, misfit)
        near[target], whole[target] = best, best_of_all
        for row in range(len(rows)):
            if misfits[row] > best + 1e-9:
                continue
            right = True
            for column in range(known):
                right = right and fits[starts[column] + rows[row, column], targets[target, column]] > 0.0
            if right:
                fitting[target] += many[row]
            for value in range(values):
                votes[target, value] += many[row] * guess[rows[row, known], value]
    return near, whole, fitting, votes
