"""Several places of a person: what is paid for all together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import Centroid, SeveralPlaces
from cobogo.locate.places.geometry import distance, move
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from support.effort import examples


def test_n_places_have_noise_n_times_as_wide_and_cost_epsilon_together() -> None:
    people = [(1, 4000), (4, 4000)]
    user = np.concatenate([np.repeat(np.arange(many) + size * 10_000, size) for size, many in people])
    here = Points.from_columns(np.full(len(user), -38.5), np.full(len(user), -3.7), user=user)
    released = SeveralPlaces(0.02).apply(here, Seeded(1))
    assert here.user is not None
    assert np.bincount(here.user, weights=released.cost) == pytest.approx(0.02)
    off, many = here.distance(released.points), np.bincount(here.user)[here.user]
    for size in (1, 4):
        law = stats.gamma(2, scale=size / 0.02)
        assert stats.kstest(off[many == size], law.cdf).pvalue > 1e-6


AREAS = {
    "Fortaleza": Grid.from_bounds(-38.65, -3.9, -38.4, -3.65, size=500),
    "Helsinki": Grid.from_bounds(24.0, 59.8, 26.0, 60.5, size=500),
    "across the equator": Grid.from_bounds(-1, -1, 1, 1, size=5000),
    "Fiji": Grid.from_bounds(179.5, -17.5, -179.5, -16.5, size=2000),
}


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(sorted(AREAS)), st.integers(1, 6), st.floats(1, 60_000), st.integers(0, 2**32 - 1))
def test_the_centre_moves_by_no_more_than_delta_times_the_largest_move(
    area: str, count: int, metres: float, seed: int
) -> None:
    grid = AREAS[area]
    mechanism = Centroid(0.01, grid)
    half = np.array([[grid.columns], [grid.rows]]) * grid.size / 2

    def clipped(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        return np.clip(np.stack(grid.frame.metres(lon, lat)), -half, half)

    rng = np.random.default_rng(seed)
    here = grid.frame.degrees(*(rng.uniform(-1, 1, (2, count)) * half))
    there = move(*here, rng.uniform(0, metres, count), rng.uniform(0, 6.28, count))
    apart = distance(*here, *grid.frame.degrees(*clipped(*there))).max()
    centres = [grid.frame.degrees(*clipped(*places).mean(axis=1)) for places in (here, there)]
    assert distance(*centres[0], *centres[1]) <= mechanism.sensitivity * apart + 1e-6


def test_the_noise_starts_from_the_centre_itself_and_not_from_its_cell() -> None:
    """The centre of two neighbouring cells is their common border, and reports to both sides are as likely."""
    mechanism = Centroid(0.2, AREAS["across the equator"])
    assert mechanism.world.size == 1
    world, count = mechanism.world, 40_000
    one = world.snap(0.3, 0.3)
    other = world.snap(float(one[0]) + 0.000009, float(one[1]))
    lon = np.tile([float(one[0]), float(other[0])], count)
    points = Points.from_columns(lon, np.full(2 * count, float(one[1])), user=np.repeat(np.arange(count), 2))
    reports = mechanism.apply(points, Seeded(4)).points
    middle = (float(one[0]) + float(other[0])) / 2
    west = int((reports.lon[::2] < middle).sum())
    assert abs(west - count / 2) < 5.2 * (count / 4) ** 0.5


def test_a_city_is_flat_enough_and_a_continent_costs_more() -> None:
    assert Centroid(0.01, AREAS["Fortaleza"]).sensitivity < 1.0005
    assert 1.01 < Centroid(0.01, AREAS["Helsinki"]).sensitivity < 1.04
    with pytest.raises(ValueError, match="must not reach the poles"):
        Centroid(0.01, Grid.from_bounds(0, 80, 10, 89, size=10_000))


def test_all_rows_of_a_person_get_one_report_around_the_centre_paid_for_once() -> None:
    people = 6000
    rng = np.random.default_rng(3)
    offset = rng.uniform(-0.02, 0.02, (people, 3, 2))
    lon, lat = (-38.52 + offset[..., 0]).ravel(), (-3.78 + offset[..., 1]).ravel()
    points = Points.from_columns(lon, lat, user=np.repeat(np.arange(people), 3))
    released = Centroid(0.01, AREAS["Fortaleza"]).apply(points, Seeded(2))
    reports = released.points.lon.reshape(people, 3), released.points.lat.reshape(people, 3)
    assert all((part == part[:, :1]).all() for part in reports)
    assert released.cost.reshape(people, 3).sum(axis=1) == pytest.approx(0.01)
    off = distance(
        lon.reshape(people, 3).mean(axis=1), lat.reshape(people, 3).mean(axis=1), *(r[:, 0] for r in reports)
    )
    assert stats.kstest(off, stats.gamma(2, scale=100).cdf).pvalue > 1e-6
