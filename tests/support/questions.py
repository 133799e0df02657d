"""Tables of people with everything that makes them hard, and questions in SQL, for Hypothesis to draw."""

from __future__ import annotations

import functools
from datetime import date
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from cobogo.answer.measure import measure, statements
from cobogo.answer.plan import Exact, QueryPlan, plan
from cobogo.answer.sql.emit import SqlSource
from cobogo.answer.sql.parse import parse
from cobogo.data.engines.engine import Engine, Expression, connect
from cobogo.data.table.read import read
from cobogo.promises.curator_file import DeclaredDataset

COLUMNS: dict[str, dict[str, Any]] = {
    "city": {"type": "text", "keys": ["Crato", "Sobral", "d'água"]},
    "job": {"type": "text"},
    "age": {"type": "integer", "bounds": [0, 110]},
    "room": {"type": "integer", "keys": [1, 2, 3]},
    "weight": {"type": "number", "bounds": [-5, 300.5], "decimals": 1},
    "sick": {"type": "boolean"},
    "day": {"type": "date"},
    "home": {"type": "text", "keys": ["north", "south"], "constant": True},
}
SCHEMA = pa.schema(
    {
        "person": pa.string(), "city": pa.string(), "job": pa.string(), "age": pa.int64(), "room": pa.int32(),
        "weight": pa.float64(), "sick": pa.bool_(), "day": pa.date32(), "home": pa.string(),
    }
)  # fmt: skip


def declared(*, unit: bool = True, groups: int = 2, rows: int = 3) -> DeclaredDataset:
    bounds = {"unit": "person", "max-groups": groups, "max-rows": rows} if unit else {}
    columns = COLUMNS if unit else {name: {**c, "constant": False} for name, c in COLUMNS.items()}
    return DeclaredDataset.model_validate({"columns": columns, "budget": {"epsilon": 1}, **bounds})


values = st.fixed_dictionaries(
    {
        "person": st.sampled_from(["p1", "p2", "p3", "p4", None]),
        "city": st.sampled_from(["Crato", "Sobral", "d'água", "crato", "", None, "é\\"]),
        "job": st.sampled_from(["a", "b", "B", "NULL", None]),
        "age": st.sampled_from([-(2**63), -1, 0, 7, 30, 64, 110, 111, 2**63 - 1, None]),
        "room": st.sampled_from([1, 2, 3, 4, -(2**31), None]),
        "weight": st.sampled_from(
            [float("nan"), float("inf"), -float("inf"), -0.0, 1e308, 5e-324, 0.05, 70.25, 300.5, 300.4999, None]
        ),
        "sick": st.sampled_from([True, False, None]),
        "day": st.sampled_from([date(2020, 2, 29), date(1, 1, 1), date(9999, 12, 31), None]),
        "home": st.sampled_from(["north", "south", "west", None]),
    }
)
tables = st.lists(values, max_size=14)

conditions = st.recursive(
    st.sampled_from(
        [
            "age > 20",
            "age BETWEEN 0 AND 64",
            "age <> 7",
            "5 < age",
            "city = 'Crato'",
            "city IN ('Sobral', 'd''água')",
            "weight >= 0.05",
            "weight < -1.5",
            "sick",
            "NOT sick",
            "day >= '2020-01-01'",
            "job IS NULL",
            "job IS NOT NULL",
            "job > 'a'",
            "room IN (1, 2, 9223372036854775807)",
            "home = 'north'",
            "age * 2 - 7 > weight",
            "age / (age - 7) >= 1.05",
            "weight % 3 = 0.2 OR age // 0.5 < 100",
            "year(day) BETWEEN 2000 AND 9998",
            "job LIKE 'B%' OR city LIKE '%^_á' ESCAPE '^'",
            "CASE WHEN sick THEN age ELSE weight END IN (7, 70.3, 1.25)",
            "city ILIKE 'C%' OR job NOT ILIKE 'b' OR LOWER(city) = 'crato'",
            "DATE_TRUNC('month', day) <= DATE '2020-02-01' OR year(DATE_TRUNC('week', day)) = 1",
            "TRUE AND 1 = 1",
            "city <> job OR day = DATE_TRUNC('month', day) OR (age > 20) = sick",
            "sick IS NOT TRUE OR job IS DISTINCT FROM 'a'",
        ]
    ),
    lambda inner: st.builds(lambda a, o, b: f"({a} {o} NOT ({b}))", inner, st.sampled_from(["AND", "OR"]), inner),
    max_leaves=3,
)
AGGREGATES = [
    "COUNT(*)", "COUNT(DISTINCT person)", "COUNT(age)", "COUNT(DISTINCT job)", "COUNT(DISTINCT day)", "SUM(age)",
    "AVG(age / (age - 7))", "SUM(CASE WHEN sick THEN weight * 2 WHEN age > 20 THEN -1 END)", "COUNT(DISTINCT age % 7)",
    "COUNT(DISTINCT DATE_TRUNC('week', day))", "COUNT(DISTINCT LOWER(job))",
    "MEDIAN(round(weight / 3, 1) - age)", "COUNT(*) FILTER (WHERE age > weight)", "VARIANCE(year(day) // 100)",
    "SUM(greatest(least(age, 50), coalesce(weight, 3.25)))", "AVG(nullif(floor(weight), 0) * ceil(0 - weight))",
    "AVG(weight)", "SUM(weight)", "VARIANCE(age)", "STDDEV(weight)", "MEDIAN(age)", "QUANTILE(weight, 0.25)",
]  # fmt: skip


KEYS = [
    "city", "job", "room", "sick", "day", "home", "age // 20", "month(day)", "age > weight",
    "CASE WHEN age < 18 THEN 'young' WHEN sick THEN job ELSE 'old' END",
    "CASE home WHEN 'north' THEN 'N' WHEN 'south' THEN 'S' END", "UPPER(job)", "LOWER(city)",
    "DATE_TRUNC('quarter', day)", "FLOOR(age / 10) * 10", "age % 4 * 5 - year(day) % 3",
]  # fmt: skip


@st.composite
def questions(draw: st.DrawFn, *, unit: bool = True) -> str:
    """A question that is answered."""
    known = [one for one in AGGREGATES if unit or "person" not in one]
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    where = draw(st.none() | conditions)
    text = f"SELECT {', '.join([*keys, *(f'{one} AS x{at}' for at, one in enumerate(chosen))])} FROM people"
    text += f" WHERE {where}" if where else ""
    return text + (f" GROUP BY {', '.join(keys)}" if keys else "")


def arrow(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def asked(text: str, dataset: DeclaredDataset) -> QueryPlan:
    return plan(parse(text, {"people": dataset}), dataset)


@functools.cache
def engine(url: str | None = None) -> Engine:
    """DuckDB or Spark, one for all tests: they take longer to start than to answer."""
    return connect(url)


Loaded = tuple[SqlSource, Expression]
"""Where rows are, and the expression that keeps them there as long as it lives."""

LOADED: dict[str, Loaded] = {}
"""Tables that Spark has already, by their rows: sending them takes as long as a question."""


def found(asked: QueryPlan, rows: list[dict[str, Any]], *, url: str | None = None, salt: int = 7) -> Exact:
    """What reaches the noise for a question about rows."""
    opened = connect(url) if url is not None and url.startswith("postgresql") else engine(url)
    known = LOADED.get(repr(rows)) if opened.name == "Spark" else None
    loaded = known or _load(asked, rows, opened)
    if opened.name == "Spark":
        LOADED[repr(rows)] = loaded
    return measure(asked, statements(asked, loaded[0], opened, salt), opened)


def _load(asked: QueryPlan, rows: list[dict[str, Any]], opened: Engine) -> Loaded:
    table = read(arrow(rows), asked.dataset, opened).expression
    return SqlSource(opened.statement(table), dict(table.schema().items())), table
