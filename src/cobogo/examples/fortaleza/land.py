"""The ground of Fortaleza as squares of a hundred metres: which are land, and to which bairro each belongs.

A bairro is taken to be the land nearer to its centre than to any other. Whatever is made up (homes, schools, towers)
stands on a square that is land to its corners, so nobody lives in the sea.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.examples.fortaleza.bairros import CENTRES, OUTLINE
from cobogo.examples.words.places import FORTALEZA
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.geometry import Frame

SIDE = 100.0
"""Metres of a square's side."""

FRAME = Frame(-38.52, -3.79)
"""The flat map that everything of the example is made on: metres to the east and to the north of about the Castelão."""

WEST, SOUTH, ACROSS, UP = -13_400.0, -11_700.0, 275, 227
"""The sheet of squares: its south-western corner in metres, squares from west to east and from south to north."""


def within(x: Floats, y: Floats, ring: Floats) -> NDArray[np.bool_]:
    """Which points lie in a polygon: a ray to the east crosses its ring an odd number of times.

    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> within(np.array([1.0, 3.0]), np.array([1.0, 1.0]), square).tolist()
    [True, False]
    """
    inside = np.zeros(np.shape(x), dtype=np.bool_)
    for (x1, y1), (x2, y2) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


class Ground(NamedTuple):
    """The squares that are land, and for each square of the whole sheet the land next to it."""

    x: Floats
    """Metres of each land square's south-western corner, west to east."""
    y: Floats
    bairro: Ints
    """Number of the bairro of each land square, in the order of `CENTRES`."""
    of_bairro: list[Ints]
    """The land squares of each bairro."""
    nearest: Ints
    """For each square of the sheet (row by row from the south), the nearest land square: itself where it is land."""
    land: NDArray[np.bool_]
    """Which squares of the sheet are land."""


@cache
def ground() -> Ground:
    """The ground, made once."""
    from scipy.spatial import cKDTree

    ring = np.column_stack(FRAME.metres(*np.array(OUTLINE).T))
    corner_x, corner_y = np.meshgrid(WEST + np.arange(ACROSS + 1) * SIDE, SOUTH + np.arange(UP + 1) * SIDE)
    dry = within(corner_x, corner_y, ring)
    land = dry[:-1, :-1] & dry[:-1, 1:] & dry[1:, :-1] & dry[1:, 1:]
    rows, columns = np.nonzero(land)
    x, y = np.asarray(WEST + columns * SIDE, np.float64), np.asarray(SOUTH + rows * SIDE, np.float64)
    middles = np.column_stack((x, y)) + SIDE / 2
    bairro = cKDTree(np.column_stack(FRAME.metres(*centres()))).query(middles)[1].astype(np.int64)
    sheet = np.column_stack((corner_x[:-1, :-1].ravel(), corner_y[:-1, :-1].ravel())) + SIDE / 2
    nearest = cKDTree(middles).query(sheet)[1].astype(np.int64)
    of_bairro = [np.flatnonzero(bairro == number) for number in range(len(CENTRES))]
    return Ground(x, y, bairro, of_bairro, nearest, land.ravel())


@cache
def centres() -> tuple[Floats, Floats]:
    """Longitudes and latitudes of the bairros' centres."""
    lon, lat = np.array(list(CENTRES.values())).T
    return lon, lat


@cache
def residents() -> Floats:
    """Residents of each bairro, in the order of `CENTRES`."""
    return np.array([FORTALEZA[name] for name in CENTRES], dtype=np.float64)


def somewhere(bairro: Ints, random: np.random.Generator) -> tuple[Floats, Floats]:
    """A place in each of the bairros given, in metres: any land square of it, and anywhere on that."""
    here = ground()
    sizes = np.array([len(squares) for squares in here.of_bairro])
    starts = np.cumsum(sizes) - sizes
    flat = np.concatenate(here.of_bairro)
    square = flat[starts[bairro] + (random.random(len(bairro)) * sizes[bairro]).astype(np.int64)]
    return here.x[square] + random.random(len(bairro)) * SIDE, here.y[square] + random.random(len(bairro)) * SIDE


def on_land(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Which points stand on a land square."""
    square, on_sheet = _square(x, y)
    return np.asarray(ground().land[square] & on_sheet)


def ashore(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points themselves where they are on land; the nearest land square's middle where they are not."""
    here = ground()
    square, on_sheet = _square(x, y)
    wet = np.flatnonzero(~(here.land[square] & on_sheet))
    near = here.nearest[square[wet]]
    x, y = np.array(x), np.array(y)
    x[wet], y[wet] = here.x[near] + SIDE / 2, here.y[near] + SIDE / 2
    return x, y


def _square(x: Floats, y: Floats) -> tuple[Ints, NDArray[np.bool_]]:
    """The number of each point's square, or of one at the edge of the sheet where it lies beyond."""
    column, row = ((x - WEST) // SIDE).astype(np.int64), ((y - SOUTH) // SIDE).astype(np.int64)
    on_sheet = (column >= 0) & (column < ACROSS) & (row >= 0) & (row < UP)
    return np.clip(row, 0, UP - 1) * ACROSS + np.clip(column, 0, ACROSS - 1), on_sheet
