"""Public grids: fixed cells of the globe to which every released position is snapped.

The last digits of a noisy position depend on the true one, and may reveal it. A released position is therefore always
the centre of a cell of a grid that does not depend on the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.locate.places.geometry import DEGREE, Frame, wrap


@dataclass(frozen=True)
class World:
    """Cells of ``size`` metres over the whole globe: rows of equal height along the parallels, each cut into a whole
    number of equal cells that are as near to square as possible, so that the rows at the poles have few.

    >>> lon, lat = World(1000).snap([-38.5267], [-3.7319])
    >>> lon.round(4).tolist(), lat.round(4).tolist()
    ([-38.5225], [-3.7275])
    """

    size: float = 1.0

    def __post_init__(self) -> None:
        if not 1e-3 <= self.size <= 1e6:
            raise ValueError(
                tr(
                    "The 'size' parameter of a grid must be from 0.001 to 1,000,000 metres. Got {value!r} instead",
                    value=self.size,
                )
            )

    @property
    def rows(self) -> int:
        """How many rows there are from pole to pole."""
        return ceil(180 * DEGREE / self.size)

    def snap(self, lon: ArrayLike, lat: ArrayLike) -> tuple[Floats, Floats]:
        """The centres of the cells that hold some points."""
        from cobogo.locate.places.kernels import snap_all

        east, north = np.broadcast_arrays(np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64))
        lon_out, lat_out = np.empty(east.size), np.empty(east.size)
        snap_all(east.ravel(), north.ravel(), float(self.rows), float(self.size), lon_out, lat_out)
        return lon_out.reshape(east.shape), lat_out.reshape(east.shape)


@dataclass(frozen=True)
class Grid:
    """Square cells of ``size`` metres over a rectangle, numbered row by row from the south-west.

    Attacks, priors, optimal mechanisms and mobility models work on it. ``frame`` is its middle.

    >>> grid = Grid.from_bounds(-38.60, -3.85, -38.45, -3.70, size=1000)
    >>> grid.columns, grid.rows, grid.cell_of([-38.59], [-3.84]).tolist()
    (17, 17, [18])
    """

    frame: Frame
    columns: int
    rows: int
    size: float

    @classmethod
    def from_bounds(cls, west: float, south: float, east: float, north: float, *, size: float) -> Grid:
        """A grid over a rectangle of degrees, which may cross the date line."""
        if not -90 <= south <= north <= 90:
            raise ValueError(
                tr(
                    "The 'south' parameter of a grid must not be above north. Got {south!r} and {north!r}",
                    south=south,
                    north=north,
                )
            )
        if west > east and (east - west) % 360 > 180:
            raise ValueError(
                tr(
                    "The 'west' parameter of a grid must be to the west of east. Got {west!r} and {east!r}",
                    west=west,
                    east=east,
                )
            )
        width = float((east - west) % 360)
        frame = Frame(float(wrap(west + width / 2)), (south + north) / 2)
        half_width, _ = frame.metres(wrap(frame.lon + width / 2), frame.lat)
        half_height = (north - south) / 2 * DEGREE
        return cls(frame, max(ceil(2 * float(half_width) / size), 1), max(ceil(2 * half_height / size), 1), size)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.columns * self.rows

    def cell_of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The number of the cell of each point; −1 outside the grid."""
        column, row = self._place(lon, lat)
        inside = (column >= 0) & (column < self.columns) & (row >= 0) & (row < self.rows)
        return np.where(inside, row * self.columns + column, -1)

    def nearest_cell(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The number of the cell of each point; for points outside the grid, the nearest cell at its edge."""
        column, row = self._place(lon, lat)
        return np.clip(row, 0, self.rows - 1) * self.columns + np.clip(column, 0, self.columns - 1)

    def _place(self, lon: ArrayLike, lat: ArrayLike) -> tuple[Ints, Ints]:
        east, north = self.frame.metres(lon, lat)
        column = np.floor(east / self.size + self.columns / 2).astype(np.int64)
        return column, np.floor(north / self.size + self.rows / 2).astype(np.int64)

    def metres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """The centres of cells (all, unless given) in metres to the east and north of the middle of the grid."""
        number = np.arange(self.cells) if cells is None else np.asarray(cells, dtype=np.int64)
        row, column = np.divmod(number, self.columns)
        east: Floats = (column + 0.5 - self.columns / 2) * self.size
        north: Floats = (row + 0.5 - self.rows / 2) * self.size
        return east, north

    def centres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """The centres of cells in degrees."""
        return self.frame.degrees(*self.metres(cells))

    def distances(self) -> Floats:
        """Metres between the centres of all pairs of cells."""
        east, north = self.metres()
        return np.hypot(east[:, None] - east, north[:, None] - north)
