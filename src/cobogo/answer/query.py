"""A question as typed values, whether it was written in SQL or chained. Later stages see nothing else of it."""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn

Literals = str | int | bool | date | Decimal

Pattern = tuple[tuple[bool, str], ...]

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]


Function = Literal[
    "+", "-", "*", "/", "//", "%", "abs", "floor", "ceil", "round", "least", "greatest", "coalesce", "nullif",
    "year", "quarter", "month", "day", "lower", "upper",
    "trunc_year", "trunc_quarter", "trunc_month", "trunc_week", "trunc_day",
]  # fmt: skip
"""What is computed from values: of each row before anything is added up, or of noisy figures afterwards."""


@dataclass(frozen=True)
class ColumnValue:
    """The value of a column; of an answer's row, the value of a key."""

    name: str


@dataclass(frozen=True)
class ConstantValue:
    """A literal; None is a missing value."""

    value: Fraction | str | bool | date | None


@dataclass(frozen=True)
class Computation:
    """A function of values. ``digits`` are those after the point that ROUND keeps."""

    function: Function
    operands: tuple[Expression, ...]
    digits: int = 0


@dataclass(frozen=True)
class CaseWhen:
    """The value of the first case whose condition holds."""

    cases: tuple[tuple[Condition, Expression], ...]
    otherwise: Expression


@dataclass(frozen=True)
class TruthOf:
    """Whether a condition holds, as a value."""

    condition: Condition


@dataclass(frozen=True)
class Compare:
    """A column, or what is computed from columns, against a literal."""

    column: str | Expression
    operator: Comparison
    value: Literals


@dataclass(frozen=True)
class ComparePair:
    """Two columns, or what is computed from columns, against each other: both texts, days or truth values."""

    left: Expression
    operator: Comparison
    right: Expression


@dataclass(frozen=True)
class OneOf:
    """The same against several literals."""

    column: str | Expression
    values: tuple[Literals, ...]


@dataclass(frozen=True)
class Missing:
    """Whether there is no value."""

    column: str | Expression


@dataclass(frozen=True)
class Like:
    """A text against a pattern: its pieces, each a text and whether it is wild (``%`` any text, ``_`` any letter)."""

    column: str | Expression
    pattern: Pattern


@dataclass(frozen=True)
class Always:
    """A condition that looks at nothing, as ``1 = 1``."""

    holds: bool


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


Condition = Compare | ComparePair | OneOf | Missing | Like | Always | Not | Both | Either

Kind = Literal["count", "count_distinct", "people", "sum", "mean", "variance", "deviation", "quantile"]


@dataclass(frozen=True)
class QueryAggregate:
    """One figure of each group. ``column`` is None for counts of rows and of people; ``share`` is a quantile's."""

    kind: Kind
    column: str | None
    name: str
    share: Fraction | None = None


Expression = ColumnValue | ConstantValue | Computation | CaseWhen | TruthOf | QueryAggregate
"""A value of each row, which has no aggregates in it; or a value of each group, computed from noisy figures."""


@dataclass(frozen=True)
class Derived:
    """A column that a question computes from others (PINQ's Select), and what follows about its values from the
    declarations of those."""

    name: str
    expression: Expression
    declared: DeclaredColumn


@dataclass(frozen=True)
class OrderBy:
    """What the answer's rows are sorted by."""

    figure: Expression
    descending: bool = False


@dataclass(frozen=True)
class Lookup:
    """A public table that is joined by a column: its rows, each a key and its values. Each key appears once."""

    column: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PersonTotal:
    """A figure of one person's own rows, as a column (PINQ's GroupJoin). Without a column it counts rows."""

    name: str
    kind: Literal["count", "sum", "min", "max"]
    column: str | None


@dataclass(frozen=True)
class Selection:
    """Rows of a declared table for which ``where`` holds. ``columns``: a name in the question, and one of the table;
    ``totals``: instead of rows, figures of each person's rows."""

    dataset: str
    declared: DeclaredDataset
    columns: tuple[tuple[str, str], ...]
    where: Condition | None = None
    totals: tuple[PersonTotal, ...] = ()


CombinedKind = Literal["union", "concat", "intersect", "except", "join", "left join"]


@dataclass(frozen=True)
class Combined:
    """Rows of two selections, and what the declarations of both say about the result.

    union, intersect, except: distinct rows, of which the person is a part; concat: all rows of both; joins: the pairs
    of each person's rows.
    """

    kind: CombinedKind
    left: Selection
    right: Selection
    declared: DeclaredDataset

    @property
    def stability(self) -> int:
        """How many times its own bounds a person changes the result who leaves one of the tables, or both."""
        same_table = self.left.dataset == self.right.dataset
        if self.declared.unit is None:
            own = [[column for _, column in one.columns] for one in (self.left, self.right)]
            return 2 if same_table and own[0] != own[1] else 1  # such a row is two rows of the result
        return 1 if same_table or self.kind in ("intersect", "join") else 2


@dataclass(frozen=True)
class QueryPart:
    """One part of a partition by a column: ``key`` of all ``keys``, of the rows for which ``where`` holds."""

    column: str
    keys: tuple[str | int | bool | date, ...]
    key: str | int | bool | date
    where: Condition | None


@dataclass(frozen=True)
class CuratorQuery:
    """A question about one data set. ``shown`` are the answer's columns: a name, and the key, the aggregate or what is
    computed from them that it shows; where it is empty, all keys and all aggregates. ``having``, ``order``, ``offset``
    and ``limit`` look at noisy figures only."""

    dataset: str
    aggregates: tuple[QueryAggregate, ...]
    keys: tuple[str, ...] = ()
    where: Condition | None = None
    shown: tuple[tuple[str, Expression], ...] = ()
    having: Condition | None = None
    order: tuple[OrderBy, ...] = ()
    limit: int | None = None
    offset: int = 0
    part: QueryPart | None = None
    lookup: Lookup | None = None
    derived: tuple[Derived, ...] = ()
    combined: Combined | None = None

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets whose rows are looked at, each once; all of them pay."""
        if self.combined is None:
            return (self.dataset,)
        return tuple(dict.fromkeys((self.combined.left.dataset, self.combined.right.dataset)))

    @property
    def outputs(self) -> tuple[tuple[str, Expression], ...]:
        """The answer's columns."""
        keys = ((key, ColumnValue(key)) for key in self.keys)
        return self.shown or (*keys, *((one.name, one) for one in self.aggregates))


def default_name(kind: Kind, column: str | None, share: Fraction | None) -> str:
    """The name of an aggregate without an alias.

    >>> default_name("quantile", "age", Fraction(9, 10)), default_name("count", None, None)
    ('quantile_age_0.9', 'count')
    """
    name = f"{kind}_{column}" if column else kind
    return name if share is None or share == Fraction(1, 2) else f"{name}_{float(share):g}"


def columns_of(condition: Condition | None) -> list[str]:
    """The columns that a condition looks at."""
    return [one.name for one in _leaves_of_condition(condition) if isinstance(one, ColumnValue)]


def computed_fields(condition: Condition | None) -> list[str]:
    """The columns that a condition computes with, and does not only compare with literals."""
    match condition:
        case Compare(column) | OneOf(column) | Missing(column) | Like(column):
            return [] if isinstance(column, str) else fields_of(column)
        case ComparePair(left, _, right):
            return fields_of(left) + fields_of(right)
        case Not(inner):
            return computed_fields(inner)
        case Both(left, right) | Either(left, right):
            return computed_fields(left) + computed_fields(right)
    return []


def fields_of(expression: Expression) -> list[str]:
    """The columns that a value is computed from.

    >>> fields_of(Computation("*", (ColumnValue("income"), ConstantValue(Fraction(2)))))
    ['income']
    """
    return [one.name for one in leaves_of(expression) if isinstance(one, ColumnValue)]


def aggregates_of(*figures: Expression | Condition | None) -> list[QueryAggregate]:
    """The aggregates that figures and conditions on them are computed from, each once."""
    found = [
        leaf
        for one in figures
        for leaf in (leaves_of(one) if isinstance(one, Expression) else _leaves_of_condition(one))
    ]
    return list(dict.fromkeys(one for one in found if isinstance(one, QueryAggregate)))


def leaves_of(expression: Expression) -> list[Expression]:
    """The columns, constants and aggregates that a value is computed from."""
    match expression:
        case Computation(_, operands):
            return [leaf for one in operands for leaf in leaves_of(one)]
        case CaseWhen(cases, otherwise):
            inner = [leaf for condition, one in cases for leaf in [*_leaves_of_condition(condition), *leaves_of(one)]]
            return [*inner, *leaves_of(otherwise)]
        case TruthOf(condition):
            return _leaves_of_condition(condition)
    return [expression]


def _leaves_of_condition(condition: Condition | None) -> list[Expression]:
    match condition:
        case None | Always():
            return []
        case Compare(column) | OneOf(column) | Missing(column) | Like(column):
            return [ColumnValue(column)] if isinstance(column, str) else leaves_of(column)
        case ComparePair(left_side, _, right_side):
            return leaves_of(left_side) + leaves_of(right_side)
        case Not(inner):
            return _leaves_of_condition(inner)
        case Both(left, right) | Either(left, right):
            return _leaves_of_condition(left) + _leaves_of_condition(right)


def write_regex(pattern: Pattern, *, atomic: bool) -> str:
    """A pattern of LIKE as a regular expression for whole texts.

    ``atomic``: between two ``%`` the first place that fits is as good as any other. Where all places are tried, a long
    text takes a power of its length, so that how long an answer takes shows whether somebody has such a text.

    >>> write_regex(((True, "%"), (False, "a.b"), (True, "_"), (True, "%")), atomic=True)
    '(?s)(?>.*?a\\\\.b.).*'
    """
    spans = [""]
    for wild, text in pattern:
        if wild and text == "%":
            spans.append("")
        else:
            spans[-1] += "." if wild else "".join(f"\\{one}" if one in PUNCTUATION else one for one in text)
    first, *middle = spans[:1] if len(spans) == 1 else spans[:-1]
    found = "".join(f"(?>.*?{one})" if atomic else f".*{one}" for one in middle)
    return f"(?s){first}{found}" + (f".*{spans[-1]}" if len(spans) > 1 else "")


PUNCTUATION = frozenset(string.punctuation) - {"_"}

INFIX = ("+", "-", "*", "/", "//", "%")


def text_of(expression: Expression) -> str:
    """A value as a person would write it; what it has of conditions is left out.

    >>> income, two = ColumnValue("income"), ConstantValue(Fraction(2))
    >>> text_of(Computation("*", (Computation("-", (income, two)), two))), text_of(Computation("year", (income,)))
    ('(income - 2) * 2', 'year(income)')
    """
    match expression:
        case ColumnValue(name) | QueryAggregate(name=name):
            return name
        case ConstantValue(value):
            return f"{float(value):g}" if isinstance(value, Fraction) else "null" if value is None else str(value)
        case Computation(function, (left, right)) if function in INFIX:
            return f"{_inner_text(left)} {function} {_inner_text(right)}"
        case Computation(function, operands, digits):
            inner = [text_of(one) for one in operands] + ([str(digits)] if digits else [])
            return f"{function}({', '.join(inner)})"
        case CaseWhen():
            return "case"
        case TruthOf():
            return "condition"


def _inner_text(expression: Expression) -> str:
    text = text_of(expression)
    return f"({text})" if isinstance(expression, Computation) and expression.function in INFIX else text
