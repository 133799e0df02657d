"""From a question to a plan: what is measured, by how much one person can change it, and which groups are released.

Everything here follows from the question and from declarations, so that a refusal costs nothing and may give its
reason.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from cobogo.answer.public import extend_dataset
from cobogo.answer.query import CuratorQuery, QueryAggregate
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn, Value

GROUPS_AT_MOST = 100_000
CHOICES_AT_MOST = 20_000
"""Quantiles of an answer, over all of its groups. Each takes up to 2 ms, so that the limit is less than a minute."""

BINS_AT_MOST = 1024
"""Candidates of a quantile: more are closer to the true one, and make each choice noisier and slower."""

MOST_SENSITIVE = 2**53
"""The largest sensitivity: engines and floats add up such figures exactly."""

FINEST_SHARE = 1000
"""The largest denominator of a quantile's share, by which scores are multiplied to be whole numbers."""

Key = tuple[Value | None, ...]


@dataclass(frozen=True)
class ExactMeasurement:
    """A whole number of each group that gets noise, or, for ``ranks``, a choice among public candidates.

    people: how many; rows: how many, of each person at most max-rows; present: rows that have a value of the column;
    sum and squares: of the column's distance from ``centre``, in steps of its last decimal; distinct: its values.
    """

    kind: Literal["people", "rows", "present", "sum", "squares", "distinct", "ranks"]
    column: str | None = None
    centre: int = 0
    share: Fraction | None = None


Exact = dict[ExactMeasurement, dict[Key, Any]]
"""The engine's figure of each measurement and group: a whole number, or for ranks the count of each interval."""


@dataclass(frozen=True)
class PublicIntervals:
    """The candidates of a quantile: intervals of equal width, in steps, that cover the bounds."""

    low: int
    width: int
    number: int

    @classmethod
    def from_column(cls, column: DeclaredColumn) -> PublicIntervals:
        """A candidate a value, where that is not too many."""
        low, high = column.steps
        width = -(-(high - low + 1) // BINS_AT_MOST)
        return cls(low, width, -(-(high - low + 1) // width))

    def middle(self, number: int) -> Fraction:
        """The value that stands for an interval, in steps."""
        return self.low + number * self.width + Fraction(self.width - 1, 2)


@dataclass(frozen=True)
class QueryPlan:
    """A question that can be answered."""

    query: CuratorQuery
    dataset: DeclaredDataset
    measurements: tuple[ExactMeasurement, ...]
    public: tuple[Key, ...] | None  # the groups to release; None: those with enough people

    def __post_init__(self) -> None:
        if self.public is not None and len(set(self.public)) < len(self.public):
            raise AssertionError("a public group is in the plan twice: its figure would be told twice for one price")

    @property
    def groups_of_a_person(self) -> int:
        """In how many groups one person is counted at most."""
        bound = self.dataset.groups_of_a_person(self.query.keys)
        return bound if self.public is None else min(bound, len(self.public))

    @property
    def ways_to_be_alone(self) -> tuple[tuple[int, int], ...]:
        """In how many groups a person can be alone, and how many people each of them then seems to have. A row that is
        a person, and has two values, is one of two groups, or two of one group; where there is a unit, only as many
        groups of a person count, and the person is one in each."""
        groups = self.groups_of_a_person
        if self.dataset.unit is not None:
            return ((groups, 1),)
        return tuple((groups * self.stability // number, number) for number in range(1, self.stability + 1))

    @property
    def parts_of_a_person(self) -> int:
        """In how many parts of a partition one person is counted at most."""
        part = self.query.part
        return 1 if part is None else min(len(part.keys), self.dataset.groups_of_a_person((part.column,)))

    @property
    def rows_of_a_person(self) -> int:
        """With how many rows one person is counted in a group at most."""
        return self.dataset.max_rows

    def sensitivity(self, measurement: ExactMeasurement) -> int:
        """The most by which one person changes this figure of one group."""
        return self.stability * sensitivity(measurement, self.dataset)

    @property
    def stability(self) -> int:
        """How many times its own bounds a person changes the figures (`cobogo.answer.combine`)."""
        return 1 if self.query.combined is None else self.query.combined.stability


def sensitivity(measurement: ExactMeasurement, dataset: DeclaredDataset) -> int:
    """The most by which one person changes a figure of one group, in the figure's whole units."""
    rows = dataset.max_rows
    match measurement.kind:
        case "people":
            return 1
        case "rows" | "present" | "distinct":
            return rows
        case "sum" | "squares":
            low, high = dataset.columns[str(measurement.column)].steps
            reach = max(abs(low - measurement.centre), abs(high - measurement.centre))
            return max(1, rows * (reach if measurement.kind == "sum" else reach**2))
        case "ranks":
            share = measurement.share or Fraction(1, 2)
            return rows * max(share.numerator, share.denominator - share.numerator)


def plan(query: CuratorQuery, dataset: DeclaredDataset) -> QueryPlan:
    """Decide what to measure for a question, or refuse it."""
    dataset = extend_dataset(query, dataset)
    public = _public_groups(query, dataset)
    measured: list[ExactMeasurement] = [ExactMeasurement("people")] if public is None else []
    for aggregate in query.aggregates:
        for measurement in required_measurements(aggregate, dataset):
            if measurement not in measured:
                measured.append(measurement)
            if sensitivity(measurement, dataset) > MOST_SENSITIVE:
                raise _refusal(
                    tr('a figure of "{column}" cannot be computed exactly', column=aggregate.column),
                    tr("Its bounds are too wide: ask the data holder for narrower ones, or for fewer decimals."),
                )
    choices = sum(one.kind == "ranks" for one in measured) * (1 if public is None else len(public))
    if choices > CHOICES_AT_MOST:
        raise _refusal(
            tr(
                "the question asks for {asked:,} quantiles, and at most {most:,} are computed",
                asked=choices,
                most=CHOICES_AT_MOST,
            ),
            tr("Group by fewer columns, or ask for fewer quantiles."),
        )
    return QueryPlan(query, dataset, tuple(measured), public)


def required_measurements(aggregate: QueryAggregate, dataset: DeclaredDataset) -> tuple[ExactMeasurement, ...]:
    """The measurements that an aggregate is computed from."""
    name = aggregate.column
    rows = ExactMeasurement("rows" if dataset.max_rows > 1 else "people")
    if name is None:
        return (ExactMeasurement("people") if aggregate.kind == "people" else rows,)
    column = dataset.columns[name]
    present = ExactMeasurement("present", name)
    match aggregate.kind:
        case "count":
            return (present,)
        case "count_distinct":
            if column.type == "number":
                raise _refusal(
                    tr('"{name}" is a number, and distinct values of numbers are not counted', name=name),
                    tr("Ask the data holder to declare it as an integer or a text."),
                )
            return (ExactMeasurement("distinct", name),)
    low, high = _require_bounds(name, column).steps
    centre = (low + high) // 2
    match aggregate.kind:
        case "sum":
            return (ExactMeasurement("sum", name),)
        case "mean":
            return (ExactMeasurement("sum", name, centre), present)
        case "variance" | "deviation":
            return (ExactMeasurement("sum", name, centre), ExactMeasurement("squares", name, centre), present)
        case "quantile":
            return (ExactMeasurement("ranks", name, share=_share(aggregate.share)),)
    raise AssertionError(aggregate.kind)


def _require_bounds(name: str, column: DeclaredColumn) -> DeclaredColumn:
    if column.type not in ("integer", "number"):
        raise _refusal(
            tr('"{name}" is of type {type}, and this figure needs numbers', name=name, type=column.type),
            tr("Ask for a column of the type integer or number."),
        )
    if column.bounds is None:
        raise _refusal(
            tr('"{name}" has no declared bounds, so no noise is large enough to hide one person', name=name),
            tr("Ask the data holder to declare bounds, from general knowledge and not from the data."),
        )
    return column


def _share(share: Fraction | None) -> Fraction:
    if share is None or not 0 < share < 1 or share.denominator > FINEST_SHARE:
        raise _refusal(
            tr("the share of a quantile must be between 0 and 1, with at most three decimals"),
            tr("Write 0.5 for the median."),
        )
    return share


def _public_groups(query: CuratorQuery, dataset: DeclaredDataset) -> tuple[Key, ...] | None:
    """Every combination of public keys; None where the keys of some column are not public."""
    for name in query.keys:
        if dataset.columns[name].type == "number" and dataset.columns[name].edges is None:
            raise _refusal(
                tr('"{name}" is a number, and a question cannot group by it', name=name),
                tr("Group by a text, an integer or a date, or ask the data holder to declare edges of intervals."),
            )
    keys = [dataset.columns[name].public_keys for name in query.keys]
    known = [values for values in keys if values is not None]
    if len(known) < len(keys):
        return None
    if math.prod(map(len, known)) > GROUPS_AT_MOST:
        raise _refusal(
            tr(
                "the public keys make {groups:,} groups, and an answer has at most {most:,}",
                groups=math.prod(map(len, known)),
                most=GROUPS_AT_MOST,
            ),
            tr("Group by fewer columns."),
        )
    return tuple(itertools.product(*known))


def _refusal(what: str, remedy: str) -> QueryRefused:
    return QueryRefused(what, where=tr("the question"), remedy=remedy)
