"""Mechanisms on the cells of a grid: a law for each true cell, in whole numbers, verified before anything is drawn.

The law is a table of whole numbers whose rows sum to 2⁵³, and cells are drawn exactly in proportion to them. The
guarantee is checked on the same numbers, with every rounding against it: it does not depend on the tolerance of a
solver or on the last digit of a float.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import STEPS, Source, choices
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

MIXES = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
"""Shares of the uniform law to mix in; the least that verifies is taken. They lift probabilities so small that rounding
breaks their ratios; the largest costs one report in 10,000."""

AT_A_TIME = 1 << 22
"""Weights that are compared at a time: 32 MB."""


@dataclass(frozen=True, eq=False)
class CellPairs:
    """Constraints on pairs of cells: no report is more than e^``level`` times as likely from ``one`` as from ``other``,
    nor the other way around. Constraints on other pairs follow along paths."""

    one: Ints
    other: Ints
    level: Floats


@dataclass(frozen=True, eq=False)
class Discrete(Mechanism):
    """A law over the cells of a public grid for each true cell."""

    most_cells: ClassVar[int]
    """Cells that a grid may have: with more, solving or checking takes too long."""

    epsilon: float
    grid: Grid

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        if self.grid.cells > self.most_cells:
            wanted = tr("of at most {most:,} cells", most=self.most_cells)
            raise ValueError(refusal(self.name, "grid", wanted, self.grid.cells))

    @abstractmethod
    def _solve(self) -> tuple[Floats, CellPairs]:
        """The law (true cells in rows, reported ones in columns), and the constraints that it must keep."""

    @cached_property
    def weights(self) -> Ints:
        """The law in whole numbers (true cells in rows, reported ones in columns); it keeps the guarantee."""
        law, pairs = self._solve()
        for mix in MIXES:
            whole = whole_weights((1 - mix) * law + mix / law.shape[1])
            if keeps(whole, pairs):
                return whole
        raise NoSolution(
            tr("the probabilities that were computed do not keep the guarantee after rounding"),
            where=self.name,
            remedy=tr("Use a smaller ε, fewer cells or larger cells."),
        )

    @property
    def matrix(self) -> Floats:
        """The law as probabilities."""
        return self.weights / STEPS

    def loss(self, prior: Floats) -> float:
        """The mean error of a report in metres, for people whose places follow ``prior``."""
        return float(prior @ (self.matrix * globe_distances(self.grid)).sum(axis=1))

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr(
                "for one report, between {cells:,} cells of {size:g} m", cells=self.grid.cells, size=self.grid.size
            ),
        )

    def apply(self, points: Points, source: Source) -> Released:
        cells = choices(self._columns, self.grid.nearest_cell(points.lon, points.lat), source)
        return Released(points.move_to(*self.grid.centres(cells)), cost=np.full(len(points), self.epsilon))

    @cached_property
    def _columns(self) -> Any:
        return np.ascontiguousarray(self.weights.T)


def globe_distances(grid: Grid) -> Floats:
    """Metres on the globe between the centres of all pairs of cells."""
    lon, lat = grid.centres()
    return distance(lon[:, None], lat[:, None], lon, lat)


def check_prior(prior: Any, grid: Grid, name: str, option: str = "prior") -> Floats:
    """Weights of a grid's cells as probabilities; raises where they are not weights."""
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (grid.cells,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            tr(
                "The '{option}' parameter of {name} must have a weight for each of the grid's {cells:,} cells, none "
                "below 0 and at least one above 0. Got an array of shape {shape} instead",
                option=option,
                name=name,
                cells=grid.cells,
                shape=str(weights.shape),
            )
        )
    return np.asarray(weights / weights.sum())


def whole_weights(law: Floats) -> Ints:
    """Rows of whole numbers that sum to 2⁵³, proportional to probabilities up to one unit; what rounding leaves over
    goes to the largest of each row."""
    law = np.maximum(law, 0)
    whole: Ints = np.floor(law / law.sum(axis=1, keepdims=True) * STEPS).astype(np.int64)
    rows = np.arange(len(whole))
    whole[rows, whole.argmax(axis=1)] += STEPS - whole.sum(axis=1)
    return whole


def keeps(weights: Ints, pairs: CellPairs) -> bool:
    """Whether the weights keep every constraint, with all rounding against them.

    A float of whole weights up to 2⁵³ is exact; e^level and its product with a weight are right to a few parts in 2⁵³,
    for which 2⁻⁵⁰ is taken off.
    """
    factors = np.exp(np.minimum(pairs.level, 600.0)) * (1 - 2.0**-50)
    step = max(AT_A_TIME // weights.shape[1], 1)
    for start in range(0, len(factors), step):
        part = slice(start, start + step)
        one, other = weights[pairs.one[part]], weights[pairs.other[part]]
        factor = factors[part, None]
        if (one > other * factor).any() or (other > one * factor).any():
            return False
    return True
