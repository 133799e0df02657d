"""What is MariaDB's own: its collations, types and renaming. `test_engines.py` has what is asked of every engine."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo
from cobogo.answer.sql.dialects import dialect_of
from cobogo.data.engines.engine import RELEASED, connect
from cobogo.data.policy import Data
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import table_in
from cobogo.errors import CobogoError, DataError, OutputError, PolicyError

pytestmark = pytest.mark.slow


@pytest.fixture
def session(mariadb: str) -> Iterator[Any]:
    """A session beside that of a run, in a database without tables."""
    engine: Any = connect(mariadb)
    engine.rows("DROP DATABASE house")
    engine.rows("CREATE DATABASE house")
    engine.rows("USE house")
    return engine


def policy(url: str, *names: str, **output: str) -> dict[str, Any]:
    return {
        "data": {"path": url, "table": "people"},
        "attributes": {name: {"role": "quasi-identifier"} for name in names},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "output": output,
    }


def test_texts_are_compared_byte_by_byte(session: Any, mariadb: str, workplace: Path) -> None:
    """Whatever the collation takes for equal, and where the server stops when it sorts."""
    long = "x" * 3000
    words = ["a", "A", "á", "a ", " ", f"{long}y", f"{long}z", "back\\slash", "it's", None]
    session.rows("CREATE TABLE people (word longtext) COLLATE utf8mb4_general_ci")
    texts = ["NULL" if word is None else "x'" + word.encode().hex() + "'" for word in words]
    session.rows("INSERT INTO people VALUES " + ", ".join(f"({text}), ({text})" for text in texts))
    table = table_in(connect(mariadb), "people", Data(), "people")
    counted = frequency_table(table, ["word"], [])
    assert counted.counts.tolist() == [2] * len(words)
    assert {counted.tuple_labels(n)[0] for n in range(len(words))} == set(words)
    assert cobogo.anonymize(policy(mariadb, "word", format="table", table="given")).write("out")
    assert cobogo.verify("out")
    assert session.rows("SELECT count(*), count(DISTINCT word) FROM given") == [(2 * len(words), len(words) - 1)]
    session.rows("UPDATE people SET word = repeat('x', 2000000)")
    with pytest.raises(DataError, match="too long for MariaDB"):
        connect(mariadb).open_table("people")


def test_types_keep_their_values(session: Any, mariadb: str) -> None:
    session.rows(
        "CREATE TABLE people (tiny tinyint(1), big bigint unsigned, narrow float, price decimal(5,2), "
        "wide decimal(65,1), day date, moment datetime(3), instant timestamp, kind enum('b', 'é'), born year, "
        "code char(4), j json)"
    )
    session.rows(
        "INSERT INTO people VALUES (5, 18446744073709551615, 0.1, 1.5, 7, '2020-02-29', '2020-02-29 10:00:00.250', "
        "'2020-02-29 10:00:00', 'b', 2020, 'x', '{\"a\": 1}')"
    )
    engine: Any = connect(mariadb)
    table = engine.open_table("house.people")
    assert engine.fetch(engine.as_text(table)).to_pylist() == [
        {
            "tiny": "5", "big": "18446744073709551615", "narrow": "0.1", "price": "1.50", "wide": "7.0",
            "day": "2020-02-29", "moment": "2020-02-29 10:00:00.25", "instant": "2020-02-29 10:00:00+00",
            "kind": "b", "born": "2020", "code": "x", "j": '{"a": 1}',
        }
    ]  # fmt: skip
    assert [str(kind) for kind in engine.arrow_schema(table).types] == [
        "int8", "uint64", "float", "decimal128(5, 2)", "string", "date32[day]", "timestamp[us]",
        "timestamp[us, tz=UTC]", "string", "int16", "string", "string",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("`a 'day` date", "'0000-00-00'", 'column "a \'day" has a value that the server cannot store'),
        ("b blob", "x'00'", "cannot write as text"),
        ("p point", "NULL", "write"),
    ],
)
def test_values_that_would_be_changed_are_refused(
    session: Any, mariadb: str, column: str, value: str, words: str
) -> None:
    session.rows("SET sql_mode = ''")
    session.rows(f"CREATE TABLE people (id int, {column})")
    session.rows(f"INSERT INTO people VALUES (1, {value})")
    with pytest.raises(DataError, match=words):
        connect(mariadb).open_table("people")


def test_a_column_that_the_server_cannot_take_is_named_without_its_value(mariadb: str) -> None:
    days = pa.array([-800_000, 1], pa.date32())  # the server has no days before the year 1
    with pytest.raises(DataError, match='data: the column "day" has a value') as refused:
        cobogo.anonymize(pa.table({"town": ["x", "x"], "day": days}), policy(mariadb, "town", "day"), engine=mariadb)
    assert "221" not in str(refused.value)  # the year 221 before Christ


@pytest.mark.parametrize("names", [["a", "A"], ["a "], ["x" * 65]])
def test_names_that_the_server_cannot_have_are_refused(mariadb: str, names: list[str]) -> None:
    with pytest.raises(DataError, match="names of columns"):
        connect(mariadb).lookup(pa.table([["x"]] * len(names), names=names))


def test_a_column_has_any_other_name(session: Any, mariadb: str, workplace: Path) -> None:
    names = ["`", '"', "%s", "a;b", "é`'\\", "select"]
    frame = pa.table({name: ["x", "x", "y", "y"] for name in names})
    rules = {**policy(mariadb, *names, format="table", table="given"), "data": {}}
    assert cobogo.anonymize(frame, rules, engine=mariadb).write("out")
    assert [row[0] for row in session.rows("SHOW COLUMNS FROM given")] == names


def test_rows_that_others_add_are_not_released(session: Any, mariadb: str, workplace: Path) -> None:
    session.rows("CREATE TABLE people AS SELECT seq DIV 10 AS age FROM seq_0_to_39")
    release = cobogo.anonymize(policy(mariadb, "age"))
    session.rows("INSERT INTO people VALUES (99), (99)")
    assert release.write("out")
    assert set((workplace / "out/public/release.csv").read_text().split()) == {"age", "0", "1", "2", "3"}


def test_a_reader_sees_the_earlier_release_or_the_next(session: Any, mariadb: str, workplace: Path) -> None:
    session.rows("CREATE TABLE people AS SELECT seq DIV 10 AS age FROM seq_0_to_39")
    rules = policy(mariadb, "age", format="table", table="given")
    assert cobogo.anonymize(rules).write("out")
    done, seen = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            seen.append(session.rows("SELECT count(*) FROM given")[0][0])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert cobogo.anonymize(rules).write("out")
    finally:
        done.set()
        reader.join()
    assert set(seen) == {40}
    assert session.rows("SHOW TABLES LIKE 'cobogo%'") == []


def test_a_killed_run_leaves_nothing_under_the_name_of_the_release(session: Any, mariadb: str, workplace: Path) -> None:
    session.rows("CREATE TABLE people AS SELECT seq % 50 AS age FROM seq_1_to_30000")
    rules = policy(mariadb, "age", format="table", table="given")
    run = subprocess.Popen([sys.executable, "-c", f"import cobogo; cobogo.anonymize({rules!r}).write('out')"])
    while run.poll() is None and not session.rows("SHOW TABLES LIKE 'cobogo_new%'"):
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert session.rows("SHOW TABLES LIKE 'given'") == []


def test_nothing_of_the_data_is_in_statements_and_a_password_nowhere(
    session: Any, mariadb: str, workplace: Path
) -> None:
    session.rows("CREATE OR REPLACE USER ana IDENTIFIED BY 'hush-hush'")
    session.rows("GRANT ALL ON house.* TO ana")
    frame = pa.table({"city": ["Icó", "Icó", "Crato", "Crato", "Jati"], "note": ["n"] * 5})
    log = Path(mariadb.partition("unix_socket=")[2]).with_name("log")
    before = log.stat().st_size
    rules = {**policy(mariadb, "city", format="table", table="given"), "recoding": {"suppression-limit": 0.5}}
    rules["attributes"]["note"] = {"role": "sensitive"}
    assert cobogo.anonymize(frame, {**rules, "data": {}}, engine=mariadb.replace("root", "ana:hush-hush")).write("out")
    said = log.read_bytes()[before:].decode()
    assert "LOAD DATA" in said
    assert not [word for word in ("Icó", "Crato", "Jati") if word in said]
    assert not [file for file in (workplace / "out").rglob("*") if file.is_file() and b"hush" in file.read_bytes()]
    with pytest.raises(PolicyError, match="cannot connect: Access denied") as caught:
        connect(mariadb.replace("root", "ana:husher-hush"))
    assert "husher" not in str(caught.value)


def test_what_a_login_may_not_do_is_said(session: Any, mariadb: str) -> None:
    session.rows("CREATE OR REPLACE USER bia IDENTIFIED BY 'x'")
    session.rows("CREATE TABLE people (id int, age int)")
    session.rows("GRANT CREATE TEMPORARY TABLES ON house.* TO bia")
    engine: Any = connect(mariadb.replace("root", "bia:x"))
    with pytest.raises(OutputError, match="may not create a table"):
        engine.check_new_table("given")
    with pytest.raises(DataError, match="may not read"):
        engine.open_table("people")
    session.rows("GRANT SELECT ON house.* TO bia")
    assert connect(mariadb.replace("root", "bia:x")).tables() == ["people"]
    with pytest.raises(DataError, match="no such table"):
        connect(mariadb.replace("root", "bia:x")).open_table("persons")
    with pytest.raises(CobogoError, match="unknown option"):
        connect("mariadb://root@localhost/house?charset=latin1")
    with pytest.raises(DataError, match="does not answer questions"):
        dialect_of(engine.language)


def test_the_next_release_removes_what_a_killed_one_left(session: Any, mariadb: str, workplace: Path) -> None:
    """And neither what a run is writing now, nor a table that is not ours."""
    session.rows("CREATE TABLE people AS SELECT seq DIV 10 AS age FROM seq_0_to_39")
    for name, comment in (("1" * 12, RELEASED), ("2" * 12, RELEASED), ("3" * 12, "mine")):
        session.rows(f"CREATE TABLE cobogo_new_{name} (x int) COMMENT '{comment}'")
    session.rows("DO get_lock('cobogo_new_222222222222', 0)")
    assert cobogo.anonymize(policy(mariadb, "age", format="table", table="house.given")).write("out")
    left = [table for (table,) in session.rows("SHOW TABLES LIKE 'cobogo%'")]
    assert left == ["cobogo_new_222222222222", "cobogo_new_333333333333"]
