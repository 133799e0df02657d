"""The whole command on PostgreSQL and on Spark, CSV in and verified CSV out, against what each engine alone needs for
the least of it: count the input's combinations, copy it in random order, count the copy's."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.commands import _policy, _quasi, _toml
from benchmarks.measure import PYTHON, Result, Spent, of_process
from cobogo.data.engines.postgres import WORK_MEMORY

ROWS = 3_000_000
SPARK = "local[2]"


def engines(directory: Path, rows: int = ROWS) -> Iterator[Result]:
    """`cobogo anonymize --engine`, and the engine alone, with the processor time of every process that took part."""
    policy = _policy(directory, rows)
    file = directory / f"policy-{rows}.toml"
    file.write_text(_toml(policy), encoding="utf-8")
    for measure in (_on_postgresql, _on_spark):
        release, alone, ours = measure(policy, file, directory)
        yield Result(f"whole command: {rows:,} rows on {release}", ours, "engine alone", alone)


def _on_postgresql(policy: dict[str, Any], file: Path, directory: Path) -> tuple[str, Spent, Spent]:
    with _postgresql() as (url, postmaster, release):
        alone = _with_server(postmaster, lambda: _alone("postgresql", policy, url))
        ours = _with_server(postmaster, lambda: _ours(file, url, directory))
    return f"PostgreSQL {release}", alone, ours


def _on_spark(policy: dict[str, Any], file: Path, directory: Path) -> tuple[str, Spent, Spent]:
    alone, ours = _alone("spark", policy, SPARK), _ours(file, SPARK, directory)
    return f"Spark {version('pyspark')}", alone, ours


def _ours(file: Path, url: str, directory: Path) -> Spent:
    return of_process([PYTHON, "-m", "benchmarks.engines", "ours", str(file), url, str(directory / "out")])


def _alone(engine: str, policy: dict[str, Any], url: str) -> Spent:
    columns = json.dumps(_quasi(policy))
    return of_process([PYTHON, "-m", "benchmarks.engines", engine, policy["data"]["path"], url, columns])


@contextmanager
def _postgresql() -> Iterator[tuple[str, int, str]]:
    """The server of the tests: its URL, the process that it began with, and its version."""
    import psycopg

    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.servers import postgresql

    with postgresql() as url:
        with psycopg.connect(url) as session:
            about = "SELECT current_setting('data_directory'), current_setting('server_version')"
            directory, release = session.execute(about).fetchone() or ("", "")
        yield url, int(Path(directory, "postmaster.pid").read_text().split()[0]), release


def _with_server(postmaster: int, work: Callable[[], Spent]) -> Spent:
    """What a process spent, and what a server spent on it: its session ends with the process."""
    before = _of_family(postmaster)
    spent = work()
    return Spent(spent.wall, spent.cpu + _of_family(postmaster) - before, spent.megabytes)


def _of_family(process: int) -> float:
    """CPU seconds of a process, of the children that it has, and of those that it had."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if process in (int(stat.parent.name), int(fields[1])):
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def postgresql_alone(data: str, url: str, quasi: list[str]) -> None:
    """Load the file, count, copy in random order into another file, load that one, count."""
    import psycopg

    names, copy = ", ".join(f'"{name}"' for name in quasi), f"{data}.copy"
    with Path(data).open(encoding="utf-8") as stream:
        columns = ", ".join(f'"{name}" text' for name in next(csv.reader(stream, delimiter=";")))
    options = "(FORMAT csv, DELIMITER ';', HEADER)"
    with psycopg.connect(url) as session:
        session.execute(f"SET work_mem = '{WORK_MEMORY}'")  # as we do
        for number, file in enumerate((data, copy)):
            session.execute(f"CREATE TEMP TABLE t{number} ({columns})")
            with Path(file).open("rb") as stream, session.cursor().copy(f"COPY t{number} FROM STDIN {options}") as put:
                while block := stream.read(1 << 20):
                    put.write(block)
            session.execute(f"CREATE TEMP TABLE c{number} AS SELECT {names}, count(*) FROM t{number} GROUP BY {names}")
            if number == 0:
                shuffled = f"COPY (SELECT * FROM t0 ORDER BY random()) TO STDOUT {options}"
                with Path(copy).open("wb") as stream, session.cursor().copy(shuffled) as get:
                    for block in get:
                        stream.write(block)
    Path(copy).unlink()


def spark_alone(data: str, master: str, quasi: list[str]) -> None:
    """Count the file, write it in random order, count what was written."""
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import rand

    session = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
    copy = f"{data}.copy"
    for file in (data, copy):
        table = session.read.csv(file, sep=";", header=True)
        table.groupBy(*quasi).count().write.format("noop").mode("overwrite").save()
        if file == data:
            table.orderBy(rand()).write.csv(copy, sep=";", header=True)
    shutil.rmtree(copy)


def _end_spark() -> None:
    """Wait for Java, so that what it spent counts as this process's."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None:
        SparkContext.getOrCreate().stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()


if __name__ == "__main__":
    what, file, url, last = sys.argv[1:]
    try:
        if what == "ours":
            from cobogo.faces.cli.main import run

            run(["anonymize", file, "--engine", url, "--out", last, "--quiet"])
        elif what == "postgresql":
            postgresql_alone(file, url, json.loads(last))
        else:
            spark_alone(file, url, json.loads(last))
    finally:
        if not url.startswith("postgresql"):
            _end_spark()
