"""A small location-based service, to try the anonymizer with, and how anonymizer and devices ask it.

It has points of interest, answers which of them may be nearest to somebody in some areas, and records every question,
as a curious service would: tests and the example read the record to see what the service could learn.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.locate.anonymizer.guards import Hearsay, Search
from cobogo.locate.places.cells import vectors
from cobogo.locate.places.geometry import HALFWAY, RADIUS, distance
from cobogo.locate.reports import ReportArea


@dataclass(frozen=True)
class PointOfInterest:
    """A place that people look for."""

    id: str
    kind: str
    lon: float
    lat: float

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class PlaceCatalogue:
    """The places that the service knows.

    >>> catalogue = PlaceCatalogue.from_rows([("a", "clinic", -38.5, -3.7), ("b", "beach", -38.4, -3.7)])
    >>> [place.id for place in catalogue.candidates([ReportArea(-38.49, -3.7)], 1)[0]]
    ['a']
    """

    places: tuple[PointOfInterest, ...]

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, float, float]]) -> PlaceCatalogue:
        """Places of rows: id, kind, longitude, latitude."""
        return cls(
            tuple(PointOfInterest(str(name), str(kind), float(lon), float(lat)) for name, kind, lon, lat in rows)
        )

    def select_kind(self, kind: str | None) -> PlaceCatalogue:
        """The places of one kind; all where ``kind`` is None."""
        return self if kind is None else self._by_kind.get(kind, PlaceCatalogue(()))

    def candidates(self, areas: Sequence[ReportArea], count: int) -> list[list[PointOfInterest]]:
        """For each area, every place that may be among the ``count`` nearest to somebody in the area.

        Let D be the distance from the middle of the area to its count-th nearest place, and r the area's radius.
        Anybody in the area has ``count`` places within D + r, and these lie within D + 2r of the middle.
        """
        if not self.places or count < 1:
            return [[] for _ in areas]
        found = []
        for area in areas:
            away = self._nearest_places(area, count)
            limit = float(np.partition(away[1], min(count, len(away[1])) - 1)[min(count, len(away[1])) - 1])
            limit = min(limit + 2 * area.radius, HALFWAY) * (1 + 1e-12) + 1e-6
            rows = self._rows_within(area, limit)
            found.append([self.places[row] for row in rows])
        return found

    def _nearest_places(self, area: ReportArea, count: int) -> tuple[Any, Any]:
        """The nearest places, and their distances on the globe."""
        _, rows = self._tree.query(vectors(area.lon, area.lat), k=min(count, len(self.places)))
        near = np.atleast_1d(rows)
        return near, distance(area.lon, area.lat, self._lon[near], self._lat[near])

    def _rows_within(self, area: ReportArea, metres: float) -> list[int]:
        chord = 2 * np.sin(min(metres / RADIUS, np.pi) / 2)
        return sorted(self._tree.query_ball_point(vectors(area.lon, area.lat), chord * (1 + 1e-12) + 1e-12))

    @cached_property
    def _by_kind(self) -> dict[str, PlaceCatalogue]:
        kinds = dict.fromkeys(place.kind for place in self.places)
        return {kind: PlaceCatalogue(tuple(place for place in self.places if place.kind == kind)) for kind in kinds}

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


KEPT = 3.0
"""Seconds that an idle connection to the service is kept: fewer than after which most services close it."""


def create_places_app(catalogue: PlaceCatalogue, heard: list[dict[str, Any]] | None = None) -> Any:
    """The service as a web application. ``heard`` collects every question and report."""
    from fastapi import FastAPI

    from cobogo.locate.anonymizer.guards import guard

    app = FastAPI(title="Nearest places", docs_url=None, redoc_url=None)

    @app.post("/nearest")
    async def nearest(body: Search) -> dict[str, Any]:
        if heard is not None:
            heard.append(body.model_dump())
        areas = [ReportArea(one.lon, one.lat, one.radius) for one in body.areas]
        found = catalogue.select_kind(body.kind).candidates(areas, body.count)
        return {"candidates": [[place.as_dict() for place in places] for places in found]}

    @app.post("/told")
    async def told(body: Hearsay) -> dict[str, int]:
        if heard is not None:
            heard.extend(one.model_dump() for one in body.reports)
        return {"heard": len(body.reports)}

    guard(app)
    return app


class PlacesService:
    """The service over HTTP, for a device (call it with areas) and for an anonymizer (`find_nearest`,
    `receive_reports`)."""

    def __init__(self, url: str, **options: Any) -> None:
        # Loading the certificate authorities takes longer than a question: once, and only for https.
        trust = ssl.create_default_context() if url.startswith("https:") else False
        self._url, self._options = url.rstrip("/"), {"timeout": 30.0, "verify": trust, **options}
        self._client: Any = None  # kept for the running loop: an anonymizer asks again and again
        self._loop: Any = None

    def __call__(self, areas: Sequence[ReportArea], count: int) -> list[list[PointOfInterest]]:
        """Ask from a device, without a name."""
        import httpx

        with httpx.Client(**self._options) as client:
            answer = client.post(f"{self._url}/nearest", json=_question(areas, count, None, None))
        answer.raise_for_status()
        return _places(answer.json())

    async def find_nearest(
        self, areas: Sequence[ReportArea], count: int, kind: str | None, identity: str | None
    ) -> list[list[PointOfInterest]]:
        """Ask under the name that the anonymizer gives, or without one."""
        return _places(await self._post("/nearest", _question(areas, count, kind, identity)))

    async def receive_reports(self, reports: Sequence[dict[str, Any]]) -> None:
        """Send regions in which somebody is or was."""
        await self._post("/told", {"reports": list(reports)})

    async def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        import httpx

        try:
            try:
                answer = await self._connection().post(self._url + path, json=body)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                # It closed a connection that was kept: try once more on a new one.
                answer = await self._connection().post(self._url + path, json=body)
            answer.raise_for_status()
            content: dict[str, Any] = answer.json()
        except (httpx.HTTPError, ValueError):
            raise ConnectionError("the service did not answer") from None
        return content

    def _connection(self) -> Any:
        """One client for all requests of a loop: making one takes longer than asking."""
        import httpx

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            limits = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=KEPT)
            self._client, self._loop = httpx.AsyncClient(limits=limits, **self._options), loop
        return self._client


def _question(areas: Sequence[ReportArea], count: int, kind: str | None, identity: str | None) -> dict[str, Any]:
    discs = [{"lon": area.lon, "lat": area.lat, "radius": area.radius} for area in areas]
    return {"areas": discs, "count": count, "kind": kind, "identity": identity}


def _places(answer: dict[str, Any]) -> list[list[PointOfInterest]]:
    return [[PointOfInterest(**place) for place in places] for places in answer["candidates"]]
