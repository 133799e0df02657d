"""Reading points from files, as any table is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.location.points import Points
from cobogo.policy import Data
from cobogo.table.connect import connect
from cobogo.table.files import guess_separator
from cobogo.table.read import read


def read_points(source: str | Path | Any, *, separator: str | None = None, **columns: str | None) -> Points:
    """Points of a CSV or Parquet file, or of a frame. Columns are found by their usual names (`points.COLUMNS`) unless
    said: ``lon=``, ``lat=``, ``time=``, ``user=``."""
    if isinstance(source, Points):
        return source
    data = Data()
    if isinstance(source, str | Path):
        data = Data(separator=separator or guess_separator(source, data.encoding))
    engine = connect()
    with engine.guarded("reading"):
        table = read(source, data, engine)
        return Points.from_arrow(engine.fetch(table.expression), where=table.name, **columns)
