"""Public places."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.errors import DataError
from cobogo.locate.mobility.counts import bound_calls
from cobogo.locate.places.cells import Calls, Cells, PublicPlaces
from support.location_calls import CELLS, SPACE
from support.location_grids import FORTALEZA


def test_cells_of_a_polygon_are_those_inside() -> None:
    shapely = pytest.importorskip("shapely")
    triangle = shapely.Polygon([(-38.6, -3.8), (-38.5, -3.8), (-38.55, -3.7)])
    places = PublicPlaces.from_polygon(triangle, FORTALEZA)
    share = len(places) * FORTALEZA.size**2 / (0.1 * 111_195 * np.cos(np.radians(3.75)) * 0.1 * 111_195 / 2)
    assert share == pytest.approx(1, abs=0.05)
    assert shapely.contains_xy(triangle, places.points.lon, places.points.lat).all()


def test_unknown_cells_are_refused_without_being_shown_or_left_out() -> None:
    user, time, cell = ["ana", "bia", "ana"], ["2024-03-04 08:00:00"] * 3, ["a", "secret place", "b"]
    with pytest.raises(DataError, match=r"1 of 3 calls.*row 2") as refused:
        Calls.from_columns(user, time, cell, CELLS)
    assert "secret" not in str(refused.value)
    kept = Calls.from_columns(user, time, cell, CELLS, leave_out=True)
    assert kept.cell.tolist() == [0, 1]
    assert bound_calls(kept, SPACE).people == 1
    with pytest.raises(DataError, match="row 1"):
        Calls.from_columns(["ana"], ["soon"], ["a"], CELLS)
    with pytest.raises(DataError, match="twice"):
        Cells.from_columns(["a", "a"], [0, 0], [0, 1])
