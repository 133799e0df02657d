"""One report seen alone, and many reports of one place.

Many trips from one place.

Distances told to several people.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from cobogo.locate.attacks import (
    LongObservation,
    SameOrigin,
    Scene,
    ShortObservation,
    Tracking,
    Trilateration,
)
from cobogo.locate.attacks.inference import likelihood_of
from cobogo.locate.attacks.observation import _OriginLaw, trilaterate, trip_rows
from cobogo.locate.mechanisms import Dummies, Eclipse
from cobogo.locate.mechanisms.base import Mechanism, Released, no_cost
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from support.location_scenes import cloaked_by_time, scene
from support.paths import ROOT
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


pytestmark = pytest.mark.slow

HOUR = 3600.0


def commuters(people: int, days: int, grid: Grid, seed: int = 1) -> Points:
    """Each morning everybody leaves home, walks 600 m in three steps in a direction of their own, and is at work."""
    rng = np.random.default_rng(seed)
    east, north = grid.metres(rng.choice(grid.cells, people))
    away = (
        np.array([0, 0, 200, 400, 600, 600])[None]
        * np.stack([np.cos(way := rng.uniform(0, 7, people)), np.sin(way)])[..., None]
    )
    x, y = (np.tile(home[:, None] + part, (1, days)).ravel() for home, part in zip((east, north), away, strict=True))
    time = np.tile((np.arange(days)[:, None] * 24 * HOUR + np.array([6, 7, 7.05, 7.1, 7.15, 8]) * HOUR).ravel(), people)
    return Points.from_columns(*grid.frame.degrees(x, y), time=time, user=np.repeat(np.arange(people), 6 * days))


def test_a_trip_begins_where_a_rest_ends() -> None:
    truth = commuters(2, 3, square(20, 100.0))
    trips = trip_rows(truth, gap=2 * HOUR, along=2)
    assert [rows.tolist() for rows in trips] == [[start, start + 1] for start in (1, 7, 13, 19, 25, 31)]
    assert [len(rows) for rows in trip_rows(truth, gap=2 * HOUR, along=99)] == [4] * 6


def test_beliefs_are_the_product_of_all_trips() -> None:
    grid = square(12, 150.0)
    prior = np.random.default_rng(3).dirichlet(np.ones(grid.cells))
    case = scene(commuters(1, 4, grid), Noise(0.005), grid=grid, prior=prior)
    trips = trip_rows(case.truth, 2 * HOUR, 1)
    law = likelihood_of(case.released, grid, case.mechanism)
    expected = prior * np.prod([np.exp(law.logs(rows)[0]) for rows in trips], axis=0)
    attacker = _OriginLaw(case)
    assert attacker.beliefs(attacker.logs(trips)) == pytest.approx(expected / expected.sum())


def errors(mechanism: Mechanism, numbers: tuple[int, ...] = (1, 2, 5, 10, 20)) -> list[float]:
    grid = square(41, 50.0)
    case = scene(commuters(300, 20, grid), mechanism, grid=grid)
    return [float(SameOrigin(trips=number).run(case).error.mean()) for number in numbers]


def test_plain_noise_fails_with_every_trip_and_noise_drawn_once_does_not() -> None:
    """The table of the page about attacks."""
    page = (ROOT / "docs" / "location-attacks.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| ([^|]+) \| (\d+ m(?: \| \d+ m){4}) \|$", page, re.MULTILINE))
    plain, once = errors(Noise(0.01)), errors(Eclipse(0.01, square(41, 50.0)))
    for name, found in (("planar Laplace, ε = 0.01", plain), ("eclipse, ε = 0.01, k = 5", once)):
        told = [float(metres) for metres in re.findall(r"\d+", table[name])]
        # Attackers learn the law of eclipse by trying it: in 40 runs their standard deviation was at most 2.7 m.
        assert found == pytest.approx(told, abs=20)
    assert plain == sorted(plain, reverse=True)
    assert plain[-1] < 0.3 * plain[0]
    assert once[-1] > 0.75 * once[0]


def test_dummies_have_one_place_in_common() -> None:
    grid = square(20, 100.0)
    found = SameOrigin(how="map").run(scene(commuters(50, 3, grid), Dummies(5, grid), grid=grid))
    assert (found.success, found.attacked) == (1.0, 50)
    assert found.figures["trips_of_an_origin"] == 3


def test_the_way_of_a_trip_tells_of_its_origin() -> None:
    grid = square(41, 50.0)
    case = scene(commuters(60, 2, grid), Noise(0.005), grid=grid)
    alone, along = (SameOrigin(along=number).run(case).error.mean() for number in (1, 4))
    assert along < 0.9 * alone


def test_regions_are_intersected_and_those_that_do_not_meet_are_outvoted() -> None:
    grid = square(20, 100.0)
    truth = commuters(30, 4, grid)
    case = Scene(truth, cloaked_by_time(truth, 3), grid)
    assert SameOrigin().run(case).figures["uncertainty_bits"] < np.log2(grid.cells) - 2
    home = commuters(1, 3, grid)
    boxes = [
        np.repeat(side, 6)
        for side in (home.lon[::6] - 1e-3, home.lat[::6] - 1e-3, home.lon[::6] + 1e-3, home.lat[::6] + 1e-3)
    ]
    boxes[0][12:] += 0.01
    boxes[2][12:] += 0.01  # the last trip seems to begin elsewhere
    found = SameOrigin().run(Scene(home, Released(home, no_cost(home), box=tuple(boxes)), grid))
    assert found.error.max() < 300


def test_people_who_never_leave_twice_are_not_attacked() -> None:
    found = SameOrigin().run(scene(commuters(3, 1, square()), Noise(0.01), seed=2))
    assert (found.attacked, found.notes) == (0, ("no person begins two trips at the same place",))
    for option in ("along", "trips"):
        with pytest.raises(ValueError, match=f"'{option}'.*same-origin"):
            SameOrigin(**{option: 0})
    assert SameOrigin().run(scene(commuters(2, 2, square()), Noise(0.01))).attacked == 2


def test_senseless_options_are_refused_before_anything_is_attacked() -> None:
    for wrong in ({"how": "mode"}, {"along": 0}, {"trips": 0}):
        with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' parameter of same-origin must be"):
            SameOrigin(**wrong)  # type: ignore[arg-type]


def test_exact_distances_give_the_place_and_rounded_ones_nearly() -> None:
    grid = square(20, 500.0)
    anchors, victims = scattered(12, grid, 1), scattered(100, grid, 2)
    ax, ay = grid.frame.metres(anchors.lon, anchors.lat)
    x, y = grid.frame.metres(victims.lon, victims.lat)
    exact = np.hypot(x[:, None] - ax, y[:, None] - ay)
    assert victims.distance(trilaterate(anchors, exact, grid.frame)).max() < 1.0
    case = scene(victims, Nothing(), grid=grid)
    told = Trilateration(rounding=500).run(case)
    assert told.error.mean() < 150
    hidden = Trilateration(rounding=0).run(scene(victims, Noise(0.005), grid=grid))
    assert hidden.figures["error_to_report"] < 1
    assert hidden.error.mean() == pytest.approx(hidden.figures["quality_loss"], rel=0.02)
