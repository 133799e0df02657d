"""The privacy server between devices and a location-based service: what it is told, and what it lets the service hear.

It knows no web: `cobogo.location.service.app` puts it on one. Everything here runs in one thread.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from cobogo.errors import DataError, InputError, NoSolution
from cobogo.location.anonymizer import Anonymizer, Demand, Held, Outcome, Region
from cobogo.location.base import Mechanism
from cobogo.location.client.reports import Edges
from cobogo.location.cloaks import Clique, Cloak, Hilbert
from cobogo.location.cloaks.slices import over_time
from cobogo.location.gatherer import Gatherer
from cobogo.location.geometry import distance
from cobogo.location.mixzones import MixZone, MixZones
from cobogo.location.points import Points
from cobogo.location.service.books import Books
from cobogo.randomness import Entropy, Source

Identity = Literal["consistent", "pseudonymous", "absent"]
Position = tuple[float, float, float]
"""Longitude, latitude and time."""


@dataclass(frozen=True)
class Settings:
    """How a privacy server protects.

    ``identity`` is what the service is told of who it is: one name for good, made with ``secret`` ("consistent"), one
    that changes in mix zones ("pseudonymous"), or nothing ("absent"). ``trim``: metres at both ends of a trip that are
    never released. ``span``: seconds that a trip's cloaks are wide in time.
    """

    cloak: Cloak = field(default_factory=lambda: Hilbert(5))
    identity: Identity = "absent"
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    mechanism: Mechanism | None = None
    max_age: float = 600.0
    max_wait: float = 60.0
    memory: float = 6 * 3600.0
    span: float = 300.0
    trim: float = 200.0
    trip_positions: int = 20_000


@dataclass(frozen=True)
class Told:
    """What the service hears: somebody, or nobody in particular, in a region within a span of time."""

    box: Edges
    since: float
    until: float
    identity: str | None

    def as_dict(self) -> dict[str, object]:
        """For the service."""
        return {"box": list(self.box), "since": self.since, "until": self.until, "identity": self.identity}


class PrivacyServer:
    """Positions of devices in; cloaks, noisy positions and trips that are over, out."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        zones: Sequence[MixZone] = (),
        books: Books | None = None,
        source: Source | None = None,
    ) -> None:
        self.settings = settings or Settings()
        kind = Gatherer if isinstance(self.settings.cloak, Clique) else Anonymizer
        self.anonymizer = kind(self.settings.cloak, self.settings.max_age, memory=self.settings.memory)
        self.zones = MixZones(zones)
        self.books = books
        self._trips: dict[tuple[str, str], list[Position]] = {}
        self._mixing: dict[str, bool] = {}
        self._source = source or Entropy()

    def update(self, user: str, positions: Sequence[Position], *, trip: str | None = None) -> bool:
        """Somebody was at these places. With a ``trip``, they are kept for its end. Returns whether the service may
        hear of them now: not from within a mix zone."""
        heard = None
        if trip is not None:
            self._keep(user, trip, positions)
        for lon, lat, time in sorted(positions, key=lambda position: position[2]):
            self.anonymizer.update(user, lon, lat, time)
            heard = self.zones.move(user, lon, lat, time)
            self._mixing[user] = heard is None
        return heard is not None

    def identity(self, user: str) -> str | None:
        """What the service is told of who it is. Not even a consistent name is the user's own."""
        if self.settings.identity == "absent":
            return None
        if self.settings.identity == "pseudonymous":
            return self.zones.pseudonyms.of(user)
        return hmac.new(self.settings.secret, user.encode(), "sha256").hexdigest()[:32]

    def current(self, user: str, now: float) -> Told | None:
        """What the service hears now of where somebody is: nothing from within a mix zone, and nothing where too few
        are near."""
        if self._mixing.get(user, False):
            return None
        try:
            return self.told(user, self.anonymizer.cloak(user, now), self.identity(user))
        except NoSolution:
            return None

    def ask(self, user: str, now: float, demand: Demand) -> Outcome | Held:
        """A cloak at once, a ticket for one, or a refusal."""
        if demand.max_wait > self.settings.max_wait:
            raise InputError(
                f"requests wait for {self.settings.max_wait:g} s at most", where="max_wait", remedy="Ask for less."
            )
        if self._mixing.get(user, False):
            raise NoSolution("nobody is heard of within a mix zone", remedy="Ask again outside.")
        cloak = self.settings.cloak
        if isinstance(cloak, Clique) and not demand.max_wait:
            demand = replace(demand, max_wait=min(cloak.dt, self.settings.max_wait))
        return self.anonymizer.ask(user, now, demand)

    def told(self, user: str, region: Region, name: str | None) -> Told:
        """A region with the ``name`` that its owner had when they asked for it. Who went into a mix zone meanwhile is
        refused: a region from before it would tell who came out."""
        if self._mixing.get(user, False) or self.identity(user) != name:
            raise NoSolution("they went into a mix zone while they waited", remedy="Ask again outside.")
        return Told(region.box, region.since, region.until, name)

    def noisy(self, user: str, now: float) -> tuple[float, float]:
        """A noisy position, paid for from its owner's budget. Raises `BudgetSpent`."""
        mechanism = self.settings.mechanism
        if mechanism is None or self.books is None:
            raise InputError("this server adds no noise", remedy="Ask for a cloak, or start it with --epsilon.")
        if self._mixing.get(user, False):
            raise NoSolution("nobody is heard of within a mix zone", remedy="Ask again outside.")
        lon, lat = self.anonymizer.place(user, now)
        dearest = mechanism.guarantee.epsilon or 0.0
        self.books.spend(user, dearest, now)
        found = mechanism.apply(Points.of([lon], [lat], time=[now]), self._source).points
        return float(found.lon[0]), float(found.lat[0])

    def release(self, user: str, trip: str) -> list[Told]:
        """A trip that is over: a cloak for each span of time, among everybody who was seen in it; without its ends, and
        without what would stand out. `drop` it when the service has heard of it."""
        positions = self._trips.get((user, trip))
        if not positions:
            raise DataError("there is no such trip, or it was released", where=f"trip {trip!r}")
        own = Points.of(
            *np.array(sorted(positions, key=lambda one: one[2])).T[:2], time=sorted(p[2] for p in positions)
        )
        own = own.take(_away_from_ends(own, self.settings.trim))
        if not len(own):
            return []
        assert own.time is not None
        span = self.settings.span
        first = float(np.floor(own.time[0] / span) * span)
        seen = self.anonymizer.seen(first, float(own.time[-1]) + span)
        assert seen.time is not None
        assert seen.user is not None
        person = int(seen.user.max(initial=-1)) + 1  # the trip's own positions, apart from what was seen of its owner
        me = self.anonymizer.number(user)
        others = seen.take(seen.user != me)
        assert others.time is not None
        assert others.user is not None
        everybody = Points(
            np.concatenate([others.lon, own.lon]), np.concatenate([others.lat, own.lat]),
            np.concatenate([others.time, own.time]), np.append(others.user, np.full(len(own), person)),
        )  # fmt: skip
        cloaked = over_time(self.settings.cloak, everybody, every=span)
        name, told = self.identity(user), []
        for row in range(len(others), len(everybody)):
            if not cloaked.refused[row]:
                since = float(np.floor(own.time[row - len(others)] / span) * span)
                box = tuple(float(edge[row]) for edge in cloaked.box)
                told.append(Told((box[0], box[1], box[2], box[3]), since, since + span, name))
        return list(dict.fromkeys(told))

    def drop(self, user: str, trip: str) -> None:
        """Keep a trip no longer."""
        self._trips.pop((user, trip), None)

    def forget(self, user: str) -> None:
        """Somebody leaves: positions, trips and names go. What they spent stays written."""
        self.anonymizer.forget(user)
        self.zones.forget(user)
        self._mixing.pop(user, None)
        for key in [key for key in self._trips if key[0] == user]:
            del self._trips[key]

    def _keep(self, user: str, trip: str, positions: Sequence[Position]) -> None:
        kept = sum(len(those) for (owner, _), those in self._trips.items() if owner == user)
        if kept + len(positions) > self.settings.trip_positions:
            most = f"{self.settings.trip_positions:,} positions"
            raise InputError(f"trips have {most} at most", where=f"trip {trip!r}", remedy="Release one first.")
        self._trips.setdefault((user, trip), []).extend(positions)


def _away_from_ends(own: Points, metres: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Positions outside of a disc about the first and of one about the last: a trip begins and ends at somebody's."""
    start = distance(own.lon, own.lat, own.lon[0], own.lat[0])
    end = distance(own.lon, own.lat, own.lon[-1], own.lat[-1])
    return np.asarray((start > metres) & (end > metres))
