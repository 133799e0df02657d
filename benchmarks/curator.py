"""The curator: questions about many rows of fewer people, by public keys, against the engine's plain GROUP BY."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measure import PYTHON, Result, in_turn, of_call, of_process
from benchmarks.peer_tasks import HERE, beside, environment
from cobogo.answer import Curator
from cobogo.answer.session import AnalystSession

ROWS, SHARE, KEYS = 1_000_000, 5, 1000
"""Rows, rows of a person on average, and public keys."""

MANY = (1_000_000, 10_000_000)
NUMBERS = (10, 1000, 5570)
"""Public keys; Brazil has 5,570 municipalities."""

QUESTION = "SELECT place, COUNT(*), SUM(worth) FROM d GROUP BY place"


def answers(directory: Path, many: Sequence[int] = MANY, numbers: Sequence[int] = NUMBERS) -> Iterator[Result]:
    """Counts and sums by public keys, of people and of rows."""
    for rows, keys, text, unit in itertools.product(many, numbers, (True, False), ("person", None)):
        session, engine, source = asked(directory / f"{rows}-{keys}-{text}-{unit}.db", rows, unit, keys, text=text)
        columns = "person, place" if unit else "place"
        plain = f"SELECT count(*), sum(n), sum(s) FROM (SELECT {columns}, count(*) AS n, sum(worth) AS s FROM ({source}) AS o GROUP BY {columns})"  # noqa: E501
        ours = of_call(lambda session=session: session.sql(QUESTION, epsilon=1))
        engines = of_call(lambda engine=engine, plain=plain: engine.rows(plain))
        people, kind = "people" if unit else "rows", "texts" if text else "integers"
        what = f"curator, {rows:,} rows, {people}, {keys:,} keys ({kind}), count and sum"
        yield Result(what, ours, "DuckDB", engines, f"warm; plain GROUP BY {columns}")


def medians(directory: Path, rows: int = ROWS) -> Iterator[Result]:
    """A median for each of a thousand groups of rows, against the engine's own medians."""
    session, engine, source = asked(directory / "medians.db", rows, None, KEYS)
    plain = f"SELECT place, median(worth) FROM ({source}) AS o GROUP BY place"
    ours = of_call(lambda: session.sql("SELECT place, MEDIAN(worth) FROM d GROUP BY place", epsilon=1))
    engines = of_call(lambda: engine.rows(plain))
    yield Result(f"curator, {rows:,} rows, medians of {KEYS:,} groups", ours, "DuckDB", engines, "warm; its medians")


def small_question(directory: Path) -> Iterator[Result]:
    """The whole command on six hundred rows, against the start of the engine alone."""
    csv.write_csv(made_up(600, 10, text=True), directory / "small.csv")
    (directory / "curator.toml").write_text(SMALL, encoding="utf-8")
    code = "from cobogo.faces.cli.main import run; run()"
    reading = f"import duckdb; duckdb.read_csv({str(directory / 'small.csv')!r}).fetchall()"
    question = [QUESTION, "--epsilon", "1", "--config", str(directory / "curator.toml")]
    ours, engine = in_turn(
        lambda: of_process([PYTHON, "-c", code, "answer", "sql", *question]),
        lambda: of_process([PYTHON, "-c", reading]),
    )
    yield Result("answer sql, whole command, 600 rows", ours, "engine alone", engine, "a new process each time")


def beside_peers(directory: Path, rows: int = ROWS) -> Iterator[Result]:
    """The same question about people to SmartNoise SQL and to OpenDP's Polars layer, which want different OpenDPs."""
    found = {peer: environment(peer) for peer in ("smartnoise", "opendp")}
    if not any(found.values()):
        return
    session, *_ = asked(directory / "peers.db", rows, "person")
    ours = of_call(lambda: session.sql(QUESTION, epsilon=1))
    data = directory / "people.csv"
    csv.write_csv(made_up(rows), data)
    what = f"curator, {rows:,} rows, people, {KEYS:,} keys, count and sum"
    for peer, python in found.items():
        if python is not None:
            yield from beside(
                [python, HERE / "peers" / "answer.py", peer, data],
                peer,
                what,
                ours,
                "each bounds a person in its own way",
            )


def made_up(rows: int, keys: int = KEYS, *, text: bool = False) -> pa.Table:
    """Rows of people in places; of a place, its number or its name."""
    source = np.random.default_rng(1)  # generated data: nothing here is private
    place = source.integers(0, keys, rows)
    return pa.table(
        {
            "person": source.integers(0, max(rows // SHARE, 1), rows),
            "place": pa.array(places(keys)).take(place) if text else place,
            "worth": source.integers(0, 100, rows),
        }
    )


def places(keys: int) -> list[str]:
    """Their names."""
    return [f"place {n:05}" for n in range(keys)]


def asked(
    ledger: Path, rows: int, unit: str | None, keys: int = KEYS, *, text: bool = False
) -> tuple[AnalystSession, Any, str]:
    """A session with a made-up table, its engine, and where the rows are in it."""
    curator = Curator(ledger=ledger)
    columns = {
        "place": {"type": "text", "keys": places(keys)} if text else {"type": "integer", "keys": list(range(keys))},
        "worth": {"type": "integer", "bounds": [0, 100]},
    }
    bounds = {"unit": unit, "max_groups": 5, "max_rows": 3} if unit else {}
    curator.register("d", made_up(rows, keys, text=text), columns=columns, budget={"epsilon": 1000}, **bounds)
    curator.grant("d", "ana", epsilon=1000)
    with curator._registered["d"].open_rows() as (engine, source):
        return curator.session("ana"), engine, source.statement


SMALL = f"""
[datasets.d]
path = "small.csv"
budget = {{ epsilon = 100 }}
analysts = {{ ana = {{ epsilon = 100 }} }}
[datasets.d.columns]
place = {{ type = "text", keys = {places(10)} }}
worth = {{ type = "integer", bounds = [0, 100] }}
"""
