"""The Adult extract, where it lies beside the repository: its known optima, and larger tables drawn from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

BESIDE = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "adult"
HOME = Path(os.environ.get("COBOGO_ADULT", BESIDE)).absolute()
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
REDRAWN = 0.3
"""Of the quasi-identifiers' cells of a larger table: drawn anew from the values of their column."""


def is_there() -> bool:
    """Whether the extract can be measured on."""
    return (HOME / "adult.csv").is_file()


def policy(
    data: Path,
    *models: dict[str, Any],
    quasi: tuple[str, ...] = QUASI,
    limit: float = 0.05,
    sensitive: bool = False,
    metric: str = "loss",
) -> dict[str, Any]:
    """A policy for the extract or a table drawn from it."""
    with (HOME / "adult.csv").open(encoding="utf-8") as stream:
        names = stream.readline().rstrip("\r\n").split(";")
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"csv": str(HOME / f"adult_hierarchy_{name}.csv"), "separator": ";"},
        }
        for name in quasi
    }
    attributes |= {name: {"role": "non-sensitive"} for name in names if name not in attributes}
    if sensitive:
        attributes["occupation"] = {"role": "sensitive"}
    return {
        "data": {"path": str(data), "separator": ";"},
        "attributes": attributes,
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}, *models]},
        "recoding": {"suppression-limit": limit, "metric": metric},
    }


def sample(directory: Path, rows: int, *, seed: int = 7) -> Path:
    """A larger table: people of the extract drawn at random, and some of their cells drawn anew."""
    import pyarrow as pa
    from pyarrow import csv

    file = directory / f"adult-{rows}.csv"
    table = csv.read_csv(HOME / "adult.csv", parse_options=csv.ParseOptions(delimiter=";"))
    generator = np.random.default_rng(seed)
    people = generator.integers(0, len(table), rows)
    columns = {}
    for name in table.column_names:
        coded = table[name].cast(pa.string()).combine_chunks().dictionary_encode()
        codes = coded.indices.to_numpy()[people]
        if name in QUASI:
            anew = generator.random(rows) < REDRAWN
            codes[anew] = generator.integers(0, len(coded.dictionary), int(anew.sum()))
        columns[name] = coded.dictionary.take(pa.array(codes))
    options = csv.WriteOptions(delimiter=";", quoting_style="needed")
    csv.write_csv(pa.table(columns), file, write_options=options)
    return file
