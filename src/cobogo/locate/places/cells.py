"""Public places and their use: cells (the towers of a mobile network), call records at cells, nearest places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr, trn
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Names and places of cells. They are public: what depends on them alone reveals nothing about anybody.

    >>> cells = Cells(("centro", "praia"), np.array([-38.53, -38.45]), np.array([-3.73, -3.74]))
    >>> cells.nearest([-38.52], [-3.73]).tolist(), cells.distances.round().tolist()
    ([0], [[0.0, 8946.0], [8946.0, 0.0]])
    """

    names: tuple[str, ...]
    lon: Floats
    lat: Floats

    @classmethod
    def from_columns(cls, names: Sequence[object], lon: ArrayLike, lat: ArrayLike, *, where: str = "cells") -> Cells:
        """Cells from any sequences, checked: every name appears once, every place is on the globe."""
        points = Points.from_columns(lon, lat, where=where)
        texts = tuple(str(name) for name in names)
        if len(texts) != len(points):
            raise DataError(
                tr("there are {names:,} names and {places:,} places", names=len(texts), places=len(points)),
                where=where,
                remedy=tr("Give one name for each place."),
            )
        if not texts:
            raise DataError(tr("there are no places"), where=where, remedy=tr("Give at least one place."))
        if len(set(texts)) < len(texts):
            twice = next(name for name, times in Counter(texts).items() if times > 1)
            raise DataError(
                tr('the place "{name}" appears twice', name=twice),
                where=where,
                remedy=tr("Give every place a name of its own."),
            )
        return cls(texts, points.lon, points.lat)

    def to_arrow(self) -> Any:
        """An Arrow table with the columns cell, lon and lat."""
        import pyarrow as pa

        return pa.table({"cell": pa.array(self.names, pa.string()), "lon": self.lon, "lat": self.lat})

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def frame(self) -> Frame:
        """A flat map of all cells."""
        return Frame.from_points(self.lon, self.lat)

    @cached_property
    def metres(self) -> Floats:
        """Two columns: metres to the east and to the north on the `frame`."""
        return np.column_stack(self.frame.metres(self.lon, self.lat))

    @cached_property
    def distances(self) -> Floats:
        """Metres between all pairs of cells."""
        place = self.metres
        return np.asarray(np.linalg.norm(place[:, np.newaxis] - place[np.newaxis], axis=2))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.metres)

    def nearest(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The number of the cell that serves each point."""
        found = self._tree.query(np.column_stack(self.frame.metres(lon, lat)))[1]
        return np.asarray(found, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Calls:
    """Calls of people at cells: ``user`` numbers people from 0, ``time`` is in seconds since 1970 (UTC), ``cell``
    numbers the cells; ``names`` are the people's names, where they have names."""

    user: Ints
    time: Floats
    cell: Ints
    cells: Cells
    names: tuple[str, ...] = ()

    @classmethod
    def from_columns(
        cls, user: Any, time: Any, cell: Any, cells: Cells, *, leave_out: bool = False, where: str = "calls"
    ) -> Calls:
        """Calls from any sequences, checked. A call at an unknown cell is an error, whose message does not show the
        cell; with ``leave_out`` such calls are left out."""
        import pandas as pd

        plain = pd.Series(cell.to_pandas() if hasattr(cell, "to_pandas") else cell, dtype=object)
        number = pd.Index(cells.names).get_indexer(pd.Index(plain.map(str), dtype=object)).astype(np.int64)
        unknown = number < 0
        if unknown.any() and not leave_out:
            raise DataError(
                trn(
                    "{n:,} of {all:,} calls is at a cell that is not declared (row {row:,})",
                    "{n:,} of {all:,} calls are at cells that are not declared (the first in row {row:,})",
                    n=int(unknown.sum()),
                    all=len(number),
                    row=int(np.flatnonzero(unknown)[0]) + 1,
                ),
                where=tr("{name}, column {column}", name=where, column="cell"),
                remedy=tr("Add the cells to the file of cells, or leave these calls out (--leave-out-unknown)."),
            )
        at = np.where(unknown, 0, number)
        checked = Points.from_columns(cells.lon[at], cells.lat[at], time=time, user=user, where=where)
        assert checked.time is not None
        assert checked.user is not None
        found = cls(checked.user, checked.time, number, cells, checked.names)
        return found.take(np.flatnonzero(~unknown)) if leave_out else found

    def __len__(self) -> int:
        return len(self.user)

    @property
    def users(self) -> int:
        """How many people there are."""
        return len(self.names) or (int(self.user.max()) + 1 if len(self) else 0)

    def to_arrow(self) -> Any:
        """An Arrow table with the columns user, time and cell."""
        import pyarrow as pa

        names = pa.DictionaryArray.from_arrays(pa.array(self.cell, pa.int32()), pa.array(self.cells.names, pa.string()))
        return self.points().to_arrow().select(["user", "time"]).append_column("cell", names.cast(pa.string()))

    def points(self) -> Points:
        """Each call as a point at the place of its cell."""
        return Points(self.cells.lon[self.cell], self.cells.lat[self.cell], self.time, self.user, self.names)

    def take(self, rows: Ints) -> Calls:
        """Some of the calls; people keep their numbers."""
        return Calls(self.user[rows], self.time[rows], self.cell[rows], self.cells, self.names)

    def sort(self) -> Calls:
        """Person by person, each in the order of time."""
        return self.take(np.lexsort((self.time, self.user)))


def vectors(lon: ArrayLike, lat: ArrayLike) -> Floats:
    """Points of the globe as unit vectors: the nearest by straight distance are the nearest on the globe."""
    east, north = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)


@dataclass(frozen=True, eq=False, repr=False)
class PublicPlaces:
    """Public places anywhere on the globe, with or without names, and the nearest of them to a point.

    >>> theatre, lighthouse = (-38.5285, -3.7278), (-38.4847, -3.7086)
    >>> names = "Theatro José de Alencar", "Farol do Mucuripe"
    >>> places = PublicPlaces(Points.from_columns(*zip(theatre, lighthouse)), names)
    >>> places.nearest([-38.53], [-3.73]).tolist()
    [0]
    """

    points: Points
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.names and len(self.names) != len(self.points):
            raise ValueError(
                tr("there are {names:,} names and {places:,} places", names=len(self.names), places=len(self.points))
            )
        if not len(self.points):
            raise ValueError(tr("there must be at least one place"))

    @classmethod
    def from_grid(cls, grid: Grid, allowed: Any = None) -> PublicPlaces:
        """The centres of a grid's cells: all, or those that a mask or numbers allow."""
        return cls(Points(*grid.centres(np.arange(grid.cells) if allowed is None else np.arange(grid.cells)[allowed])))

    @classmethod
    def from_polygon(cls, polygon: Any, grid: Grid) -> PublicPlaces:
        """The centres of a grid's cells that lie in a polygon of longitudes and latitudes (shapely's)."""
        import shapely

        return cls.from_grid(grid, shapely.contains_xy(polygon, *grid.centres()))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(vectors(self.points.lon, self.points.lat))

    def __len__(self) -> int:
        return len(self.points)

    def nearest(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The number of the nearest place to each point; of several at the same distance, any."""
        return np.asarray(self._tree.query(vectors(lon, lat))[1], dtype=np.int64)

    def __call__(self, reports: Points) -> Points:
        """Each report at its nearest place."""
        places = self.nearest(reports.lon, reports.lat)
        return reports.move_to(self.points.lon[places], self.points.lat[places])
