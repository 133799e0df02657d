"""The contract of a cloak: a region with at least k people in it, reported in place of the position of one of them.

A cloak is made by the trusted anonymizer, who knows where everybody is. To add one: one frozen dataclass that extends
`Cloak`, whose fields are its options, and one line in `cobogo.locate.crowds.CLOAKS`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cobogo.errors import DataError, NoSolution
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Source
from cobogo.locate.crowds.cells import Box, are_inside, area, is_within
from cobogo.locate.mechanisms.base import Mechanism, Released, no_cost
from cobogo.locate.places.geometry import wrap
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False)
class Cloaked:
    """A rectangle for each report, in the same order; NaN where there is none, and the report must not go out."""

    box: Box

    @property
    def refused(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which reports got no cloak."""
        return np.isnan(self.box[0])

    @property
    def area(self) -> Floats:
        """Square metres."""
        return area(self.box)

    def people(self, points: Points) -> Ints:
        """How many people have a report in each cloak: counted from the rectangles alone, as a check of them."""
        codes, users = people_of(points)
        found = np.zeros(len(self.box[0]), dtype=np.int64)
        kept = np.flatnonzero(~self.refused)
        which, rows = np.unique(np.stack([edge[kept] for edge in self.box]), axis=1, return_inverse=True)
        counts = np.empty(which.shape[1], dtype=np.int64)
        step = max(1, 4_000_000 // max(len(points), 1))
        for start in range(0, which.shape[1], step):
            some = tuple(edge[start : start + step, None] for edge in which)
            here = are_inside((some[0], some[1], some[2], some[3]), points.lon, points.lat)
            if users == len(points):
                counts[start : start + step] = here.sum(axis=1)
            else:
                cloak, report = np.nonzero(here)
                pairs = np.unique(cloak * users + codes[report])
                counts[start : start + step] = np.bincount(pairs // users, minlength=here.shape[0])
        found[kept] = counts[rows.reshape(-1)]
        return found

    def people_in(self, row: int, points: Points) -> int:
        """How many people have a report in the cloak of one row."""
        west, south, east, north = (float(edge[row]) for edge in self.box)
        found = is_within(west, south, east, north, points.lon, points.lat)
        return int(found.sum()) if points.user is None else len(np.unique(points.user[found]))

    def sharing(self, points: Points) -> Ints:
        """How many people have the very same cloak: those among whom an attacker who knows where everybody is, and how
        cloaks are made, cannot decide. It is at least k where cloaks are reciprocal."""
        codes, users = people_of(points)
        _, same = np.unique(np.stack(self.box), axis=1, return_inverse=True)
        same = same.reshape(-1)
        pairs = np.unique(same * users + codes)
        return np.where(self.refused, 0, np.bincount(pairs // users, minlength=len(same))[same])


@dataclass(frozen=True)
class Cloak(Mechanism):
    """A region with ``k`` people or more and ``min_area`` square metres or more."""

    k: int
    min_area: float = 0.0

    def __post_init__(self) -> None:
        if not (isinstance(self.k, int) and self.k >= 2):
            raise ValueError(refusal(self.name, "k", tr("a whole number of at least {least}", least=2), self.k))
        if not 0 <= self.min_area < float("inf"):
            raise ValueError(refusal(self.name, "min_area", tr("0 or more"), self.min_area))

    @abstractmethod
    def regions(self, points: Points) -> Cloaked:
        """A cloak for each report, computed from all of them. A person counts once, however often they report."""

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002
        """The cloaks as what a mechanism releases; nothing is random. Refused reports are NaN."""
        return release_cloaks(points, self.regions(points))

    def _check_crowd(self, points: Points) -> None:
        """Raise unless there are k people at all."""
        _, people = people_of(points)
        if len(points) and people < self.k:
            raise NoSolution(
                trn(
                    "there is only {n:,} person, and k = {k}",
                    "there are only {n:,} people, and k = {k}",
                    n=people,
                    k=self.k,
                ),
                where=self.name,
                remedy=tr("Wait for more people, or ask for a smaller k."),
            )


def release_cloaks(points: Points, cloaked: Cloaked) -> Released:
    """Cloaks as what a mechanism releases: rectangles and their middles."""
    west, south, east, north = cloaked.box
    width = np.where(east - west >= 360, 360.0, (east - west) % 360)
    middle = points.move_to(wrap(west + width / 2), (south + north) / 2)
    return Released(middle, no_cost(points), box=(west, south, east, north))


def people_of(points: Points) -> tuple[Ints, int]:
    """The person of each report, numbered without gaps, and the number of people. Where reports have no people, each
    counts as a person of its own."""
    if points.user is None:
        return np.arange(len(points)), len(points)
    known = np.zeros(int(points.user.max(initial=-1)) + 1, dtype=np.bool_)
    known[points.user] = True
    count = int(known.sum())
    return points.user if count == len(known) else (np.cumsum(known) - 1)[points.user], count


def cloak_by_span(cloak: Cloak, points: Points, *, every: float) -> Cloaked:
    """A cloak for each report, among those who reported in the same span of ``every`` seconds since 1970. Reports of a
    span with fewer than k people are refused.

    >>> points = Points.from_columns([-38.5] * 5, [-3.7] * 5, time=[0, 1, 2, 70, 71], user=["a", "b", "c", "a", "b"])
    >>> from cobogo.locate.crowds import QuadTree
    >>> cloak_by_span(QuadTree(3), points, every=60).refused.tolist()
    [False, False, False, True, True]
    """
    if points.time is None:
        raise DataError(
            tr("the points have no times"),
            where="points",
            remedy=tr("Give times: cloaks are drawn for each span of time."),
        )
    if not every > 0:
        raise ValueError(f"The 'every' parameter of cloak_by_span must be above 0. Got {every!r} instead")
    span = np.floor(points.time / every)
    order = np.argsort(span, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(span[order], prepend=np.nan) != 0), len(order))
    edges = np.full((4, len(points)), np.nan)
    for start, end in pairwise(bounds.tolist()):
        rows = order[start:end]
        some = points.take(rows)
        if people_of(some)[1] >= cloak.k:
            edges[:, rows] = cloak.regions(some).box
    box: Box = (edges[0], edges[1], edges[2], edges[3])
    return Cloaked(box)
