"""Trips: a person's points between two pauses, on a common clock, or as walks on a public grid.

The walks of each person are bounded before a private model counts them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import MISSING, Points

DAY = 86_400.0

SLOW = 0.2
"""Metres a second below which a person stays where they are: the error of GPS over a minute."""


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

    def resample(self, when: Floats, number: Ints) -> Trips:
        """The trips at other times within their spans, ``number`` for each trip, by interpolation."""
        if not len(self):
            return self
        starts = np.concatenate([[0], np.cumsum(number)])
        first, span = self.begins, float((self.ends - self.begins).max(initial=0.0)) + 1.0
        line = self.time - np.repeat(first, self.number) + self.trip * span  # one after the other, never overlapping
        wanted = when - np.repeat(first, number) + np.repeat(np.arange(len(self)), number) * span
        east, north = np.interp(wanted, line, self.east), np.interp(wanted, line, self.north)
        return Trips(self.frame, starts, east, north, when, self.person)


def split_trips(
    points: Points, *, gap: float = 1800.0, stay: float = 0.0, daily: bool = False, frame: Frame | None = None
) -> Trips:
    """Trips of people, cut where there is no point for more than ``gap`` seconds, and where a person stays (slower than
    `SLOW`) for ``stay`` seconds or more, unless that is 0. A single point is no trip.

    A private model must give a public ``frame``, so that a person's trips do not depend on others, down to the last
    digit. With ``daily`` the dates are dropped: a trip begins at its time of day, on the first of January 1970.
    """
    if points.user is None or points.time is None:
        raise DataError(
            tr("there are no columns of users and times")
            if points.user is None and points.time is None
            else MISSING["user" if points.user is None else "time"],
            where="trajectories",
            remedy=tr("A trajectory needs the person and the time of each point: name their columns (--user, --time)."),
        )
    ordered = points.sort()
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
    """Which steps between points are part of a stay: runs of slow steps that last at least ``stay`` seconds."""
    lasts = np.diff(time)
    slow = (np.hypot(np.diff(east), np.diff(north)) <= SLOW * lasts) & ~new[1:]
    run = np.cumsum(np.diff(slow, prepend=False) != 0)
    total = np.bincount(run, np.where(slow, lasts, 0.0))
    return np.asarray(slow & (total[run] >= stay))


def resample_to_clock(trips: Trips, step: float, period: float | None = None) -> Trips:
    """The trips at every full ``step`` seconds of the clock; with ``period``, cut to full periods, so that many trips
    have the same span. Trips with fewer than two such points are left out."""
    unit = period or step
    first, last = np.ceil(trips.begins / unit) * unit, np.floor(trips.ends / unit) * unit
    number = np.maximum(np.floor((last - first) / step + 1e-9).astype(np.int64) + 1, 0)
    kept = np.flatnonzero(number >= 2)
    number = number[kept]
    offset = np.arange(int(number.sum())) - np.repeat(np.cumsum(number) - number, number)
    return trips.take(kept).resample(np.repeat(first[kept], number) + offset * step, number)


@dataclass(frozen=True, eq=False, repr=False)
class Walks:
    """Trips as sequences of cells, each of which touches the next, at least at a corner."""

    starts: Ints
    cells: Ints
    person: Ints  # one for each walk
    begins: Floats  # seconds
    lasts: Floats  # seconds

    def __len__(self) -> int:
        return len(self.person)

    @property
    def number(self) -> Ints:
        """How many cells each walk has."""
        return np.diff(self.starts)

    def take(self, walks: Ints) -> Walks:
        """Some of the walks."""
        number = self.number[walks]
        starts = np.concatenate([[0], np.cumsum(number)])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[walks] - starts[:-1], number)
        return Walks(starts, self.cells[rows], self.person[walks], self.begins[walks], self.lasts[walks])

    def shorten(self, longest: int) -> Walks:
        """The walks, cut after so many cells; their durations are cut in proportion."""
        number = np.minimum(self.number, longest)
        kept = np.arange(len(self.cells)) - np.repeat(self.starts[:-1], self.number) < longest
        share = np.maximum(number - 1, 1) / np.maximum(self.number - 1, 1)
        starts = np.concatenate([[0], np.cumsum(number)])
        return Walks(starts, self.cells[kept], self.person, self.begins, self.lasts * np.minimum(share, 1.0))


def walks_of(trips: Trips, grid: Grid) -> Walks:
    """The cells that each trip goes through. Points outside the grid are moved to its edge."""
    lon, lat = trips.frame.degrees(trips.east, trips.north)
    east, north = grid.frame.metres(lon, lat)
    half = grid.columns * grid.size / 2, grid.rows * grid.size / 2
    east, north = np.clip(east, -half[0], half[0] - 1e-6), np.clip(north, -half[1], half[1] - 1e-6)
    trip = trips.trip
    same = np.diff(trip, append=-1) == 0
    ahead = np.minimum(np.arange(len(trip)) + 1, max(len(trip) - 1, 0))
    metres = np.where(same, np.maximum(np.abs(east[ahead] - east), np.abs(north[ahead] - north)), 0.0)
    pieces = np.maximum(np.ceil(metres / grid.size * 2).astype(np.int64), 1)  # half a cell at most, either way
    row = np.repeat(np.arange(len(trip)), pieces)
    share = (np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / np.repeat(pieces, pieces)
    x = east[row] + share * (east[ahead[row]] - east[row]) * same[row]
    y = north[row] + share * (north[ahead[row]] - north[row]) * same[row]
    cells = grid.nearest_cell(*grid.frame.degrees(x, y))
    whose = trip[row]
    new = (np.diff(whose, prepend=-1) != 0) | (np.diff(cells, prepend=-1) != 0)
    starts = np.searchsorted(whose[new], np.arange(len(trips) + 1))
    return Walks(starts.astype(np.int64), cells[new], trips.person, trips.begins, trips.ends - trips.begins)


def bound_walks(walks: Walks, trips: int, longest: int, source: Source) -> Walks:
    """At most ``trips`` walks of each person, chosen at random, none longer than ``longest`` cells."""
    return walks.take(np.sort(choose_rows(walks.person, trips, source))).shorten(longest)


def moves_of(walks: Walks, most: int, source: Source) -> tuple[Ints, Ints]:
    """At most ``most`` moves of each person, chosen at random, as the cells before and after each."""
    walk = np.repeat(np.arange(len(walks)), walks.number)
    stays = np.flatnonzero(np.diff(walk) == 0)
    kept = stays[choose_rows(walks.person[walk[stays]], most, source)]
    return walks.cells[kept], walks.cells[kept + 1]


def choose_rows(person: Ints, most: int, source: Source) -> Ints:
    """At most ``most`` rows of each person, chosen at random."""
    order = np.lexsort((source.words(len(person)), person))
    first = np.flatnonzero(np.diff(person[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return order[rank < most]
