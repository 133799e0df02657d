"""The contract of a location mechanism: what it promises, what it releases, what that cost, and what it looks back at.

A mechanism runs on a device and takes points, one after the other or many at once; what it gives back may leave the
device. To add one: one frozen dataclass that extends `Mechanism`, whose fields are its options, and one line in
`cobogo.locate.mechanisms.MECHANISMS`; the conformance suite asks of it what is asked of all. `Past` is what a mechanism
that looks back has to know of earlier reports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from cobogo.errors import DataError
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import Card
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.places.points import Points

Kind = Literal["geo-indistinguishability", "elastic", "k-anonymity", "none"]


@dataclass(frozen=True)
class LocationGuarantee:
    """What holds whatever the attacker knows. ``kind`` "none" is an honest answer: the note then says what remains."""

    kind: Kind
    epsilon: float | None = None  # a metre, for one report
    k: int | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.kind == "none":
            return "no guarantee" + (f": {self.note}" if self.note else "")
        figure = f" with ε = {self.epsilon:g} per metre" if self.epsilon is not None else ""
        crowd = f" with k = {self.k}" if self.k is not None else ""
        return self.kind + figure + crowd + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True, eq=False, repr=False)
class Released:
    """What left the device for each point given: one position, a set of positions, or a region.

    ``cost`` is what each report spent, per metre, and ``of_owner`` what else only its owner may see: both tell which
    way a mechanism went, and stay on the device.
    """

    points: Points  # one for each report; of a set or a region, its middle
    cost: Floats  # ε per metre of each report; zeros where nothing is spent or promised
    members: Points | None = None  # of sets: all positions, those of one report together
    report: Ints | None = None  # of sets: the report that each member belongs to
    radius: Floats | None = None  # of discs: metres
    box: tuple[Floats, Floats, Floats, Floats] | None = None  # of rectangles: west, south, east, north in degrees
    of_owner: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mechanism(ABC):
    """A way to say where one is without saying it."""

    name: ClassVar[str]
    card: ClassVar[Card]

    def __init_subclass__(cls, **options: Any) -> None:
        """Whatever else than points is given to a mechanism is refused in words."""
        super().__init_subclass__(**options)
        if "apply" in vars(cls):
            cls.apply = _of_points(cls.apply)  # type: ignore[method-assign]

    @property
    def memory(self) -> int:
        """How many reports of a person it looks back at. Where there are some, a device makes its reports by way of a
        `cobogo.locate.mechanisms.base.Course`, which keeps them."""
        return 0

    @property
    @abstractmethod
    def guarantee(self) -> LocationGuarantee:
        """What holds for one report."""

    @property
    def dearest(self) -> float:
        """ε per metre that one report may cost at most; 0 where none is spent, so that no budget of ε ever binds."""
        return self.guarantee.epsilon or 0.0

    @abstractmethod
    def apply(self, points: Points, source: Source) -> Released:
        """One report for each point, in the same order. A mechanism that looks back goes by the times of a person's
        points, or by their order where there are no times."""

    def resume(self, past: Past, points: Points, source: Source) -> Released:  # noqa: ARG002 - most do not look back
        """The same for people of whom there is a past."""
        return self.apply(points, source)

    def __rshift__(self, post: Post) -> Mechanism:
        """This, followed by what is done to each report without looking at the truth again."""
        return Processed(self, post)

    def options(self) -> dict[str, Any]:
        """Its parameters by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _check_positive(self, *names: str) -> None:
        for name in names:
            number(self.name, name, getattr(self, name), above=0)


def _of_points(apply: Callable[..., Released]) -> Callable[..., Released]:
    @wraps(apply)
    def checked(self: Mechanism, points: Points, source: Source) -> Released:
        if not isinstance(points, Points):
            raise DataError(
                f"takes points, and was given {type(points).__name__}",
                where=self.name,
                remedy="Make points of it: Points.from_pandas(frame), or read_points(table).",
            )
        return apply(self, points, source)

    return checked


class Post(Protocol):
    """What may be done to reports at no cost, because it knows nothing but them and what is public."""

    def __call__(self, reports: Points) -> Points:
        """Other positions for the same reports."""


@dataclass(frozen=True)
class Processed(Mechanism):
    """A mechanism followed by something that looks at its reports only: what it promised still holds."""

    name: ClassVar[str] = "processed"

    mechanism: Mechanism
    post: Post

    @property
    def guarantee(self) -> LocationGuarantee:
        return self.mechanism.guarantee

    @property
    def dearest(self) -> float:
        return self.mechanism.dearest

    def apply(self, points: Points, source: Source) -> Released:
        first = self.mechanism.apply(points, source)
        if first.members is not None or first.radius is not None or first.box is not None:
            raise ValueError(f"The reports of {self.mechanism.name} are not single positions, and cannot be moved")
        return replace(first, points=self.post(first.points))


def free(points: Points) -> Floats:
    """The cost of reports that spend nothing."""
    return np.zeros(len(points))


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
        return Past(join_points(self.points, points), join_points(self.reports, released.points), owned)

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
    >>> costs = [float(course.report(Points.from_columns([-38.5], [-3.7])).cost[0]) for _ in range(20)]
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


def join_points(first: Points, second: Points) -> Points:
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
class TraceRows:
    """Past and present points person by person, as mechanisms that look back go through them."""

    points: Points
    order: Ints  # of the rows, past ones first, that stand here
    known: np.ndarray[Any, np.dtype[np.bool_]]  # which are past
    first: Ints  # where each row's person begins
    past: int

    @classmethod
    def join(cls, past: Past, points: Points) -> TraceRows:
        """Past ones before present ones, each in the order of time, in whatever order they are given."""
        whole = join_points(past.points, points) if len(past) else points
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
