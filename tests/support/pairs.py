"""Two tables about the same people, and questions that combine them."""

from __future__ import annotations

import random
from typing import Any

import ibis
import pyarrow as pa

from cobogo.answer.measure import measure, statements
from cobogo.answer.plan import Exact, QueryPlan, plan
from cobogo.answer.sql.combined import SqlSource
from cobogo.answer.sql.dialects import DIALECTS
from cobogo.answer.sql.parse import parse
from cobogo.data.engines.engine import Engine
from cobogo.promises.curator_file import DeclaredDataset

Rows = list[dict[str, Any]]

SCHEMAS = {
    "people": pa.schema({"person": pa.string(), "city": pa.string(), "age": pa.int64(), "home": pa.string()}),
    "visits": pa.schema({"person": pa.string(), "city": pa.string(), "cost": pa.float64(), "ward": pa.string()}),
}
COLUMNS: dict[str, dict[str, dict[str, Any]]] = {
    "people": {
        "city": {"type": "text", "keys": ["Crato", "Sobral"]},
        "age": {"type": "integer", "bounds": [0, 110]},
        "home": {"type": "text", "keys": ["north", "south"], "constant": True},
    },
    "visits": {
        "city": {"type": "text", "keys": ["Crato", "Sobral", "Icó"]},
        "cost": {"type": "number", "bounds": [-10, 100], "decimals": 1},
        "ward": {"type": "text"},
    },
}
VALUES: dict[str, list[Any]] = {
    "person": ["p1", "p2", "p3", None],
    "city": ["Crato", "Sobral", "Icó", "x", None],
    "age": [-5, 0, 7, 30, 110, 2**63 - 1, None],
    "home": ["north", "south", None],
    "cost": [-1e308, -10.0, 0.05, 7.25, 99.9, 1e308, None],
    "ward": ["a", "b", "B", None],
}
TYPES = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE"}

SETS = ["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]
SIDES = [
    ("SELECT city FROM people", "SELECT city FROM visits WHERE cost > 1"),
    (
        "SELECT city, person FROM visits WHERE ward LIKE 'a%' OR cost * 2 < 9.5",
        "SELECT city FROM people WHERE age < 40",
    ),
    ("SELECT * FROM people WHERE age > 6", "SELECT * FROM people WHERE city = 'Crato' OR age // 10 = 3"),
    ("SELECT city, ward AS home FROM visits", "SELECT city, home FROM people"),
]
OF_SETS = [
    "SELECT city, COUNT(*), COUNT(DISTINCT person) FROM ({}) AS t GROUP BY city",
    "SELECT COUNT(*), COUNT(DISTINCT city) FROM ({}) AS t WHERE city <> 'Icó'",
]
TOTALS = (
    "(SELECT person, COUNT(*) AS n, SUM(cost) AS c, MAX(cost) AS m FROM visits WHERE cost < 99 GROUP BY person) AS v"
)
JOINS = [
    "SELECT p.city, COUNT(*), SUM(cost), COUNT(DISTINCT v.city) AS d FROM people p {} visits v USING (person) "
    "GROUP BY p.city",
    "SELECT v.city, SUM(cost * age) AS s, AVG(age) FROM people p {} visits v ON p.person = v.person GROUP BY v.city",
    "SELECT home, ward, COUNT(*), MEDIAN(cost - age) FROM people {} visits USING (person) GROUP BY home, ward",
    "SELECT n, COUNT(*), SUM(c) AS s, AVG(m) FROM people {} " + TOTALS + " USING (person) GROUP BY n",
    "SELECT city, SUM(coalesce(c, 0) - age) AS s FROM people {} " + TOTALS + " USING (person) GROUP BY city",
    "SELECT COUNT(*), COUNT(DISTINCT person) FROM people a {} people b USING (person) WHERE a.age > b.age",
]
MEMBERS = (
    "SELECT city, COUNT(*), SUM(age) FROM people WHERE person {} (SELECT person FROM visits WHERE cost > 1) GROUP BY 1"
)
EXISTING = (
    "SELECT city, COUNT(*), SUM(age) FROM people p WHERE {} (SELECT 1 FROM visits v WHERE v.person = p.person "
    "AND ward ILIKE 'B') AND age > 6 GROUP BY 1"
)
VIEWS = [
    "WITH a AS (SELECT city, age FROM people WHERE home IS NOT NULL), b AS (SELECT age AS years, city FROM a WHERE "
    "age < 40), c AS (SELECT years * 2 AS twice, city FROM b) SELECT city, COUNT(*), SUM(twice) FROM c "
    "GROUP BY 1",
    "WITH a AS (SELECT * FROM people WHERE age > 6), b AS (SELECT ward, cost FROM visits) "
    "SELECT home, SUM(cost * age) AS s, COUNT(*) FROM a, b WHERE cost < 99 AND a.person = b.person GROUP BY home",
    "WITH a AS (SELECT city FROM people), t AS (SELECT city FROM a EXCEPT (SELECT city FROM visits)) "
    "SELECT COUNT(*), COUNT(DISTINCT city) FROM (SELECT LOWER(city) AS city FROM t) AS u",
    "SELECT big, COUNT(*), SUM(cost) FROM (SELECT p.home, v.cost, v.cost > p.age AS big FROM people p "
    "LEFT JOIN visits v USING (person)) AS j WHERE home = 'north' GROUP BY big",
    "SELECT p.city = v.city AS own, COUNT(*), SUM(cost) FROM people p JOIN visits v ON p.person = v.person "
    "AND p.home <> v.ward AND cost < 99 GROUP BY own",
    "SELECT COUNT(*), COUNT(DISTINCT person) FROM (SELECT age FROM people p WHERE NOT EXISTS "
    "(SELECT * FROM people q WHERE p.person = q.person AND q.city = 'Crato')) AS t WHERE age < 40",
]
QUESTIONS = [
    *(MEMBERS.format(how) for how in ("IN", "NOT IN")),
    *(EXISTING.format(how) for how in ("EXISTS", "NOT EXISTS")),
    *VIEWS,
    *(form.format(f"{left} {how} {right}") for how in SETS for left, right in SIDES for form in OF_SETS),
    *(form.format(how) for how in ("JOIN", "LEFT JOIN") for form in JOINS),
]


def declared(groups: int, rows: int, *, unit: bool = True) -> dict[str, DeclaredDataset]:
    bounds = {"unit": "person", "max-groups": groups, "max-rows": rows} if unit else {}
    found = {}
    for name, columns in COLUMNS.items():
        own = columns if unit else {key: {**one, "constant": False} for key, one in columns.items()}
        found[name] = DeclaredDataset.model_validate({"columns": own, "budget": {"epsilon": 1}, **bounds})
    return found


def asked(text: str, datasets: dict[str, DeclaredDataset]) -> QueryPlan:
    query = parse(text, datasets)
    return plan(query, datasets[query.dataset])


def draw(source: random.Random, name: str, most: int = 9) -> Rows:
    columns = SCHEMAS[name].names
    return [{one: source.choice(VALUES[one]) for one in columns} for _ in range(source.randrange(most))]


def without(rows: Rows, who: str) -> Rows:
    return [row for row in rows if row["person"] != who]


def found(asked: QueryPlan, tables: dict[str, Rows], engine: Engine, salt: int = 7) -> Exact:
    """What reaches the noise. The rows are in the statement itself, so that nothing has to be loaded."""
    sources = {name: _source(name, rows, engine) for name, rows in tables.items()}
    first, *others = asked.query.datasets
    whole = SqlSource(sources[first].statement, sources[first].kinds, {name: sources[name] for name in others})
    return measure(asked, statements(asked, whole, engine, salt), engine)


def _source(name: str, rows: Rows, engine: Engine) -> SqlSource:
    schema, dialect = SCHEMAS[name], DIALECTS[engine.language]
    kinds = {"VARCHAR": dialect.string, "DOUBLE": dialect.real}
    written = []
    for row in [*rows, dict.fromkeys(schema.names)]:
        cells = []
        for field in schema:
            kind = TYPES[str(field.type)]
            cells.append(f"CAST({dialect.literal(row[field.name])} AS {kinds.get(kind, kind)}) AS {field.name}")
        written.append(f"SELECT {', '.join(cells)}")
    return SqlSource(" UNION ALL ".join(written), dict(ibis.Schema.from_pyarrow(schema)))
