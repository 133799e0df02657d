"""Every cloak keeps the contract."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import CLOAKS, Casper, CliqueCloak, Cloak, Cloaked, Hilbert, NearestNeighbours, QuadTree
from cobogo.locate.crowds.base import cloak_by_span
from cobogo.locate.crowds.cells import are_inside
from cobogo.locate.places.points import Points
from support.effort import examples
from support.location_crowds import snapshots

ALL = [QuadTree, Casper, Hilbert, NearestNeighbours]


def counted(box: tuple[float, float, float, float], points: Points) -> int:
    """People in a rectangle, one by one."""
    west, south, east, north = box
    assert points.user is not None
    found = set()
    for lon, lat, user in zip(points.lon, points.lat, points.user, strict=True):
        across = west <= lon <= east if west <= east else lon >= west or lon <= east
        across = across or (lon == -180 and east == 180)  # one meridian, two names
        if across and south <= lat <= north:
            found.add(int(user))
    return len(found)


@pytest.mark.parametrize("kind", ALL)
@settings(max_examples=examples(40), deadline=None)
@given(points=snapshots(), k=st.integers(2, 4), least=st.sampled_from([0.0, 1e4, 1e7]))
def test_every_cloak_holds_its_owner_k_people_and_the_minimum_area(
    kind: type[Cloak], points: Points, k: int, least: float
) -> None:
    cloaked = kind(k, least).regions(points)
    kept = ~cloaked.refused
    assert are_inside(cloaked.box, points.lon, points.lat)[kept].all()
    assert (cloaked.area[kept] >= least * (1 - 1e-9)).all()
    for row in np.flatnonzero(kept):
        box = tuple(float(edge[row]) for edge in cloaked.box)
        assert counted(box, points) >= k  # type: ignore[arg-type]
    if not least:
        assert kept.all()


@settings(max_examples=examples(40), deadline=None)
@given(points=snapshots(), k=st.integers(2, 4), least=st.sampled_from([0.0, 1e6]))
@pytest.mark.parametrize("cloak", [Hilbert(2), QuadTree(2, reciprocal=True)], ids=["hilbert", "reciprocal quad-tree"])
def test_a_reciprocal_cloak_is_shared_by_k(cloak: Cloak, points: Points, k: int, least: float) -> None:
    from dataclasses import replace

    cloaked = replace(cloak, k=k, min_area=least).regions(points)
    assert (cloaked.sharing(points)[~cloaked.refused] >= k).all()


@given(points=snapshots())
@settings(max_examples=examples(20), deadline=None)
def test_people_are_counted_from_the_rectangles_alone(points: Points) -> None:
    cloaked = QuadTree(3).regions(points)
    expected = [counted(tuple(float(e[row]) for e in cloaked.box), points) for row in range(len(points))]  # type: ignore[arg-type]
    assert cloaked.people(points).tolist() == expected
    assert [cloaked.people_in(row, points) for row in range(len(points))] == expected


@pytest.mark.parametrize("k", [2, 5, 10, 20])
def test_askers_are_no_nearer_to_the_edge_than_anybody_in_the_cloak_would_be(k: int) -> None:
    """An attacker who knows nobody looks at the rim in vain. Of a person anywhere in a rectangle, the distance to the
    nearest side, as a share of half the rectangle's width, is uniform about: a tenth of it holds a fifth of all."""
    rng = np.random.default_rng(k)
    points = Points.from_columns(
        rng.uniform(-38.6, -38.4, 3000), rng.uniform(-3.85, -3.65, 3000), time=rng.uniform(0, 300, 3000)
    )
    for cloak in (Hilbert(k, spare=0), CliqueCloak(k, dx=3000, dy=3000, dt=300)):
        cloaked = cloak.regions(points)
        kept = ~cloaked.refused
        west, south, east, north = (edge[kept] for edge in cloaked.box)
        some = points.take(kept)
        across, up = (some.lon - west) / (east - west), (some.lat - south) / (north - south)
        rim = np.minimum(np.minimum(across, 1 - across), np.minimum(up, 1 - up)) < 0.05
        assert rim.mean() < 0.19 + 0.06, cloak.name  # anybody: 1 − 0.9²


@pytest.mark.parametrize("kind", ALL)
def test_people_in_one_room_get_the_area_that_they_ask_for(kind: type[Cloak]) -> None:
    """Cloaks widen to the minimum area and take nobody in from another continent for it."""
    room = np.linspace(0, 5e-5, 10)
    points = Points.from_columns(
        np.concatenate([-38.5 + room, 139.7 + room]), np.concatenate([-3.7 + room, 35.7 + room]), time=np.zeros(20)
    )
    cloaked = kind(5, 1e6).regions(points)
    assert not cloaked.refused.any()
    assert (cloaked.area >= 1e6).all()
    assert np.median(cloaked.area) < 1e7


def test_too_few_people_are_refused_and_one_person_many_times_is_one_person() -> None:
    points = Points.from_columns([-38.5] * 6, [-3.7] * 6, user=["ana"] * 5 + ["bia"])
    for kind in ALL:
        with pytest.raises(NoSolution, match="only 2 people, and k = 3"):
            kind(3).regions(points)


def test_what_is_released_is_the_rectangle_and_its_middle() -> None:
    points = Points.from_columns([179.9999, -179.9999, 179.9998], [0.001, -0.001, 0.0])
    released = Hilbert(3).apply(points, Seeded(1))
    assert released.box is not None
    west, _, east, _ = released.box
    assert west[0] > 179.9
    assert east[0] < -179.9
    assert abs(released.points.lon[0]) > 179.9
    assert not released.cost.any()


def test_guarantees_say_who_can_still_tell() -> None:
    assert Hilbert(5).guarantee.kind == QuadTree(5, reciprocal=True).guarantee.kind == "k-anonymity"
    for weak in (QuadTree(5), Casper(5), NearestNeighbours(5)):
        assert weak.guarantee.kind == "none"
        assert "at least 5 people" in str(weak.guarantee)
    assert "centre" in NearestNeighbours(5).guarantee.note


def test_an_empty_snapshot_has_no_cloaks() -> None:
    for kind in CLOAKS.values():
        assert isinstance(kind(2).regions(Points.from_columns([], [], time=[])), Cloaked)


@pytest.mark.parametrize("kind", ALL)
def test_options_out_of_range_are_named(kind: type[Cloak]) -> None:
    with pytest.raises(ValueError, match="'k' parameter"):
        kind(1)
    with pytest.raises(ValueError, match="'min_area' parameter"):
        kind(2, -1.0)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 1000), st.integers(2, 4), st.sampled_from([30.0, 100.0]))
def test_spans_of_time_have_crowds_of_their_own(seed: int, k: int, every: float) -> None:
    rng = np.random.default_rng(seed)
    points = Points.from_columns(
        rng.normal(-38.5, 0.01, 60),
        rng.normal(-3.7, 0.01, 60),
        time=rng.uniform(0, 300, 60),
        user=rng.integers(0, 9, 60),
    )
    assert points.time is not None
    assert points.user is not None
    cloaked = cloak_by_span(QuadTree(k), points, every=every)
    spans = np.floor(points.time / every)
    for span in np.unique(spans):
        rows = np.flatnonzero(spans == span)
        assert cloaked.refused[rows].all() == (len(set(points.user[rows].tolist())) < k)
        some = Cloaked(tuple(edge[rows] for edge in cloaked.box))  # type: ignore[arg-type]
        assert (some.people(points.take(rows))[~some.refused] >= k).all()
