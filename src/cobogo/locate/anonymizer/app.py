"""The privacy server on the web: a router that can be mounted anywhere, and an application of its own.

A device talks with the token it was enrolled with, and hears of nobody but itself. Positions come in bodies only, never
in addresses, and no body, token or name is ever logged.
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
from cobogo.floor.randomness import Entropy
from cobogo.locate.anonymizer.cloaking import SWEEP, Demand, Region, RequestOutcome, WaitingLook, WaitingRequest
from cobogo.locate.anonymizer.devices import OPERATOR, PERSON, Devices
from cobogo.locate.anonymizer.guards import guard
from cobogo.locate.anonymizer.requests import Locations, NearestQuestion, Wanted, Zone
from cobogo.locate.anonymizer.server import PrivacyServer, ServiceReport
from cobogo.locate.crowds.mix_quality import mix
from cobogo.locate.crowds.mix_zones import MixZone
from cobogo.locate.device.client import nearest_of
from cobogo.locate.device.reports import Report, ReportArea


class Service(Protocol):
    """The location-based service, as the server talks to it. It raises `ConnectionError` where it cannot answer."""

    async def asked(
        self, areas: Sequence[ReportArea], count: int, kind: str | None, identity: str | None
    ) -> Sequence[Sequence[Any]]:
        """For each area every place of a kind that may be among the so many nearest of somebody in it."""

    async def told(self, reports: Sequence[dict[str, Any]]) -> None:
        """Where somebody, or nobody in particular, is or was."""

    async def close(self) -> None:
        """The server stops."""


AHEAD = 60.0
"""Seconds by which a device's clock may be before the server's."""

EVERY = 0.25
"""Seconds between two looks at requests that wait."""

HEAVY = 5_000
"""Reports from which on cloaks are drawn in another thread: below, handing it over takes as long."""

PACE = 2.0
"""Requests a second that somebody may send for long."""

BURST = 120.0
"""Requests that somebody may send at once."""

POSITIONS = 20
"""Positions that count as one request more."""


class RequestPace:
    """How fast anybody may ask: a bucket for each, which fills by `PACE` a second up to `BURST`.

    >>> pace = RequestPace()
    >>> [pace.allows("ana", 0.0, 100), pace.allows("ana", 0.0, 100), pace.allows("ana", 60.0, 100)]
    [True, False, True]
    """

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}

    def allows(self, user: str, now: float, cost: float = 1.0) -> bool:
        """Whether a request may go on; it is counted if so."""
        spent = self._left_over(user, now) + cost
        if spent > BURST:
            return False
        self._spent[user] = (spent, now)
        return True

    def expire(self, now: float) -> None:
        """Forget those whose bucket is full again."""
        self._spent = {user: one for user, one in self._spent.items() if self._left_over(user, now) > 0}

    def _left_over(self, user: str, now: float) -> float:
        spent, since = self._spent.get(user, (0.0, now))
        return max(spent - PACE * max(now - since, 0.0), 0.0)


class Room:
    """Requests that wait for enough people, each with a future that its handler sits on; pictures that are being drawn
    in other threads; and the clock by which things are forgotten."""

    def __init__(self, server: PrivacyServer, clock: Callable[[], float]) -> None:
        self._server, self._clock = server, clock
        self.pace = RequestPace()
        self._futures: dict[int, asyncio.Future[RequestOutcome]] = {}
        self._looked, self._looking = 0.0, False
        self._aside = ThreadPoolExecutor(1, "cobogo-cloaks")  # one thing at a time: the rest is for who asks
        self._turn = asyncio.Lock()
        self._sweeps: asyncio.AbstractEventLoop | None = None

    def charge(self, user: str, cost: float = 1.0) -> None:
        """Refuse one who asks too fast."""
        if not self.pace.allows(user, self._clock(), cost):
            raise HTTPException(429, f"more than {PACE:g} requests a second", {"Retry-After": "30"})

    def forget_in_time(self) -> None:
        """See to it that what is kept is forgotten when its time comes, whether anybody asks or not."""
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
        """Wake those whose wait is over. Who is about is looked at now and then, not each time."""
        anonymizer = self._server.anonymizer
        if not self._futures:
            return
        regions: dict[int, Region | None] = {}
        if now >= self._looked + EVERY and not self._looking:
            self._looked, self._looking = now, True
            try:
                looks = anonymizer.looks(now)
                many = sum(len(look.points) for look in looks) >= HEAVY
                regions = await self.aside(partial(_regions, looks)) if many else _regions(looks)
            finally:
                self._looking = False
        for outcome in anonymizer.conclude(now, regions):
            future = self._futures.pop(outcome.ticket, None)
            if future is not None and not future.done():
                future.set_result(outcome)

    async def region(self, asked: RequestOutcome | WaitingRequest) -> Region:
        """The region of a request, as soon as it has one; `NoSolution` when it has waited in vain."""
        if isinstance(asked, WaitingRequest):
            held, future = asked, asyncio.get_running_loop().create_future()
            self._futures[held.ticket] = future
            try:
                await asyncio.wait({future}, timeout=held.demand.max_wait)
                if not future.done():
                    await self.settle(held.since + held.demand.max_wait)
            finally:
                self._futures.pop(held.ticket, None)
            asked = future.result() if future.done() else RequestOutcome(held.ticket, held.user, None)
        else:
            await self.settle(self._clock())  # others may have waited for this one
        if asked.region is None:
            raise NoSolution("too few people were near", remedy="Ask again later, with a smaller k or a larger area.")
        return asked.region

    async def draw(self, user: str, demand: Demand) -> float:
        """Have cloaks of a large crowd drawn in another thread, one after the other and once for all who ask for the
        same; returns as of when they are."""
        anonymizer = self._server.anonymizer
        if anonymizer.people < HEAVY:
            return self._clock()
        async with self._turn:
            now = self._clock()
            sketch = anonymizer.sketch(user, now, demand)
            if sketch is not None:
                with suppress(NoSolution):  # too few people at all: the request may wait for them
                    anonymizer.hang(sketch, await self.aside(sketch.draw))
            return now

    def aside(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Do something in another thread."""
        return asyncio.get_running_loop().run_in_executor(self._aside, work)


def _regions(looks: Sequence[WaitingLook]) -> dict[int, Region | None]:
    return {look.held.ticket: look.region() for look in looks}


Who = Callable[..., str]


@dataclass(frozen=True)
class Door:
    """Who may come in: dependencies of FastAPI that name a device's owner, an operator, or either, or refuse."""

    person: Who
    operator: Who
    anybody: Who


def tokens(devices: Devices) -> Door:
    """The door of an anonymizer of its own: a token for each device, one for each operator."""

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

    return Door(person, operator, anybody)


def router(  # noqa: PLR0915
    server: PrivacyServer,
    door: Door,
    *,
    service: Service | None = None,
    clock: Callable[[], float] = time.time,
) -> APIRouter:
    """The routes. With a ``service`` the server tells it what it may hear, asks it in the devices' stead, and filters
    its answers."""

    @asynccontextmanager
    async def open_for(app: Any) -> AsyncIterator[None]:  # noqa: ARG001
        yield
        if service is not None:
            await service.close()

    routes, room = APIRouter(lifespan=open_for), Room(server, clock)

    @routes.post("/locations")
    async def locations(body: Locations, user: str = Depends(door.person)) -> dict[str, Any]:
        now = clock()
        room.charge(user, 1 + len(body.positions) / POSITIONS)
        if body.release == "accumulated" and body.trip is None:
            raise HTTPException(422, "an accumulated release needs a trip")
        if any(one.time is not None and one.time > now + AHEAD for one in body.positions):
            raise HTTPException(422, "a position is from the future: set the device's clock")
        positions = [(one.lon, one.lat, now if one.time is None else one.time) for one in body.positions]
        positions = sorted((one for one in positions if one[2] >= now - server.settings.memory), key=itemgetter(2))
        kept = body.trip if body.release == "accumulated" else None
        heard = server.update(user, positions, trip=kept)
        room.forget_in_time()
        await room.settle(now)
        told = None
        if heard and kept is None and service is not None and positions[-1][2] >= now - server.settings.max_age:
            told = server.current(user, await room.draw(user, server.anonymizer.demand()))
        (said,) = await _told([told]) if told is not None else [None]
        return {"accepted": len(positions), "told": said}

    @routes.delete("/locations")
    async def forget(user: str = Depends(door.person)) -> dict[str, str]:
        room.charge(user)
        server.forget(user)
        return {"status": "forgotten"}

    @routes.post("/cloak")
    async def cloak(body: Wanted, user: str = Depends(door.person)) -> dict[str, Any]:
        return (await _cloaked(body, user)).as_dict()

    @routes.post("/noise")
    async def noise(user: str = Depends(door.person)) -> dict[str, float]:
        room.charge(user)
        lon, lat = server.noisy(user, clock())
        return {"lon": lon, "lat": lat}

    @routes.post("/nearest")
    async def nearest(body: NearestQuestion, user: str = Depends(door.person)) -> dict[str, Any]:
        if service is None:
            raise HTTPException(404, "this server has no service behind it")
        now = clock()
        lon, lat = server.anonymizer.place(user, now)
        told = await _cloaked(body, user)
        areas = Report((), box=told.box).areas()
        try:
            (found,) = await service.asked(areas, body.count, body.kind, told.identity)
        except ConnectionError:
            raise HTTPException(502, "the service did not answer") from None
        return {"places": [one.as_dict() for one in nearest_of(found, lon, lat, body.count)], "told": told.as_dict()}

    @routes.post("/trips/{trip}/release")
    async def release(trip: str, user: str = Depends(door.person)) -> dict[str, Any]:
        room.charge(user, POSITIONS)
        over = server.trip(user, trip)
        told = await room.aside(over.told) if len(over.others) >= HEAVY else over.told()
        said = await _told(told)
        server.drop(user, trip)
        return {"told": said}

    @routes.get("/budget/{name}")
    async def budget(name: str, user: str = Depends(door.person)) -> dict[str, Any]:
        room.charge(user)
        if name != user:
            raise HTTPException(403, "a budget is for its owner's eyes")
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
    async def mixed(name: str, by: str = Depends(door.operator)) -> dict[str, Any]:
        room.charge(by, POSITIONS)
        _check_zone(name)
        inside, weights = server.zones.inside(name), server.zones.weights(name)
        found = await room.aside(partial(mix, weights, Entropy()))
        return {"people": found.share.shape[1], "entropy": found.entropy, "most": found.most, "surest": found.surest,
                "exact": found.exact, "inside": inside}  # fmt: skip

    def _check_zone(name: str) -> None:
        if name not in {zone.name for zone in server.zones.zones}:
            raise HTTPException(404, "there is no such zone")

    async def _told(reports: Sequence[ServiceReport]) -> list[dict[str, Any]]:
        said = [one.as_dict() for one in reports]
        if service is not None and said:
            try:
                await service.told(said)
            except ConnectionError:
                raise HTTPException(502, "the service did not answer") from None
        return said

    async def _cloaked(body: Wanted, user: str) -> ServiceReport:
        room.charge(user)
        try:
            demand = server.anonymizer.demand(body.k, body.min_area, body.max_area, body.max_wait)
            asked, name = server.ask(user, await room.draw(user, demand), demand), server.identity(user)
        except ValueError as problem:
            raise HTTPException(422, str(problem)) from None
        return server.told(user, await room.region(asked), name)

    return routes


def create_app(
    server: PrivacyServer,
    devices: Devices,
    *,
    service: Service | None = None,
    clock: Callable[[], float] = time.time,
) -> FastAPI:
    """An application with these routes, its guards and nothing else."""
    app = FastAPI(title="Cobogó: trusted anonymizer", version=__version__, docs_url=None, redoc_url=None)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    app.include_router(router(server, tokens(devices), service=service, clock=clock))
    guard(app)
    return app
