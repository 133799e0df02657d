"""Public grids."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.grid import Grid, World
from support.location_points import lats, lons


@settings(deadline=None)
@given(lons, lats, st.sampled_from([0.5, 1.0, 250.0, 10_000.0]))
def test_snapping_moves_by_at_most_a_cell_and_only_once(lon: float, lat: float, size: float) -> None:
    world = World(size)
    once = world.snap(lon, lat)
    assert distance(lon, lat, *once) <= size * 1.05
    twice = world.snap(*once)
    assert distance(*once, *twice) < 1e-3


@given(lons, st.floats(-70, 70), st.integers(0, 10_000))
def test_the_centre_of_a_cell_lies_in_it(lon: float, lat: float, number: int) -> None:
    grid = Grid(Frame(lon, lat), 13, 9, 500.0)
    cell = number % grid.cells
    assert grid.cell_of(*grid.centres([cell])).tolist() == [cell]
    assert grid.nearest_cell(*grid.centres([cell])).tolist() == [cell]


def test_a_grid_covers_its_rectangle_across_the_date_line() -> None:
    grid = Grid.from_bounds(179.5, -1, -179.5, 1, size=1000)
    assert (grid.columns, grid.rows) == (112, 223)
    assert (grid.cell_of([179.6, -179.6, 0.0], [0.5, -0.5, 0.0]) >= 0).tolist() == [True, True, False]


def test_corners_of_a_grid_that_are_exchanged_are_refused() -> None:
    for corners in ((-38.4, -3.9, -38.6, -3.7), (-38.6, -3.7, -38.4, -3.9), (0, -91, 1, 0)):
        with pytest.raises(ValueError, match="of a grid must"):
            Grid.from_bounds(*corners, size=100)
