"""Data sets where they are: files, tables of DuckDB and PostgreSQL; the ledger beside them or in the same server."""

from __future__ import annotations

import random
from pathlib import Path
from uuid import uuid4

import duckdb
import psycopg
import pyarrow as pa
import pytest

from cobogo.answer import Curator
from cobogo.answer.curator import RegisteredDataset
from cobogo.answer.plan import plan
from cobogo.answer.sql.parse import parse
from cobogo.errors import DataError, PolicyError
from cobogo.promises.curator_file import CuratorPolicy, DeclaredDataset

TABLE = """
CREATE TABLE {name} (who bigint, place text, paid numeric(12, 2), rough double precision, free numeric, day timestamp,
                     member boolean)
"""
ROWS = [
    (n % 500, ["Crato", "Sobral"][n % 2], f"{n % 100}.25", [float("nan"), float("inf"), 3.5][n % 3], "7.5",
     "2026-01-31 23:59:59", n % 4 == 0)
    for n in range(2000)
]  # fmt: skip
DECLARED = """
ledger = "{ledger}"
[datasets.{name}]
path = "{url}"
table = "{name}"
unit = "who"
max-groups = 2
max-rows = 10
budget = {{ epsilon = 1000 }}
analysts = {{ ana = {{ epsilon = 1000 }} }}
[datasets.{name}.columns]
place = {{ type = "text", keys = ["Crato", "Sobral"] }}
paid = {{ type = "number", bounds = [0, 100], decimals = 2 }}
rough = {{ type = "number", bounds = [0, 10] }}
free = {{ type = "number", bounds = [0, 10], decimals = 1 }}
day = {{ type = "date", keys = [2026-01-31] }}
member = {{ type = "boolean" }}
"""


def filled(place: str, request: pytest.FixtureRequest, directory: Path) -> tuple[str, str, str]:
    """The URL of a database with a table, the table's name, and a ledger's place."""
    name = f"visits_{uuid4().hex}"
    if place == "duckdb":
        with duckdb.connect(str(directory / "house.duckdb")) as house:
            house.execute(TABLE.format(name=name).replace("free numeric", "free numeric(5, 1)"))
            rows = pa.table(list(zip(*ROWS, strict=True)), names=list("abcdefg"))
            house.register("rows", rows)
            house.execute(f"INSERT INTO {name} SELECT * FROM rows")
        return "duckdb:///house.duckdb", name, "ledger.db"
    url = str(request.getfixturevalue("postgresql"))
    with psycopg.connect(url, autocommit=True) as session, session.cursor() as cursor:
        cursor.execute(TABLE.format(name=name))
        cursor.executemany(f"INSERT INTO {name} VALUES (%s, %s, %s, %s, %s, %s, %s)", ROWS)
    return url, name, url


@pytest.mark.parametrize("place", ["duckdb", "postgresql"])
def test_tables_are_asked_about_where_they_are(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    url, name, ledger = filled(place, request, tmp_path)
    file = tmp_path / "curator.toml"
    file.write_text(
        DECLARED.format(url=url, name=name, ledger=ledger).replace("visits]", f"{name}]").replace("visits.", f"{name}.")
    )
    session = Curator.load(file).session("ana")
    answer = session.sql(
        f"SELECT place, COUNT(*), SUM(paid), SUM(rough), AVG(free), COUNT(DISTINCT who) FROM {name} GROUP BY place",
        epsilon=500,
    )
    assert [row[1] for row in answer.rows] == pytest.approx([1000, 1000], abs=25)
    assert answer.rows[0][2] == pytest.approx(sum(n % 100 + 0.25 for n in range(0, 2000, 2)), abs=1500)
    assert answer.rows[0][3] == pytest.approx(sum([0, 10, 3.5][n % 3] for n in range(0, 2000, 2)), abs=200)
    assert answer.rows[0][4] == pytest.approx(7.5, abs=0.5)
    assert answer.rows[0][5] == pytest.approx(250, abs=5)
    by_day = session.sql(f"SELECT day, member, COUNT(*) FROM {name} GROUP BY day, member", epsilon=400)
    assert [row[2] for row in by_day.rows] == pytest.approx([1500, 500], abs=25)


def test_a_lost_connection_costs_nothing_and_nobody_waits_for_the_curator(postgresql: str, tmp_path: Path) -> None:
    """The server ends every session of the curator's. Between questions it holds no transaction, so that others may
    alter the table, even its types; and a file loaded into such a session is loaded again."""
    name, here = f"lost_{uuid4().hex}", {"budget": {"epsilon": 100}, "columns": {"n": {"type": "integer", "keys": [1]}}}
    with psycopg.connect(postgresql, autocommit=True) as session:
        session.execute(f"CREATE TABLE {name} AS SELECT 1 AS n FROM generate_series(1, 50)")
        curator = Curator(f"{postgresql}&application_name={name}", ledger=tmp_path / "l.db")
        curator.register("there", table=name, **here)
        curator.register("loaded", pa.table({"n": [1] * 50}), **here)
        sessions = f"FROM pg_stat_activity WHERE application_name = '{name}'"
        session.execute("SET lock_timeout = '9s'")
        for dataset in ("there", "loaded"):
            curator.grant(dataset, "ana", epsilon=100)
        for asked in range(1, 4):
            for dataset in ("there", "loaded"):
                question = f"SELECT n, COUNT(*) FROM {dataset} GROUP BY n"
                assert curator.session("ana").sql(question, epsilon=30).rows[0][1] == pytest.approx(50, abs=2)
                assert curator.ledger.balance(dataset).spent.amount == asked * 30 * 10**9
            assert session.execute(f"SELECT DISTINCT state {sessions}").fetchall() == [("idle",)]
            if asked == 1:
                session.execute(f"ALTER TABLE {name} ALTER COLUMN n TYPE text")
                session.execute(f"UPDATE {name} SET n = 'x' WHERE ctid = '(0,1)'")
            else:
                session.execute(f"SELECT pg_terminate_backend(pid) {sessions}").fetchall()
        session.execute(f"DROP TABLE {name}")
    with pytest.raises(DataError, match="cannot be read now; nothing was spent"):
        curator.session("ana").sql("SELECT COUNT(*) FROM there", epsilon=1)
    assert curator.ledger.balance("there").spent.amount == 90 * 10**9


def test_what_is_kept_of_a_person_does_not_depend_on_how_an_engine_codes_texts(tmp_path: Path) -> None:
    """A file so large that its texts are kept as codes: a value less changes every code, and nobody else's groups."""
    source = random.Random(4)
    lines = [f"p{source.randrange(3000)},{source.choice('bcdefgh')},{source.randrange(9)}" for _ in range(60_000)]
    declared = DeclaredDataset.model_validate(
        {
            "unit": "who", "max-groups": 2, "max-rows": 3, "budget": {"epsilon": 1},
            "columns": {"job": {"type": "text"}, "n": {"type": "integer", "bounds": [0, 9]}},
        }
    )  # fmt: skip
    asked = plan(parse("SELECT job, COUNT(*), SUM(n) FROM d GROUP BY job", {"d": declared}), declared)
    found = []
    for more in (["p0000,a,9", "p0000,aa,9", "p0000,zz,9"], []):
        file = tmp_path / f"{len(more)}.csv"
        file.write_text("\n".join(["who,job,n", *more, *lines]) + "\n")
        found.append(RegisteredDataset(declared, file, None).measure(asked, salt=11))
    for measurement in asked.measurements:
        one, other = (figures[measurement] for figures in found)
        changed = [group for group in one.keys() | other.keys() if one.get(group, 0) != other.get(group, 0)]
        assert len(changed) <= 2
        assert set(changed) <= {("a",), ("aa",), ("zz",)}


def test_places_that_will_not_do(tmp_path: Path) -> None:
    column = {"age": {"type": "integer"}}
    nowhere = CuratorPolicy.of({"datasets": {"d": {"columns": column, "budget": {"epsilon": 1}}}}, home=tmp_path)
    with pytest.raises(PolicyError, match="names no data"):
        Curator.load(nowhere)
    absent = {"path": "absent.csv", "columns": column, "budget": {"epsilon": 1}, "analysts": {"ana": {"epsilon": 1}}}
    curator = Curator.load(CuratorPolicy.of({"datasets": {"d": absent}}, home=tmp_path))
    with pytest.raises(DataError, match="cannot be read now") as refusal:
        curator.session("ana").sql("SELECT COUNT(*) FROM d", epsilon=1)
    assert str(tmp_path) not in str(refusal.value)
    with pytest.raises(DataError, match="no such file"):
        curator.check()
    assert curator.ledger.entries("d") == []
