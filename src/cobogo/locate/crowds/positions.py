"""A request that carries the positions of k people in place of one: what surveys draw, and what it gives away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.crowds.base import check_crowd, people_of
from cobogo.locate.crowds.neighbours import crowds_along_curve
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, no_cost
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points


@card("crowd-positions", title="Positions of k people", start={"k": 4})
@dataclass(frozen=True)
class CrowdPositions(Mechanism):
    r"""The anonymizer sends the true positions of k people instead of one, in random order; the service answers for
    all, and the anonymizer picks the answer of the person who asked.

    The people are those of a crowd along a Hilbert curve, so that everybody in it would send the same positions. No
    dummies are needed, and the answer is exact.

    Formula: the request of $u$ is $\{x_v : v \in C(u)\}$ with $\lvert C(u)\rvert \ge k$ and $C(v) = C(u)$ for all $v
        \in C(u)$
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> people = Points.from_columns([-38.51, -38.52, -38.53], [-3.7, -3.7, -3.7], user=["a", "b", "c"])
        >>> released = CrowdPositions(k=3).apply(people, Entropy())
        >>> np.bincount(released.report).tolist()
        [3, 3, 3]

    Guarantee: One of k people asked, for one request, to an attacker who knows where all people are. None for the
        positions themselves.
    Limits: It gives away where k people are, to the metre, and k − 1 of them did not ask for anything. A position
        often says who is there (a home, a desk); an attacker who recognizes k − 1 of them knows who asked. Two requests
        of one person have few positions in common. A cloak reveals less: use it, and this only to compare.
    Cost: $O(n \log n + n\,k)$ for n people.
    Paper: None in particular: drawn in surveys of location privacy as k-anonymity in its literal form.
    """

    k: int

    def __post_init__(self) -> None:
        if not (isinstance(self.k, int) and self.k >= 2):
            raise ValueError(refusal(self.name, "k", tr("a whole number of at least {least}", least=2), self.k))

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "none",
            k=self.k,
            note=tr(
                "the true positions of at least {k} people are sent: it hides which of them asked, once, and shows "
                "where all of them are",
                k=self.k,
            ),
        )

    def apply(self, points: Points, source: Source) -> Released:
        check_crowd(points, self.k, self.name)
        report, member = self._members(points)
        return _send(points, report, points.take(member), source)

    def apply_by_span(self, points: Points, wanted: Ints, source: Source, *, every: float) -> tuple[Ints, Released]:
        """The requests of the rows ``wanted``, each with people who reported in the same span of ``every`` seconds.
        Returns also which of them, by their places in ``wanted``: a span with fewer than k people has no crowd."""
        span = np.zeros(len(points)) if points.time is None else np.floor(points.time / every)
        order = np.argsort(span, kind="stable")
        found = [(np.zeros(0, dtype=np.int64),) * 2]
        for rows in np.split(order, np.flatnonzero(np.diff(span[order])) + 1):
            some = points.take(rows)
            if people_of(some)[1] >= self.k:
                report, member = self._members(some)
                found.append((rows[report], rows[member]))
        reports, members = (np.concatenate(part) for part in zip(*found, strict=True))
        places = np.full(len(points), -1, dtype=np.int64)
        places[wanted] = np.arange(len(wanted))
        kept = places[reports] >= 0
        answered, number = np.unique(places[reports[kept]], return_inverse=True)
        if not len(answered):
            raise NoSolution(
                tr("there are too few people at every moment"), where=self.name, remedy=tr("Ask for a smaller k.")
            )
        return answered, _send(points.take(wanted[answered]), number, points.take(members[kept]), source)

    def _members(self, points: Points) -> tuple[Ints, Ints]:
        """For each report and each person of its crowd, the report and a row of that person: their own, of the person
        who asks; else the first of the crowd."""
        codes, people = people_of(points)
        crowd = crowds_along_curve(points, self.k, self.k)
        pairs, first = np.unique(crowd * people + codes, return_index=True)
        start = np.searchsorted(pairs, np.arange(crowd.max(initial=-1) + 2) * people)
        sizes = np.diff(start)[crowd]
        report = np.repeat(np.arange(len(points)), sizes)
        turn = np.arange(len(report)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        member = first[start[crowd[report]] + turn]
        return report, np.where(codes[member] == codes[report], report, member)


def _send(asked: Points, report: Ints, positions: Points, source: Source) -> Released:
    """The requests of those who asked: positions, each of the request ``report``, in random order."""
    order = np.lexsort((source.words(len(report)), report))
    report, positions = report[order], positions.take(order)
    lon, lat = World().snap(positions.lon, positions.lat)
    frame = Frame.from_points(asked.lon, asked.lat)
    count = np.bincount(report, minlength=len(asked))
    east, north = (np.bincount(report, part, len(asked)) / count for part in frame.metres(lon, lat))
    return Released(
        asked.move_to(*frame.degrees(east, north)),
        cost=no_cost(asked),
        members=asked.take(report).move_to(lon, lat),
        report=report,
    )
