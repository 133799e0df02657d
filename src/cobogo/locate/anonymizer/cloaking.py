"""The trusted anonymizer: it knows where everybody is, and tells a service no more than cloaks.

Positions come in one by one. A request for a cloak is answered from the latest position of everybody who was heard of
lately; where too few people are near, it is held until enough were seen about there, or until its patience ends and it
is refused (temporal cloaking, Gruteser and Grunwald 2003). What goes out is counted once more, from the cloak itself.

Drawing cloaks of a large crowd takes a while. A `CloakSketch` and a `WaitingLook` hold all that it takes, so that
another thread may do it; how much is done at once for requests that wait is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from cobogo.errors import DataError, NoSolution, VerificationFailed, number_of
from cobogo.floor.arrays import Ints
from cobogo.locate.anonymizer.records import PositionRecords
from cobogo.locate.crowds import CliqueCloak, Cloak, Cloaked
from cobogo.locate.crowds.base import people_of
from cobogo.locate.places.points import Points

Edges = tuple[float, float, float, float]

PICTURES = 8
"""Pictures of the city kept at a time, each for a k and a minimum area: one of 100,000 people takes 8 MB."""

WORK = 200_000
"""Reports gone through at a time for requests that wait: about 40 ms."""

WAITING = 1_000
"""Requests that may wait at a time."""

SWEEP = 60.0
"""Seconds between two looks for what is to be forgotten."""


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
class WaitingRequest:
    """A request that waits, with where its owner was when it was made."""

    ticket: int
    user: str
    lon: float
    lat: float
    since: float
    demand: Demand


@dataclass(frozen=True)
class RequestOutcome:
    """How a held request ended: with a region, or refused."""

    ticket: int
    user: str
    region: Region | None


@dataclass(frozen=True, eq=False)
class CloakPicture:
    """The cloaks of everybody at one moment, with which of them is whose."""

    now: float
    points: Points
    cloaked: Cloaked
    rows: Ints

    def row(self, person: int) -> int | None:
        """Where somebody is in it."""
        found = int(self.rows[person]) if person < len(self.rows) else -1
        return None if found < 0 else found

    def holds(self, row: int, lon: float, lat: float) -> bool:
        """Whether a place is in the cloak of somebody."""
        west, south, east, north = (float(edge[row]) for edge in self.cloaked.box)
        width = 360.0 if east - west >= 360 else (east - west) % 360
        return (lon - west) % 360 <= width and south <= lat <= north


@dataclass(frozen=True, eq=False)
class CloakSketch:
    """Everybody at one moment, before cloaks are drawn. ``known``: how often somebody was forgotten before."""

    method: Cloak
    now: float
    points: Points
    known: int

    @property
    def key(self) -> tuple[int, float]:
        """What pictures are told apart by."""
        return self.method.k, self.method.min_area

    def draw(self) -> CloakPicture:
        """Draw the cloaks."""
        assert self.points.user is not None
        cloaked = self.method.regions(self.points)
        rows = np.full(int(self.points.user.max(initial=-1)) + 1, -1, dtype=np.int64)
        rows[self.points.user] = np.arange(len(self.points))
        return CloakPicture(self.now, self.points, cloaked, rows)


@dataclass(frozen=True, eq=False)
class WaitingLook:
    """A request that waits, with everybody who was seen since; its owner's place is the last row."""

    held: WaitingRequest
    method: Cloak
    points: Points
    now: float

    def region(self) -> Region | None:
        """A cloak about where somebody asked, if there is one by now."""
        if people_of(self.points)[1] < self.held.demand.k:
            return None
        cloaked = self.method.regions(self.points)
        try:
            return _region(cloaked, len(self.points) - 1, self.points, self.held.demand, self.held.since, self.now)
        except NoSolution:
            return None


@dataclass
class Anonymizer:
    """Positions in, cloaks out.

    ``max_age``: people not heard of for so many seconds are nowhere. ``tick``: for so many seconds requests are
    answered from one picture of the city, so that those of one crowd get the same cloak. ``memory``: after so long
    every report is forgotten, the last one of a person as well, at the next `expire`.

    >>> from cobogo.locate.crowds import Hilbert
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
    _records: PositionRecords = field(default_factory=PositionRecords, repr=False)
    _pictures: dict[tuple[int, float], CloakPicture] = field(default_factory=dict, repr=False)
    _forgotten: int = field(default=0, repr=False)
    _swept: float = field(default=-np.inf, repr=False)
    _held: list[WaitingRequest] = field(default_factory=list, repr=False)
    _tickets: count[int] = field(default_factory=lambda: count(1), repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.method, CliqueCloak):
            raise ValueError("The 'method' parameter of Anonymizer must not be clique: use Gatherer for it")

    def update(self, user: str, lon: float, lat: float, time: float) -> None:
        """Somebody is somewhere. A report older than one that came before does not move them, but was seen."""
        self._records.add(user, lon, lat, time)
        if time >= self._swept + SWEEP:
            self.expire(time)

    def expire(self, now: float) -> None:
        """Forget every report that is older than the memory, and whoever was not heard of since; pictures that nobody
        is answered from any more, and requests that nobody asked the end of."""
        self._swept = now
        if self._records.expire(now - self.memory):
            self._forgotten, self._pictures = self._forgotten + 1, {}
        self._pictures = {key: one for key, one in self._pictures.items() if now - one.now <= self.tick}
        self._held = [held for held in self._held if now < held.since + held.demand.max_wait + SWEEP]

    @property
    def people(self) -> int:
        """Of how many something is kept."""
        return self._records.people

    def forget(self, user: str) -> None:
        """Somebody left: nothing of them is kept."""
        self._records.forget(user)
        self._forgotten, self._pictures = self._forgotten + 1, {}
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
        sketch = self.sketch(user, now, asked)
        if sketch is not None:
            self.hang(sketch, sketch.draw())
        picture = self._pictures[asked.k, asked.min_area]
        row = picture.row(self._person(user, now))
        assert row is not None
        return _region(picture.cloaked, row, picture.points, asked, now, now)

    def sketch(self, user: str, now: float, demand: Demand) -> CloakSketch | None:
        """What is to be drawn before a request can be answered; None where there is a picture of a moment ago, and the
        asker has not left their cloak in it."""
        person = self._person(user, now)
        known = self._pictures.get((demand.k, demand.min_area))
        if known is not None and 0 <= now - known.now <= self.tick:
            row = known.row(person)
            if row is not None and known.holds(row, *self._records.place(person)):
                return None
        return CloakSketch(self._method(demand), now, self._records.current(now - self.max_age), self._forgotten)

    def hang(self, sketch: CloakSketch, picture: CloakPicture) -> None:
        """Keep a picture for others of the same moment, in place of those that are too old or too many; not one with
        somebody in it who was forgotten while it was drawn."""
        if sketch.known != self._forgotten:
            return
        self._pictures.pop(sketch.key, None)
        fresh = [(one, kept) for one, kept in self._pictures.items() if picture.now - kept.now <= self.tick]
        self._pictures = {**dict(fresh[-(PICTURES - 1) :]), sketch.key: picture}

    def ask(self, user: str, now: float, demand: Demand | None = None) -> RequestOutcome | WaitingRequest:
        """A cloak at once, or a ticket for one: `settle` tells later what came of it."""
        asked = demand or self.demand()
        if any(held.user == user for held in self._held):
            raise NoSolution("a request of theirs waits already", remedy="Wait for its end.")
        ticket = next(self._tickets)
        try:
            return RequestOutcome(ticket, user, self.cloak(user, now, asked))
        except NoSolution:
            lon, lat = self._records.place(self._person(user, now))
            held = WaitingRequest(ticket, user, lon, lat, now, asked)
        if not asked.max_wait:
            return RequestOutcome(ticket, user, None)
        if self.waiting >= WAITING:
            raise NoSolution(f"{WAITING:,} requests wait already", remedy="Ask again later, or do not wait.")
        self._held.append(held)
        return held

    def settle(self, now: float) -> list[RequestOutcome]:
        """What came of requests that waited: those for whom enough people were seen meanwhile, and those whose patience
        has ended."""
        return self.conclude(now, {look.held.ticket: look.region() for look in self.looks(now)})

    def looks(self, now: float) -> list[WaitingLook]:
        """The requests whose turn it is: those whose patience ends, then those that were not looked at for longest, as
        many as `WORK` allows for."""
        due = sorted(self._held, key=lambda held: now < held.since + held.demand.max_wait)
        due = due[: max(WORK // max(self._records.size, 1), 1)]
        turn = {held.ticket for held in due}
        self._held = [held for held in self._held if held.ticket not in turn] + due
        return [look for held in due if (look := self._look(held, now)) is not None]

    def conclude(self, now: float, regions: Mapping[int, Region | None]) -> list[RequestOutcome]:
        """End the requests that have a region, and those whose patience has ended."""
        done = [
            RequestOutcome(held.ticket, held.user, regions.get(held.ticket))
            for held in self._held
            if regions.get(held.ticket) is not None or now >= held.since + held.demand.max_wait
        ]
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

    def _method(self, asked: Demand) -> Cloak:
        return replace(self.method, k=asked.k, min_area=asked.min_area)

    def _look(self, held: WaitingRequest, now: float) -> WaitingLook | None:
        """Everybody who was seen since somebody asked, and where they asked."""
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
        return WaitingLook(held, self._method(held.demand), points, now)


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
