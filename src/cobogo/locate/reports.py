"""Reports: what a device sends in place of its position, as data that can be sent and kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cobogo.locate.mechanisms.base import Released
from cobogo.locate.places.geometry import HALFWAY, distance, wrap

Edges = tuple[float, float, float, float]


@dataclass(frozen=True)
class ReportArea:
    """A disc on the globe; of radius 0 it is a point."""

    lon: float
    lat: float
    radius: float = 0.0

    def holds(self, lon: float, lat: float) -> bool:
        """Whether a point is in it, up to a micrometre."""
        return float(distance(self.lon, self.lat, lon, lat)) <= self.radius + 1e-6


@dataclass(frozen=True)
class Report:
    """Positions (one, or several of which one may be true), each perhaps with a radius; or a rectangle of degrees."""

    positions: tuple[tuple[float, float], ...]
    time: float | None = None
    radius: float = 0.0
    box: Edges | None = None
    fresh: bool = True  # False where an earlier report is sent again

    @classmethod
    def from_released(cls, released: Released, row: int = 0) -> Report:
        """The report that a mechanism released for one of its points."""
        points = released.points
        time = None if points.time is None else float(points.time[row])
        if released.box is not None:
            west, south, east, north = (float(edge[row]) for edge in released.box)
            return cls(((float(points.lon[row]), float(points.lat[row])),), time, box=(west, south, east, north))
        if released.members is not None and released.report is not None:
            some = np.flatnonzero(released.report == row)
            members = tuple(zip(released.members.lon[some].tolist(), released.members.lat[some].tolist(), strict=True))
            return cls(members, time)
        radius = 0.0 if released.radius is None else float(released.radius[row])
        return cls(((float(points.lon[row]), float(points.lat[row])),), time, radius)

    def resend_at(self, time: float | None) -> Report:
        """The same report, sent again at another time."""
        return replace(self, time=time, fresh=False)

    def areas(self, reach: float = 0.0) -> tuple[ReportArea, ...]:
        """The areas that a service is asked about: discs around the positions, ``reach`` metres wider. A rectangle
        becomes the disc that holds it."""
        if self.box is None:
            return tuple(ReportArea(lon, lat, self.radius + reach) for lon, lat in self.positions)
        return (_enclosing_disc(self.box),)

    def as_dict(self) -> dict[str, Any]:
        """For a file or a request."""
        return {"positions": [list(one) for one in self.positions], "time": self.time, "radius": self.radius,
                "box": None if self.box is None else list(self.box)}  # fmt: skip

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Report:
        """A report from `as_dict`."""
        box = content["box"]
        edges = None if box is None else (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
        positions = tuple((float(lon), float(lat)) for lon, lat in content["positions"])
        return cls(positions, content["time"], float(content["radius"]), edges)


def _enclosing_disc(box: Edges) -> ReportArea:
    """The disc around the middle of a rectangle that holds it. Its corners are farthest from the middle, unless it is
    wider than half the world."""
    west, south, east, north = box
    width = 360.0 if east - west >= 360 else (east - west) % 360
    lon, lat = float(wrap(west + width / 2)), (south + north) / 2
    if width > 180:
        return ReportArea(lon, lat, HALFWAY)
    corners = distance(lon, lat, [west, west], [south, north])
    return ReportArea(lon, lat, float(corners.max()) + 1e-6)
