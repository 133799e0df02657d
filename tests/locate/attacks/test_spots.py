"""Spots are where people are seen."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks.inference import (
    expected_distances,
)
from cobogo.locate.attacks.spots import Spots
from cobogo.locate.attacks.tracking import Markov
from support.stand_ins import walkers


def test_spots_are_the_places_that_are_visited_and_nothing_else() -> None:
    points = walkers(10, 40, 1)
    spots = Spots.from_visits(points, 150)
    assert spots.cells <= 150
    assert (spots.cell_of(points.lon, points.lat) >= 0).all()
    assert (spots.cell_of(points.lon, points.lat) == spots.nearest_cell(points.lon, points.lat)).mean() > 0.9
    lon, lat = spots.centres([3])
    assert spots.cell_of(lon, lat).tolist() == [3] == spots.nearest_cell(lon, lat).tolist()
    assert Spots.from_visits(points, 400).size < spots.size
    more = Spots.from_visits(points, 150, elsewhere=50)
    assert spots.cells < more.cells + 50
    chances = np.random.default_rng(1).dirichlet(np.ones(spots.cells), 2)
    x, y = spots.metres()
    plain = [[(row * np.hypot(x - x[at], y - y[at])).sum() for at in range(spots.cells)] for row in chances]
    assert expected_distances(chances, spots) == pytest.approx(np.array(plain))
    wander = Markov.assume(spots, step=60, speed=2)
    assert np.add.reduceat(wander.probabilities, wander.starts[:-1]) == pytest.approx(1)
    assert wander.starts[-1] == len(wander.ends)
