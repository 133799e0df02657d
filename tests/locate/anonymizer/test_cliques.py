"""The anonymizer of the clique cloak."""

from __future__ import annotations

import pytest

from cobogo.errors import NoSolution
from cobogo.locate.anonymizer.cliques import Gatherer
from cobogo.locate.anonymizer.cloaking import Anonymizer, Demand, RequestOutcome, WaitingRequest
from cobogo.locate.crowds import CliqueCloak, Hilbert


def test_the_clique_cloak_has_a_room_of_its_own() -> None:
    with pytest.raises(ValueError, match="Gatherer"):
        Anonymizer(CliqueCloak(2))
    with pytest.raises(ValueError, match="'min_area'"):
        Demand(2, min_area=5, max_area=1)
    with pytest.raises(ValueError, match="'max_wait'"):
        Demand(2, max_wait=-1)


def test_an_anonymizer_of_requests() -> None:
    gatherer = Gatherer(CliqueCloak(3, dx=300, dy=300, dt=60))
    for name, lon in (("a", -38.5), ("b", -38.501), ("c", -38.502), ("far", -38.6)):
        gatherer.update(name, lon, -3.7, 0.0)
    first, far = gatherer.ask("a", 1.0), gatherer.ask("far", 2.0, Demand(3, max_wait=10))
    assert isinstance(first, WaitingRequest)
    assert isinstance(far, WaitingRequest)
    with pytest.raises(NoSolution, match="is already waiting"):
        gatherer.ask("a", 2.0)
    assert isinstance(gatherer.ask("b", 3.0), WaitingRequest)
    last = gatherer.ask("c", 4.0)
    assert isinstance(last, RequestOutcome)
    assert last.region is not None
    assert (last.region.people, last.region.since, last.region.until) == (3, 1.0, 4.0)
    assert {outcome.user: outcome.region for outcome in gatherer.settle(5.0)} == {"a": last.region, "b": last.region}
    assert gatherer.waiting == 1
    assert gatherer.settle(11.9) == []
    assert gatherer.settle(12.0) == [RequestOutcome(far.ticket, "far", None)]
    assert gatherer.waiting == 0


def test_a_demand_narrows_whom_a_request_goes_out_with() -> None:
    gatherer = Gatherer(CliqueCloak(2, dx=3000, dy=3000))
    for name, lon in (("a", -38.50), ("b", -38.51), ("c", -38.5003)):
        gatherer.update(name, lon, -3.7, 0.0)
    gatherer.ask("a", 1.0, Demand(2, max_area=40_000))
    assert isinstance(gatherer.ask("b", 2.0), WaitingRequest)  # too far for a
    found = gatherer.ask("c", 3.0, Demand(2, max_area=40_000))
    assert isinstance(found, RequestOutcome)
    assert found.region is not None
    assert found.region.area <= 40_000
    gatherer.forget("b")
    assert gatherer.waiting == 0
    with pytest.raises(NoSolution, match="wait for each other"):
        gatherer.cloak("a", 4.0)
    with pytest.raises(NoSolution, match="area of 0 m²"):
        gatherer.ask("a", 4.0, Demand(2, min_area=5))
    with pytest.raises(ValueError, match="must be clique"):
        Gatherer(Hilbert(2))


def test_it_computes_nothing_before_enough_requests_are_there() -> None:
    """What the server asks of any anonymizer between requests: a region for one alone, or a cloak to be kept."""
    gatherer = Gatherer(CliqueCloak(2, dx=300, dy=300, dt=60))
    for name in ("a", "b"):
        gatherer.update(name, -38.5, -3.7, 0.0)
    gatherer.ask("a", 1.0)
    assert gatherer.region_tasks(2.0) == []
    assert gatherer.cloak_task("b", 2.0, Demand(2)) is None
    assert gatherer.waiting == 1
