"""Attackers hear what was sent, not a middle that nobody said."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    ContextLinking,
    HomeAndWork,
    Identification,
    IntersectionOfCloaks,
    LongObservation,
    Scene,
    Trilateration,
)
from cobogo.locate.attacks.hearing import metres_to
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.location_scenes import lives, scene
from support.stand_ins import HERE, scattered, square


def test_a_set_is_heard_position_by_position_and_not_by_its_middle() -> None:
    """Dummies do not repeat, the truth does: two requests from one place have nothing else in common."""
    grid = square(20, 1000.0)
    homes = scattered(20, grid, 1)
    for requests in (2, 24):
        time = np.tile(np.arange(requests) // 6 * 86400.0 + np.arange(requests) % 6 * 3600.0, 20)  # by night
        truth = Points.from_columns(homes.lon.repeat(requests), homes.lat.repeat(requests), time=time,
                          user=np.arange(20).repeat(requests))  # fmt: skip
        case = scene(truth, Dummies(5, grid, "uniform"), grid=grid)
        assert case.quality_loss < 1
        found = LongObservation().run(case)
        assert (found.success, found.attacked) == (1.0, 20)
        assert found.error.max() < 1
    assert HomeAndWork(within=1.0).run(case).success == 1.0
    assert Identification(points=1).run(case).success == 1.0
    book = Points.from_columns(np.concatenate([homes.lon, homes.lon + 1e-4]), np.concatenate([homes.lat, homes.lat]))
    assert ContextLinking().run(scene(truth, Dummies(5, grid), grid=grid, places=book)).success == 1.0
    assert IntersectionOfCloaks().run(case).success == 1.0
    told = Trilateration(rounding=0, within=2.0).run(case)  # one of five, by whoever does not compare requests
    assert told.success == pytest.approx(0.2, abs=0.02)


def test_a_region_is_heard_by_its_edges_and_not_by_its_middle() -> None:
    """Boxes of one home lie about it in all ways: what most of them have in common is where it is."""
    rng = np.random.default_rng(1)
    grid, hours = square(40, 50.0), 30
    home, other = grid.metres([820]), grid.metres([305])
    near = rng.uniform(0, 700, (4, hours))
    west, south = HERE.degrees(home[0] - near[0], home[1] - near[1] ** 2 / 700)
    east, north = HERE.degrees(home[0] + near[2] ** 2 / 700, home[1] + near[3])
    lon, lat = (np.full(hours, part[0]) for part in grid.centres([820]))
    truth = Points.from_columns(lon, lat, time=np.arange(hours) * 600.0, user=np.zeros(hours, dtype=int))
    case = Scene(truth, Released(truth, no_cost(truth), box=(west, south, east, north)), grid)
    for attack in (LongObservation(), HomeAndWork()):
        assert attack.run(case).error[0] < 100
    known = truth.take([3])
    assert metres_to(case.released, np.array([3]), known)[0] < 0.01
    away = metres_to(case.released, np.array([3]), Points.from_columns(*HERE.degrees(other[0], other[1])))
    assert away[0] > 100


def test_people_are_heard_when_they_report_and_not_when_they_asked() -> None:
    """Requests that wait for company tell the hour at which it was there: a nap at noon is no night."""
    truth, _ = lives(people=4)
    later = Points(truth.lon, truth.lat, truth.time + 12 * 3600, truth.user, truth.names)
    asked, told = (
        Scene(truth, Released(truth, no_cost(truth)), square()),
        Scene(truth, Released(later, no_cost(truth)), square()),
    )
    assert HomeAndWork(within=1.0).run(asked).success == 1.0
    assert HomeAndWork(within=1.0).run(told).success < 1.0
