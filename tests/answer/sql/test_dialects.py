"""One person's value fails nothing: whatever it is, the question about everybody is answered, and alike without it.

A failure after the debit is an answer, free of noise. So every value that an engine's type can hold, and no declared
type can, counts as missing or as the nearest bound in the statement itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import ibis.expr.datatypes as dt
import psycopg
import pyarrow as pa
import pytest

from cobogo.answer.curator import RegisteredDataset
from cobogo.answer.measure import add_noise, build_answer, measure, statements
from cobogo.answer.noise import choose_noise
from cobogo.answer.plan import Exact, QueryPlan, plan
from cobogo.answer.sql.emit import SqlSource
from cobogo.answer.sql.parse import parse
from cobogo.data.engines.engine import Engine, connect
from cobogo.errors import DataError
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.ledger.balance import Balance, Units
from support import questions as q
from support.bounds import within

pytestmark = pytest.mark.slow

INTEGER = {"type": "integer", "bounds": [0, 110]}
NUMBER = {"type": "number", "bounds": [-5, 300.5], "decimals": 1}
PARTED = {"type": "number", "edges": [0, 0.5, 100]}
TEXT = {"type": "text"}
NAMED = {"type": "text", "keys": ["Crato", "Sobral"]}
DAY = {"type": "date"}
HOLIDAY = {"type": "date", "keys": [date(9999, 12, 31), date(2020, 2, 29)]}

NUMERALS = [
    "7", "7.0", "-7.",
    "'7", "+7", "-7.5", "1e400", "1e-400", "NaN", "inf", "0x10", " 12", "12 ", "12\n", "١٢", "--1", ".", "1,5",
    "9" * 18, "9" * 19, "9" * 299, "9" * 310, "0." + "0" * 290 + "1", "0." + "0" * 400 + "1",
    "9" * 20_000, "\u0301", "",
]  # fmt: skip
DAYS = ["2020-02-29", "2019-02-29", "0000-00-00", "0000-01-01", "9999-12-31", "9999-99-99", "10000-01-01", "infinity"]
FLOATS = ["nan", "inf", "-inf", "-0.0", "1e308", "-1e308", "5e-324", "9.3e18", "-9.3e18", "9223372036854775807", "7"]
WHOLES = ["0", "18446744073709551615", "9223372036854775807", "9223372036854775808"]
LONG = "9" * 600 + "." + "9" * 390
TINY = "0." + "0" * 390 + "1"


@dataclass(frozen=True)
class Case:
    """A column as it was declared, the engine's kind and type of it, and values that such a column can hold."""

    declared: dict[str, Any]
    kind: dt.DataType
    type: str
    values: list[str]
    ordinary: str | None = None  # the value of everybody else, where it is none of the usual

    @property
    def name(self) -> str:
        return f"{self.declared['type']} of {self.type}"


def _texts(type: str) -> list[Case]:
    kind = dt.String()
    return [
        Case(INTEGER, kind, type, NUMERALS),
        Case(NUMBER, kind, type, NUMERALS),
        Case(TEXT, kind, type, [*NUMERALS, "x" * 200_000]),
    ]


DUCKDB = [
    *_texts("VARCHAR"),
    Case(DAY, dt.String(), "VARCHAR", DAYS),
    Case(HOLIDAY, dt.Date(), "DATE", [*DAYS[:1], "0000-01-01", "9999-12-31", "infinity", "-infinity",
                                      "5877642-06-25 (BC)", "5881580-07-10"]),
    Case(DAY, dt.Timestamp(scale=6), "TIMESTAMP", ["2020-02-29 23:59:59", "infinity", "-infinity",
                                                   "290309-12-22 (BC)", "294247-01-10 04:00:54",
                                                   "9999-12-31 12:00:00", "0000-01-01"]),
    Case(HOLIDAY, dt.Timestamp(timezone="UTC", scale=6), "TIMESTAMPTZ",
         ["infinity", "-infinity", "0000-01-01 00:00:00+00", "294247-01-10 04:00:54+00"]),
    Case(DAY, dt.Timestamp(scale=9), "TIMESTAMP_NS",
         ["infinity", "-infinity", "2262-04-11", "1678-01-01"], "2020-02-29"),
    Case(NUMBER, dt.Float64(), "DOUBLE", FLOATS),
    Case(INTEGER, dt.Float64(), "DOUBLE", FLOATS),
    Case(PARTED, dt.Float32(), "REAL", ["nan", "inf", "-inf", "3e38", "1e-45"]),
    Case(INTEGER, dt.Float32(), "REAL", ["nan", "inf", "3e38"]),
    Case(NUMBER, dt.Decimal(38, 10), "DECIMAL(38,10)", ["9999999999999999999999999999.9999999999", "-0.0000000001"]),
    Case(INTEGER, dt.Decimal(38, 0), "HUGEINT", [str(2**127 - 1), str(-(2**127)), str(2**63), "7"]),
    Case(INTEGER, dt.UInt64(), "UBIGINT", WHOLES),
    Case(NUMBER, dt.UInt64(), "UBIGINT", WHOLES),
    Case(NAMED, dt.String(), "VARCHAR COLLATE NOCASE", ["Crato", "crato", "CRATO", "sobral", "x" * 200_000]),
    Case(NAMED, dt.String(), "VARCHAR COLLATE NOACCENT", ["Crato", "Cráto"]),
]  # fmt: skip

POSTGRESQL = [
    *_texts("text"),
    Case(HOLIDAY, dt.Date(), "date", ["2020-02-29", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31",
                                      "9999-12-31", "10000-01-01"]),
    Case(DAY, dt.Timestamp(scale=6), "timestamp", ["infinity", "-infinity", "294276-12-31 23:59:59.999999",
                                                   "4713-11-24 00:00:00 BC", "9999-12-31 23:59:59.5"]),
    Case(DAY, dt.Timestamp(timezone="UTC"), "timestamptz", ["infinity", "-infinity", "294276-12-31 23:59:59.999999+00",
                                                            "4714-11-24 00:00:00+00 BC", "0001-01-01 00:00:00+00"]),
    Case(NUMBER, dt.Float64(), "double precision", FLOATS),
    Case(INTEGER, dt.Float64(), "double precision", FLOATS),
    Case(PARTED, dt.Float32(), "real", ["nan", "inf", "-inf", "3e38", "1e-45"]),
    Case(NUMBER, dt.Decimal(1000, 400), "numeric(1000,400)", ["NaN", LONG, "-" + LONG, TINY, "-" + TINY, "7"]),
    Case(INTEGER, dt.Decimal(1000, 400), "numeric(1000,400)", ["NaN", LONG, "-" + LONG, TINY, str(2**63), "7"]),
    Case(NUMBER, dt.String(), "interval", ["1 year", "178000000 years"], "1 day"),
    Case(TEXT, dt.String(), "bytea", ["\\xff00ff", ""], "Crato"),
    Case(TEXT, dt.String(), "integer[]", ["{}", "{1,NULL,3}"], "{1}"),
    Case(TEXT, dt.String(), "jsonb", ["null", '{"a": "\\u00e9"}'], "1"),
    Case(NAMED, dt.String(), "char(20)", ["Crato", "crato"]),
]  # fmt: skip

SPARK = [
    *_texts("STRING"),
    Case(DAY, dt.String(), "STRING", DAYS),
    Case(DAY, dt.Date(), "DATE", ["2020-02-29", "0000-01-01", "-9999-01-01", "+10000-01-01", "9999-12-31"]),
    Case(DAY, dt.Timestamp(), "TIMESTAMP", ["2020-02-29 23:59:59", "-290307-01-01 00:00:00", "+294246-01-01 00:00:00"]),
    Case(INTEGER, dt.Float64(), "DOUBLE", FLOATS),
    Case(NUMBER, dt.Decimal(38, 10), "DECIMAL(38,10)", ["9999999999999999999999999999.9999999999", "-0.0000000001"]),
    Case(INTEGER, dt.Decimal(38, 0), "DECIMAL(38,0)", ["9" * 38, str(2**63), "7"]),
]  # fmt: skip

ORDINARY = {"integer": "30", "number": "30", "text": "Crato", "date": "9999-12-31"}
FORMS = ["COUNT(*)", "COUNT(value)", "COUNT(DISTINCT person)"]
COMPUTED = {
    "text": ["COUNT(DISTINCT LOWER(value))"],
    "date": [f"COUNT(DISTINCT DATE_TRUNC('{span}', value))" for span in ("week", "quarter", "day")],
}
FIGURES = ["SUM(value)", "VARIANCE(value)", "QUANTILE(value, 0.9)"]
WHERE = {"integer": "value > 7", "number": "value < 1.5 OR value > 1e299",
         "text": "value > 'a' OR value ILIKE '%_É9%9%'",
         "date": "value >= '2020-01-01'"}  # fmt: skip


def questions(column: dict[str, Any]) -> Iterator[str]:
    """Everything that is ever measured, in two questions."""
    kind = column["type"]
    forms = (
        FORMS
        + COMPUTED.get(kind, [])
        + (["COUNT(DISTINCT value)"] if kind != "number" else [])
        + (FIGURES if "bounds" in column else [])
    )
    asked = ", ".join(f"{one} AS x{at}" for at, one in enumerate(forms))
    yield f"SELECT {asked} FROM d WHERE NOT ({WHERE[kind]}) OR value IS NULL OR {WHERE[kind]}"
    if kind != "number" or "edges" in column:
        yield "SELECT value, COUNT(*) AS n, COUNT(value) AS m FROM d GROUP BY value ORDER BY value"


def table(case: Case, engine: str) -> str:
    """A statement whose rows are some ordinary people and one for each of the hostile values."""
    quote = (
        (lambda t: t.replace("'", "''"))
        if engine != "Spark"
        else (lambda t: t.replace("\\", "\\\\").replace("'", "\\'"))
    )
    values = [*[case.ordinary or ORDINARY[case.declared["type"]]] * 6, *case.values]
    as_text = case.kind.is_string() and engine == "PostgreSQL"
    cast = "CAST(CAST('{}' AS {}) AS text)" if as_text else "CAST('{}' AS {})"
    plain, _, collation = case.type.partition(" COLLATE ")
    cast += f" COLLATE {collation}" if collation else ""
    rows = [f"SELECT 'p{at}' AS person, {cast.format(quote(v), plain)} AS value" for at, v in enumerate(values)]
    return " UNION ALL ".join(rows)


def kept(statement: str, engine: Engine) -> str:
    """The rows as a table, where engines have them: values in the statement itself would be computed by its planner."""
    if engine.name == "Spark":
        return statement
    execute = engine.session.execute if engine.name == "PostgreSQL" else engine.sql  # type: ignore[attr-defined]
    execute("DROP TABLE IF EXISTS hostile")
    execute(f"CREATE TEMP TABLE hostile AS {statement}")
    return "SELECT * FROM hostile"


def figures(asked: QueryPlan, statement: str, case: Case, engine: Engine) -> Exact:
    source = SqlSource(statement, {"person": dt.String(), "value": case.kind})
    return measure(asked, statements(asked, source, engine, 5), engine)


def holds(case: Case, engine: Engine, *, neighbours: int | None = None) -> None:
    """Every question is answered with all of them, and tells within its sensitivity whether somebody is there."""
    declared = DeclaredDataset.model_validate(
        {"unit": "person", "columns": {"value": case.declared}, "budget": {"epsilon": 1}}
    )
    everybody = kept(table(case, engine.name), engine)
    people = [f"p{at + 6}" for at in range(len(case.values))]
    balance = Balance("d", "ana", "epsilon", Units(1, 1), Units(0, 0))
    for text in questions(case.declared):
        asked = plan(parse(text, {"d": declared}), declared)
        loss = PrivacyLoss("epsilon", Fraction(1), Fraction(0) if asked.public is not None else Fraction(1, 100))
        chosen = choose_noise(asked, loss)
        found = figures(asked, everybody, case, engine)
        build_answer(add_noise(found, chosen), chosen, loss, balance)
        for who in people[:neighbours]:
            without = f"SELECT * FROM ({everybody}) AS z WHERE person <> '{who}'"
            within(found, figures(asked, without, case, engine), asked)


@pytest.mark.parametrize("case", DUCKDB, ids=lambda case: case.name)
def test_no_value_fails_a_question_in_duckdb(case: Case) -> None:
    holds(case, q.engine())


@pytest.mark.parametrize("case", POSTGRESQL, ids=lambda case: case.name)
def test_no_value_fails_a_question_in_postgresql(postgresql: str, case: Case) -> None:
    engine = connect(postgresql)
    for zone in ("UTC", "America/Fortaleza", "Pacific/Kiritimati"):
        engine.rows("SELECT 1")
        engine.session.execute(f"SET TimeZone = '{zone}'")  # type: ignore[attr-defined]
        holds(case, engine, neighbours=None if zone == "UTC" else 1)
        if not case.type.startswith("timestamp"):
            break


@pytest.mark.evidence
def test_no_value_fails_a_question_in_spark(spark: str) -> None:
    """All of them as the columns of one table, and everything measured of them at once: Spark is slow to begin."""
    engine = q.engine(spark)
    rows = max(len(case.values) for case in SPARK)
    padded = [[*case.values, *[None] * (rows - len(case.values))] for case in SPARK]
    texts = pa.table(
        [[f"p{at}" for at in range(rows)], *padded], names=["person", *(f"t{at}" for at in range(len(SPARK)))]
    )
    texts = texts.cast(pa.schema([(name, pa.string()) for name in texts.column_names]))
    view = engine.statement(engine.load_arrow(texts))
    cast = ", ".join(f"CAST(t{at} AS {case.type}) AS v{at}" for at, case in enumerate(SPARK))
    one, other = "CAST(X'61ff' AS STRING)", "CAST(X'61fe' AS STRING)"
    invalid = f"CASE WHEN person = 'p0' THEN {one} WHEN person = 'p1' THEN 'a�' ELSE {other} END"
    source = SqlSource(
        f"SELECT person, {cast}, {invalid} AS bytes FROM ({view}) AS z",
        {"person": dt.String(), "bytes": dt.String(), **{f"v{at}": case.kind for at, case in enumerate(SPARK)}},
    )
    columns = {"bytes": TEXT, **{f"v{at}": case.declared for at, case in enumerate(SPARK)}}
    declared = DeclaredDataset.model_validate({"unit": "person", "columns": columns, "budget": {"epsilon": 1}})
    totals = [f"COUNT({name}) AS n{name}" for name in columns]
    totals += [f"VARIANCE({name}) AS s{name}" for name, one in columns.items() if "bounds" in one]
    totals += [
        f"{form.replace('value', name)} AS c{at}{name}"
        for name, one in columns.items()
        for at, form in enumerate(COMPUTED.get(one["type"], []))
    ]
    keys = [name for name, one in columns.items() if one["type"] in ("text", "date")]
    for text in (
        f"SELECT {', '.join(totals)} FROM d",
        f"SELECT {', '.join(keys)}, COUNT(*) FROM d GROUP BY {', '.join(keys)}",
    ):
        asked = plan(parse(text, {"d": declared}), declared)
        found = measure(asked, statements(asked, source, engine, 5), engine)
        assert all(found.values())
    told = [group[keys.index("bytes")] for figure in found.values() for group in figure]
    assert [one for one in told if one is not None] == ["a�"]  # texts that are none would all look the same here


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_any_unit_are_days(unit: str) -> None:
    """Times in seconds and milliseconds reach farther than any that the engine can write."""
    ends = [2**63 - 1, -(2**63) + 1, 2**62, 0, None]
    rows = pa.table({"value": pa.array(ends, pa.timestamp(unit))})
    declared = DeclaredDataset.model_validate({"columns": {"value": DAY}, "budget": {"epsilon": 1}})
    asked = plan(parse("SELECT value, COUNT(*) FROM d GROUP BY value", {"d": declared}), declared)
    (found,) = RegisteredDataset(declared, rows, None).measure(asked).values()
    assert found[date(1970, 1, 1),] == 1
    assert sum(found.values()) == len(ends)


def test_days_without_end_are_not_the_last_day() -> None:
    """DuckDB shows both as the same day: one person without end would stand for everybody of that day."""
    declared = DeclaredDataset.model_validate({"unit": "person", "columns": {"value": DAY}, "budget": {"epsilon": 1}})
    asked = plan(parse("SELECT value, COUNT(*) FROM d GROUP BY value", {"d": declared}), declared)
    case = Case(DAY, dt.Date(), "DATE", ["infinity"])
    (found,) = figures(asked, table(case, "DuckDB"), case, q.engine()).values()
    assert found == {(date(9999, 12, 31),): 6, (None,): 1}


def test_whole_numbers_are_found_where_a_frame_made_floats_of_them() -> None:
    """pandas writes whole numbers as floats as soon as one is missing: whether one is must not decide anything."""
    import pandas as pd

    declared = DeclaredDataset.model_validate({"columns": {"age": INTEGER}, "budget": {"epsilon": 1}})
    asked = plan(parse("SELECT COUNT(age), SUM(age) FROM d", {"d": declared}), declared)
    for ages in ([30, 40, 2], [30, 40, None], [30.0, 40.0, 2.5], ["30.0", "40.", "2"], ["30", "40.0", "2.5"]):
        found = RegisteredDataset(declared, pd.DataFrame({"age": ages}), None).measure(asked)
        assert [figure[()] for figure in found.values()] == ([3, 72] if ages[2] in (2, "2") else [2, 70])


def test_a_database_whose_texts_may_be_none_is_refused(postgresql: str) -> None:
    with psycopg.connect(postgresql, autocommit=True) as session:
        session.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = postgresql.replace("/postgres?", "/bytes?")
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("CREATE TABLE t (name text)")
    declared = DeclaredDataset.model_validate({"columns": {"name": TEXT}, "budget": {"epsilon": 1}, "table": "t"})
    asked = plan(parse("SELECT COUNT(*) FROM d", {"d": declared}), declared)
    with pytest.raises(DataError, match="encoding of the database is SQL_ASCII"):
        RegisteredDataset(declared, None, url).measure(asked)
