"""Expressions and conditions: what a question computes from columns or from noisy figures, and what it compares.

Both kinds are written alike and read alike into typed values; the scope says what a name may stand for. Nothing here
can fail on any data: numbers stay within bounds, a division by 0 has no value, and there are no casts.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any, cast

from sqlglot import exp

from cobogo.answer.derive import change_letters
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
    Function,
    Like,
    Literals,
    Missing,
    Not,
    OneOf,
    TruthOf,
    text_of,
)
from cobogo.answer.sql.nodes import describe, refusal, take
from cobogo.answer.sql.scope import NameScope
from cobogo.floor.language import Text, tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.declared_columns import DeclaredColumn

IN_EXPRESSIONS = tr(
    "Allowed in expressions: columns, literals, + - * / // %, ABS, ROUND, FLOOR, CEIL, LEAST, GREATEST, COALESCE, "
    "NULLIF, YEAR, QUARTER, MONTH and DAY of a date, DATE_TRUNC to one of them or a week, LOWER, UPPER, "
    "CASE WHEN … THEN … ELSE … END."
)
DEEPEST = 100

BINARY: dict[type[exp.Expression], Function] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.Nullif: "nullif",
}  # fmt: skip
UNARY: dict[type[exp.Expression], Function] = {
    exp.Abs: "abs", exp.Year: "year", exp.Quarter: "quarter", exp.Month: "month", exp.Day: "day",
    exp.DayOfMonth: "day", exp.Lower: "lower", exp.Upper: "upper",
}  # fmt: skip
SEVERAL: dict[type[exp.Expression], Function] = {
    exp.Least: "least", exp.Greatest: "greatest", exp.Coalesce: "coalesce",
}  # fmt: skip
ROUNDED: dict[type[exp.Expression], Function] = {exp.Round: "round", exp.Floor: "floor", exp.Ceil: "ceil"}
PARTS: dict[str, Function] = {"year": "year", "quarter": "quarter", "month": "month", "day": "day"}
SPANS: dict[str, Function] = {
    "year": "trunc_year", "quarter": "trunc_quarter", "month": "trunc_month", "week": "trunc_week", "day": "trunc_day",
}  # fmt: skip
CONDITIONS = (exp.Predicate, exp.Not, exp.And, exp.Or, exp.Between, exp.In, exp.Is, exp.Like, exp.Escape)


COMPARISONS: dict[type[exp.Expression], tuple[Comparison, Comparison]] = {
    exp.EQ: ("=", "="),
    exp.NEQ: ("<>", "<>"),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}
"""Each comparison, and the same with its sides exchanged."""

EXCHANGED = dict(COMPARISONS.values())

HOLDS: dict[Comparison, Callable[[Any, Any], bool]] = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

MOST_WILD = {"%": 4, "_": 100}
"""Wild signs of a pattern: Spark compares by recursion, to a depth that follows the pattern."""

EXAMPLES: dict[str, Text] = {
    "integer": tr("Write a whole number of 64 bits."),
    "number": tr("Write a number such as 1.5."),
    "text": tr("Write a text in single quotes."),
    "boolean": tr("Write TRUE or FALSE."),
    "date": tr("Write a date such as '2026-01-31'."),
}
"""What a column of each type is compared with."""

IN_CONDITIONS = tr(
    "Allowed in conditions: =, <>, <, <=, >, >= between columns, expressions and literals; BETWEEN; LIKE; ILIKE; "
    "IN (literals); IS NULL; IS TRUE; IS DISTINCT FROM a literal; AND, OR, NOT; a boolean column alone."
)


def parse_expression(node: exp.Expression, scope: NameScope, depth: int = 0) -> Expression:
    """Parse an expression of the analyst into typed values."""
    if depth > DEEPEST:
        raise refusal(tr("the expression has more than {most} levels", most=DEEPEST), tr("Write a simpler expression."))
    leaf = scope.leaf(node)
    if leaf is not None:
        return leaf
    if isinstance(node, CONDITIONS):
        return TruthOf(parse_condition(node, scope, depth + 1))

    def inner(one: exp.Expression) -> Expression:
        return parse_expression(one, scope, depth + 1)

    match node:
        case exp.Paren():
            return inner(take(node, "this")[0])
        case exp.Literal() | exp.Null() | exp.Boolean():
            return _constant(node)
        case exp.Neg():
            return _negative(inner(take(node, "this")[0]))
        case exp.Case() | exp.If():
            return _case(node, scope, depth, inner)
        case exp.Cast():
            return _cast(node, scope, inner)
    return _function(node, inner)


def find_column(node: exp.Expression, scope: NameScope) -> str:
    """The column that a node names; one that it computes is derived."""
    return scope.find(node) if isinstance(node, exp.Column) else scope.name(parse_expression(node, scope))


def _function(node: exp.Expression, inner: Callable[[exp.Expression], Expression]) -> Expression:
    kind = type(node)
    if kind in BINARY:
        left, right = take(node, "this", "expression", ignored=("typed", "safe"))
        return Computation(BINARY[kind], (inner(left), inner(right)))
    if kind in UNARY:
        return Computation(UNARY[kind], (inner(take(node, "this")[0]),))
    if kind in SEVERAL:
        first, others = take(node, "this", "expressions", ignored=("ignore_nulls", "is_nvl", "is_null"))
        return Computation(SEVERAL[kind], (inner(first), *map(inner, others)))
    if kind in ROUNDED:
        number, digits = take(node, "this", "decimals")
        return Computation(ROUNDED[kind], (inner(number),), _digits(digits))
    return _date_part(node, inner)


def _date_part(node: exp.Expression, inner: Callable[[exp.Expression], Expression]) -> Expression:
    match node:
        case exp.Extract():
            part, day = take(node, "this", "expression")
            name = str(part.name).casefold()
        case exp.Anonymous(this=str(called)) if called.casefold() == "date_part":
            _, given = take(node, "this", "expressions")
            if len(given) != 2:
                raise refusal(tr("DATE_PART needs the name of a part and a date"), IN_EXPRESSIONS)
            name, day = str(given[0].name).casefold(), given[1]
        case exp.TimestampTrunc() | exp.DateTrunc():
            day, part = take(node, "this", "unit")
            span = "" if part is None else str(part.name).casefold()
            if span not in SPANS:
                raise refusal(tr("this part of a date is not answered"), IN_EXPRESSIONS)
            return Computation(SPANS[span], (inner(day),))
        case _:
            raise refusal(tr("{node} is not answered", node=describe(node)), IN_EXPRESSIONS)
    if name not in PARTS:
        raise refusal(tr("this part of a date is not answered"), IN_EXPRESSIONS)
    return Computation(PARTS[name], (inner(day),))


def _constant(node: exp.Expression) -> ConstantValue:
    if isinstance(node, exp.Null):
        return ConstantValue(None)
    if isinstance(node, exp.Boolean):
        return ConstantValue(bool(take(node, "this")[0]))
    text, is_string = take(node, "this", "is_string")
    if is_string:
        return ConstantValue(str(text))
    try:
        return ConstantValue(fraction(str(text)))
    except ValueError:
        raise refusal(tr("the number is too large to compute with"), IN_EXPRESSIONS) from None


def _negative(value: Expression) -> Expression:
    if isinstance(value, ConstantValue) and isinstance(value.value, Fraction):
        return ConstantValue(-value.value)
    return Computation("-", (ConstantValue(Fraction(0)), value))


def _cast(node: exp.Cast, scope: NameScope, inner: Callable[[exp.Expression], Expression]) -> Expression:
    """A number as a number, and a date as a date. Casts of anything else can fail on some data."""
    value, kind = take(node, "this", "to", ignored=("_type",))
    found = inner(value)
    if kind.this == exp.DType.DATE and scope.declare(found).type == "date":
        return found
    if scope.declare(found).type not in ("integer", "number"):
        raise refusal(tr("only casts from numbers to numbers are answered"), IN_EXPRESSIONS)
    if kind.this in exp.DataType.INTEGER_TYPES:
        return Computation("round", (found,))
    if kind.this not in exp.DataType.REAL_TYPES:
        raise refusal(tr("only casts from numbers to numbers are answered"), IN_EXPRESSIONS)
    return found


def _digits(node: exp.Expression | None) -> int:
    if node is None:
        return 0
    text = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not (text.isdecimal() and len(text) == 1):
        raise refusal(tr("ROUND must keep from 0 to 9 digits"), IN_EXPRESSIONS)
    return int(text)


def _case(
    node: exp.Expression, scope: NameScope, depth: int, inner: Callable[[exp.Expression], Expression]
) -> Expression:
    if isinstance(node, exp.If):
        condition, then, otherwise = take(node, "this", "true", "false")
        tested, branches = None, [(condition, then)]
    else:
        tested, ifs, otherwise = take(node, "this", "ifs", "default")
        branches = [take(one, "this", "true") for one in ifs]
    cases: list[tuple[Condition, Expression]] = []
    for condition, then in branches:
        holds = (
            parse_condition(condition, scope, depth + 1)
            if tested is None
            else compare(tested, "=", condition, scope, depth)
        )
        cases.append((holds, inner(then)))
    return CaseWhen(tuple(cases), ConstantValue(None) if otherwise is None else inner(otherwise))


def parse_condition(node: exp.Expression, scope: NameScope, depth: int = 0) -> Condition:
    """Parse a condition of the analyst into typed values."""
    if depth > DEEPEST:
        raise refusal(
            tr("the condition has more than {most} levels of parentheses, AND, OR and NOT", most=DEEPEST),
            tr("Write a simpler condition."),
            clause=scope.clause,
        )
    deeper = depth + 1
    if type(node) in COMPARISONS:
        left, right = take(node, "this", "expression")
        return compare(left, COMPARISONS[type(node)][0], right, scope, deeper)
    match node:
        case exp.Paren():
            return parse_condition(take(node, "this")[0], scope, deeper)
        case exp.Not():
            return Not(parse_condition(take(node, "this")[0], scope, deeper))
        case exp.And() | exp.Or():
            left, right = take(node, "this", "expression")
            made = Both if isinstance(node, exp.And) else Either
            return made(parse_condition(left, scope, deeper), parse_condition(right, scope, deeper))
        case exp.Boolean():
            return Always(bool(take(node, "this")[0]))
        case exp.Like() | exp.ILike() | exp.Escape():
            return _like(node, scope, deeper)
    return _column_condition(node, scope, deeper)


def _column_condition(node: exp.Expression, scope: NameScope, depth: int) -> Condition:
    match node:
        case exp.Between():
            value, low, high = take(node, "this", "low", "high")
            return Both(compare(value, ">=", low, scope, depth), compare(value, "<=", high, scope, depth))
        case exp.In():
            value, values = take(node, "this", "expressions")
            operand, name, declared = _operand(value, scope, depth)
            if not values:
                raise refusal(tr("IN has no values"), IN_CONDITIONS, clause=scope.clause)
            return OneOf(operand, tuple(parse_literal(one.unnest(), name, declared) for one in values))
        case exp.Is():
            value, what = take(node, "this", "expression")
            if isinstance(what, exp.Null):
                return Missing(_operand(value, scope, depth)[0])
            if not isinstance(what, exp.Boolean):
                raise refusal(tr("IS is answered only with NULL, TRUE and FALSE"), IN_CONDITIONS, clause=scope.clause)
            return _same(value, what, scope, depth)
        case exp.NullSafeEQ() | exp.NullSafeNEQ():
            value, literal = take(node, "this", "expression")
            same = _same(value, literal, scope, depth)
            return same if isinstance(node, exp.NullSafeEQ) else Not(same)
        case exp.Column() | exp.Case() | exp.If() | exp.Coalesce():
            operand, name, declared = _operand(node, scope, depth)
            if declared.type != "boolean":
                raise refusal(tr('"{name}" is not a boolean column', name=name), IN_CONDITIONS, clause=scope.clause)
            return Compare(operand, "=", True)
    raise refusal(tr("{node} is not answered", node=describe(node)), IN_CONDITIONS, clause=scope.clause)


def _same(value: exp.Expression, literal: exp.Expression, scope: NameScope, depth: int) -> Condition:
    """IS TRUE, IS NOT DISTINCT FROM: equal, and never left open by a missing value."""
    missing = Missing(_operand(value, scope, depth)[0])
    if isinstance(literal, exp.Null):
        return missing
    if not _is_literal(literal):
        raise refusal(tr("IS DISTINCT FROM is answered only with a literal"), IN_CONDITIONS, clause=scope.clause)
    return Both(compare(value, "=", literal, scope, depth), Not(missing))


def _like(node: exp.Expression, scope: NameScope, depth: int) -> Condition:
    """LIKE, with the character that escapes a wild one, if it names one. ILIKE is LIKE of both in small letters."""
    escape = None
    if isinstance(node, exp.Escape):
        node, character = take(node, "this", "expression")
        escape = str(character.this) if isinstance(character, exp.Literal) and character.is_string else ""
        if not isinstance(node, exp.Like | exp.ILike) or len(escape) != 1:
            raise refusal(tr("ESCAPE must follow LIKE and name one character"), IN_CONDITIONS)
    value, pattern, negated = take(node, "this", "expression", "negate")
    operand, name, declared = _operand(value, scope, depth)
    if declared.type != "text" or not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise refusal(
            tr('LIKE compares a text with a pattern, and "{name}" or the pattern is not a text', name=name),
            IN_CONDITIONS,
        )
    parse_literal(pattern, name, declared)
    pieces = _pattern(str(pattern.this), escape)
    if isinstance(node, exp.ILike):
        whole = ColumnValue(operand) if isinstance(operand, str) else operand
        operand = Computation("lower", (whole,))
        pieces = tuple((wild, change_letters("lower", text)) for wild, text in pieces)
    found = Like(operand, pieces)
    return Not(found) if negated else found


def _pattern(text: str, escape: str | None) -> tuple[tuple[bool, str], ...]:
    pieces: list[tuple[bool, str]] = []
    letters = iter(text)
    for read in letters:
        letter, wild = (next(letters, ""), False) if read == escape else (read, read in "%_")
        if read == escape and letter not in (escape, "%", "_"):
            raise refusal(tr("in the pattern, the ESCAPE character must be followed by %, _ or itself"), IN_CONDITIONS)
        if pieces and not wild and not pieces[-1][0]:
            pieces[-1] = (False, pieces[-1][1] + letter)
        else:
            pieces.append((wild, letter))
    for sign, most in MOST_WILD.items():
        if pieces.count((True, sign)) > most:
            raise refusal(tr("a pattern has at most {most} {sign} signs", most=most, sign=sign), IN_CONDITIONS)
    return tuple(pieces)


def compare(
    left: exp.Expression, operator: Comparison, right: exp.Expression, scope: NameScope, depth: int = 0
) -> Condition:
    """Compare two sides, each a literal, a column or what is computed from columns."""
    left, right = cast(exp.Expression, left.unnest()), cast(exp.Expression, right.unnest())
    if _is_literal(left) and _is_literal(right):
        return _compare_literals(left, operator, right)
    if _is_literal(left):
        left, right, operator = right, left, EXCHANGED[operator]
    if _is_literal(right):
        operand, name, declared = _operand(left, scope, depth)
        return Compare(operand, operator, parse_literal(right, name, declared))
    sides = (parse_expression(left, scope, depth), parse_expression(right, scope, depth))
    kinds = {scope.declare(side).type for side in sides}
    if kinds <= {"integer", "number"}:
        difference = Computation("-", sides)
        scope.declare(difference)
        return Compare(difference, operator, 0)
    if len(kinds) > 1 or (kinds != {"date"} and operator not in ("=", "<>")):
        raise refusal(
            tr("two columns of these types are not compared like this"),
            tr("Compare numbers, or two dates, with any comparison; two texts, or two truth values, with = or <>."),
            clause=scope.clause,
        )
    return ComparePair(sides[0], operator, sides[1])


def _compare_literals(left: exp.Expression, operator: Comparison, right: exp.Expression) -> Condition:
    """Tools write 1 = 1 where they have no condition."""
    number = DeclaredColumn(type="number")
    one, other = (fraction(_value(side, number)) if _is_number(side) else None for side in (left, right))
    if one is None or other is None:
        raise refusal(tr("a comparison needs a column on one side at least"), IN_CONDITIONS)
    return Always(HOLDS[operator](one, other))


def _is_literal(node: exp.Expression) -> bool:
    if isinstance(node, exp.Cast):
        return isinstance(node.this, exp.Literal)
    return isinstance(node, exp.Literal | exp.Boolean | exp.Null | exp.Placeholder | exp.Parameter) or _is_number(node)


def _is_number(node: exp.Expression) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal) and not inner.is_string


def _operand(node: exp.Expression, scope: NameScope, depth: int) -> tuple[str | Expression, str, DeclaredColumn]:
    """What is compared, what messages call it, and what it may be compared with."""
    expression = parse_expression(node, scope, depth)
    declared = scope.declare(expression)
    if isinstance(expression, ColumnValue):
        return expression.name, expression.name, declared
    return expression, text_of(expression), declared if declared.type != "integer" else DeclaredColumn(type="number")


def parse_literal(node: exp.Expression, name: str, declared: DeclaredColumn) -> Literals:
    """Parse a literal, which must be of a column's type."""
    value = _value(node, declared)
    if not declared.accepts(value):
        raise refusal(
            tr('"{name}" is of type {type}, and is compared with another type', name=name, type=declared.type),
            EXAMPLES[declared.type],
        )
    return value


def _value(node: exp.Expression, declared: DeclaredColumn) -> Literals:
    match node:
        case exp.Boolean():
            (value,) = take(node, "this")
            return bool(value)
        case exp.Neg():
            (inner,) = take(node, "this")
            value = _value(inner, declared) if isinstance(inner, exp.Literal) and not inner.is_string else None
            if value is None:
                raise refusal(tr("a minus sign must be followed by a number"), IN_CONDITIONS)
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
    raise refusal(tr("found {node} where a literal is expected", node=describe(node)), IN_CONDITIONS)


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
