"""What is drawn once for a cell: the same candidates and the same groups, whatever the number of reports."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cobogo.errors import PolicyError
from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import LongObservation, Scene
from cobogo.locate.mechanisms import CachedDummies, Dummies, Eclipse, PlanarLaplace
from cobogo.locate.mechanisms.base import Course
from cobogo.locate.places.points import Points
from cobogo.locate.protect import protect_points
from support.stand_ins import HERE, scattered, square

FALSE_ALARM = 1e-6


def stays(people: int, reports: int, seed: int = 1, side: int = 41, size: float = 50.0) -> Points:
    """People who report again and again from one place each, the middle of a cell."""
    grid = square(side, size)
    lon, lat = grid.centres(np.random.default_rng(seed).choice(grid.cells, people))
    return Points.from_columns(
        np.repeat(lon, reports), np.repeat(lat, reports), user=np.repeat(np.arange(people), reports)
    )


def test_all_reports_of_a_cell_are_candidates_of_one_noisy_place_and_paid_for_once() -> None:
    grid, points = square(41, 50.0), stays(200, 60)
    noise = Eclipse(0.01, grid, k=4)
    released = noise.apply(points, Seeded(1))
    places = released.owner_only["noisy place"].reshape(200, 60, 2)
    assert (places == places[:, :1]).all()
    candidates = noise.candidates(*places[:, 0].T)
    told = grid.cell_of(released.points.lon, released.points.lat).reshape(200, 60)
    assert all(set(mine) == set(cells) for mine, cells in zip(told, candidates, strict=True))
    assert released.cost.reshape(200, 60).sum(axis=1) == pytest.approx(0.01)
    which = (told[:, :, None] == candidates[:, None]).argmax(axis=2)
    assert stats.chisquare(np.bincount(which.ravel())).pvalue > FALSE_ALARM


def test_the_noisy_place_is_planar_laplace_about_the_middle_of_the_cell() -> None:
    """The candidates depend on it alone, so that they keep what it keeps."""
    grid = square(3, 400.0)
    points = scattered(20_000, grid, 1, user=np.arange(20_000))
    places = Eclipse(0.01, grid, k=2).apply(points, Seeded(2)).owner_only["noisy place"]
    middle = points.move_to(*grid.centres(grid.cell_of(points.lon, points.lat)))
    away = middle.distance(points.move_to(*places.T))
    assert stats.kstest(away, stats.gamma(2, scale=100.0).cdf).pvalue > FALSE_ALARM


def test_candidates_are_the_likeliest_of_the_nearest() -> None:
    grid = square(9, 100.0)
    prior = np.zeros(81)
    prior[[0, 10, 40, 80]] = 4, 3, 2, 1
    noise = Eclipse(0.01, grid, k=2, prior=prior)
    assert noise.candidates([HERE.lon], [HERE.lat]).tolist() == [[0, 10]]
    assert sorted(Eclipse(0.01, grid, k=2).candidates([HERE.lon], [HERE.lat])[0])[0] in (31, 39, 40)
    with pytest.raises(ValueError, match=r"'k'.*eclipse"):
        Eclipse(0.01, grid, k=5, prior=prior)


def test_long_observation_finds_no_more_than_one_report_of_it_tells() -> None:
    grid = square(41, 50.0)
    found = {}
    for noise in (PlanarLaplace(0.01), Eclipse(0.01, grid)):
        for reports in (2, 200):
            points = stays(200, reports)
            case = Scene(points, noise.apply(points, Seeded(3)), grid, noise)
            found[noise.name, reports] = LongObservation().run(case).error.mean()
    assert found["planar-laplace", 200] < 0.2 * found["planar-laplace", 2]
    assert found["eclipse", 200] > 0.85 * found["eclipse", 2] > 100


@pytest.mark.parametrize("mechanism", [Eclipse(0.01, square(20, 100.0)), CachedDummies(4, square(20, 100.0))])
def test_a_device_remembers_what_was_drawn(mechanism: Eclipse | CachedDummies) -> None:
    course = Course(mechanism, Seeded(4))
    home, work = (Points.from_columns([lon], [HERE.lat]) for lon in (HERE.lon, HERE.lon + 0.005))
    days = [[course.report(home), course.report(work)] for _ in range(6)]
    (kept,) = (name for name in ("noisy place", "group") if name in days[0][0].owner_only)
    for here in (0, 1):
        drawn = [day[here].owner_only[kept] for day in days]
        assert all((one == drawn[0]).all() for one in drawn)
    assert (days[0][0].owner_only[kept] != days[0][1].owner_only[kept]).any()
    assert [sum(float(one.cost.sum()) for one in day) > 0 for day in days] == [mechanism.highest_cost > 0] + [False] * 5


def test_groups_do_not_overlap_hold_the_cell_and_have_k_cells() -> None:
    grid, k = square(10, 100.0), 4
    everywhere = scattered(3_000, grid, 5, time=np.arange(3_000), user=np.arange(3_000) % 3)
    prior = np.random.default_rng(1).integers(1, 4, 100)
    released = CachedDummies(k, grid, prior).apply(everywhere, Seeded(5))
    assert released.members is not None
    sent = grid.cell_of(released.members.lon, released.members.lat)
    for person in range(3):
        rows = np.flatnonzero(everywhere.user == person)
        sets = {row: frozenset(sent[released.report == row].tolist()) for row in rows}
        cells = grid.cell_of(everywhere.lon[rows], everywhere.lat[rows])
        assert all(cell in sets[row] for row, cell in zip(rows, cells, strict=True))
        groups = set(sets.values())
        assert sum(map(len, groups)) == len(frozenset().union(*groups)) == grid.cells
        assert {len(group) for group in groups} <= set(range(k, 2 * k))


def test_the_true_cell_is_anywhere_in_its_group() -> None:
    """By place on the map, where all cells are alike, and by probability, where they are not."""
    grid, k = square(20, 100.0), 5
    points = scattered(8_000, square(10, 100.0), 6, user=np.arange(8_000))
    for prior in (None, np.arange(1, 401)):
        groups = CachedDummies(k, grid, prior).apply(points, Seeded(6)).owner_only["group"][:, :k]
        place = (groups == grid.cell_of(points.lon, points.lat)[:, None]).argmax(axis=1)
        if prior is None:
            rows = np.abs(groups // 20 - (grid.cell_of(points.lon, points.lat) // 20)[:, None])
            assert (rows > 2).mean() > 0.4
        else:
            assert stats.chisquare(np.bincount(place, minlength=k)).pvalue > FALSE_ALARM


def test_requests_from_one_place_have_the_whole_group_in_common() -> None:
    grid, points = square(20, 100.0), stays(60, 5, side=20, size=100.0)
    found = {}
    for mechanism in (Dummies(5, grid), CachedDummies(5, grid)):
        case = Scene(points, mechanism.apply(points, Seeded(8)), grid, mechanism)
        found[mechanism.name] = LongObservation().run(case).success
    assert found["dummies"] == 1.0
    assert found["cached-dummies"] < 0.5


@pytest.mark.parametrize("mechanism", [Eclipse(0.01, square()), CachedDummies(3, square())])
def test_a_file_of_all_reports_of_people_is_not_released_with_it(mechanism: Eclipse | CachedDummies) -> None:
    with pytest.raises(PolicyError, match=r"same place|no guarantee"):
        protect_points(stays(2, 3), mechanism, mechanism.name)
