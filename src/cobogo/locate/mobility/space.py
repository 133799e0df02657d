"""The public declarations of a model, and records bounded to them.

Cells, days and bins are declared without looking at the data. Records are bounded to the declared days and to so many
calls a day before anything is counted. Which records of a person are kept depends on that person's records alone, in
whatever order they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

import numpy as np

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
