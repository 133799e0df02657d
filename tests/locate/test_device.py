"""Answers that a device keeps: exact, not too old, and unseen by the service.

The budget of a device, and what outlasts a restart.

The client on a device: what it spends, what it remembers, and that its answers are exact.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import BudgetSpent, DataError, OutputError
from cobogo.floor.randomness import Seeded, Source
from cobogo.locate.anonymizer.example_service import PlaceCatalogue
from cobogo.locate.crowds.cells import boxes, cells
from cobogo.locate.device import PRESETS, WITHIN_95, AnswerCache, DeviceClient, WindowLedger
from cobogo.locate.mechanisms import Adaptive, CachedDummies, Disc, Dummies, PlanarLaplace, Predictive
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, no_cost
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.reports import ReportArea
from cobogo.studies.fortaleza import people
from support.effort import examples
from support.location_device import HOME, client

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


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.floats(0, 300), st.sampled_from([0.1, 0.05, 0.2])), max_size=30))
def test_no_window_of_time_costs_more_than_the_budget(tries: list[tuple[float, float]]) -> None:
    ledger, paid = WindowLedger(0.3, window=60), []
    for time, cost in sorted(tries):
        if ledger.allows(cost, time):
            ledger.spend(cost, time)
            paid.append((time, cost))
        else:
            with pytest.raises(BudgetSpent, match="is left for this window"):
                ledger.spend(cost, time)
    for end, _ in paid:
        within = sum(round(cost * 100) for time, cost in paid if end - 60 < time <= end)
        assert within <= 30


def test_a_clock_that_goes_back_frees_nothing() -> None:
    ledger = WindowLedger(0.1, window=60)
    ledger.spend(0.1, 1000.0)
    assert ledger.amount_left(10.0) == 0
    assert ledger.amount_left(1061.0) == 0.1


def test_what_was_spent_outlives_the_process_and_is_its_owner_s_alone(tmp_path: Path) -> None:
    file = tmp_path / "device.json"
    for second in range(3):
        client(file=file).report(*HOME, float(second))
    with pytest.raises(BudgetSpent):
        client(file=file).report(*HOME, 5.0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {entry.name for entry in tmp_path.iterdir()} == {"device.json", ".device.json.lock"}


def test_two_programs_on_one_device_share_its_budget_and_its_home(tmp_path: Path) -> None:
    one, other = (client(file=tmp_path / "device.json", source=None) for _ in range(2))
    for device, second in ((one, 0.0), (other, 1.0), (one, 2.0)):
        device.report(-38.4, -3.7, second)
    for device in (one, other):
        with pytest.raises(BudgetSpent):
            device.report(-38.4, -3.7, 3.0)
    one.remember("home", *HOME)
    assert len({device.report(*HOME, 9000.0).positions for device in (one, other)}) == 1


@pytest.mark.parametrize(
    "damage", ["", "{}", "[]", '{"spent": 3, "last": null, "places": {}, "memos": {}}'], ids=range(4)
)
def test_a_damaged_memory_is_not_taken_for_an_empty_one(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "device.json"
    file.write_text(damage)
    with pytest.raises(DataError, match="damaged"):
        client(file=file)


def test_nothing_goes_out_that_could_not_be_written_down(tmp_path: Path) -> None:
    device = client(file=tmp_path / "gone" / "device.json")
    with pytest.raises(OutputError, match="cannot be written"):
        device.report(*HOME, 0.0)


def test_a_budget_that_never_binds_is_refused_and_reports_are_counted_instead() -> None:
    grid = Grid.from_bounds(-38.63, -3.88, -38.42, -3.69, size=500)
    for mechanism in (Disc(300), Dummies(5, grid)):
        with pytest.raises(ValueError, match="spends no ε"):
            DeviceClient(mechanism, budget=0.01, window=3600)
        device = DeviceClient(mechanism, reports=3, window=3600, source=Seeded(1))
        for second in range(3):
            device.report(*HOME, float(second))
        with pytest.raises(BudgetSpent, match="reports"):
            device.report(*HOME, 3.0)
        device.report(*HOME, 3700.0)
    with pytest.raises(ValueError, match="and not both"):
        DeviceClient(PlanarLaplace(0.01), budget=1, reports=5, window=60)
    careful = DeviceClient(Adaptive(0.01), budget=0.06, window=3600, source=Seeded(1))  # a report may cost 0.05
    careful.report(*HOME, 0.0)
    careful.report(*HOME, 1.0)
    with pytest.raises(BudgetSpent):
        careful.report(*HOME, 2.0)


def test_three_reports_are_paid_for_and_the_fourth_refused_or_sent_again() -> None:
    device = client()
    for second in range(3):
        assert device.report(*HOME, float(second)).fresh
    with pytest.raises(BudgetSpent):
        device.report(*HOME, 4.0)
    again = client(when_spent="resend")
    last = [again.report(*HOME, float(second)) for second in range(3)][-1]
    resent = again.report(-38.6, -3.8, 4.0)
    assert (resent.positions, resent.fresh, resent.time) == (last.positions, False, 4.0)
    assert again.report(*HOME, 3601.0).fresh


def test_home_has_one_value_for_good_and_costs_once(tmp_path: Path) -> None:
    device = client(file=tmp_path / "device.json", budget=0.01)
    device.remember("home", *HOME, radius=200)
    first = device.report(HOME[0] + 0.0005, HOME[1], 0.0)
    restarted = client(file=tmp_path / "device.json", budget=0.01, source=Seeded(99))
    restarted.remember("home", *HOME, radius=200)
    reports = {restarted.report(HOME[0], HOME[1] + 0.0004, float(second)).positions for second in range(50)}
    assert reports == {first.positions}
    assert restarted.ledger.amount_left(10.0) == 0
    restarted.remember("home", -38.6, -3.8)  # they moved
    with pytest.raises(BudgetSpent):
        restarted.report(-38.6, -3.8, 20.0)


def test_a_mechanism_that_looks_back_is_given_the_reports_before() -> None:
    device = DeviceClient(Predictive(0.01), budget=1, window=3600, source=Seeded(3))
    reports = [device.report(*HOME, float(second)).positions for second in range(20)]
    assert len(set(reports)) < 10
    assert device.ledger.amount_spent(20.0) < 20 * 0.008
    first = DeviceClient(Predictive(0.01), budget=0.012, window=3600, source=Seeded(3))
    first.report(*HOME, 0.0)
    with pytest.raises(BudgetSpent):
        first.report(*HOME, 1.0)  # it might cost 0.01, and 0.004 is left


@dataclass(frozen=True)
class Cell(Mechanism):
    """The cell of the pyramid that one is in: a stand-in for a cloak from the anonymizer."""

    name: ClassVar[str] = "cell"
    level: int = 10

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("none", note="a test")

    def apply(self, points: Points, source: Source) -> Released:
        column, row = cells(points.lon, points.lat)
        alone = np.zeros(len(points), dtype=np.int64)
        return Released(points, no_cost(points), box=boxes(column, row, np.full(len(points), self.level), alone, alone))


@dataclass(frozen=True)
class Decoys(Mechanism):
    """The truth among others."""

    name: ClassVar[str] = "decoys"
    others: int = 4

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("none", note="a test")

    def apply(self, points: Points, source: Source) -> Released:
        words = source.words(2 * self.others) / 2.0**64
        lon = np.append(words[: self.others] * 360 - 180, points.lon[0])
        lat = np.append(words[self.others :] * 180 - 90, points.lat[0])
        return Released(
            points, no_cost(points), members=Points(lon, lat), report=np.zeros(self.others + 1, dtype=np.int64)
        )


@pytest.mark.parametrize("mechanism", [Cell(2), Cell(10), Cell(18), Decoys()], ids=str)
@settings(max_examples=examples(25), deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 4))
def test_answers_are_exactly_the_nearest_after_filtering(mechanism: Mechanism, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.05, 5.0, 60.0])
    places = PlaceCatalogue.from_rows(
        [(f"p{n}", "any", *place) for n, place in enumerate(rng.uniform(-spread, spread, (40, 2)).tolist())]
    )
    lon, lat = rng.uniform(-spread, spread, 2)
    device = DeviceClient(mechanism, reports=1, window=1)
    answer = device.nearest(lon, lat, 0.0, places.candidates, count=count)
    away = distance(lon, lat, [one.lon for one in places.places], [one.lat for one in places.places])
    assert answer.exact
    assert [place.id for place in answer.places] == [places.places[row].id for row in np.argsort(away)[:count]]


def test_with_noise_the_owner_is_told_whether_the_answer_is_certain() -> None:
    rng = np.random.default_rng(1)
    places = PlaceCatalogue.from_rows(
        [(f"p{n}", "any", *place) for n, place in enumerate((rng.normal(size=(300, 2)) * 0.02).tolist())]
    )
    device = DeviceClient(PlanarLaplace(0.01), budget=10, window=1, source=Seeded(8))
    reach = PlanarLaplace(0.01).radius(0.5)
    answers = [device.nearest(0.001, 0.001, float(n), places.candidates, reach=reach) for n in range(200)]
    certain = [answer.exact for answer in answers]
    assert 60 < sum(certain) < 140
    away = distance(0.001, 0.001, [one.lon for one in places.places], [one.lat for one in places.places])
    truth = places.places[int(np.argmin(away))].id
    assert all(answer.places[0].id == truth for answer in answers if answer.exact)


def test_presets_are_as_precise_as_they_say() -> None:
    from scipy.special import lambertw

    assert pytest.approx(-(lambertw(-0.05 / np.e, -1).real + 1)) == WITHIN_95
    for preset in PRESETS.values():
        assert preset.mechanism.radius(0.95) == pytest.approx(preset.precision, rel=0.02)
        device = preset.client()
        for second in range(preset.reports):
            device.ledger.spend(preset.epsilon, second / 1000)
        assert not device.ledger.allows(preset.epsilon, 1.0)
        assert preset.why
    assert PRESETS["weather"].precision > PRESETS["recommendation"].precision > PRESETS["navigation"].precision


def test_options_out_of_range_are_named() -> None:
    with pytest.raises(ValueError, match="when_spent"):
        client(when_spent="guess")
    with pytest.raises(ValueError, match="'budget'"):
        client(budget=0)
    with pytest.raises(ValueError, match="'cost'"):
        WindowLedger(1, window=1).spend(-1, 0)
