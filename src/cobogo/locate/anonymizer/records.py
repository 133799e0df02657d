"""What the anonymizer remembers: everybody's last position and a log of all reports, until they are forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.points import Points

FIRST = 1024


@dataclass
class _Columns:
    """Columns of positions, times and people that grow at the end."""

    size: int = 0
    lon: Floats = field(default_factory=lambda: np.zeros(FIRST))
    lat: Floats = field(default_factory=lambda: np.zeros(FIRST))
    time: Floats = field(default_factory=lambda: np.zeros(FIRST))
    user: Ints = field(default_factory=lambda: np.zeros(FIRST, dtype=np.int64))

    def add(self, lon: float, lat: float, time: float, user: int) -> int:
        if self.size == len(self.lon):
            self.lon, self.lat, self.time = (
                np.concatenate([part, np.zeros_like(part)]) for part in (self.lon, self.lat, self.time)
            )
            self.user = np.concatenate([self.user, np.zeros_like(self.user)])
        row = self.size
        self.size += 1
        self.put(row, lon, lat, time, user)
        return row

    def put(self, row: int, lon: float, lat: float, time: float, user: int) -> None:
        self.lon[row], self.lat[row], self.time[row], self.user[row] = lon, lat, time, user

    def keep(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        """Keep some rows. The others are overwritten, so that nothing of them stays in memory."""
        size = int(rows.sum())
        room = max(FIRST, 2 * size)
        for name in ("lon", "lat", "time", "user"):
            part = getattr(self, name)
            new = np.zeros(room, dtype=part.dtype)
            new[:size] = part[: self.size][rows]
            part[: self.size] = 0
            setattr(self, name, new)
        self.size = size

    def points(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Points:
        lon, lat, time = (part[: self.size][rows] for part in (self.lon, self.lat, self.time))
        return Points(lon, lat, time, self.user[: self.size][rows])


@dataclass
class PositionRecords:
    """Last positions and a log. People are numbered in the order in which they come; the numbers of forgotten people
    are used again. The `Points` that are returned have no names."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _now: _Columns = field(default_factory=_Columns)
    _log: _Columns = field(default_factory=_Columns)
    _free: list[int] = field(default_factory=list)

    def add(self, user: str, lon: float, lat: float, time: float) -> None:
        """Take in a report. It moves its owner unless a later report came before it."""
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

    def expire(self, before: float) -> bool:
        """Forget reports from before a time, and people whose last report is one of them. Returns whether there were
        any."""
        time = self._log.time[: self._log.size]
        if (time < before).any():
            self._log.keep(time >= before)
        gone = [user for user, person in self._numbers.items() if self._now.time[person] < before]
        for user in gone:
            self._free_number(user)
        return bool(gone)

    def forget(self, user: str) -> None:
        """Forget everything about a person."""
        person = self._free_number(user)
        if person is not None:
            self._log.keep(self._log.user[: self._log.size] != person)

    def _free_number(self, user: str) -> int | None:
        """Take a person's number away. The log has none of their reports when it is given to another person."""
        person = self._numbers.pop(user, None)
        if person is not None:
            self._now.put(person, np.nan, np.nan, -np.inf, person)
            self._free.append(person)
        return person

    @property
    def people(self) -> int:
        """The number of people of whom a report is kept."""
        return len(self._numbers)

    @property
    def size(self) -> int:
        """The number of rows that are kept."""
        return self._log.size + self._now.size

    def number(self, user: str) -> int | None:
        """A person's number; None where they have no report."""
        return self._numbers.get(user)

    def last_time(self, person: int) -> float:
        """The time of a person's last report."""
        return float(self._now.time[person])

    def place(self, person: int) -> tuple[float, float]:
        """The place of a person's last report."""
        return float(self._now.lon[person]), float(self._now.lat[person])

    def current(self, since: float) -> Points:
        """The last report of everybody who has reported since a time."""
        return self._now.points(self._now.time[: self._now.size] >= since)

    def reports_between(self, since: float, until: float, *, also: Points | None = None) -> Points:
        """All reports of a span of time; those of ``also`` come first."""
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
