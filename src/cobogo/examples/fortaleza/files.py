"""The made-up people as files, for whoever wants to try a command on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.examples.fortaleza.people import people
from cobogo.floor.files import holds_only, staged_directory

FILES = ("points.csv", "calls.csv", "cells.csv")
"""Trajectories (user, time, lon, lat), call records (user, time, cell) and cells (cell, lon, lat). Times are UTC."""


def write(directory: Path, number: int, *, days: int = 7, step: float = 600.0, seed: int = 2024) -> dict[str, int]:
    """Write the files of so many people, all or none; how many rows each has."""
    import pyarrow.csv

    crowd = people(number, days=days, seed=seed)
    calls = crowd.calls()
    found = (crowd.trajectories(step).to_arrow(), calls.to_arrow(), calls.cells.to_arrow())
    tables = dict(zip(FILES, found, strict=True))
    options = pyarrow.csv.WriteOptions(quoting_style="needed", quoting_header="none")
    with staged_directory(directory, replaceable=holds_only(FILES)) as stage:
        for name, table in tables.items():
            pyarrow.csv.write_csv(_rounded(table), stage / name, options)
    return {name: table.num_rows for name, table in tables.items()}


def _rounded(table: Any) -> Any:
    """Degrees to a tenth of a metre, times to the second, as texts: no digits that mean nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            table = table.set_column(at, field.name, pc.round(table.column(at), 6))
        elif pa.types.is_timestamp(field.type):
            seconds = table.column(at).cast(pa.timestamp("s"), safe=False)
            table = table.set_column(at, field.name, pc.strftime(seconds, "%Y-%m-%d %H:%M:%S"))
    return table
