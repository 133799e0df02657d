"""Answers of a service, kept on the device: a request that an earlier answer serves reveals nothing to the service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cobogo.locate.device.reports import ReportArea


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
