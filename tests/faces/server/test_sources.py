"""Databases as sources: a steward takes a table by its name, and never sees where it is."""

from __future__ import annotations

import duckdb
import psycopg
import pytest

from cobogo.errors import InputError
from cobogo.faces.server.settings import ServerSettings

pytestmark = pytest.mark.slow

SECRET = "a-password-of-the-house"


@pytest.fixture
def clinic(tmp_path) -> str:
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as database:
        database.execute(
            "CREATE TABLE people AS SELECT 'p' || i AS name, i % 5 AS age, i / 4 AS dose FROM range(20) t(i)"
        )
        database.execute("CREATE SCHEMA old; CREATE TABLE old.people AS SELECT 1 AS a; CREATE TABLE empty (a text)")
    return f"duckdb:///{tmp_path}/clinic.duckdb"


def _given(served, **sources) -> None:
    named = ServerSettings.from_content({"sources": sources}).sources
    served.context.settings = served.context.settings.model_copy(update={"sources": named})


def _taken(served, who="steward", **wanted):
    return served(who, "POST", "/datasets/from-source", json=wanted)


def test_a_table_of_a_database_becomes_a_data_set(served, clinic) -> None:
    _given(served, clinic={"url": clinic, "stewards": [f"steward-{served.test}"]})
    assert served("steward", "GET", "/sources").json() == ["clinic"]
    assert served("steward", "GET", "/sources/clinic/tables").json() == ["empty", "old.people", "people"]
    made = _taken(served, source="clinic", table="people")
    assert made.status_code == 201, made.text
    assert (made.json()["name"], made.json()["columns"], made.json()["rows"]) == ("people", ["name", "age", "dose"], 20)
    rows = served("steward", "GET", f"/datasets/{made.json()['id']}/rows").json()["rows"]
    assert sorted(rows)[3] == ["p11", "1", "2.75"]
    suggested = served("steward", "GET", f"/datasets/{made.json()['id']}/suggestion")
    assert suggested.status_code == 200, suggested.text
    lines = served("auditor", "GET", "/log?limit=10000").json()
    assert "clinic people" in [line["object"] for line in lines if line["owner"] == f"steward-{served.test}"]


def test_a_source_is_for_those_it_names_and_its_tables_only(served, clinic) -> None:
    _given(served, clinic={"url": clinic, "stewards": [f"steward-{served.test}"], "tables": ["people"]})
    before = served.datasets
    assert served("other", "GET", "/sources").json() == []
    answers = [served("other", "GET", f"/sources/{name}/tables") for name in ("clinic", "none")]
    answers += [_taken(served, "other", source=name, table="people") for name in ("clinic", "none")]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert served("steward", "GET", "/sources/clinic/tables").json() == ["people"]
    for table in ("old.people", "nothing", 'people"; DROP TABLE people --', "../people"):
        assert _taken(served, source="clinic", table=table).status_code == 400
    assert served.datasets == before
    _given(served, clinic={"url": clinic, "stewards": ["*"]})
    assert _taken(served, "other", source="clinic", table="old.people").status_code == 201
    assert _taken(served, source="clinic", table="empty").status_code == 400
    assert _taken(served, source="clinic", table='people"; DROP TABLE people --').status_code == 400


def test_a_source_that_is_away_tells_nobody_where_it_is(served, tmp_path) -> None:
    away = f"postgresql://login:{SECRET}@127.0.0.1:9/hidden"
    _given(served, **{name: {"url": url, "stewards": ["*"]} for name, url in [("far", away), ("gone", "duckdb:///no")]})
    for answer in (
        served("steward", "GET", "/sources/far/tables"),
        _taken(served, source="far", table="people"),
        _taken(served, source="gone", table="people"),
    ):
        assert answer.status_code == 503
        assert not any(word in answer.text for word in (SECRET, "login", "hidden", "127.0.0.1", ".duckdb"))


def test_a_table_larger_than_may_be_leaves_nothing(served, clinic) -> None:
    _given(served, clinic={"url": clinic, "stewards": ["*"]})
    with duckdb.connect(clinic.removeprefix("duckdb:///")) as database:
        database.execute("CREATE TABLE big AS SELECT repeat('x', 100) AS a FROM range(30000)")
    limits = served.context.settings.limits.model_copy(update={"unpacked_megabytes": 1})
    served.context.settings = served.context.settings.model_copy(update={"limits": limits})
    before = served.datasets
    assert _taken(served, source="clinic", table="big").status_code == 413
    assert served.datasets == before
    assert served("steward", "GET", "/datasets").json() == []


def test_postgresql_offers_what_its_login_may_read(served, postgresql) -> None:
    with psycopg.connect(postgresql, autocommit=True) as session:
        session.execute("CREATE SCHEMA sourced")
        session.execute(
            "CREATE TABLE sourced.people AS SELECT 'p' || i AS name, i / 4.0 AS dose FROM generate_series(1, 9) t(i)"
        )
        session.execute("CREATE TABLE sourced.secret AS SELECT 1 AS a")
        session.execute(
            "CREATE ROLE sourcing LOGIN; GRANT USAGE ON SCHEMA sourced TO sourcing; "
            "GRANT SELECT ON sourced.people TO sourcing"
        )
    try:
        _given(served, db={"url": postgresql.replace("cobogo@", "sourcing@"), "stewards": ["*"]})
        offered = served("steward", "GET", "/sources/db/tables").json()
        assert "sourced.people" in offered
        assert "sourced.secret" not in offered
        made = _taken(served, source="db", table="sourced.people", name="mine")
        assert made.status_code == 201, made.text
        assert (made.json()["name"], made.json()["rows"]) == ("mine", 9)
        assert _taken(served, source="db", table="sourced.secret").status_code == 400
    finally:
        with psycopg.connect(postgresql, autocommit=True) as session:
            session.execute("DROP SCHEMA sourced CASCADE; DROP OWNED BY sourcing; DROP ROLE sourcing")


def test_settings_name_who_may_use_a_source(tmp_path) -> None:
    with pytest.raises(InputError, match="stewards"):
        ServerSettings.from_content({"sources": {"db": {"url": "duckdb:///x"}}})
    found = ServerSettings.from_content(
        {"sources": {"db": {"url": "duckdb:///x.duckdb", "stewards": ["a"]}}}, home=tmp_path
    )
    assert found.sources["db"].url == f"duckdb:///{tmp_path}/x.duckdb"
