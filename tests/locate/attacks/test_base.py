"""Location attacks do what theory and plain counting say they do.

Spots are where people are seen.
"""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    ATTACKS,
    Scene,
)
from cobogo.locate.attacks.base import NEEDS, Spots
from cobogo.locate.attacks.inference import (
    expected_distances,
)
from cobogo.locate.attacks.tracking import Markov
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.location_scenes import cloaked_by_time, crossing, lives, scene
from support.stand_ins import Noise, square, walkers

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_keeps_the_contract(name: str) -> None:
    attack = ATTACKS[name]()
    assert attack.name == name
    assert attack.__doc__
    assert attack.knows
    truth, homes = lives(people=5, days=2)
    if name == "aggregated-presence":  # two who live and work together
        twin = truth.take(truth.user == 0)
        truth = Points(
            np.concatenate([truth.lon, twin.lon]),
            np.concatenate([truth.lat, twin.lat]),
            np.concatenate([truth.time, twin.time]),
            np.concatenate([truth.user, np.full(len(twin), 5)]),
        )
    case = scene(truth, Noise(0.01), grid=square(20, 200.0), places=homes, crossings=crossing(4, 1, 10))
    regions = attack.needs & {"boxes", "regions or sets"}
    if regions:
        assert attack.lacks(case) == f"needs {NEEDS[next(iter(regions))]}"
        case = Scene(truth, cloaked_by_time(truth, 3), square(20, 200.0))
    assert attack.lacks(case) is None
    found = attack.run(case)
    assert 0 <= found.success <= 1
    assert 0 <= found.baseline < 1
    assert found.attacked > 0
    told = found.to_dict()
    assert told["attack"] == name
    assert set(told) >= {"success", "baseline", "error_metres", "figures", "knows"}
    bare = Points.from_columns(truth.lon, truth.lat)
    if attack.needs & {"users", "times"}:
        assert "needs" in (attack.lacks(Scene(bare, Released(bare, no_cost(bare)), square())) or "")


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
