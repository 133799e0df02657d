"""Reading points, cells and calls from files, as any table is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import connect
from cobogo.data.files.settle import reading_options
from cobogo.data.table.read import read
from cobogo.errors import DataError
from cobogo.floor.language import Text, join, tr
from cobogo.locate.places.cells import Calls, Cells
from cobogo.locate.places.points import Points, column_names, describe_columns, index_times

CELL = ("cell", "tower", "cell_id", "cellid", "antenna", "celula", "antena", "erb", "name")
"""The usual names of a column of cells, in the order in which they are looked for."""

NO_CELL = tr("there is no column for the cell")


def read_points(
    source: str | Path | Any, *, separator: str | None = None, encoding: str | None = None, **columns: str | None
) -> Points:
    """Points from a CSV or Parquet file, or from a frame. Columns are found by their usual names (`points.COLUMNS`)
    unless given: ``lon=``, ``lat=``, ``time=``, ``user=``."""
    if isinstance(source, Points):
        return source
    if hasattr(source, "geometry") or index_times(source) is not None:
        return Points.from_pandas(
            source, where=tr("the table that was given"), **columns
        )  # no engine reads a geometry or an index
    table, name = fetch_table(source, separator, encoding)
    return Points.from_arrow(table, where=name, **columns)


def read_cells(source: str | Path | Any, *, separator: str | None = None, encoding: str | None = None) -> Cells:
    """Cells of a CSV or Parquet file, or of a frame: a column of names (`CELL`), and lon and lat."""
    if isinstance(source, Cells):
        return source
    table, name = fetch_table(source, separator, encoding)
    points = Points.from_arrow(table, where=name)
    names = table.column(find_column(table, CELL, NO_CELL, name)).to_pylist()
    return Cells.from_columns(names, points.lon, points.lat, where=name)


def read_calls(
    source: str | Path | Any, cells: Cells, *, separator: str | None = None, encoding: str | None = None,
    leave_out: bool = False,
) -> Calls:  # fmt: skip
    """Call records of a CSV or Parquet file, or of a frame: columns user, time (`points.COLUMNS`) and cell (`CELL`)."""
    if isinstance(source, Calls):
        return source
    table, name = fetch_table(source, separator, encoding)
    found = column_names(list(table.column_names), {}, name, needed=("user", "time"), options=False)
    cell = table.column(find_column(table, CELL, NO_CELL, name))
    user, time = (table.column(found[part]) for part in ("user", "time"))
    return Calls.from_columns(user, time, cell, cells, leave_out=leave_out, where=name)


def fetch_table(source: str | Path | Any, separator: str | None, encoding: str | None) -> tuple[Any, str]:
    """A table as Arrow, and its name in messages."""
    engine = connect()
    with engine.guard(tr("reading")):
        table = read(source, reading_options(separator=separator, encoding=encoding), engine)
        return engine.fetch(table.expression), table.name


def find_column(table: Any, aliases: Sequence[str], missing: Text, where: str) -> str:
    """The column that has one of some usual names; raises with ``missing`` where there is none."""
    known = {name.strip().lower(): name for name in reversed(table.column_names)}
    for alias in aliases:
        if alias in known:
            return str(known[alias])
    hint = tr("Name it one of {usual}.", usual=", ".join(aliases))
    raise DataError(missing, where=where, remedy=join([hint, describe_columns(table.column_names, aliases)]))
