"""A relation of DuckDB means what the Ibis expression of the same words means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ibis
import pyarrow as pa
import pytest

from cobogo.data.engines.engine import connect
from cobogo.data.engines.relation import Relation

PEOPLE = pa.table(
    {
        "town": pa.array(["Crato", None, "Sobral", "d'água", "Crato", '"Icó"\n']),
        "age": pa.array([30, 41, None, 7, 30, 65], pa.int64()),
        "weight": pa.array([1.5, float("nan"), None, -0.25, 80.0, float("inf")]),
        "ill": pa.array([True, False, None, True, True, False]),
    }
)
TOWNS = pa.table({"place": pa.array(["Crato", None, "Juazeiro"]), "size": pa.array(["large", "none", "larger"])})

Words = Callable[[Any, Any], Any]

SAME: dict[str, Words] = {
    "select": lambda t, _: t.select("town", "age"),
    "select a list": lambda t, _: t.select(["age"]),
    "mutate": lambda t, _: t.mutate(age=t["age"] * 2, older=t["age"] + 1, younger=t["age"] - 1),
    "drop": lambda t, _: t.drop("age", "ill"),
    "rename": lambda t, _: t.rename({"city": "town"}),
    "filter": lambda t, _: t.filter((t["age"] > 7) & ~(t["town"] == "Crato")),
    "filter or": lambda t, _: t.filter((t["age"] >= 65) | t["town"].isnull() | (t["age"] < 8) | (t["age"] != 30)),
    "distinct": lambda t, _: t.select("town", "age").distinct(),
    "order and limit": lambda t, _: t.order_by([t["age"].desc(), "town"]).limit(4),
    "union": lambda t, _: t.select("town", "age").union(t.select("town", "age")),
    "texts": lambda t, _: t.select(
        a="<" + t["town"] + ">",
        b=t["town"].replace("'", "''"),
        c=t["town"].substr(1),
        i=t["town"].reverse(),
        d=t["town"].contains('"'),
        e=t["town"].re_search("^.Icó..$"),
        f=t["town"].isin(["Crato", "d'água"]),
        g=t["town"].fill_null("-"),
        h=t["town"].notnull().ifelse(t["town"], "nowhere"),
    ),
    "numbers": lambda t, _: t.select(
        a=(t["age"] / 4).floor(),
        b=(t["weight"] - 0.5).clip(0, 2),
        c=t["age"].cast("float64").ln(),
        d=t["weight"].isnan() | t["weight"].isinf(),
        e=t["age"].cast("string"),
        f=t["town"].try_cast("float64"),
        g=t["ill"].ifelse(None, t["age"]),
    ),
    "left join": lambda t, o: t.left_join(o, t["town"].identical_to(o["place"])),
    "inner join": lambda t, o: t.inner_join(o, [t["town"] == o["place"], t["age"] > 29]),
    "anti join": lambda t, o: t.anti_join(o, [t["town"].identical_to(o["place"])]),
    "group": lambda t, _: t.group_by("town").aggregate(n=t.count(), most=t["age"].max(), least=t["age"].min()),
    "figures": lambda t, _: t.aggregate(
        n=t.count(),
        known=t["age"].count(),
        some=t["age"].count(where=t["ill"]),
        towns=t["town"].nunique(),
        ill=t["ill"].sum(),
        young=t["age"].sum(where=t["age"] < 31),
        mean=t["age"].mean(),
        spread=t["age"].std(how="pop"),
        middle=t["age"].quantile(0.4),
    ),
    "no figures": lambda t, _: t.aggregate(
        n=t["age"].count(where=t["age"] > 99), sum=t["age"].sum(where=t["age"] > 99)
    ),
    "windows": lambda t, _: t.select("town", n=t.count().over(group_by=[t["town"]])),
}


def rows_of(found: pa.Table) -> list[str]:
    return sorted(repr([_plain(value) for value in row.values()]) for row in found.to_pylist())


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else float(value)


@pytest.mark.parametrize("words", SAME)
def test_a_relation_is_what_ibis_would_make_of_the_same_words(words: str) -> None:
    engine = connect()
    ours = SAME[words](engine.lookup(PEOPLE), engine.lookup(TOWNS))
    theirs = SAME[words](ibis.memtable(PEOPLE), ibis.memtable(TOWNS))
    assert ours.columns == tuple(theirs.columns)
    assert rows_of(engine.fetch(ours)) == rows_of(theirs.to_pyarrow())


def test_rows_are_numbered_within_their_group_in_its_order() -> None:
    engine = connect()
    people = engine.lookup(PEOPLE)
    turn = engine.row_number(group_by=people["town"].isnull(), order_by=people["age"])
    found = engine.fetch(people.select("age", turn=turn).order_by("age"))
    assert found["turn"].to_pylist() == [0, 1, 2, 0, 3, 4]


@pytest.mark.parametrize(
    ("kind", "true"),
    [
        ("VARCHAR", {"is_string"}),
        ("ENUM ('a')", {"is_string"}),
        ("JSON", set()),
        ("BOOLEAN", {"is_boolean"}),
        ("UTINYINT", {"is_integer", "is_numeric"}),
        ("UINTEGER", {"is_integer", "is_numeric", "is_uint32"}),
        ("UBIGINT", {"is_integer", "is_numeric", "is_uint64"}),
        ("HUGEINT", {"is_decimal", "is_numeric"}),
        ("DECIMAL(9,2)", {"is_decimal", "is_numeric"}),
        ("FLOAT", {"is_floating", "is_numeric"}),
        ("DOUBLE", {"is_floating", "is_float64", "is_numeric"}),
        ("DATE", {"is_date"}),
        ("TIMESTAMP_MS", {"is_timestamp"}),
        ("TIMESTAMPTZ", {"is_timestamp"}),
        ("UUID", {"is_uuid"}),
        ("BLOB", {"is_binary"}),
        ("INTEGER[]", set()),
    ],
)
def test_a_type_answers_as_that_of_ibis(kind: str, true: set[str]) -> None:
    relation = connect().relation(f"SELECT NULL::{kind} AS it")
    ours, theirs = relation.schema()["it"], relation.to_ibis().schema()["it"]
    asked = [name for name in dir(ours) if name.startswith("is_")]
    assert {name for name in asked if getattr(ours, name)()} == true
    assert {name for name in asked if getattr(theirs, name)()} == true
    for name in ("nbytes", "precision", "scale", "timezone"):
        if hasattr(theirs, name) and (name != "nbytes" or ours.is_integer() or ours.is_floating()):
            assert getattr(ours, name) == getattr(theirs, name), name


def test_what_is_computed_knows_its_type_or_asks() -> None:
    people = connect().lookup(PEOPLE)
    assert str((people["age"] + 1).type()) == "int64"
    assert str(people["ill"].ifelse(people["age"], people["weight"]).type()) == "float64"


def test_a_relation_shows_no_value_and_hands_over_to_ibis_what_it_lacks() -> None:
    people: Relation = connect().lookup(PEOPLE)
    shown = people.filter(people["town"] == "Sobral")
    assert "Sobral" not in f"{shown!r} {shown['town'] == 'Sobral'!r}"
    assert shown.to_pandas()["town"].tolist() == ["Sobral"]
    assert people.head(2).count().execute() == 2
    assert shown["town"].to_pyarrow().to_pylist() == ["Sobral"]


def test_what_is_looked_up_lives_as_long_as_it_is_read() -> None:
    engine = connect()
    names = "SELECT count(*) FROM duckdb_views() WHERE view_name LIKE 'cobogo_lookup%'"
    kept = engine.lookup(TOWNS).select("place")
    kept = kept.union(kept).distinct()
    assert engine.rows(names) == [(1,)]
    assert engine.fetch(kept).num_rows == 3
    whole = engine.batches(engine.relation("SELECT range AS number FROM range(300000)"))
    read = next(whole).num_rows
    del kept  # while others are read, which it must not disturb
    assert read + sum(batch.num_rows for batch in whole) == 300_000
    assert engine.rows(names) == [(0,)]


def test_rows_that_another_statement_cut_off_are_not_taken_for_all() -> None:
    engine = connect()
    rows = engine.relation("SELECT range AS number FROM range(300000)")
    with pytest.raises(RuntimeError, match="before the rows"):
        for _ in engine.batches(rows):
            engine.rows("SELECT 1")
    assert sum(batch.num_rows for batch in engine.batches(rows)) == 300_000
    assert [engine.rows("SELECT 1") for _ in engine.batches(rows.limit(3))] == [[(1,)]]


@pytest.mark.parametrize("name", ["self", "names", "more", "select", "count", "sql", 'a "b"', "Ação"])
def test_a_column_may_have_any_name(name: str) -> None:
    engine = connect()
    rows = engine.lookup(pa.table({name: ["a", "b", "b"]}))
    changed = rows.mutate(**{name: rows[name] + "!"}).select(**{name: rows[name]})
    counted = changed.group_by(name).aggregate(records=changed.count())
    assert sorted(engine.fetch(counted).to_pydict()[name]) == ["a!", "b!"]
    assert engine.fetch(rows.aggregate(**{name: rows[name].max()})).to_pydict() == {name: ["b"]}
