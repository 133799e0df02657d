"""The trusted anonymizer: it knows where everybody is, and tells a service no more than cloaks.

Positions come in one by one. A request for a cloak is answered from the latest position of everybody who was heard of
lately; where too few people are near, it is held until enough were seen about there, or until its patience ends and it
is refused (temporal cloaking, Gruteser and Grunwald 2003). What goes out is counted once more, from the cloak itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from cobogo.errors import DataError, NoSolution, VerificationFailed, number_of
from cobogo.location.cloaks import Clique, Cloak, Cloaked
from cobogo.location.cloaks.base import people_of
from cobogo.location.points import Points
from cobogo.location.records import Records

Edges = tuple[float, float, float, float]


@dataclass(frozen=True)
class Region:
    """What may go out in place of a position: a rectangle in degrees (west, south, east, north) and a span of time.

    ``people`` is how many were counted in it; it stays with the anonymizer.
    """

    box: Edges
    since: float
    until: float
    people: int
    area: float


@dataclass(frozen=True)
class Demand:
    """What a request asks for: k people, at least so many square metres, at most so many, and how long it may wait."""

    k: int
    min_area: float = 0.0
    max_area: float = float("inf")
    max_wait: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.min_area <= self.max_area:
            raise ValueError(f"The 'min_area' parameter must be of 0 to max_area. Got {self.min_area!r} instead")
        if not self.max_wait >= 0:
            raise ValueError(f"The 'max_wait' parameter must be 0 or above. Got {self.max_wait!r} instead")


@dataclass(frozen=True)
class Held:
    """A request that waits, with where its owner was when it was made."""

    ticket: int
    user: str
    lon: float
    lat: float
    since: float
    demand: Demand


@dataclass(frozen=True)
class Outcome:
    """How a held request ended: with a region, or refused."""

    ticket: int
    user: str
    region: Region | None


@dataclass
class Anonymizer:
    """Positions in, cloaks out.

    ``max_age``: people not heard of for so many seconds are nowhere. ``tick``: for so many seconds requests are
    answered from one picture of the city, so that those of one crowd get the same cloak. ``memory``: for so long
    reports are kept for requests that wait.

    >>> from cobogo.location.cloaks import Hilbert
    >>> anonymizer = Anonymizer(Hilbert(2))
    >>> anonymizer.update("ana", -38.50, -3.70, 0.0)
    >>> anonymizer.update("bia", -38.51, -3.71, 1.0)
    >>> anonymizer.cloak("ana", 2.0).people
    2
    """

    method: Cloak
    max_age: float = 600.0
    tick: float = 1.0
    memory: float = 3600.0
    _records: Records = field(default_factory=Records, repr=False)
    _pictures: dict[tuple[int, float], tuple[float, Points, Cloaked, dict[int, int]]] = field(
        default_factory=dict, repr=False
    )
    _held: list[Held] = field(default_factory=list, repr=False)
    _tickets: count[int] = field(default_factory=lambda: count(1), repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.method, Clique):
            raise ValueError("The 'method' parameter of Anonymizer must not be clique: use Gatherer for it")

    def update(self, user: str, lon: float, lat: float, time: float) -> None:
        """Somebody is somewhere. A report older than one that came before does not move them, but was seen."""
        self._records.add(user, lon, lat, time)
        self._records.prune(time - self.memory)

    def forget(self, user: str) -> None:
        """Somebody left: nothing of them is kept."""
        self._records.forget(user)
        self._pictures.clear()
        self._held = [one for one in self._held if one.user != user]

    def place(self, user: str, now: float) -> tuple[float, float]:
        """Where somebody is, for whoever may know it."""
        return self._records.place(self._person(user, now))

    def number(self, user: str) -> int | None:
        """Whose reports are somebody's in `seen`."""
        return self._records.number(user)

    def seen(self, since: float, until: float) -> Points:
        """All reports of a span of time, as far back as they are kept."""
        return self._records.seen(since, until)

    def demand(
        self, k: int | None = None, min_area: float | None = None, max_area: float | None = None, max_wait: float = 0.0
    ) -> Demand:
        """A demand, with what the method asks for where nothing else is said."""
        least = self.method.min_area if min_area is None else min_area
        return Demand(k or self.method.k, least, float("inf") if max_area is None else max_area, max_wait)

    def cloak(self, user: str, now: float, demand: Demand | None = None) -> Region:
        """A cloak at once. Raises `NoSolution` where there is none within the demand."""
        asked = demand or self.demand()
        person = self._person(user, now)
        points, cloaked, rows = self._picture(asked, now, person)
        return self._region(cloaked, rows[person], points, asked, now, now)

    def ask(self, user: str, now: float, demand: Demand | None = None) -> Outcome | Held:
        """A cloak at once, or a ticket for one: `settle` tells later what came of it."""
        asked = demand or self.demand()
        if any(held.user == user for held in self._held):
            raise NoSolution("a request of theirs waits already", remedy="Wait for its end.")
        ticket = next(self._tickets)
        try:
            return Outcome(ticket, user, self.cloak(user, now, asked))
        except NoSolution:
            lon, lat = self._records.place(self._person(user, now))
            held = Held(ticket, user, lon, lat, now, asked)
        if not asked.max_wait:
            return Outcome(ticket, user, None)
        self._held.append(held)
        return held

    def settle(self, now: float) -> list[Outcome]:
        """What came of requests that waited: those for whom enough people were seen meanwhile, and those whose patience
        has ended."""
        done = []
        for held in self._held:
            region = self._later(held, now)
            if region is not None or now >= held.since + held.demand.max_wait:
                done.append(Outcome(held.ticket, held.user, region))
        over = {outcome.ticket for outcome in done}
        self._held = [held for held in self._held if held.ticket not in over]
        return done

    @property
    def waiting(self) -> int:
        """How many requests are held."""
        return len(self._held)

    def _person(self, user: str, now: float) -> int:
        person = self._records.number(user)
        if person is None or self._records.last(person) < now - self.max_age:
            raise DataError(
                "has not said where they are lately", where="the one who asks", remedy="Send a position first."
            )
        return person

    def _picture(self, asked: Demand, now: float, person: int) -> tuple[Points, Cloaked, dict[int, int]]:
        """The cloaks of everybody as of now, or of a moment ago where the asker has not left theirs."""
        key = (asked.k, asked.min_area)
        known = self._pictures.get(key)
        if known is not None and 0 <= now - known[0] <= self.tick and person in known[3]:
            _, points, cloaked, rows = known
            row = rows[person]
            lon, lat = self._records.place(person)
            if _holds(cloaked, row, lon, lat):
                return points, cloaked, rows
        points = self._records.current(now - self.max_age)
        assert points.user is not None
        cloaked = self._method(asked).regions(points)
        rows = {int(one): row for row, one in enumerate(points.user)}
        self._pictures = {kept: picture for kept, picture in self._pictures.items() if now - picture[0] <= self.tick}
        self._pictures[key] = (now, points, cloaked, rows)
        return points, cloaked, rows

    def _method(self, asked: Demand) -> Cloak:
        return replace(self.method, k=asked.k, min_area=asked.min_area)

    def _later(self, held: Held, now: float) -> Region | None:
        """A cloak about where somebody asked, counting everybody who was seen since."""
        person = self._records.number(held.user)
        if person is None:
            return None
        seen = self._records.seen(held.since, now, also=self._records.current(now - self.max_age))
        assert seen.user is not None
        others = seen.take(seen.user != person)
        assert others.user is not None
        points = Points(
            np.append(others.lon, held.lon), np.append(others.lat, held.lat), None, np.append(others.user, person)
        )
        if people_of(points)[1] < held.demand.k:
            return None
        cloaked = self._method(held.demand).regions(points)
        try:
            return self._region(cloaked, len(points) - 1, points, held.demand, held.since, now)
        except NoSolution:
            return None

    @staticmethod
    def _region(cloaked: Cloaked, row: int, points: Points, asked: Demand, since: float, until: float) -> Region:
        west, south, east, north = (edge[row : row + 1] for edge in cloaked.box)
        one = Cloaked((west, south, east, north))
        if one.refused[0] or not asked.min_area * (1 - 1e-9) <= float(one.area[0]) <= asked.max_area:
            raise NoSolution(
                f"no region within the areas asked for holds {number_of(asked.k, 'person', 'people')}",
                remedy="Wait, or ask for a smaller k or a larger area.",
            )
        people = one.people_in(0, points)
        if people < asked.k:
            raise VerificationFailed("a cloak holds fewer people than it promised, and was not given away")
        box = (float(west[0]), float(south[0]), float(east[0]), float(north[0]))
        return Region(box, since, until, people, float(one.area[0]))


def _holds(cloaked: Cloaked, row: int, lon: float, lat: float) -> bool:
    west, south, east, north = (float(edge[row]) for edge in cloaked.box)
    width = 360.0 if east - west >= 360 else (east - west) % 360
    return (lon - west) % 360 <= width and south <= lat <= north
