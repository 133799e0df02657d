"""What MariaDB has no type for, or writes in its own way: how values are read, stored and written as text there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import Expression, quote
from cobogo.data.engines.server import builtin
from cobogo.errors import DataError
from cobogo.floor.language import tr

TEXT = "longtext"

WHOLE = {
    "tinyint": "int8",
    "smallint": "int16",
    "mediumint": "int32",
    "int": "int32",
    "bigint": "int64",
    "year": "int16",
}
"""The server's types of whole numbers."""

NO_TEXT = ("blob", "binary", "bit", "geometry", "point", "linestring", "polygon", "multi")
"""Parts of the names of types whose values are no text."""

ODD = ("nan", "inf", "-inf", "-0.0")
"""Floats that the server does not have. A column of ours with one of them is stored as text, and read as floats."""


def stored_type(kind: Any) -> str:
    """The server's type for one of Ibis's; text where it has none."""
    if kind.is_boolean():
        return "tinyint(1)"
    if kind.is_integer():
        size = {1: "smallint", 2: "int", 4: "bigint"}.get(kind.nbytes, "bigint unsigned")
        return size if kind.is_unsigned_integer() else "bigint"
    if kind.is_decimal() and kind.precision and kind.precision <= 38 and kind.scale <= 38:
        return f"decimal({kind.precision},{kind.scale})"
    if kind.is_floating():
        return "double"
    if kind.is_date():
        return "date"
    return "datetime(6)" if kind.is_timestamp() and (kind.scale or 0) <= 6 else TEXT


def released_type(kind: Any) -> str:
    """The type of a column in a release: text for truth values and times with a zone, which would be read as others."""
    return TEXT if kind.is_boolean() or (kind.is_timestamp() and kind.timezone) else stored_type(kind)


def copied_column(given: str, kind: str, table: str) -> tuple[str, str, Any]:
    """How a column of a user's table is read, stored in the copy, and what it then stands for."""
    import ibis.expr.datatypes as dt

    column, name, unsigned = quote(given), re.split("[( ]", kind)[0], "unsigned" in kind
    if any(part in name for part in NO_TEXT):
        raise DataError(
            tr('the column "{name}" has a type that this engine cannot write as text: {kind}',
               name=given, kind=name),
            where=table,
            remedy=tr("Make it text, or use DuckDB."),
            code="COBOGO-DATA-TYPE",
        )  # fmt: skip
    if name in WHOLE:
        whole = dt.dtype(f"{'u' if unsigned and name != 'year' else ''}{WHOLE[name]}")
        return column, stored_type(whole), whole
    if name == "decimal":
        decimal = dt.Decimal(*map(int, re.findall("[0-9]+", kind)))
        return (
            (column, stored_type(decimal), decimal)
            if stored_type(decimal) != TEXT
            else (_as_text(column), TEXT, dt.string)
        )
    if name == "double":
        return column, "double", dt.float64
    if name == "float":
        return _shortest(column), "double", dt.float32
    if name == "date":
        return column, "date", dt.date
    if name in ("datetime", "timestamp"):
        return column, "datetime(6)", dt.Timestamp(scale=6, timezone="UTC" if name == "timestamp" else None)
    return _as_text(column), TEXT, dt.string


def _as_text(column: str) -> str:
    return f"CAST({column} AS char CHARACTER SET utf8mb4)"


def _shortest(column: str) -> str:
    """A single-precision float as the double of the fewest digits that read back as it. The server writes six, which
    are enough where they read back."""
    wide = f"CAST({column} AS double)"
    power = f"FLOOR(LOG10(ABS({wide})))"
    rounded = [f"CONCAT(ROUND({wide} / POW(10, {power}), {places}), 'e', {power})" for places in (6, 7, 8)]
    tries = [f"CAST({text} AS double)" for text in (_as_text(column), *rounded)]
    cases = " ".join(f"WHEN CAST({one} AS float) = {column} THEN {one}" for one in tries)
    return f"CASE WHEN {column} = 0 THEN 0 {cases} ELSE {wide} END"


def columns_with_odd_floats(reader: DuckDB, table: Expression, names: Sequence[str]) -> set[str]:
    """The columns with a float that the server does not have: not-a-number, an infinity, a negative zero."""
    if not names:
        return set()
    tests = ", ".join(
        f"coalesce(bool_or(NOT isfinite({quote(name)}) OR ({quote(name)} = 0 AND signbit({quote(name)}))), false)"
        for name in names
    )
    with reader.translate_errors():
        found = reader.rows(f"SELECT {tests} FROM ({reader.statement(table)})")[0]
    return {name for name, odd in zip(names, found, strict=True) if odd}


def sent_column(reader: DuckDB, column: Expression, kind: Any, stored: str) -> Expression:
    """A column of DuckDB's as it is written into the file."""
    if kind.is_boolean():
        return column.cast("int64")
    if stored == TEXT or kind.is_floating():
        return reader.text(column)
    return reader.text(column).replace("+00", "") if kind.is_timestamp() and kind.timezone else column


def sent_field(value: Any) -> str:
    """A value in a file that is sent.

    >>> sent_field(None), sent_field(True), sent_field("NULL"), sent_field('d"água')
    ('NULL', '"1"', '"NULL"', '"d""água"')
    """
    if value is None:
        return "NULL"
    text = str(int(value)) if isinstance(value, bool) else str(value)
    return '"' + text.replace('"', '""') + '"'


def caster(kind: Any) -> Callable[[Any], Any] | None:
    """What makes a value of the driver's one of a type: the server has fewer types."""
    if kind.is_boolean():
        return bool
    if kind.is_integer():
        return int
    return float if kind.is_floating() else None


def replace_pattern(text: Expression, pattern: str, by: str) -> Expression:
    return builtin("regexp_replace", "string", "string", "string")(text, pattern, by)


def float_text(number: Expression) -> Expression:
    """A float in the form that every engine uses, from the server's: its digits are the fewest, its form is not."""
    import ibis

    text, value = number.cast("string"), number + 0.0  # which is a number where the column is stored as text
    odd, size, minus = text.isin(ODD), value.abs(), value < 0
    plain = replace_pattern(text.cast("decimal(65, 30)").cast("string"), "([.][0-9]+?)0*$", r"\1")
    powered = replace_pattern(replace_pattern(text, "e([0-9])", r"e+\1"), "e-([0-9])$", r"e-0\1")
    digits = replace_pattern(text, "^-?0[.]0+", "")
    power = (text.length() - digits.length() - minus.ifelse(2, 1)).cast("string").lpad(2, "0")
    small = minus.ifelse("-", "") + replace_pattern(digits, "^(.)(.+)$", r"\1.\2") + "e-" + power
    fixed = (size >= 1e-4) & (size < 1e16)
    return ibis.cases((odd, text), (value == 0, "0.0"), (fixed, plain), (text.contains("e"), powered), else_=small)
