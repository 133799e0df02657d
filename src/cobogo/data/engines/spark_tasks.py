"""What Spark's workers do beside Java, in Python: parse files, count, change rows, write floats as text.

Each function here makes one that is sent to them. A worker's error comes back inside many words of Spark's, which may
quote values: `run` marks ours, and `find_error` takes out of those words what we said and nothing else.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from cobogo.data.files.listing import csv_columns, csv_error
from cobogo.data.policy import Data
from cobogo.errors import CobogoError, DataError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import change_error, error_from_json, error_to_json

Task = Callable[[Iterator[Any]], Iterator[Any]]
"""From the Arrow batches of a part of a table to others."""

_MARK = "cobogo-complaint:"


def marked(task: Task) -> Task:
    """A task whose errors of ours can be found again."""

    @wraps(task)
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from task(batches)
        except CobogoError as error:
            raise RuntimeError(_MARK + json.dumps(error_to_json(error)) + _MARK) from None

    return run


def find_error(error: Exception) -> DataError | None:
    """What a task complained of, out of all that Spark says around it."""
    found = re.search(f"{_MARK}(.*?){_MARK}", str(error), re.DOTALL)
    if found is None:
        return None
    said = error_from_json(json.loads(found[1]))
    return DataError(said.what, where=said.where, remedy=said.remedy, code=said.code)


def parse_files(names: list[str], data: Data) -> Task:
    """Rows of CSV files on a disk that workers share, from their names."""

    @marked
    def parse(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for file in batch.column(0).to_pylist():
                yield from _rows(file, names, data)

    return parse


def parse_contents(names: list[str], data: Data) -> Task:
    """Rows of CSV files from their names and contents. Each must have the columns given."""

    def rows(copy: str, name: str) -> Iterator[Any]:
        if csv_columns([copy], data) != names:
            raise DataError(
                tr("has other columns than the first file"),
                where=name,
                remedy=tr("Give files that are read together the same header."),
                code="COBOGO-DATA-HEADER",
            )
        return _rows(copy, names, data)

    return _with_copies(rows)


def parse_headers(data: Data) -> Task:
    """The names of the columns of CSV files, in the column ``name``, from the files' names and contents."""

    def header(copy: str, _: str) -> Iterator[Any]:
        import pyarrow as pa

        yield pa.RecordBatch.from_pydict({"name": csv_columns([copy], data)})

    return _with_copies(header)


def _with_copies(read: Callable[[str, str], Iterator[Any]]) -> Task:
    """Read each file's content as a file of the worker's own, which is gone afterwards; errors name the original."""

    @marked
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for name, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                with tempfile.TemporaryDirectory(prefix="cobogo-") as home:
                    copy = str(Path(home, "file.csv.gz" if name.endswith(".gz") else "file.csv"))
                    Path(copy).write_bytes(content.as_buffer())
                    try:
                        yield from read(copy, name)
                    except CobogoError as error:
                        raise change_error(error, lambda text: text.replace(copy, name)) from None  # noqa: B023

    return run


def _rows(file: str, names: list[str], data: Data) -> Iterator[Any]:
    import duckdb

    from cobogo.data.engines.duck import read_csv

    try:
        with duckdb.connect() as parser:
            yield from parser.execute(f"SELECT * FROM {read_csv([file], names, data)}").to_arrow_reader()
    except duckdb.Error as error:
        raise csv_error(str(error), file, data) from None


def tally_batches(count: Callable[[Any], Any], size: int) -> Task:
    """All batches into one sum of whole numbers."""

    def tally(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        found = np.zeros(size, dtype=np.int64)
        for batch in batches:
            found += count(batch)
        yield pa.RecordBatch.from_pydict({"counts": pa.array([found.astype("<i8").tobytes()], pa.binary())})

    return tally


def change_batches(change: Callable[[Any], Any], schema: Any) -> Task:
    """Rows that a function makes of each batch."""

    @marked
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield change(batch).cast(schema)

    return run


def pack_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Each batch as bytes in one row, to be fetched part by part."""
    import pyarrow as pa

    for batch in batches:
        with pa.BufferOutputStream() as stream, pa.ipc.new_stream(stream, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_pydict({"batch": pa.array([stream.getvalue().to_pybytes()], pa.binary())})


def unpack_batches(packed: bytes) -> Iterator[Any]:
    """The batches of one row of `pack_batches`."""
    import pyarrow as pa

    yield from pa.ipc.open_stream(io.BytesIO(packed))


def float_function(kind: str) -> Any:
    """Floats as text."""
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    def as_text(values: pd.Series) -> pd.Series:
        import pyarrow as pa

        from cobogo.data.table.columns import shortest_texts

        width = pa.float32() if kind == "float" else pa.float64()
        written: pd.Series = shortest_texts(pa.array(values, type=width, from_pandas=False)).to_pandas()
        return written

    as_text.__annotations__ = {"values": pd.Series, "return": pd.Series}
    return pandas_udf(as_text, "string")


def text_schema(names: Sequence[str]) -> Any:
    """The schema of a table of text."""
    from pyspark.sql.types import StringType, StructField, StructType

    return StructType([StructField(name, StringType()) for name in names])


def without_codes(schema: Any) -> Any:
    """An Arrow schema whose texts are not kept as codes, which Spark does not read."""
    import pyarrow as pa

    return pa.schema(
        [pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema]
    )
