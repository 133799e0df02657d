"""Cloaks of one request at a time: cells of a quad-tree, and crowds drawn around a person.

Cells are Gruteser and Grunwald's, and the pyramid of Casper. Crowds lie along a Hilbert curve, or are a person's
nearest neighbours. A request may also carry the positions of k people in place of one: what surveys draw, and what it
gives away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.crowds.base import Cloak, Cloaked, check_crowd, people_of
from cobogo.locate.crowds.cells import LEVELS, Box, boxes, cells, hilbert, morton, sort_codes, widen_to_cells
from cobogo.locate.crowds.kernels import climb, cut_into_crowds, descend, pool
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, no_cost
from cobogo.locate.places.cells import vectors
from cobogo.locate.places.geometry import Frame, distance, wrap
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points


@card("quad-tree", start={"k": 4, "reciprocal": False})
@dataclass(frozen=True)
class QuadTree(Cloak):
    r"""The smallest cell of a quad-tree around a person that has k people in it.

    The world is cut into quarters as long as the quarter with the person in it has k people. With ``reciprocal`` it
    works the other way, from the smallest cells up: people who are not yet in a group form one as soon as k of them are
    in a cell, and at least k people share each cloak. Those who are left at the end join the group with the largest
    cell.

    Formula: the smallest cell $C \ni x$ of the tree with $\lvert\{u : u \in C\}\rvert \ge k$ and at least the minimum
        area
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((QuadTree(k=10, reciprocal=True).regions(noon).sharing(noon) >= 10).all())
        True

    Guarantee: At least k people are in the region. With ``reciprocal`` at least k people have the same region, so an
        attacker who knows where all people are finds the person with probability at most $1/k$, for one request.
    Limits: Without ``reciprocal``, people in a quarter with fewer than k people get the larger cell above it, while
        their neighbours in fuller quarters get smaller cells. So the larger cell reveals that the person is in one of
        its emptier quarters. The cloaks of one person at different times can be intersected. All k people may be in one
        building: see the minimum area.
    Cost: $O(n \log n)$ for n people.
    Paper: M. Gruteser and D. Grunwald, Anonymous usage of location-based services through spatial and temporal
        cloaking, MobiSys 2003.
    """

    reciprocal: bool = False

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return reciprocal_guarantee(self.k) if self.reciprocal else one_way_guarantee(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sort by Morton code, in which a cell of any level is a run of reports, and find each report's level."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = sort_codes(morton(column, row))
        work = pool if self.reciprocal else descend
        level = work(code, row, order, codes, people, self.k, self.min_area)
        alone = np.zeros(len(level), dtype=np.int8)
        return Cloaked(boxes(column, row, level, alone, alone))


@card("casper", title="Casper", start={"k": 4})
@dataclass(frozen=True)
class Casper(Cloak):
    r"""The first cell on the way up a pyramid, alone or with one sibling, that has k people and the minimum area.

    A cell with the sibling beside it, or with the one above or below it on the map, is tried before the next larger
    cell. If both pairs would do, the one with fewer people is taken.

    Formula: the first of $C$, $C \cup C_{\text{beside}}$, $C \cup C_{\text{atop}}$ and the cell above, on the way up,
        with $n \ge k$ people and area $\ge A_{\min}$
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((Casper(k=10).regions(noon).people(noon) >= 10).all())
        True

    Guarantee: At least k people are in the region. It is not reciprocal: an attacker who knows where all people are may
        learn more.
    Limits: The same as for `quad-tree`: neighbours may have other cloaks.
    Cost: $O(n \log n + n\,h)$ for n people and h levels.
    Paper: M. F. Mokbel, C.-Y. Chow and W. G. Aref, The new Casper: query processing for location services without
        compromising privacy, VLDB 2006.
    """

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return one_way_guarantee(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sort by Morton code, and go through all levels from the finest up."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = sort_codes(morton(column, row))
        level, wide, high = climb(code, row[order], codes[order], people, self.k, self.min_area)
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return Cloaked(boxes(column, row, level[back], wide[back], high[back]))


def one_way_guarantee(k: int) -> LocationGuarantee:
    """What holds where not everybody in a cloak has the same cloak."""
    return LocationGuarantee(
        "none",
        k=k,
        note=tr(
            "every cloak has at least {k} people, but not all of them would get the same cloak: an attacker who knows "
            "where all people are can rule some of them out",
            k=k,
        ),
    )


def reciprocal_guarantee(k: int) -> LocationGuarantee:
    """What holds where everybody in a cloak's crowd has the same cloak."""
    return LocationGuarantee(
        "k-anonymity",
        k=k,
        note=tr(
            "for one request, even against an attacker who knows where all people are; not when requests of one person "
            "are linked over time, and not for what the place itself reveals about everybody in it"
        ),
    )


ELSEWHERE = 50_000.0
"""Metres between neighbours along a curve from which on they are in different cities: no crowd should hold both."""

AT_ONCE = 1 << 15
"""Reports whose neighbours are looked up at a time: k neighbours of each are in memory."""


@card("hilbert", title="Hilbert order", start={"k": 4})
@dataclass(frozen=True)
class Hilbert(Cloak):
    r"""People in the order of a Hilbert curve are put into groups of k: the rectangle of a group is the cloak of all
    people in it.

    A group has more people than k if there are enough; ``spare`` is how many more. Positions become old, and after two
    people have walked out there are still k. People who are left at the end join the last group. Rectangles are widened
    to public lines, so that their edges do not reveal where the people are, and then to larger cells until they have
    the minimum area.

    Formula: the crowd of $u$ is $\{v : \lfloor \mathrm{rank}(v)/n \rfloor = \lfloor \mathrm{rank}(u)/n \rfloor\}$ along
        the curve, with $n = k + \text{spare}$
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((Hilbert(k=10).regions(noon).sharing(noon) >= 10).all())
        True

    Guarantee: All people in a group have the same cloak: an attacker who knows where all people are learns only that it
        was one of k people, for one request.
    Limits: The cloaks of one person at different times can be intersected. Where the curve jumps, rectangles are large.
    Cost: $O(n \log n)$ for n people.
    Paper: P. Kalnis, G. Ghinita, K. Mouratidis and D. Papadias, Preventing location-based identity inference in
        anonymous spatial queries, IEEE Transactions on Knowledge and Data Engineering, 2007.
    """

    spare: int = 2  # of crowds of 10 that are a minute old, 0.4 % have lost more than two; without any spare, 6 %

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.spare, int) and self.spare >= 0):
            raise ValueError(refusal(self.name, "spare", tr("a whole number of at least {least}", least=0), self.spare))

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return reciprocal_guarantee(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sort by Hilbert code, and cut the order into crowds."""
        self._check_crowd(points)
        if not len(points):
            return Cloaked((np.empty(0), np.empty(0), np.empty(0), np.empty(0)))
        of = crowds_along_curve(points, self.k, self.k + self.spare)
        order = np.argsort(of, kind="stable")
        crowd, lon, lat = of[order], points.lon[order], points.lat[order]
        start = np.flatnonzero(np.diff(crowd, prepend=-1))
        first = lon[start]
        across = wrap(lon - first[crowd])
        edges = public_rectangles(
            first, np.minimum.reduceat(across, start), np.minimum.reduceat(lat, start),
            np.maximum.reduceat(across, start), np.maximum.reduceat(lat, start), self.k, self.min_area,
        )  # fmt: skip
        west, south, east, north = (edge[of] for edge in edges)
        return Cloaked((west, south, east, north))


def crowds_along_curve(points: Points, k: int, size: int) -> Ints:
    """The number of each report's crowd: people in the order of a Hilbert curve, cut into crowds of ``size``, with k
    people at least in each."""
    found = np.zeros(len(points), dtype=np.int64)
    if not len(points):
        return found
    codes, people = people_of(points)
    _, order = sort_codes(hilbert(*cells(points.lon, points.lat), LEVELS))
    lon, lat = points.lon[order], points.lat[order]
    jump = np.append(False, distance(lon[:-1], lat[:-1], lon[1:], lat[1:]) > ELSEWHERE)
    found[order] = cut_into_crowds(codes[order], jump, people, k, size)
    return found


@card("nearest-neighbours", title="nearest neighbours", start={"k": 4})
@dataclass(frozen=True)
class NearestNeighbours(Cloak):
    r"""A rectangle around a person and the k − 1 people nearest to them.

    It is the smallest of all cloaks, and the weakest.

    Formula: the bounding box of $x_u$ and $\mathrm{NN}_{k-1}(x_u)$, widened to public lines
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((NearestNeighbours(k=10).regions(noon).people(noon) >= 10).all())
        True

    Guarantee: At least k people are in the region, and nothing more: an attacker who knows where all people are can
        often tell who asked.
    Limits: A person tends to be in the middle of the rectangle. Their neighbours have other neighbours, so most of the
        k people would not have been given this cloak: see the attack `centre-of-cloak`.
    Cost: $O(n\,k \log n)$ for n people.
    Paper: None in particular: centre cloak in P. Kalnis, G. Ghinita, K. Mouratidis and D. Papadias 2007, as what not to
        do.
    """

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return LocationGuarantee(
            "none",
            k=self.k,
            note=tr(
                "every cloak has at least {k} people, but it is drawn around one of them, who is most often the "
                "nearest "
                "to its centre, and the others would get other cloaks",
                k=self.k,
            ),
        )

    def regions(self, points: Points) -> Cloaked:
        """The nearest are found among people's last reports, on the globe."""
        from scipy.spatial import cKDTree

        self._check_crowd(points)
        codes, people = people_of(points)
        last = _last(points, codes, people)
        place = vectors(points.lon, points.lat)
        tree = cKDTree(place[last])
        parts = []
        for start in range(0, len(points), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            _, near = tree.query(place[some], k=min(self.k, people))
            own = codes[some, None] == near
            without = ~own.any(axis=1)
            near[without, -1] = near[without, 0]  # k others and the person would be one too many
            rows = last[near]
            across = np.append(wrap(points.lon[rows] - points.lon[some, None]), np.zeros((len(near), 1)), axis=1)
            lat = np.append(points.lat[rows], points.lat[some, None], axis=1)
            parts.append([across.min(axis=1), lat.min(axis=1), across.max(axis=1), lat.max(axis=1)])
        west, south, east, north = np.concatenate(parts, axis=1) if parts else np.empty((4, 0))
        return Cloaked(public_rectangles(points.lon, west, south, east, north, self.k, self.min_area))


def public_rectangles(
    first: Floats, west: Floats, south: Floats, east: Floats, north: Floats, k: int, least: float
) -> Box:
    """Rectangles around k people, widened to public edges; west and east are degrees from the longitude ``first``."""
    left, low, right, top = widen_to_cells((first + west, south, first + east, north), k, least)
    whole = right - left >= 360
    return np.where(whole, -180.0, wrap(left)), low, np.where(whole, 180.0, _east(wrap(right))), top


def _east(lon: Floats) -> Floats:
    """Eastern edges: the date line is 180, not −180."""
    return np.where(lon == -180, 180.0, lon)


def _last(points: Points, codes: Ints, people: int) -> Ints:
    """The row of each person's last report."""
    rows = np.arange(len(points)) if points.time is None else np.argsort(points.time, kind="stable")
    last = np.empty(people, dtype=np.int64)
    last[codes[rows]] = rows
    return last


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
