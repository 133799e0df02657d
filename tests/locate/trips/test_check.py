"""Company counted from what is released."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.places.points import Points
from cobogo.locate.trips import closeness
from support.location_trips import joined, plain_crowd
from support.stand_ins import walkers


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(10, 2000))
def test_the_check_counts_what_plain_counting_does(seed: int, delta: float) -> None:
    points = walkers(12, 8, seed)
    assert closeness(points, delta).crowd.tolist() == plain_crowd(points, delta)


def test_the_check_sees_one_moment_and_one_time_that_differ() -> None:
    one = Points.of([0, 1e-3, 2e-3], [0] * 3, time=[0, 60, 120], user=["a"] * 3)
    pair = joined(one, one)
    assert closeness(pair, 5).crowd.tolist() == [2, 2]
    strayed = Points(pair.lon + np.array([0, 0, 0, 0, 1e-3, 0]), pair.lat, pair.time, pair.user)
    assert closeness(strayed, 5).k == 1
    late = Points(pair.lon, pair.lat, pair.time + np.array([0, 0, 0, 0, 0, 1]), pair.user)
    assert closeness(late, 5).k == 1
    assert not closeness(late, 5).holds(2)
