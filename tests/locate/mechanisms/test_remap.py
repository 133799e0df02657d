"""Reports moved to where people are."""

from __future__ import annotations

import numpy as np

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import PlanarLaplace, Remap, Remapped
from cobogo.locate.places.points import Points
from support.location_laws import a_prior, square


def test_a_remap_is_the_best_guess_of_someone_who_knows_the_prior() -> None:
    grid, prior = square(6), a_prior(36, 2) ** 4
    east, north = grid.metres()
    away = np.hypot(east[:, None] - east, north[:, None] - north)
    expected = (prior * np.exp(-0.004 * away)) @ away
    assert Remap(0.004, grid, prior).best(*grid.metres()).tolist() == expected.argmin(axis=1).tolist()


def test_remapping_brings_reports_nearer_to_where_people_are() -> None:
    grid = square(20)
    prior = np.full(grid.cells, 1e-4)
    prior[[25, 110, 111, 290, 333]] = 1.0
    rng = np.random.default_rng(1)
    here = Points(*grid.centres(rng.choice(grid.cells, 4000, p=prior / prior.sum())))
    plain = PlanarLaplace(0.01).apply(here, Seeded(2)).points
    moved = Remapped(0.01, grid, prior).apply(here, Seeded(2)).points
    assert here.distance(moved).mean() < 0.7 * here.distance(plain).mean()
    assert Remapped(0.01, grid, prior).guarantee == PlanarLaplace(0.01).guarantee


def test_a_report_is_remapped_from_where_it_is_and_not_from_the_middle_of_its_cell() -> None:
    """Two reports at the two ends of a cell between two crowds go to the crowd that each is nearer to."""
    grid = square(3, 500.0)
    prior = np.array([0, 0, 0, 1, 0, 1, 0, 0, 0])
    lon, lat = grid.frame.degrees([-200.0, 200.0], [0.0, 0.0])
    remap = Remap(0.01, grid, prior)
    assert grid.cell_of(*_lonlat(remap(Points.of(lon, lat)))).tolist() == [3, 5]
    many = Points.of(np.linspace(lon[0], lon[1], 6001), np.full(6001, lat[0]))  # too many to be exact of each
    found = grid.cell_of(*_lonlat(remap(many)))
    assert (found[:2500] == 3).all()
    assert (found[-2500:] == 5).all()


def _lonlat(points: Points) -> tuple[np.ndarray, np.ndarray]:
    return points.lon, points.lat
