"""The anonymizer of the clique cloak: requests wait for other requests, not for people who happen to be near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, nextafter, sqrt

import numpy as np

from cobogo.errors import NoSolution, VerificationFailed
from cobogo.floor.language import tr
from cobogo.locate.anonymizer.cloaking import (
    OUR_FAULT,
    SERVER,
    TOO_FEW,
    WAITING,
    Anonymizer,
    CloakTask,
    Demand,
    Region,
    RegionTask,
    RequestOutcome,
    WaitingRequest,
)
from cobogo.locate.crowds import CliqueCloak, Gathering
from cobogo.locate.crowds.cells import area, is_within


@dataclass
class Gatherer(Anonymizer):
    """Positions in; cloaks out when enough requests that tolerate each other have come in.

    A demand's ``max_wait`` is the patience of its request (the cloak's ``dt`` where it is 0) and its ``max_area``
    limits how far others may be. The other members of a crowd get their region from the next `settle`.

    >>> gatherer = Gatherer(CliqueCloak(2))
    >>> for name in ("ana", "bia"):
    ...     gatherer.update(name, -38.5, -3.7, 0.0)
    >>> held = gatherer.ask("ana", 1.0)
    >>> gatherer.ask("bia", 2.0).region.people, [outcome.user for outcome in gatherer.settle(2.0)]
    (2, ['ana'])
    """

    _gathering: Gathering | None = field(default=None, repr=False)
    _requests: dict[str, WaitingRequest] = field(default_factory=dict, repr=False)
    _done: list[RequestOutcome] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.method, CliqueCloak):
            raise ValueError("The 'method' parameter of Gatherer must be clique")
        self._gathering = Gathering(self.method)

    def cloak(self, user: str, now: float, demand: Demand | None = None) -> Region:  # noqa: ARG002
        """Raises `NoSolution`: only requests can be cloaked, and they wait for each other."""
        raise NoSolution(
            tr("this method cloaks only requests, which wait for each other"),
            where=SERVER,
            remedy=tr("Ask for a cloak."),
        )

    def cloak_task(self, user: str, now: float, demand: Demand) -> CloakTask | None:  # noqa: ARG002
        """None: no cloaks are computed beforehand."""
        return None

    def ask(self, user: str, now: float, demand: Demand | None = None) -> RequestOutcome | WaitingRequest:
        """A cloak together with requests that waited for this one, or a ticket."""
        assert self._gathering is not None
        assert isinstance(self.method, CliqueCloak)
        if user in self._requests:
            raise NoSolution(
                tr("a request of this person is already waiting"), where=SERVER, remedy=tr("Wait until it is answered.")
            )
        if self.waiting >= WAITING:
            raise NoSolution(
                tr("{waiting:,} requests are already waiting", waiting=WAITING),
                where=SERVER,
                remedy=tr("Ask again later."),
            )
        demand = demand or self.demand()
        if demand.min_area > self.method.min_area:
            raise NoSolution(
                tr("the cloaks of this server have an area of {area:g} m²", area=self.method.min_area),
                where="min_area",
                remedy=tr("Ask for a smaller area."),
            )
        demand = replace(demand, max_wait=demand.max_wait or self.method.dt)
        lon, lat = self.place(user, now)
        self._expire(now)
        request = WaitingRequest(next(self._tickets), user, lon, lat, now, demand)
        reach = sqrt(demand.max_area) / 2 if demand.max_area < inf else inf
        gone = self._gathering.ask(
            user, lon, lat, now, k=demand.k, dx=min(self.method.dx, reach), dy=min(self.method.dy, reach),
            dt=demand.max_wait,
        )  # fmt: skip
        self._requests[user] = request
        if not gone:
            return request
        members = [self._requests.pop(one["user"]) for one in gone]
        region = self._shared_region(members, gone[0]["box"], now)
        outcomes = [RequestOutcome(member.ticket, member.user, region) for member in members]
        self._done.extend(outcome for outcome in outcomes if outcome.ticket != request.ticket)
        return RequestOutcome(request.ticket, user, region)

    def region_tasks(self, now: float) -> list[RegionTask]:  # noqa: ARG002
        """None: a crowd is looked for when a request comes in."""
        return []

    def conclude(self, now: float, regions: Mapping[int, Region | None]) -> list[RequestOutcome]:  # noqa: ARG002
        """The outcomes of requests that waited."""
        self._expire(now)
        done, self._done = self._done, []
        return done

    def expire(self, now: float) -> None:
        """Forget old reports, and end the requests whose patience is over."""
        super().expire(now)
        self._expire(now)

    def forget(self, user: str) -> None:
        """Forget a person and their request."""
        super().forget(user)
        assert self._gathering is not None
        self._gathering.leave(user)
        self._requests.pop(user, None)
        self._done = [outcome for outcome in self._done if outcome.user != user]

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._requests)

    def _expire(self, now: float) -> None:
        assert self._gathering is not None
        for one in self._gathering.drop_expired(nextafter(now, inf)):
            request = self._requests.pop(one["user"])
            self._done.append(RequestOutcome(request.ticket, request.user, None))

    @staticmethod
    def _shared_region(members: list[WaitingRequest], box: tuple[float, float, float, float], now: float) -> Region:
        """The region of a crowd; its people are counted again from its edges."""
        lon, lat = (np.array([getattr(one, part) for one in members]) for part in ("lon", "lat"))
        inside = is_within(*box, lon, lat)
        people = len({one.user for one, here in zip(members, inside, strict=True) if here})
        if people < max(one.demand.k for one in members):
            raise VerificationFailed(TOO_FEW, where=SERVER, remedy=OUR_FAULT)
        west, south, east, north = (np.asarray(edge) for edge in box)
        return Region(box, min(one.since for one in members), now, people, float(area((west, south, east, north))))
