"""A question as typed values, whether it was written in SQL or chained. Later stages see nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Literals = str | int | bool | date | Decimal

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Compare:
    """A column against a literal."""

    column: str
    operator: Comparison
    value: Literals


@dataclass(frozen=True)
class OneOf:
    """A column against several literals."""

    column: str
    values: tuple[Literals, ...]


@dataclass(frozen=True)
class Missing:
    """Whether a column has no value."""

    column: str


@dataclass(frozen=True)
class Not:
    """A condition that must not hold."""

    condition: Condition


@dataclass(frozen=True)
class Both:
    """Two conditions that must both hold."""

    left: Condition
    right: Condition


@dataclass(frozen=True)
class Either:
    """Two conditions of which one must hold."""

    left: Condition
    right: Condition


Condition = Compare | OneOf | Missing | Not | Both | Either

Kind = Literal["count", "count_distinct", "people", "sum", "mean", "variance", "deviation", "quantile"]


@dataclass(frozen=True)
class QueryAggregate:
    """One figure of each group. ``column`` is None for counts of rows and of people; ``share`` is a quantile's."""

    kind: Kind
    column: str | None
    name: str
    share: Fraction | None = None


@dataclass(frozen=True)
class OrderBy:
    """What the answer's rows are sorted by."""

    name: str
    descending: bool = False


@dataclass(frozen=True)
class Lookup:
    """A public table that is joined by a column: its rows, each a key and its values. Each key appears once."""

    column: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class QueryPart:
    """One part of a partition by a column: ``key`` of all ``keys``, of the rows for which ``where`` holds."""

    column: str
    keys: tuple[str | int | bool | date, ...]
    key: str | int | bool | date
    where: Condition | None


@dataclass(frozen=True)
class CuratorQuery:
    """A question about one data set. ``shown`` are the answer's columns: a name, and the key or the aggregate that it
    shows; where it is empty, all keys and all aggregates."""

    dataset: str
    aggregates: tuple[QueryAggregate, ...]
    keys: tuple[str, ...] = ()
    where: Condition | None = None
    shown: tuple[tuple[str, str | QueryAggregate], ...] = ()
    order: tuple[OrderBy, ...] = ()
    limit: int | None = None
    part: QueryPart | None = None
    lookup: Lookup | None = None

    @property
    def outputs(self) -> tuple[tuple[str, str | QueryAggregate], ...]:
        """The answer's columns."""
        return self.shown or (*((key, key) for key in self.keys), *((one.name, one) for one in self.aggregates))


def default_name(kind: Kind, column: str | None, share: Fraction | None) -> str:
    """The name of an aggregate without an alias.

    >>> default_name("quantile", "age", Fraction(9, 10)), default_name("count", None, None)
    ('quantile_age_0.9', 'count')
    """
    name = f"{kind}_{column}" if column else kind
    return name if share is None or share == Fraction(1, 2) else f"{name}_{float(share):g}"


def columns_of(condition: Condition | None) -> list[str]:
    """The columns that a condition looks at."""
    match condition:
        case None:
            return []
        case Compare(column) | OneOf(column) | Missing(column):
            return [column]
        case Not(inner):
            return columns_of(inner)
        case Both(left, right) | Either(left, right):
            return columns_of(left) + columns_of(right)
