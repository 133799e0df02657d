"""Cloaks that are cells of a quad-tree."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.crowds import Casper, QuadTree
from cobogo.locate.crowds.cells import LEVELS, area, cells
from cobogo.locate.places.points import Points
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
