"""The client on a device: it knows the true position and decides what goes out. Presets for kinds of service.

A budget bounds what reports cost within a window of time that moves with the clock. The file holds what was spent, the
last report, and one noisy value for each of the owner's places. It also holds the true places: only its owner may read
it, and it is replaced whole or not at all.

Answers of a service are kept, too: a request that an earlier answer serves reveals nothing to the service, and a filter
makes answers exact again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cobogo.errors import BudgetSpent, DataError
from cobogo.floor.files import exclusive, write_private
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.mechanisms import PlanarLaplace
from cobogo.locate.mechanisms.base import Course, Mechanism
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.reports import Report, ReportArea

__all__ = ["PRESETS", "AnswerCache", "DeviceClient", "Preset", "Report", "WindowLedger"]


@dataclass(frozen=True)
class _StoredAnswer:
    area: ReportArea
    places: Sequence[Any]
    time: float
    count: int


class AnswerCache:
    """Answers by the area that they are for, each used for ``max_age`` seconds.

    An answer holds every place that may be among the nearest to somebody in its area. So it serves any later position
    in that area, exactly. The answers for dummies are kept like the others: with `CachedDummies` they fill the cache,
    and a request from the same group of cells is answered from it. ``most`` limits how many answers are kept, the
    latest.

    >>> cache = AnswerCache(max_age=3600)
    >>> cache.add([ReportArea(-38.52, -3.73, 400.0)], [["a bus stop"]], time=0.0, count=1)
    >>> cache.find(-38.521, -3.731, 60.0, 1), cache.find(-38.521, -3.731, 3700.0, 1), cache.hit_ratio
    (['a bus stop'], None, 0.5)
    """

    def __init__(self, max_age: float, most: int = 10_000) -> None:
        for name, value in (("max_age", max_age), ("most", most)):
            if not 0 < value < float("inf"):
                raise ValueError(f"The {name!r} parameter of a cache must be above 0. Got {value!r} instead")
        self.max_age, self.most = max_age, most
        self.hits = self.misses = 0
        self._answers: list[_StoredAnswer] = []

    @property
    def hit_ratio(self) -> float:
        """The share of requests that the service did not see."""
        return self.hits / max(self.hits + self.misses, 1)

    def find(self, lon: float, lat: float, time: float, count: int) -> Sequence[Any] | None:
        """The latest answer that serves a position: for an area that holds it, of at least ``count`` places, and not
        too old; None where there is none. An answer from the future (a clock was set back) serves nobody."""
        for stored in reversed(self._answers):
            young = 0 <= time - stored.time <= self.max_age
            if young and stored.count >= count and stored.area.holds(lon, lat):
                self.hits += 1
                return stored.places
        self.misses += 1
        return None

    def add(self, areas: Sequence[ReportArea], answers: Sequence[Sequence[Any]], time: float, count: int) -> None:
        """Keep the answers for some areas; older ones for the same areas go."""
        new = {area: _StoredAnswer(area, places, time, count) for area, places in zip(areas, answers, strict=True)}
        old = [one for one in self._answers if one.area not in new and time - one.time <= self.max_age]
        self._answers = [*old, *new.values()][-self.most :]

    def __len__(self) -> int:
        return len(self._answers)


EXACTLY = Context(prec=60)
"""Sums of decimal texts without rounding: three times 0.1 is 0.3."""


class WindowLedger:
    """At most ``budget`` (ε per metre, or another ``unit``) within any ``window`` of so many seconds, in exact decimal
    arithmetic.

    >>> ledger = WindowLedger(0.3, window=60)
    >>> for second in (0, 1, 2):
    ...     ledger.spend(0.1, second)
    >>> ledger.amount_left(3), ledger.amount_left(60.5)
    (0.0, 0.1)
    """

    def __init__(
        self,
        budget: float,
        *,
        window: float,
        entries: Iterable[tuple[float, float]] = (),
        unit: str = tr("ε per metre"),
    ) -> None:
        for name, value in (("budget", budget), ("window", window)):
            if not 0 < value < float("inf"):
                raise ValueError(f"The {name!r} parameter of a ledger must be above 0. Got {value!r} instead")
        self.budget, self.window, self.unit = budget, window, unit
        self.resume(entries)

    def resume(self, entries: Iterable[tuple[float, float]]) -> None:
        """Replace the entries by those of a file."""
        self._entries = [(float(time), _exact(cost)) for time, cost in entries]

    def amount_spent(self, now: float) -> float:
        """What was spent in the window that ends now. Later entries count as well: setting the clock back frees
        nothing."""
        return float(self._sum_spent(now))

    def amount_left(self, now: float) -> float:
        """What may still be spent."""
        return float(max(EXACTLY.subtract(_exact(self.budget), self._sum_spent(now)), Decimal(0)))

    def allows(self, cost: float, now: float) -> bool:
        """Whether a cost is within the budget now."""
        return EXACTLY.add(self._sum_spent(now), _exact(cost)) <= _exact(self.budget)

    def spend(self, cost: float, now: float) -> None:
        """Spend a cost; raises `BudgetSpent` where it exceeds the budget, and spends nothing then."""
        if not cost >= 0:
            raise ValueError(f"The 'cost' parameter of spend must be 0 or above. Got {cost!r} instead")
        if not self.allows(cost, now):
            raise BudgetSpent(
                tr(
                    "{left:g} of {budget:g} ({unit}) is left for this window, and a report may cost {cost:g}",
                    left=self.amount_left(now),
                    budget=self.budget,
                    unit=self.unit,
                    cost=cost,
                ),
                where=tr("the device's ledger"),
                remedy=tr("Wait: what was spent more than {window:g} s ago can be spent again.", window=self.window),
            )
        self._entries = [(time, one) for time, one in self._entries if time > now - self.window]
        if cost:
            self._entries.append((float(now), _exact(cost)))

    def entries(self) -> list[tuple[float, float]]:
        """The times and costs that are kept."""
        return [(time, float(cost)) for time, cost in self._entries]

    def _sum_spent(self, now: float) -> Decimal:
        total = Decimal(0)
        for time, cost in self._entries:
            if time > now - self.window:
                total = EXACTLY.add(total, cost)
        return total


def _exact(amount: float) -> Decimal:
    """The number as it is written: 0.1 is a tenth."""
    return Decimal(repr(float(amount)))


@dataclass
class DeviceMemory:
    """A device's memory, with or without a ``file``."""

    file: Path | None = None
    entries: list[tuple[float, float]] = field(default_factory=list)
    last: Report | None = None
    places: dict[str, ReportArea] = field(default_factory=dict)
    memos: dict[str, Report] = field(default_factory=dict)

    @classmethod
    def open(cls, file: str | Path | None) -> DeviceMemory:
        """The memory of a file. A file that cannot be read is an error: without it the budget would be spent again."""
        if file is None:
            return cls()
        path = Path(file).expanduser()
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                path,
                [(float(time), float(cost)) for time, cost in content["spent"]],
                None if content["last"] is None else Report.from_dict(content["last"]),
                {name: ReportArea(*map(float, place)) for name, place in content["places"].items()},
                {name: Report.from_dict(memo) for name, memo in content["memos"].items()},
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise DataError(
                tr("is not the memory of a device, or is damaged"),
                where=str(path),
                remedy=tr(
                    "Restore the file: without it the device would spend its budget again, and report home a "
                    "second time "
                    "with other noise."
                ),
            ) from None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the file and read it again: two processes would spend one budget twice, and draw two values for home."""
        if self.file is None:
            yield
            return
        with exclusive(self.file):
            if self.file.exists():
                now = DeviceMemory.open(self.file)
                self.entries, self.last, self.places, self.memos = now.entries, now.last, now.places, now.memos
            yield

    def save(self) -> None:
        """Write the file, durably."""
        if self.file is None:
            return
        content: dict[str, Any] = {
            "spent": self.entries,
            "last": None if self.last is None else self.last.as_dict(),
            "places": {name: [place.lon, place.lat, place.radius] for name, place in self.places.items()},
            "memos": {name: memo.as_dict() for name, memo in self.memos.items()},
        }
        write_private(self.file, json.dumps(content))


NearestService = Callable[[Sequence[ReportArea], int], Sequence[Sequence[Any]]]
"""A service: for each area, every place that may be among the ``count`` nearest to somebody in it."""


@dataclass(frozen=True)
class NearestAnswer:
    """The answer that a device shows to its owner."""

    places: list[Any]
    exact: bool  # whether they are certainly the nearest
    report: Report | None  # what the service saw; None where it was not asked


class DeviceClient:
    """A mechanism, a ledger over a sliding window, and a memory for home and work.

    ``budget`` is what reports may cost within ``window`` seconds, in ε per metre. A mechanism that spends no ε is
    limited by a number of ``reports`` instead. When the budget is spent, a report is refused, or the last one is sent
    again (``when_spent`` = "resend"), which reveals nothing new. ``file`` keeps what a restart must not forget. A
    report is paid for, on disk, before it goes out. A mechanism that looks back gets the reports since the client was
    made. With a ``cache``, `nearest` asks the service only where no earlier answer serves.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        budget: float | None = None,
        reports: int | None = None,
        window: float,
        file: str | Path | None = None,
        when_spent: Literal["refuse", "resend"] = "refuse",
        source: Source | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        if when_spent not in ("refuse", "resend"):
            raise ValueError(
                f"The 'when_spent' parameter of Client must be refuse or resend. Got {when_spent!r} instead"
            )
        if (budget is None) == (reports is None):
            raise ValueError("The 'budget' parameter of Client must be given, or 'reports', and not both")
        if reports is None and not mechanism.highest_cost:
            raise ValueError(
                f"The 'budget' parameter of Client must be one that binds, and {mechanism.name} spends no ε: say how "
                "many 'reports' may go out within a window instead"
            )
        self.mechanism, self.when_spent, self._counted = mechanism, when_spent, reports is not None
        self.cache = cache
        self._source = source or Entropy()
        self._course = Course(mechanism, self._source)
        self._memory = DeviceMemory.open(file)
        limit = budget if reports is None else reports
        assert limit is not None
        unit = tr("ε per metre") if reports is None else tr("reports")
        self.ledger = WindowLedger(limit, window=window, entries=self._memory.entries, unit=unit)

    def remember(self, name: str, lon: float, lat: float, *, radius: float = 150.0) -> None:
        """Remember a place that its owner visits again and again. All reports from within ``radius`` metres of it have
        one value, which is drawn once: a thousand reports then reveal no more about the place than one."""
        place = ReportArea(float(lon), float(lat), float(radius))
        with self._memory.lock():
            if self._memory.places.get(name) != place:
                self._memory.places[name] = place
                self._memory.memos.pop(name, None)
                self._memory.save()

    def report(self, lon: float, lat: float, time: float) -> Report:
        """The report for a position. Raises `BudgetSpent`."""
        with self._memory.lock():
            if self._memory.file is not None:
                self.ledger.resume(self._memory.entries)
            return self._report(lon, lat, time)

    def _report(self, lon: float, lat: float, time: float) -> Report:
        name = next((name for name, place in self._memory.places.items() if place.holds(lon, lat)), None)
        if name is None:
            return self._draw_report(lon, lat, time, None)
        memo = self._memory.memos.get(name)
        if memo is not None:
            return memo.resend_at(time)
        place = self._memory.places[name]
        return self._draw_report(place.lon, place.lat, time, name)

    def nearest(
        self, lon: float, lat: float, time: float, service: NearestService, *, count: int = 1, reach: float = 1.0
    ) -> NearestAnswer:
        """The places nearest to the device, from a service that sees a report only.

        The service is asked about the report's areas, each made wider by ``reach`` metres, and answers with all places
        that may be nearest to somebody in them; the nearest to the true position are picked out here. The answer is
        exact whenever the true position is in one of the areas. ``reach`` must not depend on the position; a metre
        makes up for the grid that positions are snapped to. An answer from the cache has no report: nothing was sent.
        """
        stored = None if self.cache is None else self.cache.find(lon, lat, time, count)
        if stored is not None:
            return NearestAnswer(pick_nearest(stored, lon, lat, count), True, None)
        report = self.report(lon, lat, time)
        areas = report.areas(reach)
        answers = service(areas, count)
        if self.cache is not None:
            self.cache.add(areas, answers, time, count)
        holding = [number for number, area in enumerate(areas) if area.holds(lon, lat)]
        chosen = holding[:1] or [int(np.argmin(distance(lon, lat, [a.lon for a in areas], [a.lat for a in areas])))]
        return NearestAnswer(pick_nearest(answers[chosen[0]], lon, lat, count), bool(holding), report)

    def _draw_report(self, lon: float, lat: float, time: float, name: str | None) -> Report:
        """A new report, if the budget allows the highest cost that it may have."""
        dearest = 1.0 if self._counted else self.mechanism.highest_cost
        if not self.ledger.allows(dearest, time):
            if self.when_spent == "resend" and self._memory.last is not None:
                return self._memory.last.resend_at(time)
            self.ledger.spend(dearest, time)  # raises
        here = Points.from_columns([lon], [lat], time=[time])
        released = self._course.report(here) if name is None else self.mechanism.apply(here, self._source)
        report = Report.from_released(released)
        try:
            self.ledger.spend(1.0 if self._counted else float(released.cost[0]), time)
        except BudgetSpent:
            if self.when_spent == "resend" and self._memory.last is not None:
                return self._memory.last.resend_at(time)
            raise
        self._memory.entries, self._memory.last = self.ledger.entries(), report
        if name is not None:
            self._memory.memos[name] = report
        self._memory.save()
        return report


def pick_nearest(places: Sequence[Any], lon: float, lat: float, count: int) -> list[Any]:
    """The candidates nearest to the true place; of several at the same distance, those with smaller ids."""
    if not places:
        return []
    away = distance(lon, lat, [place.lon for place in places], [place.lat for place in places])
    order = sorted(range(len(places)), key=lambda number: (float(away[number]), places[number].id))
    return [places[number] for number in order[:count]]


WITHIN_95 = 4.743864518390577
"""95 % of planar Laplace noise is shorter than this, in units of 1/ε: the root of (1 + x) e^(−x) = 0.05."""


@dataclass(frozen=True)
class Preset:
    """A kind of service: 95 of 100 reports are within ``precision`` metres of the truth.

    ``reports`` may go out within a window of ``window`` seconds; then the last one is sent again.
    """

    name: str
    precision: float
    reports: int
    window: float
    identity: Literal["consistent", "pseudonymous", "absent"]
    release: Literal["current", "accumulated"]
    why: str

    @property
    def epsilon(self) -> float:
        """Per metre, for one report; rounded to three digits."""
        return float(f"{WITHIN_95 / self.precision:.3g}")

    @property
    def budget(self) -> float:
        """Per metre, for all reports of a window."""
        return round(self.reports * self.epsilon, 9)

    @property
    def mechanism(self) -> PlanarLaplace:
        """Noise as wide as the service can use."""
        return PlanarLaplace(self.epsilon)

    def client(self, **options: Any) -> DeviceClient:
        """A client with this noise and budget."""
        return DeviceClient(self.mechanism, budget=self.budget, window=self.window, when_spent="resend", **options)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "navigation", 25.0, 360, 3600.0, "pseudonymous", "current",
            tr(
                "Directions need the right street. Such small noise hides the door and not the street, and a "
                "drive is one "
                "long line of positions: the protection is that nobody knows whose line it is. Use pseudonyms "
                "that change "
                "in mix zones, end the trip one street early, and let the device find the way where it can."
            ),
        ),
        Preset(
            "game", 100.0, 60, 3600.0, "pseudonymous", "current",
            tr(
                "A game shows what is within a stone's throw, and works with an error of a hundred metres. Sixty "
                "reports "
                "an hour are one a minute: more would draw the player's path."
            ),
        ),
        Preset(
            "recommendation", 500.0, 12, 3600.0, "absent", "current",
            tr(
                "It matters whether a restaurant is five or ten minutes away; it does not matter at which table the "
                "person sits. With a cloak or dummies instead of noise the answer is exact, and it needs no name."
            ),
        ),
        Preset(
            "weather", 5000.0, 4, 86400.0, "absent", "current",
            tr(
                "It rains on the whole neighbourhood. Kilometres do not change a forecast, four reports a day "
                "are enough, "
                "and the service need not know who asks."
            ),
        ),
        Preset(
            "fitness", 50.0, 720, 86400.0, "consistent", "accumulated",
            tr(
                "A run is shown under the runner's name, but afterwards: nobody needs to know where the runner is now. "
                "Release it when the trip is over, without its first and last streets."
            ),
        ),
    )
}  # fmt: skip
"""Every preset by the kind of service."""
