"""Tables to measure on: made up, the same every time, as large and as wide as asked for."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (74, 2, 5, 7, 16, 41, 8, 2, 14, 30, 6, 12)
"""Values of the columns, again and again: much as in a census."""

GROUPS = 12
"""Kinds of people: within each, some values are much more frequent than others."""

BRANCHES = 6
"""Values that become one, a level up."""

TALL = (74, 50, 41, 30, 8, 5, 16, 2)
"""Values of the columns of a table with tall hierarchies: with three values to one, a lattice of 45,000 nodes."""


def write(
    directory: Path,
    rows: int,
    width: int,
    *,
    sizes: Sequence[int] = SIZES,
    branches: int = BRANCHES,
    steepness: float = 1.3,
    seed: int = 1,
) -> Path:
    """A CSV file of people with so many quasi-identifiers and an illness, and a hierarchy file for each of them. The
    steeper the shares of the values, the more people are alike."""
    generator = np.random.default_rng(seed)
    kinds = generator.choice(GROUPS, rows, p=_falling(GROUPS, 0.6, generator))
    columns = {}
    for number in range(width):
        size = sizes[number % len(sizes)]
        values = np.empty(rows, dtype=np.int64)
        for kind in range(GROUPS):
            inside = kinds == kind
            values[inside] = generator.choice(size, int(inside.sum()), p=_falling(size, steepness, generator))
        columns[f"q{number}"] = values
        _write_hierarchy(directory / f"q{number}.csv", size, branches)
    columns["illness"] = generator.choice(14, rows, p=_falling(14, 0.5, generator))
    file = directory / f"people-{rows}-{width}.csv"
    _write_rows(file, columns)
    return file


def _falling(size: int, steepness: float, generator: np.random.Generator) -> Any:
    """Shares that fall by a power of their rank, the ranks in some order."""
    shares = (1 + generator.permutation(size)) ** -steepness
    return shares / shares.sum()


def _write_rows(file: Path, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    table = pa.table(
        {name: pa.array([f"v{n}" for n in range(int(v.max()) + 1)]).take(v) for name, v in columns.items()}
    )
    options = arrow_csv.WriteOptions(delimiter=";", quoting_style="none")
    arrow_csv.write_csv(table, file, write_options=options)


def _write_hierarchy(file: Path, size: int, branches: int) -> None:
    """Values in groups, those again, and so on up to a star."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=";", lineterminator="\n")
        for value in range(size):
            row, width = [f"v{value}"], branches
            while width < size:
                row.append(f"{width}:{value // width}")
                width *= branches
            writer.writerow([*row, "*"])


def policy(data: Path, width: int, *, limit: float = 0.05, **recoding: Any) -> dict[str, Any]:
    """k = 5 on such a table."""
    quasi = {
        f"q{n}": {
            "role": "quasi-identifier",
            "hierarchy": {"csv": str(data.parent / f"q{n}.csv"), "separator": ";"},
        }
        for n in range(width)
    }
    return {
        "data": {"path": str(data), "separator": ";"},
        "attributes": {**quasi, "illness": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
        "recoding": {"suppression-limit": limit, **recoding},
    }
