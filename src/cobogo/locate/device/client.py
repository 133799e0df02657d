"""The client on a device: it knows the true position and decides what goes out. Presets for kinds of service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cobogo.errors import BudgetSpent
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.device.cache import AnswerCache
from cobogo.locate.device.memory import DeviceMemory, WindowLedger
from cobogo.locate.device.reports import Report, ReportArea
from cobogo.locate.mechanisms import PlanarLaplace
from cobogo.locate.mechanisms.base import Course, Mechanism
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

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
