"""Points: where people were, and when. Mechanisms take points, and most of them return points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Text, join, tr, trn
from cobogo.floor.representation import brief
from cobogo.locate.places.geometry import Frame, distance, look_exchanged, wrap

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "lon": ("lon", "lng", "long", "longitude", "x"),
    "lat": ("lat", "latitude", "y"),
    "time": ("time", "t", "datetime", "timestamp", "date_time", "when", "hora", "data_hora"),
    "user": ("user", "uid", "user_id", "userid", "person", "id", "usuario"),
}
"""The usual names of the columns of points, in the order in which they are looked for."""

MISSING: Mapping[str, Text] = {
    "lon": tr("there is no column of longitudes"),
    "lat": tr("there is no column of latitudes"),
    "time": tr("there is no column of times"),
    "user": tr("there is no column of users"),
}
SAME_LENGTH = tr("Give the same number of values in each column.")

EARLIEST, LATEST = -2_208_988_800.0, 7_258_118_400.0
"""The first moments of 1900 and of 2200, in seconds since 1970: other times are taken for mistakes."""

UNITS = (1.0, 1e3, 1e6, 1e9)
"""Units in which times may be numbers, as parts of a second. From 1973 to 2200 the size of a number shows its unit."""


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """Longitudes and latitudes in degrees (WGS 84), times in seconds since 1970 (UTC), and whose they are.

    ``user`` numbers people from 0; ``names`` are their names, where they have names.

    >>> points = Points.from_columns([-38.52, -38.50], [-3.73, -3.72], time=[0, 60], user=["ana", "ana"])
    >>> len(points), points.users, points.names
    (2, 1, ('ana',))
    """

    lon: Floats
    lat: Floats
    time: Floats | None = None
    user: Ints | None = None
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        people = None if self.user is None else trn("of {n:,} person", "of {n:,} people", n=self.users)
        return brief(self, trn("{n:,} point", "{n:,} points", n=len(self)), people)

    @classmethod
    def from_columns(
        cls, lon: Any, lat: Any, *, time: Any = None, user: Any = None, where: str = "points", first: int = 1
    ) -> Points:
        """Points from any sequences, checked. ``where`` and ``first`` name the table and its first row in errors."""
        east, north = _numbers(lon, "lon", where, first), _numbers(lat, "lat", where, first)
        if len(east) != len(north):
            raise DataError(
                tr("there are {east:,} longitudes and {north:,} latitudes", east=len(east), north=len(north)),
                where=where,
                remedy=SAME_LENGTH,
            )
        refuse_rows(
            ~(np.abs(east) <= 360), "lon", tr("the value is not a longitude (degrees from -180 to 180)"), where, first
        )
        refuse_rows(
            ~(np.abs(north) <= 90), "lat", tr("the value is not a latitude (degrees from -90 to 90)"), where, first
        )
        seconds = None if time is None else _seconds(time, where, first)
        codes, names = (None, ()) if user is None else encode_people(user, where, first)
        if seconds is not None and len(seconds) != len(east):
            what = tr("there are {points:,} points and {times:,} times", points=len(east), times=len(seconds))
            raise DataError(what, where=where, remedy=SAME_LENGTH)
        if codes is not None and len(codes) != len(east):
            what = tr("there are {points:,} points and {users:,} users", points=len(east), users=len(codes))
            raise DataError(what, where=where, remedy=SAME_LENGTH)
        return cls(wrap(east), north, seconds, codes, names)

    @classmethod
    def from_arrow(cls, table: Any, *, where: str = "points", **columns: str | None) -> Points:
        """Points from an Arrow table. Columns are found by their usual names (`COLUMNS`) unless given."""
        found = column_names(list(table.column_names), columns, where)
        return cls._from_parts({part: table.column(name) for part, name in found.items()}, columns, where)

    @classmethod
    def from_pandas(cls, frame: Any, *, where: str = "points", **columns: str | None) -> Points:
        """Points from a pandas frame, or from the geometry of a GeoPandas frame. Times may be its index, as in
        MovingPandas."""
        geometry = getattr(frame, "_geometry_column_name", None)
        if geometry is not None and geometry in frame.columns:
            frame = _degrees(frame, where)
            columns = {"lon": "lon", "lat": "lat", **columns}
        found = column_names([str(name) for name in frame.columns], columns, where)
        parts = {part: frame[name] for part, name in found.items()}
        if "time" not in parts and (clock := index_times(frame)) is not None:
            parts["time"] = clock
        return cls._from_parts(parts, columns, where)

    @classmethod
    def _from_parts(cls, parts: Mapping[str, Any], given: Mapping[str, str | None], where: str) -> Points:
        """Points from columns. Longitudes and latitudes that were found by name must not look exchanged."""
        found = cls.from_columns(
            parts["lon"], parts["lat"], time=parts.get("time"), user=parts.get("user"), where=where
        )
        if (given.get("lon") is None or given.get("lat") is None) and look_exchanged(found.lon, found.lat):
            raise DataError(
                tr("all points are far out at sea, and they would be on land if longitude and latitude were exchanged"),
                where=where,
                remedy=tr("Exchange the names of the two columns, or say which is which (--lon NAME --lat NAME)."),
            )
        return found

    def to_arrow(self) -> Any:
        """An Arrow table with the columns lon and lat and, where known, user and time."""
        import pyarrow as pa

        columns: dict[str, Any] = {}
        if self.user is not None:
            columns["user"] = (
                pa.DictionaryArray.from_arrays(pa.array(self.user, pa.int32()), pa.array(self.names, pa.string())).cast(
                    pa.string()
                )
                if self.names
                else pa.array(self.user)
            )
        if self.time is not None:
            columns["time"] = pa.array(np.round(self.time * 1000).astype("datetime64[ms]"))
        return pa.table({**columns, "lon": pa.array(self.lon), "lat": pa.array(self.lat)})

    def to_pandas(self) -> Any:
        """The table of `to_arrow` as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_geopandas(self) -> Any:
        """A GeoPandas frame with a geometry column."""
        try:
            import geopandas
        except ImportError:
            raise DataError(
                tr("GeoPandas is not installed"), where="to_geopandas", remedy=tr("Install it: pip install geopandas.")
            ) from None
        frame = self.to_pandas()
        return geopandas.GeoDataFrame(
            frame.drop(columns=["lon", "lat"]),
            geometry=geopandas.points_from_xy(frame["lon"], frame["lat"]),
            crs="EPSG:4326",
        )

    def __len__(self) -> int:
        return len(self.lon)

    @property
    def users(self) -> int:
        """How many people there are: 0 where points have no people."""
        return len(self.names) or (0 if self.user is None or not len(self) else int(self.user.max()) + 1)

    @cached_property
    def frame(self) -> Frame:
        """A flat frame in the middle of the points, for attacks and drawings. It depends on the points, so no mechanism
        may use it for what it releases."""
        return Frame.from_points(self.lon, self.lat) if len(self) else Frame(0.0, 0.0)

    def take(self, rows: Any) -> Points:
        """Some of the points, by numbers or by a mask; people keep their numbers."""
        return Points(
            self.lon[rows],
            self.lat[rows],
            None if self.time is None else self.time[rows],
            None if self.user is None else self.user[rows],
            self.names,
        )

    def move_to(self, lon: Floats, lat: Floats) -> Points:
        """The same people and times at other places."""
        return Points(lon, lat, self.time, self.user, self.names)

    def sort(self) -> Points:
        """The points person by person, each in the order of time."""
        if self.user is None and self.time is None:
            return self
        keys = [key for key in (self.time, self.user) if key is not None]
        return self.take(np.lexsort(keys))

    def traces(self) -> list[Points]:
        """The points of each person who has any, in the order of time."""
        if self.user is None:
            return [self.sort()]
        rows = self.sort()
        assert rows.user is not None
        bounds = [*np.flatnonzero(np.diff(rows.user, prepend=-1)).tolist(), len(rows)]
        return [rows.take(slice(start, end)) for start, end in pairwise(bounds)]

    def distance(self, other: Points) -> Floats:
        """Metres between points of the same rows."""
        return distance(self.lon, self.lat, other.lon, other.lat)


def column_names(
    names: Sequence[str], given: Mapping[str, str | None], where: str, *, needed: Sequence[str] = ("lon", "lat"),
    options: bool = True,
) -> dict[str, str]:  # fmt: skip
    """Which column holds what: as given, else by its usual name. ``options``: errors name the options of a command."""
    known = {name.strip().lower(): name for name in reversed(names)}
    found: dict[str, str] = {}
    for part, aliases in COLUMNS.items():
        name = given.get(part)
        if name is not None:
            if name not in names:
                raise DataError(
                    tr('there is no column "{name}"', name=name), where=where, remedy=describe_columns(names)
                )
            found[part] = name
        else:
            match = next((known[alias] for alias in aliases if alias in known), None)
            if match is not None:
                found[part] = match
            elif part in needed:
                usual = ", ".join(aliases)
                hint = (
                    tr("Name it one of {usual}, or say which it is (--{part} NAME).", usual=usual, part=part)
                    if options
                    else tr("Name it one of {usual}.", usual=usual)
                )
                raise DataError(MISSING[part], where=where, remedy=join([hint, describe_columns(names)]))
    return found


def describe_columns(names: Sequence[str], also: Sequence[str] = ()) -> Text:
    """A sentence on a table's columns, for errors. Where no name is known none is shown: the first row may be data,
    such as somebody's position.

    >>> describe_columns(["lat", "x coordinate"]), describe_columns(["<gpx><trkpt lat='-3.7'>"])
    ('Its columns: lat, x coordinate.', 'The table has 1 column, and no usual name.')
    """
    known = {*also, *(alias for aliases in COLUMNS.values() for alias in aliases)}
    if not known & {name.strip().lower() for name in names}:
        return trn(
            "The table has {n:,} column, and no usual name.",
            "The table has {n:,} columns, and none has a usual name.",
            n=len(names),
        )
    return tr("Its columns: {columns}.", columns=", ".join(names))


def _degrees(frame: Any, where: str) -> Any:
    """A GeoPandas frame with columns of longitudes and latitudes."""
    if frame.crs is None:
        raise DataError(
            tr("the frame has no coordinate reference system"),
            where=where,
            remedy=tr("Set it: frame.set_crs(4326) for longitudes and latitudes."),
        )
    wrong = np.asarray(frame.geometry.geom_type != "Point")
    if wrong.any():
        raise DataError(
            tr("the geometry in row {row:,} is not a point", row=int(np.flatnonzero(wrong)[0]) + 1),
            where=where,
            remedy=tr(
                "Give one row for each position; for lines use frame.get_coordinates() with the times of the points."
            ),
        )
    places = frame.to_crs(4326)
    return places.assign(lon=places.geometry.x, lat=places.geometry.y)


def index_times(frame: Any) -> Any:
    """The times in the index of a pandas frame, or in a level of it; None where it has none."""
    import pandas as pd

    index = getattr(frame, "index", None)
    if not isinstance(index, pd.Index):
        return None
    for level in range(index.nlevels):
        values = index.get_level_values(level)
        if isinstance(values, pd.DatetimeIndex):
            return values
    return None


def _numbers(values: Any, column: str, where: str, first: int) -> Floats:
    """Finite numbers, from numbers or texts."""
    import pandas as pd

    plain = values.to_pandas() if hasattr(values, "to_pandas") else values
    numbers = np.array(pd.to_numeric(pd.Series(plain), errors="coerce"), dtype=np.float64)
    refuse_rows(~np.isfinite(numbers), column, tr("the value is not a number"), where, first)
    return numbers


def _seconds(values: Any, where: str, first: int) -> Floats:
    """Seconds since 1970, from numbers, dates or ISO 8601 texts. Without a zone they are UTC."""
    import pandas as pd

    plain = pd.Series(values.to_pandas() if hasattr(values, "to_pandas") else values)
    if pd.api.types.is_numeric_dtype(plain):
        return _seconds_from_numbers(plain, where, first)
    if not pd.api.types.is_datetime64_any_dtype(plain):
        as_numbers = pd.to_numeric(plain, errors="coerce")
        if len(plain) and as_numbers.notna().all():
            return _seconds_from_numbers(as_numbers, where, first)
        plain = pd.to_datetime(plain, errors="coerce", utc=True, format="ISO8601")
    refuse_rows(
        np.asarray(plain.isna()), "time", tr("the value is not a time such as 2026-01-31 08:00:00"), where, first
    )
    stamps = pd.DatetimeIndex(plain)
    naive = stamps.tz_convert("UTC").tz_localize(None) if stamps.tz is not None else stamps
    seconds = np.asarray(naive.to_numpy(dtype="datetime64[ms]").astype(np.int64) / 1000, dtype=np.float64)
    refuse_rows(
        ~((seconds >= EARLIEST) & (seconds < LATEST)), "time", tr("the time is not between 1900 and 2199"), where, first
    )
    return seconds


def _seconds_from_numbers(values: Any, where: str, first: int) -> Floats:
    """Seconds since 1970, from numbers that are all in one of `UNITS`."""
    numbers = _numbers(values, "time", where, first)
    size = np.abs(numbers)
    fits = [size < LATEST, *((size >= 1e8 * unit) & (size < LATEST * unit) for unit in UNITS[1:])]
    unit = np.select(fits, UNITS, default=np.nan)
    refuse_rows(
        np.isnan(unit) | (numbers < EARLIEST * unit), "time", tr("the time is not between 1900 and 2199"), where, first
    )
    refuse_rows(unit != unit[:1], "time", tr("the time has another unit than the first row"), where, first)
    return np.asarray(numbers / unit, dtype=np.float64)


def encode_people(values: Any, where: str, first: int) -> tuple[Ints, tuple[str, ...]]:
    """Numbers and names of people, in the order of their names as texts."""
    import pandas as pd

    plain = pd.Series(values.to_pandas() if hasattr(values, "to_pandas") else values)
    refuse_rows(np.asarray(plain.isna()), "user", tr("the value is missing"), where, first)
    codes, names = pd.factorize(plain.astype(str), sort=True)
    return np.asarray(codes, dtype=np.int64), tuple(str(name) for name in names)


def refuse_rows(wrong: NDArray[np.bool_], column: str, what: str, where: str, first: int) -> None:
    """Raise where some rows are wrong. The error names the row, never the value: it may be somebody's position."""
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise DataError(
            what,
            where=tr("{where}, row {row}, column {column}", where=where, row=row + first, column=column),
            remedy=tr("Correct this row, or leave it out."),
        )
