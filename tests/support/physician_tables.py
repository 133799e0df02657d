"""The tables of the k-anonymity paper's attacks over several releases (notes: tables 7 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cobogo.examples import read_table

COLUMNS = ("race", "birth", "sex", "zip", "problem")
Row = tuple[str, ...]


def worked(name: str) -> list[Row]:
    """The rows of a table that comes with the package."""
    return [tuple(row.values()) for row in read_table(f"documents/{name}")]


PRIVATE, GT1, GT3 = worked("figure4_pt"), worked("figure5_gt1"), worked("figure5_gt3")
GT1_AND_NEW, GT3_AND_NEW = worked("example7_gt1"), worked("example7_gt3")
TREES: dict[str, dict[str, Any]] = {
    "race": {"tree": {"person": ["black", "white"]}},
    "birth": {"tree": {"1960-69": ["1964", "1965", "1967"]}},
    "sex": {"tree": {"human": ["male", "female"]}},
    "zip": {"mask": "right", "keep": 4},
}
POLICY: dict[str, Any] = {
    "attributes": {
        **{name: {"role": "quasi-identifier", "hierarchy": tree} for name, tree in TREES.items()},
        "problem": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
}


def frame(rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(columns)})
