"""Draws by tables of chances, many at a time."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints


def drawn(weights: Floats, row: Ints, random: np.random.Generator) -> Ints:
    """For each entry of ``row`` a column, in proportion to that row's weights; by none, where all are zero: any.

    One search in all rows laid end to end. The draws are floats: for made-up people and for post-processing, never
    for noise that privacy rests on.

    >>> drawn(np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([0, 1, 1]), np.random.default_rng(1)).tolist()
    [1, 0, 0]
    """
    bounds = np.cumsum(weights, axis=1, dtype=np.float64)
    nothing = bounds[:, -1] <= 0
    bounds[nothing] = np.arange(1, weights.shape[1] + 1)
    bounds /= bounds[:, -1:]
    line = (bounds + np.arange(len(bounds))[:, np.newaxis]).ravel()
    found = np.searchsorted(line, row + random.random(len(row)), side="right") - row * weights.shape[1]
    # At the end of a line a rounded draw may fall beyond the last column of any weight.
    last = weights.shape[1] - 1 - np.argmax(np.where(nothing[:, np.newaxis], 1, weights)[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found, last[row]))
