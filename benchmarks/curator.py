"""The curator: questions about a million rows of two hundred thousand people, against the engine's plain GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measure import Result, of_call
from benchmarks.peer_tasks import HERE, beside, environment
from cobogo.answer import Curator
from cobogo.answer.session import AnalystSession

ROWS, PEOPLE, KEYS = 1_000_000, 200_000, 1000
QUESTION = "SELECT place, COUNT(*), SUM(worth) FROM d GROUP BY place"


def answers(directory: Path, rows: int = ROWS) -> Iterator[Result]:
    """Counts and sums by a thousand public keys, of people and of rows."""
    for unit in ("person", None):
        session, engine, source = asked(directory / f"{unit}.db", rows, unit)
        keys = "person, place" if unit else "place"
        plain = f"SELECT count(*), sum(n), sum(s) FROM (SELECT {keys}, count(*) AS n, sum(worth) AS s FROM ({source}) AS o GROUP BY {keys})"  # noqa: E501
        ours = of_call(lambda session=session: session.sql(QUESTION, epsilon=1))
        engines = of_call(lambda engine=engine, plain=plain: engine.rows(plain))
        what = f"curator, {rows:,} rows, {'people' if unit else 'rows'}, {KEYS:,} keys, count and sum"
        yield Result(what, ours, "DuckDB", engines, f"plain GROUP BY {keys}")


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


def made_up(rows: int) -> pa.Table:
    """Rows of people in places."""
    source = np.random.default_rng(1)  # generated data: nothing here is private
    return pa.table(
        {
            "person": source.integers(0, PEOPLE, rows),
            "place": source.integers(0, KEYS, rows),
            "worth": source.integers(0, 100, rows),
        }
    )


def asked(ledger: Path, rows: int, unit: str | None) -> tuple[AnalystSession, Any, str]:
    """A session with a made-up table, its engine, and where the rows are in it."""
    curator = Curator(ledger=ledger)
    columns = {
        "place": {"type": "integer", "keys": list(range(KEYS))},
        "worth": {"type": "integer", "bounds": [0, 100]},
    }
    bounds = {"unit": unit, "max_groups": 5, "max_rows": 3} if unit else {}
    curator.register("d", made_up(rows), columns=columns, budget={"epsilon": 1000}, **bounds)
    curator.grant("d", "ana", epsilon=1000)
    with curator._registered["d"].open_rows() as (engine, source):
        return curator.session("ana"), engine, source.statement
