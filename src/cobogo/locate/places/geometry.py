"""Metres on the globe: distances, steps along great circles, and a flat frame for a city.

Noise, radii and distances are in metres everywhere. A step is taken along a great circle, so that a metre to the north
is as long as a metre to the east everywhere, the poles and the date line included. The globe is a sphere of the mean
radius: distances on the ellipsoid differ by at most 0.56 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cobogo.floor.arrays import Floats

RADIUS = 6_371_008.8
"""The mean radius of the Earth, in metres."""

DEGREE = RADIUS * pi / 180
"""Metres in a degree along a great circle."""

HALFWAY = RADIUS * pi
"""Metres between opposite points of the globe: no distance is longer."""


def wrap(lon: ArrayLike) -> Floats:
    """Longitudes in [−180, 180).

    >>> wrap([181.0, -181.0, 180.0, -180 - 3e-14]).tolist()
    [-179.0, 179.0, -180.0, -180.0]
    """
    degrees = np.asarray(lon, dtype=np.float64)
    turned = (degrees + 180.0) % 360.0 - 180.0
    return np.asarray(np.where(turned >= 180.0, -180.0, turned))  # what is just below −180 rounds to a whole turn


def distance(lon: ArrayLike, lat: ArrayLike, other_lon: ArrayLike, other_lat: ArrayLike) -> Floats:
    """Metres along the great circle, precise for near and for opposite points.

    >>> distance(0, 0, [0, 180], [1, 0]).round().tolist()
    [111195.0, 20015114.0]
    """
    north, other_north = np.radians(lat), np.radians(other_lat)
    across = np.radians(np.subtract(other_lon, lon))
    chord = np.sin((other_north - north) / 2) ** 2 + np.cos(north) * np.cos(other_north) * np.sin(across / 2) ** 2
    return np.asarray(2 * RADIUS * np.arctan2(np.sqrt(chord), np.sqrt(np.maximum(1 - chord, 0))))


def move(lon: ArrayLike, lat: ArrayLike, metres: ArrayLike, bearing: ArrayLike) -> tuple[Floats, Floats]:
    """The place so many metres along the great circle that leaves at a bearing (radians, clockwise from north).

    >>> [round(float(part), 6) for part in move(179.9, 0.0, DEGREE, pi / 2)]
    [-179.1, 0.0]
    """
    north, turned = np.radians(lat), np.divide(metres, RADIUS)
    up, along = np.sin(north), np.cos(north)
    far, near = np.sin(turned), np.cos(turned)
    # The place reached as a vector: its height along the axis, outward along the first meridian, and sideways.
    height = up * near + along * far * np.cos(bearing)
    outward = along * near - up * far * np.cos(bearing)
    sideways = far * np.sin(bearing)
    east = np.degrees(np.arctan2(sideways, outward))
    return wrap(np.add(lon, east)), np.degrees(np.arctan2(height, np.hypot(outward, sideways)))


@dataclass(frozen=True)
class Frame:
    """A flat map about a point: metres to the east and to the north of it, for an area the size of a city.

    Lengths to the east are those at the latitude of the centre: within 50 km of Fortaleza they are right to 0.1 %.
    Larger areas need `distance` and `move`.

    >>> frame = Frame(-38.5, -3.7)
    >>> east, north = frame.metres([-38.5, -38.49], [-3.69, -3.7])
    >>> east.round(1).tolist(), north.round(1).tolist()
    ([0.0, 1109.6], [1112.0, 0.0])
    """

    lon: float
    lat: float

    @classmethod
    def from_points(cls, lon: ArrayLike, lat: ArrayLike) -> Frame:
        """A frame in the middle of points; longitudes are averaged as angles."""
        angles = np.radians(lon)
        middle = float(np.degrees(np.arctan2(np.sin(angles).mean(), np.cos(angles).mean())))
        return cls(middle, float(np.asarray(lat, dtype=np.float64).mean()))

    @property
    def _east(self) -> float:
        """Metres in a degree of longitude."""
        return DEGREE * max(cos(radians(self.lat)), 1e-6)

    def metres(self, lon: ArrayLike, lat: ArrayLike) -> tuple[Floats, Floats]:
        """Metres to the east and to the north of the centre."""
        east = wrap(np.subtract(lon, self.lon)) * self._east
        return east, np.asarray(np.subtract(lat, self.lat) * DEGREE)

    def degrees(self, east: ArrayLike, north: ArrayLike) -> tuple[Floats, Floats]:
        """Longitudes and latitudes of places so many metres from the centre. Latitudes end at the poles."""
        lat = np.clip(np.divide(north, DEGREE) + self.lat, -90, 90)
        return wrap(np.divide(east, self._east) + self.lon), np.asarray(lat, dtype=np.float64)


LAND = np.array(
    [
        list(row)
        for row in (
            ".......##########..######..#........",  # 80 to 90 degrees north; from 180 degrees west on
            "####.#############.#################",
            "####################################",
            "#############...####################",
            ".....########...##################..",
            ".....#######..###################...",
            "###...#####.....##################..",
            ".##...#######..#########.########.##",
            "###......#####.#########.###########",
            "#.###...#######.#.######.#.#########",
            "#####.....#####..#.######..#########",
            "#.####.#..######...#####.....#######",
            "#.........###...#..###...#...#####.#",
            "#.........##.....#...#.###......#.##",
            "..........###.##..#......#.......##.",
            "#.........####..####################",
            "####################################",
            "####################################",
        )
    ]
) == "#"  # fmt: skip
"""Squares of ten degrees with land in or near them, islands included; drawn by hand, in doubt as land."""


def may_be_land(lon: ArrayLike, lat: ArrayLike) -> NDArray[np.bool_]:
    """Whether there is land in the square of `LAND` that holds a place.

    >>> may_be_land([-38.5, -3.7], [-3.7, -38.5]).tolist()
    [True, False]
    """
    column = np.floor((np.asarray(lon) + 180) % 360 / 10).astype(np.int64)
    row = np.clip(np.floor((90 - np.asarray(lat)) / 10).astype(np.int64), 0, len(LAND) - 1)
    return np.asarray(LAND[row, np.minimum(column, 35)])


def look_exchanged(lon: ArrayLike, lat: ArrayLike) -> bool:
    """Whether all places are far out at sea and would be on land with longitude and latitude exchanged.

    >>> look_exchanged([-3.7, -3.8], [-38.5, -38.4]), look_exchanged([-38.5, -38.4], [-3.7, -3.8])
    (True, False)
    """
    east, north = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
    if not east.size or (np.abs(east) > 90).any():
        return False
    return bool(not may_be_land(east, north).any() and may_be_land(north, east).all())
