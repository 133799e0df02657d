"""Cloaks: whoever is in them, they hold k people; and who could have been given the same one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import CLOAKS, Casper, CliqueCloak, Cloak, Cloaked, Hilbert, NearestNeighbours, QuadTree
from cobogo.locate.crowds.cells import LEVELS, area, cells, hilbert, inside, morton
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza import people

ALL = [QuadTree, Casper, Hilbert, NearestNeighbours]


@st.composite
def snapshots(draw: st.DrawFn) -> Points:
    """People about a corner of the world, the date line and the poles among them; some reported several times."""
    seed = draw(st.integers(0, 10**6))
    lon, lat = draw(st.sampled_from([(-38.5, -3.7), (180.0, 0.0), (-180.0, 60.0), (0.0, 0.0), (10.0, 89.99)]))
    spread = draw(st.sampled_from([1e-4, 1e-2, 1.0]))
    rng = np.random.default_rng(seed)
    size, people = draw(st.integers(4, 60)), draw(st.integers(4, 40))
    east, north = rng.normal(size=(2, size)) * spread
    whose = np.concatenate([np.arange(4), rng.integers(0, people, size - 4)])
    if draw(st.booleans()):
        east, north = np.round(east / spread) * spread, np.round(north / spread) * spread  # many at one place
    return Points.of(lon + east, np.clip(lat + north, -90, 90), user=whose, time=rng.permutation(size))


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
@settings(max_examples=40, deadline=None)
@given(points=snapshots(), k=st.integers(2, 4), least=st.sampled_from([0.0, 1e4, 1e7]))
def test_every_cloak_holds_its_owner_k_people_and_the_minimum_area(
    kind: type[Cloak], points: Points, k: int, least: float
) -> None:
    cloaked = kind(k, least).regions(points)
    kept = ~cloaked.refused
    assert inside(cloaked.box, points.lon, points.lat)[kept].all()
    assert (cloaked.area[kept] >= least * (1 - 1e-9)).all()
    for row in np.flatnonzero(kept):
        box = tuple(float(edge[row]) for edge in cloaked.box)
        assert counted(box, points) >= k  # type: ignore[arg-type]
    if not least:
        assert kept.all()


@settings(max_examples=40, deadline=None)
@given(points=snapshots(), k=st.integers(2, 4), least=st.sampled_from([0.0, 1e6]))
@pytest.mark.parametrize("cloak", [Hilbert(2), QuadTree(2, reciprocal=True)], ids=["hilbert", "reciprocal quad-tree"])
def test_a_reciprocal_cloak_is_shared_by_k(cloak: Cloak, points: Points, k: int, least: float) -> None:
    from dataclasses import replace

    cloaked = replace(cloak, k=k, min_area=least).regions(points)
    assert (cloaked.sharing(points)[~cloaked.refused] >= k).all()


@given(points=snapshots())
@settings(max_examples=20, deadline=None)
def test_people_are_counted_from_the_rectangles_alone(points: Points) -> None:
    cloaked = QuadTree(3).regions(points)
    expected = [counted(tuple(float(e[row]) for e in cloaked.box), points) for row in range(len(points))]  # type: ignore[arg-type]
    assert cloaked.people(points).tolist() == expected
    assert [cloaked.people_in(row, points) for row in range(len(points))] == expected


def test_who_is_left_over_joins_the_crowd_with_the_largest_cell() -> None:
    town, street, village = [(-38.5, -3.7)] * 4, [(-38.3, -3.6), (-38.301, -3.6), (-38.302, -3.6)], [(-39.4, -4.3)] * 2
    points = Points.of(*zip(*town, *street, *village, strict=True))
    cloaked = QuadTree(3, reciprocal=True).regions(points)
    assert Counter(cloaked.sharing(points).tolist()) == {4: 4, 5: 5}
    assert len(set(zip(*cloaked.box, strict=True))) == 2
    assert QuadTree(3).regions(points).sharing(points).min() == 2


def test_crowds_along_the_curve_have_k_people_and_the_last_one_less_than_twice_as_many() -> None:
    rng = np.random.default_rng(3)
    points = Points.of(rng.normal(-38.5, 0.1, 1003), rng.normal(-3.7, 0.1, 1003))
    for spare, sizes in ((0, {10: 99, 13: 1}), (2, {12: 82, 19: 1})):
        cloaked = Hilbert(10, spare=spare).regions(points)
        assert Counter(Counter(zip(*cloaked.box, strict=True)).values()) == sizes
    assert Hilbert(10).regions(points.take(slice(0, 11))).sharing(points.take(slice(0, 11))).tolist() == [11] * 11


@pytest.mark.parametrize("k", [2, 5, 10, 20])
def test_askers_are_no_nearer_to_the_edge_than_anybody_in_the_cloak_would_be(k: int) -> None:
    """An attacker who knows nobody looks at the rim in vain. Of a person anywhere in a rectangle, the distance to the
    nearest side, as a share of half the rectangle's width, is uniform about: a tenth of it holds a fifth of all."""
    rng = np.random.default_rng(k)
    points = Points.of(rng.uniform(-38.6, -38.4, 3000), rng.uniform(-3.85, -3.65, 3000), time=rng.uniform(0, 300, 3000))
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
    points = Points.of(
        np.concatenate([-38.5 + room, 139.7 + room]), np.concatenate([-3.7 + room, 35.7 + room]), time=np.zeros(20)
    )
    cloaked = kind(5, 1e6).regions(points)
    assert not cloaked.refused.any()
    assert (cloaked.area >= 1e6).all()
    assert np.median(cloaked.area) < 1e7


def test_there_are_still_k_when_positions_are_a_minute_old() -> None:
    """3,000 people at eight in the morning, the same ones each time."""
    crowd = people(3000, days=1).trajectories(60)
    assert crowd.time is not None
    moments = np.unique(crowd.time)[[480, 481]]
    then, now = (crowd.take(crowd.time == moment) for moment in moments)
    for k in (5, 10, 20):
        assert (Hilbert(k).regions(then).people(now) < k).mean() < 0.02


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


@settings(max_examples=25, deadline=None)
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


def test_a_hilbert_curve_passes_every_cell_once_and_goes_to_a_neighbour() -> None:
    levels = 5
    column, row = (part.ravel().astype(np.int64) for part in np.meshgrid(np.arange(32), np.arange(32)))
    codes = hilbert(column, row, levels)
    order = np.argsort(codes)
    assert np.array_equal(codes[order], np.arange(1024))
    assert (np.abs(np.diff(column[order])) + np.abs(np.diff(row[order])) == 1).all()


def test_the_cells_of_every_level_are_prefixes_of_the_code() -> None:
    rng = np.random.default_rng(5)
    column, row = rng.integers(0, 2**LEVELS, (2, 300))
    codes = morton(column, row)
    for level in (0, 7, LEVELS):
        cell = codes >> 2 * (LEVELS - level)
        same = set(zip(column >> LEVELS - level, row >> LEVELS - level, strict=True))
        assert len(set(cell.tolist())) == len(same)


def test_who_is_nearest_to_the_centre_gives_neighbours_away_and_crowds_do_not() -> None:
    """The centre-of-cloak attack: with k = 10 a guess among those in the cloak is right in one case of ten or fewer."""
    rng = np.random.default_rng(9)
    points = Points.of(rng.uniform(-38.6, -38.4, 2000), rng.uniform(-3.8, -3.6, 2000))

    def caught(cloak: Cloak) -> float:
        middle = cloak.apply(points, Seeded(1)).points
        box = cloak.regions(points).box
        right = 0
        for row in range(400):
            within = np.flatnonzero(inside(tuple(e[row] for e in box), points.lon, points.lat))  # type: ignore[arg-type]
            gaps = distance(points.lon[within], points.lat[within], middle.lon[row], middle.lat[row])
            right += int(within[np.argmin(gaps)] == row)
        return right / 400

    assert caught(NearestNeighbours(10)) > 0.3
    assert caught(Hilbert(10)) < 0.2


def test_too_few_people_are_refused_and_one_person_many_times_is_one_person() -> None:
    points = Points.of([-38.5] * 6, [-3.7] * 6, user=["ana"] * 5 + ["bia"])
    for kind in ALL:
        with pytest.raises(NoSolution, match="only 2 people to hide among"):
            kind(3).regions(points)


def test_what_is_released_is_the_rectangle_and_its_middle() -> None:
    points = Points.of([179.9999, -179.9999, 179.9998], [0.001, -0.001, 0.0])
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
        assert "5 people or more" in str(weak.guarantee)
    assert "centre" in NearestNeighbours(5).guarantee.note


def test_an_empty_snapshot_has_no_cloaks() -> None:
    for kind in CLOAKS.values():
        assert isinstance(kind(2).regions(Points.of([], [], time=[])), Cloaked)


@pytest.mark.parametrize("kind", ALL)
def test_options_out_of_range_are_named(kind: type[Cloak]) -> None:
    with pytest.raises(ValueError, match="'k' parameter"):
        kind(1)
    with pytest.raises(ValueError, match="'min_area' parameter"):
        kind(2, -1.0)
