"""Cloaks that are cells of a quad-tree.

Cloaks of neighbours and of crowds along a curve.

A request that carries the positions of k people: what it hides, and what it shows.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import Casper, Cloak, CrowdPositions, Hilbert, NearestNeighbours, QuadTree
from cobogo.locate.crowds.cells import LEVELS, are_inside, area, cells
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza import people
from cobogo.studies.fortaleza.people import FIRST_MIDNIGHT
from support.effort import examples
from support.location_crowds import snapshots


def test_who_is_left_over_joins_the_crowd_with_the_largest_cell() -> None:
    town, street, village = [(-38.5, -3.7)] * 4, [(-38.3, -3.6), (-38.301, -3.6), (-38.302, -3.6)], [(-39.4, -4.3)] * 2
    points = Points.from_columns(*zip(*town, *street, *village, strict=True))
    cloaked = QuadTree(3, reciprocal=True).regions(points)
    assert Counter(cloaked.sharing(points).tolist()) == {4: 4, 5: 5}
    assert len(set(zip(*cloaked.box, strict=True))) == 2
    assert QuadTree(3).regions(points).sharing(points).min() == 2


def naive_quad(points: Points, k: int, row: int) -> tuple[float, float, float, float]:
    """Gruteser and Grunwald's own words: quarter the area while one's quarter keeps k."""
    west, south, side = -180.0, -180.0, 360.0
    assert points.user is not None
    for _ in range(LEVELS):
        half = side / 2
        left = west if points.lon[row] < west + half else west + half
        low = south if points.lat[row] < south + half or south + half == 90 else south + half
        beneath = (points.lat < low + half) | (points.lat == 90) & (low + half == 90)
        within = (points.lon >= left) & (points.lon < left + half) & (points.lat >= low) & beneath
        if len(set(points.user[within].tolist())) < k:
            break
        west, south, side = left, low, half
    return west, max(south, -90.0), west + side, min(south + side, 90.0)


@settings(max_examples=examples(25), deadline=None)
@given(points=snapshots(), k=st.integers(2, 4))
def test_the_quad_tree_is_the_one_that_its_authors_describe(points: Points, k: int) -> None:
    cloaked = QuadTree(k).regions(points)
    for row in range(len(points)):
        assert tuple(float(edge[row]) for edge in cloaked.box) == naive_quad(points, k, row)


def naive_casper(points: Points, k: int, least: float, row: int) -> tuple[float, float, float, float]:
    """From the finest cell up: the cell, else the better of its two pairs, else the cell above."""
    column, line = cells(points.lon, points.lat)
    assert points.user is not None

    def people(level: int, taken: set[tuple[int, int]]) -> int:
        shift = LEVELS - level
        rows = [i for i in range(len(points)) if (int(column[i]) >> shift, int(line[i]) >> shift) in taken]
        return len({int(points.user[i]) for i in rows})  # type: ignore[index]

    def box(level: int, taken: set[tuple[int, int]]) -> tuple[float, float, float, float]:
        side = 360 / 2**level
        xs, ys = [x for x, _ in taken], [y for _, y in taken]
        south, north = min(ys) * side - 180, (max(ys) + 1) * side - 180
        return min(xs) * side - 180, max(south, -90.0), (max(xs) + 1) * side - 180, min(north, 90.0)

    for level in range(LEVELS, -1, -1):
        x, y = int(column[row]) >> LEVELS - level, int(line[row]) >> LEVELS - level
        tried = [{(x, y)}, {(x, y), (x ^ 1, y)}, {(x, y), (x, y ^ 1)}] if level else [{(x, y)}]
        fit = [
            (people(level, taken) if number else 0, number, box(level, taken))
            for number, taken in enumerate(tried)
            if people(level, taken) >= k and float(area(tuple(map(np.asarray, box(level, taken))))) >= least  # type: ignore[arg-type]
        ]
        if fit:
            return min(fit)[2]
    raise AssertionError("the world is too small")


@settings(max_examples=10, deadline=None)
@given(points=snapshots(), k=st.integers(2, 4), least=st.sampled_from([0.0, 1e5]))
def test_the_pyramid_is_casper_s(points: Points, k: int, least: float) -> None:
    cloaked = Casper(k, least).regions(points)
    for row in range(0, len(points), 7):
        assert tuple(float(edge[row]) for edge in cloaked.box) == naive_casper(points, k, least, row)


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


def crowd(people: int, reports: int = 1, seed: int = 1) -> Points:
    draws = np.random.default_rng(seed)
    count = people * reports
    users = [f"u{number % people}" for number in range(count)]
    return Points.from_columns(draws.uniform(-38.6, -38.4, count), draws.uniform(-3.8, -3.7, count), user=users)


@settings(max_examples=30, deadline=None)
@given(people=st.integers(4, 60), k=st.integers(2, 4), reports=st.integers(1, 3), seed=st.integers(0, 99))
def test_a_request_holds_the_asker_and_others_at_their_true_positions(people, k, reports, seed):
    points = crowd(people, reports, seed)
    released = CrowdPositions(k).apply(points, Seeded(seed))
    sizes = np.bincount(released.report, minlength=len(points))
    assert (sizes >= k).all()
    own = points.take(released.report).distance(released.members) < 1.0
    assert np.bincount(released.report, own, len(points)).min() >= 1  # the asker is among them
    near = np.hypot(
        released.members.lon[:, None] - points.lon[None, :], released.members.lat[:, None] - points.lat[None, :]
    ).min(axis=1)
    assert near.max() < 1e-5  # a metre of the grid: nothing is invented


def test_everybody_of_a_crowd_sends_the_same_positions():
    points = crowd(50)
    released = CrowdPositions(5).apply(points, Seeded(1))
    sets = [
        tuple(sorted(zip(released.members.lon[own], released.members.lat[own], strict=True)))
        for own in (released.report == number for number in range(50))
    ]
    assert all(sets.count(one) >= 5 for one in sets)


def test_the_order_does_not_show_who_asked():
    points = crowd(4)
    places = [
        int(np.argmin(points.take([0] * 4).distance(released.members.take(released.report == 0))))
        for released in (CrowdPositions(4).apply(points, Seeded(seed)) for seed in range(200))
    ]
    assert np.bincount(places, minlength=4).min() > 20


def test_too_few_people_are_refused():
    with pytest.raises(NoSolution, match="only 3 people"):
        CrowdPositions(4).apply(crowd(3), Seeded(1))
    with pytest.raises(ValueError, match="at least 2"):
        CrowdPositions(1)


def test_a_request_has_the_positions_of_its_own_moment() -> None:
    """Each hour everybody is a degree further east; only three of the hours have enough people."""
    hours, people = np.repeat(np.arange(4), 5), np.tile(np.arange(5), 4)
    there = (hours != 2) | (people < 2)
    moving = Points.from_columns(
        (-40.0 + hours + people / 1000)[there],
        np.full(20, -3.7)[there],
        time=(hours * 3600.0)[there],
        user=people[there],
    )
    wanted = np.flatnonzero(people[there] < 2)  # of those two, others are only company
    answered, released = CrowdPositions(3).apply_by_span(moving, wanted, Seeded(1), every=900.0)
    hour = hours[there][wanted][answered]
    assert hour.tolist() == [0, 0, 1, 1, 3, 3]
    assert released.members is not None
    assert released.report is not None
    assert np.array_equal(np.floor(released.members.lon + 40).astype(int), hour[released.report])
    assert (np.bincount(released.report) >= 3).all()
    own = moving.take(wanted[answered])
    assert all(
        np.isclose(released.members.lon[released.report == at], own.lon[at], atol=1e-6).any() for at in range(len(own))
    )
    with pytest.raises(NoSolution):
        CrowdPositions(6).apply_by_span(moving, wanted, Seeded(1), every=900.0)
