"""The contract of a location mechanism: its guarantee, what it releases and at what cost, and how far it looks back.

A mechanism runs on a device and takes points, one after the other or many at once; what it returns may leave the
device. To add one: one frozen dataclass that extends `Mechanism`, whose fields are its options, and one line in
`cobogo.locate.mechanisms.MECHANISMS`; the conformance suite tests it. `Past` holds the earlier reports that a mechanism
looks back at.
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
from cobogo.floor.language import Text, tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.places.points import Points

Kind = Literal["geo-indistinguishability", "elastic", "k-anonymity", "none"]

KIND_NAMES: Mapping[Kind, Text] = {
    "geo-indistinguishability": tr("geo-indistinguishability"),
    "elastic": tr("elastic geo-indistinguishability"),
    "k-anonymity": tr("k-anonymity"),
}


@dataclass(frozen=True)
class LocationGuarantee:
    """What holds whatever the attacker knows. With ``kind`` "none" nothing does, and the note says what remains."""

    kind: Kind
    epsilon: float | None = None  # per metre, for one report
    k: int | None = None
    note: str = ""

    @property
    def text(self) -> Text:
        """The guarantee as a sentence that can be translated."""
        if self.kind == "none":
            return tr("no guarantee: {note}", note=self.note) if self.note else tr("no guarantee")
        held = KIND_NAMES[self.kind]
        if self.epsilon is not None:
            held = tr("{guarantee} with ε = {epsilon:g} per metre", guarantee=held, epsilon=self.epsilon)
        if self.k is not None:
            held = tr("{guarantee} with k = {k}", guarantee=held, k=self.k)
        return tr("{guarantee} ({note})", guarantee=held, note=self.note) if self.note else held

    def __str__(self) -> Text:
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class Released:
    """What leaves the device for each point: one position, a set of positions, or a region.

    ``cost`` is what each report spent, per metre, and ``owner_only`` what else only its owner may see: both tell which
    way a mechanism went, and stay on the device.
    """

    points: Points  # one for each report; of a set or a region, its middle
    cost: Floats  # ε per metre of each report; zeros where nothing is spent or promised
    members: Points | None = None  # of sets: all positions, those of one report together
    report: Ints | None = None  # of sets: the report that each member belongs to
    radius: Floats | None = None  # of discs: metres
    box: tuple[Floats, Floats, Floats, Floats] | None = None  # of rectangles: west, south, east, north in degrees
    owner_only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mechanism(ABC):
    """A way to report a position without revealing it."""

    name: ClassVar[str]
    card: ClassVar[Card]
    hides_returns: ClassVar[bool] = True
    """Whether reports hide, to within the guarantee, that a person is back at a place."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Make `apply` refuse anything but points with a clear error."""
        super().__init_subclass__(**options)
        if "apply" in vars(cls):
            cls.apply = _check_points(cls.apply)  # type: ignore[method-assign]

    @property
    def memory(self) -> int:
        """How many reports of a person it looks back at. A device then reports through a `Course`, which keeps them."""
        return 0

    @property
    @abstractmethod
    def guarantee(self) -> LocationGuarantee:
        """What holds for one report."""

    @property
    def highest_cost(self) -> float:
        """The highest cost of one report, in ε per metre; 0 where no ε is spent."""
        return self.guarantee.epsilon or 0.0

    @abstractmethod
    def apply(self, points: Points, source: Source) -> Released:
        """One report for each point, in the same order. A mechanism that looks back follows the times of a person's
        points, or their order where there are no times."""

    def resume(self, past: Past, points: Points, source: Source) -> Released:  # noqa: ARG002 - most do not look back
        """Apply the mechanism to points of people who have reported before."""
        return self.apply(points, source)

    def __rshift__(self, post: Post) -> Mechanism:
        """This mechanism, followed by a step that changes its reports without looking at the truth."""
        return Processed(self, post)

    def options(self) -> dict[str, Any]:
        """Its parameters by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _check_positive(self, *names: str) -> None:
        for name in names:
            number(self.name, name, getattr(self, name), above=0)


def _check_points(apply: Callable[..., Released]) -> Callable[..., Released]:
    @wraps(apply)
    def checked(self: Mechanism, points: Points, source: Source) -> Released:
        if not isinstance(points, Points):
            raise DataError(
                tr("the mechanism takes points. Got {name} instead", name=type(points).__name__),
                where=self.name,
                remedy=tr("Make points first: Points.from_pandas(frame), or read_points(table)."),
            )
        return apply(self, points, source)

    return checked


class Post(Protocol):
    """Post-processing: what may be done to reports at no cost, because it depends on them and on public data only."""

    def __call__(self, reports: Points) -> Points:
        """Other positions for the same reports."""


@dataclass(frozen=True)
class Processed(Mechanism):
    """A mechanism followed by post-processing, which keeps its guarantee."""

    name: ClassVar[str] = "processed"

    mechanism: Mechanism
    post: Post

    @property
    def guarantee(self) -> LocationGuarantee:
        return self.mechanism.guarantee

    @property
    def highest_cost(self) -> float:
        return self.mechanism.highest_cost

    def apply(self, points: Points, source: Source) -> Released:
        first = self.mechanism.apply(points, source)
        if first.members is not None or first.radius is not None or first.box is not None:
            raise ValueError(f"The reports of {self.mechanism.name} are not single positions, and cannot be moved")
        return replace(first, points=self.post(first.points))


def no_cost(points: Points) -> Floats:
    """The cost of reports that spend no ε."""
    return np.zeros(len(points))


@dataclass(frozen=True, eq=False)
class Past:
    """Earlier points and reports of people, in the order of time. It holds the truth, and stays on the device."""

    points: Points
    reports: Points
    owner_only: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.points)

    def take(self, rows: Any) -> Past:
        """Some of the rows."""
        owned = {name: values[rows] for name, values in self.owner_only.items()}
        return Past(self.points.take(rows), self.reports.take(rows), owned)

    def append(self, points: Points, released: Released) -> Past:
        """The past with later points and reports at its end."""
        if not len(self):
            return Past(points, released.points, released.owner_only)
        owned = {name: np.concatenate([self.owner_only[name], values]) for name, values in released.owner_only.items()}
        return Past(join_points(self.points, points), join_points(self.reports, released.points), owned)

    def latest(self, count: int) -> Past:
        """The last ``count`` rows of each person."""
        order = order_by_person(self.points)
        if self.points.user is None:
            return self.take(order[max(len(order) - count, 0) :])
        user = self.points.user[order]
        from_end = np.searchsorted(user, user, side="right") - np.arange(len(user))
        return self.take(np.sort(order[from_end <= count]))


NO_PAST = Past(Points(np.empty(0), np.empty(0)), Points(np.empty(0), np.empty(0)))
"""The past of people who have not reported yet."""


class Course:
    """A mechanism used report by report, as a device does; it keeps as much of the past as the mechanism looks back at.

    >>> from cobogo.locate.mechanisms import Predictive
    >>> course = Course(Predictive(0.01))
    >>> costs = [float(course.report(Points.from_columns([-38.5], [-3.7])).cost[0]) for _ in range(20)]
    >>> costs[0], min(costs[1:])
    (0.008, 0.002)
    """

    def __init__(self, mechanism: Mechanism, source: Source | None = None) -> None:
        self.mechanism = mechanism
        self._source = source or Entropy()
        self._past = NO_PAST

    def report(self, points: Points) -> Released:
        """One report for each point, after all earlier ones. People keep their numbers."""
        released = self.mechanism.resume(self._past, points, self._source)
        if self.mechanism.memory:
            self._past = self._past.append(points, released).latest(self.mechanism.memory)
        return released


def join_points(first: Points, second: Points) -> Points:
    """Points after others; times and people are kept where both have them."""
    return Points(
        np.concatenate([first.lon, second.lon]),
        np.concatenate([first.lat, second.lat]),
        None if first.time is None or second.time is None else np.concatenate([first.time, second.time]),
        None if first.user is None or second.user is None else np.concatenate([first.user, second.user]),
        second.names,
    )


def order_by_person(points: Points) -> Ints:
    """The order of rows that puts each person's together, in the order given."""
    return np.arange(len(points)) if points.user is None else np.argsort(points.user, kind="stable")


@dataclass(frozen=True, eq=False)
class TraceRows:
    """Past and present points person by person, in the order in which mechanisms that look back go through them."""

    points: Points
    order: Ints  # the row of each point, where past rows are numbered first
    known: np.ndarray[Any, np.dtype[np.bool_]]  # which are past
    first: Ints  # where each row's person begins
    past: int

    @classmethod
    def join(cls, past: Past, points: Points) -> TraceRows:
        """Join past and present points of each person, past ones first, each in the order of time."""
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

    def fill_column(self, past: Any, dtype: Any = np.float64, width: tuple[int, ...] = ()) -> Any:
        """A column (or several, of ``width``) of zeros, with the values of the past in the past rows."""
        column = np.zeros((len(self), *width), dtype=dtype)
        if self.past:
            column[self.known] = np.asarray(past)[self.order[self.known]]
        return column

    @property
    def present_order(self) -> Ints:
        """The number of each present row, in this order, among the points that were given."""
        return np.asarray(self.order[~self.known] - self.past)

    def present_part(self, column: Any) -> Any:
        """The present rows of a column, in the order in which the points were given."""
        back = np.empty_like(column)
        back[self.order] = column
        return back[self.past :]
