"""What a mobility model counts: its public declarations, records bounded to them, habits of people, and histograms.

Cells, days and bins are declared without looking at the data. Records are bounded to the declared days and to so many
calls a day before anything is counted. Which records of a person are kept depends on that person's records alone, in
whatever order they come.

Habits are of each person from their own records: home, work, how much and when they call. A person counts as one in
every histogram. In histograms of calls a person's calls share one whole: each bin gets its part in units of 1/`WHOLE`,
rounded down. So the sensitivity (L1, one person more or less) is 1 or `WHOLE` for any records.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.locate.places.cells import Calls, Cells

KILOMETRES = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.5, 8.0, 10.0, 13.0, 17.0, 25.0, 50.0)
"""Ends of the bins of distances; the first bin is the cell itself, the last all that is farther."""

CALLS_A_DAY = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0, 20.0, 30.0)
"""Ends of the bins of calls a day; the last ends at `Space.most_a_day`."""

SPREADS = (0.8, 1.5)
"""Bounds of √(variance / mean) of a person's calls a day, between even, random (Poisson: 1) and bursty days."""

REACHES = (0, 4, 8)
"""Ends of the classes of people by the distance to their work, as bins of distance; the last class is all above."""

UNITS = {
    "cells": tr("Give a file with fewer cells, or with at least one."),
    "days": tr("Give a number of days."),
    "utc-offset": tr("Give the hours from UTC: -3 in Fortaleza."),
    "area": tr("Give the width of an area in metres."),
    "most-a-day": tr("Give a number of calls."),
}
"""What each number of a space counts, as a remedy."""

CALLS = (1, 3, 7, 15)
"""Ends of the bins of a day's number of calls; the last bin is all above."""

PERIODS = (0, 6, 12, 18)
"""Hours at which the periods of the day begin; places away from home and work are counted by period."""

BUSIEST_HOURS = {"day": (7, 18), "evening": (18, 23), "night": (23, 7)}
"""Classes of people by the hours, from and to, at which they call most. The paper finds them by clustering; these are
public."""

NIGHT = (20, 7)
"""The hours, from and to, whose most used cell is a person's home."""

WORK = (9, 17)
"""The hours of weekdays whose most used cell is a person's work."""

MOST_CELLS = 20_000
MOST_DAYS = 366


@dataclass(frozen=True, eq=False)
class Space:
    """The public declarations of a model.

    ``first`` and ``days`` say which days are looked at, by a clock that stands ``utc_offset`` hours from UTC all year;
    ``area`` is the side, in metres, of the squares that cells are grouped in; ``most_a_day`` the calls of a person that
    count on one day.
    """

    cells: Cells
    first: date
    days: int
    utc_offset: float = 0.0
    area: float = 3_000.0
    most_a_day: int = 40

    def __post_init__(self) -> None:
        checks = {
            "cells": (1, MOST_CELLS, len(self.cells)),
            "days": (1, MOST_DAYS, self.days),
            "utc-offset": (-14, 14, self.utc_offset),
            "area": (10, 10_000_000, self.area),
            "most-a-day": (1, 1_000, self.most_a_day),
        }
        for name, (least, most, value) in checks.items():
            if not least <= value <= most:
                raise PolicyError(
                    tr(
                        "must be from {least:,} to {most:,}. Got {value:,} instead", least=least, most=most, value=value
                    ),
                    where=name,
                    remedy=UNITS[name],
                )

    @cached_property
    def start(self) -> float:
        """The first midnight, in seconds since 1970 (UTC)."""
        return (self.first - date(1970, 1, 1)).days * 86_400.0 - self.utc_offset * 3_600.0

    @cached_property
    def free(self) -> Ints:
        """For each day 1 where it is a Saturday or a Sunday, else 0."""
        days = [self.first + timedelta(days=number) for number in range(self.days)]
        return np.array([int(day.weekday() >= 5) for day in days], dtype=np.int64)

    @cached_property
    def area_of(self) -> Ints:
        """The number of the area of each cell: squares of a map that begins at the cells' south-western corner."""
        corner = self.cells.metres.min(axis=0)
        square = np.floor((self.cells.metres - corner) / self.area).astype(np.int64)
        return np.unique(square, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    @property
    def areas(self) -> int:
        """How many areas there are."""
        return int(self.area_of.max()) + 1

    @property
    def distances(self) -> int:
        """How many bins of distances there are."""
        return len(KILOMETRES) + 1

    def distance_bin(self, one: Ints, other: Ints) -> Ints:
        """The bin of the distance between cells, row by row (or by broadcasting)."""
        apart = np.linalg.norm(self.cells.metres[one] - self.cells.metres[other], axis=-1)
        bins = np.searchsorted(np.array(KILOMETRES) * 1_000.0, apart, side="left")
        return np.asarray(np.where(np.equal(one, other), 0, np.maximum(bins, 1)), dtype=np.int64)

    @cached_property
    def rates(self) -> Floats:
        """The ends of the bins of calls a day, with the cap as the last."""
        return np.array([*(rate for rate in CALLS_A_DAY if rate < self.most_a_day), float(self.most_a_day)])

    def as_dict(self) -> dict[str, object]:
        """The declaration, as it is published."""
        return {
            "first": self.first.isoformat(), "days": self.days, "utc-offset": self.utc_offset, "area": self.area,
            "most-a-day": self.most_a_day, "cells": [
                {"cell": name, "lon": lon, "lat": lat}
                for name, lon, lat in zip(
                    self.cells.names, self.cells.lon.tolist(), self.cells.lat.tolist(), strict=True
                )
            ],
        }  # fmt: skip


def in_window(hour: Ints, window: tuple[int, int]) -> np.ndarray:
    """Which hours lie in a window, which may go over midnight.

    >>> in_window(np.array([6, 7, 19, 20]), (20, 7)).tolist()
    [True, False, False, True]
    """
    start, end = window
    return (hour >= start) & (hour < end) if start < end else (hour >= start) | (hour < end)


def reach_of(apart: Ints) -> Ints:
    """The class of people whose work is a bin of distance away from their home."""
    return np.asarray(np.searchsorted(np.array(REACHES), apart), dtype=np.int64)


def period_of(hour: Ints) -> Ints:
    """The number of the period of the day that an hour lies in."""
    return np.asarray(np.searchsorted(np.array(PERIODS), hour, side="right") - 1, dtype=np.int64)


class BoundedCalls(NamedTuple):
    """Bounded records, person by person: people are numbered anew from 0, each has at least one record."""

    user: Ints
    cell: Ints
    day: Ints
    hour: Ints
    people: int


def bound_calls(calls: Calls, space: Space) -> BoundedCalls:
    """The first calls of each person on each declared day, up to the cap; ties in time go to the cell of the lower
    number."""
    since = calls.time - space.start
    inside = np.flatnonzero((since >= 0) & (since < space.days * 86_400.0))
    order = inside[np.lexsort((calls.cell[inside], since[inside], calls.user[inside]))]
    user, cell, second = calls.user[order], calls.cell[order], since[order]
    day = (second // 86_400.0).astype(np.int64)
    key = user * space.days + day
    fresh = np.flatnonzero(np.diff(key, prepend=-1))
    rank = np.arange(len(key)) - np.repeat(fresh, np.diff(np.append(fresh, len(key))))
    kept = rank < space.most_a_day
    known, number = np.unique(user[kept], return_inverse=True)
    hour = (second[kept] % 86_400.0 // 3_600.0).astype(np.int64)
    return BoundedCalls(number.astype(np.int64), cell[kept], day[kept], hour, len(known))


AT_HOME, AT_WORK, AWAY = 0, 1, 2
"""Where a call is made from."""

STATES = ("home", "work", "away")

PATTERNS = 7
"""Which of the three a day has: any combination but none."""


class Habits(NamedTuple):
    """One entry a person, and for each record where it was made from."""

    home: Ints
    """The cell most used by night; of all, for those who never call by night."""
    work: Ints
    """The cell most used in working hours of weekdays; their home, for those who never call then."""
    kind: Ints
    """When they call most: a number of `BUSIEST_HOURS`."""
    rate: Ints
    """The bin of their calls a day."""
    spread: Ints
    """How uneven their days are."""
    state: Ints
    """Of each record: `AT_HOME`, `AT_WORK` or `AWAY`."""
    pattern: Ints
    """Of each record, which of the three its day saw: 1 for home, 2 for work and 4 for away, added up, less 1."""
    calls: Ints
    """Of each record, the bin of the number of calls of its day."""


def habits(records: BoundedCalls, space: Space) -> Habits:
    """The habits of everybody who has a record."""
    by_night = in_window(records.hour, NIGHT)
    at_work = in_window(records.hour, WORK) & (space.free[records.day] == 0)
    home = _favourite(records, by_night, space)
    work = np.where(np.bincount(records.user, at_work, records.people) > 0, _favourite(records, at_work, space), home)
    day_of = records.user * space.days + records.day
    own_home, own_work = home[records.user] == records.cell, work[records.user] == records.cell
    by_kind = [
        np.bincount(records.user, in_window(records.hour, window), records.people) for window in BUSIEST_HOURS.values()
    ]
    daily = np.bincount(day_of, minlength=records.people * space.days)
    daily = daily.reshape(records.people, space.days)
    mean = daily.mean(axis=1)
    state = np.select([own_home, own_work], [AT_HOME, AT_WORK], AWAY).astype(np.int64)
    seen = np.zeros(daily.size, dtype=np.int64)
    for which in (AT_HOME, AT_WORK, AWAY):
        seen[day_of[state == which]] |= 1 << which
    uneven = np.sqrt(daily.var(axis=1) / np.maximum(mean, 1e-9))
    return Habits(
        home=home,
        work=work,
        kind=np.argmax(np.stack(by_kind, axis=1), axis=1).astype(np.int64),
        rate=np.minimum(np.searchsorted(space.rates, mean), len(space.rates) - 1).astype(np.int64),
        spread=np.searchsorted(np.array(SPREADS), uneven).astype(np.int64),
        state=state,
        pattern=seen[day_of] - 1,
        calls=np.searchsorted(np.array(CALLS), daily.ravel()[day_of]).astype(np.int64),
    )


def _favourite(records: BoundedCalls, counted: NDArray[np.bool_], space: Space) -> Ints:
    """Each person's most used cell in the ``counted`` records; ties go to the most used in all, then to the lowest
    number."""
    pair, member = np.unique(records.user * len(space.cells) + records.cell, return_inverse=True)
    user, cell = np.divmod(pair, len(space.cells))
    often = np.bincount(member, counted, len(pair))
    ever = np.bincount(member, minlength=len(pair))
    order = np.lexsort((cell, -ever, -often, user))
    first = np.flatnonzero(np.diff(user[order], prepend=-1))
    return np.asarray(cell[order][first], dtype=np.int64)


WHOLE = 10_080
"""Units of one person in histograms of calls: divisible by most numbers of calls, so that rounding down loses
little."""

SHARES: dict[str, Fraction] = {
    "home": Fraction(4, 24), "work": Fraction(3, 24), "commute": Fraction(4, 24), "activity": Fraction(2, 24),
    "times": Fraction(2, 24), "days": Fraction(2, 24), "presence": Fraction(3, 24), "outings": Fraction(2, 24),
    "places": Fraction(2, 24),
}  # fmt: skip
"""The parts of the model and their shares of ε, which sum to 1. Homes and commutes get most: errors in them move people
by kilometres."""

ABOUT = {
    "home": tr("people by the cell in which they live"),
    "work": tr("people by the cell in which they work"),
    "commute": tr("people by the area of their home and the distance to their work"),
    "activity": tr("people by when they call, how often a day, and how regularly"),
    "times": tr("calls by kind of caller, kind of day and hour"),
    "days": tr(
        "days by the distance from home to work, kind of day, number of calls, and whether there were calls from home, "
        "from work and from elsewhere"
    ),
    "presence": tr("calls by the places of their day, the hour, and whether from home, from work or from elsewhere"),
    "outings": tr("calls from elsewhere by period of the day and distance from home"),
    "places": tr("calls from elsewhere by period of the day and cell"),
}


class HistogramShape(NamedTuple):
    """The public form of a histogram: its axes, and a coarser histogram that is released beside it.

    ``parent`` is the coarse bin of each bin; ``alike`` says that the bins of a coarse bin are similar a priori, as
    places are, so that differences no larger than the noise are reduced.
    """

    axes: tuple[int, ...]
    parent: Ints
    sensitivity: int
    alike: bool = False

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.parent)

    @property
    def parents(self) -> int:
        """How many coarse bins there are."""
        return int(self.parent.max()) + 1


def histogram_shapes(space: Space) -> dict[str, HistogramShape]:
    """The shape of every part: it follows from the declarations, never from the data."""
    cells, areas, far = len(space.cells), space.areas, space.distances
    kinds, times = len(BUSIEST_HOURS), len(PERIODS)
    activity = (kinds, len(space.rates), len(SPREADS) + 1)
    days = (len(REACHES) + 1, 2, len(CALLS) + 1, PATTERNS)
    presence = (PATTERNS, 24, len(STATES))
    pattern, hour, state = np.indices(presence).reshape(3, -1)
    return {
        "home": HistogramShape((cells,), space.area_of, 1, alike=True),
        "work": HistogramShape((cells,), space.area_of, 1, alike=True),
        "commute": HistogramShape((areas, far), np.tile(np.arange(far), areas), 1, alike=True),
        "activity": HistogramShape(activity, np.tile(np.repeat(np.arange(activity[1]), activity[2]), kinds), 1),
        "times": HistogramShape((kinds, 2, 24), np.tile(np.arange(2 * 24), kinds), WHOLE),
        "days": HistogramShape(days, np.tile(np.arange(days[2] * days[3]), days[0] * 2), WHOLE),
        "presence": HistogramShape(
            presence, (pattern * times + period_of(hour)) * len(STATES) + state, WHOLE, alike=True
        ),
        "outings": HistogramShape((times, far), np.tile(np.arange(far), times), WHOLE),
        "places": HistogramShape(
            (times, cells), (np.arange(times)[:, None] * areas + space.area_of[None]).ravel(), WHOLE, alike=True
        ),
    }


def counts(records: BoundedCalls, found: Habits, space: Space) -> dict[str, Ints]:
    """The exact histograms. They are only used to add noise to them."""
    forms = histogram_shapes(space)
    user, hour = records.user, records.hour
    apart = space.distance_bin(found.home, found.work)
    reach = reach_of(apart)[user]
    free = space.free[records.day]
    first = np.flatnonzero(np.diff(user * space.days + records.day, prepend=-1))  # the first record of each day
    away = np.flatnonzero(found.state == AWAY)
    caller, cell, time = user[away], records.cell[away], period_of(hour[away])
    far = space.distance_bin(found.home[caller], cell)
    return {
        "home": _people(forms["home"], found.home),
        "work": _people(forms["work"], found.work),
        "commute": _people(forms["commute"], space.area_of[found.home], apart),
        "activity": _people(forms["activity"], found.kind, found.rate, found.spread),
        "times": _wholes(forms["times"], user, found.kind[user], free, hour),
        "days": _wholes(
            forms["days"], user[first], reach[first], free[first], found.calls[first], found.pattern[first]
        ),
        "presence": _wholes(forms["presence"], user, found.pattern, hour, found.state),
        "outings": _wholes(forms["outings"], caller, time, far),
        "places": _wholes(forms["places"], caller, time, cell),
    }


def _people(shape: HistogramShape, *axes: Ints) -> Ints:
    """One person in one bin."""
    return np.bincount(np.ravel_multi_index(axes, shape.axes), minlength=shape.bins).astype(np.int64)


def _wholes(shape: HistogramShape, user: Ints, *axes: Ints) -> Ints:
    """Each person's calls as parts of one whole, rounded down."""
    total = np.zeros(shape.bins, dtype=np.int64)
    if not len(user):
        return total
    pair, times = np.unique(user * shape.bins + np.ravel_multi_index(axes, shape.axes), return_counts=True)
    whose, at = np.divmod(pair, shape.bins)
    np.add.at(total, at, WHOLE * times // np.bincount(user)[whose])
    return total
