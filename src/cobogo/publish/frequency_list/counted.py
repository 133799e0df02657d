"""Where the true list of counts comes from: a column of items, counted by the engine; or a column of counts.

No item is ever brought out of the engine: what leaves it is how many items occur how often.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.table.read import Table
from cobogo.errors import DataError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.publish.frequency_list.outline import Counts

LINE = "item"
"""What the column of a text file is called, which has none."""

AT_ONCE = 1 << 24
"""Bytes of a text file that are read at a time."""


def count_items(table: Table, column: str) -> Counts:
    """How many items of a column occur how often. Rows without one are counted as one item, NULL."""
    values = table.expression.select(value=table.text(column))
    each = values.group_by("value").aggregate(records=values.count())
    return _fetch_counts(table, each.group_by("records").aggregate(items=each.count()))


def read_counts(table: Table, column: str) -> Counts:
    """The same of a column that has the count of one item in each row."""
    values = table.expression.select(records=table.expression[column])
    if not table.expression.schema()[column].is_integer():
        text = table.expression.select(text=table.text(column))
        wrong = text.filter(text["text"].isnull() | ~text["text"].re_search(r"^[0-9]{1,18}$"))
        found = int(table.engine.fetch(wrong.aggregate(found=wrong.count()))["found"][0].as_py())
        if found:
            raise DataError(
                f'{found:,} rows of "{column}" hold no whole number',
                where=table.name,
                remedy="Give a column of counts, or leave out --counts to have its values counted.",
            )
        values = text.select(records=text["text"].cast("int64"))
    return _fetch_counts(table, values.group_by("records").aggregate(items=values.count()))


def _fetch_counts(table: Table, pairs: Any) -> Counts:
    found = table.engine.fetch(pairs)
    counts = found["records"].to_numpy().astype(np.int64)
    items = found["items"].to_numpy().astype(np.int64)
    if (counts < 0).any():
        raise DataError("holds counts below 0", where=table.name, remedy="A count is a whole number, 0 or more.")
    order = np.argsort(-counts)
    there = order[counts[order] > 0]
    return Counts(counts[there], items[there])


@contextmanager
def convert_lines(path: Path, encoding: str) -> Iterator[Path]:
    """A text file of one item a line as a Parquet file, in a directory that goes with the block."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    home = create_scratch(Path(tempfile.gettempdir()), "cobogo-items-")
    try:
        file = home / "items.parquet"
        try:
            reader = csv.open_csv(
                path,
                csv.ReadOptions(column_names=[LINE], encoding=encoding, block_size=AT_ONCE),
                csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
                csv.ConvertOptions(column_types={LINE: pa.string()}, strings_can_be_null=False),
            )
            with pq.ParquetWriter(file, reader.schema, compression="lz4") as writer:
                for batch in reader:
                    writer.write_batch(batch)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(
                f"cannot be read as lines of text: {type(error).__name__}",
                where=str(path),
                remedy="Is it there, and in this encoding? --encoding latin-1 reads anything.",
            ) from None
        yield file
    finally:
        remove_scratch(home)
