"""What engines write differently in SQL. No expression here fails on any value of the data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlglot import exp

from cobogo.answer.query import Pattern, write_regex
from cobogo.errors import DataError
from cobogo.floor.language import tr
from cobogo.promises.declared_columns import DeclaredColumn, Value

WHOLE = "^[+-]?[0-9]{1,18}([.]0*)?$"
DECIMAL = "^[+-]?[0-9]+([.][0-9]+)?$"
DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

LONGEST_NUMERAL = 300
"""Characters of a text that is read as a number: such a number is neither too large nor too small for a float."""

LONGEST_TEXT = 10_000
"""Characters of a text that counts. Every engine can sort, hash and send such a text."""

FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
"""The days that Python's calendar has: other days, and infinite ones, cannot be the name of a group."""


class Dialect:
    """DuckDB's dialect, and what the others share with it."""

    sqlglot: ClassVar[str] = "duckdb"
    whole: ClassVar[str] = "BIGINT"
    real: ClassVar[str] = "DOUBLE"
    string: ClassVar[str] = "VARCHAR"

    def name(self, name: str) -> str:
        """Quote the name of a column."""
        return exp.to_identifier(name, quoted=True).sql(dialect=self.sqlglot)

    def literal(self, value: Value | Decimal | float | None) -> str:
        """A value as a literal."""
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

    def salted_hash(self, parts: Sequence[str], salt: int) -> str:
        """A number that looks random and depends only on the parts and the salt."""
        return f"hash({', '.join(parts)}, {salt})"

    def one_of(self, value: str, values: Sequence[Value | Decimal]) -> str:
        """Whether a value is among others. DuckDB looks it up in a table, where it would go through a list; the table
        is one text, since each literal of a statement takes longer to parse than a thousand rows to count. The other
        engines make a table of a list themselves, and Spark takes NULL for false in a table under NOT and OR."""
        if self.sqlglot != "duckdb":
            return f"{value} IN ({', '.join(map(self.literal, values))})"
        texts = self.literal(json.dumps([str(one) for one in values], ensure_ascii=False))
        return f"{value} IN (SELECT CAST(unnest(from_json({texts}, '[\"VARCHAR\"]')) AS {self.type_of(values)}))"

    def type_of(self, values: Sequence[Value | Decimal]) -> str:
        """The engine's type of values that were declared or written in a question; of numbers, the wider one."""
        kinds = {type(value) for value in values}
        known = {bool: "BOOLEAN", date: "DATE", str: self.string, int: self.whole}
        return known.get(kinds.pop(), self.real) if len(kinds) == 1 else self.real

    def total(self, figure: str) -> str:
        """The sum of whole numbers of 64 bits, which must not overflow: DuckDB's has 128 bits, PostgreSQL's any
        number."""
        return f"sum({figure})"

    def divide(self, dividend: str, divisor: str) -> str:
        """The quotient of whole numbers, without the rest."""
        return f"({dividend} // {divisor})"

    def is_nan(self, number: str) -> str:
        """Whether a float is not a number."""
        return f"isnan({number})"

    def matches(self, text: str, pattern: str) -> str:
        """Whether a text has a form."""
        return f"regexp_matches({text}, '{pattern}')"

    def like(self, text: str, pattern: Pattern) -> str:
        """Whether a text fits a pattern, in a time that follows its length: DuckDB's own LIKE tries every place for
        each %, its regular expressions do not."""
        return f"regexp_full_match({text}, {self.literal(write_regex(pattern, atomic=False))})"

    def try_cast(self, text: str, kind: str) -> str:
        """Cast a text that has the form of a type; NULL where the cast fails all the same."""
        return f"TRY_CAST({text} AS {kind})"

    def cast_text(self, column: str) -> str:
        """A value as text that is compared byte by byte, whatever the collation of the column: values that a collation
        takes for equal would be one group under the name of the first. NULL where the text is too long."""
        text = f"CAST({column} AS {self.string})"
        return f'CASE WHEN length({text}) <= {LONGEST_TEXT} THEN {text} END COLLATE "binary"'

    def parse_numeral(self, text: str, pattern: str, kind: str) -> str:
        """Read a text as a number or a day; NULL where it has not that form, however long it is. 7.0 is whole: frames
        write all of a column so once one value of it is missing, and whether one is must not decide about others."""
        short = f"length({text}) <= {LONGEST_NUMERAL}"
        formed = self.matches(f"left({text}, {LONGEST_NUMERAL})", pattern)
        read = f"split_part({text}, '.', 1)" if pattern == WHOLE else text
        return f"CASE WHEN {short} AND {formed} THEN {self.try_cast(read, kind)} END"

    def cast_decimal(self, column: str) -> str:
        """A decimal of any size as a float."""
        return f"CAST({column} AS {self.real})"

    def cast_whole(self, column: str) -> str:
        """A number of another type as a whole number of 64 bits; NULL where it is not whole or does not fit. That it
        fits is checked first: Spark's floor fails on larger ones."""
        real, ends = f"CAST({column} AS {self.real})", [self.literal(Decimal(end)) for end in (-(2**63), 2**63)]
        inside = f"{real} >= {ends[0]} AND {real} < {ends[1]}"
        whole = f"CASE WHEN {real} = floor({real}) THEN {self.try_cast(column, self.whole)} END"
        return f"CASE WHEN {inside} THEN {whole} END"

    def cast_day(self, column: str, kind: Any) -> str:
        """The day of a date or a time; NULL where Python's calendar does not have it. Times are compared in their own
        unit first: those of coarser units reach farther than any cast of the engine."""
        if kind.is_date():
            return self.known_day(column)
        coarse = {0: "TIMESTAMP_S", 3: "TIMESTAMP_MS"}.get(kind.scale, "TIMESTAMP")
        own = "TIMESTAMPTZ" if kind.timezone else coarse
        time = f"CAST({column} AS TIMESTAMP)" if kind.scale == 9 else column
        first, last = (f"CAST('{day}' AS {own})" for day in (FIRST_DAY, f"{LAST_DAY} 23:59:59"))
        shown = time if kind.timezone else f"CAST({time} AS TIMESTAMP)"
        return f"CASE WHEN {time} >= {first} AND {time} <= {last} THEN CAST({shown} AS DATE) END"

    def known_day(self, day: str) -> str:
        """A day that Python's calendar has; NULL otherwise."""
        return f"CASE WHEN {day} BETWEEN DATE '{FIRST_DAY}' AND DATE '{LAST_DAY}' THEN {day} END"

    def truncate_day(self, day: str, part: str) -> str:
        """The first day of the year, quarter, month or week of a day."""
        return day if part == "day" else f"CAST(date_trunc('{part}', CAST({day} AS TIMESTAMP)) AS DATE)"

    def cast_unit(self, name: str, kind: Any) -> str:
        """The column that tells people apart, as text where it is text: an engine's codes of texts depend on the other
        people, and what is kept of a person must not."""
        column = self.name(name)
        if kind.is_integer():
            return column
        if kind.is_floating():
            return f"CASE WHEN NOT {self.is_nan(column)} THEN CAST({column} AS {self.string}) END"
        if kind.is_string() or kind.is_decimal() or kind.is_date() or kind.is_uuid() or kind.is_binary():
            return self.cast_text(column)
        raise DataError(
            tr('the unit "{name}" has the type {kind}, which cannot tell people apart', name=name, kind=str(kind)),
            where="unit",
            remedy=tr("Name a column of texts or whole numbers as the unit."),
        )

    def cast_column(self, name: str, declared: DeclaredColumn, kind: Any, decimal: str) -> str:
        """A column of the data as its declared type; NULL where a value is not of it."""
        column = self.name(name)
        text = f"CAST({column} AS {self.string})"
        replaced = f"replace({text}, ',', '.')" if decimal == "," else text
        match declared.type:
            case "text" if kind.is_string() or kind.is_integer():
                return self.cast_text(column)
            case "boolean" if kind.is_boolean():
                return column
            case "date" if kind.is_date() or kind.is_timestamp():
                return self.cast_day(column, kind)
            case "date" if kind.is_string() and self.sqlglot != "postgres":
                return self.known_day(self.parse_numeral(text, DAY, "DATE"))
            case "integer" if kind.is_integer() and not kind.is_uint64():
                return f"CAST({column} AS {self.whole})"
            case "integer" if kind.is_numeric() and not kind.is_boolean():
                return self.cast_whole(column)
            case "integer" if kind.is_string():
                return self.parse_numeral(replaced, WHOLE, self.whole)
            case "number" if kind.is_floating():
                return f"CASE WHEN NOT {self.is_nan(column)} THEN CAST({column} AS {self.real}) END"
            case "number" if kind.is_decimal():
                return self.cast_decimal(column)
            case "number" if kind.is_integer():
                return f"CAST({column} AS {self.real})"
            case "number" if kind.is_string():
                return self.parse_numeral(replaced, DECIMAL, self.real)
        raise DataError(
            tr(
                'the column "{name}" has the type {kind} and is declared as {type}',
                name=name,
                kind=str(kind),
                type=declared.type,
            ),
            where="columns",
            remedy=tr("Declare the type that it has, or text."),
        )


class PostgreSqlDialect(Dialect):
    """PostgreSQL's dialect."""

    sqlglot: ClassVar[str] = "postgres"
    real: ClassVar[str] = "double precision"
    string: ClassVar[str] = "text"

    def salted_hash(self, parts: Sequence[str], salt: int) -> str:
        """Each part is hashed with the hash of those before it as its salt: joined parts could be too long for a
        text."""
        found = str(salt)
        for part in parts:
            found = f"hashtextextended(coalesce(CAST({part} AS text), ''), {found})"
        return found

    def divide(self, dividend: str, divisor: str) -> str:
        """Its sums are of type numeric, which div takes."""
        return f"div({dividend}, {divisor})"

    def is_nan(self, number: str) -> str:
        """Here NaN equals itself."""
        return f"({number} = 'NaN')"

    def matches(self, text: str, pattern: str) -> str:
        """By its operator."""
        return f"({text} ~ '{pattern}')"

    def like(self, text: str, pattern: Pattern) -> str:
        """By its own LIKE, which never tries a place twice."""
        plain = {"^": "^^", "%": "^%", "_": "^_"}
        pieces = (part if wild else "".join(plain.get(one, one) for one in part) for wild, part in pattern)
        return f"({text} LIKE {self.literal(''.join(pieces))} ESCAPE '^')"

    def try_cast(self, text: str, kind: str) -> str:
        """A plain cast, which cannot fail: the form was checked before."""
        return f"CAST({text} AS {kind})"

    def cast_text(self, column: str) -> str:
        """The collation of bytes has another name here."""
        return super().cast_text(column).removesuffix('"binary"') + '"C"'

    def cast_decimal(self, column: str) -> str:
        """Its decimals can be NaN, and so large or so small that a cast fails."""
        most = f"1e{LONGEST_NUMERAL}"
        none = f"WHEN {column} = 'NaN' THEN NULL WHEN abs({column}) < 1e-{LONGEST_NUMERAL} THEN 0"
        ends = f"WHEN {column} > {most} THEN {most} WHEN {column} < -{most} THEN -{most}"
        return f"CASE {none} {ends} ELSE CAST({column} AS {self.real}) END"

    def cast_whole(self, column: str) -> str:
        """Compared as decimals, since its casts fail."""
        inside = f"{column} >= {-(2**63)} AND {column} < {2**63}"
        return f"CASE WHEN {column} = floor({column}) AND {inside} THEN CAST({column} AS {self.whole}) END"

    def cast_day(self, column: str, kind: Any) -> str:  # noqa: ARG002
        """Compared before the cast, which fails on the very last times in some zones."""
        inside = f"{column} >= DATE '{FIRST_DAY}' AND {column} < DATE '{LAST_DAY}' + 1"
        return f"CASE WHEN {inside} THEN CAST({column} AS DATE) END"


class SparkDialect(Dialect):
    """Spark's dialect."""

    sqlglot: ClassVar[str] = "spark"
    string: ClassVar[str] = "STRING"

    def salted_hash(self, parts: Sequence[str], salt: int) -> str:
        """By its own function."""
        return f"xxhash64({', '.join(parts)}, {salt}L)"

    def total(self, figure: str) -> str:
        """In decimals, since its sums of whole numbers have 64 bits only."""
        return f"sum(CAST({figure} AS DECIMAL(28, 0)))"

    def divide(self, dividend: str, divisor: str) -> str:
        """By its own operator."""
        return f"({dividend} div {divisor})"

    def cast_text(self, column: str) -> str:
        """Its texts may be invalid UTF-8, which would all look the same when they arrive here."""
        text = f"try_validate_utf8(CAST({column} AS STRING))"
        return f"CASE WHEN length({text}) <= {LONGEST_TEXT} THEN {text} END"

    def cast_day(self, column: str, kind: Any) -> str:  # noqa: ARG002
        """Its casts of times never fail."""
        return self.known_day(f"CAST({column} AS DATE)")

    def truncate_day(self, day: str, part: str) -> str:
        """By its own function for days: times would be those of a zone."""
        return day if part == "day" else f"trunc({day}, '{part}')"

    def matches(self, text: str, pattern: str) -> str:
        """By its own operator; there are no backslashes in our patterns."""
        return f"({text} RLIKE '{pattern}')"

    def like(self, text: str, pattern: Pattern) -> str:
        """By an expression that never tries a place twice, as its LIKE does."""
        whole = rf"\A{write_regex(pattern, atomic=True)}\z"
        return f"({text} RLIKE {self.literal(whole)})"


DIALECTS: dict[str, Dialect] = {"DuckDB": Dialect(), "PostgreSQL": PostgreSqlDialect(), "Spark": SparkDialect()}
"""By the name of the engine."""


def dialect_of(engine: str) -> Dialect:
    """The dialect of an engine, if it answers questions."""
    if engine not in DIALECTS:
        raise DataError(
            tr("{engine} does not answer questions", engine=engine),
            where="--engine",
            remedy=tr("Use {engines}, or export the table to a file.", engines=", ".join(DIALECTS)),
            code="COBOGO-ENGINE",
        )
    return DIALECTS[engine]
