"""Cloaks drawn around people: crowds along a Hilbert curve, and a person's nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.crowds.base import Cloak, Cloaked, people_of
from cobogo.locate.crowds.cells import LEVELS, Box, cells, hilbert, sort_codes, widen_to_cells
from cobogo.locate.crowds.kernels import cut_into_crowds
from cobogo.locate.crowds.tree import reciprocal_guarantee
from cobogo.locate.mechanisms.base import LocationGuarantee
from cobogo.locate.places.cells import vectors
from cobogo.locate.places.geometry import distance, wrap
from cobogo.locate.places.points import Points

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
        codes, people = people_of(points)
        _, order = sort_codes(hilbert(*cells(points.lon, points.lat), LEVELS))
        lon, lat = points.lon[order], points.lat[order]
        if not len(points):
            return Cloaked((np.empty(0), np.empty(0), np.empty(0), np.empty(0)))
        jump = np.append(False, distance(lon[:-1], lat[:-1], lon[1:], lat[1:]) > ELSEWHERE)
        crowd = cut_into_crowds(codes[order], jump, people, self.k, self.k + self.spare)
        start = np.flatnonzero(np.diff(crowd, prepend=-1))
        first = lon[start]
        across = wrap(lon - first[crowd])
        edges = public_rectangles(
            first, np.minimum.reduceat(across, start), np.minimum.reduceat(lat, start),
            np.maximum.reduceat(across, start), np.maximum.reduceat(lat, start), self.k, self.min_area,
        )  # fmt: skip
        of = np.empty(len(points), dtype=np.int64)
        of[order] = crowd
        west, south, east, north = (edge[of] for edge in edges)
        return Cloaked((west, south, east, north))


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
