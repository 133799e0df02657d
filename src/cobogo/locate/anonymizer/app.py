"""The privacy server on the web: a router that can be mounted anywhere, and an application of its own.

A device authenticates with the token it was enrolled with, and learns nothing about anybody else. Positions come in
bodies only, never in addresses, and no body, token or name is ever logged.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Protocol

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request

from cobogo import __version__
from cobogo.errors import NoSolution
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy
from cobogo.locate.anonymizer.cloaking import SERVER, SWEEP, Demand, Region, RegionTask, RequestOutcome, WaitingRequest
from cobogo.locate.anonymizer.devices import OPERATOR, PERSON, Devices
from cobogo.locate.anonymizer.guards import Locations, NearestQuestion, Wanted, Zone, guard
from cobogo.locate.anonymizer.server import PrivacyServer, ServiceReport
from cobogo.locate.crowds.mix_quality import measure_mix
from cobogo.locate.crowds.mix_zones import MixZone
from cobogo.locate.device import pick_nearest
from cobogo.locate.reports import Report, ReportArea


class Service(Protocol):
    """The location-based service, as the server calls it. Its methods raise `ConnectionError` where it does not
    answer."""

    async def find_nearest(
        self, areas: Sequence[ReportArea], count: int, kind: str | None, identity: str | None
    ) -> Sequence[Sequence[Any]]:
        """For each area, every place of a kind that may be among the ``count`` nearest to somebody in the area."""

    async def receive_reports(self, reports: Sequence[dict[str, Any]]) -> None:
        """Receive regions in which somebody is or was, with or without a name."""

    async def close(self) -> None:
        """Called when the server stops."""


AHEAD = 60.0
"""Seconds by which a device's clock may be ahead of the server's."""

EVERY = 0.25
"""Seconds between two attempts to answer the requests that wait: each goes through every report since they came."""

HEAVY = 5_000
"""Reports from which on cloaks are computed in another thread: with fewer, handing the work over takes as long."""

PACE = 2.0
"""Requests a second that one person may send in the long run."""

BURST = 120.0
"""Requests that one person may send at once."""

POSITIONS = 20
"""Positions in a body that count as one more request."""


class RequestPace:
    """A rate limit: a bucket for each person, which fills by `PACE` requests a second up to `BURST`.

    >>> pace = RequestPace()
    >>> [pace.allows("ana", 0.0, 100), pace.allows("ana", 0.0, 100), pace.allows("ana", 60.0, 100)]
    [True, False, True]
    """

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}

    def allows(self, user: str, now: float, cost: float = 1.0) -> bool:
        """Whether a request is within the limit; if so it is counted."""
        spent = self._left_over(user, now) + cost
        if spent > BURST:
            return False
        self._spent[user] = (spent, now)
        return True

    def expire(self, now: float) -> None:
        """Forget people whose bucket is full again."""
        self._spent = {user: one for user, one in self._spent.items() if self._left_over(user, now) > 0}

    def _left_over(self, user: str, now: float) -> float:
        spent, since = self._spent.get(user, (0.0, now))
        return max(spent - PACE * max(now - since, 0.0), 0.0)


class WaitingRoom:
    """Requests that wait for enough people, each with a future that its handler awaits; the thread in which cloaks are
    computed; and the timer by which positions are forgotten."""

    def __init__(self, server: PrivacyServer, clock: Callable[[], float]) -> None:
        self._server, self._clock = server, clock
        self.pace = RequestPace()
        self._futures: dict[int, asyncio.Future[RequestOutcome]] = {}
        self._last_attempt, self._attempting = 0.0, False
        self._aside = ThreadPoolExecutor(1, "cobogo-cloaks")  # one task at a time: the other cores answer requests
        self._turn = asyncio.Lock()
        self._sweeps: asyncio.AbstractEventLoop | None = None

    def charge(self, user: str, cost: float = 1.0) -> None:
        """Count a request, or refuse it (429) where its sender exceeds the limit."""
        if not self.pace.allows(user, self._clock(), cost):
            raise HTTPException(429, f"there are more than {PACE:g} requests a second: wait", {"Retry-After": "30"})

    def forget_in_time(self) -> None:
        """Start the timer that forgets positions when their time is over, whether requests come in or not."""
        loop = asyncio.get_running_loop()
        if self._sweeps is not loop:
            self._sweeps = loop
            loop.call_later(SWEEP, self._sweep)

    def _sweep(self) -> None:
        self._sweeps = None
        self._server.expire(self._clock())
        self.pace.expire(self._clock())
        if self._server.anonymizer.people:
            self.forget_in_time()

    async def settle(self, now: float) -> None:
        """Wake the requests whose wait is over. New regions are computed every `EVERY` seconds at most."""
        anonymizer = self._server.anonymizer
        if not self._futures:
            return
        regions: dict[int, Region | None] = {}
        if now >= self._last_attempt + EVERY and not self._attempting:
            self._last_attempt, self._attempting = now, True
            try:
                tasks = anonymizer.region_tasks(now)
                many = sum(len(task.points) for task in tasks) >= HEAVY
                regions = await self.run_aside(partial(_regions, tasks)) if many else _regions(tasks)
            finally:
                self._attempting = False
        for outcome in anonymizer.conclude(now, regions):
            future = self._futures.pop(outcome.ticket, None)
            if future is not None and not future.done():
                future.set_result(outcome)

    async def await_region(self, answer: RequestOutcome | WaitingRequest) -> Region:
        """The region of a request, as soon as there is one. Raises `NoSolution` when its patience ends first."""
        if isinstance(answer, WaitingRequest):
            request, future = answer, asyncio.get_running_loop().create_future()
            self._futures[request.ticket] = future
            try:
                await asyncio.wait({future}, timeout=request.demand.max_wait)
                if not future.done():
                    await self.settle(request.since + request.demand.max_wait)
            finally:
                self._futures.pop(request.ticket, None)
            answer = future.result() if future.done() else RequestOutcome(request.ticket, request.user, None)
        else:
            await self.settle(self._clock())  # others may have waited for this one
        if answer.region is None:
            raise NoSolution(
                tr("too few people were near"),
                where=SERVER,
                remedy=tr("Ask again later, or with a smaller k or a larger area."),
            )
        return answer.region

    async def draw_cloaks(self, user: str, demand: Demand) -> float:
        """Compute the cloaks of a large crowd in another thread, once for all who ask for the same; returns the moment
        that they are of."""
        anonymizer = self._server.anonymizer
        if anonymizer.people < HEAVY:
            return self._clock()
        async with self._turn:
            now = self._clock()
            task = anonymizer.cloak_task(user, now, demand)
            if task is not None:
                with suppress(NoSolution):  # too few people at all: the request may wait for them
                    anonymizer.keep_cloaks(task, await self.run_aside(task.compute))
            return now

    def run_aside(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Do some work in another thread."""
        return asyncio.get_running_loop().run_in_executor(self._aside, work)


def _regions(tasks: Sequence[RegionTask]) -> dict[int, Region | None]:
    return {task.request.ticket: task.compute() for task in tasks}


Dependency = Callable[..., str]


@dataclass(frozen=True)
class Access:
    """Who may call what: dependencies of FastAPI that return the name of a device's owner, of an operator, or of
    either, or refuse."""

    person: Dependency
    operator: Dependency
    anybody: Dependency


def token_access(devices: Devices) -> Access:
    """Access by tokens: one for each device, one for each operator."""

    def holder(request: Request) -> tuple[str, str]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        found = devices.owner(token.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise HTTPException(401, "give the token of an enrolled device", {"WWW-Authenticate": "Bearer"})
        return found

    def person(found: tuple[str, str] = Depends(holder)) -> str:
        if found[0] != PERSON:
            raise HTTPException(403, "this needs the token of a device")
        return found[1]

    def operator(found: tuple[str, str] = Depends(holder)) -> str:
        if found[0] != OPERATOR:
            raise HTTPException(403, "this needs the token of an operator")
        return found[1]

    def anybody(found: tuple[str, str] = Depends(holder)) -> str:
        return found[1]

    return Access(person, operator, anybody)


def router(  # noqa: PLR0915
    server: PrivacyServer,
    door: Access,
    *,
    service: Service | None = None,
    clock: Callable[[], float] = time.time,
) -> APIRouter:
    """The routes. With a ``service`` the server sends it the regions that it may know, asks it on the devices' behalf,
    and filters its answers."""

    @asynccontextmanager
    async def open_for(app: Any) -> AsyncIterator[None]:  # noqa: ARG001
        yield
        if service is not None:
            await service.close()

    routes, room = APIRouter(lifespan=open_for), WaitingRoom(server, clock)

    @routes.post("/locations")
    async def locations(body: Locations, user: str = Depends(door.person)) -> dict[str, Any]:
        now = clock()
        room.charge(user, 1 + len(body.positions) / POSITIONS)
        if body.release == "accumulated" and body.trip is None:
            raise HTTPException(422, "an accumulated release needs a trip")
        if any(one.time is not None and one.time > now + AHEAD for one in body.positions):
            raise HTTPException(422, "the time of a position is in the future: set the device's clock")
        positions = [(one.lon, one.lat, now if one.time is None else one.time) for one in body.positions]
        positions = sorted((one for one in positions if one[2] >= now - server.settings.memory), key=itemgetter(2))
        kept = body.trip if body.release == "accumulated" else None
        reportable = server.update(user, positions, trip=kept)
        room.forget_in_time()
        await room.settle(now)
        report = None
        if reportable and kept is None and service is not None and positions[-1][2] >= now - server.settings.max_age:
            report = server.current_report(user, await room.draw_cloaks(user, server.anonymizer.demand()))
        (sent,) = await _send_reports([report]) if report is not None else [None]
        return {"accepted": len(positions), "told": sent}

    @routes.delete("/locations")
    async def forget(user: str = Depends(door.person)) -> dict[str, str]:
        room.charge(user)
        server.forget(user)
        return {"status": "forgotten"}

    @routes.post("/cloak")
    async def cloak(body: Wanted, user: str = Depends(door.person)) -> dict[str, Any]:
        return (await _cloak_for(body, user)).as_dict()

    @routes.post("/noise")
    async def noise(user: str = Depends(door.person)) -> dict[str, float]:
        room.charge(user)
        lon, lat = server.noisy_position(user, clock())
        return {"lon": lon, "lat": lat}

    @routes.post("/nearest")
    async def nearest(body: NearestQuestion, user: str = Depends(door.person)) -> dict[str, Any]:
        if service is None:
            raise HTTPException(404, "this server has no service behind it")
        now = clock()
        lon, lat = server.anonymizer.place(user, now)
        report = await _cloak_for(body, user)
        areas = Report((), box=report.box).areas()
        try:
            (found,) = await service.find_nearest(areas, body.count, body.kind, report.identity)
        except ConnectionError:
            raise HTTPException(502, "the service did not answer") from None
        return {
            "places": [one.as_dict() for one in pick_nearest(found, lon, lat, body.count)],
            "told": report.as_dict(),
        }

    @routes.post("/trips/{trip}/release")
    async def release(trip: str, user: str = Depends(door.person)) -> dict[str, Any]:
        room.charge(user, POSITIONS)
        over = server.finished_trip(user, trip)
        report = await room.run_aside(over.reports) if len(over.others) >= HEAVY else over.reports()
        sent = await _send_reports(report)
        server.drop_trip(user, trip)
        return {"told": sent}

    @routes.get("/budget/{name}")
    async def budget(name: str, user: str = Depends(door.person)) -> dict[str, Any]:
        room.charge(user)
        if name != user:
            raise HTTPException(403, "only its owner can see a budget")
        if server.books is None:
            return {"budget": None}
        return dict(server.books.balance(user, clock()))

    @routes.get("/mixzones")
    async def zones(by: str = Depends(door.anybody)) -> dict[str, Any]:
        room.charge(by)
        return {"zones": [vars(zone) for zone in server.zones.zones]}

    @routes.post("/mixzones", status_code=201)
    async def add_zone(body: Zone, by: str = Depends(door.operator)) -> dict[str, Any]:  # noqa: ARG001
        try:
            server.zones.add(MixZone(**body.model_dump()))
        except ValueError as problem:
            raise HTTPException(409, str(problem)) from None
        return body.model_dump()

    @routes.delete("/mixzones/{name}")
    async def remove_zone(name: str, by: str = Depends(door.operator)) -> dict[str, str]:  # noqa: ARG001
        _check_zone(name)
        server.zones.remove(name)
        return {"status": "removed"}

    @routes.get("/mixzones/{name}/mix")
    async def measure(name: str, by: str = Depends(door.operator)) -> dict[str, Any]:
        room.charge(by, POSITIONS)
        _check_zone(name)
        inside, weights = server.zones.inside(name), server.zones.weights(name)
        found = await room.run_aside(partial(measure_mix, weights, Entropy()))
        return {"people": found.share.shape[1], "entropy": found.entropy, "most": found.most, "surest": found.surest,
                "exact": found.exact, "inside": inside}  # fmt: skip

    def _check_zone(name: str) -> None:
        if name not in {zone.name for zone in server.zones.zones}:
            raise HTTPException(404, "there is no such zone")

    async def _send_reports(reports: Sequence[ServiceReport]) -> list[dict[str, Any]]:
        sent = [one.as_dict() for one in reports]
        if service is not None and sent:
            try:
                await service.receive_reports(sent)
            except ConnectionError:
                raise HTTPException(502, "the service did not answer") from None
        return sent

    async def _cloak_for(body: Wanted, user: str) -> ServiceReport:
        room.charge(user)
        try:
            demand = server.anonymizer.demand(body.k, body.min_area, body.max_area, body.max_wait)
            answer, name = server.ask(user, await room.draw_cloaks(user, demand), demand), server.identity(user)
        except ValueError as problem:
            raise HTTPException(422, str(problem)) from None
        return server.report_region(user, await room.await_region(answer), name)

    return routes


def create_app(
    server: PrivacyServer,
    devices: Devices,
    *,
    service: Service | None = None,
    clock: Callable[[], float] = time.time,
) -> FastAPI:
    """An application with these routes and the guards before them."""
    app = FastAPI(title="Cobogó: trusted anonymizer", version=__version__, docs_url=None, redoc_url=None)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    app.include_router(router(server, token_access(devices), service=service, clock=clock))
    guard(app)
    return app
