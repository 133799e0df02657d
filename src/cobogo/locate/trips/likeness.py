"""How like the true trips made-up ones are: for the evidence, never for the public."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.trips.histories import walks_of
from cobogo.locate.trips.segments import split
from cobogo.locate.trips.synthesis import REGIONS, regions


def likeness(true: Points, made: Points, grid: Grid, *, gap: float, stay: float) -> dict[str, float | int]:
    """Total variation distances (0: alike, 1: nothing in common) of where trips go through, begin and end and lead,
    and of how many cells they have; each beside that of trips that are anywhere on the grid."""
    one = walks_of(split(true, gap=gap, stay=stay, frame=grid.frame), grid)
    other = walks_of(split(made, gap=float("inf"), frame=grid.frame), grid)
    region = regions(grid)

    def journeys(walks: object) -> Floats:
        starts, cells = walks.starts, walks.cells  # type: ignore[attr-defined]
        pair = region[cells[starts[:-1]]] * REGIONS**2 + region[cells[starts[1:] - 1]]
        return np.bincount(pair, minlength=REGIONS**4).astype(np.float64)

    longest = int(max(one.number.max(initial=1), other.number.max(initial=1))) + 1
    cells = [np.bincount(walks.cells, minlength=grid.cells).astype(np.float64) for walks in (one, other)]
    lengths = [np.bincount(walks.number, minlength=longest).astype(np.float64) for walks in (one, other)]
    return {
        "true_trips": len(one),
        "made_up_trips": len(other),
        "cells": _variation(*cells),
        "cells_of_trips_anywhere": _variation(cells[0], np.ones(grid.cells)),
        "journeys": _variation(journeys(one), journeys(other)),
        "lengths": _variation(*lengths),
    }


def _variation(one: Floats, other: Floats) -> float:
    if not one.sum() or not other.sum():
        return 1.0
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)
