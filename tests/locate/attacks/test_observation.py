"""One report seen alone, and many reports of one place."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import LongObservation, ShortObservation, Tracking
from cobogo.locate.places.points import Points
from support.location_scenes import scene
from support.stand_ins import Noise, Nothing, scattered, square


def test_the_least_expected_distance_beats_the_report_itself_and_the_likeliest_cell() -> None:
    grid = square(20, 100.0)
    rng = np.random.default_rng(5)
    prior = rng.dirichlet(np.full(grid.cells, 0.05))
    lon, lat = grid.centres(rng.choice(grid.cells, 1500, p=prior))
    case = scene(Points.from_columns(lon, lat), Noise(0.01), grid=grid, prior=prior)
    errors = {how: float(ShortObservation(how=how).run(case).error.mean()) for how in ("median", "map", "mean")}
    assert errors["median"] < case.quality_loss * 0.8
    assert errors["median"] < errors["map"]


def test_without_noise_one_report_tells_the_cell() -> None:
    grid = square(10, 100.0)
    found = ShortObservation(how="map").run(scene(scattered(200, grid, 1), Nothing(), grid=grid))
    assert found.error.mean() <= 100 / np.sqrt(2)
    assert found.success >= 0.95


def test_averaging_falls_with_the_root_of_the_number_of_reports() -> None:
    """The mean of n planar Laplace errors has standard deviation √3/(ε√n) on each axis, so the mean error of 400
    people is √(3π/2)/(ε√n), with a relative standard deviation of 0.523/20: the bound stands at 6 of them."""
    grid = square(3, 2000.0)
    home = grid.centres([4])
    for n in (4, 64):
        users = np.repeat(np.arange(400), n)
        truth = Points.from_columns(np.full(len(users), home[0][0]), np.full(len(users), home[1][0]), user=users)
        found = LongObservation(how="mean").run(scene(truth, Noise(0.01), grid=grid))
        expected = np.sqrt(3 * np.pi / 2) / (0.01 * np.sqrt(n))
        assert found.error.mean() == pytest.approx(expected, rel=6 * 0.523 / 20)
        assert found.attacked == 400


def test_the_geometric_median_is_better_than_the_mean_and_frequency_about_as_good() -> None:
    grid = square(9, 200.0)
    users = np.repeat(np.arange(100), 50)
    lon, lat = grid.centres([40])
    truth = Points.from_columns(np.full(5000, lon[0]), np.full(5000, lat[0]), user=users)
    case = scene(truth, Noise(0.02), grid=grid)
    error = {how: LongObservation(how=how).run(case).error.mean() for how in ("mean", "median", "frequency")}
    assert error["median"] < error["mean"]
    assert error["frequency"] < 1.25 * error["mean"]
    assert LongObservation().run(case).success == 1.0


def test_a_way_of_guessing_that_does_not_exist_is_refused_before_anything_is_attacked() -> None:
    for attack in (ShortObservation, LongObservation, Tracking):
        with pytest.raises(ValueError, match=f"'how' parameter of {attack.name} must be one of .*Got 'mode'"):
            attack(how="mode")  # type: ignore[arg-type]
