"""How likely a report is from each cell of a grid, for an attacker who knows the mechanism.

Exact where the mechanism's law is known (planar Laplace: f(z|x) ∝ exp(−ε d); a table over a grid: what it says; regions
and sets: whatever lies in them is equally likely). For anything else the attacker does what attackers can: runs the
mechanism on points of their own and learns how far reports fall from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Entropy, Source, below
from cobogo.locate.attacks.spots import Ground
from cobogo.locate.mechanisms.base import Mechanism, Released
from cobogo.locate.mechanisms.discrete import Discrete
from cobogo.locate.places.points import Points

TRIALS = 20_000
BINS = 60

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
                return self._looked_up(rows)
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
        """Beliefs of one who only knows that a report is near the truth: for reports that have no chance anywhere."""
        return self.metres(rows) * (-8 / self.grid.size)

    def _inside_box(self, rows: slice | Ints) -> Floats:
        assert self.released.box is not None
        west, south, east, north = (side[rows] for side in self.released.box)
        left, bottom = self.grid.frame.metres(west, south)
        right, top = self.grid.frame.metres(east, north)
        x, y = self.grid.metres()
        inside = (x >= left[:, None]) & (x <= right[:, None]) & (y >= bottom[:, None]) & (y <= top[:, None])
        return np.where(inside, 0.0, -np.inf)

    def _looked_up(self, rows: slice | Ints) -> Floats:
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
        beyond = np.maximum(np.hypot(x - east, y - north) / self.grid.size - 1, 0)  # where nobody was ever seen
        counts = np.zeros((len(numbers), self.grid.cells))
        np.add.at(counts, (place[report[place[report] >= 0]], cells), np.exp(-np.minimum(beyond, 50.0)))
        with np.errstate(divide="ignore"):
            return np.log(counts)


def likelihood_of(
    released: Released, grid: Ground, mechanism: Mechanism | None, movements: Points | None = None
) -> Likelihood:
    """The law of reports, as far as the attacker can know it. Where it must be learned, the mechanism is tried on
    ``movements`` like those of people, or on points all over the ground."""
    if released.box is not None:
        return Likelihood(released, grid, "box")
    if released.members is not None:
        return Likelihood(released, grid, "set")
    if released.radius is not None and mechanism is None:
        return Likelihood(released, grid, "disc")  # who knows how it was made learns how far from its middle one may be
    if mechanism is not None and mechanism.name == "planar-laplace" and mechanism.guarantee.epsilon:
        return Likelihood(released, grid, "laplace", mechanism.guarantee.epsilon)
    if isinstance(mechanism, Discrete):
        return Likelihood(released, grid, "table", table=mechanism)
    if mechanism is None:
        return Likelihood(released, grid, "laplace", 4 / grid.size)  # all that is known: it is somewhere near
    return learned(released, grid, mechanism, Entropy(), movements)


def learned(
    released: Released, grid: Ground, mechanism: Mechanism, source: Source, movements: Points | None = None
) -> Likelihood:
    """The law of the distance from the centre of a person's cell to their report, learned by trying the mechanism."""
    tried = movements if movements is not None and len(movements) else _all_over(grid, source)
    east, north = grid.metres(grid.nearest_cell(tried.lon, tried.lat))
    reported = mechanism.apply(tried, source).points
    there = grid.frame.metres(reported.lon, reported.lat)
    metres = np.hypot(there[0] - east, there[1] - north)
    edges = np.unique(np.quantile(metres, np.linspace(0, 1, BINS + 1)))
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
