"""The trusted anonymizer: positions in, cloaks out; who must wait, who is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import DataError, NoSolution
from cobogo.locate.anonymizer import cloaking as anonymizer_module
from cobogo.locate.anonymizer.cliques import Gatherer
from cobogo.locate.anonymizer.cloaking import Anonymizer, Demand, RequestOutcome, WaitingRequest
from cobogo.locate.crowds import Casper, CliqueCloak, Cloak, Hilbert, NearestNeighbours, QuadTree
from support.effort import examples

pytestmark = pytest.mark.slow


def city(method: Cloak, people: int = 40, **options: float) -> Anonymizer:
    anonymizer = Anonymizer(method, **options)
    rng = np.random.default_rng(1)
    for number, (east, north) in enumerate(rng.normal(size=(people, 2)) * 0.01):
        anonymizer.update(f"p{number}", -38.5 + east, -3.7 + north, float(number) / people)
    return anonymizer


@pytest.mark.parametrize("method", [QuadTree(5), Hilbert(5), NearestNeighbours(5)], ids=lambda method: method.name)
def test_a_cloak_holds_k_people_who_were_heard_of_lately(method: Cloak) -> None:
    anonymizer = city(method)
    region = anonymizer.cloak("p7", 2.0)
    assert region.people >= 5
    assert anonymizer.cloak("p7", 2.0, Demand(12)).people >= 12
    assert anonymizer.cloak("p7", 2.0, Demand(5, min_area=1e6)).area >= 1e6 * (1 - 1e-9)
    with pytest.raises(NoSolution, match="only 40 people, and k = 41"):
        anonymizer.cloak("p7", 2.0, Demand(41))
    with pytest.raises(DataError, match="sent no position lately"):
        anonymizer.cloak("p7", 2000.0)
    with pytest.raises(DataError, match="sent no position lately"):
        anonymizer.cloak("nobody", 2.0)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([QuadTree(3), QuadTree(3, reciprocal=True), Hilbert(3), Casper(3)]))
def test_whatever_happens_a_cloak_holds_its_owner_and_k_people_who_are_about(seed: int, method: Cloak) -> None:
    rng = np.random.default_rng(seed)
    anonymizer, at, now = Anonymizer(method, max_age=50, tick=5), {}, 0.0
    for _ in range(120):
        now += float(rng.exponential(1.0))
        who = f"p{rng.integers(0, 12)}"
        if rng.random() < 0.6:
            at[who] = (*(rng.normal(size=2) * 0.01).tolist(), now)
            anonymizer.update(who, *at[who])
        elif rng.random() < 0.1 and who in at:
            anonymizer.forget(who)
            del at[who]
        elif who in at and at[who][2] >= now - 50:
            k = int(rng.integers(2, 5))
            fresh = sum(1 for _, _, time in at.values() if time >= now - 50)
            try:
                region = anonymizer.cloak(who, now, Demand(k))
            except NoSolution:
                assert fresh < k
                continue
            west, south, east, north = region.box
            assert west <= at[who][0] <= east
            assert south <= at[who][1] <= north
            assert region.people >= k


def test_one_who_reports_often_is_one_person() -> None:
    anonymizer = Anonymizer(QuadTree(2))
    for second in range(20):
        anonymizer.update("ana", -38.5, -3.7, second)
    with pytest.raises(NoSolution):
        anonymizer.cloak("ana", 20.0)


def test_those_of_a_crowd_get_the_same_cloak_within_a_tick_and_a_new_one_where_they_left_it() -> None:
    anonymizer = city(Hilbert(5), tick=10)
    first = {f"p{n}": anonymizer.cloak(f"p{n}", 2.0).box for n in range(40)}
    sizes = [list(first.values()).count(box) for box in first.values()]
    assert min(sizes) >= 5
    anonymizer.update("p3", -38.9, -3.9, 3.0)
    assert anonymizer.cloak("p4", 4.0).box == first["p4"]
    moved = anonymizer.cloak("p3", 4.0)
    assert moved.box[0] <= -38.9 <= moved.box[2]


def test_a_late_report_moves_nobody() -> None:
    anonymizer = city(QuadTree(2))
    before = anonymizer.cloak("p1", 2.0).box
    anonymizer.update("p1", 100.0, 50.0, -5.0)
    assert anonymizer.cloak("p1", 500.0).box == before


def test_a_request_waits_until_enough_were_seen_about_there() -> None:
    anonymizer = Anonymizer(QuadTree(3))
    small = Demand(3, max_area=1e5, max_wait=60)
    anonymizer.update("ana", -38.5, -3.7, 0)
    anonymizer.update("far", 10.0, 50.0, 0)
    anonymizer.update("off", 11.0, 50.0, 0)
    held = anonymizer.ask("ana", 1.0, small)
    assert isinstance(held, WaitingRequest)
    assert anonymizer.settle(5.0) == []
    anonymizer.update("bia", -38.5001, -3.7001, 10)
    anonymizer.update("bia", -38.6, -3.8, 20)  # she passed by
    assert anonymizer.settle(21.0) == []
    anonymizer.update("caio", -38.50005, -3.70005, 30)
    (outcome,) = anonymizer.settle(31.0)
    assert outcome.ticket == held.ticket
    assert outcome.region is not None
    assert (outcome.region.since, outcome.region.until) == (1.0, 31.0)
    assert outcome.region.people == 3
    assert outcome.region.area <= 1e5
    assert anonymizer.waiting == 0


def test_a_request_that_waited_in_vain_is_refused() -> None:
    anonymizer = Anonymizer(QuadTree(3))
    anonymizer.update("ana", -38.5, -3.7, 0)
    assert isinstance(anonymizer.ask("ana", 0.0, Demand(3, max_wait=10)), WaitingRequest)
    assert anonymizer.settle(9.0) == []
    (outcome,) = anonymizer.settle(10.0)
    assert outcome.region is None
    assert anonymizer.ask("ana", 11.0, Demand(3)) == RequestOutcome(2, "ana", None)


def test_who_leaves_is_forgotten() -> None:
    anonymizer = city(QuadTree(40))
    anonymizer.cloak("p1", 2.0)
    anonymizer.ask("p2", 2.0, Demand(50, max_wait=100))
    anonymizer.forget("p2")
    assert anonymizer.waiting == 0
    assert 2 not in set(anonymizer.reports_between(-1, 100).user.tolist())  # type: ignore[union-attr]
    with pytest.raises(NoSolution):
        anonymizer.cloak("p1", 2.1)


def test_who_comes_after_one_who_left_is_somebody_else() -> None:
    anonymizer = Anonymizer(QuadTree(2))
    anonymizer.update("ana", -38.5, -3.7, 0)
    anonymizer.update("bia", -38.5, -3.7, 0)
    anonymizer.forget("bia")
    anonymizer.update("caio", 10.0, 50.0, 1)
    assert anonymizer.number("caio") == 1
    assert anonymizer.place("caio", 1.0) == (10.0, 50.0)
    assert len(anonymizer.reports_between(0, 5)) == 2
    with pytest.raises(DataError):
        anonymizer.place("bia", 1.0)


def test_nobody_waits_twice() -> None:
    anonymizer = Anonymizer(QuadTree(3))
    anonymizer.update("ana", -38.5, -3.7, 0)
    anonymizer.ask("ana", 0.0, Demand(3, max_wait=10))
    with pytest.raises(NoSolution, match="is already waiting"):
        anonymizer.ask("ana", 1.0, Demand(3, max_wait=10))


def test_nobody_s_last_report_outlives_the_memory() -> None:
    anonymizer = Anonymizer(QuadTree(2), memory=100.0)
    anonymizer.update("ana", -38.5, -3.7, 0.0)
    anonymizer.update("bia", -38.5, -3.7, 90.0)
    anonymizer.expire(101.0)
    assert anonymizer.people == 1
    assert len(anonymizer.reports_between(-np.inf, np.inf)) == 1
    anonymizer.update("caio", -38.5, -3.7, 200.0)  # as time goes on, it is done by itself
    assert anonymizer.people == 1
    anonymizer.update("davi", -38.6, -3.7, 200.0)
    assert anonymizer.place("caio", 200.0) == (-38.5, -3.7)


@pytest.mark.parametrize("method", [QuadTree(2), CliqueCloak(2)], ids=["quad-tree", "clique"])
def test_no_picture_and_no_request_outlives_its_moment(method: Cloak) -> None:
    crowd = Gatherer(method) if isinstance(method, CliqueCloak) else Anonymizer(method)
    for who in ("ana", "bia"):
        crowd.update(who, -38.5, -3.7, 0.0)
    if not isinstance(method, CliqueCloak):
        crowd.cloak("ana", 1.0)
    assert isinstance(crowd.ask("ana", 1.0, Demand(3, max_wait=10.0)), WaitingRequest)
    crowd.update("ana", -38.6, -3.7, 200.0)
    crowd.update("bia", -38.6, -3.7, 200.0)
    assert not crowd._cloaks
    assert crowd.waiting == 0
    crowd.ask("ana", 201.0, Demand(2, max_wait=10.0))


def test_who_was_forgotten_while_a_picture_was_drawn_is_in_none() -> None:
    crowd = city(QuadTree(2))
    sketch = crowd.cloak_task("p1", 2.0, crowd.demand())
    assert sketch is not None
    picture = sketch.compute()
    crowd.forget("p2")
    crowd.keep_cloaks(sketch, picture)
    assert not crowd._cloaks
    assert crowd.cloak("p1", 2.0).people >= 2


def test_few_pictures_are_kept_and_few_requests_looked_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = city(QuadTree(2))
    for area in range(50):
        crowd.cloak("p1", 2.0, Demand(2, min_area=float(area)))
    assert len(crowd._cloaks) == anonymizer_module.KEPT_CLOAKS
    monkeypatch.setattr(anonymizer_module, "WORK", 3 * crowd._records.size)
    monkeypatch.setattr(anonymizer_module, "WAITING", 10)
    for person in range(10):
        crowd.ask(f"p{person}", 2.0, Demand(41, max_wait=10.0 + person))
    with pytest.raises(NoSolution, match="10 requests are already waiting"):
        crowd.ask("p10", 2.0, Demand(41, max_wait=10.0))
    turns = [[look.request.user for look in crowd.region_tasks(3.0)] for _ in range(4)]
    assert turns[:3] == [["p0", "p1", "p2"], ["p3", "p4", "p5"], ["p6", "p7", "p8"]]
    assert turns[3][0] == "p9"
    assert next(look.request.user for look in crowd.region_tasks(12.5)) == "p0"  # whose patience ends comes first
    assert [outcome.user for outcome in crowd.conclude(40.0, {})] != []
    assert crowd.waiting == 0
