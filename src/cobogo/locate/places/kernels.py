"""Compiled steps on the globe: a cell of the public grid, a walk along a great circle, planar Laplace noise.

They compute what `places.geometry` and `places.grid` define, point by point: a million reports take about as long as
drawing their random numbers does. Snapping has this implementation only, so that all code agrees on the public grid.
"""

from __future__ import annotations

from math import atan2, cos, floor, log, pi, sin, sqrt

import numpy as np

from cobogo.floor.kernels import kernel
from cobogo.locate.places.geometry import DEGREE, RADIUS

SHORT = 0.01
"""Radians below which the series of sine, cosine and arctangent are right to the last bit (64 km on the globe)."""

UNSURE = 2047
"""The eleven bits of a word that a bearing does not use. All ones: more bits decide whether a step is kept."""


@kernel()
def around(lon):  # type: ignore[no-untyped-def]
    """Degrees to the east of the date line, in [0, 360)."""
    east = lon + 180.0
    if 0.0 <= east < 360.0:
        return east
    east -= floor(east / 360.0) * 360.0
    return east if east < 360.0 else 0.0


@kernel()
def snap(lon, lat, rows, size):  # type: ignore[no-untyped-def]
    """The centre of the cell of a point: see `cobogo.locate.places.grid.World`."""
    row = min(max(floor((lat + 90.0) * (rows / 180.0)), 0.0), rows - 1.0)
    middle = (row + 0.5) * (180.0 / rows) - 90.0
    cells = max(floor((360.0 * DEGREE / size) * cos(middle * (pi / 180.0)) + 0.5), 1.0)
    column = min(floor(around(lon) * cells * (1.0 / 360.0)), cells - 1.0)
    return (column + 0.5) * 360.0 / cells - 180.0, middle


@kernel()
def walk(lon, lat, turned, bearing):  # type: ignore[no-untyped-def]
    """Where a great circle leads after an angle of ``turned`` radians: see `cobogo.locate.places.geometry.move`."""
    north = lat * (pi / 180.0)
    up, along = sin(north), cos(north)
    if turned < SHORT:
        square = turned * turned
        far = turned * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)))
        near = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0))
    else:
        far, near = sin(turned), cos(turned)
    onward = far * cos(bearing)
    height = up * near + along * onward
    outward = along * near - up * onward
    sideways = far * sin(bearing)
    if abs(sideways) < SHORT * outward:
        slope = sideways / outward
        square = slope * slope
        east = slope * (1.0 - square * (1.0 / 3.0 - square * (1.0 / 5.0 - square * (1.0 / 7.0 - square / 9.0))))
    else:
        east = atan2(sideways, outward)
    level = sqrt(outward * outward + sideways * sideways)
    if turned < SHORT:
        rise = height * along - level * up  # the sine of what the latitude grows by
        square = rise * rise
        lat_there = lat + rise * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * 5.0 / 112.0))) * (
            180.0 / pi
        )
    else:
        lat_there = atan2(height, level) * (180.0 / pi)
    return around(lon + east * (180.0 / pi)) - 180.0, lat_there


@kernel()
def snap_all(lon, lat, rows, size, lon_out, lat_out):  # type: ignore[no-untyped-def]
    """The centres of the cells of many points."""
    for i in range(len(lon)):
        lon_out[i], lat_out[i] = snap(lon[i], lat[i], rows, size)


@kernel()
def walk_all(lon, lat, turned, bearing, from_cells, rows, size, lon_out, lat_out):  # type: ignore[no-untyped-def]
    """From cells of the grid (or from points as they are) by steps to cells of the grid."""
    for i in range(len(lon)):
        from_lon, from_lat = lon[i], lat[i]
        if from_cells:
            from_lon, from_lat = snap(from_lon, from_lat, rows, size)
        to_lon, to_lat = walk(from_lon, from_lat, turned[i], bearing[i])
        lon_out[i], lat_out[i] = snap(to_lon, to_lat, rows, size)


@kernel()
def noise_all(lon, lat, words, epsilon, from_cells, rows, size, lon_out, lat_out, open_cases):  # type: ignore[no-untyped-def]
    """From cells of the grid (or from points as they are) to cells, by planar Laplace noise of three random words each.

    About one step in 700 needs more random bits and is left to the caller: ``open_cases`` gets their numbers. Returns
    how many they are.
    """
    found = 0
    least = np.uint64(1 << 53)
    for i in range(len(lon)):
        one, other, third = words[i, 0], words[i, 1], words[i, 2]
        if one < least or other < least or third & np.uint64(UNSURE) == np.uint64(UNSURE):
            open_cases[found] = i
            found += 1
            continue
        # The sum of two exponentials: the logarithm of a product of two uniform numbers.
        turned = (128.0 * log(2.0) - log(float(one) * float(other))) / (epsilon * RADIUS)
        if turned * turned > 6.0 / 2048.0:
            open_cases[found] = i
            found += 1
            continue
        bearing = float(third >> np.uint64(11)) * (2.0**-53 * 2.0 * pi)
        from_lon, from_lat = lon[i], lat[i]
        if from_cells:
            from_lon, from_lat = snap(from_lon, from_lat, rows, size)
        to_lon, to_lat = walk(from_lon, from_lat, turned, bearing)
        lon_out[i], lat_out[i] = snap(to_lon, to_lat, rows, size)
    return found
