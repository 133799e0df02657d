"""Answers that a device keeps: exact, not too old, and unseen by the service."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.anonymizer.example_service import PlaceCatalogue
from cobogo.locate.device import AnswerCache, DeviceClient
from cobogo.locate.device.reports import ReportArea
from cobogo.locate.mechanisms import CachedDummies, Dummies
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.grid import Grid
from cobogo.studies.fortaleza import people

GRID = Grid.from_bounds(-38.64, -3.90, -38.40, -3.68, size=500)
CELL = 500 / np.sqrt(2) + 1
"""Metres about the middle of a cell that hold the cell."""

DAY = 86_400.0


class Service:
    """A service that notes what it is asked about."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        lon, lat = rng.uniform(-38.64, -38.4, 300), rng.uniform(-3.9, -3.68, 300)
        self.catalogue = PlaceCatalogue.from_rows((str(n), "stop", lon[n], lat[n]) for n in range(300))
        self.asked: list[frozenset[ReportArea]] = []

    def __call__(self, areas, count):
        self.asked.append(frozenset(areas))
        return self.catalogue.candidates(areas, count)


def week(mechanism: Mechanism, max_age: float) -> tuple[AnswerCache, Service, list[bool]]:
    """A person who asks for the two nearest stops every half an hour; whether each answer was right."""
    service, cache = Service(), AnswerCache(max_age)
    device = DeviceClient(mechanism, reports=10_000, window=DAY, source=Seeded(1), cache=cache)
    right = []
    walk = people(1, days=7, seed=3).trajectories(1800)
    for lon, lat, time in zip(walk.lon, walk.lat, walk.time, strict=True):
        found = device.nearest(lon, lat, time, service, count=2, reach=CELL)
        near = service.catalogue.candidates([ReportArea(lon, lat)], 2)[0]
        right.append(found.exact and {place.id for place in found.places} <= {place.id for place in near})
    return cache, service, right


def test_most_requests_are_answered_by_the_device_exactly_and_the_service_hears_of_groups() -> None:
    cache, service, right = week(CachedDummies(5, GRID), DAY)
    assert all(right)
    assert cache.hits + cache.misses == len(right) == 336
    assert cache.misses == len(service.asked)
    assert cache.hit_ratio > 0.85
    groups = set(service.asked)
    assert sum(map(len, groups)) == len(frozenset().union(*groups))  # a cell is in one group
    assert len(service.asked) > len(groups)  # answers that are too old are asked for again, with the same cells


def test_dummies_that_change_show_the_place_to_which_a_person_returns() -> None:
    cache, service, right = week(Dummies(5, GRID), DAY)
    assert all(right)
    assert cache.hit_ratio > 0.5
    assert max(len(one & other) for n, one in enumerate(service.asked) for other in service.asked[:n]) < 5


def test_answers_serve_their_area_their_number_and_their_age() -> None:
    cache = AnswerCache(100.0)
    cache.add([ReportArea(-38.5, -3.7, 300.0)], [["a", "b"]], 50.0, 2)
    assert cache.find(-38.501, -3.7, 60.0, 2) == ["a", "b"]
    assert cache.find(-38.501, -3.7, 60.0, 3) is None  # more places than were asked for
    assert cache.find(-38.51, -3.7, 60.0, 1) is None  # another area
    assert cache.find(-38.501, -3.7, 151.0, 1) is None  # too old
    assert cache.find(-38.501, -3.7, 49.0, 1) is None  # a clock that was set back
    assert (cache.hits, cache.misses) == (1, 4)
    cache.add([ReportArea(-38.5, -3.7, 300.0)], [["c"]], 60.0, 1)
    assert (len(cache), cache.find(-38.5, -3.7, 60.0, 1)) == (1, ["c"])
    cache.add([ReportArea(0, 0)], [["d"]], 500.0, 1)
    assert len(cache) == 1


@pytest.mark.parametrize("option", ["max_age", "most"])
def test_senseless_limits_are_refused(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        AnswerCache(**{"max_age": 60.0, option: 0})
