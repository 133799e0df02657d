"""Trips: a person's points between two pauses, brought to a common clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points

DAY = 86_400.0

SLOW = 0.2
"""Metres a second: slower than that nobody goes anywhere."""


@dataclass(frozen=True, eq=False, repr=False)
class Trips:
    """Trip i has the rows ``starts[i]:starts[i + 1]``, in the order of time, and belongs to a person."""

    frame: Frame
    starts: Ints
    east: Floats
    north: Floats
    time: Floats
    person: Ints  # one for each trip

    def __len__(self) -> int:
        return len(self.person)

    @property
    def number(self) -> Ints:
        """How many points each trip has."""
        return np.diff(self.starts)

    @property
    def trip(self) -> Ints:
        """The trip of each row."""
        return np.repeat(np.arange(len(self)), self.number)

    @property
    def begins(self) -> Floats:
        """When each trip begins."""
        return self.time[self.starts[:-1]]

    @property
    def ends(self) -> Floats:
        """When each trip ends."""
        return self.time[self.starts[1:] - 1]

    def take(self, trips: Ints) -> Trips:
        """Some of the trips."""
        number = self.number[trips]
        starts = np.concatenate([[0], np.cumsum(number)])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[trips] - starts[:-1], number)
        return Trips(self.frame, starts, self.east[rows], self.north[rows], self.time[rows], self.person[trips])

    def resampled(self, when: Floats, number: Ints) -> Trips:
        """The same trips at other times of theirs: ``number`` of each, within its span."""
        if not len(self):
            return self
        starts = np.concatenate([[0], np.cumsum(number)])
        first, span = self.begins, float((self.ends - self.begins).max(initial=0.0)) + 1.0
        line = self.time - np.repeat(first, self.number) + self.trip * span  # one after the other, never overlapping
        wanted = when - np.repeat(first, number) + np.repeat(np.arange(len(self)), number) * span
        east, north = np.interp(wanted, line, self.east), np.interp(wanted, line, self.north)
        return Trips(self.frame, starts, east, north, when, self.person)


def split(
    points: Points, *, gap: float = 1800.0, stay: float = 0.0, daily: bool = False, frame: Frame | None = None
) -> Trips:
    """Trips of people, cut wherever nothing is known for longer than ``gap`` seconds, and where they stay (slower than
    `SLOW`) for ``stay`` seconds or more, unless that is 0. What has a single point only is no trip.

    ``frame`` must be given, and public, where nothing of anybody's may depend on others, down to the last digit.
    With ``daily`` the dates are forgotten: a trip begins at its time of day, on the first of January 1970.
    """
    if points.user is None or points.time is None:
        missing = " and ".join(name for name in ("user", "time") if getattr(points, name) is None)
        raise DataError(
            f"has no column for {missing}",
            where="trajectories",
            remedy="Trajectories are a person's points in the order of time: say which columns tell them (--user, "
            "--time).",
        )
    ordered = points.ordered()
    assert ordered.user is not None
    assert ordered.time is not None
    frame = frame or points.frame
    east, north = frame.metres(ordered.lon, ordered.lat)
    new = (np.diff(ordered.user, prepend=-1) != 0) | (np.diff(ordered.time, prepend=0.0) > gap)
    if len(new):
        new[0] = True
    time, user = ordered.time, ordered.user
    if stay > 0 and len(new) > 1:
        resting = _resting(east, north, time, new, stay)
        kept = ~(np.append(False, resting) & np.append(resting, False))
        new = (new | np.append(False, resting))[kept]
        east, north, time, user = east[kept], north[kept], time[kept], user[kept]
    starts = np.append(np.flatnonzero(new), len(time)).astype(np.int64)
    if daily and len(time):
        first = time[starts[:-1]]
        time = time - np.repeat(first - first % DAY, np.diff(starts))
    trips = Trips(frame, starts, east, north, time, user[starts[:-1]])
    return trips.take(np.flatnonzero(trips.number >= 2))


def _resting(east: Floats, north: Floats, time: Floats, new: NDArray[np.bool_], stay: float) -> NDArray[np.bool_]:
    """Which steps from a point to the next are part of a stay: slow ones in a row that last long enough."""
    lasts = np.diff(time)
    slow = (np.hypot(np.diff(east), np.diff(north)) <= SLOW * lasts) & ~new[1:]
    run = np.cumsum(np.diff(slow, prepend=False) != 0)
    total = np.bincount(run, np.where(slow, lasts, 0.0))
    return np.asarray(slow & (total[run] >= stay))


def on_clock(trips: Trips, step: float, period: float | None = None) -> Trips:
    """The trips at every full ``step`` seconds of the clock; with ``period``, cut to full periods, so that trips of
    the same periods have the same span. Trips with less than two such points are left out."""
    unit = period or step
    first, last = np.ceil(trips.begins / unit) * unit, np.floor(trips.ends / unit) * unit
    number = np.maximum(np.floor((last - first) / step + 1e-9).astype(np.int64) + 1, 0)
    kept = np.flatnonzero(number >= 2)
    number = number[kept]
    offset = np.arange(int(number.sum())) - np.repeat(np.cumsum(number) - number, number)
    return trips.take(kept).resampled(np.repeat(first[kept], number) + offset * step, number)
