"""The statements that engines are sent, word for word."""

from __future__ import annotations

import ibis
import pytest
import sqlglot

from cobogo.answer.measure import statements
from cobogo.answer.sql.dialects import DIALECTS
from cobogo.answer.sql.emit import SqlSource
from support import questions as q
from support.golden import assert_golden

ASKED = {
    "counts": "SELECT city, COUNT(*) AS n FROM people WHERE age > 20 AND job IS NOT NULL GROUP BY city",
    "sums": "SELECT sick, SUM(age) AS years, AVG(weight) AS mean FROM people GROUP BY sick",
    "people": "SELECT COUNT(DISTINCT person) AS n FROM people",
    "distinct": "SELECT room, COUNT(DISTINCT job) AS jobs FROM people GROUP BY room",
    "derived": "SELECT age // 10 AS decade, SUM(weight * 2 - age) AS x FROM people WHERE job LIKE 'a%' GROUP BY 1",
    "quantile": "SELECT home, QUANTILE(weight, 0.25) AS low FROM people GROUP BY home",
}
LANGUAGES = {"DuckDB": "duckdb", "PostgreSQL": "postgres", "Spark": "spark"}


class Named:
    """An engine of which only the language is looked at."""

    def __init__(self, language: str) -> None:
        self.language = language


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("engine", DIALECTS)
def test_statements_are_the_golden_ones(engine: str, name: str) -> None:
    plan = q.asked(ASKED[name], q.declared())
    source = SqlSource("SELECT * FROM people", dict(ibis.Schema.from_pyarrow(q.SCHEMA)))
    written = statements(plan, source, Named(engine), salt=5)  # type: ignore[arg-type]
    texts = [sqlglot.transpile(text, read=LANGUAGES[engine], pretty=True)[0] for _, text in written]
    assert_golden(f"sql/{LANGUAGES[engine]}/{name}.sql", ";\n\n".join(texts) + "\n")
