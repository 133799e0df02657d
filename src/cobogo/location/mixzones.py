"""Mix zones: places in which nobody is heard of, and out of which everybody comes under a new name.

A service outside sees pseudonyms with positions. Inside a zone nothing goes out; who leaves it does so under a
pseudonym that nobody ever had, if enough people were in it with them (Beresford and Stajano, IEEE Pervasive Computing
2003). With too few, a new name would only look like protection: what happens then is the zone's ``otherwise``.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cobogo.location.geometry import distance
from cobogo.location.mixing import Mix, mix, walking
from cobogo.location.points import Points
from cobogo.randomness import Source

Otherwise = Literal["keep", "silent"]


@dataclass(frozen=True)
class MixZone:
    r"""A disc in which nobody is heard of, and out of which everybody comes under a new name, if enough people were in
    it.

    ``least`` people, the one who leaves among them, must have met in it. ``otherwise``: who met fewer comes out under
    the old pseudonym ("keep"), and is followed as before; or is not heard of at all until the next zone in which enough
    are met ("silent").

    Formula: $H = -\sum_{\sigma} p_{\sigma} \log_2 p_{\sigma}$ over the matchings $\sigma$ of who went in with who came
        out, $p_{\sigma} \propto \prod_i w(i, \sigma(i))$; at most $\log_2 n!$ bits
    Example: Three people cross a square, and come out in another order.
        >>> from cobogo.randomness import Entropy
        >>> zones = MixZones([MixZone("square", -38.5270, -3.7275, radius=150, least=3)])
        >>> for lon, time in ((-38.53, 0.0), (-38.528, 120.0), (-38.524, 420.0)):
        ...     heard = [zones.move(who, lon, -3.7275, time) for who in ("ana", "bia", "caio")]
        >>> round(zones.mixed("square", Entropy()).entropy, 2)
        2.58

    Guarantee: None that is fixed beforehand: `MixZones.mixed` tells the bits of entropy that an observer is left with
        who sees everybody go in and come out, and how sure the best guess is.
    Limits: Times and directions link names: see the attack mix-zone-linkage. Too large a zone, and people stay for
        long; too small, and nobody meets.
    Cost: $O(2^n n)$ to count all ways of n people, up to 14; above that they are drawn.
    Paper: A. R. Beresford and F. Stajano, Location privacy in pervasive computing, IEEE Pervasive Computing, 2003.
    """

    name: str
    lon: float
    lat: float
    radius: float
    least: int = 3
    otherwise: Otherwise = "keep"

    def __post_init__(self) -> None:
        right = {
            "radius": 0 < self.radius < 1e6,
            "least": isinstance(self.least, int) and self.least >= 2,
            "otherwise": self.otherwise in ("keep", "silent"),
            "lat": abs(self.lat) <= 90,
            "lon": abs(self.lon) <= 180,
        }
        for what, fine in right.items():
            if not fine:
                raise ValueError(f"The {what!r} parameter of a mix zone is out of range. Got {getattr(self, what)!r}")


@dataclass(frozen=True)
class Heard:
    """What a service hears: a pseudonym somewhere."""

    pseudonym: str
    lon: float
    lat: float
    time: float


@dataclass
class _Stay:
    """One visit to a zone, from entry to exit."""

    user: str
    entered: tuple[float, float, float]
    met: set[int] = field(default_factory=set)
    left: tuple[float, float, float] | None = None
    renamed: bool = False


class Pseudonyms:
    """Names that nobody had before: 128 random bits each, of which no two are ever the same."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def of(self, user: str) -> str:
        """What somebody is called now."""
        return self._of.get(user) or self.renew(user)

    def renew(self, user: str) -> str:
        """Give somebody a new name."""
        self._of[user] = secrets.token_hex(16)
        return self._of[user]

    def forget(self, user: str) -> None:
        """Somebody left: whom the last name meant is known no more."""
        self._of.pop(user, None)


class MixZones:
    """Zones of a city, and everybody's way through them. Visits that ended ``memory`` seconds ago are forgotten.

    >>> zones = MixZones([MixZone("praça", -38.5, -3.7, 100, least=2)])
    >>> before = [zones.move(who, -38.6, -3.7, 0.0).pseudonym for who in ("ana", "bia")]
    >>> [zones.move(who, -38.5, -3.7, 60.0) for who in ("ana", "bia")]
    [None, None]
    >>> after = [zones.move(who, -38.4, -3.7, 120.0).pseudonym for who in ("ana", "bia")]
    >>> len({*before, *after})
    4
    """

    def __init__(self, zones: Iterable[MixZone] = (), *, memory: float = 6 * 3600.0) -> None:
        self.pseudonyms = Pseudonyms()
        self._memory = memory
        self._zones: dict[str, MixZone] = {}
        self._inside: dict[str, tuple[str, int]] = {}
        self._silent: set[str] = set()
        self._stays: dict[str, dict[int, _Stay]] = {}
        self._next = 0
        for zone in zones:
            self.add(zone)

    def add(self, zone: MixZone) -> None:
        """One more zone. Zones must not overlap: coming out of one and into another would be told apart by nobody."""
        for other in self._zones.values():
            apart = float(distance(zone.lon, zone.lat, other.lon, other.lat))
            if zone.name == other.name or apart <= zone.radius + other.radius:
                raise ValueError(f"The mix zone {zone.name!r} must have a name and a place apart from {other.name!r}")
        self._zones[zone.name] = zone
        self._stays[zone.name] = {}

    @property
    def zones(self) -> tuple[MixZone, ...]:
        """All of them."""
        return tuple(self._zones.values())

    def inside(self, zone: str) -> int:
        """How many are in a zone now."""
        return sum(1 for where, _ in self._inside.values() if where == zone)

    def move(self, user: str, lon: float, lat: float, time: float) -> Heard | None:
        """Somebody is somewhere now: what a service may hear of it."""
        zone = self._zone_of(lon, lat)
        known = self._inside.get(user)
        if known is not None and (zone is None or zone.name != known[0]):
            self._leave(user, *known, lon, lat, time)
        if zone is not None:
            if user not in self._inside:
                self._enter(user, zone, lon, lat, time)
            return None
        return None if user in self._silent else Heard(self.pseudonyms.of(user), lon, lat, time)

    def forget(self, user: str) -> None:
        """Somebody left the city."""
        self._inside.pop(user, None)
        self._silent.discard(user)
        self.pseudonyms.forget(user)

    def crossings(self, zone: str) -> tuple[Points, Points]:
        """Where and when those went in who came out under a new name, and where and when they came out, in the same
        order: what attacks on the zone are measured with."""
        stays = [stay for stay in self._stays[zone].values() if stay.renamed and stay.left is not None]
        entries, exits = (
            np.array(part).reshape(-1, 3).T
            for part in ([stay.entered for stay in stays], [stay.left for stay in stays])
        )
        return Points.of(entries[0], entries[1], time=entries[2]), Points.of(exits[0], exits[1], time=exits[2])

    def mixed(self, zone: str, source: Source, *, speed: float = 1.4, spread: float = 0.5) -> Mix:
        """How well a zone mixed those who came out of it under a new name so far, for one who saw all of them go in
        and come out and knows how fast people walk."""
        return mix(walking(*self.crossings(zone), speed=speed, spread=spread), source)

    def settled(self, zone: str, before: float) -> int:
        """Forget visits that ended before a time; returns how many. Of those still inside nothing is forgotten."""
        over = [key for key, stay in self._stays[zone].items() if stay.left is not None and stay.left[2] < before]
        for key in over:
            del self._stays[zone][key]
        return len(over)

    def _zone_of(self, lon: float, lat: float) -> MixZone | None:
        zones = list(self._zones.values())
        if not zones:
            return None
        away = distance(lon, lat, [zone.lon for zone in zones], [zone.lat for zone in zones])
        within = np.flatnonzero(away <= [zone.radius for zone in zones])
        return zones[int(within[0])] if len(within) else None

    def _enter(self, user: str, zone: MixZone, lon: float, lat: float, time: float) -> None:
        self.settled(zone.name, time - self._memory)
        stays, self._next = self._stays[zone.name], self._next + 1
        here = [key for other, (where, key) in self._inside.items() if where == zone.name and other != user]
        stays[self._next] = _Stay(user, (lon, lat, time), set(here))
        for key in here:
            stays[key].met.add(self._next)
        self._inside[user] = (zone.name, self._next)

    def _leave(self, user: str, name: str, key: int, lon: float, lat: float, time: float) -> None:
        """Those met count unless they left under their old name: they are no longer among whom one may be."""
        del self._inside[user]
        zone, stays = self._zones[name], self._stays[name]
        stay = stays[key]
        stay.left = (lon, lat, time)
        met = {stays[other].user for other in stay.met if other in stays}
        kept = {stays[o].user for o in stay.met if o in stays and stays[o].left is not None and not stays[o].renamed}
        if len((met - kept) | {user}) >= zone.least:
            stay.renamed = True
            self.pseudonyms.renew(user)
            self._silent.discard(user)
        elif zone.otherwise == "silent":
            self._silent.add(user)
