"""Derived columns (PINQ's Select): which values an expression can have, from declarations alone.

Numbers are computed with as whole numbers of steps of their last decimal, after each column was brought within its
bounds. So bounds follow by interval arithmetic, every engine finds the same, and nothing overflows. A division by 0
gives no value, and never an error: an error would be an answer that nobody paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Literal, cast

from cobogo.answer.query import (
    CaseWhen,
    ColumnValue,
    Computation,
    ConstantValue,
    Derived,
    Expression,
    Function,
    QueryAggregate,
    TruthOf,
    fields_of,
    leaves_of,
)
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.declared_columns import WIDEST, DeclaredColumn, Value

QUOTIENT_DECIMALS = 4
"""Decimals of a quotient: enough for ratios and rates, and few enough that variances can still be added up exactly."""

MOST_DECIMALS = 9
MOST_KEYS = 1000
"""The groups of a derived whole number are public if it can have no more values than this."""

MOST_EVALUATED = 20_000
"""Leaves of an expression, times the values of its column, up to which its values are found one by one: 0.2 s."""

LARGEST_STEP = 2**62
"""What a step of a computation may reach within a statement: engines count in 64 bits."""

LARGEST_EXPRESSION = 500
"""Columns, constants and conditions of an expression, once the derived columns in it are written out."""

DATE_PARTS: dict[str, tuple[int, int]] = {"year": (1, 9999), "quarter": (1, 4), "month": (1, 12), "day": (1, 31)}

FIRST_MONTHS: dict[str, int] = {"trunc_year": 12, "trunc_quarter": 3, "trunc_month": 1}
"""How many months the spans have of which DATE_TRUNC names the first day."""

TRUNCATIONS = {**{name: 12 // months for name, months in FIRST_MONTHS.items()}, "trunc_week": 53, "trunc_day": 366}
"""What DATE_TRUNC can do to a day, and how many spans a year has at most."""

CAPITALS = "".join(
    letter
    for letter in map(chr, range(ord("A"), 0x180))
    if len(letter.lower()) == 1 and letter.lower() != letter and letter.lower().upper() == letter
)
"""The letters that LOWER and UPPER change: those of Latin alphabets that have one partner each. Engines would differ in
others, and one whose partner is longer would make a text longer than any that counts."""

LETTERS = {"lower": (CAPITALS, CAPITALS.lower()), "upper": (CAPITALS.lower(), CAPITALS)}


@dataclass(frozen=True)
class ValueDomain:
    """The values that an expression can have. For numbers ``low`` and ``high`` are bounds, in steps of the last of
    ``decimals``, and for dates they are years; for texts ``keys`` are all values, None where they are not public."""

    type: Literal["number", "text", "boolean", "date", "null"]
    low: int = 0
    high: int = 0
    decimals: int = 0
    keys: tuple[Value, ...] | None = None
    literal: bool = False  # always there, and always the same

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds in steps."""
        return self.low, self.high

    def scaled(self, decimals: int) -> ValueDomain:
        """The same numbers in finer steps."""
        times = 10 ** (decimals - self.decimals)
        return replace(self, low=self.low * times, high=self.high * times, decimals=decimals)

    def column(self, *, constant: bool = False) -> DeclaredColumn:
        """A column with these values, as a data holder would declare it."""
        if self.type != "number":
            kind = "text" if self.type == "null" else self.type
            keys = self.keys if kind in ("text", "date") else None
            years = self.steps if kind == "date" else None
            return DeclaredColumn(type=kind, keys=keys, years=years, constant=constant)
        if self.decimals:
            ends = tuple(float(Fraction(end, 10**self.decimals)) for end in self.steps)
            return DeclaredColumn(type="number", bounds=ends, decimals=self.decimals, constant=constant)  # type: ignore[arg-type]
        known = tuple(range(self.low, self.high + 1)) if self.high - self.low < MOST_KEYS else None
        return DeclaredColumn(type="integer", bounds=self.steps, keys=known, constant=constant)


def derive(name: str, expression: Expression, columns: Mapping[str, DeclaredColumn]) -> Derived:
    """A derived column. Where each column of it has one value a person, so has it."""
    fields = fields_of(expression)
    constant = bool(fields) and all(columns[one].constant for one in fields)
    column = domain_of(expression, columns).column(constant=constant)
    known = None if column.type != "integer" or column.keys is None else _possible_values(expression, columns)
    return Derived(name, expression, column.model_copy(update={"keys": known}) if known else column)


def _possible_values(expression: Expression, columns: Mapping[str, DeclaredColumn]) -> tuple[int, ...] | None:
    """The values of a whole number that is computed from one column of few values: those that each of these gives.

    FLOOR(age / 10) * 10 is one of 0, 10, 20, …, and its bounds alone would make 1 a group, too."""
    name, *others = set(fields_of(expression)) or {""}
    parts = _single_values(name, columns) if name and not others else []
    if len(parts) * len(leaves_of(expression)) > MOST_EVALUATED:
        return None
    found: set[int] = set()
    for part in parts:
        try:
            one = _domain(expression, {**columns, **part})
        except QueryRefused:  # the divisor is always 0: there is no value
            continue
        found.update(range(one.low, one.high + 1))
    return tuple(sorted(found)) or None


def _single_values(name: str, columns: Mapping[str, DeclaredColumn]) -> list[dict[str, DeclaredColumn]]:
    """A column as it would be declared with each of its values alone, or, for a date, with each of its years."""
    column = columns[name]
    domain = domain_of_column(name, column)
    if domain.type not in ("number", "date") or domain.high - domain.low >= MOST_KEYS:
        return []
    single = range(domain.low, domain.high + 1)
    if domain.type == "date":
        return [{name: column.model_copy(update={"years": (one, one)})} for one in single]
    values = (float(Fraction(one, 10**domain.decimals)) if domain.decimals else one for one in single)
    return [{name: column.model_copy(update={"bounds": (one, one)})} for one in values]


def domain_of(expression: Expression, columns: Mapping[str, DeclaredColumn]) -> ValueDomain:
    """The values that an expression can have; a refusal where nothing bounds them."""
    if len(leaves_of(expression)) > LARGEST_EXPRESSION:
        raise refuse(
            tr("the expression has more than {most:,} parts", most=LARGEST_EXPRESSION),
            tr("Write a shorter expression."),
        )
    return _domain(expression, columns)


def _domain(expression: Expression, columns: Mapping[str, DeclaredColumn]) -> ValueDomain:
    match expression:
        case ColumnValue(name):
            return domain_of_column(name, columns[name])
        case ConstantValue(value):
            return domain_of_constant(value)
        case Computation(function, operands, digits):
            return compute_domain(function, tuple(_domain(one, columns) for one in operands), digits)
        case CaseWhen(cases, otherwise):
            return merge_domains([_domain(one, columns) for one in (*(value for _, value in cases), otherwise)])
        case TruthOf():
            return ValueDomain("boolean")
        case QueryAggregate():
            raise refuse(
                tr("an aggregate contains another aggregate"), tr("Aggregate a column or an expression of columns.")
            )


def domain_of_column(name: str, declared: DeclaredColumn) -> ValueDomain:
    """The values of a declared column, as they are computed with: within its bounds."""
    if declared.type == "text":
        return ValueDomain("text", keys=declared.public_keys)
    if declared.type == "date":
        low, high = declared.years or DATE_PARTS["year"]
        return ValueDomain("date", low, high, keys=declared.keys)
    if declared.type == "boolean":
        return ValueDomain("boolean")
    if declared.bounds is None:
        raise refuse(
            tr('"{name}" has no declared bounds, so nothing limits what is computed from it', name=name),
            tr("Ask the data holder to declare bounds, from general knowledge and not from the data."),
        )
    low, high = declared.steps
    return ValueDomain("number", low, high, declared.decimals)


def domain_of_constant(value: object) -> ValueDomain:
    """The one value of a literal."""
    if value is None:
        return ValueDomain("null")
    if isinstance(value, bool):
        return ValueDomain("boolean")
    if isinstance(value, Fraction):
        decimals = next((one for one in range(MOST_DECIMALS + 1) if (value * 10**one).denominator == 1), None)
        if decimals is None:
            raise refuse(
                tr("a number has more than {most} decimals", most=MOST_DECIMALS),
                tr("Write a number with fewer digits."),
            )
        step = int(value * 10**decimals)
        return _bounded(ValueDomain("number", step, step, decimals, literal=True))
    return ValueDomain("text", keys=(value,)) if isinstance(value, str) else ValueDomain("date")


def merge_domains(domains: list[ValueDomain]) -> ValueDomain:
    """The values of any of several expressions, of which each row has one."""
    there = [one for one in domains if one.type != "null"]
    if not there:
        return ValueDomain("null")
    if len({one.type for one in there}) > 1 or there[0].type == "date":
        raise refuse(tr("the values of the expression have different types"), tr("Write only numbers, or only texts."))
    if there[0].type == "number":
        return _hull(there)
    known = [one.keys for one in there]
    keys = None if None in known else tuple(dict.fromkeys(key for keys in known for key in keys or ()))
    return ValueDomain(there[0].type, keys=keys)


def compute_domain(function: Function, given: tuple[ValueDomain, ...], digits: int = 0) -> ValueDomain:
    """The values of a function, from those of what it is computed from."""
    if function in ("coalesce", "nullif"):
        found = merge_domains(list(given))
        return found if function == "coalesce" or found.type != "number" else given[0].scaled(found.decimals)
    if function in DATE_PARTS or function in TRUNCATIONS:
        return _date_part(function, *given)
    if function in LETTERS:
        return _letters(function, *given)
    for one in given:
        if one.type != "number":
            raise refuse(
                tr("{function} needs numbers. Got {type} instead", function=function.upper(), type=one.type),
                tr("Name a column of the type integer or number."),
            )
    return _bounded(OF_NUMBERS[function](given, digits))


def _date_part(part: str, day: ValueDomain) -> ValueDomain:
    if day.type != "date":
        called = "DATE_TRUNC" if part in TRUNCATIONS else part.upper()
        raise refuse(tr("{part} needs a date", part=called), tr("Name a column of the type date."))
    if part in TRUNCATIONS:
        return _truncations(part, day)
    low, high = (day.low, day.high) if part == "year" else DATE_PARTS[part]
    return ValueDomain("number", low, high)


def _truncations(part: str, day: ValueDomain) -> ValueDomain:
    """The first days of spans: of the declared days, or of the declared years where these are not too many."""
    first, keys = truncate_day(part, date(day.low, 1, 1)), None
    if day.keys is not None:
        known = (bring_within(cast(date, one), day) for one in day.keys)
        keys = tuple(dict.fromkeys(truncate_day(part, one) for one in known))
    elif (day.high - day.low + 1) * TRUNCATIONS[part] <= MOST_KEYS:
        keys = tuple(_first_days(part, first, day.high))
    return ValueDomain("date", first.year, day.high, keys=keys)


def _first_days(part: str, first: date, last_year: int) -> Iterator[date]:
    """The first day of each span from one to the end of a year."""
    if part in FIRST_MONTHS:
        for year in range(first.year, last_year + 1):
            yield from (date(year, month, 1) for month in range(1, 13, FIRST_MONTHS[part]))
    else:
        days = (date(last_year, 12, 31) - first).days
        yield from (first + timedelta(more) for more in range(0, days + 1, 7 if part == "trunc_week" else 1))


def bring_within(day: date, domain: ValueDomain) -> date:
    """A day, or the nearest one of the domain's years."""
    return min(max(day, date(domain.low, 1, 1)), date(domain.high, 12, 31))


def truncate_day(part: str, day: date) -> date:
    """The first day of the year, quarter, month or week (from Monday) that a day is in.

    >>> [truncate_day(part, date(2026, 5, 9)).isoformat() for part in ("trunc_quarter", "trunc_week")]
    ['2026-04-01', '2026-05-04']
    """
    if part in FIRST_MONTHS:
        return date(day.year, day.month - (day.month - 1) % FIRST_MONTHS[part], 1)
    return day - timedelta(day.weekday()) if part == "trunc_week" else day


def _letters(function: str, text: ValueDomain) -> ValueDomain:
    if text.type != "text":
        raise refuse(tr("{part} needs a text", part=function.upper()), tr("Name a column of the type text."))
    keys = None if text.keys is None else tuple(dict.fromkeys(change_letters(function, str(one)) for one in text.keys))
    return replace(text, keys=keys)


def change_letters(function: str, text: str) -> str:
    """A text in small letters or in capitals, as engines find it.

    >>> change_letters("lower", "SÃO JOÃO"), change_letters("upper", "straße")
    ('são joão', 'STRAßE')
    """
    return text.translate(str.maketrans(*LETTERS[function]))


def _hull(given: list[ValueDomain]) -> ValueDomain:
    decimals = max(one.decimals for one in given)
    scaled = [one.scaled(decimals) for one in given]
    return _bounded(ValueDomain("number", min(one.low for one in scaled), max(one.high for one in scaled), decimals))


def _bounded(domain: ValueDomain) -> ValueDomain:
    if max(abs(domain.low), abs(domain.high)) > WIDEST:
        raise refuse(
            tr("the computed values are too large to be added up exactly"),
            tr("Compute with smaller numbers, or round them with ROUND."),
        )
    if domain.decimals > MOST_DECIMALS:
        raise refuse(
            tr("the computed values have more than {most} decimals", most=MOST_DECIMALS),
            tr("Round the parts first, with ROUND."),
        )
    return domain


def align(left: ValueDomain, right: ValueDomain) -> tuple[ValueDomain, ValueDomain]:
    """Two numbers in the finer steps of the two."""
    decimals = max(left.decimals, right.decimals)
    return _fitting(left.scaled(decimals)), _fitting(right.scaled(decimals))


def scale_dividend(left: ValueDomain, right: ValueDomain) -> tuple[ValueDomain, int]:
    """The dividend in steps that give the quotient its decimals, and how many decimals these are."""
    decimals = max(QUOTIENT_DECIMALS, left.decimals)
    return _fitting(left.scaled(decimals + right.decimals)), decimals


def _fitting(domain: ValueDomain) -> ValueDomain:
    if max(abs(domain.low), abs(domain.high)) >= LARGEST_STEP:
        raise refuse(
            tr("the computed values are too large to be added up exactly"),
            tr("Compute with smaller numbers, or round them with ROUND."),
        )
    return domain


def _add(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    left, right = align(*given)
    return ValueDomain("number", left.low + right.low, left.high + right.high, left.decimals)


def _subtract(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    left, right = align(*given)
    return ValueDomain("number", left.low - right.high, left.high - right.low, left.decimals)


def _multiply(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    left, right = given
    ends = [one * other for one in left.steps for other in right.steps]
    return ValueDomain("number", min(ends), max(ends), left.decimals + right.decimals)


def _divide(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    left, right = given
    scaled, decimals = scale_dividend(left, right)
    return ValueDomain("number", *_quotients(scaled, right), decimals)


def _divide_whole(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    return ValueDomain("number", *_quotients(*align(*given)))


def _quotients(left: ValueDomain, right: ValueDomain) -> tuple[int, int]:
    """The least and the largest quotient, without the rest: at an end of the dividend, and at an end of the divisor or
    beside 0, which it is never divided by."""
    beside = [one for one in (-1, 1) if right.low <= one <= right.high]
    divisors = [one for one in (*right.steps, *beside) if one]
    if not divisors:
        raise refuse(tr("the divisor is always 0"), tr("Write another divisor."))
    found = [truncate(one, by) for one in left.steps for by in divisors]
    return min(found), max(found)


def truncate(dividend: int, divisor: int) -> int:
    """The quotient without the rest, as engines compute it.

    >>> truncate(-7, 2), truncate(7, 2)
    (-3, 3)
    """
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _rest(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    left, right = align(*given)
    if left.low == left.high and right.low == right.high != 0:
        rest = left.low - right.low * truncate(left.low, right.low)
        return ValueDomain("number", rest, rest, left.decimals)
    most = max(abs(right.low), abs(right.high)) - 1
    if most < 0:
        raise refuse(tr("the divisor is always 0"), tr("Write another divisor."))
    return ValueDomain("number", max(min(left.low, 0), -most), min(max(left.high, 0), most), left.decimals)


def _absolute(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    (one,) = given
    ends = [abs(end) for end in one.steps]
    return ValueDomain("number", 0 if one.low <= 0 <= one.high else min(ends), max(ends), one.decimals)


def coarsen(one: ValueDomain, digits: int, more: int) -> tuple[int, int, int]:
    """How a number is rounded down to fewer digits after ``more`` was added: from where, in steps of which size, and
    the last of these steps below it. Counted from there nothing is negative, so that engines round alike."""
    size = 10 ** (one.decimals - digits)
    first = (one.low + more) // size
    return first * size, size, first


def _round_down(given: tuple[ValueDomain, ...], digits: int, more: Callable[[int], int]) -> ValueDomain:
    (one,) = given
    if digits >= one.decimals:
        return one
    size = 10 ** (one.decimals - digits)
    return ValueDomain("number", (one.low + more(size)) // size, (one.high + more(size)) // size, digits)


ADDED: dict[str, Callable[[int], int]] = {
    "floor": lambda size: 0,  # noqa: ARG005
    "ceil": lambda size: size - 1,
    "round": lambda size: size // 2,
}
"""What is added before a number is rounded down, by the size of the steps that it is rounded to."""


def _least(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    found = _hull(list(given))
    sure = [one.scaled(found.decimals).high for one in given if one.literal]
    return replace(found, high=min([found.high, *sure]))


def _greatest(given: tuple[ValueDomain, ...], _: int) -> ValueDomain:
    found = _hull(list(given))
    sure = [one.scaled(found.decimals).low for one in given if one.literal]
    return replace(found, low=max([found.low, *sure]))


OF_NUMBERS: dict[str, Callable[[tuple[ValueDomain, ...], int], ValueDomain]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "//": _divide_whole,
    "%": _rest,
    "abs": _absolute,
    "floor": lambda given, digits: _round_down(given, digits, ADDED["floor"]),
    "ceil": lambda given, digits: _round_down(given, digits, ADDED["ceil"]),
    "round": lambda given, digits: _round_down(given, digits, ADDED["round"]),
    "least": _least,
    "greatest": _greatest,
}


def refuse(what: str, remedy: str) -> QueryRefused:
    """A refusal of an expression, which follows from its text and declarations alone."""
    return QueryRefused(what, where=tr("the expression"), remedy=remedy)
