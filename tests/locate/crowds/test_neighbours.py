"""Cloaks of neighbours and of crowds along a curve."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import Cloak, Hilbert, NearestNeighbours
from cobogo.locate.crowds.cells import are_inside
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza import people
from cobogo.studies.fortaleza.people import FIRST_MIDNIGHT

pytestmark = pytest.mark.slow


def test_crowds_along_the_curve_have_k_people_and_the_last_one_less_than_twice_as_many() -> None:
    rng = np.random.default_rng(3)
    points = Points.from_columns(rng.normal(-38.5, 0.1, 1003), rng.normal(-3.7, 0.1, 1003))
    for spare, sizes in ((0, {10: 99, 13: 1}), (2, {12: 82, 19: 1})):
        cloaked = Hilbert(10, spare=spare).regions(points)
        assert Counter(Counter(zip(*cloaked.box, strict=True)).values()) == sizes
    assert Hilbert(10).regions(points.take(slice(0, 11))).sharing(points.take(slice(0, 11))).tolist() == [11] * 11


def test_there_are_still_k_when_positions_are_a_minute_old() -> None:
    """3,000 people at eight in the morning, the same ones each time."""
    city, everybody = people(3000, days=1), np.arange(3000)
    then, now = (
        city.positions_at(everybody, np.full(3000, FIRST_MIDNIGHT + 60.0 * minute), error=8.0, stream=minute)
        for minute in (480, 481)
    )
    for k in (5, 10, 20):
        assert (Hilbert(k).regions(then).people(now) < k).mean() < 0.02


def test_who_is_nearest_to_the_centre_gives_neighbours_away_and_crowds_do_not() -> None:
    """The centre-of-cloak attack: with k = 10 a guess among those in the cloak is right in one case of ten or fewer."""
    rng = np.random.default_rng(9)
    points = Points.from_columns(rng.uniform(-38.6, -38.4, 2000), rng.uniform(-3.8, -3.6, 2000))

    def caught(cloak: Cloak) -> float:
        middle = cloak.apply(points, Seeded(1)).points
        box = cloak.regions(points).box
        right = 0
        for row in range(400):
            within = np.flatnonzero(are_inside(tuple(e[row] for e in box), points.lon, points.lat))  # type: ignore[arg-type]
            gaps = distance(points.lon[within], points.lat[within], middle.lon[row], middle.lat[row])
            right += int(within[np.argmin(gaps)] == row)
        return right / 400

    assert caught(NearestNeighbours(10)) > 0.3
    assert caught(Hilbert(10)) < 0.2
