"""Made-up trips with differential privacy: a Markov model of a grid, learned with a budget.

The unit of privacy is a person with all of their trips: the model, and any number of trips drawn from it, are at most
e^ε times as likely with the person's trips as without them. What a person contributes is bounded first (trips, cells of
a trip, moves); the grid, its regions and the classes of every histogram are public. The parts of the model are counts
with discrete Laplace noise; everything else is computed from them.

After AdaTrace (Gursoy et al. 2018) and LDPTrace (Du et al. 2023): where trips lead, how long they are, how people move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source, below
from cobogo.floor.untrusted import shorten
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.trips.kernels import bridges, walk
from cobogo.locate.trips.segments import Walks, bound_walks, moves_of, split_trips, walks_of

SHARES: Mapping[str, Fraction] = {
    "journeys": Fraction(1, 5),  # from region to region
    "starts": Fraction(3, 20),
    "ends": Fraction(3, 20),
    "detours": Fraction(1, 10),
    "moves": Fraction(3, 10),
    "hours": Fraction(1, 20),
    "paces": Fraction(1, 20),
}
"""The parts' shares of ε, which sum to 1. Moves and journeys get most: trips are mostly made of them."""

REGIONS = 5
"""Regions along each side of the grid, between which journeys are counted."""

FARS = np.array([0, 1, 2, 4, 8, 16])
"""Classes of the distance from first to last cell: their least, in cells."""

EXTRAS = np.array([0, 1, 2, 3, 5, 8, 12, 20, 32, 64])
"""Classes of what a trip goes beyond the shortest way: their least, in cells."""

PACES = np.array([5.0, 15, 30, 60, 120, 240, 480, 960, 1920, 3840, 7680])
"""Classes of the seconds that a trip takes for a cell: their least."""

FLOOR = 0.002
"""The probability that is spread over all ways out of a cell, so that a walk can get everywhere."""

WAYS = tuple((dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))


@card("trip-synthesis", title="synthetic trips")
@dataclass(frozen=True)
class TripSynthesis:
    r"""Invented trips, drawn from a Markov model of a public grid that is learned with differential privacy.

    What a person contributes is bounded first (``trips``, ``longest``, ``moves``, chosen at random), so that a person
    changes each part of the model by at most a known amount; the noise is discrete Laplace. A trip is a first and a
    last cell, a length, and a walk between them. The walk is drawn with the probabilities that the chain of moves gives
    it, given both ends. Dates are dropped.

    Formula: $\varepsilon = \sum_p \varepsilon_p$ over the parts (journeys, starts, ends, detours, moves, hours, paces),
        each $\tilde{c}_p = c_p + \mathrm{Lap}(\Delta_p / \varepsilon_p)$ with $\Delta_p$ the trips or the moves of a
        person
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> grid = Grid.from_bounds(-38.64, -3.90, -38.40, -3.68, size=4000)
        >>> asked = TripSynthesis(Fraction(4), grid, trips=4, moves=40)
        >>> fit_trips(city(), asked).sample(5).users
        5

    Guarantee: ε-differential privacy for each person with all of their trips.
    Limits: It needs many people: of a few dozen people nothing remains at any reasonable ε. The grid and the bounds
        must be chosen without looking at the data. The comparison in the evidence is not private.
    Cost: $O(n + c)$ for n points and c cells to learn; $O(c\,l)$ for each pair of ends to draw walks of length l.
    Paper: After M. E. Gursoy, L. Liu, S. Truex, L. Yu and W. Wei, Utility-aware synthesis of differentially private and
        attack-resilient location traces (AdaTrace), CCS 2018; Y. Du and others, LDPTrace: locally differentially
        private trajectory synthesis, PVLDB 2023.
    """

    epsilon: Fraction
    grid: Grid
    trips: int = 10  # of a person, at most
    longest: int = 60  # cells of a trip, at most
    moves: int = 100  # of a person, at most
    gap: float = 1800.0  # seconds without a point end a trip
    stay: float = 1200.0  # and so many seconds at one place, unless 0

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise PolicyError(
                tr("must be above 0. Got {value} instead", value=shorten(float(self.epsilon))),
                where="epsilon",
                remedy=tr("Start with ε = 1."),
            )
        for name in ("trips", "longest", "moves"):
            if getattr(self, name) < 1:
                raise PolicyError(
                    tr("must be 1 or more. Got {value} instead", value=shorten(getattr(self, name))),
                    where=name,
                    remedy=tr("Leave it out to use the default."),
                )
        if self.grid.cells > 250_000 or min(self.grid.rows, self.grid.columns) < 2:
            raise PolicyError(
                tr("the grid has {columns:,} × {rows:,} cells", columns=self.grid.columns, rows=self.grid.rows),
                where="grid",
                remedy=tr("Choose the size of the cells so that there are from 2 × 2 to 250,000 of them."),
            )


@dataclass(frozen=True, eq=False)
class TripModel:
    """Noisy counts, made consistent: all of it may be published."""

    asked: TripSynthesis
    size: float  # trips, estimated from noisy counts
    journeys: Floats = field(repr=False)  # regions × regions
    starts: Floats = field(repr=False)
    ends: Floats = field(repr=False)
    detours: Floats = field(repr=False)
    moves: Floats = field(repr=False)  # cells × ways
    hours: Floats = field(repr=False)
    paces: Floats = field(repr=False)

    def sample(self, count: int | None = None, source: Source | None = None) -> Points:
        """Draw so many trips (the estimated number, unless given), each with a number of its own."""
        return _sample_trips(self, count if count is not None else max(round(self.size), 0), source or Entropy())


def fit_trips(
    points: Points, asked: TripSynthesis, *, ledger: Any = None, dataset: str = "", analyst: str = ""
) -> TripModel:
    """Learn a model. With a ledger, the whole ε is debited before anything is counted."""
    from cobogo.promises.accounting import PrivacyLoss

    if ledger is not None:
        ledger.debit(dataset, analyst, PrivacyLoss("epsilon", asked.epsilon), "locate synthesize")
    source = Entropy()
    trips = split_trips(points, gap=asked.gap, stay=asked.stay, frame=asked.grid.frame)
    walks = bound_walks(walks_of(trips, asked.grid), asked.trips, asked.longest, source)
    counts = count_walks(walks, asked, source)
    noisy = {name: _noisy(counts[name], name, asked) for name in SHARES}
    size = max(float(np.mean([noisy[name].sum() for name in ("hours", "paces", "detours")])), 1.0)
    return TripModel(
        asked,
        size,
        journeys=make_consistent(noisy["journeys"], size),
        starts=make_consistent(noisy["starts"], size),
        ends=make_consistent(noisy["ends"], size),
        detours=make_consistent(noisy["detours"], size),
        moves=_move_probabilities(noisy["moves"], asked.grid),
        hours=make_consistent(noisy["hours"], size),
        paces=make_consistent(noisy["paces"], size),
    )


def sensitivity(name: str, asked: TripSynthesis) -> int:
    """The most by which one person can change the counts of a part, in sum."""
    return asked.moves if name == "moves" else asked.trips


def count_walks(walks: Walks, asked: TripSynthesis, source: Source) -> dict[str, Ints]:
    """The counts of each part, from bounded walks."""
    grid = asked.grid
    first, last = walks.cells[walks.starts[:-1]], walks.cells[walks.starts[1:] - 1]
    far = _cells_apart(first, last, grid)
    extra = np.maximum(walks.number - 1 - far, 0)
    region = regions(grid)
    before, after = moves_of(walks, asked.moves, source)
    ways = _way(before, after, grid)
    pace = walks.lasts / np.maximum(walks.number - 1, 1)

    def tally(values: Ints, bins: int) -> Ints:
        return np.bincount(values, minlength=bins).astype(np.int64)

    return {
        "journeys": tally(region[first] * REGIONS**2 + region[last], REGIONS**4),
        "starts": tally(first, grid.cells),
        "ends": tally(last, grid.cells),
        "detours": tally(_class(far, FARS) * len(EXTRAS) + _class(extra, EXTRAS), len(FARS) * len(EXTRAS)),
        "moves": tally(before * len(WAYS) + ways, grid.cells * len(WAYS)),
        "hours": tally((walks.begins // 3600 % 24).astype(np.int64), 24),
        "paces": tally(_class(pace, PACES), len(PACES)),
    }


def _noisy(counts: Ints, name: str, asked: TripSynthesis) -> Floats:
    from cobogo.promises.mechanisms import Laplace

    noise = Laplace(sensitivity(name, asked), asked.epsilon * SHARES[name])
    return np.array(noise.release(counts.tolist()), dtype=np.float64)


def make_consistent(noisy: Floats, total: float) -> Floats:
    """The nearest counts that are not negative and sum to a total: all are lowered by the same amount, those below are
    0 (Wang et al. 2020, Norm-Sub).

    >>> make_consistent(np.array([5.0, 3.0, -2.0]), 6.0).tolist()
    [4.0, 2.0, 0.0]
    """
    ordered = np.sort(noisy)[::-1]
    lowered = (np.cumsum(ordered) - total) / np.arange(1, len(ordered) + 1)
    last = int(np.flatnonzero(ordered - lowered > 0)[-1])
    return np.asarray(np.maximum(noisy - lowered[last], 0.0), dtype=np.float64)


def regions(grid: Grid) -> Ints:
    """The region of each cell."""
    row, column = np.divmod(np.arange(grid.cells), grid.columns)
    return np.asarray(row * REGIONS // grid.rows * REGIONS + column * REGIONS // grid.columns, dtype=np.int64)


def _class(values: Any, least: Any) -> Ints:
    return np.asarray(np.clip(np.searchsorted(least, values, side="right") - 1, 0, len(least) - 1), dtype=np.int64)


def _cells_apart(one: Ints, other: Ints, grid: Grid) -> Ints:
    """The number of moves of the shortest walk."""
    (row, column), (to_row, to_column) = np.divmod(one, grid.columns), np.divmod(other, grid.columns)
    return np.asarray(np.maximum(np.abs(to_row - row), np.abs(to_column - column)))


def _way(before: Ints, after: Ints, grid: Grid) -> Ints:
    (row, column), (to_row, to_column) = np.divmod(before, grid.columns), np.divmod(after, grid.columns)
    number = (to_row - row + 1) * 3 + (to_column - column + 1)
    return np.asarray(np.where(number > 4, number - 1, number))


def neighbours_inside(grid: Grid) -> Any:
    """Which ways out of each cell stay on the grid."""
    row, column = np.divmod(np.arange(grid.cells), grid.columns)
    dy, dx = np.array(WAYS).T
    to_row, to_column = row[:, None] + dy, column[:, None] + dx
    return (to_row >= 0) & (to_row < grid.rows) & (to_column >= 0) & (to_column < grid.columns)


def _move_probabilities(noisy: Floats, grid: Grid) -> Floats:
    """Probabilities of the ways out of each cell."""
    possible = neighbours_inside(grid)
    counts = np.where(possible, noisy.reshape(grid.cells, len(WAYS)), 0.0)
    kept = np.zeros_like(counts)
    kept[possible] = make_consistent(counts[possible], max(float(counts.sum()), 1.0))
    total = kept.sum(axis=1, keepdims=True)
    even = possible / possible.sum(axis=1, keepdims=True)
    learned = (1 - FLOOR) * kept / np.where(total > 0, total, 1.0) + FLOOR * even
    return np.asarray(np.where(total > 0, learned, even), dtype=np.float64)


def _sample_trips(model: TripModel, count: int, source: Source) -> Points:
    asked, grid = model.asked, model.asked.grid
    region = regions(grid)
    journey = _draw_classes(model.journeys, count, source)
    first = _draw_cells(model.starts, region, journey // REGIONS**2, source)
    last = _draw_cells(model.ends, region, journey % REGIONS**2, source)
    number = _lengths(model, first, last, source)
    begins = (_draw_classes(model.hours, count, source) + _uniform(count, source)) * 3600.0
    pace = _spread(PACES, _draw_classes(model.paces, count, source), source)
    moves = np.array([dy * grid.columns + dx for dy, dx in WAYS])
    possible = neighbours_inside(grid)
    paths = np.empty((count, asked.longest), dtype=np.int64)
    cells = np.empty(count, dtype=np.int64)
    order = np.argsort(last, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(last[order])) + 1) if count else []:
        reach = bridges(model.moves, moves, possible, last[some[0]], int(number[some].max()))
        for trip in some:
            chance = _uniform(int(number[trip]), source)
            cells[trip] = walk(model.moves, moves, possible, reach, first[trip], number[trip], chance, paths[trip])
    rows = np.repeat(np.arange(count), cells)
    step = np.arange(len(rows)) - np.repeat(np.cumsum(cells) - cells, cells)
    lon, lat = grid.centres(paths[rows, step])
    time = begins[rows] + step * pace[rows]
    return Points(np.round(lon, 6), np.round(lat, 6), np.round(time), rows)


def _lengths(model: TripModel, first: Ints, last: Ints, source: Source) -> Ints:
    """Draw the number of moves of each trip: those of the shortest walk and a detour, by the distance of its ends."""
    far = _cells_apart(first, last, model.asked.grid)
    table = model.detours.reshape(len(FARS), len(EXTRAS)) + 1e-9
    kind = _class(far, FARS)
    extra = np.empty(len(far), dtype=np.int64)
    for one in np.unique(kind):
        rows = np.flatnonzero(kind == one)
        extra[rows] = np.floor(_spread(EXTRAS, _draw_classes(table[one], len(rows), source), source))
    extra = np.where((far == 0) & (extra == 1), 2, extra)  # one move does not lead back
    return np.asarray(np.minimum(far + extra, model.asked.longest - 1))


def _spread(least: Any, chosen: Ints, source: Source) -> Floats:
    """A uniform number within each class; the last class is as wide as the one before."""
    edges = np.append(least, 2 * least[-1] - least[-2]).astype(np.float64)
    return edges[chosen] + _uniform(len(chosen), source) * (edges[chosen + 1] - edges[chosen])


def _draw_cells(weights: Floats, region: Ints, wanted: Ints, source: Source) -> Ints:
    """Draw a cell of each wanted region, by the weights of its cells."""
    cells = np.empty(len(wanted), dtype=np.int64)
    for one in np.unique(wanted):
        rows, here = np.flatnonzero(wanted == one), np.flatnonzero(region == one)
        if not len(here):  # a grid with fewer cells than regions
            here = np.arange(len(region))
        cells[rows] = here[_draw_classes(weights[here] + 1e-9, len(rows), source)]
    return cells


def _draw_classes(weights: Floats, count: int, source: Source) -> Ints:
    bounds = np.cumsum(weights / weights.sum())
    return np.minimum(np.searchsorted(bounds, _uniform(count, source), side="right"), len(weights) - 1)


def _uniform(count: int, source: Source) -> Floats:
    return below(1 << 53, count, source) / float(1 << 53)


def likeness(true: Points, made: Points, grid: Grid, *, gap: float, stay: float) -> dict[str, float | int]:
    """Total variation distances (0: equal, 1: disjoint) of the cells that trips go through, of their first and last
    regions and of their lengths; for scale, that of the cells of trips anywhere on the grid."""
    one = walks_of(split_trips(true, gap=gap, stay=stay, frame=grid.frame), grid)
    other = walks_of(split_trips(made, gap=float("inf"), frame=grid.frame), grid)
    region = regions(grid)

    def journeys(walks: object) -> Floats:
        starts, cells = walks.starts, walks.cells  # type: ignore[attr-defined]
        pair = region[cells[starts[:-1]]] * REGIONS**2 + region[cells[starts[1:] - 1]]
        return np.bincount(pair, minlength=REGIONS**4).astype(np.float64)

    longest = int(max(one.number.max(initial=1), other.number.max(initial=1))) + 1
    cells = [np.bincount(walks.cells, minlength=grid.cells).astype(np.float64) for walks in (one, other)]
    lengths = [np.bincount(walks.number, minlength=longest).astype(np.float64) for walks in (one, other)]
    return {
        "true_trips": len(one),
        "made_up_trips": len(other),
        "cells": _variation(*cells),
        "cells_of_trips_anywhere": _variation(cells[0], np.ones(grid.cells)),
        "journeys": _variation(journeys(one), journeys(other)),
        "lengths": _variation(*lengths),
    }


def _variation(one: Floats, other: Floats) -> float:
    if not one.sum() or not other.sum():
        return 1.0
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)
