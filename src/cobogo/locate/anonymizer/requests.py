"""The bodies of requests, checked strictly: a misspelt or impossible field is refused."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MOST = 1000
"""Positions in one request."""


class Strict(BaseModel):
    """No field that is not known, no text for a number, nothing infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class Where(Strict):
    """A position; without a time it is now."""

    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    time: float | None = Field(default=None, ge=0)


class Locations(Strict):
    """Positions of one device, and whether the service may know them now or only after the trip."""

    positions: list[Where] = Field(min_length=1, max_length=MOST)
    release: Literal["current", "accumulated"] = "current"
    trip: str | None = Field(default=None, min_length=1, max_length=100)


class Wanted(Strict):
    """What a cloak must satisfy."""

    k: int | None = Field(default=None, ge=2, le=100_000)
    min_area: float | None = Field(default=None, ge=0)
    max_area: float | None = Field(default=None, gt=0)
    max_wait: float = Field(default=0.0, ge=0)


class NearestQuestion(Wanted):
    """The nearest places, asked under a cloak."""

    count: int = Field(default=1, ge=1, le=50)
    kind: str | None = Field(default=None, max_length=50)


class Zone(Strict):
    """A mix zone."""

    name: str = Field(min_length=1, max_length=100)
    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    radius: float = Field(gt=0, lt=100_000)
    least: int = Field(default=3, ge=2)
    otherwise: Literal["keep", "silent"] = "keep"
    bits: float = Field(default=0.9, gt=0, le=10)


class SearchArea(Strict):
    """An area that the example service is asked about."""

    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    radius: float = Field(default=0.0, ge=0, le=2.1e7)


class HeardReport(Strict):
    """What the example service learns about somebody: a rectangle, a span of time, perhaps a name."""

    box: list[float] = Field(min_length=4, max_length=4)
    since: float
    until: float
    identity: str | None = Field(default=None, max_length=200)


class Hearsay(Strict):
    """Several reports for the example service."""

    reports: list[HeardReport] = Field(max_length=20_000)


class Search(Strict):
    """A question to the example service."""

    areas: list[SearchArea] = Field(min_length=1, max_length=200)
    count: int = Field(default=1, ge=1, le=50)
    kind: str | None = Field(default=None, max_length=50)
    identity: str | None = Field(default=None, max_length=200)
