"""Mix zones: places from which nothing is reported, and which people leave under a new pseudonym.

A service sees pseudonyms with positions. A person who leaves a zone gets a new pseudonym if an observer who saw
everybody go in and come out cannot infer who it is (Beresford and Stajano, IEEE Pervasive Computing 2003). Otherwise a
new pseudonym would only look like protection; the zone's ``otherwise`` says what happens then.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.files import write_private
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.floor.untrusted import shorten
from cobogo.locate.crowds.mix_quality import EXACT, MixQuality, measure_mix, walking_weights
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

Otherwise = Literal["keep", "silent"]
Moment = tuple[float, float, float]
"""Longitude, latitude and time."""

LATEST = 300
"""The latest exits that a zone's mix is measured with: the work grows with their cube."""


@card("mix-zone", title="mix zone")
@dataclass(frozen=True)
class MixZone:
    r"""A disc from which no reports are sent, and which people leave under a new pseudonym if an observer cannot tell
    who they are.

    ``least`` is the smallest number of people, including the one who leaves, who must have met in the zone. ``bits`` is
    the smallest uncertainty about who leaves that must remain for an observer who saw everybody go in and come out and
    knows how fast people walk. ``otherwise`` says what happens if one of these is not met. With "keep" the person keeps
    the old pseudonym and is followed as before, unless that would reveal who others are who left before. With "silent"
    the person sends no reports until the next zone that mixes them.

    Formula: $H = -\sum_{\sigma} p_{\sigma} \log_2 p_{\sigma}$ over the matchings $\sigma$ of who went in with who came
        out, $p_{\sigma} \propto \prod_i w(i, \sigma(i))$; at most $\log_2 n!$ bits
    Example: Three people cross a square and come out in another order.
        >>> from cobogo.floor.randomness import Entropy
        >>> zones = MixZones([MixZone("square", -38.5270, -3.7275, radius=150, least=3)])
        >>> for lon, time in ((-38.53, 0.0), (-38.528, 120.0), (-38.524, 420.0)):
        ...     heard = [zones.move(who, lon, -3.7275, time) for who in ("ana", "bia", "caio")]
        >>> round(zones.measure_mix("square", Entropy()).entropy, 2)
        2.58

    Guarantee: When a person gets a new pseudonym, the observer has an entropy of at least ``bits`` about whose it is.
        Later reports may reveal more: `MixZones.measure_mix` says how many bits remain after all of them, and how
        certain the best guess is.
    Limits: The observer's model is one of walking. Directions link pseudonyms, too: see the attack `mix-zone-linkage`.
        In a zone that is too large people stay for a long time; in one that is too small they do not meet.
    Cost: $O(2^n n)$ to count all matchings of n people, up to 14; above that, matchings are drawn at random and the
        entropy is a lower bound.
    Paper: A. R. Beresford and F. Stajano, Location privacy in pervasive computing, IEEE Pervasive Computing, 2003.
    """

    name: str
    lon: float
    lat: float
    radius: float
    least: int = 3
    otherwise: Otherwise = "keep"
    bits: float = 0.9  # two people who are nearly alike; one whole bit would ask that they be exactly alike

    def __post_init__(self) -> None:
        right = {
            "radius": 0 < self.radius < 1e6,
            "least": isinstance(self.least, int) and self.least >= 2,
            "otherwise": self.otherwise in ("keep", "silent"),
            "lat": abs(self.lat) <= 90,
            "lon": abs(self.lon) <= 180,
            "bits": 0 < self.bits <= 10,
        }
        for what, fine in right.items():
            if not fine:
                raise ValueError(
                    tr(
                        "The {name!r} parameter of a mix zone is out of range. Got {value} instead",
                        name=what,
                        value=shorten(getattr(self, what)),
                    )
                )


@dataclass(frozen=True)
class PseudonymReport:
    """What a service gets: a pseudonym at a place."""

    pseudonym: str
    lon: float
    lat: float
    time: float


@dataclass
class _Stay:
    """One visit to a zone, from entry to exit, as an observer saw it."""

    user: str
    entered: Moment
    met: set[int] = field(default_factory=set)
    left: Moment | None = None
    renamed: bool = False
    needed: bool = False  # somebody left under a new name because they might have been this person

    @property
    def open(self) -> bool:
        """Whether an observer does not know who it is: false for those who left under their old name."""
        return self.left is None or self.renamed


class Pseudonyms:
    """Pseudonyms of 128 random bits: none is ever used twice."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, float]] = {}

    def name_of(self, user: str) -> str:
        """A person's pseudonym."""
        return self._of[user][0] if user in self._of else self.renew(user)

    def since(self, user: str) -> float:
        """Since when a person has this pseudonym."""
        return self._of[user][1] if user in self._of else -np.inf

    def renew(self, user: str, time: float = -np.inf) -> str:
        """Give a person a new pseudonym."""
        self._of[user] = (secrets.token_hex(16), time)
        return self._of[user][0]

    def forget(self, user: str) -> None:
        """Forget whose the last pseudonym was."""
        self._of.pop(user, None)


class MixZones:
    """The zones of a city, and how people cross them. With a ``file``, the zones and the silent people outlive a
    restart; places and times of crossings are kept in memory only, until `expire`.

    >>> zones = MixZones([MixZone("praça", -38.5, -3.7, 100, least=2)])
    >>> before = [zones.move(who, -38.6, -3.7, 0.0).pseudonym for who in ("ana", "bia")]
    >>> [zones.move(who, -38.5, -3.7, 60.0) for who in ("ana", "bia")]
    [None, None]
    >>> after = [zones.move(who, -38.4, -3.7, 120.0).pseudonym for who in ("ana", "bia")]
    >>> len({*before, *after})
    4
    """

    def __init__(self, zones: Iterable[MixZone] = (), *, file: Path | None = None) -> None:
        self.pseudonyms = Pseudonyms()
        self._file: Path | None = None
        self._zones: dict[str, MixZone] = {}
        self._inside: dict[str, tuple[str, int]] = {}
        self._last: dict[str, float] = {}
        self._silent: set[str] = set()
        self._stays: dict[str, dict[int, _Stay]] = {}
        self._next = 0
        for zone in [*_read(file, self._silent), *zones]:
            self.add(zone)
        self._file = file

    def add(self, zone: MixZone) -> None:
        """Add a zone. Zones must not overlap: a person would leave one within another."""
        for other in self._zones.values():
            apart = float(distance(zone.lon, zone.lat, other.lon, other.lat))
            if zone.name == other.name or apart <= zone.radius + other.radius:
                raise ValueError(
                    tr(
                        "The mix zone {name!r} has the name of {other!r}, or overlaps it",
                        name=zone.name,
                        other=other.name,
                    )
                )
        self._zones[zone.name] = zone
        self._stays[zone.name] = {}
        self._save()

    def remove(self, name: str) -> None:
        """Remove a zone. People in it keep their name, or stay silent where it was a silent zone."""
        del self._zones[name], self._stays[name]
        self._inside = {user: where for user, where in self._inside.items() if where[0] != name}
        self._save()

    @property
    def zones(self) -> tuple[MixZone, ...]:
        """All zones."""
        return tuple(self._zones.values())

    def inside(self, zone: str) -> int:
        """How many people are in a zone now."""
        return sum(1 for where, _ in self._inside.values() if where == zone)

    def is_silent(self, user: str) -> bool:
        """Whether nothing may be reported about a person: they are in a zone, or silent until the next zone that mixes
        them."""
        return user in self._inside or user in self._silent

    def move(self, user: str, lon: float, lat: float, time: float) -> PseudonymReport | None:
        """Move a person; returns what a service may know of it. A position from before the last one is ignored, and
        nothing is reported: the person may have entered a zone since."""
        if time < self._last.get(user, -np.inf):
            return None
        self._last[user] = time
        zone = self._zone_of(lon, lat)
        known = self._inside.get(user)
        if known is not None and (zone is None or zone.name != known[0]):
            self._leave(user, *known, (lon, lat, time))
        if zone is not None and user not in self._inside:
            self._enter(user, zone, (lon, lat, time))
        return None if self.is_silent(user) else PseudonymReport(self.pseudonyms.name_of(user), lon, lat, time)

    def forget(self, user: str) -> None:
        """Forget everything about a person."""
        self._lapse(user)
        for stays in self._stays.values():
            for key in [key for key, stay in stays.items() if stay.user == user]:
                del stays[key]
        self._set_silent(user, silent=False)
        self.pseudonyms.forget(user)

    def expire(self, before: float) -> None:
        """Forget entries and exits from before a time, and the visits of people whose last position is from before it.
        A person who has been in a zone for longer than that comes out as one who met nobody."""
        for user in [user for user, last in self._last.items() if last < before]:
            self._lapse(user)
        for stays in self._stays.values():
            for key in [key for key, stay in stays.items() if stay.entered[2] < before]:
                del stays[key]
            for stay in stays.values():
                stay.met &= stays.keys()

    def crossings(self, zone: str) -> tuple[Points, Points]:
        """Entries and exits of those who came out under a new name, in the same order: attacks on the zone are measured
        with them."""
        stays = self._renamed_stays(zone)
        return _points([stay.entered for stay in stays]), _points([stay.left for stay in stays if stay.left])

    def measure_mix(self, zone: str, source: Source, *, speed: float = 1.4, spread: float = 0.5) -> MixQuality:
        """How well a zone mixed the `LATEST` people who came out under a new name, for an observer who saw them, and
        those still inside, go in and come out, and who knows how fast people walk."""
        return measure_mix(self.weights(zone, speed=speed, spread=spread), source)

    def weights(self, zone: str, *, speed: float = 1.4, spread: float = 0.5) -> Floats:
        """How likely an entry (row) is to be an exit (column): what `measure_mix` takes."""
        gone = self._renamed_stays(zone)[-LATEST:]
        here = [stay for stay in self._stays[zone].values() if stay.left is None]
        return _weights([*gone, *here], speed=speed, spread=spread)

    def _renamed_stays(self, zone: str) -> list[_Stay]:
        stays = [stay for stay in self._stays[zone].values() if stay.renamed and stay.left is not None]
        return sorted(stays, key=lambda stay: stay.left[2] if stay.left else 0.0)

    def is_in_zone(self, lon: Floats, lat: Floats) -> NDArray[np.bool_]:
        """Which places are in any zone."""
        zones = self._zones.values()
        away = [distance(lon, lat, zone.lon, zone.lat) <= zone.radius for zone in zones]
        return np.any(away, axis=0) if away else np.zeros(np.shape(lon), dtype=np.bool_)

    def _zone_of(self, lon: float, lat: float) -> MixZone | None:
        zones = list(self._zones.values())
        if not zones:
            return None
        away = distance(lon, lat, [zone.lon for zone in zones], [zone.lat for zone in zones])
        within = np.flatnonzero(away <= [zone.radius for zone in zones])
        return zones[int(within[0])] if len(within) else None

    def _enter(self, user: str, zone: MixZone, here: Moment) -> None:
        stays, self._next = self._stays[zone.name], self._next + 1
        others = [key for _, (where, key) in self._inside.items() if where == zone.name and key in stays]
        stays[self._next] = _Stay(user, here, set(others))
        for key in others:
            stays[key].met.add(self._next)
        self._inside[user] = (zone.name, self._next)
        if zone.otherwise == "silent":
            self._set_silent(user)

    def _leave(self, user: str, name: str, key: int, there: Moment) -> None:
        """Decide about a new name. People who left under their old name do not count as company: the observer knows
        them."""
        del self._inside[user]
        zone, stays = self._zones[name], self._stays[name]
        stay = stays.get(key)
        if stay is None:  # the entry was forgotten meanwhile
            return
        stay.left = there
        company = [stays[other] for other in stay.met if other in stays and stays[other].open]
        mixed = len({user, *(one.user for one in company)}) >= zone.least and _bits(stay, company) >= zone.bits
        for one in company if mixed else ():
            one.needed = one.needed or one.left is None
        if mixed or (stay.needed and zone.otherwise == "keep"):  # the old name would reveal who the others were
            stay.renamed = True
            self.pseudonyms.renew(user, there[2])
            self._set_silent(user, silent=False)
        elif zone.otherwise == "silent":
            stay.left = None  # nothing was reported: to an observer they are still inside

    def _lapse(self, user: str) -> None:
        """End a person's stay without an exit."""
        self._last.pop(user, None)
        name, key = self._inside.pop(user, (None, 0))
        if name is not None:
            self._stays[name].pop(key, None)

    def _set_silent(self, user: str, *, silent: bool = True) -> None:
        if silent != (user in self._silent):
            (self._silent.add if silent else self._silent.discard)(user)
            self._save()

    def _save(self) -> None:
        """Write the zones and the silent people; no positions, and not who is in which zone."""
        if self._file is not None:
            content = {"zones": [asdict(zone) for zone in self._zones.values()], "silent": sorted(self._silent)}
            write_private(self._file, json.dumps(content, ensure_ascii=False, indent=1))


def _read(file: Path | None, silent: set[str]) -> list[MixZone]:
    """The zones of a file; silent people are added to ``silent``. A file that cannot be read is an error: without it
    people would be reported from within zones."""
    if file is None or not file.exists():
        return []
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        silent.update(str(user) for user in content["silent"])
        return [MixZone(**zone) for zone in content["zones"]]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        remedy = tr("Restore the file, or remove it: then there are no zones, and no person is silent.")
        raise DataError(tr("is not a file of mix zones, or is damaged"), where=str(file), remedy=remedy) from None


def _bits(stay: _Stay, company: Sequence[_Stay]) -> float:
    """The entropy about who leaves now, for an observer who saw everybody go in and come out; among the `EXACT` people
    who are likeliest to be this one, so that it can be counted."""
    assert stay.left is not None
    if not company:
        return 0.0
    likely = walking_weights(_points([one.entered for one in company]), _points([stay.left]))[:, 0]
    others = [company[row] for row in np.argsort(-likely, kind="stable")[: EXACT - 1]]
    try:
        found = measure_mix(_weights([stay, *others]), Entropy())
    except ValueError:  # no one walks that fast: the observer's model does not fit
        return 0.0
    return float(found.exit_bits[0])


def _weights(stays: Sequence[_Stay], *, speed: float = 1.4, spread: float = 0.5) -> Floats:
    """Entries of all and exits of those who left, in the same order."""
    exits = [stay.left for stay in stays if stay.left is not None]
    return walking_weights(_points([stay.entered for stay in stays]), _points(exits), speed=speed, spread=spread)


def _points(moments: Sequence[Moment]) -> Points:
    lon, lat, time = np.array(moments, dtype=np.float64).reshape(-1, 3).T
    return Points(lon, lat, time)
