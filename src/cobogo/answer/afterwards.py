"""What is computed after the noise: sums and ratios of figures, and which rows of an answer are shown.

It sees noisy figures only, so it costs nothing and tells nothing more. Nothing here fails: what has no value, as a
division by 0, is missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from cobogo.answer.derive import change_letters, truncate
from cobogo.answer.query import (
    Always,
    Both,
    CaseWhen,
    ColumnValue,
    Compare,
    ComparePair,
    Computation,
    Condition,
    ConstantValue,
    Either,
    Expression,
    Like,
    Missing,
    Not,
    OneOf,
    QueryAggregate,
    TruthOf,
    write_regex,
)

Figure = Any
"""A key, a number or a truth value; None where it is missing. Numbers are whole, or fractions."""

Row = Mapping[ColumnValue | QueryAggregate, Figure]
"""The keys and the noisy figures of a group."""

Ends = tuple[Fraction, Fraction] | None
"""Where a figure lies; None where nothing is known."""

HOLDS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def evaluate(expression: Expression, row: Row) -> Figure:
    """The value of an expression in a row of an answer.

    >>> count = QueryAggregate("count", None, "count")
    >>> evaluate(Computation("/", (count, ConstantValue(Fraction(2)))), {count: 7})
    Fraction(7, 2)
    """
    match expression:
        case ColumnValue() | QueryAggregate():
            return _exact(row[expression])
        case ConstantValue(value):
            return _exact(value)
        case Computation(function, operands, digits):
            return _compute(function, [evaluate(one, row) for one in operands], digits)
        case CaseWhen(cases, otherwise):
            return evaluate(next((then for when, then in cases if holds(when, row)), otherwise), row)
        case TruthOf(condition):
            return holds(condition, row)


def shown(value: Figure) -> Figure:
    """A value as an answer shows it: fractions as floats, missing where no float is so large."""
    if not isinstance(value, Fraction):
        return value
    try:
        return float(value)
    except OverflowError:
        return None


def holds(condition: Condition, row: Row) -> bool | None:
    """Whether a condition holds in a row of an answer; None where a missing value leaves it open."""
    match condition:
        case Always(always):
            return always
        case Not(inner):
            found = holds(inner, row)
            return None if found is None else not found
        case Both(left, right):
            return _both(holds(left, row), holds(right, row))
        case Either(left, right):
            either = _both(_opposite(holds(left, row)), _opposite(holds(right, row)))
            return _opposite(either)
        case Missing(column):
            return _operand(column, row) is None
        case ComparePair(left_side, operator, right_side):
            one, other = evaluate(left_side, row), evaluate(right_side, row)
            return None if one is None or other is None else HOLDS[operator](one, other)
    value = _operand(condition.column, row)
    return None if value is None else _compare(condition, value)


def _compare(condition: Compare | OneOf | Like, value: Figure) -> bool:
    match condition:
        case Compare(_, operator, other):
            return HOLDS[operator](value, _exact(other))
        case OneOf(_, others):
            return any(value == _exact(one) for one in others)
        case Like(_, pattern):
            return re.fullmatch(write_regex(pattern, atomic=True), str(value)) is not None


def _operand(column: str | Expression, row: Row) -> Figure:
    return evaluate(ColumnValue(column) if isinstance(column, str) else column, row)


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _opposite(one: bool | None) -> bool | None:
    return None if one is None else not one


def _exact(value: Figure) -> Figure:
    """Numbers without rounding: whole ones stay whole, so that what is computed from them is."""
    if isinstance(value, float | Decimal):
        return Fraction(value)
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _compute(function: str, values: list[Figure], digits: int) -> Figure:
    there = [value for value in values if value is not None]
    if function == "coalesce":
        return next(iter(there), None)
    if function == "nullif":
        return None if values[0] == values[1] else values[0]
    if function in ("least", "greatest"):
        return (min if function == "least" else max)(there, default=None)
    if len(there) < len(values):
        return None
    return _round(function, values[0], digits) if function in ROUNDED else OPERATIONS[function](*values)


ROUNDED: dict[str, Callable[[Fraction], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda value: math.floor(value + Fraction(1, 2)),
}


def _round(function: str, value: int | Fraction, digits: int) -> int | Fraction:
    rounded = ROUNDED[function](Fraction(value) * 10**digits)
    return rounded if digits == 0 else Fraction(rounded, 10**digits)


OPERATIONS: dict[str, Callable[..., Figure]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": lambda one, other: Fraction(one) / other if other else None,
    "//": lambda one, other: truncate(*_whole(one, other)) if other else None,
    "%": lambda one, other: one - other * truncate(*_whole(one, other)) if other else None,
    "abs": abs,
    "lower": lambda text: change_letters("lower", text),
    "upper": lambda text: change_letters("upper", text),
}


def _whole(one: int | Fraction, other: int | Fraction) -> tuple[int, int]:
    """Two numbers as whole ones with the same quotient."""
    quotient = Fraction(one) / other
    return quotient.numerator, quotient.denominator


def find_ends(expression: Expression, ends: Mapping[ColumnValue | QueryAggregate, Ends], row: Row) -> Ends:
    """Where an expression lies when each of its figures lies between its ends: interval arithmetic.

    >>> count, total = QueryAggregate("count", None, "n"), QueryAggregate("sum", "x", "s")
    >>> known = {count: (Fraction(2), Fraction(4)), total: (Fraction(8), Fraction(12))}
    >>> [float(end) for end in find_ends(Computation("/", (total, count)), known, {})]
    [2.0, 6.0]
    """
    match expression:
        case QueryAggregate():
            return ends[expression]
        case ColumnValue() | ConstantValue():
            value = evaluate(expression, row)
            known = isinstance(value, int | Fraction) and not isinstance(value, bool)
            return (Fraction(value), Fraction(value)) if known else None
        case Computation(function, operands, digits):
            given = [find_ends(one, ends, row) for one in operands]
            there = [one for one in given if one is not None]
            return None if len(there) < len(given) else _computed_ends(function, there, digits)
    return None


def _computed_ends(function: str, given: list[tuple[Fraction, Fraction]], digits: int) -> Ends:
    (low, high), *others = given
    match function:
        case "+" | "-" | "*":
            found = [OPERATIONS[function](one, other) for one in (low, high) for other in others[0]]
        case "/" if not others[0][0] <= 0 <= others[0][1]:
            found = [one / other for one in (low, high) for other in others[0]]
        case "abs":
            found = [abs(low), abs(high), *([Fraction(0)] if low <= 0 <= high else [])]
        case "round" | "floor" | "ceil":
            found = [Fraction(_round(function, end, digits)) for end in (low, high)]
        case "least" | "greatest":
            pick = min if function == "least" else max
            found = [pick(low, *(one[0] for one in others)), pick(high, *(one[1] for one in others))]
        case _:
            return None
    return min(found), max(found)
