"""Spark as data engineers have it: a session that is there, its catalogue, and the file systems that Hadoop knows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pyspark
import pytest

import cobogo
from cobogo.data.engines.engine import connect
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.errors import DataError, OutputError, PolicyError

pytestmark = pytest.mark.slow

PEOPLE = pa.table(
    {
        "name": [f"P{n}" for n in range(400)],
        "age": [18 + 7 * n % 60 for n in range(400)],
        "sex": ["FM"[n % 2] for n in range(400)],
        "illness": [("dengue", "asthma", None)[n % 3] for n in range(400)],
    }
)


def policy(**parts: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20], "top": True}},
            "sex": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
        **parts,
    }


@pytest.fixture
def session(spark: str, workplace: Path) -> Iterator[Any]:
    """The user's session, in a schema of their own with a table of people, with a view and settings of their own."""
    from pyspark.sql import SparkSession

    connect(spark)
    theirs = SparkSession.getActiveSession()
    assert theirs is not None
    theirs.sql("CREATE SCHEMA IF NOT EXISTS clinic")
    theirs.sql("USE clinic")
    theirs.conf.set("spark.sql.session.timeZone", "America/Fortaleza")
    theirs.conf.set("spark.sql.ansi.enabled", "false")
    pq.write_table(PEOPLE, workplace / "people.parquet")
    rows = theirs.read.parquet(f"file:{workplace}/people.parquet")
    rows.write.mode("overwrite").saveAsTable("clinic.people")
    rows.where("age < 40").createOrReplaceTempView("young")
    yield theirs
    theirs.catalog.dropTempView("young")
    theirs.sql("USE default")
    theirs.sql("DROP SCHEMA clinic CASCADE")


def state(session: Any) -> tuple[Any, ...]:
    """All that a user can have set in a session."""
    from pyspark import RDD
    from pyspark.sql import SparkSession

    views = sorted((table.name, table.isTemporary) for table in session.catalog.listTables())
    active = SparkSession.getActiveSession()
    assert active is not None
    same = active._jsparkSession.equals(session._jsparkSession), RDD.toDF.__closure__[0].cell_contents is session
    return session.conf.getAll, session.catalog.currentDatabase(), session.catalog.currentCatalog(), views, same


def test_a_session_is_used_and_left_as_it_was(session: Any) -> None:
    before = state(session)
    assert before[-1] == (True, True)
    release = cobogo.anonymize(policy(data={"table": "young"}), engine="spark")
    assert 0 < release.records < 400, "a view of the user's"
    assert release.write("out")
    assert state(session) == before
    with pytest.raises(DataError, match="no such table"):
        cobogo.anonymize(policy(data={"table": "nobody"}), engine="spark")
    with pytest.raises(PolicyError, match="another master"):
        connect("spark://elsewhere:7077")
    assert state(session) == before


def test_tables_are_named_as_the_catalogue_names_them(session: Any) -> None:
    output = {"format": "table", "table": "spark_catalog.clinic.given_away"}
    rules = policy(data={"table": "spark_catalog.clinic.people"}, output=output)
    for _ in range(2):
        assert cobogo.anonymize(rules, engine="spark").write("out")
        assert session.table("clinic.given_away").count() == 400
    assert {table.name for table in session.catalog.listTables("clinic")} == {"people", "given_away", "young"}
    with pytest.raises(OutputError, match="no such schema"):
        cobogo.anonymize(policy(data={"table": "people"}, output={**output, "table": "nowhere.x"}), engine="spark")


def test_an_earlier_release_stays_where_the_new_one_cannot_take_its_place(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = connect("spark")
    first, second = (engine.load_arrow(pa.table({"a": [number]})) for number in (1, 2))
    with engine.new_table(first, "clinic.given_away"):
        pass
    rename = type(engine)._rename

    def fail(self: Any, before: str, after: str) -> None:
        if "cobogo_new" in before:
            raise OSError(28, "No space")
        rename(self, before, after)

    monkeypatch.setattr(type(engine), "_rename", fail)
    with pytest.raises(OSError, match="space"), engine.new_table(second, "clinic.given_away"):
        pass
    assert session.table("clinic.given_away").collect() == [(1,)]
    assert not [table.name for table in session.catalog.listTables() if "cobogo" in table.name]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_hadoop_s_file_systems_are_read_through_spark_alone(session: Any, workplace: Path, form: str) -> None:
    """A mount that only Hadoop knows: there is no such path on any disk."""
    for part in range(2):
        place = workplace / "lake" / f"year={part}"
        place.mkdir(parents=True)
        write = pyarrow.csv.write_csv if form == "csv" else pq.write_table
        write(PEOPLE.slice(200 * part, 200), place / f"part.{form}")
    session.conf.set(f"fs.viewfs.mounttable.{form}.link./people", f"file:{workplace}/lake")
    url, rules = f"viewfs://{form}/people", policy(data={"path": f"viewfs://{form}/people"})
    if form == "parquet":
        rules["attributes"]["year"] = {"role": "non-sensitive"}
    release = cobogo.anonymize(rules, engine="spark")
    assert release.records == 400
    assert release.write("out a")
    assert cobogo.verify("out a")
    with pytest.raises(DataError, match="does not read files from there"):
        cobogo.anonymize(rules)
    with pytest.raises(DataError, match="finds no file"):
        read(f"viewfs://{form}/nothing", Data(), connect("spark"))
    (workplace / f"lake/year=0/other.{form}").write_text("name,age\nsecret,7,8\n")
    fault = "other columns|cannot be read as Parquet|3 fields"  # a task meets its own file's faults first
    with pytest.raises(DataError, match=fault) as caught:
        read(url, Data(), connect("spark")).rows()
    assert "secret" not in str(caught.value)


@pytest.mark.evidence
def test_workers_that_share_no_memory_with_the_driver(spark: str, workplace: Path) -> None:
    """Files, a table of the catalogue and a masked table, submitted to a cluster of two workers with a Java each."""
    pq.write_table(PEOPLE, workplace / "people.parquet")
    table = policy(data={"path": "people.parquet"}, output={"format": "table", "table": "given_away"})
    masked = {**policy(data={"path": "people.parquet"}), "masking": {"columns": {"name": {"pseudonym": True}}}}
    del masked["privacy"]
    (workplace / "job.py").write_text(
        "import cobogo\n"
        f"assert cobogo.anonymize({policy(data={'path': 'people.parquet'})!r}, engine='spark').write('out')\n"
        f"assert cobogo.anonymize({table!r}, engine='spark').write('table')\n"
        "assert cobogo.verify('table/public', engine='spark')\n"
        f"assert cobogo.mask({masked!r}, engine='spark').write('masked')\n"
    )
    submit = [Path(pyspark.__file__).parent / "bin/spark-submit", "--master", "local-cluster[2,1,1024]", "job.py"]
    own = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_SUBMIT_ARGS": ""}
    done = subprocess.run(submit, env=os.environ | own, timeout=900, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert cobogo.verify("out")
    assert cobogo.verify("masked")
