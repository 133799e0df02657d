"""Writes expressions and conditions in an engine's SQL: whole numbers of steps, which neither overflow nor fail."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction

from cobogo.answer.derive import (
    ADDED,
    DATE_PARTS,
    LETTERS,
    TRUNCATIONS,
    ValueDomain,
    align,
    bring_within,
    coarsen,
    compute_domain,
    domain_of_column,
    domain_of_constant,
    merge_domains,
    scale_dividend,
)
from cobogo.answer.query import (
    Always,
    Both,
    CaseWhen,
    ColumnValue,
    Compare,
    ComparePair,
    Comparison,
    Computation,
    Condition,
    ConstantValue,
    Either,
    Expression,
    Like,
    Literals,
    Missing,
    Not,
    OneOf,
    TruthOf,
)
from cobogo.answer.sql.dialects import Dialect
from cobogo.floor.untrusted import fraction
from cobogo.promises.declared_columns import DeclaredColumn

Written = tuple[str, ValueDomain]
"""An expression in SQL, and the values that it can have."""


def clamp(figure: str, low: int, high: int) -> str:
    """Clamp a whole number to bounds. NULL stays NULL, which LEAST and GREATEST would pass over."""
    return f"CASE WHEN {figure} < {low} THEN {low} WHEN {figure} > {high} THEN {high} ELSE {figure} END"


def write_steps(column: str, declared: DeclaredColumn, dialect: Dialect) -> str:
    """A column of numbers in whole steps of its last decimal, within its bounds."""
    low, high = declared.steps
    if declared.type == "integer":
        return f"({clamp(column, low, high)})"
    scale = 10**declared.decimals
    lower, upper = (dialect.literal(Decimal(step) / scale) for step in (low, high))
    rounded = f"CAST(floor({column} * {dialect.literal(Decimal(scale))} + 0.5) AS {dialect.whole})"
    inside = clamp(rounded, low, high)
    return f"(CASE WHEN {column} <= {lower} THEN {low} WHEN {column} >= {upper} THEN {high} ELSE {inside} END)"


class ValueWriter:
    """Writes what is computed from columns. ``names`` are the engine's names of columns, ``steps`` those of numbers
    within their bounds."""

    def __init__(
        self,
        dialect: Dialect,
        columns: Mapping[str, DeclaredColumn],
        names: Mapping[str, str],
        steps: Mapping[str, str],
    ) -> None:
        self.dialect, self.columns, self.names, self.steps = dialect, columns, names, steps

    def value(self, expression: Expression) -> Written:
        """An expression. Numbers are whole numbers of steps."""
        match expression:
            case ColumnValue(name):
                domain = domain_of_column(name, self.columns[name])
                return (self.steps if domain.type == "number" else self.names)[name], domain
            case ConstantValue(value):
                return self._constant(value)
            case Computation(function, operands, digits):
                given = [self.value(one) for one in operands]
                domain = compute_domain(function, tuple(one for _, one in given), digits)
                return self._compute(expression, given, domain), domain
            case CaseWhen(cases, otherwise):
                return self._case(cases, otherwise)
            case TruthOf(condition):
                return self.condition(condition), ValueDomain("boolean")
        raise AssertionError(expression)

    def _constant(self, value: object) -> Written:
        domain = domain_of_constant(value)
        literal = domain.low if domain.type == "number" else value
        return self.dialect.literal(literal), domain  # type: ignore[arg-type]

    def _case(self, cases: tuple[tuple[Condition, Expression], ...], otherwise: Expression) -> Written:
        values = [self.value(one) for one in (*(value for _, value in cases), otherwise)]
        domain = merge_domains([one for _, one in values])
        *then, last = (self._scale(one, domain) for one in values)
        written = (f"WHEN {self.condition(when)} THEN {one}" for (when, _), one in zip(cases, then, strict=True))
        return f"(CASE {' '.join(written)} ELSE {last} END)", domain

    def _scale(self, written: Written, wanted: ValueDomain) -> str:
        """The same value in the steps of another domain."""
        text, domain = written
        times = 10 ** (wanted.decimals - domain.decimals) if domain.type == "number" else 1
        if domain.type == "null":
            return f"CAST(NULL AS {self._kind(wanted)})"
        return text if times == 1 else f"({text} * {self.dialect.literal(times)})"

    def _kind(self, domain: ValueDomain) -> str:
        return {"number": self.dialect.whole, "boolean": "BOOLEAN"}.get(domain.type, self.dialect.string)

    def _compute(self, expression: Computation, given: list[Written], domain: ValueDomain) -> str:
        function = expression.function
        if function in ("coalesce", "least", "greatest"):
            return f"{function}({', '.join(self._scale(one, domain) for one in given)})"
        if function in DATE_PARTS:
            low, high = domain.steps
            part = f"CAST(EXTRACT({function.upper()} FROM {given[0][0]}) AS {self.dialect.whole})"
            return f"({clamp(part, low, high)})" if (low, high) != DATE_PARTS[function] else part
        if function in TRUNCATIONS:
            return self.dialect.truncate_day(self._within_years(given[0]), function.removeprefix("trunc_"))
        if function in LETTERS:
            letters = ", ".join(map(self.dialect.literal, LETTERS[function]))
            return f"translate({given[0][0]}, {letters})"
        if function == "abs":
            return f"abs({given[0][0]})"
        if function in ADDED:
            return self._round(given[0], function, domain)
        return self._operate(function, given[0], given[1], domain)

    def _within_years(self, given: Written) -> str:
        """A day, or the nearest one of the declared years."""
        text, domain = given
        if domain.steps == DATE_PARTS["year"]:
            return text
        first, last = (self.dialect.literal(bring_within(end, domain)) for end in (date.min, date.max))
        return f"(CASE WHEN {text} < {first} THEN {first} WHEN {text} > {last} THEN {last} ELSE {text} END)"

    def _round(self, given: Written, function: str, domain: ValueDomain) -> str:
        text, before = given
        if before.decimals == domain.decimals:
            return text
        more = ADDED[function](10 ** (before.decimals - domain.decimals))
        start, size, first = coarsen(before, domain.decimals, more)
        from_start = f"({text} + {self.dialect.literal(more - start)})"
        return f"({self._divide(from_start, self.dialect.literal(size))} + {self.dialect.literal(first)})"

    def _operate(self, operator: str, left: Written, right: Written, domain: ValueDomain) -> str:
        if operator == "*":
            return f"({left[0]} * {right[0]})"
        if operator == "/":
            scaled, _ = scale_dividend(left[1], right[1])
            return self._divide(self._scale(left, scaled), right[0])
        if operator == "nullif" and domain.type != "number":
            return f"nullif({left[0]}, {right[0]})"
        one, other = (self._scale(side, to) for side, to in zip((left, right), align(left[1], right[1]), strict=True))
        match operator:
            case "//":
                return self._divide(one, other)
            case "%":
                return f"({one} % nullif({other}, {self.dialect.literal(0)}))"
            case "nullif":
                return f"nullif({one}, {other})"
        return f"({one} {operator} {other})"

    def _divide(self, dividend: str, divisor: str) -> str:
        """The quotient without the rest, and no value where the divisor is 0."""
        safe = f"nullif({divisor}, {self.dialect.literal(0)})"
        return f"CAST({self.dialect.divide(dividend, safe)} AS {self.dialect.whole})"

    def condition(self, condition: Condition) -> str:
        """A condition."""
        match condition:
            case Compare(column, operator, value):
                return self._compare(column, operator, value)
            case ComparePair(left_side, operator, right_side):
                return f"({self.value(left_side)[0]} {operator} {self.value(right_side)[0]})"
            case OneOf(column, values):
                return self._one_of(column, values)
            case Missing(column):
                return f"({self._side(column)[0]} IS NULL)"
            case Like(column, pattern):
                return self.dialect.like(self._side(column)[0], pattern)
            case Always(holds):
                return "(1 = 1)" if holds else "(1 = 0)"
            case Not(inner):
                return f"(NOT {self.condition(inner)})"
            case Both(left, right):
                return f"({self.condition(left)} AND {self.condition(right)})"
            case Either(left, right):
                return f"({self.condition(left)} OR {self.condition(right)})"

    def _side(self, column: str | Expression) -> tuple[str, ValueDomain | None]:
        """What is compared, and its values if they are computed."""
        return (self.names[column], None) if isinstance(column, str) else self.value(column)

    def _compare(self, column: str | Expression, operator: Comparison, value: Literals) -> str:
        text, domain = self._side(column)
        if domain is not None and domain.type == "number":
            return f"({text} {operator} {self.dialect.literal(_nearest_step(domain, operator, value))})"
        return f"({text} {operator} {self.dialect.literal(value)})"

    def _one_of(self, column: str | Expression, values: tuple[Literals, ...]) -> str:
        text, domain = self._side(column)
        if domain is not None and domain.type == "number":
            values = tuple(dict.fromkeys(_nearest_step(domain, "=", value) for value in values))
        return f"({self.dialect.one_of(text, values)})"


def _nearest_step(domain: ValueDomain, operator: Comparison, value: Literals) -> int:
    """The whole number of steps that a comparison with a number comes to: below 2.5 is below 3. A number that no value
    can equal becomes one beyond the bounds, so that a missing value stays missing."""
    exact = fraction(value) * Fraction(10**domain.decimals)
    if operator in ("=", "<>") and exact.denominator != 1:
        return domain.high + 1
    step = math.ceil(exact) if operator in ("<", ">=") else math.floor(exact)
    return min(max(step, domain.low - 1), domain.high + 1)
