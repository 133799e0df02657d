"""Reports in the course of time: what a mechanism that looks back has to know of those before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.places.points import Points

if TYPE_CHECKING:
    from cobogo.locate.mechanisms.base import Mechanism, Released


@dataclass(frozen=True, eq=False)
class Past:
    """Where people were and what they reported, in the order of time. It holds the truth: it stays on the device."""

    points: Points
    reports: Points
    of_owner: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.points)

    def take(self, rows: Any) -> Past:
        """Some of it."""
        owned = {name: values[rows] for name, values in self.of_owner.items()}
        return Past(self.points.take(rows), self.reports.take(rows), owned)

    def then(self, points: Points, released: Released) -> Past:
        """This, followed by what came next."""
        if not len(self):
            return Past(points, released.points, released.of_owner)
        owned = {name: np.concatenate([self.of_owner[name], values]) for name, values in released.of_owner.items()}
        return Past(joined(self.points, points), joined(self.reports, released.points), owned)

    def latest(self, count: int) -> Past:
        """The last so many of each person."""
        order = by_person(self.points)
        if self.points.user is None:
            return self.take(order[max(len(order) - count, 0) :])
        user = self.points.user[order]
        from_end = np.searchsorted(user, user, side="right") - np.arange(len(user))
        return self.take(np.sort(order[from_end <= count]))


NOTHING = Past(Points(np.empty(0), np.empty(0)), Points(np.empty(0), np.empty(0)))
"""The past of someone who has not reported yet."""


class Course:
    """A mechanism used report by report, as a device does, with as much of the past as it looks back at.

    >>> from cobogo.locate.mechanisms import Predictive
    >>> course = Course(Predictive(0.01))
    >>> costs = [float(course.report(Points.of([-38.5], [-3.7])).cost[0]) for _ in range(20)]
    >>> costs[0], min(costs[1:])
    (0.008, 0.002)
    """

    def __init__(self, mechanism: Mechanism, source: Source | None = None) -> None:
        self.mechanism = mechanism
        self._source = source or Entropy()
        self._past = NOTHING

    def report(self, points: Points) -> Released:
        """One report for each point, after all that were made before. People keep their numbers."""
        released = self.mechanism.resume(self._past, points, self._source)
        if self.mechanism.memory:
            self._past = self._past.then(points, released).latest(self.mechanism.memory)
        return released


def joined(first: Points, second: Points) -> Points:
    """Points after others; of what only one of them knows, nothing."""
    return Points(
        np.concatenate([first.lon, second.lon]),
        np.concatenate([first.lat, second.lat]),
        None if first.time is None or second.time is None else np.concatenate([first.time, second.time]),
        None if first.user is None or second.user is None else np.concatenate([first.user, second.user]),
        second.names,
    )


def by_person(points: Points) -> Ints:
    """The rows, person by person, each in the order given."""
    return np.arange(len(points)) if points.user is None else np.argsort(points.user, kind="stable")


@dataclass(frozen=True, eq=False)
class Rows:
    """Past and present points person by person, as mechanisms that look back go through them."""

    points: Points
    order: Ints  # of the rows, past ones first, that stand here
    known: np.ndarray[Any, np.dtype[np.bool_]]  # which are past
    first: Ints  # where each row's person begins
    past: int

    @classmethod
    def of(cls, past: Past, points: Points) -> Rows:
        """Past ones before present ones, each in the order of time, in whatever order they are given."""
        whole = joined(past.points, points) if len(past) else points
        time = np.zeros(len(whole)) if whole.time is None else whole.time
        user = np.zeros(len(whole)) if whole.user is None else whole.user
        order = np.lexsort((time, np.arange(len(whole)) >= len(past), user))
        person = np.zeros(len(whole), dtype=np.int64) if whole.user is None else whole.user[order]
        starts = np.flatnonzero(np.diff(person, prepend=-1))
        first = np.repeat(starts, np.diff(np.append(starts, len(whole))))
        return cls(whole.take(order), order, order < len(past), first, len(past))

    def __len__(self) -> int:
        return len(self.order)

    def filled(self, past: Any, dtype: Any = np.float64, width: tuple[int, ...] = ()) -> Any:
        """A column, or several, with what the past had in its place."""
        column = np.zeros((len(self), *width), dtype=dtype)
        if self.past:
            column[self.known] = np.asarray(past)[self.order[self.known]]
        return column

    def present(self, column: Any) -> Any:
        """What a column says of the present points, in the order in which they were given."""
        back = np.empty_like(column)
        back[self.order] = column
        return back[self.past :]
