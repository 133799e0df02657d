"""Elastic distances: as much privacy in an empty place as in a crowded one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.mechanisms.base import LocationGuarantee
from cobogo.locate.mechanisms.discrete import CellPairs, Discrete, check_prior, globe_distances

REACH = 8.0
"""The level up to which a mass is required: beyond it places may differ by a factor of e⁸ ≈ 3,000 anyway."""


NEIGHBOURS = 8
"""Nearest cells to which a cell always has an edge, so that there is a path to every cell."""

SHRINK = 1.1
"""By which edges are made shorter than they may be, so that paths of few edges replace many: larger leaves fewer edges
and more noise."""

STAGE = 1.3
"""Edges up to so many times longer than the shortest left are thinned out together: larger is faster and keeps more."""


@card("grid-exponential", title="Exponential on a grid", start={"epsilon": 0.01})
@dataclass(frozen=True, eq=False)
class GridExponential(Discrete):
    r"""The exponential mechanism on the cells of a grid.

    It needs no prior and no linear programme, and loses more than mechanisms that use them.

    Formula: $k(z \mid x) \propto e^{-\varepsilon\,d(x, z)/2}$
    Example:
        >>> from cobogo.locate.places.grid import Grid
        >>> law = GridExponential(0.01, Grid.from_bounds(-38.55, -3.75, -38.5446, -3.7446, size=200)).matrix
        >>> law.shape, bool(law.diagonal().min() == law.max(axis=1).min())
        ((12, 12), True)

    Guarantee: ε-geo-indistinguishability for one report, between the cells of the grid.
    Limits: Half of ε is lost because the probabilities must sum to one: it loses most of all mechanisms here. Up to
        1,024 cells.
    Cost: $O(c^2)$ for c cells, once.
    Paper: F. McSherry and K. Talwar, Mechanism design via differential privacy, FOCS 2007.
    """

    most_cells: ClassVar[int] = 1024  # all pairs are checked

    def _solve(self) -> tuple[Floats, CellPairs]:
        away = globe_distances(self.grid) * self.epsilon
        pairs = np.triu_indices(self.grid.cells, k=1)
        return exponential(away), CellPairs(*pairs, away[pairs])


@card("elastic", title="Elastic", start={"epsilon": 0.01})
@dataclass(frozen=True, eq=False)
class Elastic(Discrete):
    r"""The exponential mechanism over a distance that stretches where there is little cover around.

    ``mass`` says how much cover each cell gives (people, points of interest, plain area), and ``reference`` how much is
    enough (by default, what nine cells in ten do not reach). Where every cell has that much, the distance is ε times
    metres. Where cells have less, a place must be as hard to tell apart from all cells of a wider area that has as much
    together. The mass must be public, and above 0 everywhere (add a little for plain area).

    Formula: $k(z \mid x) \propto e^{-d_X(x, z)/2}$ with $d_X$ such that within a level $l$ of any cell lies a mass of
        at least $\mathrm{req}(l) = m_{\text{ref}} \left(\frac{l}{\varepsilon\,s}\right)^2$, for levels up to 8 and
        cells of $s$ metres
    Example: Twice the level requires four times the mass.
        >>> from cobogo.locate.places.grid import Grid
        >>> noise = Elastic(0.01, Grid.from_bounds(-38.55, -3.75, -38.5446, -3.7446, size=200))
        >>> noise.required_mass([2.0, 4.0]).tolist()
        [1.0, 4.0]

    Guarantee: No report is more than $e^{d_X(x, x')}$ times as probable from one place as from another, with the
        elastic distance.
    Limits: It is only as good as the mass: people who sleep elsewhere are no cover in a field by day. Distances are up
        to 1.1 times shorter than necessary.
    Cost: $O(c^2 \log c)$ for c cells, up to 4,096, once.
    Paper: K. Chatzikokolakis, C. Palamidessi and M. Stronati, Constructing elastic distinguishability metrics for
        location privacy, Proceedings on Privacy Enhancing Technologies, 2015.
    """

    most_cells: ClassVar[int] = 4096  # edges are checked

    mass: Any = None
    reference: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (check_prior(self._mass, self.grid, self.name, "mass") <= 0).any():
            wanted = tr("above 0 in every cell: add a little for plain area")
            raise ValueError(refusal(self.name, "mass", wanted, 0))
        if self.reference is not None:
            self._check_positive("reference")

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "elastic",
            epsilon=self.epsilon,
            note=tr("a metre counts in full where the mass is the reference mass, and less where the mass is smaller"),
        )

    @property
    def _mass(self) -> Floats:
        return np.asarray(np.ones(self.grid.cells) if self.mass is None else self.mass, dtype=np.float64)

    def required_mass(self, level: Any) -> Floats:
        """req(l): the mass that is required within a level."""
        reference = float(np.quantile(self._mass, 0.9)) if self.reference is None else self.reference
        return np.asarray(reference * (np.asarray(level) / (self.epsilon * self.grid.size)) ** 2)

    @cached_property
    def _graph(self) -> tuple[CellPairs, Floats]:
        """Edges, and the distances along them. From each cell the nearest cells are taken one after the other: the edge
        to each has the level at which the mass of those before it is no longer enough, and at most ε times metres.
        Edges that paths of others replace are left out (`thin_pairs`)."""
        away = globe_distances(self.grid)
        order = np.argsort(away, axis=1, kind="stable")
        before = np.cumsum(self._mass[order], axis=1)[:, :-1]
        level = np.sqrt(before / float(self.required_mass(1.0)))
        level = np.minimum(level, self.epsilon * np.take_along_axis(away, order[:, 1:], axis=1))
        cell, place = np.nonzero((level <= REACH) | (np.arange(level.shape[1]) < NEIGHBOURS))
        near, length = order[cell, place + 1], level[cell, place]
        # Of two cells each may ask for an edge: the shorter holds for both.
        low, high = np.minimum(cell, near), np.maximum(cell, near)
        first = np.lexsort((length, high, low))
        low, high, length = low[first], high[first], length[first]
        new = np.r_[True, (np.diff(low) != 0) | (np.diff(high) != 0)] if len(low) else np.empty(0, dtype=bool)
        return thin_pairs(CellPairs(low[new], high[new], length[new]), self.grid.cells)

    def levels(self) -> Floats:
        """The elastic distance between all pairs of cells."""
        return self._graph[1]

    def _solve(self) -> tuple[Floats, CellPairs]:
        pairs, level = self._graph
        return exponential(level), pairs


def thin_pairs(pairs: CellPairs, cells: int) -> tuple[CellPairs, Floats]:
    """Fewer edges, and the distances along them, none of which is longer than the given edge.

    Shorter edges come first, made `SHRINK` times shorter; a longer one is left out where a path of them is no longer
    than it.
    """
    order = np.argsort(pairs.level, kind="stable")
    one, other, asked = pairs.one[order], pairs.other[order], pairs.level[order]
    kept = np.zeros(len(asked), dtype=bool)
    start, along = 0, np.where(np.eye(cells, dtype=bool), 0.0, np.inf)
    while start < len(asked):
        bound = asked[start] * STAGE
        end = int(np.searchsorted(asked, bound, side="right"))
        part = slice(start, end)
        kept[part] = along[one[part], other[part]] > asked[part]
        start = end
        along = _path_lengths(
            one[kept], other[kept], asked[kept] / SHRINK, cells, None if start == len(asked) else bound * 2
        )
    return CellPairs(one[kept], other[kept], asked[kept] / SHRINK), along


def _path_lengths(one: Ints, other: Ints, length: Floats, cells: int, limit: float | None) -> Floats:
    """Lengths of the shortest paths between all cells, up to a limit."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    graph = coo_matrix((length, (one, other)), shape=(cells, cells)).tocsr()
    return np.asarray(dijkstra(graph, directed=False, limit=np.inf if limit is None else limit))


def exponential(level: Floats) -> Floats:
    """Probabilities ∝ e^(−level/2): those of two rows differ by a factor of e^level at most."""
    probabilities = np.exp(-level / 2)
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))
