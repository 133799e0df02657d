"""Frames of pandas, polars, Arrow, Ibis and GeoPandas: they come in as Arrow tables, and go out as they came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cobogo.data.engines.relation import Relation
from cobogo.errors import DataError
from cobogo.floor.language import tr

Bounds = tuple[float, float]
"""The numbers from the first on and below the second."""


@dataclass(frozen=True)
class FrameKind:
    """What a frame was when it came: its library, its categories, the geometry of GeoPandas, and the types of pandas
    that NumPy does not have."""

    library: str = "pandas"
    categories: tuple[str, ...] = ()  # the columns of categories; which categories there were is not kept
    geometry: str | None = None
    crs: Any = None
    types: Mapping[str, Any] = field(default_factory=dict)  # of columns, such as Int64 and times with a zone


@dataclass(frozen=True)
class Categories:
    """The values that a recoded column may have, in their order, and the intervals that they stand for, if they do."""

    order: Sequence[str | None]
    bounds: Mapping[str, Bounds] = field(default_factory=dict)


def frame_kind(source: Any) -> FrameKind:
    """What is kept of a frame, to give its like back."""
    library = type(source).__module__.partition(".")[0]
    if library == "geopandas":
        return FrameKind(library, _categories(source), source.geometry.name, source.crs, _types(source))
    return FrameKind(library, _categories(source), types=_types(source) if library == "pandas" else {})


def _types(source: Any) -> dict[str, Any]:
    """The types of a frame of pandas that can be made of Arrow's columns: of numbers, truth values, times and texts."""
    made = {str(name): kind for name, kind in source.dtypes.items() if hasattr(kind, "__from_arrow__")}
    return {name: kind for name, kind in made.items() if kind.kind in "iufbM" or str(kind).startswith("str")}


def _categories(source: Any) -> tuple[str, ...]:
    if hasattr(source, "collect_schema"):
        types = dict(source.collect_schema())
    elif isinstance(getattr(source, "schema", None), Iterable):
        types = {column.name: column.type for column in source.schema}
    else:
        types = dict(getattr(source, "dtypes", {}))
    marks = ("category", "Categorical", "Enum", "dictionary")
    return tuple(name for name, kind in types.items() if str(kind).startswith(marks))


def frame_columns(source: Any) -> list[Any]:
    """What a frame calls its columns, which need not be text; what has no names of columns, or an index that says
    something, is refused."""
    _refuse_index(source)
    if hasattr(source, "collect_schema"):
        return list(source.collect_schema().names())
    for names in ("column_names", "columns"):
        if hasattr(source, names):
            return list(getattr(source, names))
    if isinstance(source, Mapping) and all(isinstance(column, Sequence) for column in source.values()):
        return list(source)
    raise DataError(
        tr("{type} has no names of columns", type=type(source).__name__),
        where="data",
        remedy=tr("Make a frame of it, as in: pandas.DataFrame(data, columns=[…])."),
        code="COBOGO-DATA-TYPE",
    )


def _refuse_index(source: Any) -> None:
    """An index of pandas that is more than row numbers has values, and no role: it may name people."""
    index = getattr(source, "index", None)
    if index is None or not hasattr(index, "names"):
        return
    named = [str(name) for name in index.names if name is not None]
    if not named and index.nlevels == 1 and index.dtype.kind in "iu":
        return
    raise DataError(
        tr("the index {names} is not a column, and has no role", names=", ".join(f'"{name}"' for name in named))
        if named
        else tr("the index is not a column, and has no role"),
        where="data",
        remedy=tr("Make it a column: data.reset_index(). Or leave it out: data.reset_index(drop=True)."),
        code="COBOGO-DATA-TYPE",
    )


def as_arrow(source: Any) -> Any:
    """A frame as an Arrow table; a column of NULLs alone, which has no type of its own, becomes text."""
    import ibis
    import ibis.expr.types as ir
    import pyarrow as pa

    try:
        if isinstance(source, ir.Table | Relation):
            arrow = source.to_pyarrow()
        else:
            arrow = ibis.memtable(_without_geometry(source)).to_pyarrow()
    except Exception as error:
        if isinstance(source, ir.Table | Relation):
            raise DataError(
                tr("cannot be read: {kind}", kind=type(error).__name__),
                where=tr("the table given"),
                remedy=tr("Connect it to a database."),
                code="COBOGO-DATA-TYPE",
            ) from None
        if strange := _strange_column(source):
            raise DataError(
                tr('the column "{name}" has values that no table can hold', name=strange),
                where="data",
                remedy=tr('Turn them into days: data["{name}"].dt.days.', name=strange)
                if source[strange].dtype.kind == "m"
                else tr('Turn them into text, for example: data["{name}"].astype(str).', name=strange),
                code="COBOGO-DATA-TYPE",
            ) from None
        raise DataError(
            tr("{type} cannot be read as a table: {kind}", type=type(source).__name__, kind=type(error).__name__),
            where="data",
            remedy=tr(
                "Give a path, or a table of pandas, polars, Arrow or Ibis with a text as the name of every column."
            ),
            code="COBOGO-DATA-TYPE",
        ) from None
    fields = [pa.field(f.name, pa.string()) if pa.types.is_null(f.type) else f for f in arrow.schema]
    return arrow.cast(pa.schema(fields))


def _strange_column(source: Any) -> str | None:
    """The first column of a frame of pandas that cannot be read, such as one of spans of time or of mixed objects."""
    if not type(source).__module__.startswith("pandas"):
        return None
    return next((name for name in source.columns if not _is_readable(source[[name]])), None)


def _is_readable(frame: Any) -> bool:
    import ibis

    try:
        ibis.memtable(frame).to_pyarrow()
    except Exception:  # whatever pandas, Arrow or Ibis raise
        return False
    return True


def _without_geometry(source: Any) -> Any:
    """A frame of GeoPandas with its geometries as text (WKT); any other as it is."""
    return source.to_wkt() if type(source).__module__.startswith("geopandas") else source


def give_back(rows: Any, kind: FrameKind, recoded: Mapping[str, Categories]) -> Any:
    """Released rows as a frame like the one that came. Categories are those that occur in the rows: another would tell
    of a record that was left out."""
    known = {name: Categories(()) for name in kind.categories} | dict(recoded)
    wanted = {name: found for name, found in known.items() if name in rows.column_names and _is_text(rows, name)}
    return _LIBRARIES.get(kind.library, _as_pandas)(rows, kind, wanted)


def _is_text(rows: Any, name: str) -> bool:
    from pyarrow import types

    kind = rows.schema.field(name).type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind))


def _occurring(rows: Any, name: str, order: Sequence[str | None]) -> list[str]:
    """The values of a column: those with a place in an order as it says, then the others."""
    there = {value for value in rows[name].unique().to_pylist() if value is not None}
    first = [value for value in dict.fromkeys(order) if value in there]
    return [str(value) for value in (*first, *sorted(there - set(first)))]


def _as_pandas(rows: Any, kind: FrameKind, wanted: Mapping[str, Categories]) -> Any:
    import pandas as pd

    frame = plain_pandas(rows, kind.types)
    for name, known in wanted.items():
        values = _occurring(rows, name, known.order)
        bounds = [known.bounds[value] for value in values if value in known.bounds]
        if values and len(bounds) == len(values):
            there = pd.IntervalIndex.from_tuples(sorted(bounds), closed="left")
            meant = {value: pd.Interval(*known.bounds[value], closed="left") for value in values}
            frame[name] = pd.Categorical(frame[name].map(meant), categories=there, ordered=True)
        else:
            frame[name] = pd.Categorical(frame[name], categories=values, ordered=bool(known.order))
    return frame


def plain_pandas(rows: Any, types: Mapping[str, Any] | None = None) -> Any:
    """An Arrow table as a frame of pandas: columns that still have the kind of values of the ``types`` given are of
    these, and whole numbers and truth values stay what they are where some are missing."""
    frame = rows.to_pandas()
    for column in rows.schema:
        values = rows[column.name]
        kind = (types or {}).get(column.name)
        if kind is None or _kind_of_values(kind) != _kind_of_values(column.type.to_pandas_dtype()):
            kind = _nullable(column.type) if values.null_count else None
        if kind is not None and frame[column.name].dtype != kind:
            frame[column.name] = values.to_pandas(types_mapper={column.type: kind}.get)
    return frame


def _kind_of_values(kind: Any) -> str:
    """Numbers, truth values, times or others, as a letter of NumPy's."""
    import pandas as pd

    return str(pd.api.types.pandas_dtype(kind).kind).replace("u", "i").replace("U", "O")


def _nullable(kind: Any) -> Any:
    """The type of pandas for whole numbers or truth values of which some are missing; None for other values."""
    import pandas as pd
    from pyarrow import types

    if types.is_boolean(kind):
        return pd.BooleanDtype()
    return (
        pd.api.types.pandas_dtype(str(kind).replace("uint", "UInt").replace("int", "Int"))
        if types.is_integer(kind)
        else None
    )


def _as_geopandas(rows: Any, kind: FrameKind, wanted: Mapping[str, Categories]) -> Any:
    """Geometries again, where they were released as they came."""
    frame = _as_pandas(rows, kind, {name: known for name, known in wanted.items() if name != kind.geometry})
    if kind.geometry not in frame or kind.geometry in wanted:
        return frame
    import geopandas

    shapes = geopandas.GeoSeries.from_wkt(frame[kind.geometry], crs=kind.crs)
    return geopandas.GeoDataFrame(frame, geometry=shapes).set_geometry(kind.geometry)


def _as_polars(rows: Any, kind: FrameKind, wanted: Mapping[str, Categories]) -> Any:  # noqa: ARG001
    import polars as pl

    types = {name: pl.Enum(_occurring(rows, name, known.order)) for name, known in wanted.items()}
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    return frame.with_columns(pl.col(name).cast(pl.String).cast(kind) for name, kind in types.items())


def _as_arrow_table(rows: Any, kind: FrameKind, wanted: Mapping[str, Categories]) -> Any:  # noqa: ARG001
    import pyarrow as pa

    for name, known in wanted.items():
        values = _occurring(rows, name, known.order)
        place = {value: number for number, value in enumerate(values)}
        codes = pa.array([place.get(value) for value in rows[name].to_pylist()], pa.int32())
        column = pa.DictionaryArray.from_arrays(codes, pa.array(values, pa.string()), ordered=bool(known.order))
        rows = rows.set_column(rows.schema.get_field_index(name), name, column)
    return rows


def _as_ibis(rows: Any, kind: FrameKind, wanted: Mapping[str, Categories]) -> Any:  # noqa: ARG001
    import ibis

    return ibis.memtable(rows)


_LIBRARIES: dict[str, Callable[[Any, FrameKind, Mapping[str, Categories]], Any]] = {
    "geopandas": _as_geopandas,
    "ibis": _as_ibis,
    "polars": _as_polars,
    "pyarrow": _as_arrow_table,
}
"""How rows become the frame of a library; of any other they become one of pandas."""
