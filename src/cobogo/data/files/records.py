"""Tables that programs store: JSON Lines, Arrow and Feather files, and tables of a SQLite database."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import literal
from cobogo.data.files.cells import text_column
from cobogo.data.files.encodings import GZIP, ZSTD, first_bytes
from cobogo.data.files.formats import FileContent, choose, incomplete
from cobogo.data.policy import Data
from cobogo.errors import DataError
from cobogo.floor.language import tr


def read_arrow(file: str, data: Data) -> FileContent:  # noqa: ARG001
    """An Arrow or Feather file, or a stream; it has types of its own, which stay."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        if first_bytes(file, 4) == b"FEA1":
            table = feather.read_table(file)
            return FileContent(table.schema, table.to_batches())
        opened = pa.ipc.open_file if first_bytes(file, 6) == b"ARROW1" else pa.ipc.open_stream
        table = opened(pa.memory_map(file)).read_all()
    except (pa.ArrowException, OSError):
        raise incomplete(file, "Arrow") from None
    plain = _without_dictionaries(table)
    return FileContent(plain.schema, plain.to_batches())


def _without_dictionaries(table: Any) -> Any:
    """A table whose categories are plain values; a column of NULLs alone, which has no type, is text."""
    import pyarrow as pa

    def plain(kind: Any) -> Any:
        if pa.types.is_null(kind):
            return pa.string()
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    return table.cast(pa.schema([pa.field(field.name, plain(field.type)) for field in table.schema]))


_LINES = tr('Write one object in each line: {"age": 34, "sex": "F"}.')


def read_json_lines(file: str, data: Data) -> FileContent:  # noqa: ARG001
    """One object in each line. Values are taken as they are written; what is nested stays JSON."""
    import duckdb
    import pyarrow as pa

    packed = {GZIP: "gzip", ZSTD[:2]: "zstd"}.get(first_bytes(file, 2), "uncompressed")
    lines = f"read_json_objects({literal(glob.escape(file))}, format='newline_delimited', compression='{packed}')"
    connection = duckdb.connect()
    try:
        if connection.execute(f"SELECT count(*) FROM {lines} WHERE json_type(json) <> 'OBJECT'").fetchone() != (0,):
            raise DataError(
                tr("has lines that are not objects"),
                where=file,
                remedy=_LINES,
                code="COBOGO-DATA-LINE",
            )
        names = [name for (name,) in connection.execute(_KEYS.format(lines=lines)).fetchall()]
        if not names:
            raise DataError(
                tr("has no objects whose keys name the columns"),
                where=file,
                remedy=_LINES,
                code="COBOGO-DATA-EMPTY",
            )
        pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
        parts = ", ".join("json ->> ?" for _ in names)
        batches = connection.execute(f"SELECT {parts} FROM {lines}", pointers).to_arrow_reader(100_000)
    except duckdb.Error:
        raise incomplete(file, "JSON Lines") from None
    schema = pa.schema([(name, pa.string()) for name in names])
    return FileContent(schema, (pa.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in batches))


_KEYS = """
WITH numbered AS (SELECT row_number() OVER () AS row, json_keys(json) AS keys FROM {lines}),
     listed AS (SELECT row, unnest(keys) AS name, generate_subscripts(keys, 1) AS place FROM numbered)
SELECT name FROM listed GROUP BY name ORDER BY min(row), min(place)
"""
"""The keys of all objects, in the order in which they appear."""


def read_sqlite(file: str, data: Data) -> FileContent:
    """A table of a SQLite database, which is not changed. Views are not read: they may compute without an end."""
    import sqlite3

    import pyarrow as pa

    connection = sqlite3.connect(f"{Path(file).absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        known = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        tables = sorted(name for (name,) in connection.execute(known))
        name = choose(data.table, tables, "table", tr("tables"), file)
        cursor = connection.execute('SELECT * FROM "{}"'.format(name.replace('"', '""')))
    except sqlite3.Error:
        raise incomplete(file, "SQLite") from None
    schema = pa.schema([(column[0], pa.string()) for column in cursor.description])

    def batches() -> Iterator[Any]:
        try:
            while rows := cursor.fetchmany(100_000):
                columns = list(zip(*rows, strict=True))
                _refuse_bytes(columns, schema.names, file)
                yield pa.RecordBatch.from_arrays([text_column(column) for column in columns], schema=schema)
        except sqlite3.Error:
            raise incomplete(file, "SQLite") from None
        finally:
            connection.close()

    return FileContent(schema, batches(), keys={"table": name})


def _refuse_bytes(columns: Sequence[Sequence[Any]], names: Sequence[str], file: str) -> None:
    for name, column in zip(names, columns, strict=True):
        if any(isinstance(cell, bytes) for cell in column):
            raise DataError(
                tr('the column "{name}" has bytes that are not text', name=name),
                where=file,
                remedy=tr("Make a table without this column."),
                code="COBOGO-DATA-TYPE",
            )
