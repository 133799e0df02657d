"""A small location-based service: points of interest, and which of them may be nearest to somebody in an area."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.locate.device.reports import Area
from cobogo.locate.places.geometry import HALFWAY, RADIUS, distance
from cobogo.locate.places.nearest import vectors


@dataclass(frozen=True)
class PointOfInterest:
    """A place that people look for."""

    id: str
    kind: str
    lon: float
    lat: float

    def as_dict(self) -> dict[str, Any]:
        """For an answer."""
        return asdict(self)


@dataclass(frozen=True)
class Catalogue:
    """Places, of which the service is asked for the nearest.

    >>> catalogue = Catalogue.of([("a", "clinic", -38.5, -3.7), ("b", "beach", -38.4, -3.7)])
    >>> [place.id for place in catalogue.candidates([Area(-38.49, -3.7)], 1)[0]]
    ['a']
    """

    places: tuple[PointOfInterest, ...]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float, float]]) -> Catalogue:
        """Places of rows: id, kind, longitude, latitude."""
        return cls(
            tuple(PointOfInterest(str(name), str(kind), float(lon), float(lat)) for name, kind, lon, lat in rows)
        )

    def only(self, kind: str | None) -> Catalogue:
        """Those of a kind."""
        return self if kind is None else self._by_kind.get(kind, Catalogue(()))

    def candidates(self, areas: Sequence[Area], count: int) -> list[list[PointOfInterest]]:
        """For each area every place that may be among the ``count`` nearest of somebody in it.

        With D the distance of the count-th nearest place from the middle of an area and r its radius, somebody in the
        area has so many places within D + r, and these are within D + 2r of the middle.
        """
        if not self.places or count < 1:
            return [[] for _ in areas]
        found = []
        for area in areas:
            away = self._away(area, count)
            limit = float(np.partition(away[1], min(count, len(away[1])) - 1)[min(count, len(away[1])) - 1])
            limit = min(limit + 2 * area.radius, HALFWAY) * (1 + 1e-12) + 1e-6
            rows = self._within(area, limit)
            found.append([self.places[row] for row in rows])
        return found

    def _away(self, area: Area, count: int) -> tuple[Any, Any]:
        """The nearest places by the tree, and their distances on the globe."""
        _, rows = self._tree.query(vectors(area.lon, area.lat), k=min(count, len(self.places)))
        near = np.atleast_1d(rows)
        return near, distance(area.lon, area.lat, self._lon[near], self._lat[near])

    def _within(self, area: Area, metres: float) -> list[int]:
        chord = 2 * np.sin(min(metres / RADIUS, np.pi) / 2)
        return sorted(self._tree.query_ball_point(vectors(area.lon, area.lat), chord * (1 + 1e-12) + 1e-12))

    @cached_property
    def _by_kind(self) -> dict[str, Catalogue]:
        kinds = dict.fromkeys(place.kind for place in self.places)
        return {kind: Catalogue(tuple(place for place in self.places if place.kind == kind)) for kind in kinds}

    @cached_property
    def _lon(self) -> Any:
        return np.array([place.lon for place in self.places])

    @cached_property
    def _lat(self) -> Any:
        return np.array([place.lat for place in self.places])

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(vectors(self._lon, self._lat))
