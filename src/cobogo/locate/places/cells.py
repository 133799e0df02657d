"""Cells: a public list of named places, such as the towers of a mobile network; each serves what is nearest to it."""

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
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Names and places of cells. They are public: whatever depends on them alone tells nothing of anybody.

    >>> cells = Cells(("centro", "praia"), np.array([-38.53, -38.45]), np.array([-3.73, -3.74]))
    >>> cells.nearest([-38.52], [-3.73]).tolist(), cells.distances.round().tolist()
    ([0], [[0.0, 8946.0], [8946.0, 0.0]])
    """

    names: tuple[str, ...]
    lon: Floats
    lat: Floats

    @classmethod
    def of(cls, names: Sequence[object], lon: ArrayLike, lat: ArrayLike, *, where: str = "cells") -> Cells:
        """Cells of any sequences, checked: every name once, every place on the globe."""
        points = Points.of(lon, lat, where=where)
        texts = tuple(str(name) for name in names)
        if len(texts) != len(points):
            raise DataError(f"has {len(texts)} names and {len(points)} places", where=where)
        if not texts:
            raise DataError("has no cells", where=where)
        if len(set(texts)) < len(texts):
            twice = next(name for name, times in Counter(texts).items() if times > 1)
            raise DataError(f'has the cell "{twice}" twice', where=where, remedy="Give every cell a name of its own.")
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
        return Frame.about(self.lon, self.lat)

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
