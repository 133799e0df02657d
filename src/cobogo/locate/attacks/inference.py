"""What an attacker sees of a report, and believes after it who knows the mechanism: Bayes' rule, and the best guess.

Of a report all positions are seen, or the region. The middle of a set of dummies is a place where nobody is, while the
true position is in every set, exactly. Attacks therefore use the members of sets and the edges of regions, never their
middles.

Pr(x | z) ∝ π(x) · f(z | x). The likelihood f is exact where the mechanism's law is known (planar Laplace: f(z | x) ∝
exp(−ε d); a table over a grid: its entries; regions and sets: all that lies in them is equally likely). Any other
mechanism is run on the attacker's own points, from which they learn how far reports fall from the truth.

Beliefs of many reports are worked through in blocks, so that memory stays small whatever their number; expected
distances are convolutions on the grid, so that no matrix of all pairs of cells is made.

Reference: Shokri, Theodorakopoulos, Le Boudec & Hubaux 2011, "Quantifying location privacy".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Entropy, Source, below
from cobogo.locate.attacks.base import Ground, Scene, Spots
from cobogo.locate.mechanisms.base import Mechanism, Released
from cobogo.locate.mechanisms.discrete import Discrete
from cobogo.locate.places.geometry import Frame, distance, wrap
from cobogo.locate.places.grid import Grid
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


TRIALS = 20_000
"""Points on which a mechanism is tried to learn its law."""

BINS = 60
"""Bins of the learned law: 300 trials and more in each."""

Law = Literal["laplace", "disc", "box", "set", "table", "learned"]


@dataclass(frozen=True, eq=False)
class Likelihood:
    """log f(z | x) of reports over the cells of a grid, a block at a time."""

    released: Released
    grid: Ground
    law: Law
    epsilon: float = 0.0
    edges: Floats | None = None  # of a learned law: metres
    heights: Floats | None = None  # of a learned law: the logarithm of the density within them
    table: Discrete | None = None  # of a law that is a table over the cells of a grid of its own

    @property
    def count(self) -> int:
        """How many reports there are."""
        return len(self.released.points)

    def logs(self, rows: slice | Ints) -> Floats:
        """One row for each report, one column for each cell."""
        match self.law:
            case "box":
                return self._inside_box(rows)
            case "set":
                return self._members(rows)
            case "table":
                return self._from_table(rows)
        metres = self.metres(rows)
        if self.law == "laplace":
            metres *= -self.epsilon
            return metres
        if self.law == "disc":
            assert self.released.radius is not None
            return np.where(metres <= self.released.radius[rows, None], 0.0, -np.inf)
        assert self.edges is not None
        assert self.heights is not None
        place = np.clip(np.searchsorted(self.edges, metres, side="right") - 1, 0, len(self.heights) - 1)
        return np.asarray(self.heights[place])

    def metres(self, rows: slice | Ints) -> Floats:
        """From reports to the centres of cells, in the grid's own frame."""
        east, north = self.grid.metres()
        there = self.grid.frame.metres(self.released.points.lon[rows], self.released.points.lat[rows])
        return np.hypot(there[0][:, None] - east, there[1][:, None] - north)

    def nearness(self, rows: slice | Ints) -> Floats:
        """The log-likelihood for an attacker who only knows that a report is near the truth: for reports that the law
        makes impossible in every cell."""
        return self.metres(rows) * (-8 / self.grid.size)

    def _inside_box(self, rows: slice | Ints) -> Floats:
        assert self.released.box is not None
        west, south, east, north = (side[rows] for side in self.released.box)
        left, bottom = self.grid.frame.metres(west, south)
        right, top = self.grid.frame.metres(east, north)
        x, y = self.grid.metres()
        inside = (x >= left[:, None]) & (x <= right[:, None]) & (y >= bottom[:, None]) & (y <= top[:, None])
        return np.where(inside, 0.0, -np.inf)

    def _from_table(self, rows: slice | Ints) -> Floats:
        assert self.table is not None
        reports = self.released.points
        true = self.table.grid.nearest_cell(*self.grid.centres())
        told = self.table.grid.nearest_cell(reports.lon[rows], reports.lat[rows])
        with np.errstate(divide="ignore"):
            return np.log(self.table.matrix[:, told].T[:, true])

    def _members(self, rows: slice | Ints) -> Floats:
        members, report = self.released.members, self.released.report
        assert members is not None
        assert report is not None
        numbers = np.arange(self.count)[rows]
        place = np.full(self.count, -1)
        place[numbers] = np.arange(len(numbers))
        some = members.take(place[report] >= 0)
        cells = self.grid.nearest_cell(some.lon, some.lat)
        east, north = self.grid.metres(cells)
        x, y = self.grid.frame.metres(some.lon, some.lat)
        beyond = np.maximum(
            np.hypot(x - east, y - north) / self.grid.size - 1, 0
        )  # positions where nobody was ever seen
        counts = np.zeros((len(numbers), self.grid.cells))
        np.add.at(counts, (place[report[place[report] >= 0]], cells), np.exp(-np.minimum(beyond, 50.0)))
        with np.errstate(divide="ignore"):
            return np.log(counts)


def likelihood_of(
    released: Released, grid: Ground, mechanism: Mechanism | None, movements: Points | None = None
) -> Likelihood:
    """The law of reports, as far as the attacker can know it. Where it must be learned, the mechanism is tried on
    ``movements``, or on points all over the grid."""
    if released.box is not None:
        return Likelihood(released, grid, "box")
    if released.members is not None:
        return Likelihood(released, grid, "set")
    if released.radius is not None and mechanism is None:
        return Likelihood(released, grid, "disc")  # with the mechanism, the distance from the middle is learned
    if mechanism is not None and mechanism.name == "planar-laplace" and mechanism.guarantee.epsilon:
        return Likelihood(released, grid, "laplace", mechanism.guarantee.epsilon)
    if isinstance(mechanism, Discrete):
        return Likelihood(released, grid, "table", table=mechanism)
    if mechanism is None:
        return Likelihood(released, grid, "laplace", 4 / grid.size)  # all that is known: the truth is near
    return learn_likelihood(released, grid, mechanism, Entropy(), movements)


def learn_likelihood(
    released: Released, grid: Ground, mechanism: Mechanism, source: Source, movements: Points | None = None
) -> Likelihood:
    """The law of the distance from the centre of a cell to a report, learned by trying the mechanism."""
    tried = movements if movements is not None and len(movements) else _all_over(grid, source)
    east, north = grid.metres(grid.nearest_cell(tried.lon, tried.lat))
    reported = mechanism.apply(tried, source).points
    there = grid.frame.metres(reported.lon, reported.lat)
    metres = np.hypot(there[0] - east, there[1] - north)
    edges = np.unique(np.quantile(metres, np.linspace(0, 1, BINS + 1)))
    edges = edges if len(edges) > 1 else np.append(edges, edges + 1.0)
    edges[0] = 0.0
    inside = np.histogram(metres, edges)[0] + 0.5
    area = np.pi * np.diff(edges**2)
    beyond = np.log(0.5 / (area[-1] + 1.0) / len(tried))
    heights = np.append(np.log(inside / area / len(tried)), beyond - 5)
    return Likelihood(released, grid, "learned", edges=edges, heights=heights)


def _all_over(grid: Ground, source: Source) -> Points:
    """Points in all cells, of people who report once."""
    east, north = grid.metres(np.arange(TRIALS) * 7919 % grid.cells)
    aside = (below(1 << 20, 2 * TRIALS, source).reshape(2, TRIALS) / (1 << 20) - 0.5) * grid.size
    lon, lat = grid.frame.degrees(east + aside[0], north + aside[1])
    return Points(lon, lat, np.arange(TRIALS, dtype=np.float64) * 3600.0, np.arange(TRIALS))


How = Literal["map", "median", "mean"]

NUMBERS = 1 << 21
"""Numbers of a block of beliefs: 16 MB."""


def prior_of(points: Points, grid: Ground, smoothing: float = 1.0) -> Floats:
    """The share of visits to each cell of a grid, with ``smoothing`` visits spread over all cells; sums to 1.

    >>> grid = Grid.from_bounds(0, 0, 0.02, 0.01, size=1112)
    >>> prior_of(Points.from_columns([0.005, 0.005, 0.015], [0.005] * 3), grid, smoothing=0).round(3).tolist()
    [0.667, 0.333]
    """
    cells = grid.cell_of(points.lon, points.lat)
    counts = np.bincount(cells[cells >= 0], minlength=grid.cells) + smoothing / grid.cells
    total = counts.sum()
    return np.asarray(counts / total if total else np.full(grid.cells, 1 / grid.cells), dtype=np.float64)


def blocks(count: int, cells: int) -> Iterator[slice]:
    """Slices of rows whose beliefs have `NUMBERS` entries at most."""
    size = max(NUMBERS // max(cells, 1), 1)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def beliefs(likelihood: Likelihood, prior: Floats, rows: slice | Ints) -> Floats:
    """Pr(x | z) for some reports: one row each, one column for each cell. Where a report is impossible in every cell
    (such as a region smaller than a cell), the cells nearest to it are taken."""
    with np.errstate(divide="ignore"):
        logs = likelihood.logs(rows) + np.log(prior)
    best = logs.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best[:, 0])
    if lost.any():
        logs[lost] = likelihood.nearness(rows)[lost]
        best = logs.max(axis=1, keepdims=True)
    probabilities = np.exp(logs - best)
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True), dtype=np.float64)


def posterior(likelihood: Likelihood, prior: Floats) -> Floats:
    """The beliefs of all reports at once: for few reports."""
    return np.concatenate(
        [beliefs(likelihood, prior, rows) for rows in blocks(likelihood.count, len(prior))]
        or [np.empty((0, len(prior)))]
    )


def expected_distances(probabilities: Floats, grid: Ground) -> Floats:
    """Σ_x Pr(x) d(x, y) for every cell y, for each row: on a whole grid a convolution with its distances."""
    if isinstance(grid, Spots):
        return np.asarray(probabilities @ grid.apart, dtype=np.float64)
    from scipy import fft

    shape = tuple(fft.next_fast_len(2 * side - 1, real=True) for side in (grid.rows, grid.columns))
    north, east = (np.minimum(np.arange(side), side - np.arange(side)) * grid.size for side in shape)
    kernel = fft.rfft2(np.hypot(north[:, None], east))
    images = fft.rfft2(probabilities.reshape(-1, grid.rows, grid.columns), s=shape)
    images *= kernel
    spread = fft.irfft2(images, s=shape)[:, : grid.rows, : grid.columns]
    return np.asarray(spread.reshape(len(probabilities), grid.cells), dtype=np.float64)


def guess(probabilities: Floats, grid: Ground, how: How = "median") -> tuple[Floats, Floats]:
    """The attacker's best guess in longitudes and latitudes: the likeliest cell (``map``), the cell from which the
    expected distance is least (``median``), or the mean place, whose squared distance is least (``mean``)."""
    if how == "mean":
        east, north = grid.metres()
        return grid.frame.degrees(probabilities @ east, probabilities @ north)
    if how == "map":
        return grid.centres(probabilities.argmax(axis=1))
    size = max(len(probabilities) // 8, 256)  # transforms need several times the memory of their input
    cells = [
        expected_distances(probabilities[start : start + size], grid).argmin(axis=1)
        for start in range(0, len(probabilities), size)
    ]
    return grid.centres(np.concatenate(cells) if cells else np.empty(0, dtype=np.int64))


def grid_for(points: Points, cells: int = 2500) -> Grid:
    """A grid of about so many cells over points and a margin around them: for attacks, never for a release."""
    east, north = points.frame.metres(points.lon, points.lat)
    width = float(np.ptp(east)) if len(points) else 0.0
    height = float(np.ptp(north)) if len(points) else 0.0
    size = max(float(np.sqrt(max(width, 500.0) * max(height, 500.0) * 1.2 / cells)), 10.0)
    west, south = points.frame.degrees(east.min() - size, north.min() - size)
    right, top = points.frame.degrees(east.max() + size, north.max() + size)
    return Grid.from_bounds(float(west), float(south), float(right), float(top), size=size)
