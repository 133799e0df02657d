"""How people move from cell to cell: a Markov chain with sparse rows, learned or assumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.attacks.spots import Ground, Spots
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

WALK = 1.5
"""Metres a second that people make on average, stops included."""


@dataclass(frozen=True, eq=False)
class Markov:
    """Chances of the next cell after ``step`` seconds. Row x has the cells ``ends[starts[x]:starts[x + 1]]``."""

    grid: Ground
    step: float
    starts: Ints
    ends: Ints
    chances: Floats

    @classmethod
    def wandering(cls, grid: Ground, *, step: float = 60.0, speed: float = WALK, far: float = 2.0) -> Markov:
        """Nobody knows where to: a step falls off exponentially with its length, ``speed`` times ``step`` metres on
        average, and goes ``far`` times that at most."""
        reach = max(speed * step / 2, grid.size / 2)
        if isinstance(grid, Spots):
            return cls._among(grid, step, reach, far)
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
    def _among(cls, spots: Spots, step: float, reach: float, far: float) -> Markov:
        """The same from spot to spot: those within so far, and the nearest few, that nobody be locked in."""
        near, few = max(far * 2 * reach, spots.size), min(9, spots.cells)
        pairs = spots.tree.query_pairs(near, output_type="ndarray")
        others = spots.tree.query(spots.tree.data, k=few)[1]
        own = np.repeat(np.arange(spots.cells), few)
        one = np.concatenate([pairs[:, 0], pairs[:, 1], own])
        other = np.concatenate([pairs[:, 1], pairs[:, 0], np.reshape(others, -1)])
        key = np.unique(one * np.int64(spots.cells) + other)
        one, other = np.divmod(key, spots.cells)
        east, north = spots.metres()
        metres = np.hypot(east[one] - east[other], north[one] - north[other])
        starts = np.searchsorted(one, np.arange(spots.cells + 1)).astype(np.int64)
        return cls(spots, step, starts, other, _normalised(starts, np.exp(-metres / reach)))

    @classmethod
    def learned(
        cls, points: Points, grid: Ground, *, step: float = 60.0, strength: float = 1.0, speed: float = WALK
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


def usual_speed(points: Points) -> float:
    """Metres a second that one person in ten exceeds from one point to the next, while they are moving at all."""
    ordered = points.ordered()
    if ordered.time is None or len(ordered) < 2:
        return WALK
    gap = np.diff(ordered.time)
    same = (gap > 0) & (gap <= 1800)
    if ordered.user is not None:
        same &= np.diff(ordered.user) == 0
    far = distance(ordered.lon[:-1], ordered.lat[:-1], ordered.lon[1:], ordered.lat[1:])
    speed = far[same] / gap[same]
    moving = speed[speed > 0.2]
    return float(np.clip(np.quantile(moving, 0.9), 0.5, 40.0)) if len(moving) else WALK


def pairs(points: Points, grid: Ground, step: float) -> tuple[Ints, Ints]:
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
