"""How strongly each cell draws people from a distance, so that the released counts of where they end up are met.

A cell is chosen among those at a drawn distance. Were it chosen by the counts themselves, cells that many can reach
would get too many people: so the weights are scaled, over and over, by how far what they lead to is from the counts
(iterative proportional fitting). It looks at nothing but the released model.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.mobility.space import Space

ROUNDS = 12
"""Scalings; what is left after them is far below the noise."""

MOST_CELLS = 3_000
"""Cells up to which weights are fitted: it takes their square."""


def attraction(space: Space, home: Floats, chances: Floats, wanted: Floats) -> Floats:
    """Weights of cells: people who start at ``home`` (counts by cell) and go to the bins of distance that they have
    ``chances`` of (a row a cell) should be found at cells in the proportions ``wanted``."""
    cells, bins = len(space.cells), space.distances
    if cells > MOST_CELLS or wanted.sum() <= 0 or home.sum() <= 0:
        return wanted
    every = np.arange(cells)
    slot = (space.distance_bin(every[:, np.newaxis], every[np.newaxis]) + every[:, np.newaxis] * bins).ravel()
    leaves = (home[:, np.newaxis] * chances).ravel()
    weights, goal = wanted.astype(np.float64), wanted / wanted.sum()
    for _ in range(ROUNDS):
        reach = np.bincount(slot, np.tile(weights, cells), cells * bins)
        sent = np.divide(leaves, reach, out=np.zeros_like(leaves), where=reach > 0)
        found = weights * sent[slot].reshape(cells, cells).sum(axis=0)
        total = found.sum()
        if total <= 0:
            return wanted
        weights = weights * np.divide(goal, found / total, out=np.zeros_like(goal), where=found > 0)
    return weights
