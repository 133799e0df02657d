"""The privacy server between devices and a location-based service: what it is told, and what it lets the service hear.

It knows no web: `cobogo.locate.anonymizer.app` puts it on one. Everything here runs in one thread, except what
`Sketch.draw`, `Look.region` and `Trip.told` do, which look at nothing but what they were given.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from cobogo.errors import DataError, InputError, NoSolution
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.anonymizer.books import WindowBooks
from cobogo.locate.anonymizer.cliques import Gatherer
from cobogo.locate.anonymizer.cloaking import Anonymizer, Demand, Region, RequestOutcome, WaitingRequest
from cobogo.locate.crowds import CliqueCloak, Cloak, Hilbert
from cobogo.locate.crowds.base import over_time
from cobogo.locate.crowds.mix_zones import MixZone, MixZones
from cobogo.locate.device.reports import Edges
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

Identity = Literal["consistent", "pseudonymous", "absent"]
Position = tuple[float, float, float]
"""Longitude, latitude and time."""


@dataclass(frozen=True)
class AnonymizerSettings:
    """How a privacy server protects.

    ``identity`` is what the service is told of who it is: one name for good, made with ``secret`` ("consistent"), one
    that changes in mix zones ("pseudonymous"), or nothing ("absent"). ``memory``: seconds after which a position is
    forgotten. ``trim``: metres about both ends of a trip that no released cloak comes near to. ``span``: seconds that a
    trip's cloaks are wide in time.
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
class ServiceReport:
    """What the service hears: somebody, or nobody in particular, in a region within a span of time."""

    box: Edges
    since: float
    until: float
    identity: str | None

    def as_dict(self) -> dict[str, object]:
        """For the service."""
        return {"box": list(self.box), "since": self.since, "until": self.until, "identity": self.identity}


@dataclass(frozen=True, eq=False)
class Trip:
    """A trip that is over, with everybody who was seen meanwhile: all that its cloaks are made of. ``ends`` are where
    it began and ended, ``own`` what may be told of it."""

    own: Points
    ends: Points
    others: Points
    settings: AnonymizerSettings
    name: str | None

    def told(self) -> list[ServiceReport]:
        """A cloak for each span of time; none that comes near to an end, and none where it would stand out."""
        if not len(self.own):
            return []
        assert self.own.time is not None
        assert self.others.time is not None
        assert self.others.user is not None
        person = int(self.others.user.max(initial=-1)) + 1
        everybody = Points(
            np.concatenate([self.others.lon, self.own.lon]), np.concatenate([self.others.lat, self.own.lat]),
            np.concatenate([self.others.time, self.own.time]),
            np.append(self.others.user, np.full(len(self.own), person)),
        )  # fmt: skip
        span, first = self.settings.span, len(self.others)
        cloaked = over_time(self.settings.cloak, everybody, every=span)
        told = []
        for row, time in enumerate(self.own.time.tolist(), start=first):
            box = tuple(float(edge[row]) for edge in cloaked.box)
            if not cloaked.refused[row] and not self._near_an_end(box):
                since = float(np.floor(time / span) * span)
                told.append(ServiceReport((box[0], box[1], box[2], box[3]), since, since + span, self.name))
        return list(dict.fromkeys(told))

    def _near_an_end(self, box: tuple[float, ...]) -> bool:
        west, south, east, north = box
        width = 360.0 if east - west >= 360 else (east - west) % 360
        beyond = (self.ends.lon - west) % 360
        nearest = np.where(beyond <= width, self.ends.lon, np.where(beyond - width < 360 - beyond, east, west))
        away = distance(self.ends.lon, self.ends.lat, nearest, np.clip(self.ends.lat, south, north))
        return bool((away <= self.settings.trim).any())


class PrivacyServer:
    """Positions of devices in; cloaks, noisy positions and trips that are over, out. With ``kept`` mix zones outlive a
    restart in that file."""

    def __init__(
        self,
        settings: AnonymizerSettings | None = None,
        *,
        zones: Sequence[MixZone] = (),
        books: WindowBooks | None = None,
        source: Source | None = None,
        kept: Path | None = None,
    ) -> None:
        self.settings = settings or AnonymizerSettings()
        kind = Gatherer if isinstance(self.settings.cloak, CliqueCloak) else Anonymizer
        self.anonymizer = kind(self.settings.cloak, self.settings.max_age, memory=self.settings.memory)
        self.zones = MixZones(zones, file=kept)
        self.books = books
        self._trips: dict[tuple[str, str], list[Position]] = {}
        self._source = source or Entropy()

    def update(self, user: str, positions: Sequence[Position], *, trip: str | None = None) -> bool:
        """Somebody was at these places. With a ``trip``, they are kept for its end. Returns whether the service may
        hear of them now: not from within a mix zone, and not of a position from before the last one."""
        heard = None
        if trip is not None:
            self._keep(user, trip, positions)
        for lon, lat, time in sorted(positions, key=lambda position: position[2]):
            self.anonymizer.update(user, lon, lat, time)
            heard = self.zones.move(user, lon, lat, time)
        return heard is not None

    def expire(self, now: float) -> None:
        """Forget every position that is older than the memory, wherever it is kept."""
        before = now - self.settings.memory
        self.anonymizer.expire(now)
        self.zones.expire(before)
        fresh = {key: [one for one in those if one[2] >= before] for key, those in self._trips.items()}
        self._trips = {key: those for key, those in fresh.items() if those}

    def identity(self, user: str) -> str | None:
        """What the service is told of who it is. Not even a consistent name is the user's own."""
        if self.settings.identity == "absent":
            return None
        if self.settings.identity == "pseudonymous":
            return self.zones.pseudonyms.of(user)
        return hmac.new(self.settings.secret, user.encode(), "sha256").hexdigest()[:32]

    def current(self, user: str, now: float) -> ServiceReport | None:
        """What the service hears now of where somebody is: nothing from within a mix zone, and nothing where too few
        are near."""
        if self.zones.hushed(user):
            return None
        try:
            return self.told(user, self.anonymizer.cloak(user, now), self.identity(user))
        except NoSolution:
            return None

    def ask(self, user: str, now: float, demand: Demand) -> RequestOutcome | WaitingRequest:
        """A cloak at once, a ticket for one, or a refusal."""
        if demand.max_wait > self.settings.max_wait:
            raise InputError(
                f"requests wait for {self.settings.max_wait:g} s at most", where="max_wait", remedy="Ask for less."
            )
        self._check_heard(user)
        cloak = self.settings.cloak
        if isinstance(cloak, CliqueCloak) and not demand.max_wait:
            demand = replace(demand, max_wait=min(cloak.dt, self.settings.max_wait))
        return self.anonymizer.ask(user, now, demand)

    def told(self, user: str, region: Region, name: str | None) -> ServiceReport:
        """A region with the ``name`` that its owner had when they asked for it. Who went into a mix zone meanwhile is
        refused: a region from before it would tell who came out."""
        if self.zones.hushed(user) or self.identity(user) != name:
            raise NoSolution("they went into a mix zone while they waited", remedy="Ask again outside.")
        return ServiceReport(region.box, region.since, region.until, name)

    def noisy(self, user: str, now: float) -> tuple[float, float]:
        """A noisy position, paid for from its owner's budget. Raises `BudgetSpent`."""
        mechanism = self.settings.mechanism
        if mechanism is None or self.books is None:
            raise InputError("this server adds no noise", remedy="Ask for a cloak, or start it with --epsilon.")
        self._check_heard(user)
        lon, lat = self.anonymizer.place(user, now)
        self.books.spend(user, mechanism.dearest, now)
        found = mechanism.apply(Points.from_columns([lon], [lat], time=[now]), self._source).points
        return float(found.lon[0]), float(found.lat[0])

    def release(self, user: str, trip: str) -> list[ServiceReport]:
        """What may be told of a trip that is over. `drop` it when the service has heard of it."""
        return self.trip(user, trip).told()

    def trip(self, user: str, trip: str) -> Trip:
        """A trip that is over: without its ends, and without what was in mix zones or, where names change in them,
        before the last of them. Raises `NoSolution` from within a mix zone."""
        positions = self._trips.get((user, trip))
        if not positions:
            raise DataError("there is no such trip, or it was released", where=f"trip {trip!r}")
        self._check_heard(user)
        lon, lat, time = np.array(sorted(positions, key=lambda one: one[2])).T
        whole = Points(lon, lat, time)
        ends = whole.take([0, -1])
        named = self.zones.pseudonyms.since(user) if self.settings.identity == "pseudonymous" else -np.inf
        own = whole.take(_away(whole, ends, self.settings.trim) & ~self.zones.within(lon, lat) & (time >= named))
        span = self.settings.span
        seen = self.anonymizer.seen(float(np.floor(time[0] / span) * span), float(time[-1]) + span)
        assert seen.user is not None
        others = seen.take(seen.user != self.anonymizer.number(user))
        return Trip(own, ends, others, self.settings, self.identity(user))

    def drop(self, user: str, trip: str) -> None:
        """Keep a trip no longer."""
        self._trips.pop((user, trip), None)

    def forget(self, user: str) -> None:
        """Somebody leaves: positions, trips and names go. What they spent stays written."""
        self.anonymizer.forget(user)
        self.zones.forget(user)
        for key in [key for key in self._trips if key[0] == user]:
            del self._trips[key]

    def _check_heard(self, user: str) -> None:
        if self.zones.hushed(user):
            raise NoSolution(
                "they are within a mix zone, or silent since one", remedy="Ask again outside, or after the next zone."
            )

    def _keep(self, user: str, trip: str, positions: Sequence[Position]) -> None:
        kept = sum(len(those) for (owner, _), those in self._trips.items() if owner == user)
        if kept + len(positions) > self.settings.trip_positions:
            most = f"{self.settings.trip_positions:,} positions"
            raise InputError(f"trips have {most} at most", where=f"trip {trip!r}", remedy="Release one first.")
        self._trips.setdefault((user, trip), []).extend(positions)


def _away(own: Points, ends: Points, metres: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Positions outside of a disc about the first and of one about the last: a trip begins and ends at somebody's."""
    apart = distance(own.lon[:, None], own.lat[:, None], ends.lon, ends.lat)
    return np.asarray((apart > metres).all(axis=1))
