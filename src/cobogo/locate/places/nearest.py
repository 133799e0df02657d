"""The nearest of some public places on the globe: regions, points of interest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points


def vectors(lon: ArrayLike, lat: ArrayLike) -> Floats:
    """Points of the globe in space, at a distance of 1 from its centre: the nearest there are the nearest on it."""
    east, north = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """Public places, of which the nearest is found anywhere on the globe. They may have names.

    >>> theatre, lighthouse = (-38.5285, -3.7278), (-38.4847, -3.7086)
    >>> places = Places(Points.of(*zip(theatre, lighthouse)), ("Theatro José de Alencar", "Farol do Mucuripe"))
    >>> places.nearest([-38.53], [-3.73]).tolist()
    [0]
    """

    points: Points
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.names and len(self.names) != len(self.points):
            raise ValueError(
                f"The 'names' parameter of places must be one for each of {len(self.points):,}. "
                f"Got {len(self.names):,} instead"
            )
        if not len(self.points):
            raise ValueError("The 'points' parameter of places must have one at least. Got none instead")

    @classmethod
    def of_cells(cls, grid: Grid, allowed: Any = None) -> Places:
        """The centres of a grid's cells: of all, or of those that a mask or numbers allow."""
        return cls(Points(*grid.centres(np.arange(grid.cells) if allowed is None else np.arange(grid.cells)[allowed])))

    @classmethod
    def of_polygon(cls, polygon: Any, grid: Grid) -> Places:
        """The centres of a grid's cells that lie in a polygon of longitudes and latitudes (shapely's)."""
        import shapely

        return cls.of_cells(grid, shapely.contains_xy(polygon, *grid.centres()))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(vectors(self.points.lon, self.points.lat))

    def __len__(self) -> int:
        return len(self.points)

    def nearest(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The number of the nearest place to each point; of equals, any."""
        return np.asarray(self._tree.query(vectors(lon, lat))[1], dtype=np.int64)

    def __call__(self, reports: Points) -> Points:
        """Each report at its nearest place."""
        places = self.nearest(reports.lon, reports.lat)
        return reports.at(self.points.lon[places], self.points.lat[places])
