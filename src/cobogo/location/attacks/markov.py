"""How people move from cell to cell: a Markov chain with sparse rows, learned or assumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.location.geometry import Floats
from cobogo.location.grid import Grid, Ints
from cobogo.location.points import Points

WALK = 1.5
"""Metres a second that people make on average, stops included."""


@dataclass(frozen=True, eq=False)
class Markov:
    """Chances of the next cell after ``step`` seconds. Row x has the cells ``ends[starts[x]:starts[x + 1]]``."""

    grid: Grid
    step: float
    starts: Ints
    ends: Ints
    chances: Floats

    @classmethod
    def wandering(cls, grid: Grid, *, step: float = 60.0, speed: float = WALK, far: float = 2.0) -> Markov:
        """Nobody knows where to: a step falls off exponentially with its length, ``speed`` times ``step`` metres on
        average, and goes ``far`` times that at most."""
        reach = max(speed * step / 2, grid.size / 2)
        side = max(int(np.ceil(far * 2 * reach / grid.size)), 1)
        dy, dx = (part.ravel() for part in np.mgrid[-side : side + 1, -side : side + 1])
        weight = np.exp(-np.hypot(dx, dy) * grid.size / reach)
        row, column = np.divmod(np.arange(grid.cells), grid.columns)
        to_row, to_column = row[:, None] + dy, column[:, None] + dx
        inside = (to_row >= 0) & (to_row < grid.rows) & (to_column >= 0) & (to_column < grid.columns)
        ends = (to_row * grid.columns + to_column)[inside]
        weights = np.broadcast_to(weight, inside.shape)[inside]
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        return cls(grid, step, starts, ends, _normalised(starts, weights))

    @classmethod
    def learned(
        cls, points: Points, grid: Grid, *, step: float = 60.0, strength: float = 1.0, speed: float = WALK
    ) -> Markov:
        """From movements known from elsewhere: how often people who were in a cell were in another a step later, with
        ``strength`` visits of one who wanders added to each cell."""
        from scipy import sparse

        wander = cls.wandering(grid, step=step, speed=speed)
        before, after = pairs(points, grid, step)
        shape = (grid.cells, grid.cells)
        known = sparse.csr_array((np.ones(len(before)), (before, after)), shape=shape)
        assumed = sparse.csr_array((wander.chances * strength, wander.ends, wander.starts), shape=shape)
        both = sparse.csr_array(known + assumed)
        both.sort_indices()
        starts, ends = both.indptr.astype(np.int64), both.indices.astype(np.int64)
        return cls(grid, step, starts, ends, _normalised(starts, both.data))


def pairs(points: Points, grid: Grid, step: float) -> tuple[Ints, Ints]:
    """Cells of the same person a step apart, half as much or as much again tolerated; reports in between count too."""
    ordered = points.ordered()
    if ordered.time is None or len(ordered) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    cells = grid.cell_of(ordered.lon, ordered.lat)
    person = np.zeros(len(ordered), dtype=np.int64) if ordered.user is None else ordered.user
    clock = ordered.time - ordered.time.min()
    span = float(clock.max()) + 4 * step
    line = clock + person * span  # people one after the other, too far apart to meet
    later = np.minimum(np.searchsorted(line, line + step), len(line) - 1)
    gap = line[later] - line
    good = (gap >= step / 2) & (gap <= step * 1.5) & (cells >= 0) & (cells[later] >= 0)
    return cells[good], cells[later][good]


def _normalised(starts: Ints, weights: Floats) -> Floats:
    totals = np.add.reduceat(weights, starts[:-1])
    return np.asarray(weights / np.repeat(totals, np.diff(starts)), dtype=np.float64)
