"""Whose positions are tried: made-up people of Fortaleza, or the data set at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.data.table.connect import connect
from cobogo.errors import DataError
from cobogo.faces.server.services.datasets import NUMBER
from cobogo.locate.places.points import Points, column_names
from cobogo.studies.location_trial import Ground

ROWS = 200_000
"""Rows of a data set that are looked at: its first ones."""


def made_up(number: int) -> Ground:
    """A Monday of so many people, a position every quarter of an hour."""
    from cobogo.studies.fortaleza import UTC_OFFSET, people

    return Ground.of(people(number, days=1).trajectories(900), hours_from_utc=UTC_OFFSET)


def positions_in(row: dict[str, Any]) -> dict[str, str] | None:
    """Which columns of a data set hold positions and times; None where there are none."""
    try:
        return column_names(row["about"]["columns"], {}, "data", needed=("lon", "lat", "time"), options=False)
    except DataError:
        return None


def read_ground(file: Path, row: dict[str, Any], hours_from_utc: float) -> Ground:
    """The positions of a data set, under numbers instead of names."""
    columns = positions_in(row)
    if columns is None:
        raise DataError("has no columns for longitude, latitude and time", where=row["name"])
    engine = connect()
    with engine.guarded("reading"):
        table = engine.connection.read_parquet(file)
        first = table.filter(table[NUMBER] < ROWS).order_by(NUMBER)
        wanted = first.select(**{part: first[one] for part, one in columns.items()})
        found = engine.fetch(wanted)
    points = Points.from_arrow(found, where=row["name"])
    nameless = Points(points.lon, points.lat, points.time, points.user)
    return Ground.of(nameless, hours_from_utc=hours_from_utc)
