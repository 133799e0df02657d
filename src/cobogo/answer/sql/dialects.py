"""What the engines' languages write differently. Nothing written here can fail on any value of the data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlglot import exp

from cobogo.errors import DataError
from cobogo.promises.declared_columns import DeclaredColumn, Value

WHOLE = "^[+-]?[0-9]{1,18}$"
DECIMAL = "^[+-]?[0-9]+([.][0-9]+)?$"
DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

LONGEST_NUMERAL = 300
"""Characters of a text that is read as a number: what it says is then neither too large nor too small for a float."""

LONGEST_TEXT = 10_000
"""Characters of a text that counts: every engine can sort, hash and send it."""

FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
"""The days that a calendar of Python's has: others, and those without end, cannot be told as a group's name."""


class Dialect:
    """DuckDB's language, and what the others share with it."""

    sqlglot: ClassVar[str] = "duckdb"
    whole: ClassVar[str] = "BIGINT"
    real: ClassVar[str] = "DOUBLE"
    string: ClassVar[str] = "VARCHAR"

    def name(self, name: str) -> str:
        """A name of a column."""
        return exp.to_identifier(name, quoted=True).sql(dialect=self.sqlglot)

    def literal(self, value: Value | Decimal | float | None) -> str:
        """A value."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, date):
            return f"DATE '{value.isoformat()}'"
        if isinstance(value, int):
            return f"CAST('{value}' AS {self.whole})"
        if isinstance(value, Decimal | float):
            return f"CAST('{value}' AS {self.real})"
        return exp.Literal.string(value).sql(dialect=self.sqlglot)

    def hashed(self, parts: Sequence[str], salt: int) -> str:
        """A number that looks random, and depends on the parts and the salt alone."""
        return f"hash({', '.join(parts)}, {salt})"

    def one_of(self, value: str, values: Sequence[Value | Decimal]) -> str:
        """Whether a value is among others. Here as a table, in which it is looked up: a list would be gone through. The
        other engines make a table of a list themselves, and Spark takes NULL for no in a table under NOT and OR."""
        if self.sqlglot != "duckdb":
            return f"{value} IN ({', '.join(map(self.literal, values))})"
        rows = ", ".join(f"({self.literal(one)})" for one in values)
        return f"{value} IN (SELECT v FROM (VALUES {rows}) AS w(v))"

    def total(self, figure: str) -> str:
        """The sum of whole numbers of 64 bits, which must not overflow: here it has 128, on a server any number."""
        return f"sum({figure})"

    def divided(self, dividend: str, divisor: str) -> str:
        """Whole numbers, divided without the rest."""
        return f"({dividend} // {divisor})"

    def is_nan(self, number: str) -> str:
        """Whether a float is not a number."""
        return f"isnan({number})"

    def matches(self, text: str, pattern: str) -> str:
        """Whether a text has a form."""
        return f"regexp_matches({text}, '{pattern}')"

    def tried(self, text: str, kind: str) -> str:
        """A text that has the form of a kind as one of it; NULL where it is none all the same."""
        return f"TRY_CAST({text} AS {kind})"

    def text(self, column: str) -> str:
        """A value as text, compared byte by byte whatever the column's own order is: values that an order takes for one
        would be one group under the name of whoever comes first. NULL where it is longer than texts can be."""
        text = f"CAST({column} AS {self.string})"
        return f'CASE WHEN length({text}) <= {LONGEST_TEXT} THEN {text} END COLLATE "binary"'

    def numeral(self, text: str, pattern: str, kind: str) -> str:
        """A text that has the form of a number or a day as one; NULL where it is none, however long it is."""
        short = f"length({text}) <= {LONGEST_NUMERAL}"
        formed = self.matches(f"left({text}, {LONGEST_NUMERAL})", pattern)
        return f"CASE WHEN {short} AND {formed} THEN {self.tried(text, kind)} END"

    def rational(self, column: str) -> str:
        """A decimal of any size as a float."""
        return f"CAST({column} AS {self.real})"

    def entire(self, column: str) -> str:
        """A number that is no whole one by type as a whole number of 64 bits; NULL where it is none. It is held within
        them first: Spark's floor fails beyond."""
        real, ends = f"CAST({column} AS {self.real})", [self.literal(Decimal(end)) for end in (-(2**63), 2**63)]
        inside = f"{real} >= {ends[0]} AND {real} < {ends[1]}"
        whole = f"CASE WHEN {real} = floor({real}) THEN {self.tried(column, self.whole)} END"
        return f"CASE WHEN {inside} THEN {whole} END"

    def day(self, column: str, kind: Any) -> str:
        """The day of a date or a time; NULL where no calendar has it. Times are first compared as what they are: those
        of coarser units reach farther than any cast of the engine."""
        if kind.is_date():
            return self.known_day(column)
        coarse = {0: "TIMESTAMP_S", 3: "TIMESTAMP_MS"}.get(kind.scale, "TIMESTAMP")
        own = "TIMESTAMPTZ" if kind.timezone else coarse
        time = f"CAST({column} AS TIMESTAMP)" if kind.scale == 9 else column
        first, last = (f"CAST('{day}' AS {own})" for day in (FIRST_DAY, f"{LAST_DAY} 23:59:59"))
        shown = time if kind.timezone else f"CAST({time} AS TIMESTAMP)"
        return f"CASE WHEN {time} >= {first} AND {time} <= {last} THEN CAST({shown} AS DATE) END"

    def known_day(self, day: str) -> str:
        """A day that a calendar has; NULL otherwise."""
        return f"CASE WHEN {day} BETWEEN DATE '{FIRST_DAY}' AND DATE '{LAST_DAY}' THEN {day} END"

    def unit(self, name: str, kind: Any) -> str:
        """What tells people apart. As text, where it is text: an engine's codes of texts depend on who else is there,
        and what is kept of a person must not."""
        column = self.name(name)
        if kind.is_integer():
            return column
        if kind.is_floating():
            return f"CASE WHEN NOT {self.is_nan(column)} THEN CAST({column} AS {self.string}) END"
        if kind.is_string() or kind.is_decimal() or kind.is_date() or kind.is_uuid() or kind.is_binary():
            return self.text(column)
        raise DataError(
            f'the unit "{name}" holds {kind}', where="unit", remedy="Tell people apart by a text or a whole number."
        )

    def typed(self, name: str, declared: DeclaredColumn, kind: Any, decimal: str) -> str:
        """A column of the data as what it was declared to be; NULL where a value is none."""
        column = self.name(name)
        text = f"CAST({column} AS {self.string})"
        match declared.type:
            case "text" if kind.is_string() or kind.is_integer():
                return self.text(column)
            case "boolean" if kind.is_boolean():
                return column
            case "date" if kind.is_date() or kind.is_timestamp():
                return self.day(column, kind)
            case "date" if kind.is_string() and self.sqlglot != "postgres":
                return self.known_day(self.numeral(text, DAY, "DATE"))
            case "integer" if kind.is_integer() and not kind.is_uint64():
                return f"CAST({column} AS {self.whole})"
            case "integer" if kind.is_numeric() and not kind.is_boolean():
                return self.entire(column)
            case "integer" if kind.is_string():
                return self.numeral(text, WHOLE, self.whole)
            case "number" if kind.is_floating():
                return f"CASE WHEN NOT {self.is_nan(column)} THEN CAST({column} AS {self.real}) END"
            case "number" if kind.is_decimal():
                return self.rational(column)
            case "number" if kind.is_integer():
                return f"CAST({column} AS {self.real})"
            case "number" if kind.is_string():
                point = f"replace({text}, ',', '.')" if decimal == "," else text
                return self.numeral(point, DECIMAL, self.real)
        raise DataError(
            f'the column "{name}" holds {kind} and was declared {declared.type}',
            where="columns",
            remedy="Declare it as what it is, or as text.",
        )


class PostgreSqlDialect(Dialect):
    """PostgreSQL's."""

    sqlglot: ClassVar[str] = "postgres"
    real: ClassVar[str] = "double precision"
    string: ClassVar[str] = "text"

    def hashed(self, parts: Sequence[str], salt: int) -> str:
        """Each part with what came of those before it as its salt: parts put together could be too long for a text."""
        found = str(salt)
        for part in parts:
            found = f"hashtextextended(coalesce(CAST({part} AS text), ''), {found})"
        return found

    def divided(self, dividend: str, divisor: str) -> str:
        """Of its numbers without end."""
        return f"div({dividend}, {divisor})"

    def is_nan(self, number: str) -> str:
        """Here it equals itself."""
        return f"({number} = 'NaN')"

    def matches(self, text: str, pattern: str) -> str:
        """By its operator."""
        return f"({text} ~ '{pattern}')"

    def tried(self, text: str, kind: str) -> str:
        """There is no trying: the form was checked, and what has it can be read."""
        return f"CAST({text} AS {kind})"

    def text(self, column: str) -> str:
        """In the order of bytes, which here has another name."""
        return super().text(column).removesuffix('"binary"') + '"C"'

    def rational(self, column: str) -> str:
        """Its decimals can be no number, and so large or so small that a cast fails."""
        most = f"1e{LONGEST_NUMERAL}"
        none = f"WHEN {column} = 'NaN' THEN NULL WHEN abs({column}) < 1e-{LONGEST_NUMERAL} THEN 0"
        ends = f"WHEN {column} > {most} THEN {most} WHEN {column} < -{most} THEN -{most}"
        return f"CASE {none} {ends} ELSE CAST({column} AS {self.real}) END"

    def entire(self, column: str) -> str:
        """Compared as decimals: its casts fail."""
        inside = f"{column} >= {-(2**63)} AND {column} < {2**63}"
        return f"CASE WHEN {column} = floor({column}) AND {inside} THEN CAST({column} AS {self.whole}) END"

    def day(self, column: str, kind: Any) -> str:  # noqa: ARG002
        """Compared before the cast, which fails on the last times of all in some zones."""
        inside = f"{column} >= DATE '{FIRST_DAY}' AND {column} < DATE '{LAST_DAY}' + 1"
        return f"CASE WHEN {inside} THEN CAST({column} AS DATE) END"


class SparkDialect(Dialect):
    """Spark's."""

    sqlglot: ClassVar[str] = "spark"
    string: ClassVar[str] = "STRING"

    def hashed(self, parts: Sequence[str], salt: int) -> str:
        """By its own function."""
        return f"xxhash64({', '.join(parts)}, {salt}L)"

    def total(self, figure: str) -> str:
        """In decimals: its sums of whole numbers have 64 bits, too."""
        return f"sum(CAST({figure} AS DECIMAL(28, 0)))"

    def divided(self, dividend: str, divisor: str) -> str:
        """By its own operator."""
        return f"({dividend} div {divisor})"

    def text(self, column: str) -> str:
        """Its texts may be bytes that are none, which all look the same when they come here."""
        text = f"try_validate_utf8(CAST({column} AS STRING))"
        return f"CASE WHEN length({text}) <= {LONGEST_TEXT} THEN {text} END"

    def day(self, column: str, kind: Any) -> str:  # noqa: ARG002
        """Its casts of times never fail."""
        return self.known_day(f"CAST({column} AS DATE)")

    def matches(self, text: str, pattern: str) -> str:
        """By its own operator; there are no backslashes in our patterns."""
        return f"({text} RLIKE '{pattern}')"


DIALECTS: dict[str, Dialect] = {"DuckDB": Dialect(), "PostgreSQL": PostgreSqlDialect(), "Spark": SparkDialect()}
"""By the name of the engine."""
