"""Cells of the world in which people are counted: squares of degrees, each cut into four, 23 times.

The cells do not depend on the data, so that the edges of a cell reveal nothing about the people in it. A cell of the
finest level is 4.8 m high. It has two codes: the Morton code, in which the cells of every level are runs, and the
Hilbert code, along which neighbours are near each other (Hilbert 1891; Sagan 1994).
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.locate.places.geometry import RADIUS

LEVELS = 23
"""How often the world is cut into four; a code has twice as many bits."""

STEP = 360.0 / 2**LEVELS
"""Degrees along the side of a finest cell: a sum of few powers of two, so that every edge is exact as a float."""

TOP = 3 * 2 ** (LEVELS - 2) - 1
"""The northernmost row: the world is a square of 360 degrees, of which the poles leave the middle half in use."""

Box = tuple[Floats, Floats, Floats, Floats]
"""West, south, east and north in degrees. East is beyond the date line where it is less than west."""


@kernel()
def _cell(degrees):  # type: ignore[no-untyped-def]
    number = np.int64(np.floor((degrees + 180.0) / STEP))
    while number * STEP - 180.0 > degrees:  # the sum above may have been rounded up to the next edge
        number -= 1
    return min(max(number, 0), 2**LEVELS - 1)


@kernel()
def _spread(bits):  # type: ignore[no-untyped-def]
    """Put a zero before every bit."""
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F
    bits = (bits | bits << 2) & 0x3333333333333333
    return (bits | bits << 1) & 0x5555555555555555


@kernel()
def cells(lon, lat):  # type: ignore[no-untyped-def]
    """Columns and rows of the finest cells of points."""
    column, row = np.empty(len(lon), np.int64), np.empty(len(lon), np.int64)
    for place in range(len(lon)):
        column[place] = _cell(lon[place])
        row[place] = min(_cell(lat[place]), TOP)  # the pole itself belongs to the row below it
    return column, row


@kernel()
def morton(column, row):  # type: ignore[no-untyped-def]
    """Codes whose first 2·L bits are the cell of level L: south before north, west before east in it."""
    codes = np.empty(len(column), np.int64)
    for place in range(len(column)):
        codes[place] = _spread(column[place]) | _spread(row[place]) << 1
    return codes


@kernel()
def hilbert(column, row, levels):  # type: ignore[no-untyped-def]
    """Places on a Hilbert curve through all cells of so many levels: the next cell on it is always a neighbour."""
    codes = np.empty(len(column), np.int64)
    for place in range(len(column)):
        x, y, code = column[place], row[place], np.int64(0)
        for level in range(levels - 1, -1, -1):
            east, north = (x >> level) & 1, (y >> level) & 1
            code = code << 2 | ((3 * east) ^ north)
            if north == 0:  # the curve enters the southern quarters turned
                if east == 1:
                    x, y = ~x, ~y
                x, y = y, x
        codes[place] = code
    return codes


def sort_codes(codes: Ints) -> tuple[Ints, Ints]:
    """The codes in order, and the row of each. Where they fit, row numbers are put into the low bits of the codes:
    single words are sorted much faster than pairs."""
    bits = max(len(codes) - 1, 1).bit_length()
    if 2 * LEVELS + bits > 63:
        order = np.argsort(codes, kind="stable")
        return codes[order], order
    packed = codes << bits
    packed |= np.arange(len(codes))
    packed.sort()
    order = packed & ((1 << bits) - 1)
    packed >>= bits
    return packed, order


@kernel()
def area_of(row, level):  # type: ignore[no-untyped-def]
    """Square metres of the cell of a level, given the finest row of something in it."""
    side = 360.0 / 2**level
    south = (row >> (LEVELS - level)) * side - 180.0
    low, high = min(max(south, -90.0), 90.0), max(min(south + side, 90.0), -90.0)
    return RADIUS * RADIUS * np.radians(side) * (np.sin(np.radians(high)) - np.sin(np.radians(low)))


def area(box: Box) -> Floats:
    """Square metres of rectangles of degrees on the globe.

    >>> float(area((np.array(-180.0), np.array(-90.0), np.array(180.0), np.array(90.0))).round(-12))
    510000000000000.0
    """
    west, south, east, north = box
    width = np.where(east - west >= 360, 360.0, (east - west) % 360)
    height = np.sin(np.radians(north)) - np.sin(np.radians(south))
    return np.asarray(RADIUS**2 * np.radians(width) * height)


@kernel()
def boxes(column, row, level, wide, high):  # type: ignore[no-untyped-def]
    """West, south, east and north of the cells of some levels that hold finest cells, or of pairs of such cells side by
    side (``wide``) or atop each other (``high``)."""
    n = len(column)
    west, south, east, north = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for place in range(n):
        shift = LEVELS - level[place]
        side = STEP * (1 << shift)
        across, up = wide[place], high[place]
        west[place] = (column[place] >> (shift + across) << across) * side - 180.0
        low = (row[place] >> (shift + up) << up) * side - 180.0
        south[place], north[place] = max(low, -90.0), min(low + side * (1 + up), 90.0)
        east[place] = west[place] + side * (1 + across)
    return west, south, east, north


@kernel()
def is_within(west, south, east, north, lon, lat):  # type: ignore[no-untyped-def]
    """Which points are in one rectangle, edges included."""
    found = np.empty(len(lon), np.bool_)
    width = 360.0 if east - west >= 360.0 else (east - west) % 360.0
    for place in range(len(lon)):
        found[place] = south <= lat[place] <= north and (lon[place] - west) % 360.0 <= width
    return found


def widen_to_cells(box: Box, k: int, least: float) -> Box:
    """Rectangles around k people or more, widened to the edges of public cells: tight ones would have people on their
    edges, who reveal their position and leave the rectangle with the next step.

    The outermost of k people spread evenly over a rectangle are a (k + 1)-th of its side away from its edge. The cells
    are about twice as wide as that, and wider where the area would be below ``least`` square metres.
    """
    west, south, east, north = box
    span = np.maximum(east - west, north - south)
    level = np.rint(np.log2(np.maximum(span / STEP * 2 / (k - 1), 2.0)))
    for _ in range(LEVELS):
        wide = snap_outward(box, STEP * 2.0**level)
        small = (area(wide) < least) & (level < LEVELS)
        if not small.any():
            break
        level = level + small
    return wide


def snap_outward(box: Box, side: Floats) -> Box:
    """Rectangles widened to the edges of cells of ``side`` degrees, at least one cell wide: a point on an edge is in
    the cell to the north-east of it."""
    west, south, east, north = box
    low = np.minimum(np.floor(south / side) * side, 90 - side)
    return (
        np.floor(west / side) * side,
        np.maximum(low, -90),
        (np.floor(east / side) + 1) * side,
        np.minimum((np.floor(north / side) + 1) * side, 90),
    )


def are_inside(box: Box, lon: Floats, lat: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether points are in rectangles, edges included; rectangles may lie across the date line."""
    west, south, east, north = box
    width = np.where(east - west >= 360, 360.0, (east - west) % 360)
    return np.asarray(((lon - west) % 360 <= width) & (south <= lat) & (lat <= north))
