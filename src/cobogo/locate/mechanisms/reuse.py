"""Mechanisms that draw once for a cell and reuse what they drew: many reports of a place reveal no more than one.

What they cannot hide is that a person is back: the same set, or the same candidates, are reported again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, below
from cobogo.locate.mechanisms.base import NO_PAST, LocationGuarantee, Mechanism, Past, Released, TraceRows, no_cost
from cobogo.locate.mechanisms.discrete import check_prior
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

REMEMBERED = 10_000
"""Reports of a person that are looked back at: a year of one every hour. A cell that was not visited since is drawn for
anew, and paid for again. More cost time at every report."""


@dataclass(frozen=True, eq=False)
class CellVisits:
    """Past and present points with their cells, and for each the first row of the same person in the same cell."""

    rows: TraceRows
    cell: Ints
    first: Ints

    @classmethod
    def find(cls, past: Past, points: Points, grid: Grid) -> CellVisits:
        """Find the visits of people to the cells of a grid."""
        rows = TraceRows.join(past, points)
        cell = grid.nearest_cell(rows.points.lon, rows.points.lat)
        _, first, which = np.unique(rows.first * np.int64(grid.cells) + cell, return_index=True, return_inverse=True)
        return cls(rows, cell, first[which])

    @property
    def fresh(self) -> Any:
        """Which present points, in the order given, are the first of a person in a cell."""
        return self.rows.present_part(self.first == np.arange(len(self.first)))


def _check_set(mechanism: Mechanism, k: int, grid: Grid, prior: Any) -> Floats:
    """The prior of a mechanism that chooses k cells of a grid, as probabilities; raises where it cannot."""
    weights = check_prior(np.ones(grid.cells) if prior is None else prior, grid, mechanism.name)
    most = int((weights > 0).sum())
    if not isinstance(k, int) or not 2 <= k <= most:
        raise ValueError(refusal(mechanism.name, "k", tr("from 2 to the {n:,} cells that people visit", n=most), k))
    return weights


@card("eclipse", title="Eclipse: one candidate set for good", start={"epsilon": 0.01, "k": 5})
@dataclass(frozen=True, eq=False)
class Eclipse(Mechanism):
    r"""A noisy place is drawn once for each cell that a person visits; every report from the cell is one of the k
    places around it.

    At the first visit planar Laplace noise is added to the middle of the cell. The k candidates are the most probable
    of the 2k cells nearest to the noisy place; they depend on nothing else. Every report is one of them, each equally
    likely. So a thousand reports from home reveal the candidates, which one report with noise of ε pays for, and then
    nothing more.

    Formula: $y \sim e^{-\varepsilon\,d(c(x), y)}$ once for each cell $c(x)$, $C(y)$ the k candidates, and every report
        $z \sim U(C(y))$
    Example: A hundred reports of one place name five cells, and cost as much as one.
        >>> from cobogo.floor.randomness import Entropy
        >>> noise = Eclipse(0.01, Grid.from_bounds(-38.55, -3.75, -38.50, -3.70, size=200), k=5)
        >>> home = Points.from_columns([-38.52] * 100, [-3.73] * 100, user=["ana"] * 100)
        >>> released = noise.apply(home, Entropy())
        >>> len(set(released.points.lon + 100 * released.points.lat)) <= 5, float(released.cost.sum())
        (True, 0.01)

    Guarantee: ε-geo-indistinguishability, between the cells of the grid, for all reports of a person from one cell
        together: which cell it is stays hidden however long the observation lasts. Visits to n cells cost n ε.
    Limits: It is not hidden that two reports come from the same cell; a person whose position moves across the edge of
        two cells pays for both. Reports are coarser than with plain noise. Only the last 10,000 reports of a person are
        remembered.
    Cost: $O(n \log c)$ for n points and c cells.
    Paper: B. Niu, Y. Chen, Z. Wang, B. Wang, H. Li and others, Eclipse: preserving differential location privacy
        against long-term observation attacks, IEEE Transactions on Mobile Computing, 2020. The idea of one anonymous
        set of candidates for all reports is the paper's; how candidates are found and what is promised is ours.
    """

    hides_returns: ClassVar[bool] = False

    epsilon: float
    grid: Grid
    k: int = 5
    prior: Any = None

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        self._noise  # noqa: B018 - refuse now what cannot be promised
        _check_set(self, self.k, self.grid, self.prior)

    @cached_property
    def _noise(self) -> PlanarLaplace:
        return PlanarLaplace(self.epsilon)

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr(
                "for all reports from one cell together, between {cells:,} cells of {size:g} m; it is not hidden that "
                "two reports come from the same cell",
                cells=self.grid.cells,
                size=self.grid.size,
            ),
        )

    @property
    def memory(self) -> int:
        return REMEMBERED

    @cached_property
    def _visited(self) -> tuple[Any, Ints, Floats]:
        """A tree of the cells that the prior allows, their numbers and their probabilities."""
        from scipy.spatial import cKDTree

        weights = _check_set(self, self.k, self.grid, self.prior)
        cells = np.flatnonzero(weights)
        return cKDTree(np.column_stack(self.grid.metres(cells))), cells, weights[cells]

    def candidates(self, lon: Any, lat: Any) -> Ints:
        """The k candidates of noisy places, one row for each: public, given the place."""
        tree, cells, weights = self._visited
        near = tree.query(np.column_stack(self.grid.frame.metres(lon, lat)), k=min(2 * self.k, len(cells)))[1]
        likely = np.argsort(-weights[near], axis=1, kind="stable")[:, : self.k]
        return np.asarray(cells[np.take_along_axis(near, likely, axis=1)])

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NO_PAST, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        visits = CellVisits.find(past, points, self.grid)
        middle = points.move_to(*self.grid.centres(visits.rows.present_part(visits.cell)))
        drawn = self._noise.apply(middle, source).points  # for every row; that of a first visit is used
        places = visits.rows.fill_column(past.owner_only.get("noisy place"), width=(2,))
        places[~visits.rows.known] = np.stack([drawn.lon, drawn.lat], axis=1)[visits.rows.present_order]
        places = visits.rows.present_part(places[visits.first])
        chosen = self.candidates(places[:, 0], places[:, 1])[np.arange(len(points)), below(self.k, len(points), source)]
        return Released(
            points.move_to(*self.grid.centres(chosen)),
            cost=np.where(visits.fresh, self.epsilon, 0.0),
            owner_only={"noisy place": places},
        )


@card("cached-dummies", title="Dummies for a cache", start={"k": 5})
@dataclass(frozen=True, eq=False)
class CachedDummies(Mechanism):
    r"""The cell of the person is sent among k − 1 others, always the same ones: each cell belongs to one group for
    good.

    At the first visit to a cell the others are chosen among cells that were never sent, about as probable as this one.
    The service is asked about all cells of the group, and a device keeps the answers: see `AnswerCache`. A request from
    any of these cells is then answered without the service. A dummy in a cell whose answer is still in the cache would
    protect nobody, because the service knows that the device would not have asked about it. When answers are too old,
    the same group is sent again, so that requests from one place have all k cells in common and not only the true one.

    Formula: groups $G_1, G_2, \ldots$ that do not overlap, $\lvert G_i \rvert \ge k$; a request from $x$ sends the
        $G_i$ with $c(x) \in G_i$
    Example: Two requests from one place are the same five cells.
        >>> from cobogo.floor.randomness import Entropy
        >>> dummies = CachedDummies(k=5, grid=Grid.from_bounds(-38.55, -3.75, -38.50, -3.70, size=500))
        >>> twice = dummies.apply(Points.from_columns([-38.52] * 2, [-3.73] * 2, user=["ana"] * 2), Entropy())
        >>> len(twice.members), len(set(twice.members.lon + 100 * twice.members.lat))
        (10, 5)

    Guarantee: None: the cell is one of k or more for an attacker who knows only the prior, however often the person
        asks from there.
    Limits: An attacker who knows more (the person's habits, or which cells lie at home and at work) tells the cells
        apart. Groups of several visited cells show a pattern of movement. Only the last 10,000 requests of a person are
        remembered.
    Cost: $O(c \log c)$ for each person and c cells, and k cells that the service answers for.
    Paper: X. Zhu, H. Chi, B. Niu, W. Zhang, Z. Li and H. Li, MobiCache: when k-anonymity meets cache, GLOBECOM 2013; B.
        Niu, Q. Li, X. Zhu, G. Cao and H. Li, Enhancing privacy through caching in location-based services, INFOCOM
        2015. Dummies that fill the cache are theirs; groups for good are ours.
    """

    hides_returns: ClassVar[bool] = False

    k: int
    grid: Grid
    prior: Any = None

    def __post_init__(self) -> None:
        _check_set(self, self.k, self.grid, self.prior)

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "none",
            note=tr(
                "the cell is hidden among {k}, always the same, but only from an attacker who knows nothing but the "
                "prior",
                k=self.k,
            ),
        )

    @property
    def memory(self) -> int:
        return REMEMBERED

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NO_PAST, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        visits = CellVisits.find(past, points, self.grid)
        rows = visits.rows
        groups = rows.fill_column(past.owner_only.get("group"), np.int64, (2 * self.k - 1,))
        for start, stop in zip(*_person_spans(rows), strict=True):
            self._form_groups(visits, slice(start, stop), groups, source)
        groups = rows.present_part(groups[visits.first])
        report, place = np.nonzero(groups >= 0)
        lon, lat = self.grid.centres(groups[report, place])
        middle = [np.bincount(report, part) / np.bincount(report) for part in self.grid.metres(groups[report, place])]
        return Released(
            points.move_to(*self.grid.frame.degrees(*middle)) if len(points) else points,
            cost=no_cost(points),
            members=points.take(report).move_to(lon, lat),
            report=report,
            owner_only={"group": groups},
        )

    def _form_groups(self, visits: CellVisits, mine: slice, groups: Ints, source: Source) -> None:
        """Fill in the groups of one person, in the order of time. The words that are drawn do not depend on where the
        person is."""
        weights = _check_set(self, self.k, self.grid, self.prior)
        tie, offset, lot = source.words(3 * self.grid.cells).reshape(3, -1)
        order = np.lexsort((tie, weights))
        order = order[weights[order] > 0]
        group_of = np.full(self.grid.cells, -1)
        for row in np.arange(mine.start, mine.stop)[visits.first[mine] == np.arange(mine.start, mine.stop)]:
            cell = int(visits.cell[row])
            if visits.rows.known[row]:
                group_of[groups[row][groups[row] >= 0]] = row
            if group_of[cell] < 0:
                others = self._choose_others(cell, order[group_of[order] < 0], weights, int(offset[cell]), lot)
                group_of[[cell, *others]] = row
                groups[row] = -1
                groups[row, : len(others) + 1] = np.sort([cell, *others])
            else:
                groups[row] = groups[group_of[cell]]

    def _choose_others(self, cell: int, free: Ints, weights: Floats, offset: int, lot: Any) -> Ints:
        """Cells to be sent with a cell: of twice as many free ones that are about as probable, some at random. The cell
        is anywhere among them in the order of probability. What is too little for another group is taken, too."""
        free = free[free != cell]
        if len(free) < 2 * self.k - 1:
            return free
        width = 2 * (self.k - 1)
        at = int(np.searchsorted(weights[free], weights[cell]))
        at += offset % (int(np.searchsorted(weights[free], weights[cell], side="right")) - at + 1)
        start = min(max(at - (offset >> 32) % (width + 1), 0), len(free) - width)
        near = free[start : start + width]
        return near[np.argsort(lot[near])[: self.k - 1]]


def _person_spans(rows: TraceRows) -> tuple[Ints, Ints]:
    """Where the rows of each person begin and end."""
    starts = np.unique(rows.first)
    return starts, np.append(starts[1:], len(rows)).astype(np.int64)[: len(starts)]
