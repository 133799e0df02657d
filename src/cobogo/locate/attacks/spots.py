"""The places that an attacker considers: the cells of a fine grid where people are ever seen.

A city is mostly empty. A grid that is fine enough to show what noise does not hide would have hundreds of thousands of
cells, of which people visit a few thousand. `Spots` can be used in place of a `Grid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

FINEST = 10.0
"""Metres of a cell, at least: the error of GPS."""

GROWTH = 1.3
"""By which cells grow until there are few enough: a smaller step leaves them finer and takes more tries."""


@dataclass(frozen=True, eq=False, repr=False)
class Spots:
    """Some cells of a grid, numbered anew from 0."""

    grid: Grid
    numbers: Ints  # of the grid's cells, ascending

    @classmethod
    def from_visits(cls, points: Points, most: int = 2500, elsewhere: int = 0) -> Spots:
        """The cells that hold points, as fine as ``most`` of them allow; with ``elsewhere``, about so many more evenly
        over the area, for people who go where nobody was seen."""
        east, north = points.frame.metres(points.lon, points.lat)
        extent = max(float(np.ptp(east)), float(np.ptp(north)), FINEST) if len(points) else FINEST
        size = FINEST
        while True:
            key = np.unique(np.stack([np.floor(east / size), np.floor(north / size)]), axis=1)
            if key.shape[1] + elsewhere <= most or size > extent:
                break
            size *= GROWTH
        grid = _grid(points, size)
        numbers = grid.nearest_cell(points.lon, points.lat)
        if elsewhere:
            side = max(int(np.sqrt(elsewhere)), 1)
            rows = np.linspace(0, grid.rows - 1, min(side, grid.rows)).astype(np.int64)
            columns = np.linspace(0, grid.columns - 1, min(side, grid.columns)).astype(np.int64)
            numbers = np.concatenate([numbers, (rows[:, None] * grid.columns + columns).ravel()])
        return cls(grid, np.unique(numbers))

    @property
    def frame(self) -> Frame:
        """The frame of the grid."""
        return self.grid.frame

    @property
    def size(self) -> float:
        """Metres of a cell."""
        return self.grid.size

    @property
    def cells(self) -> int:
        """The number of spots."""
        return len(self.numbers)

    @cached_property
    def tree(self) -> Any:
        """A tree of the centres, to find near ones."""
        from scipy.spatial import cKDTree

        return cKDTree(np.column_stack(self.metres()))

    def metres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Their centres in metres to the east and north of the middle of the grid."""
        chosen = self.numbers if cells is None else self.numbers[np.asarray(cells, dtype=np.int64)]
        return self.grid.metres(chosen)

    def centres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Their centres in degrees."""
        return self.frame.degrees(*self.metres(cells))

    def cell_of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The spots that points lie in; −1 elsewhere."""
        cell = self.grid.cell_of(lon, lat)
        place = np.minimum(np.searchsorted(self.numbers, cell), len(self.numbers) - 1)
        return np.where(self.numbers[place] == cell, place, -1)

    def nearest_cell(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The nearest spots."""
        return np.asarray(self.tree.query(np.column_stack(self.frame.metres(lon, lat)))[1], dtype=np.int64)

    @cached_property
    def apart(self) -> Floats:
        """Metres between all pairs."""
        east, north = self.metres()
        return np.hypot(east[:, None] - east, north[:, None] - north)


Ground = Grid | Spots
"""The places that an attacker considers: a whole grid, or some of its cells."""


def _grid(points: Points, size: float) -> Grid:
    east, north = points.frame.metres(points.lon, points.lat)
    west, south = points.frame.degrees(east.min() - size, north.min() - size)
    right, top = points.frame.degrees(east.max() + size, north.max() + size)
    return Grid.from_bounds(float(west), float(south), float(right), float(top), size=size)
