"""What the engines' languages write differently. Nothing written here can fail on any value of the data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlglot import exp

from cobogo.dp.metadata import Column, Value
from cobogo.errors import DataError

SEPARATOR = "chr(31)"
WHOLE = "^[+-]?[0-9]{1,18}$"
DECIMAL = "^[+-]?[0-9]{1,18}([.][0-9]{1,18})?$"
DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


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

    def unit(self, name: str, kind: Any) -> str:
        """What tells people apart. As text, where it is text: an engine's codes of texts depend on who else is there,
        and what is kept of a person must not."""
        column = self.name(name)
        return column if kind.is_integer() else f"CAST({column} AS {self.string})"

    def typed(self, name: str, declared: Column, kind: Any, decimal: str) -> str:
        """A column of the data as what it was declared to be; NULL where a value is none."""
        column = self.name(name)
        text = f"CAST({column} AS {self.string})"
        match declared.type:
            case "text" if kind.is_string() or kind.is_integer():
                return text
            case "boolean" if kind.is_boolean():
                return column
            case "date" if kind.is_date() or kind.is_timestamp():
                return f"CAST({column} AS DATE)"
            case "date" if kind.is_string() and self.sqlglot != "postgres":
                return f"CASE WHEN {self.matches(text, DAY)} THEN {self.tried(text, 'DATE')} END"
            case "integer" if kind.is_integer() and not kind.is_uint64():
                return f"CAST({column} AS {self.whole})"
            case "integer" if kind.is_string():
                return f"CASE WHEN {self.matches(text, WHOLE)} THEN {self.tried(text, self.whole)} END"
            case "number" if kind.is_numeric() and not kind.is_boolean():
                number = f"CAST({column} AS {self.real})"
                return f"CASE WHEN NOT {self.is_nan(number)} THEN {number} END" if kind.is_floating() else number
            case "number" if kind.is_string():
                point = f"replace({text}, ',', '.')" if decimal == "," else text
                return f"CASE WHEN {self.matches(point, DECIMAL)} THEN {self.tried(point, self.real)} END"
        raise DataError(
            f'the column "{name}" holds {kind} and was declared {declared.type}',
            where="columns",
            remedy="Declare it as what it is, or as text.",
        )


class PostgreSQL(Dialect):
    """PostgreSQL's."""

    sqlglot: ClassVar[str] = "postgres"
    real: ClassVar[str] = "double precision"
    string: ClassVar[str] = "text"

    def hashed(self, parts: Sequence[str], salt: int) -> str:
        """Of the parts as one text."""
        joined = ", ".join(f"CAST({part} AS text)" for part in parts)
        return f"hashtextextended(concat_ws({SEPARATOR}, {joined}), {salt})"

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

    def unit(self, name: str, kind: Any) -> str:
        """With the order of bytes."""
        found = super().unit(name, kind)
        return found if kind.is_integer() else f'{found} COLLATE "C"'

    def typed(self, name: str, declared: Column, kind: Any, decimal: str) -> str:
        """With the order of bytes."""
        found = super().typed(name, declared, kind, decimal)
        return f'{found} COLLATE "C"' if declared.type == "text" else found


class Spark(Dialect):
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

    def matches(self, text: str, pattern: str) -> str:
        """By its own operator; there are no backslashes in our patterns."""
        return f"({text} RLIKE '{pattern}')"


DIALECTS: dict[str, Dialect] = {"DuckDB": Dialect(), "PostgreSQL": PostgreSQL(), "Spark": Spark()}
"""By the name of the engine."""
