"""What an attacker believes after one report: Bayes' rule on a grid, and the best guess that follows from it.

Pr(x | z) ∝ π(x) · f(z | x). Beliefs of many reports are worked through in blocks, so that memory stays small whatever
their number; expected distances are convolutions on the grid, so that no matrix of all pairs of cells is made.

Reference: Shokri, Theodorakopoulos, Le Boudec & Hubaux 2011, "Quantifying location privacy".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.attacks.likelihood import Likelihood
from cobogo.locate.attacks.spots import Ground, Spots
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

How = Literal["map", "median", "mean"]

NUMBERS = 1 << 21
"""Numbers of a block of beliefs: 16 MB."""


def prior_of(points: Points, grid: Ground, smoothing: float = 1.0) -> Floats:
    """How often each cell of a grid is visited, with ``smoothing`` visits spread over all of it; sums to 1.

    >>> grid = Grid.over(0, 0, 0.02, 0.01, size=1112)
    >>> prior_of(Points.of([0.005, 0.005, 0.015], [0.005] * 3), grid, smoothing=0).round(3).tolist()
    [0.667, 0.333]
    """
    cells = grid.cell_of(points.lon, points.lat)
    counts = np.bincount(cells[cells >= 0], minlength=grid.cells) + smoothing / grid.cells
    total = counts.sum()
    return np.asarray(counts / total if total else np.full(grid.cells, 1 / grid.cells), dtype=np.float64)


def blocks(count: int, cells: int) -> Iterator[slice]:
    """Rows that are worked through together."""
    size = max(NUMBERS // max(cells, 1), 1)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def beliefs(likelihood: Likelihood, prior: Floats, rows: slice | Ints) -> Floats:
    """Pr(x | z) for some reports: one row each, one column for each cell. Where a report has no chance in any cell (a
    region smaller than one), the attacker looks at the cells nearest to it."""
    with np.errstate(divide="ignore"):
        logs = likelihood.logs(rows) + np.log(prior)
    best = logs.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best[:, 0])
    if lost.any():
        logs[lost] = likelihood.nearness(rows)[lost]
        best = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - best)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), dtype=np.float64)


def posterior(likelihood: Likelihood, prior: Floats) -> Floats:
    """The beliefs of every report at once: for few of them."""
    return np.concatenate(
        [beliefs(likelihood, prior, rows) for rows in blocks(likelihood.count, len(prior))]
        or [np.empty((0, len(prior)))]
    )


def expected_distances(chances: Floats, grid: Ground) -> Floats:
    """Σ_x Pr(x) d(x, y) for every cell y, of each row: on a whole grid a convolution with its distances."""
    if isinstance(grid, Spots):
        return np.asarray(chances @ grid.apart, dtype=np.float64)
    from scipy import fft

    shape = tuple(fft.next_fast_len(2 * side - 1, real=True) for side in (grid.rows, grid.columns))
    north, east = (np.minimum(np.arange(side), side - np.arange(side)) * grid.size for side in shape)
    kernel = fft.rfft2(np.hypot(north[:, None], east))
    images = fft.rfft2(chances.reshape(-1, grid.rows, grid.columns), s=shape)
    images *= kernel
    spread = fft.irfft2(images, s=shape)[:, : grid.rows, : grid.columns]
    return np.asarray(spread.reshape(len(chances), grid.cells), dtype=np.float64)


def guess(chances: Floats, grid: Ground, how: How = "median") -> tuple[Floats, Floats]:
    """The attacker's best guess in longitudes and latitudes: the likeliest cell (``map``), the cell from which the
    expected distance is least (``median``), or the mean place, whose squared distance is least (``mean``)."""
    if how == "mean":
        east, north = grid.metres()
        return grid.frame.degrees(chances @ east, chances @ north)
    if how == "map":
        return grid.centres(chances.argmax(axis=1))
    size = max(len(chances) // 8, 256)  # transforms need several times the room of what they transform
    cells = [
        expected_distances(chances[start : start + size], grid).argmin(axis=1) for start in range(0, len(chances), size)
    ]
    return grid.centres(np.concatenate(cells) if cells else np.empty(0, dtype=np.int64))


def grid_for(points: Points, cells: int = 2500) -> Grid:
    """A square grid of about so many cells over points and a margin about them: for attacks, never for a release."""
    east, north = points.frame.metres(points.lon, points.lat)
    width = float(np.ptp(east)) if len(points) else 0.0
    height = float(np.ptp(north)) if len(points) else 0.0
    size = max(float(np.sqrt(max(width, 500.0) * max(height, 500.0) * 1.2 / cells)), 10.0)
    west, south = points.frame.degrees(east.min() - size, north.min() - size)
    right, top = points.frame.degrees(east.max() + size, north.max() + size)
    return Grid.over(float(west), float(south), float(right), float(top), size=size)
