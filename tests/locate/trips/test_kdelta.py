"""(k, δ)-anonymity of trajectories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.trips import KDelta, anonymize_trips, closeness
from cobogo.locate.trips.kdelta import tube
from support.effort import examples
from support.location_trips import joined, plain_crowd
from support.stand_ins import HERE, walkers


@pytest.mark.slow
@settings(max_examples=examples(12), deadline=None)
@given(
    st.integers(0, 1000),
    st.integers(4, 25),
    st.integers(2, 4),
    st.sampled_from([1.0, 30.0, 500.0]),
    st.sampled_from(["nwa", "w4m"]),
)
def test_every_released_trajectory_has_company(seed: int, people: int, k: int, delta: float, method) -> None:
    points = walkers(people, 40, seed)
    found = anonymize_trips(points, KDelta(k, delta, method, trash=0.5), Seeded(seed))
    assert min(plain_crowd(found.points, delta)) >= k
    assert found.measured.crowd.tolist() == plain_crowd(found.points, delta)
    assert found.suppressed <= 0.5 * found.trips
    assert found.points.users == found.trips - found.suppressed
    assert found.clusters.min() >= k


@pytest.mark.slow
def test_people_are_counted_not_trips() -> None:
    one = walkers(1, 30, 1)
    again = [Points(one.lon, one.lat, one.time + 86_400 * day, one.user, one.names) for day in range(5)]
    alone = Points.from_columns(
        np.concatenate([part.lon for part in again]),
        np.concatenate([part.lat for part in again]),
        time=np.concatenate([part.time for part in again]),
        user=["a"] * 150,
    )
    with pytest.raises(NoSolution, match="5 of 5 trips"):
        anonymize_trips(alone, KDelta(2, 100, daily=True))
    assert anonymize_trips(joined(*again), KDelta(5, 100, daily=True)).suppressed == 0


@pytest.mark.slow
def test_people_who_walk_together_are_hardly_moved_and_numbers_are_not_theirs() -> None:
    one = walkers(10, 40, 3)
    near = [Points(one.lon + 1e-5 * shift, one.lat, one.time, one.user, one.names) for shift in range(4)]
    points = joined(*near)
    for method in ("nwa", "w4m"):
        found = anonymize_trips(points, KDelta(4, 50, method, period=60))
        assert found.moved.max() < 25 + 3  # from one side of the tube to its middle, and what they are apart
        assert found.suppressed == 0
        orders = {tuple(trace.lon[:1]) for trace in found.points.traces()}
        assert len(orders) > 10
    assert found.points.names == ()
    first = [round(float(trace.lon[0]), 6) for trace in found.points.traces()]
    assert first != [round(float(trace.lon[0]), 6) for trace in points.traces()]  # 40! orders: never by chance


def test_one_known_place_does_not_tell_which_of_k_trips_is_whose() -> None:
    """An attacker who knows where somebody was at one moment takes the nearest of the k: right once in k times. Of
    2,000 guesses one in five, 0.2 ± 6 standard deviations of 0.009; where trips keep their shape it is 99 in 100."""
    rng, right = np.random.default_rng(1), []
    for seed in range(400):
        way = np.cumsum(rng.normal(0, 80, (2, 1, 30)), axis=2) + rng.normal(0, 300, (2, 5, 30)).cumsum(axis=2) / 10
        lon, lat = HERE.degrees(*way)
        placed = tube(lon, lat, 500.0, Seeded(seed))
        moment = rng.integers(30)
        away = distance(lon[:, moment, None], lat[:, moment, None], placed[0][:, moment], placed[1][:, moment])
        right.append(away.argmin(axis=1) == np.arange(5))
        apart = distance(placed[0][:, None], placed[1][:, None], placed[0], placed[1])
        assert apart.max() <= 500
    assert abs(np.mean(right) - 0.2) < 0.054


@pytest.mark.slow
def test_waiting_moves_times_where_never_walking_alone_cannot() -> None:
    one = walkers(1, 40, 3)
    later = Points(one.lon, one.lat, one.time + 1000, one.user, one.names)
    points = joined(one, later)
    with pytest.raises(NoSolution, match="method w4m"):
        anonymize_trips(points, KDelta(2, 20, "nwa", trash=0.0, period=60, gap=100_000))
    found = anonymize_trips(points, KDelta(2, 20, "w4m", trash=0.0))
    assert found.suppressed == 0


@pytest.mark.slow
def test_across_the_date_line_and_far_north() -> None:
    for lon, lat in ((179.999, 0.0), (25.0, 70.0)):
        rng = np.random.default_rng(1)
        x = lon + rng.normal(0, 0.002, (8, 1)) + np.arange(10) * 2e-4
        y = lat + rng.normal(0, 0.002, (8, 1)) + np.zeros(10)
        points = Points.from_columns(
            x.ravel(), y.ravel(), time=np.tile(np.arange(10) * 60, 8), user=np.repeat(np.arange(8), 10)
        )
        found = anonymize_trips(points, KDelta(4, 100, trash=0.0))
        assert min(plain_crowd(found.points, 100)) >= 4
        assert found.points.distance(Points(np.full(80, lon), np.full(80, lat))).max() < 2000


@pytest.mark.parametrize(
    "wrong", [{"k": 1}, {"delta": 0.5}, {"trash": 1.0}, {"method": "x"}, {"step": 0}], ids=lambda one: next(iter(one))
)
def test_what_cannot_be_asked_for_is_refused(wrong) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KDelta(**{"k": 2, "delta": 10, **wrong})


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 1000), st.floats(10, 2000))
def test_the_check_counts_what_plain_counting_does(seed: int, delta: float) -> None:
    points = walkers(12, 8, seed)
    assert closeness(points, delta).crowd.tolist() == plain_crowd(points, delta)


def test_the_check_sees_one_moment_and_one_time_that_differ() -> None:
    one = Points.from_columns([0, 1e-3, 2e-3], [0] * 3, time=[0, 60, 120], user=["a"] * 3)
    pair = joined(one, one)
    assert closeness(pair, 5).crowd.tolist() == [2, 2]
    strayed = Points(pair.lon + np.array([0, 0, 0, 0, 1e-3, 0]), pair.lat, pair.time, pair.user)
    assert closeness(strayed, 5).k == 1
    late = Points(pair.lon, pair.lat, pair.time + np.array([0, 0, 0, 0, 0, 1]), pair.user)
    assert closeness(late, 5).k == 1
    assert not closeness(late, 5).holds(2)
