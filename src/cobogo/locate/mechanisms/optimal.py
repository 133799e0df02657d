"""The optimal mechanism: of all geo-indistinguishable ones, the one with the least loss for a public prior.

Its linear program is made smaller by a spanner: few pairs of cells along which paths between all others are hardly
longer than straight.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.mechanisms.discrete import CellPairs, Discrete, check_prior, globe_distances

EQUAL = 1e-12
"""Relative difference up to which two lengths are equal."""


def spanner(distances: Floats, dilation: float) -> tuple[Ints, Ints]:
    """The greedy spanner (Althöfer et al. 1993): pairs, shortest first, that are not yet joined by a path of at most
    ``dilation`` times their distance. At dilation 1 it leaves out only what lies on straight lines.

    >>> line = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    >>> [pair.tolist() for pair in spanner(line, 1.0)]
    [[0, 1, 2], [1, 2, 3]]
    """
    one, other = np.triu_indices(len(distances), k=1)
    order = np.argsort(distances[one, other], kind="stable")
    along = np.full_like(distances, np.inf)
    np.fill_diagonal(along, 0)
    kept = []
    for pair in order:
        i, j = one[pair], other[pair]
        apart = distances[i, j]
        if along[i, j] > dilation * apart * (1 + EQUAL):
            kept.append(pair)
            through = along[:, i, None] + apart + along[None, j, :]
            np.minimum(along, through, out=along)
            np.minimum(along, through.T, out=along)
    return one[kept], other[kept]


def dilation(distances: Floats, one: Ints, other: Ints) -> float:
    """The dilation of a spanner: the largest ratio of a path to the straight distance. Mostly less than was asked for.

    >>> square = np.array([[0, 1, 1, 2**0.5], [1, 0, 2**0.5, 1], [1, 2**0.5, 0, 1], [2**0.5, 1, 1, 0]])
    >>> round(dilation(square, *spanner(square, 1.9)), 4)
    1.4142
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    graph = coo_matrix((distances[one, other], (one, other)), shape=distances.shape).tocsr()
    along = np.asarray(dijkstra(graph, directed=False))
    apart = ~np.eye(len(distances), dtype=bool)
    return float((along[apart] / distances[apart]).max(initial=1.0))


TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)
"""Tolerances of the solver, tried in this order until it succeeds."""

MARGIN = 1e-7
"""The share of ε that is left unused, so that rounding to whole numbers does not break a constraint."""


DILATIONS = ((30, 1.0), (64, 1.03), (150, 1.1))
"""The dilation for grids of up to so many cells: none where the exact program takes a second. 49 cells take 9 s
exactly, and 2 s with 1.03, which loses some per cent."""


@card("optimal", title="Optimal", start={"epsilon": 0.002})
@dataclass(frozen=True, eq=False)
class Optimal(Discrete):
    r"""The distribution over cells with the smallest expected distance for a prior, found by linear programming.

    With a ``spanner`` of dilation δ, only the pairs of the spanner are constrained, to ε/δ; all others follow from
    them, with a small loss and in much less time. A ``spanner`` of 1 gives the optimum itself, and is the default for
    up to 30 cells. More cells get a spanner wide enough for the solver to finish in some seconds. The prior must be
    public, since the distribution depends on it. The solver's distribution becomes a table of whole numbers, which is
    checked pair by pair with all roundings against it.

    Formula: $\min \sum_{x, z} \pi(x)\,k(z \mid x)\,d(x, z)$ with $k(z \mid x) \le e^{\varepsilon\,d(x, x')}\,k(z \mid
        x')$ for all $x$, $x'$, $z$ and $\sum_z k(z \mid x) = 1$
    Example: It loses less than the exponential mechanism with the same ε.
        >>> from cobogo.locate.places.grid import Grid
        >>> from cobogo.locate.mechanisms import GridExponential
        >>> grid = Grid.from_bounds(-38.55, -3.75, -38.5446, -3.7446, size=200)
        >>> even = np.full(grid.cells, 1 / grid.cells)
        >>> Optimal(0.004, grid).loss(even) < GridExponential(0.004, grid).loss(even)
        True

    Guarantee: ε-geo-indistinguishability for one report, between the cells of the grid.
    Limits: Up to 150 cells. It is not optimal for people who are elsewhere than the prior says.
    Cost: a linear programme with $c^2$ variables for c cells, and $c^3$ constraints or, with a spanner, $c$ times its
        edges.
    Paper: N. E. Bordenabe, K. Chatzikokolakis and C. Palamidessi, Optimal geo-indistinguishable mechanisms for location
        privacy, CCS 2014.
    """

    most_cells: ClassVar[int] = 150  # the linear program has the square of it in unknowns

    prior: Any = None
    spanner: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spanner is not None and not 1 <= self.spanner <= 10:
            raise ValueError(refusal(self.name, "spanner", tr("a dilation from 1 to 10"), self.spanner))
        if self.prior is not None:
            check_prior(self.prior, self.grid, self.name)

    @property
    def probabilities(self) -> Floats:
        """The prior as probabilities: uniform unless given."""
        return check_prior(np.ones(self.grid.cells) if self.prior is None else self.prior, self.grid, self.name)

    @property
    def _dilation(self) -> float:
        return next(wide for cells, wide in DILATIONS if self.grid.cells <= cells)

    def expected_loss(self) -> float:
        """The mean error of a report in metres for the prior: what is minimized."""
        return self.loss(self.probabilities)

    def _solve(self) -> tuple[Floats, CellPairs]:
        away = globe_distances(self.grid)
        one, other = spanner(away, self._dilation if self.spanner is None else self.spanner)
        usable = self.epsilon * (1 - MARGIN) / dilation(away, one, other)
        law = solve_program(self.probabilities, away / self.grid.size, (one, other), usable * away[one, other])
        everyone = np.triu_indices(self.grid.cells, k=1)
        return law, CellPairs(*everyone, self.epsilon * away[everyone])


def solve_program(prior: Floats, cost: Floats, edges: tuple[Any, Any], levels: Floats) -> Floats:
    """The optimum of the linear program. As much of the uniform law is mixed in as makes up for the solver's tolerance,
    so that only rounding can break a constraint."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    cells = len(prior)
    one, other = np.concatenate([edges[0], edges[1]]), np.concatenate([edges[1], edges[0]])
    factor = np.exp(-np.concatenate([levels, levels]))  # e^−level·k(z|x) ≤ k(z|x′): no coefficient above 1
    row = np.arange(len(one) * cells)
    reported = np.tile(np.arange(cells), len(one))
    limits = coo_matrix(
        (
            np.concatenate([np.repeat(factor, cells), -np.ones(len(row))]),
            (
                np.concatenate([row, row]),
                np.concatenate([np.repeat(v, cells) * cells + reported for v in (one, other)]),
            ),
        ),
        shape=(len(row), cells * cells),
    ).tocsr()
    sums = coo_matrix((np.ones(cells * cells), (np.repeat(np.arange(cells), cells), np.arange(cells * cells)))).tocsr()
    for tolerance in TOLERANCES:
        found = linprog(
            (prior[:, None] * cost).ravel(), A_ub=limits, b_ub=np.zeros(len(row)), A_eq=sums, b_eq=np.ones(cells),
            bounds=(0, 1), method="highs-ipm" if cells > 30 else "highs",
            options={"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
        )  # fmt: skip
        if found.success:
            break
    else:
        raise NoSolution(
            tr(
                "the linear program of {cells:,} cells was not solved (status {status})",
                cells=cells,
                status=found.status,
            ),
            where="optimal",
            remedy=tr("Use fewer cells, or a spanner with a larger dilation."),
        )
    law = np.maximum(found.x.reshape(cells, cells), 0)
    law /= law.sum(axis=1, keepdims=True)
    mix = min(2 * cells * tolerance / (1 - exp(-float(levels.min()))), 1.0) if len(levels) else 0.0
    return np.asarray((1 - mix) * law + mix / cells)
