"""What the anonymizer remembers: where everybody was last, and every report of the last hour or so."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cobogo.location.geometry import Floats
from cobogo.location.points import Ints, Points

FIRST = 1024


@dataclass
class _Columns:
    """Three columns of numbers and one of people that grow at the end."""

    size: int = 0
    lon: Floats = field(default_factory=lambda: np.empty(FIRST))
    lat: Floats = field(default_factory=lambda: np.empty(FIRST))
    time: Floats = field(default_factory=lambda: np.empty(FIRST))
    user: Ints = field(default_factory=lambda: np.empty(FIRST, dtype=np.int64))

    def add(self, lon: float, lat: float, time: float, user: int) -> int:
        if self.size == len(self.lon):
            self.lon, self.lat, self.time = (
                np.concatenate([part, np.empty_like(part)]) for part in (self.lon, self.lat, self.time)
            )
            self.user = np.concatenate([self.user, np.empty_like(self.user)])
        row = self.size
        self.size += 1
        self.put(row, lon, lat, time, user)
        return row

    def put(self, row: int, lon: float, lat: float, time: float, user: int) -> None:
        self.lon[row], self.lat[row], self.time[row], self.user[row] = lon, lat, time, user

    def keep(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        size = int(rows.sum())
        for part in (self.lon, self.lat, self.time, self.user):
            part[:size] = part[: self.size][rows]
        self.size = size

    def points(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Points:
        lon, lat, time = (part[: self.size][rows] for part in (self.lon, self.lat, self.time))
        return Points(lon, lat, time, self.user[: self.size][rows])


@dataclass
class Records:
    """People are numbered as they come; numbers of those who were forgotten are given again. Names are in no `Points`
    that leave here."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _now: _Columns = field(default_factory=_Columns)
    _log: _Columns = field(default_factory=_Columns)
    _oldest: float = -np.inf
    _free: list[int] = field(default_factory=list)

    def add(self, user: str, lon: float, lat: float, time: float) -> None:
        """One report. It moves its owner unless a later one was there before."""
        person = self._numbers.get(user)
        if person is None:
            if self._free:
                person = self._free.pop()
                self._now.put(person, lon, lat, time, person)
            else:
                person = self._now.add(lon, lat, time, self._now.size)
            self._numbers[user] = person
        elif time >= self._now.time[person]:
            self._now.put(person, lon, lat, time, person)
        self._log.add(lon, lat, time, person)

    def prune(self, before: float) -> None:
        """Forget reports older than this, in batches."""
        if before > self._oldest and self._log.size >= 2 * FIRST:
            half = float(np.partition(self._log.time[: self._log.size], self._log.size // 2)[self._log.size // 2])
            if half < before:
                self._log.keep(self._log.time[: self._log.size] >= before)
            else:
                self._oldest = half  # until then pruning would free less than half

    def forget(self, user: str) -> None:
        """Nothing of somebody is kept."""
        person = self._numbers.pop(user, None)
        if person is not None:
            self._now.put(person, np.nan, np.nan, -np.inf, person)
            self._log.keep(self._log.user[: self._log.size] != person)
            self._free.append(person)

    def number(self, user: str) -> int | None:
        """The number of somebody who was heard of."""
        return self._numbers.get(user)

    def last(self, person: int) -> float:
        """When somebody was last heard of."""
        return float(self._now.time[person])

    def place(self, person: int) -> tuple[float, float]:
        """Where somebody was last."""
        return float(self._now.lon[person]), float(self._now.lat[person])

    def current(self, since: float) -> Points:
        """The last report of everybody who was heard of since."""
        return self._now.points(self._now.time[: self._now.size] >= since)

    def seen(self, since: float, until: float, *, also: Points | None = None) -> Points:
        """All reports of a span of time, after others."""
        time = self._log.time[: self._log.size]
        found = self._log.points((time >= since) & (time <= until))
        if also is None:
            return found
        assert also.time is not None
        assert also.user is not None
        assert found.time is not None
        assert found.user is not None
        parts = ((also.lon, found.lon), (also.lat, found.lat), (also.time, found.time))
        lon, lat, time = (np.concatenate(both) for both in parts)
        return Points(lon, lat, time, np.concatenate([also.user, found.user]))
