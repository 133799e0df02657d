"""The curator: questions about a million rows of two hundred thousand people, against the engine's plain GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import Result, of_call
from cobogo.dp import Curator
from cobogo.dp.session import Session

ROWS, PEOPLE, KEYS = 1_000_000, 200_000, 1000


def answers(directory: Path, rows: int = ROWS) -> Iterator[Result]:
    """Counts and sums by a thousand public keys, of people and of rows."""
    for unit in ("person", None):
        session, engine, source = asked(directory / f"{unit}.db", rows, unit)
        keys = "person, place" if unit else "place"
        plain = f"SELECT count(*), sum(n), sum(s) FROM (SELECT {keys}, count(*) AS n, sum(worth) AS s FROM ({source}) AS o GROUP BY {keys})"  # noqa: E501
        text = "SELECT place, COUNT(*), SUM(worth) FROM d GROUP BY place"
        ours = of_call(lambda session=session, text=text: session.sql(text, epsilon=1))
        engines = of_call(lambda engine=engine, plain=plain: engine.rows(plain))
        what = f"curator, {rows:,} rows, {'people' if unit else 'rows'}, {KEYS:,} keys, count and sum"
        yield Result(what, ours, "DuckDB", engines, f"plain GROUP BY {keys}")


def asked(ledger: Path, rows: int, unit: str | None) -> tuple[Session, Any, str]:
    """A session with a made-up table, its engine, and where the rows are in it."""
    source = np.random.default_rng(1)  # generated data: nothing here is private
    table = pa.table(
        {
            "person": source.integers(0, PEOPLE, rows),
            "place": source.integers(0, KEYS, rows),
            "worth": source.integers(0, 100, rows),
        }
    )
    curator = Curator(ledger=ledger)
    columns = {
        "place": {"type": "integer", "keys": list(range(KEYS))},
        "worth": {"type": "integer", "bounds": [0, 100]},
    }
    bounds = {"unit": unit, "max_groups": 5, "max_rows": 3} if unit else {}
    curator.register("d", table, columns=columns, budget={"epsilon": 1000}, **bounds)
    curator.grant("d", "ana", epsilon=1000)
    engine, opened = curator._held["d"].opened()
    return curator.session("ana"), engine, opened.statement
