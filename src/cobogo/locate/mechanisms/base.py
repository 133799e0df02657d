"""The contract of a location mechanism: what it promises, what it releases, and what that cost.

A mechanism runs on a device and takes points, one after the other or many at once; what it gives back may leave the
device. To add one: one frozen dataclass that extends `Mechanism`, whose fields are its options, and one line in
`cobogo.locate.mechanisms.MECHANISMS`; the conformance suite asks of it what is asked of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.history import Past
from cobogo.locate.places.points import Points

Kind = Literal["geo-indistinguishability", "elastic", "k-anonymity", "none"]


@dataclass(frozen=True)
class Guarantee:
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

    def __init_subclass__(cls, **options: Any) -> None:
        """Whatever else than points is given to a mechanism is refused in words."""
        super().__init_subclass__(**options)
        if "apply" in vars(cls):
            cls.apply = _of_points(cls.apply)  # type: ignore[method-assign]

    @property
    def memory(self) -> int:
        """How many reports of a person it looks back at. Where there are some, a device makes its reports by way of a
        `cobogo.locate.mechanisms.history.Course`, which keeps them."""
        return 0

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
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
            value = getattr(self, name)
            if not (isinstance(value, int | float) and 0 < value < float("inf")):
                raise ValueError(f"The {name!r} parameter of {self.name} must be above 0. Got {value!r} instead")


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
    def guarantee(self) -> Guarantee:
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
