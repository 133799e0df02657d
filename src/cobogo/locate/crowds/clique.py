"""The clique cloak: requests wait for each other until enough of them tolerate one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cobogo.errors import DataError
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.crowds.base import Cloak, Cloaked, people_of, release_cloaks
from cobogo.locate.crowds.cells import Box
from cobogo.locate.crowds.cloaks import public_rectangles
from cobogo.locate.crowds.kernels import MOST, find_company, form_crowds
from cobogo.locate.mechanisms.base import LocationGuarantee, Released
from cobogo.locate.places.geometry import wrap
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False)
class GatheredCloaks(Cloaked):
    """Cloaks of requests that waited: the crowd that each went out with (−1 where refused), and when."""

    crowd: Ints
    when: Floats


@card("clique", start={"k": 2, "dx": 3000.0, "dy": 3000.0, "dt": 900})
@dataclass(frozen=True)
class CliqueCloak(Cloak):
    r"""Requests wait until k of them are within each other's tolerance in space and time.

    Each request has its own k, its own tolerance in metres, ``dx`` to the east and west and ``dy`` to the north and
    south, and its own patience ``dt`` in seconds. The values given here are for requests that give none. All requests
    of a group are sent together with one rectangle around them, widened to public lines and to the minimum area. A
    request whose patience ends is refused.

    Formula: a clique $Q$ with $\lvert Q\rvert \ge \max_{q \in Q} k_q$ in the graph of requests where $\lvert x_q -
        x_r\rvert \le \min(dx_q, dx_r)$, and so in $y$ and $t$
    Example:
        >>> CliqueCloak(k=3, dx=200, dy=200, dt=60).guarantee.k
        3

    Guarantee: At least k requests are sent with the same region: one of k for one request.
    Limits: A request that finds no others near it is refused. The cloaks of one person at different times can be
        intersected.
    Cost: $O(e)$ for e edges of the graph, and a greedy search for cliques around each new request.
    Paper: B. Gedik and L. Liu, Location privacy in mobile systems: a personalized anonymization model, ICDCS 2005.
    """

    dx: float = 500.0
    dy: float = 500.0
    dt: float = 300.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_positive("dx", "dy", "dt")
        self.check_size(self.k)

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return LocationGuarantee(
            "k-anonymity",
            k=self.k,
            note=tr(
                "among requests that were sent together with the same rectangle; not when requests of one person are "
                "linked over time, and not for what they ask"
            ),
        )

    def regions(self, points: Points) -> GatheredCloaks:
        """Cloaks of requests that all have the same k and tolerance."""
        return self.gather_requests(points)

    def gather_requests(
        self,
        points: Points,
        *,
        k: ArrayLike | None = None,
        dx: ArrayLike | None = None,
        dy: ArrayLike | None = None,
        dt: ArrayLike | None = None,
    ) -> GatheredCloaks:
        """Go through requests as they come in, each with its own demands where they are given."""
        if points.time is None:
            raise DataError(
                tr("the points have no times"), where="points", remedy=tr("Give times: requests wait for each other.")
            )
        codes, _ = people_of(points)
        order = np.argsort(points.time, kind="stable")
        size = len(points)
        demands = [
            np.broadcast_to(np.asarray(own if given is None else given, dtype=kind), size)[order]
            for own, given, kind in (
                (self.k, k, np.int64), (self.dx, dx, np.float64), (self.dy, dy, np.float64), (self.dt, dt, np.float64),
            )
        ]  # fmt: skip
        if size:
            self.check_size(int(demands[0].min()))
            self.check_size(int(demands[0].max()))
        found, ready = form_crowds(codes[order], points.lon[order], points.lat[order], points.time[order], *demands)
        crowd, when = np.empty(size, dtype=np.int64), np.empty(size)
        crowd[order], when[order] = found, ready
        return GatheredCloaks(_boxes(points.lon, points.lat, crowd, self), crowd, when)

    def check_size(self, k: int) -> None:
        """Raise where k is beyond the crowds that are looked for."""
        if not 2 <= k <= MOST + 1:
            raise ValueError(refusal(self.name, "k", tr("from 2 to {most:,}", most=MOST + 1), k))

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002
        """Each report with the moment at which its crowd was complete."""
        met = self.gather_requests(points)
        return release_cloaks(Points(points.lon, points.lat, met.when, points.user, points.names), met)


def _boxes(lon: Floats, lat: Floats, crowd: Ints, cloak: CliqueCloak) -> Box:
    """One rectangle for each crowd, of the cloak's minimum area at least."""
    size = int(crowd.max(initial=-1)) + 1
    if not size:
        nowhere = np.full(len(lon), np.nan)
        return nowhere, nowhere, nowhere, nowhere
    first = np.empty(size)
    first[crowd[crowd >= 0]] = lon[crowd >= 0]
    edges = np.array([[np.inf], [np.inf], [-np.inf], [-np.inf]]) * np.ones(size)
    some = crowd >= 0
    across = wrap(lon[some] - first[crowd[some]])
    for edge, reduce, values in ((0, np.minimum, across), (1, np.minimum, lat[some]),
                                 (2, np.maximum, across), (3, np.maximum, lat[some])):  # fmt: skip
        reduce.at(edges[edge], crowd[some], values)
    boxes = public_rectangles(first, edges[0], edges[1], edges[2], edges[3], cloak.k, cloak.min_area)
    west, south, east, north = (np.where(some, edge[crowd], np.nan) for edge in boxes)
    return west, south, east, north


@dataclass
class Gathering:
    """The clique cloak for requests that come in one by one: a complete crowd goes out, other requests wait or expire.

    >>> gathering = Gathering(CliqueCloak(2, dx=100, dy=100, dt=60))
    >>> gathering.ask("ana", -38.5, -3.7, 0.0), gathering.waiting
    ([], 1)
    >>> [request["user"] for request in gathering.ask("bia", -38.5, -3.7, 30.0)], gathering.waiting
    (['ana', 'bia'], 0)
    """

    cloak: CliqueCloak
    _held: list[dict[str, Any]] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._held)

    def ask(
        self, user: str, lon: float, lat: float, time: float, *, k: int | None = None, dx: float | None = None,
        dy: float | None = None, dt: float | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Take in a request. Returns the requests that go out with it, itself among them, each with its ``box``; none
        where it has to wait. Take out those whose patience has ended first: `drop_expired`."""
        own = self.cloak
        own.check_size(k or own.k)
        new = {"user": user, "lon": lon, "lat": lat, "time": time, "k": k or own.k,
               "dx": dx or own.dx, "dy": dy or own.dy, "dt": dt or own.dt}  # fmt: skip
        held = [one for one in self._held if one["time"] + one["dt"] >= time]
        rows = [*held, new]
        _, codes = np.unique([one["user"] for one in rows], return_inverse=True)
        numbers = [np.array([float(one[key]) for one in rows]) for key in ("lon", "lat", "time", "dx", "dy", "dt")]
        sizes = np.array([one["k"] for one in rows], dtype=np.int64)
        found = find_company(codes, *numbers[:3], sizes, *numbers[3:], np.arange(len(held)), len(held)).tolist()
        if not found:
            self._held.append(new)
            return []
        members = [*sorted(found), len(held)]
        box = _boxes(numbers[0][members], numbers[1][members], np.zeros(len(members), dtype=np.int64), own)
        edges = tuple(float(edge[0]) for edge in box)
        out = [rows[member] for member in members]
        self._held = [one for one in self._held if not any(one is gone for gone in out)]
        return [{**one, "box": edges, "when": time} for one in out]

    def leave(self, user: str) -> None:
        """Drop a person's request."""
        self._held = [one for one in self._held if one["user"] != user]

    def drop_expired(self, now: float) -> list[dict[str, Any]]:
        """Drop and return the requests whose patience has ended."""
        over = [one for one in self._held if one["time"] + one["dt"] < now]
        self._held = [one for one in self._held if one["time"] + one["dt"] >= now]
        return over
