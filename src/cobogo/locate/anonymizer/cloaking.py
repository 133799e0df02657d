"""The trusted anonymizer: it knows where everybody is, and gives cloaks to a service.

Positions come in one by one. A request for a cloak is answered from the latest position of everybody who reported
lately. Where too few people are near, the request waits until enough have reported from there, or until its patience
ends and it is refused (temporal cloaking, Gruteser and Grunwald 2003). The people in a cloak are counted once more,
from the cloak itself, before it goes out.

Computing the cloaks of a large crowd takes a while. A `CloakTask` and a `RegionTask` hold all that it takes, so that
another thread may do it; the work that is done at once for waiting requests is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from cobogo.errors import DataError, NoSolution, VerificationFailed
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr, trn
from cobogo.locate.anonymizer.records import PositionRecords
from cobogo.locate.crowds import CliqueCloak, Cloak, Cloaked
from cobogo.locate.crowds.base import people_of
from cobogo.locate.places.points import Points

Edges = tuple[float, float, float, float]

KEPT_CLOAKS = 8
"""Sets of cloaks kept at a time, each for one k and one minimum area: those of 100,000 people take 8 MB."""

WORK = 200_000
"""Reports gone through at a time for waiting requests: about 40 ms, for which other requests wait in turn."""

WAITING = 1_000
"""Requests that may wait at a time."""

SERVER = tr("the anonymizer")
TOO_FEW = tr("a cloak has fewer people than promised, and was not released")
OUR_FAULT = tr("This is an error of Cobogó: please report it.")

SWEEP = 60.0
"""Seconds between two sweeps that forget old reports."""


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
            raise ValueError(f"The 'min_area' parameter must be from 0 to max_area. Got {self.min_area!r} instead")
        if not self.max_wait >= 0:
            raise ValueError(f"The 'max_wait' parameter must be 0 or more. Got {self.max_wait!r} instead")


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
    """How a request ended: with a region, or refused."""

    ticket: int
    user: str
    region: Region | None


@dataclass(frozen=True, eq=False)
class CityCloaks:
    """The cloaks of everybody at one moment; ``rows[person]`` is the row of a person's cloak, or −1."""

    now: float
    points: Points
    cloaked: Cloaked
    rows: Ints

    def row(self, person: int) -> int | None:
        """The row of a person's cloak; None where they have none."""
        found = int(self.rows[person]) if person < len(self.rows) else -1
        return None if found < 0 else found

    def holds(self, row: int, lon: float, lat: float) -> bool:
        """Whether a place is in the cloak of a row."""
        west, south, east, north = (float(edge[row]) for edge in self.cloaked.box)
        width = 360.0 if east - west >= 360 else (east - west) % 360
        return (lon - west) % 360 <= width and south <= lat <= north


@dataclass(frozen=True, eq=False)
class CloakTask:
    """Everybody's position at one moment, from which cloaks are computed, in any thread.

    ``known``: how many times people had been forgotten by then; cloaks with people who were forgotten since are not
    kept.
    """

    method: Cloak
    now: float
    points: Points
    known: int

    @property
    def key(self) -> tuple[int, float]:
        """The k and the minimum area that the cloaks are for."""
        return self.method.k, self.method.min_area

    def compute(self) -> CityCloaks:
        """The cloaks of everybody."""
        assert self.points.user is not None
        cloaked = self.method.regions(self.points)
        rows = np.full(int(self.points.user.max(initial=-1)) + 1, -1, dtype=np.int64)
        rows[self.points.user] = np.arange(len(self.points))
        return CityCloaks(self.now, self.points, cloaked, rows)


@dataclass(frozen=True, eq=False)
class RegionTask:
    """A waiting request and all reports since it came, from which its region is computed, in any thread. The last row
    is where its owner was."""

    request: WaitingRequest
    method: Cloak
    points: Points
    now: float

    def compute(self) -> Region | None:
        """A cloak around the place of the request; None where there are still too few people."""
        if people_of(self.points)[1] < self.request.demand.k:
            return None
        cloaked = self.method.regions(self.points)
        try:
            return _region(
                cloaked, len(self.points) - 1, self.points, self.request.demand, self.request.since, self.now
            )
        except NoSolution:
            return None


@dataclass
class Anonymizer:
    """Positions in, cloaks out.

    ``max_age``: people who have not reported for so many seconds do not count. ``tick``: for so many seconds requests
    are answered from the same set of cloaks, so that a crowd gets one cloak. ``memory``: after so many seconds every
    report is forgotten, the last one of a person as well, at the next `expire`.

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
    _cloaks: dict[tuple[int, float], CityCloaks] = field(default_factory=dict, repr=False)
    _forgotten: int = field(default=0, repr=False)
    _swept: float = field(default=-np.inf, repr=False)
    _waiting: list[WaitingRequest] = field(default_factory=list, repr=False)
    _tickets: count[int] = field(default_factory=lambda: count(1), repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.method, CliqueCloak):
            raise ValueError("The 'method' parameter of Anonymizer must not be clique: use Gatherer for it")

    def update(self, user: str, lon: float, lat: float, time: float) -> None:
        """Take in a report. One that is older than a person's last report counts as seen, but does not move them."""
        self._records.add(user, lon, lat, time)
        if time >= self._swept + SWEEP:
            self.expire(time)

    def expire(self, now: float) -> None:
        """Forget every report older than the memory, people without a later one, cloaks that are out of date, and
        requests whose outcome was never collected."""
        self._swept = now
        if self._records.expire(now - self.memory):
            self._forgotten, self._cloaks = self._forgotten + 1, {}
        self._cloaks = {key: one for key, one in self._cloaks.items() if now - one.now <= self.tick}
        self._waiting = [request for request in self._waiting if now < request.since + request.demand.max_wait + SWEEP]

    @property
    def people(self) -> int:
        """The number of people of whom a report is kept."""
        return self._records.people

    def forget(self, user: str) -> None:
        """Forget everything about a person."""
        self._records.forget(user)
        self._forgotten, self._cloaks = self._forgotten + 1, {}
        self._waiting = [one for one in self._waiting if one.user != user]

    def place(self, user: str, now: float) -> tuple[float, float]:
        """A person's last position."""
        return self._records.place(self._person(user, now))

    def number(self, user: str) -> int | None:
        """The number of a person in `reports_between`."""
        return self._records.number(user)

    def reports_between(self, since: float, until: float) -> Points:
        """All reports of a span of time that are still kept."""
        return self._records.reports_between(since, until)

    def demand(
        self, k: int | None = None, min_area: float | None = None, max_area: float | None = None, max_wait: float = 0.0
    ) -> Demand:
        """A demand; what is not given is that of the method."""
        least = self.method.min_area if min_area is None else min_area
        return Demand(k or self.method.k, least, float("inf") if max_area is None else max_area, max_wait)

    def cloak(self, user: str, now: float, demand: Demand | None = None) -> Region:
        """A cloak at once. Raises `NoSolution` where there is none within the demand."""
        demand = demand or self.demand()
        task = self.cloak_task(user, now, demand)
        if task is not None:
            self.keep_cloaks(task, task.compute())
        cloaks = self._cloaks[demand.k, demand.min_area]
        row = cloaks.row(self._person(user, now))
        assert row is not None
        return _region(cloaks.cloaked, row, cloaks.points, demand, now, now)

    def cloak_task(self, user: str, now: float, demand: Demand) -> CloakTask | None:
        """The work to do before a request can be answered; None where cloaks of a moment ago are kept and the person is
        still in theirs."""
        person = self._person(user, now)
        known = self._cloaks.get((demand.k, demand.min_area))
        if known is not None and 0 <= now - known.now <= self.tick:
            row = known.row(person)
            if row is not None and known.holds(row, *self._records.place(person)):
                return None
        return CloakTask(self._method(demand), now, self._records.current(now - self.max_age), self._forgotten)

    def keep_cloaks(self, task: CloakTask, cloaks: CityCloaks) -> None:
        """Keep cloaks for other requests of the same moment, in place of those that are too old or too many. Cloaks of
        somebody who was forgotten while they were computed are not kept."""
        if task.known != self._forgotten:
            return
        self._cloaks.pop(task.key, None)
        fresh = [(one, kept) for one, kept in self._cloaks.items() if cloaks.now - kept.now <= self.tick]
        self._cloaks = {**dict(fresh[-(KEPT_CLOAKS - 1) :]), task.key: cloaks}

    def ask(self, user: str, now: float, demand: Demand | None = None) -> RequestOutcome | WaitingRequest:
        """A cloak at once, or a ticket for one, whose outcome `settle` returns later."""
        demand = demand or self.demand()
        if any(request.user == user for request in self._waiting):
            raise NoSolution(
                tr("a request of this person is already waiting"), where=SERVER, remedy=tr("Wait until it is answered.")
            )
        ticket = next(self._tickets)
        try:
            return RequestOutcome(ticket, user, self.cloak(user, now, demand))
        except NoSolution:
            lon, lat = self._records.place(self._person(user, now))
            request = WaitingRequest(ticket, user, lon, lat, now, demand)
        if not demand.max_wait:
            return RequestOutcome(ticket, user, None)
        if self.waiting >= WAITING:
            raise NoSolution(
                tr("{waiting:,} requests are already waiting", waiting=WAITING),
                where=SERVER,
                remedy=tr("Ask again later, or do not wait."),
            )
        self._waiting.append(request)
        return request

    def settle(self, now: float) -> list[RequestOutcome]:
        """The outcomes of waiting requests that have found enough people, or whose patience has ended."""
        return self.conclude(now, {task.request.ticket: task.compute() for task in self.region_tasks(now)})

    def region_tasks(self, now: float) -> list[RegionTask]:
        """The work for the requests whose turn it is: those whose patience ends, then those that have gone longest
        without an attempt, as many as `WORK` allows."""
        due = sorted(self._waiting, key=lambda request: now < request.since + request.demand.max_wait)
        due = due[: max(WORK // max(self._records.size, 1), 1)]
        turn = {request.ticket for request in due}
        self._waiting = [request for request in self._waiting if request.ticket not in turn] + due
        return [task for request in due if (task := self._region_task(request, now)) is not None]

    def conclude(self, now: float, regions: Mapping[int, Region | None]) -> list[RequestOutcome]:
        """End the requests that have a region, and those whose patience has ended."""
        done = [
            RequestOutcome(request.ticket, request.user, regions.get(request.ticket))
            for request in self._waiting
            if regions.get(request.ticket) is not None or now >= request.since + request.demand.max_wait
        ]
        over = {outcome.ticket for outcome in done}
        self._waiting = [request for request in self._waiting if request.ticket not in over]
        return done

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def _person(self, user: str, now: float) -> int:
        person = self._records.number(user)
        if person is None or self._records.last_time(person) < now - self.max_age:
            raise DataError(
                tr("this person has sent no position lately"),
                where=SERVER,
                remedy=tr("Send a position first."),
            )
        return person

    def _method(self, demand: Demand) -> Cloak:
        return replace(self.method, k=demand.k, min_area=demand.min_area)

    def _region_task(self, request: WaitingRequest, now: float) -> RegionTask | None:
        """All reports of others since a request came, and its own place."""
        person = self._records.number(request.user)
        if person is None:
            return None
        reports = self._records.reports_between(request.since, now, also=self._records.current(now - self.max_age))
        assert reports.user is not None
        others = reports.take(reports.user != person)
        assert others.user is not None
        points = Points(
            np.append(others.lon, request.lon), np.append(others.lat, request.lat), None, np.append(others.user, person)
        )
        return RegionTask(request, self._method(request.demand), points, now)


def _region(cloaked: Cloaked, row: int, points: Points, demand: Demand, since: float, until: float) -> Region:
    west, south, east, north = (edge[row : row + 1] for edge in cloaked.box)
    one = Cloaked((west, south, east, north))
    if one.refused[0] or not demand.min_area * (1 - 1e-9) <= float(one.area[0]) <= demand.max_area:
        raise NoSolution(
            trn(
                "no region of the requested area has {n:,} person",
                "no region of the requested area has {n:,} people",
                n=demand.k,
            ),
            where=SERVER,
            remedy=tr("Wait, or ask for a smaller k or a larger area."),
        )
    people = one.people_in(0, points)
    if people < demand.k:
        raise VerificationFailed(TOO_FEW, where=SERVER, remedy=OUR_FAULT)
    box = (float(west[0]), float(south[0]), float(east[0]), float(north[0]))
    return Region(box, since, until, people, float(one.area[0]))
