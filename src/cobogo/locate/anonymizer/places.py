"""The example of a location-based service on the web, and how the anonymizer and devices ask it.

It answers which places may be nearest to somebody in some areas, and writes down all that it hears, as a curious one
would: tests and the example look there for what it could learn.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

from cobogo.locate.anonymizer.catalogue import Catalogue, PointOfInterest
from cobogo.locate.anonymizer.shapes import Hearsay, Search
from cobogo.locate.device.reports import Area

KEPT = 3.0
"""Seconds that an idle connection to the service is kept: fewer than those after which most services hang up."""


def create_places_app(catalogue: Catalogue, heard: list[dict[str, Any]] | None = None) -> Any:
    """The service. ``heard`` collects every question."""
    from fastapi import FastAPI

    from cobogo.locate.anonymizer.guards import guard

    app = FastAPI(title="Nearest places", docs_url=None, redoc_url=None)

    @app.post("/nearest")
    async def nearest(body: Search) -> dict[str, Any]:
        if heard is not None:
            heard.append(body.model_dump())
        areas = [Area(one.lon, one.lat, one.radius) for one in body.areas]
        found = catalogue.only(body.kind).candidates(areas, body.count)
        return {"candidates": [[place.as_dict() for place in places] for places in found]}

    @app.post("/told")
    async def told(body: Hearsay) -> dict[str, int]:
        if heard is not None:
            heard.extend(one.model_dump() for one in body.reports)
        return {"heard": len(body.reports)}

    guard(app)
    return app


class PlacesService:
    """The service as seen from a device (called with areas), and from an anonymizer (`asked`, `told`)."""

    def __init__(self, url: str, **options: Any) -> None:
        # Reading who vouches for servers takes longer than a question: it is done once, and only where it matters.
        trust = ssl.create_default_context() if url.startswith("https:") else False
        self._url, self._options = url.rstrip("/"), {"timeout": 30.0, "verify": trust, **options}
        self._client: Any = None  # of the loop that runs: an anonymizer asks again and again
        self._loop: Any = None

    def __call__(self, areas: Sequence[Area], count: int) -> list[list[PointOfInterest]]:
        """Ask as nobody, from a device."""
        import httpx

        with httpx.Client(**self._options) as client:
            answer = client.post(f"{self._url}/nearest", json=_question(areas, count, None, None))
        answer.raise_for_status()
        return _places(answer.json())

    async def asked(
        self, areas: Sequence[Area], count: int, kind: str | None, identity: str | None
    ) -> list[list[PointOfInterest]]:
        """Ask under the name that the anonymizer gives, or under none."""
        return _places(await self._post("/nearest", _question(areas, count, kind, identity)))

    async def told(self, reports: Sequence[dict[str, Any]]) -> None:
        """Let it hear where somebody is or was."""
        await self._post("/told", {"reports": list(reports)})

    async def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        import httpx

        try:
            try:
                answer = await self._asker().post(self._url + path, json=body)
            except httpx.RemoteProtocolError:  # it hung up on a connection that was kept: once more on a new one
                answer = await self._asker().post(self._url + path, json=body)
            answer.raise_for_status()
            content: dict[str, Any] = answer.json()
        except (httpx.HTTPError, ValueError):
            raise ConnectionError("the service did not answer") from None
        return content

    def _asker(self) -> Any:
        """One client for all requests: to make one takes longer than to ask."""
        import httpx

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            limits = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=KEPT)
            self._client, self._loop = httpx.AsyncClient(limits=limits, **self._options), loop
        return self._client


def _question(areas: Sequence[Area], count: int, kind: str | None, identity: str | None) -> dict[str, Any]:
    discs = [{"lon": area.lon, "lat": area.lat, "radius": area.radius} for area in areas]
    return {"areas": discs, "count": count, "kind": kind, "identity": identity}


def _places(answer: dict[str, Any]) -> list[list[PointOfInterest]]:
    return [[PointOfInterest(**place) for place in places] for places in answer["candidates"]]
