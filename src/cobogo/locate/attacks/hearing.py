"""What an attacker sees of a report: all its positions, or its region.

The middle of a set of dummies is a place where nobody is, while the true position is in every set, exactly. Attacks
therefore use the members of sets and the edges of regions, never their middles.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.attacks.base import Scene
from cobogo.locate.attacks.inference import Likelihood
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.places.geometry import Frame, distance, wrap
from cobogo.locate.places.points import Points

SPOT = 25.0
"""Metres within which exact positions are of one spot: the error of GPS."""

ROUNDS = 60

SLIGHTLY = 1e-6
"""The weight of the distance to the middle of a region: it breaks ties between regions that hold a place."""


def sent_positions(released: Released) -> tuple[Points, Ints]:
    """All positions of all reports, and the report of each; of a region, its middle."""
    if released.members is None or released.report is None:
        return released.points, np.arange(len(released.points))
    return released.members, released.report


def metres_to(released: Released, rows: Ints, points: Points) -> Floats:
    """Metres from each point to a report: to the nearest of its positions, or to its region."""
    middle = released.points
    if released.box is not None:
        west, south, east, north = (side[rows] for side in released.box)
        width = np.where(east - west >= 360, 360.0, (east - west) % 360)
        centre = west + width / 2
        lon = centre + np.clip(wrap(points.lon - centre), -width / 2, width / 2)
        outside = distance(points.lon, points.lat, lon, np.clip(points.lat, south, north))
        return np.asarray(outside + SLIGHTLY * distance(points.lon, points.lat, middle.lon[rows], middle.lat[rows]))
    if released.members is None or released.report is None:
        return distance(points.lon, points.lat, middle.lon[rows], middle.lat[rows])
    starts = np.searchsorted(released.report, np.arange(len(middle) + 1))
    first, last = starts[rows], starts[rows + 1] - 1
    nearest = np.full(len(rows), np.inf)
    for turn in range(int(np.diff(starts).max(initial=0))):
        member = np.minimum(first + turn, last)
        away = distance(points.lon, points.lat, released.members.lon[member], released.members.lat[member])
        nearest = np.minimum(nearest, away)
    return nearest


def likeliest_place(scene: Scene, rows: Ints, near: float) -> tuple[float, float]:
    """The place from which most of some reports may come: of positions, the median of the fullest spot of ``near``
    metres; of regions, the middle of what most of them have in common."""
    if scene.released.box is not None:
        return _most_covered_place(scene, rows)
    points, report = sent_positions(scene.released)
    some = points.take(np.isin(report, rows))
    frame = Frame.from_points(some.lon, some.lat)
    place = fullest_spot(*frame.metres(some.lon, some.lat), near)
    lon, lat = frame.degrees([place[0]], [place[1]])
    return float(lon[0]), float(lat[0])


def _most_covered_place(scene: Scene, rows: Ints) -> tuple[float, float]:
    law = Likelihood(scene.released, scene.grid, "box")
    held = np.isfinite(law.logs(rows))
    lost = np.flatnonzero(~held.any(axis=1))  # regions that hold no cell of the grid
    if len(lost):
        held[lost, law.metres(rows[lost]).argmin(axis=1)] = True
    votes = held.sum(axis=0)
    common = np.flatnonzero(votes == votes.max())
    weight = scene.probabilities[common] if scene.probabilities[common].any() else np.ones(len(common))
    east, north = scene.grid.metres(common)
    lon, lat = scene.grid.frame.degrees(
        [np.average(east, weights=weight)], [np.average(north, weights=weight)]
    )  # fmt: skip
    return float(lon[0]), float(lat[0])


def fullest_spot(east: Floats, north: Floats, near: float, counted: Ints | None = None) -> tuple[float, float]:
    """The geometric median of the points around the fullest block of three by three squares of ``near`` metres. The
    block is chosen by the ``counted`` points only, if given."""
    some = slice(None) if counted is None else counted
    middle = _fullest_block(east[some], north[some], near)
    close = np.hypot(east - middle[0], north - middle[1]) <= 1.5 * near
    return geometric_median(east[close], north[close]) if close.any() else middle


def _fullest_block(east: Floats, north: Floats, near: float) -> tuple[float, float]:
    column, row = np.floor(east / near).astype(np.int64), np.floor(north / near).astype(np.int64)
    column, row = column - column.min() + 1, row - row.min() + 1
    width = int(column.max()) + 2
    key = row * width + column
    steps = np.array([dy * width + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
    cells, counts = np.unique((key[:, None] + steps).ravel(), return_counts=True)
    block = np.isin(key, cells[counts.argmax()] + steps)
    return float(np.median(east[block])), float(np.median(north[block]))


def geometric_median(east: Floats, north: Floats) -> tuple[float, float]:
    """The place whose distances to all points have the least sum: for planar Laplace noise the likeliest place
    (Weiszfeld's iteration)."""
    x, y = float(np.median(east)), float(np.median(north))
    for _ in range(ROUNDS):
        weight = 1 / np.maximum(np.hypot(east - x, north - y), 1e-3)
        after = float((weight * east).sum() / weight.sum()), float((weight * north).sum() / weight.sum())
        if np.hypot(after[0] - x, after[1] - y) < 1e-3:
            return after
        x, y = after
    return x, y


def rows_by_person(user: Ints, rows: Ints | None = None) -> list[Ints]:
    """The rows of each person who has any; of ``rows`` only, if given."""
    some = np.arange(len(user)) if rows is None else rows
    order = some[np.argsort(user[some], kind="stable")]
    bounds = np.flatnonzero(np.diff(user[order], prepend=-1))
    return np.split(order, bounds[1:]) if len(order) else []


def points_of_people(places: list[tuple[float, float]], people: list[int], names: tuple[str, ...]) -> Points:
    """One point for each of some people."""
    lon = np.array([place[0] for place in places])
    lat = np.array([place[1] for place in places])
    return Points(lon, lat, None, np.array(people, dtype=np.int64), names)
