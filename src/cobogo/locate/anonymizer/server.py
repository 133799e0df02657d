"""The privacy server between devices and a location-based service: what it takes in, and what it gives to the service.

`cobogo.locate.anonymizer.app` puts it on the web. Everything here runs in one thread, except `CloakTask.compute`,
`RegionTask.compute` and `FinishedTrip.reports`, which read nothing but their own fields.
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
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.anonymizer.cliques import Gatherer
from cobogo.locate.anonymizer.cloaking import SERVER, Anonymizer, Demand, Region, RequestOutcome, WaitingRequest
from cobogo.locate.anonymizer.devices import WindowBooks
from cobogo.locate.crowds import CliqueCloak, Cloak, Hilbert
from cobogo.locate.crowds.base import cloak_by_span
from cobogo.locate.crowds.mix_zones import MixZone, MixZones
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.reports import Edges

Identity = Literal["consistent", "pseudonymous", "absent"]
Position = tuple[float, float, float]
"""Longitude, latitude and time."""


@dataclass(frozen=True)
class AnonymizerSettings:
    """How a privacy server protects.

    ``identity`` is the name that the service gets with a region: a lasting one, made with ``secret`` ("consistent"),
    one that changes in mix zones ("pseudonymous"), or none ("absent"). ``memory``: seconds after which a position is
    forgotten. ``trim``: metres around both ends of a trip that no released cloak may touch. ``span``: the length in
    seconds of the spans of time that a trip's cloaks are for.
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
    """What the service gets: a region, a span of time, and a name or none."""

    box: Edges
    since: float
    until: float
    identity: str | None

    def as_dict(self) -> dict[str, object]:
        """As the service gets it."""
        return {"box": list(self.box), "since": self.since, "until": self.until, "identity": self.identity}


@dataclass(frozen=True, eq=False)
class FinishedTrip:
    """A trip that is over, with all reports of others meanwhile: all that its cloaks are computed from. ``ends`` are
    its first and last positions, ``own`` are the positions that may be released under cloaks."""

    own: Points
    ends: Points
    others: Points
    settings: AnonymizerSettings
    name: str | None

    def reports(self) -> list[ServiceReport]:
        """A cloak for each span of time, except those near an end of the trip and those with fewer than k people."""
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
        cloaked = cloak_by_span(self.settings.cloak, everybody, every=span)
        reports = []
        for row, time in enumerate(self.own.time.tolist(), start=first):
            box = tuple(float(edge[row]) for edge in cloaked.box)
            if not cloaked.refused[row] and not self._near_an_end(box):
                since = float(np.floor(time / span) * span)
                reports.append(ServiceReport((box[0], box[1], box[2], box[3]), since, since + span, self.name))
        return list(dict.fromkeys(reports))

    def _near_an_end(self, box: tuple[float, ...]) -> bool:
        west, south, east, north = box
        width = 360.0 if east - west >= 360 else (east - west) % 360
        beyond = (self.ends.lon - west) % 360
        nearest = np.where(beyond <= width, self.ends.lon, np.where(beyond - width < 360 - beyond, east, west))
        away = distance(self.ends.lon, self.ends.lat, nearest, np.clip(self.ends.lat, south, north))
        return bool((away <= self.settings.trim).any())


class PrivacyServer:
    """Takes positions of devices; gives cloaks, noisy positions and finished trips. ``kept`` is a file in which mix
    zones outlive a restart."""

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
        """Take in positions of a person. With a ``trip``, they are kept for its end. Returns whether the service may
        know of the last one: not from within a mix zone, and not where a later position came before it."""
        report = None
        if trip is not None:
            self._keep(user, trip, positions)
        for lon, lat, time in sorted(positions, key=lambda position: position[2]):
            self.anonymizer.update(user, lon, lat, time)
            report = self.zones.move(user, lon, lat, time)
        return report is not None

    def expire(self, now: float) -> None:
        """Forget every position older than the memory, wherever it is kept."""
        before = now - self.settings.memory
        self.anonymizer.expire(now)
        self.zones.expire(before)
        fresh = {key: [one for one in those if one[2] >= before] for key, those in self._trips.items()}
        self._trips = {key: those for key, those in fresh.items() if those}

    def identity(self, user: str) -> str | None:
        """The name that the service gets for a person. Not even a consistent one is the person's own."""
        if self.settings.identity == "absent":
            return None
        if self.settings.identity == "pseudonymous":
            return self.zones.pseudonyms.name_of(user)
        return hmac.new(self.settings.secret, user.encode(), "sha256").hexdigest()[:32]

    def current_report(self, user: str, now: float) -> ServiceReport | None:
        """What the service may know now about where a person is: None within a mix zone, and where too few people are
        near."""
        if self.zones.is_silent(user):
            return None
        try:
            return self.report_region(user, self.anonymizer.cloak(user, now), self.identity(user))
        except NoSolution:
            return None

    def ask(self, user: str, now: float, demand: Demand) -> RequestOutcome | WaitingRequest:
        """A cloak at once, a ticket for one, or a refusal."""
        if demand.max_wait > self.settings.max_wait:
            raise InputError(
                tr("requests wait at most {seconds:g} s", seconds=self.settings.max_wait),
                where="max_wait",
                remedy=tr("Ask for a shorter wait."),
            )
        self._check_not_silent(user)
        cloak = self.settings.cloak
        if isinstance(cloak, CliqueCloak) and not demand.max_wait:
            demand = replace(demand, max_wait=min(cloak.dt, self.settings.max_wait))
        return self.anonymizer.ask(user, now, demand)

    def report_region(self, user: str, region: Region, name: str | None) -> ServiceReport:
        """A region under the ``name`` that its owner had when they asked for it. Raises `NoSolution` where they went
        into a mix zone meanwhile: a region from before it would reveal who came out."""
        if self.zones.is_silent(user) or self.identity(user) != name:
            raise NoSolution(
                tr("this person entered a mix zone while the request was waiting"),
                where=SERVER,
                remedy=tr("Ask again outside the zone."),
            )
        return ServiceReport(region.box, region.since, region.until, name)

    def noisy_position(self, user: str, now: float) -> tuple[float, float]:
        """A noisy position, paid for from its owner's budget. Raises `BudgetSpent`."""
        mechanism = self.settings.mechanism
        if mechanism is None or self.books is None:
            raise InputError(
                tr("this server does not add noise"),
                where=SERVER,
                remedy=tr("Ask for a cloak, or start the server with --epsilon."),
            )
        self._check_not_silent(user)
        lon, lat = self.anonymizer.place(user, now)
        self.books.spend(user, mechanism.highest_cost, now)
        found = mechanism.apply(Points.from_columns([lon], [lat], time=[now]), self._source).points
        return float(found.lon[0]), float(found.lat[0])

    def finished_trip(self, user: str, trip: str) -> FinishedTrip:
        """A trip that is over, without its ends, without its positions in mix zones and, where names change in them,
        without those before the last change. Raises `NoSolution` from within a mix zone."""
        positions = self._trips.get((user, trip))
        if not positions:
            raise DataError(
                tr("there is no such trip, or it was already released"),
                where=tr("trip {trip!r}", trip=trip),
                remedy=tr("Send positions of the trip first."),
            )
        self._check_not_silent(user)
        lon, lat, time = np.array(sorted(positions, key=lambda one: one[2])).T
        whole = Points(lon, lat, time)
        ends = whole.take([0, -1])
        named = self.zones.pseudonyms.since(user) if self.settings.identity == "pseudonymous" else -np.inf
        own = whole.take(_away(whole, ends, self.settings.trim) & ~self.zones.is_in_zone(lon, lat) & (time >= named))
        span = self.settings.span
        reports = self.anonymizer.reports_between(float(np.floor(time[0] / span) * span), float(time[-1]) + span)
        assert reports.user is not None
        others = reports.take(reports.user != self.anonymizer.number(user))
        return FinishedTrip(own, ends, others, self.settings, self.identity(user))

    def drop_trip(self, user: str, trip: str) -> None:
        """Forget a trip, after the service has got it."""
        self._trips.pop((user, trip), None)

    def forget(self, user: str) -> None:
        """Forget a person's positions, trips and names. What they spent stays in the books."""
        self.anonymizer.forget(user)
        self.zones.forget(user)
        for key in [key for key in self._trips if key[0] == user]:
            del self._trips[key]

    def _check_not_silent(self, user: str) -> None:
        if self.zones.is_silent(user):
            raise NoSolution(
                tr("this person is in a mix zone, or silent since the last one"),
                where=SERVER,
                remedy=tr("Ask again outside the zone, or after the next one."),
            )

    def _keep(self, user: str, trip: str, positions: Sequence[Position]) -> None:
        kept = sum(len(those) for (owner, _), those in self._trips.items() if owner == user)
        if kept + len(positions) > self.settings.trip_positions:
            raise InputError(
                tr("the trips of a person have at most {most:,} positions", most=self.settings.trip_positions),
                where=tr("trip {trip!r}", trip=trip),
                remedy=tr("Release a trip first."),
            )
        self._trips.setdefault((user, trip), []).extend(positions)


def _away(own: Points, ends: Points, metres: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which positions are farther than so many metres from both ends: a trip begins and ends at somebody's door."""
    apart = distance(own.lon[:, None], own.lat[:, None], ends.lon, ends.lat)
    return np.asarray((apart > metres).all(axis=1))
