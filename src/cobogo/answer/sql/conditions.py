"""WHERE: comparisons of declared columns with literals of their type, and what AND, OR and NOT make of them.

Only conditions that cannot fail on any data: no arithmetic, no functions, no casts.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import cast

from sqlglot import exp

from cobogo.answer.query import Both, Compare, Comparison, Condition, Either, Literals, Missing, Not, OneOf
from cobogo.answer.sql.nodes import column_name, describe, place, take
from cobogo.answer.sql.nodes import refusal as refuse
from cobogo.errors import QueryRefused
from cobogo.floor.language import Text, tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn

COMPARISONS: dict[type[exp.Expression], tuple[Comparison, Comparison]] = {
    exp.EQ: ("=", "="),
    exp.NEQ: ("<>", "<>"),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}
"""Each comparison, and the same with its sides exchanged."""

ALLOWED = tr(
    "Allowed in WHERE: column =, <>, <, <=, >, >= literal; BETWEEN; IN (literals); IS NULL; AND, OR, NOT; "
    "a boolean column alone."
)
EXAMPLES: dict[str, Text] = {
    "integer": tr("Write a whole number of 64 bits."),
    "number": tr("Write a number such as 1.5."),
    "text": tr("Write a text in single quotes."),
    "boolean": tr("Write TRUE or FALSE."),
    "date": tr("Write a date such as '2026-01-31'."),
}
"""What a column of each type is compared with."""

DEEPEST = 100


def refusal(what: str, remedy: str = ALLOWED) -> QueryRefused:
    """A refusal of a condition."""
    return refuse(what, remedy, clause="WHERE")


def parse_condition(node: exp.Expression, dataset: DeclaredDataset, depth: int = 0) -> Condition:
    """Parse a condition of the analyst into typed values."""
    if depth > DEEPEST:
        raise refusal(
            tr("the condition has more than {most} levels of parentheses, AND, OR and NOT", most=DEEPEST),
            tr("Write a simpler condition."),
        )
    deeper = depth + 1
    if type(node) in COMPARISONS:
        left, right = take(node, "this", "expression")
        as_written, exchanged = COMPARISONS[type(node)]
        if isinstance(left, exp.Column):
            return _comparison(left, as_written, right, dataset)
        if isinstance(right, exp.Column):
            return _comparison(right, exchanged, left, dataset)
        raise refusal(tr("a comparison needs a column on one side and a literal on the other"))
    match node:
        case exp.Paren():
            return parse_condition(take(node, "this")[0], dataset, deeper)
        case exp.Not():
            return Not(parse_condition(take(node, "this")[0], dataset, deeper))
        case exp.And() | exp.Or():
            left, right = take(node, "this", "expression")
            made = Both if isinstance(node, exp.And) else Either
            return made(parse_condition(left, dataset, deeper), parse_condition(right, dataset, deeper))
    return _column_condition(node, dataset)


def _column_condition(node: exp.Expression, dataset: DeclaredDataset) -> Condition:
    match node:
        case exp.Between():
            column, low, high = take(node, "this", "low", "high")
            return Both(_comparison(column, ">=", low, dataset), _comparison(column, "<=", high, dataset))
        case exp.In():
            column, values = take(node, "this", "expressions")
            name, declared = _declared_column(column, dataset)
            if not values:
                raise refusal(tr("IN has no values"))
            return OneOf(name, tuple(parse_literal(value, name, declared) for value in values))
        case exp.Is():
            column, null = take(node, "this", "expression")
            if not isinstance(null, exp.Null):
                raise refusal(tr("IS is answered only with NULL"))
            return Missing(_declared_column(column, dataset)[0])
        case exp.Column():
            name, declared = _declared_column(node, dataset)
            if declared.type != "boolean":
                raise refusal(tr('"{name}" is not a boolean column', name=name))
            return Compare(name, "=", True)
    raise refusal(tr("{node} is not answered", node=describe(node)))


def parse_literal(node: exp.Expression, name: str, declared: DeclaredColumn) -> Literals:
    """Parse a literal, which must be of a column's type."""
    value = _value(node, declared)
    if not declared.accepts(value):
        raise refusal(
            tr('"{name}" is of type {type}, and is compared with another type', name=name, type=declared.type),
            EXAMPLES[declared.type],
        )
    return value


def _comparison(
    column: exp.Expression, operator: Comparison, value: exp.Expression, dataset: DeclaredDataset
) -> Compare:
    name, declared = _declared_column(column, dataset)
    return Compare(name, operator, parse_literal(value, name, declared))


def _declared_column(node: exp.Expression, dataset: DeclaredDataset) -> tuple[str, DeclaredColumn]:
    name, quoted = column_name(node, clause="WHERE")
    found = dataset.find_column(name, quoted=quoted, where=place("WHERE"))
    return found, dataset.columns[found]


def _value(node: exp.Expression, declared: DeclaredColumn) -> Literals:
    match node:
        case exp.Boolean():
            (value,) = take(node, "this")
            return bool(value)
        case exp.Neg():
            (inner,) = take(node, "this")
            value = _value(inner, declared) if isinstance(inner, exp.Literal) and not inner.is_string else None
            if value is None:
                raise refusal(tr("a minus sign must be followed by a number"))
            return -cast(int | Decimal, value)
        case exp.Literal():
            text, is_string = take(node, "this", "is_string")
            return _text_literal(str(text), declared) if is_string else _number_literal(str(text), declared)
        case exp.Cast():
            inner, kind = take(node, "this", "to", ignored=("_type",))
            (named,) = take(kind, "this", ignored=("nested",))
            if (
                named == exp.DType.DATE
                and isinstance(inner, exp.Literal)
                and inner.is_string
                and declared.type == "date"
            ):
                return _value(inner, declared)
    raise refusal(tr("found {node} where a literal is expected", node=describe(node)))


def _text_literal(text: str, declared: DeclaredColumn) -> Literals:
    if declared.type != "date":
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refusal(tr("a date is compared with a text that is not a date"), EXAMPLES["date"]) from None


def _number_literal(text: str, declared: DeclaredColumn) -> Literals:
    try:
        fraction(text)
    except ValueError:
        raise refusal(tr("the number is too large to be compared"), tr("Write a number with fewer digits.")) from None
    return int(text) if text.isdecimal() and declared.type != "number" else Decimal(text)
