"""Columns in bulk: a table as a stream of Arrow batches, values as codes, codes as values."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.table.coder import Coder
from cobogo.data.table.read import Table

Codes = NDArray[np.int64]


def streamed(table: Table, columns: Sequence[str], texts: Collection[str] = ()) -> Iterator[Any]:
    """Some columns of a table as Arrow batches; those of ``texts`` as text (or codes of texts), others as they are."""
    rows = table.expression
    chosen = {name: table.text(name) if name in texts else rows[name] for name in columns}
    yield from table.engine.batches(rows.select(**chosen))


def counted(table: Table, name: str) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The distinct values of a column in the order of their texts, NULL last, and how many rows have each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = table.expression.select(value=table.text(name))
    found = values.group_by("value").aggregate(records=values.count())
    batches = list(table.engine.counts(found))
    texts = pa.chunked_array([batch.column("value").cast(pa.string()) for batch in batches], pa.string())
    records = pa.chunked_array([batch.column("records").cast(pa.int64()) for batch in batches], pa.int64())
    order = pc.sort_indices(texts)  # NULL last
    return tuple(texts.take(order).to_pylist()), records.take(order).to_numpy()


def codes(column: Any, places: Mapping[Label, int]) -> Codes:
    """A batch's column of text as the places of its values; −1 for a value that has none."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    known = [places.get(word, -1) for word in encoded.dictionary.to_pylist()]
    lookup = np.array([*known, places.get(None, -1)], dtype=np.int64)
    indices = encoded.indices.cast(pa.int64()).fill_null(len(known)).to_numpy(zero_copy_only=False)
    return np.asarray(lookup[indices])


def kind_of(table: Table, name: str) -> Any:
    """The Arrow type of a column that is not text; None of one that is."""
    kind = table.expression.schema()[name]
    return None if kind.is_string() else kind.to_pyarrow()


def labelled(codes: NDArray[Any], labels: Sequence[Label], kind: Any = None) -> Any:
    """Codes as an Arrow column of the texts that they stand for, each of which is kept once; or of the type given, if
    all the texts can be read as such."""
    import pyarrow as pa

    known = [label for label in labels if label is not None]
    place = np.cumsum([label is not None for label in labels]) - 1
    missing = np.array([label is None for label in labels], dtype=np.bool_)
    indices = pa.array(place[codes].astype(np.int32), mask=missing[codes])
    texts = pa.array(known, pa.string())
    if kind is not None:
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return texts.cast(kind).take(indices)
    return pa.DictionaryArray.from_arrays(indices, texts)


def replaced(batch: Any, columns: Mapping[str, Any]) -> Any:
    """A batch with some of its columns exchanged."""
    import pyarrow as pa

    names = batch.schema.names
    return pa.RecordBatch.from_arrays([columns.get(name, batch.column(name)) for name in names], names=names)


def whole(table: Table, columns: Sequence[str]) -> tuple[dict[str, NDArray[np.int32]], dict[str, tuple[Label, ...]]]:
    """Some columns of a table in memory, as codes into the sorted distinct values of each, in one order of rows."""
    coders = {name: Coder() for name in columns}
    for batch in streamed(table, columns, texts=columns):
        for name, coder in coders.items():
            coder.add(batch.column(name))
    found = {name: coder.column() for name, coder in coders.items()}
    return {name: column[0] for name, column in found.items()}, {name: column[1] for name, column in found.items()}
