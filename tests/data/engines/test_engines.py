"""The same policy on the same data gives the same release on every engine, byte for byte, up to the order of rows."""

import gc
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo
from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import connect
from cobogo.data.policy import Data
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read, table_in
from cobogo.errors import CobogoError, DataError, OutputError, PolicyError, TableTooLarge
from cobogo.floor.urls import is_url
from cobogo.release.evidence import digest

pytestmark = pytest.mark.slow

AWKWARD = ["a;b", 'say "hi"', "two\nlines", " spaced ", "#7", "d'água", "back\\slash", "\\N", "\\.", "%s", "NULL", "é",
           "e\u0301", "ß", "SS", "Z", "a", "Á", "*", "007", "1e5", "-0", "línea\r", "\t", "NA"]  # fmt: skip
SOURCE = random.Random(7)  # generated data: nothing here is private


def awkward_csv(file: Path, encoding: str) -> None:
    """A table of text with all that makes CSV hard, some of it in every column."""

    def field(value: str) -> str:
        return '"' + value.replace('"', '""') + '"' if any(c in value for c in ';"\n\r') or not value else value

    words = [word for word in AWKWARD if encoding == "utf-8" or word != "e\u0301"]
    lines = ['person;"raça ""cor""";city;note;disease']
    for number in range(400):
        row = [f"P{number}", SOURCE.choice(words[:12]), SOURCE.choice([*words[12:], ""]), SOURCE.choice(words), ""]
        row[4] = SOURCE.choice([*words[:4], ""])
        lines.append(";".join(map(field, row)))
    file.write_bytes(("\n".join(lines) + "\n").encode(encoding))


def typed_table() -> pa.Table:
    """A table with a column of each type."""
    rows = 300
    start = datetime(2020, 2, 28, 23, 59, 59)
    floats = [0.1, 1.0, -0.0, 1e15, 1e16, 123456789012345.6, 1234567890123456.0, 1e-5, 2.5e-7, 1 / 3, float("inf")]
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "age": pa.array([None if n % 50 == 0 else 20 + n % 7 for n in range(rows)], pa.int32()),
            "flag": pa.array([None if n % 31 == 0 else n % 2 == 0 for n in range(rows)]),
            "day": pa.array([date(1999, 12, 30) + timedelta(days=n % 4) for n in range(rows)]),
            "when": pa.array([start + timedelta(milliseconds=250 * (n % 5)) for n in range(rows)], pa.timestamp("us")),
            "there": pa.array(
                [start.replace(tzinfo=UTC) + timedelta(hours=n % 5) for n in range(rows)], pa.timestamp("us", "UTC")
            ),
            "price": pa.array([Decimal(n % 5) / 4 for n in range(rows)], pa.decimal128(10, 2)),
            "real": pa.array([floats[n % len(floats)] for n in range(rows)], pa.float64()),
            "narrow": pa.array(
                [[0.1, 4025499.75, 1e10, 336.984375, 16777216.0][n % 5] for n in range(rows)], pa.float32()
            ),
            "word": pa.array([["", "x", "y", None][n % 4] for n in range(rows)]),
        }
    )


CSV_POLICY: dict[str, Any] = {
    "data": {"path": "data.csv", "separator": ";", "missing": ["", "NA"]},
    "attributes": {
        "person": {"role": "identifier"},
        'raça "cor"': {"role": "quasi-identifier"},
        "city": {"role": "quasi-identifier", "hierarchy": {"mask": "right", "character": "_", "top": True}},
        "note": {"role": "non-sensitive"},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]},
    "recoding": {"suppression-limit": 0.2},
}
PARQUET_POLICY: dict[str, Any] = {
    "data": {"path": "data.parquet"},
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5], "top": True}},
        "flag": {"role": "quasi-identifier"},
        "day": {"role": "quasi-identifier", "hierarchy": {"dates": "%Y-%m-%d", "levels": ["%Y"]}},
        "real": {"role": "quasi-identifier", "hierarchy": {"mask": "right", "character": "_", "top": True}},
        "when": {"role": "sensitive"},
        "there": {"role": "non-sensitive"},
        "price": {"role": "non-sensitive"},
        "narrow": {"role": "sensitive"},
        "word": {"role": "non-sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
    "recoding": {"suppression-limit": 0.1},
}


def with_output(policy: dict[str, Any], **output: str) -> dict[str, Any]:
    return {**policy, "output": output}


def lines(directory: Path) -> list[bytes]:
    """The lines of a released CSV file after the header, sorted; a line end inside a field cuts it on every engine."""
    header, *rest = (directory / "public/release.csv").read_bytes().split(b"\n")
    return [header, *sorted(rest)]


def records(directory: Path) -> list[str]:
    table = pq.read_table(directory / "public/release.parquet")
    return [str(table.schema.remove_metadata()), *sorted(map(repr, table.to_pylist()))]


def released(policy: dict[str, Any], engine: str, out: Path, seen: Callable[[Path], Any]) -> tuple[Any, ...]:
    release = cobogo.anonymize(policy, engine=engine)
    assert release.write(out)
    assert cobogo.verify(out)
    assert cobogo.verify(out / "public")
    return release.levels, release.suppressed, release.metrics, digest(b"", release.problem.table), seen(out)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_text_files(engine_url: str, workplace: Path, encoding: str, suppressed: str) -> None:
    awkward_csv(workplace / "data.csv", encoding)
    policy = with_output(CSV_POLICY, suppressed=suppressed)
    policy["data"] = {**policy["data"], "encoding": encoding}
    expected = released(policy, "duckdb://", workplace / "expected", lines)
    assert expected[1] > 0, "something is suppressed"
    assert released(policy, engine_url, workplace / "found", lines) == expected


def test_files_that_no_engine_reads_or_writes(engine_url: str, workplace: Path) -> None:
    """A text in an encoding of Windows, and a workbook that is made of it."""
    text = "city;n;disease\n" + "".join(f"“Icó” {n % 2};{n % 3};{'ab'[n % 2]}\n" for n in range(24))
    (workplace / "data.csv").write_bytes(text.encode("cp1252"))
    quasi = {"role": "quasi-identifier"}
    policy = {
        "data": {"path": "data.csv"},
        "attributes": {"city": quasi, "n": quasi, "disease": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "output": {"format": "xlsx"},
    }
    for name in ("data.csv", "first/public/release.xlsx"):
        policy["data"] = {"path": name}
        out = workplace / ("first" if name == "data.csv" else "second")
        assert cobogo.anonymize(policy, engine=engine_url).write(out)
        assert cobogo.verify(out)
    released = read(workplace / "second/public/release.xlsx", Data()).expression.to_pyarrow().to_pylist()
    assert sorted(";".join(row.values()) for row in released) == sorted(text.splitlines()[1:])


@pytest.mark.parametrize("algorithm", ["mondrian-relaxed", "anatomy", "slicing"])
def test_records_of_equal_tuples_go_different_ways(engine_url: str, workplace: Path, algorithm: str) -> None:
    awkward_csv(workplace / "data.csv", "utf-8")
    models = CSV_POLICY["privacy"]["models"][algorithm != "mondrian-relaxed" :]
    recoding = {"algorithm": algorithm, "suppression-limit": 0.2}
    policy = {**CSV_POLICY, "privacy": {"models": models}, "recoding": recoding}
    assert cobogo.anonymize(policy, engine=engine_url).write(workplace / "out")
    assert cobogo.verify(workplace / "out")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_typed_columns(engine_url: str, workplace: Path, form: str) -> None:
    pq.write_table(typed_table(), workplace / "data.parquet")
    policy, seen = with_output(PARQUET_POLICY, format=form), lines if form == "csv" else records
    expected = released(policy, "duckdb://", workplace / "expected", seen)
    assert released(policy, engine_url, workplace / "found", seen) == expected


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_a_closed_engine_holds_nothing_on_its_server(server: str, request: pytest.FixtureRequest) -> None:
    engine = connect(request.getfixturevalue(server))
    assert engine.alive()
    engine.close()
    engine.close()  # a second time is no error
    assert not engine.alive()


def test_floats_read_the_same(engine_url: str, workplace: Path) -> None:
    """Random bits, powers of ten and their neighbours: what engines' own texts differ in."""
    import numpy as np

    source = random.Random(11)
    bits = np.frombuffer(source.randbytes(8 * 3000), dtype=np.float64)
    tens = 10.0 ** np.arange(-25, 25)
    even = np.array([source.randrange(2**24, 2**32) for _ in range(3000)], dtype=np.float64)  # ties, when narrow
    few = [5e-324, 1e15 + 0.5, 2.0**81, -(2.0**91), 2.0**807]  # of the last three DuckDB's own text is another number
    wide = np.concatenate([bits[~np.isnan(bits)], tens, -tens, np.nextafter(tens, 0), even, few])
    with np.errstate(over="ignore"):
        table = pa.table({"wide": wide, "narrow": wide.astype(np.float32)})
    expected = {repr(value) for value in wide.tolist()}
    shortest = {repr(float(str(value))) for value in table["narrow"].to_numpy()}
    pq.write_table(table, workplace / "data.parquet")
    counted = frequency_table(read(workplace / "data.parquet", Data(), connect(engine_url)), ["wide", "narrow"], [])
    assert set(counted.values["wide"]) == expected
    assert set(counted.values["narrow"]) == shortest


def database(kind: str, url: str, directory: Path) -> str:
    """A database of an engine that has tables of its own."""
    return f"duckdb:///{directory / 'house.duckdb'}" if kind == "duckdb" else url


def run_sql(url: str, *statements: str) -> list[Any]:
    """Run statements beside Cobogó, with the database's own driver; the rows of the last."""
    if url.startswith("duckdb"):
        import duckdb

        with duckdb.connect(url.removeprefix("duckdb:///")) as session:
            return [session.execute(statement) for statement in statements][-1].fetchall()
    if url.startswith("sqlite"):
        import sqlite3

        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
            return [file.execute(statement) for statement in statements][-1].fetchall()
    if url.startswith("mariadb"):
        engine = connect(url)
        return [engine.rows(one.replace("varchar", "varchar(99)")) for one in statements][-1]
    if not url.startswith("postgresql"):
        catalogue = connect(url).session
        catalogue.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
        plain = [one.replace("double precision", "double").replace("varchar", "string") for one in statements]
        return [tuple(row) for row in [catalogue.sql(one) for one in plain][-1].collect()]
    import psycopg

    with psycopg.connect(url, autocommit=True) as session:
        found = [session.execute(statement) for statement in statements][-1]
        return found.fetchall() if found.description else []


@pytest.fixture(params=["duckdb", "mariadb", "postgresql", "spark", "sqlite"])
def house(request: pytest.FixtureRequest, workplace: Path) -> str:
    """A database, or a catalogue, with a table of people in it."""
    server = "" if request.param == "duckdb" else str(request.getfixturevalue(request.param))
    url = database(request.param, server, workplace)
    rows = ", ".join(
        f"({n}, {20 + n % 3}, '{'ABÁ'[n % 3]}', {'NULL' if n % 9 == 0 else n % 2 + 0.5})" for n in range(90)
    )
    run_sql(
        url,
        "DROP TABLE IF EXISTS people",
        "DROP TABLE IF EXISTS given_away",
        'CREATE TABLE people (id integer, age integer, "Cor da pele" varchar, dose double precision)',
        f"INSERT INTO people VALUES {rows}",
    )
    return url


def house_policy(url: str, **output: str) -> dict[str, Any]:
    return {
        "data": {"path" if is_url(url) else "engine": url, "table": "people"},
        "attributes": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}},
            "Cor da pele": {"role": "quasi-identifier"},
            "dose": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2}]},
        "output": output,
    }


def test_a_table_becomes_a_table(house: str, workplace: Path) -> None:
    policy = house_policy(house, format="table", table="given_away")
    for _ in range(2):  # the second release replaces the first
        assert cobogo.anonymize(policy).write("out")
        assert cobogo.verify("out")
        assert cobogo.verify("out/public", engine=house)
    assert cobogo.anonymize({**policy, "output": {}}).write("file")
    header, *expected = lines(workplace / "file")
    assert header == b"age,Cor da pele,dose"
    found = run_sql(house, 'SELECT age, "Cor da pele", dose FROM given_away')
    assert sorted(",".join("" if cell is None else str(cell) for cell in row).encode() for row in found) == expected[1:]
    text = "".join(file.read_text() for file in (workplace / "out").rglob("*.json"))
    assert "release.csv" not in text
    public = "".join(file.read_text() for file in (workplace / "out/public").iterdir())
    assert house not in public


def test_a_released_table_that_was_changed_does_not_verify(house: str, workplace: Path) -> None:
    assert cobogo.anonymize(house_policy(house, format="table", table="given_away")).write("out")
    update = "UPDATE given_away SET dose = 7 WHERE dose = 0.5"
    run_sql(house, update if is_url(house) else "INSERT INTO given_away SELECT * FROM given_away LIMIT 1")
    assert not cobogo.verify("out/public", engine=house)
    run_sql(house, "DROP TABLE given_away")
    assert not cobogo.verify("out/public", engine=house)


def test_a_table_that_is_not_ours_is_left_alone(house: str, workplace: Path) -> None:
    run_sql(house, "CREATE TABLE given_away (x integer)", "INSERT INTO given_away VALUES (1)")
    with pytest.raises(OutputError, match="did not write"):
        cobogo.anonymize(house_policy(house, format="table", table="given_away"))
    assert run_sql(house, "SELECT x FROM given_away") == [(1,)]


def test_a_release_that_fails_leaves_nothing_in_the_database(
    house: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workplace / "mine").mkdir()
    (workplace / "mine/thesis").write_text("precious")
    before = connect(house).tables()
    release = cobogo.anonymize(house_policy(house, format="table", table="given_away"))
    monkeypatch.setattr("cobogo.release.write.seal", lambda *_: (_ for _ in ()).throw(OSError(28, "No space")))
    with pytest.raises(OutputError):
        release.write("out")
    del release
    assert connect(house).tables() == before
    assert "given_away" not in before


def test_only_databases_take_tables(workplace: Path) -> None:
    awkward_csv(workplace / "data.csv", "utf-8")
    with pytest.raises(PolicyError, match="no database"):
        cobogo.anonymize(with_output(CSV_POLICY, format="table", table="x"), engine="duckdb://")


def test_columns_of_sqlite_have_the_type_that_all_their_values_have(sqlite: str) -> None:
    """A column may hold anything there, whatever its declaration says; and some texts are none."""
    run_sql(
        sqlite,
        "CREATE TABLE people (whole TEXT, mixed INTEGER, number REAL, empty, day DATE)",
        "INSERT INTO people VALUES ('7', 1, 1, NULL, '2020-01-01'), ('x', 'two', 2.5, NULL, 5)",
        "CREATE TABLE odd AS SELECT CAST(x'53e963' AS TEXT) AS a",
        "CREATE TABLE bytes AS SELECT x'00' AS a",
    )
    engine = connect(sqlite)
    table = table_in(engine, "PEOPLE", Data(), "people")
    assert engine.fetch(engine.as_text(table.expression)).to_pylist() == [
        {"whole": "7", "mixed": "1", "number": "1.0", "empty": None, "day": "2020-01-01"},
        {"whole": "x", "mixed": "two", "number": "2.5", "empty": None, "day": "5"},
    ]
    assert engine.tables() == ["bytes", "odd", "people"]
    for name, words in (("odd", "not UTF-8"), ("bytes", "cannot write as text"), ("none", "no such table")):
        with pytest.raises(DataError, match=words) as caught:
            engine.open_table(name)
        assert "S\\xe9c" not in str(caught.value)
    strange = pa.table({"a": [1.5, float("nan")], "b": [date(2020, 1, 1), None], "c": [True, None]})
    into = connect(sqlite, writable=True)
    with into.new_table(into.load_arrow(strange), "given_away"):
        pass
    assert run_sql(sqlite, "SELECT * FROM given_away") == [("1.5", "2020-01-01", "true"), ("nan", None, None)]
    for url, words in (("sqlite:///no/such.db", "no such file"), ("sqlite://", "names no file")):
        with pytest.raises(CobogoError, match=words):
            connect(url)


def test_postgresql_reads_one_state_of_the_table(postgresql: str, workplace: Path) -> None:
    """Rows that others add after the data were counted are not released."""
    run_sql(
        postgresql,
        "DROP TABLE IF EXISTS people",
        "CREATE TABLE people AS SELECT n / 10 AS age FROM generate_series(0, 39) n",
    )
    policy = {
        "data": {"table": "people"},
        "attributes": {"age": {"role": "quasi-identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
    }
    release = cobogo.anonymize(policy, engine=postgresql)
    run_sql(postgresql, "INSERT INTO people VALUES (99)")
    assert release.write("out")
    assert sorted(set(lines(workplace / "out")[2:])) == [b"0", b"1", b"2", b"3"]


def test_types_that_only_the_server_has_are_text(postgresql: str, workplace: Path) -> None:
    run_sql(
        postgresql,
        "DROP TABLE IF EXISTS people",
        "DROP TYPE IF EXISTS size",
        "CREATE TYPE size AS ENUM ('small', 'Small', 'big')",
        "CREATE TABLE people (name size, code char(4), kind uuid, price numeric, many integer[])",
        "INSERT INTO people SELECT unnest(ARRAY['big', 'small', 'Small']::size[]), 'x', "
        "'00000000-0000-0000-0000-000000000001', 1.50, '{1,2}'",
    )
    table = table_in(connect(postgresql), "public.people", Data(), "people")
    counted = frequency_table(table, table.columns, [])
    assert counted.values["name"] == ("Small", "big", "small"), "in the order of bytes"
    assert counted.tuple_labels(1) == ("big", "x", "00000000-0000-0000-0000-000000000001", "1.50", "{1,2}")


def test_nothing_of_the_data_is_in_the_server_s_log_statements(postgresql: str, workplace: Path) -> None:
    """Statements are logged on many servers; what we send to be joined goes as data."""
    awkward_csv(workplace / "data.csv", "utf-8")
    logged = Path(postgresql.partition("host=")[2]) / "log"
    before = logged.stat().st_size  # what other tests sent is in it, too
    assert cobogo.anonymize(CSV_POLICY, engine=postgresql).write("out")
    log = logged.read_bytes()[before:].decode()
    assert "COPY" in log
    assert not [word for word in ("d'água", "back\\slash", "say ", "spaced") if word in log]


def test_a_password_is_kept_nowhere(postgresql: str, workplace: Path) -> None:
    run_sql(
        postgresql, "DROP TABLE IF EXISTS people", "CREATE TABLE people AS SELECT 1 AS age FROM generate_series(1, 9)"
    )
    url = postgresql.replace("cobogo@", "cobogo:hush-hush@") + "&password=hush-hush"
    policy = {
        "data": {"path": url, "table": "people"},
        "attributes": {"age": {"role": "quasi-identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
    }
    assert cobogo.anonymize(policy).write("out")
    for file in (workplace / "out").rglob("*"):
        if file.is_file():
            assert b"hush-hush" not in file.read_bytes(), file


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_parts_globs_and_partitions(engine_url: str, workplace: Path, form: str) -> None:
    """A directory of parts is the table that the parts together are; a partition's key is a column of text."""
    table = pa.table({"a": ["x", "y", "x", "z"], "b": ["1", "2", "3", None]})
    for number in range(2):
        place = workplace / "data" / (f"year=20{number}0" if form == "parquet" else "all")
        place.mkdir(parents=True, exist_ok=True)
        part = table.slice(2 * number, 2)
        if form == "parquet":
            pq.write_table(part, place / "0.parquet")
        else:
            part.to_pandas().to_csv(place / f"{number}.csv", index=False)
        (place / "_SUCCESS").touch()
    names = ["a", "b", "year"] if form == "parquet" else ["a", "b"]
    for path in (workplace / "data", workplace / f"data/*/*.{form}"):
        found = read(path, Data(), connect(engine_url))
        assert list(found.columns) == names
        counted = frequency_table(found, names, [])
        rows = {counted.tuple_labels(n): int(count) for n, count in enumerate(counted.counts)}
        years = [("2000",), ("2000",), ("2010",), ("2010",)] if form == "parquet" else [()] * 4
        expected = {(*row.values(), *year): 1 for row, year in zip(table.to_pylist(), years, strict=True)}
        assert rows == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x;y\nsecret;2;3\n", "3 fields"),
        ("x;y\nsecr\u00e9t;2\n".encode("latin-1"), "UTF-8"),
        ('x;y\nsecret;"o\n', "quote"),
    ],
)
def test_wrong_files_are_told_without_their_values(
    engine_url: str, workplace: Path, content: str | bytes, words: str
) -> None:
    (workplace / "data.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError, match=words) as error:
        read(workplace / "data.csv", Data(separator=";", encoding="utf-8"), connect(engine_url))
    assert "secr" not in str(error.value)


def test_the_order_of_rows_tells_nothing(engine_url: str, workplace: Path) -> None:
    (workplace / "data.csv").write_text("a,b\n" + "".join(f"{n % 2},{n}\n" for n in range(2000)))
    policy = {
        "attributes": {"a": {"role": "quasi-identifier"}, "b": {"role": "non-sensitive", "publish-unique": True}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
    }
    assert cobogo.anonymize(workplace / "data.csv", policy, engine=engine_url).write("out")
    order = [int(line.split(",")[1]) for line in (workplace / "out/public/release.csv").read_text().split()[1:]]
    assert sorted(order) == list(range(2000))
    follows = sum(later == earlier + 1 for earlier, later in pairwise(order))
    assert follows <= 20  # its expectation is 1: by chance more than once in 10^18 runs


def test_an_engine_that_is_not_there() -> None:
    with pytest.raises(PolicyError, match="no engine"):
        connect("oracle://somewhere")
    with pytest.raises(PolicyError, match="cannot connect"):
        connect("postgresql://localhost:1/nothing")


def test_a_table_too_large_to_count_is_rolled_up_in_the_engine(
    engine_url: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is that of a search which had the whole table, and is proven."""
    source = random.Random(1)
    rows = [
        f"{source.randrange(90)},{source.choice('abc')}{source.randrange(30):02},{source.randrange(4)}"
        for _ in range(900)
    ]
    (workplace / "data.csv").write_text("age,zip,disease\n" + "\n".join(rows) + "\n")
    policy: dict[str, Any] = {
        "data": {"path": "data.csv"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30], "top": True}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 2}]},
        "recoding": {"suppression-limit": 0.1},
    }
    kind = type(connect(engine_url))
    monkeypatch.setattr(kind, "most_counts", 700)
    release = cobogo.anonymize(policy, engine=engine_url)
    assert release.solution.optimal
    assert any("more than 700 distinct combinations" in warning for warning in release.warnings)
    assert release.write("rolled")
    assert cobogo.verify("rolled")
    monkeypatch.undo()
    monkeypatch.chdir(workplace)
    assert any(release.problem.lowest)
    whole = cobogo.anonymize(policy, engine="duckdb://")
    assert (release.levels, release.suppressed) == (whole.levels, whole.suppressed)
    assert release.metrics == pytest.approx(whole.metrics)
    assert whole.write("whole")
    assert lines(workplace / "rolled") == lines(workplace / "whole")
    policy["attributes"]["age"]["max-level"] = policy["attributes"]["zip"]["max-level"] = 0
    policy["attributes"]["age"]["min-level"] = policy["attributes"]["zip"]["min-level"] = 0
    monkeypatch.setattr(kind, "most_counts", 700)
    with pytest.raises(TableTooLarge, match="700"):
        cobogo.anonymize(policy, engine=engine_url)


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [
        ("local[2]", "pyspark", "spark"),
        ("mariadb:///x", "MySQLdb", "mariadb"),
        ("postgresql:///x", "psycopg", "postgres"),
    ],
)
def test_an_extra_that_is_not_installed_is_named(
    url: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not there
    with pytest.raises(PolicyError, match=rf"pip install 'cobogo\[{extra}\]'"):
        connect(url)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_run_leaves_all_or_nothing_in_the_database(
    postgresql: str, workplace: Path, ending: signal.Signals
) -> None:
    run_sql(
        postgresql,
        "DROP TABLE IF EXISTS people",
        "DROP TABLE IF EXISTS given_away",
        'CREATE TABLE people AS SELECT n AS id, n % 50 AS age, (n % 7)::text AS "Cor da pele", '
        "n % 5 + 0.5::float8 AS dose FROM generate_series(1, 20000) n",
    )
    (workplace / "policy.json").write_text(json.dumps(house_policy(postgresql, format="table", table="given_away")))
    code = "import json, cobogo; cobogo.anonymize(json.load(open('policy.json'))).write('out')"
    sessions = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    before = set(run_sql(postgresql, sessions))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    while process.poll() is None and not run_sql(postgresql, f"{sessions} AND query LIKE '%cobogo_new%'"):
        time.sleep(0.01)
    process.send_signal(ending)
    process.wait()
    deadline = time.monotonic() + 60
    while set(run_sql(postgresql, sessions)) - before:
        assert time.monotonic() < deadline, "the session outlives its process"
        time.sleep(0.05)
    tables = run_sql(
        postgresql,
        "SELECT relname FROM pg_class WHERE relpersistence = 'p' AND relname SIMILAR TO '(cobogo_new|given_away)%'",
    )
    assert tables in ([], [("given_away",)])
    assert not tables or run_sql(postgresql, "SELECT count(*) FROM given_away") == [(20000,)]


def test_records_never_come_to_spark_s_driver(spark: str, workplace: Path) -> None:
    """The session lets a megabyte through. The release is several times as large: it is written, and not fetched."""
    source = random.Random(5)
    notes = [source.randbytes(30).hex() for _ in range(100_000)]
    pq.write_table(pa.table({"a": [n[0] for n in notes], "note": notes}), workplace / "data.parquet")
    policy = {
        "data": {"path": "data.parquet"},
        "attributes": {"a": {"role": "quasi-identifier"}, "note": {"role": "non-sensitive", "publish-unique": True}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
    }
    release = cobogo.anonymize(policy, engine=spark)
    assert release.write("out")
    assert lines(workplace / "out")[2:] == sorted(f"{n[0]},{n}".encode() for n in notes)
    with pytest.raises(release.table.engine.failures, match="maxResultSize"):
        release.table.engine.fetch(release.rows())


def test_a_copy_on_disk_is_private_and_is_gone_afterwards(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large for memory lies in a directory that only its owner may read, for as long as it is needed."""
    spill = workplace / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    monkeypatch.setattr("cobogo.data.engines.duck.TEXT_IN_MEMORY", 0)
    awkward_csv(workplace / "data.csv", "utf-8")
    release = cobogo.anonymize(CSV_POLICY)
    (private,) = [place for place in spill.iterdir() if (place / "source.duckdb").exists()]
    assert private.stat().st_mode & 0o077 == 0
    assert release.write("out")
    assert cobogo.verify("out")
    (workplace / "data.csv").unlink()
    assert len(release.to_arrow()) == release.plan.records, "the copy does not need the file"
    del release
    gc.collect()
    assert list(spill.iterdir()) == []


NOT_READING = re.compile(r"\s*(CREATE|ALTER|DROP|DESCRIBE|ANALYZE|SET)\b", re.IGNORECASE)


def statements_of_duckdb(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[list[str]]]:
    """What each DuckDB that is opened from now on is asked, by its own log."""
    begin, opened = DuckDB.__init__, []

    def logging(engine: DuckDB, *arguments: Any, **options: Any) -> None:
        begin(engine, *arguments, **options)
        engine.sql("CALL enable_logging('QueryLog')")
        opened.append(engine)

    monkeypatch.setattr(DuckDB, "__init__", logging)
    log = "SELECT message FROM duckdb_logs WHERE type = 'QueryLog'"
    return lambda: [[message for (message,) in engine.rows(log)] for engine in opened]


def statements_of_postgresql(url: str) -> Callable[[], list[str]]:
    log = Path(url.partition("host=")[2]) / "log"
    before = log.stat().st_size
    return lambda: re.split(r"LOG:  (?:statement|execute [^:]*): ", log.read_bytes()[before:].decode())[1:]


def statements_of_spark(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    from pyspark.sql import SparkSession

    ask, asked = SparkSession.sql, []

    def noting(session: Any, statement: str, *arguments: Any, **options: Any) -> Any:
        asked.append(statement)
        return ask(session, statement, *arguments, **options)

    monkeypatch.setattr(SparkSession, "sql", noting)
    return lambda: asked


def reading(statements: list[str], name: str) -> list[str]:
    """The statements that read the rows of a table."""
    return [one for one in statements if name in one and not NOT_READING.match(one) and "LIMIT 0" not in one]


PASSES = 3
"""Over the table: count the combinations, look for identifying columns, write. docs/engines.md lists them."""


def passes_policy(suppressed: str) -> dict[str, Any]:
    quasi = "quasi-identifier"
    role = {"person": "identifier", "city": quasi, 'raça "cor"': quasi, "disease": "sensitive"}
    return {
        "data": {"path": "data.csv", "separator": ";"},
        "attributes": {name: {"role": role.get(name, "non-sensitive")} for name in (*role, "note")},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"suppression-limit": 0.9},
        "output": {"suppressed": suppressed},
    }


@pytest.mark.parametrize(("suppressed", "of_release"), [("drop", 1), ("star-all", 2)])
def test_duckdb_reads_table_and_release_as_often_as_documented(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, suppressed: str, of_release: int
) -> None:
    awkward_csv(workplace / "data.csv", "utf-8")
    asked = statements_of_duckdb(monkeypatch)
    assert cobogo.anonymize(passes_policy(suppressed)).write("out")
    source, release = asked()
    assert len([one for one in source if "read_csv" in one]) == 1
    assert len(reading(source, "cobogo_source")) == PASSES
    assert len(reading(release, "cobogo_source")) == of_release, "a view of the released file"


def test_postgresql_reads_the_table_as_often_as_documented(
    postgresql: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awkward_csv(workplace / "data.csv", "utf-8")
    parsed, asked = statements_of_duckdb(monkeypatch), statements_of_postgresql(postgresql)
    assert cobogo.anonymize(passes_policy("drop"), engine=postgresql).write("out")
    assert len(reading(asked(), "cobogo_source")) == 1 + PASSES, "it is filled once"
    assert [len(reading(found, "cobogo_source")) for found in parsed()] == [1, 1], "the file in, and the release back"


def test_spark_reads_the_table_as_often_as_documented(
    spark: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awkward_csv(workplace / "data.csv", "utf-8")
    asked = statements_of_spark(monkeypatch)
    table = read("data.csv", Data(separator=";"), connect(spark))
    assert cobogo.anonymize(table, passes_policy("drop")).write("out")
    assert len(reading(asked(), table.expression.get_name())) == PASSES


def test_unique_values_of_all_columns_are_counted_at_once(engine_url: str) -> None:
    columns = {"a b": ["x", "y", "y", None], "c0": [1, 2, 3, 3], "Z": [None, None, None, "z"], "none": ["q"] * 4}
    table = read(pa.table(columns), Data(), connect(engine_url))
    assert table.values_that_occur_once(list(columns)) == {"a b": 1, "c0": 2, "Z": 1, "none": 0}
    assert table.values_that_occur_once([]) == {}


def test_a_table_may_have_many_columns(engine_url: str, workplace: Path) -> None:
    names = [f"c{number}" for number in range(200)]
    frame = pa.table({name: ["x", "x", None] for name in names})
    engine = connect(engine_url)
    engine.write_csv(engine.load_arrow(frame), workplace / "wide.csv", separator=",")
    written = (workplace / "wide.csv").read_text().splitlines()
    assert sorted(written) == sorted([",".join(names), "," * 199, *[",".join(["x"] * 200)] * 2])


def test_every_number_of_a_written_csv_file_reads_back(engine_url: str, workplace: Path) -> None:
    """DuckDB's own text of the first three is another number; NULL stays empty."""
    numbers = [2.0**81, -(2.0**91), 2.0**807, 0.1, 1e300, None]
    engine = connect(engine_url)
    rows = engine.load_arrow(pa.table({"x": pa.array(numbers, pa.float64()), "y": ["z"] * 6}))
    engine.write_csv(rows, workplace / "numbers.csv", separator=";")
    fields = [line.split(";")[0] for line in (workplace / "numbers.csv").read_text().splitlines()[1:]]
    assert {float(field) if field else None for field in fields} == set(numbers)
