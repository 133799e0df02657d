"""Dummies: the true position among made-up ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import NO_PAST, LocationGuarantee, Mechanism, Past, Released, TraceRows, no_cost
from cobogo.locate.mechanisms.discrete import check_prior
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points

HOW = ("uniform", "dls", "enhanced-dls")
AT_A_TIME = 1 << 22
"""Random words that are drawn at a time: 32 MB."""

TRIALS = 20
"""Random sets of which the one of the highest entropy is taken: more come nearer to the highest there is."""

FOLLOWED = 8
"""Random steps that are tried where dummies move: more make their cells more like the person's."""


@card("dummies", title="Dummies", start={"k": 5, "how": "dls"})
@dataclass(frozen=True, eq=False)
class Dummies(Mechanism):
    r"""The position is sent among k − 1 invented ones, in random order; the service answers for all, and the device
    picks its own.

    Invented positions lie in the ``allowed`` cells of a grid (streets, built-up land; by default all), anywhere in a
    cell. "uniform" takes any cells. "dls" takes cells that are about as probable as the true one under the ``prior``,
    and of several random sets the one with the highest entropy. "enhanced-dls" also spreads them apart. With
    ``moving``, a person's dummies move on from report to report: each goes as far and turns as much as the person, in
    its own direction.

    Formula: the set with the largest $H = -\sum_{i=1}^{k} p_i \log_2 p_i$ with $p_i = \frac{\pi(c_i)}{\sum_j
        \pi(c_j)}$; enhanced: also a large $\prod_{i < j} d(c_i, c_j)$
    Example:
        >>> from cobogo.locate.places.grid import Grid
        >>> from cobogo.floor.randomness import Entropy
        >>> noise = Dummies(k=5, grid=Grid.from_bounds(-38.55, -3.75, -38.50, -3.70, size=500))
        >>> len(noise.apply(Points.from_columns([-38.52], [-3.73]), Entropy()).members)
        5

    Guarantee: None: one of k for an attacker who knows only the prior and sees one request.
    Limits: The true position is among those that are sent, exactly: two requests from one place have only that place in
        common, and an attacker who sees both knows it. Moving dummies come home with the person unless the edge of the
        grid, or cells that are not allowed, turn them away. An attacker who knows more (the person's habits, or where
        people can be) tells the true position from the dummies.
    Cost: $O(n\,k\,t)$ for n requests and t = 20 trial sets.
    Paper: H. Kido, Y. Yanagisawa and T. Satoh, An anonymous communication technique using dummies for location-based
        services, 2005; B. Niu, Q. Li, X. Zhu, G. Cao and H. Li, Achieving k-anonymity in privacy-aware location-based
        services, INFOCOM 2014.
    """

    k: int
    grid: Grid
    how: Literal["uniform", "dls", "enhanced-dls"] = "dls"
    prior: Any = None
    allowed: Any = None
    moving: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 2:
            raise ValueError(refusal(self.name, "k", tr("2 or more"), self.k))
        if self.how not in HOW:
            raise ValueError(refusal(self.name, "how", tr("one of {known}", known=", ".join(HOW)), self.how))
        if self.prior is not None:
            check_prior(self.prior, self.grid, self.name)
        if self.allowed is not None:
            check_prior(np.asarray(self.allowed, dtype=np.float64), self.grid, self.name, "allowed")

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "none",
            note=tr(
                "the position is hidden among {k}, but only from an attacker who knows nothing but the prior and sees "
                "one request",
                k=self.k,
            ),
        )

    @property
    def memory(self) -> int:
        return 1 if self.moving else 0

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NO_PAST, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        count = len(points)
        made_up = self._place_dummies(past, points, source)
        lon, lat = (
            np.concatenate([own[:, None], others], axis=1)
            for own, others in zip(
                (points.lon, points.lat), self.grid.frame.degrees(*made_up["made up"].transpose(2, 0, 1)), strict=True
            )
        )
        turn = np.argsort(source.words(count * self.k).reshape(count, self.k), axis=1)
        rows = np.repeat(np.arange(count), self.k)
        snapped = World().snap(lon[rows, turn.ravel()], lat[rows, turn.ravel()])
        middle = (part.reshape(count, self.k).mean(axis=1) for part in self.grid.frame.metres(*snapped))
        return Released(
            points.move_to(*self.grid.frame.degrees(*middle)),
            cost=no_cost(points),
            members=points.take(rows).move_to(*snapped),
            report=rows,
            owner_only={"truth": np.argmin(turn, axis=1), **made_up},
        )

    def _place_dummies(self, past: Past, points: Points, source: Source) -> dict[str, Any]:
        """Positions of the dummies of each point, in metres of the grid, and the headings of dummies and person."""
        from cobogo.locate.mechanisms.kernels import choose_dummies

        rows, wanted = TraceRows.join(past if self.moving else NO_PAST, points), self.k - 1
        first = rows.first if self.moving else np.arange(len(rows))
        probabilities = check_prior(
            np.ones(self.grid.cells) if self.prior is None else self.prior, self.grid, self.name
        )
        allowed = np.ones(self.grid.cells, dtype=np.bool_) if self.allowed is None else np.asarray(self.allowed, bool)
        cell = self.grid.nearest_cell(rows.points.lon, rows.points.lat)
        own = self.grid.frame.metres(rows.points.lon, rows.points.lat)
        before = past.owner_only.get("made up", np.empty((0, wanted, 2)))
        x, y = (rows.fill_column(before[..., axis], width=(wanted,)) for axis in (0, 1))
        heading = rows.fill_column(past.owner_only.get("heading"), width=(wanted,))
        own_heading = rows.fill_column(past.owner_only.get("own heading"))
        choice = {"uniform": wanted, "dls": 2 + (2 + TRIALS) * wanted, "enhanced-dls": 2 + (4 + 2 * TRIALS) * wanted}
        needed = max(3 * wanted + choice[self.how], wanted * FOLLOWED if self.moving else 0)
        for part in _parts(first, max(AT_A_TIME // needed, 1)):
            words = source.words((part.stop - part.start) * needed).reshape(-1, needed)
            choose_dummies(
                rows.known[part], first[part] - part.start, cell[part], own[0][part], own[1][part], own_heading[part],
                probabilities, allowed, *self._ranks(probabilities, allowed), *self.grid.metres(), self.grid.columns,
                self.grid.rows, float(self.grid.size), HOW.index(self.how), TRIALS, FOLLOWED, words, x[part], y[part],
                heading[part],
            )  # fmt: skip
        positions = rows.present_part(np.stack([x, y], axis=2))
        return {
            "made up": positions,
            "heading": rows.present_part(heading),
            "own heading": rows.present_part(own_heading),
        }

    @staticmethod
    def _ranks(probabilities: Floats, allowed: Any) -> tuple[Ints, Ints, Ints, Ints]:
        """Allowed cells in the order of their probability, the rank of every cell among them, and for each rank where
        the cells of the same probability begin and end."""
        ranked = np.flatnonzero(allowed)
        ranked = ranked[np.argsort(probabilities[ranked], kind="stable")]
        line = probabilities[ranked]
        rank = np.minimum(np.searchsorted(line, probabilities), len(ranked) - 1)
        rank[ranked] = np.arange(len(ranked))
        return ranked, rank, np.searchsorted(line, line), np.searchsorted(line, line, side="right")


def _parts(first: Ints, size: int) -> list[slice]:
    """Slices of about ``size`` rows that do not part the rows of a person."""
    count = len(first)
    starts = np.unique(first)
    cuts = [0]
    while cuts[-1] < count:
        later = starts[np.searchsorted(starts, cuts[-1], side="right") :]
        fitting = later[later <= cuts[-1] + size]
        rest = count - cuts[-1]
        cuts.append(count if rest <= size or not later.size else int(fitting[-1] if fitting.size else later[0]))
    return [slice(start, end) for start, end in pairwise(cuts)]
