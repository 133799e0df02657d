"""Small tables whose risk is measured."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import cobogo

Rows = list[tuple[Any, ...]]


cell = st.sampled_from(["a", "b", "c", None])


def tables(width: int) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(*[cell] * width), min_size=1, max_size=25)


def measured(rows: Rows, *, people: list[str] | None = None, **options: Any) -> cobogo.RiskReport:
    names = [f"q{number}" for number in range(len(rows[0]))]
    columns = {name: pa.array([row[n] for row in rows], pa.string()) for n, name in enumerate(names)}
    policy: dict[str, Any] = {"attributes": {name: {"role": "quasi-identifier"} for name in names}}
    if people is not None:
        columns["who"] = pa.array(people, pa.string())
        policy["attributes"]["who"] = {"role": "identifier"}
        policy["data"] = {"unit": "who"}
    return cobogo.risk(pa.table(columns), policy, **options)


def parts(rows: Rows, columns: tuple[int, ...]) -> Rows:
    return [tuple(row[column] for column in columns) for row in rows]
