"""Compiled mechanisms that look back at what a person reported before.

Points come person by person, each in the order of time, and what was reported so far is all the state there is: a
kernel that meets a step which the sphere does not keep returns its number, and goes on from there with another.
"""

from __future__ import annotations

from math import asin, cos, floor, pi, sin, sqrt

from numba import njit

from cobogo.locate.places.geometry import DEGREE, RADIUS
from cobogo.locate.places.kernels import snap, walk


@njit(cache=True, nogil=True)
def apart(lon, lat, other_lon, other_lat):  # type: ignore[no-untyped-def]
    """Metres along the great circle."""
    north, other_north = lat * (pi / 180.0), other_lat * (pi / 180.0)
    up, across = sin((other_north - north) / 2.0), sin((other_lon - lon) * (pi / 360.0))
    return 2.0 * RADIUS * asin(min(sqrt(up * up + cos(north) * cos(other_north) * across * across), 1.0))


@njit(cache=True, nogil=True)
def _kept(turned, chance):  # type: ignore[no-untyped-def]
    return turned < pi and chance * turned < sin(turned)


@njit(cache=True, nogil=True)
def predictive(start, known, first, lon, lat, gamma, bearing, chance, tests, noise, test, threshold, rows, size,  # type: ignore[no-untyped-def]
               lon_out, lat_out, fresh):  # fmt: skip
    """Report the last report again where a noisy test finds it near enough, else a fresh one."""
    for i in range(start, len(lon)):
        if known[i]:
            continue
        here_lon, here_lat = snap(lon[i], lat[i], rows, size)
        if i > first[i]:
            away = apart(here_lon, here_lat, lon_out[i - 1], lat_out[i - 1])
            if away <= threshold + tests[i] / test:
                lon_out[i], lat_out[i], fresh[i] = lon_out[i - 1], lat_out[i - 1], False
                continue
        turned = gamma[i] / (noise * RADIUS)
        if not _kept(turned, chance[i]):
            return i
        there_lon, there_lat = walk(here_lon, here_lat, turned, bearing[i])
        lon_out[i], lat_out[i] = snap(there_lon, there_lat, rows, size)
        fresh[i] = True
    return len(lon)


@njit(cache=True, nogil=True)
def _east(lon, origin, stretch):  # type: ignore[no-untyped-def]
    across = lon - origin
    across -= floor((across + 180.0) / 360.0) * 360.0
    return across * stretch


@njit(cache=True, nogil=True)
def missed(lon, lat, when, start, end, to_lon, to_lat, to_when):  # type: ignore[no-untyped-def]
    """Metres between a place and where a straight line through the points of a window leads at its time."""
    origin_lon, origin_lat = lon[end - 1], lat[end - 1]
    stretch = DEGREE * max(cos(origin_lat * (pi / 180.0)), 1e-6)
    many = float(end - start)
    t_mean = x_mean = y_mean = 0.0
    for j in range(start, end):
        t_mean += when[j] - to_when
        x_mean += _east(lon[j], origin_lon, stretch)
        y_mean += (lat[j] - origin_lat) * DEGREE
    t_mean, x_mean, y_mean = t_mean / many, x_mean / many, y_mean / many
    spread = x_slope = y_slope = 0.0
    for j in range(start, end):
        t = when[j] - to_when - t_mean
        spread += t * t
        x_slope += t * _east(lon[j], origin_lon, stretch)
        y_slope += t * (lat[j] - origin_lat) * DEGREE
    if spread > 0.0:
        x_slope, y_slope = x_slope / spread, y_slope / spread
    x = x_mean - x_slope * t_mean - _east(to_lon, origin_lon, stretch)
    y = y_mean - y_slope * t_mean - (to_lat - origin_lat) * DEGREE
    return sqrt(x * x + y * y)


@njit(cache=True, nogil=True)
def adaptive(start, known, first, when, lon, lat, gamma, bearing, chance, window, of_truth, by_reports, low, high,  # type: ignore[no-untyped-def]
             noise, rows, size, lon_out, lat_out, level):  # fmt: skip
    """Noise of the first ε while the window fills; then of less ε (1) where the line through the window leads to
    within ``low`` metres of where one is (or, ``by_reports``, of the last report), of more (2) beyond ``high``."""
    for i in range(start, len(lon)):
        if known[i]:
            continue
        level[i] = 0
        end = i - 1 if by_reports else i
        if end - window >= first[i]:
            begin = end - window
            if by_reports:
                error = missed(lon_out, lat_out, when, begin, end, lon_out[end], lat_out[end], when[end])
            elif of_truth:
                error = missed(lon, lat, when, begin, end, lon[i], lat[i], when[i])
            else:
                error = missed(lon_out, lat_out, when, begin, end, lon[i], lat[i], when[i])
            level[i] = 1 if error < low else (2 if error > high else 0)
        turned = gamma[i] / (noise[level[i]] * RADIUS)
        if not _kept(turned, chance[i]):
            return i
        here_lon, here_lat = snap(lon[i], lat[i], rows, size)
        there_lon, there_lat = walk(here_lon, here_lat, turned, bearing[i])
        lon_out[i], lat_out[i] = snap(there_lon, there_lat, rows, size)
    return len(lon)
