"""People who move about in Fortaleza: they live on land, move no faster than cars, and keep hours."""

import numpy as np
import pytest

from cobogo.examples.places import BAIRROS, OUTLINE
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies import fortaleza
from cobogo.studies.fortaleza.land import FRAME, in_polygon, residents
from cobogo.studies.fortaleza.lives import STAYS, WORKS
from cobogo.studies.fortaleza.people import FIRST_MIDNIGHT, CityPeople

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def crowd() -> CityPeople:
    return fortaleza.people(2_000, days=7, seed=7)


@pytest.fixture(scope="module")
def trajectories(crowd: CityPeople) -> Points:
    return crowd.trajectories(1_800)


def on_land(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """By the outline itself, in degrees: not by the squares that people are placed on."""
    return in_polygon(lon, lat, np.array(OUTLINE))


def test_nobody_is_ever_in_the_sea(crowd: CityPeople, trajectories: Points) -> None:
    assert on_land(crowd.home.lon, crowd.home.lat).all()
    assert on_land(trajectories.lon, trajectories.lat).all()
    sites = fortaleza.sites()
    assert on_land(*FRAME.degrees(sites.place[:, 0], sites.place[:, 1])).all()
    assert on_land(fortaleza.towers().lon, fortaleza.towers().lat).all()


def test_nobody_outruns_a_car(crowd: CityPeople) -> None:
    exact = crowd.positions_at(np.repeat(np.arange(200), 1_000), np.tile(FIRST_MIDNIGHT + np.arange(1_000) * 60.0, 200))
    lon, lat = exact.lon.reshape(200, -1), exact.lat.reshape(200, -1)
    speed = distance(lon[:, :-1], lat[:, :-1], lon[:, 1:], lat[:, 1:]) / 60 * 3.6
    assert 10 < speed.max() < 60
    assert (speed < 0.1).mean() > 0.8  # most of life is spent in one place


def test_days_have_a_rhythm(crowd: CityPeople, trajectories: Points) -> None:
    workers = np.flatnonzero((crowd.lives.occupation == WORKS) & ~crowd.lives.by_night)

    def share_at_work(day: int, hour: float) -> float:
        then = crowd.positions_at(workers, np.full(len(workers), FIRST_MIDNIGHT + (day * 24 + hour) * 3_600))
        return float((then.distance(crowd.work.take(workers)) < 100).mean())

    def share_at_home(hour: float) -> float:
        then = crowd.positions_at(np.arange(len(crowd)), np.full(len(crowd), FIRST_MIDNIGHT + hour * 3_600))
        return float((then.distance(crowd.home) < 100).mean())

    assert share_at_work(1, 11) > 0.8
    assert share_at_work(6, 11) < 0.3
    assert share_at_home(3) > 0.9
    assert share_at_home(11) < 0.5
    assert trajectories.time is not None
    assert trajectories.time.min() == FIRST_MIDNIGHT
    assert trajectories.time.max() == FIRST_MIDNIGHT + 7 * 86_400 - 1_800


def test_homes_follow_residents_and_works_follow_jobs(crowd: CityPeople) -> None:
    homes = dict.fromkeys(BAIRROS, 0)
    for name in crowd.bairro:
        homes[name] += 1
    expected = residents() / residents().sum() * len(crowd)
    assert ((np.array(list(homes.values())) - expected) ** 2 / expected).sum() < 260  # χ², 120 degrees: 1e-12
    works = crowd.lives.occupation == WORKS
    centre = Points.from_columns([-38.515], [-3.733])
    near = distance(crowd.work.lon, crowd.work.lat, centre.lon, centre.lat) < 4_000
    lives_near = distance(crowd.home.lon, crowd.home.lat, centre.lon, centre.lat) < 4_000
    assert near[works].mean() > 2 * lives_near.mean()
    stays = crowd.lives.occupation == STAYS
    assert (crowd.home.distance(crowd.work)[stays] == 0).all()


def test_a_seed_gives_the_same_people() -> None:
    first, again, other = (fortaleza.people(50, days=2, seed=seed).trajectories(3_600) for seed in (1, 1, 2))
    assert (first.lon == again.lon).all()
    assert (first.lon != other.lon).any()


def test_calls_are_made_at_the_nearest_tower(crowd: CityPeople) -> None:
    calls = crowd.calls()
    cells = calls.cells
    assert len(cells) == len(set(cells.names)) == 300
    assert 5 < len(calls) / len(crowd) / 7 < 11
    some = np.arange(0, len(calls), 97)
    there = crowd.positions_at(calls.user[some], calls.time[some])
    east, north = cells.frame.metres(there.lon, there.lat)
    away = np.hypot(east[:, None] - cells.metres[:, 0], north[:, None] - cells.metres[:, 1])
    assert np.allclose(away.min(axis=1), away[np.arange(len(some)), calls.cell[some]])
    assert (np.diff(calls.user) >= 0).all()
    assert (np.diff(calls.time)[np.diff(calls.user) == 0] >= 0).all()
    hours = (calls.time / 3_600 + fortaleza.UTC_OFFSET) % 24
    assert ((hours >= 1) & (hours < 5)).mean() < 0.05


def test_nobody_and_one_tower() -> None:
    nobody = fortaleza.people(0)
    assert len(nobody.trajectories()) == len(nobody.calls()) == 0
    assert set(fortaleza.people(3).calls(fortaleza.towers(1)).cell.tolist()) == {0}
    with pytest.raises(ValueError, match="towers"):
        fortaleza.towers(0)
    with pytest.raises(ValueError, match="step"):
        fortaleza.people(1).trajectories(0)
