"""Columns in bulk: a table as a stream of Arrow batches, values as codes, codes as values, values replaced."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.hierarchy import Label
from cobogo.data.table.read import Table
from cobogo.errors import DataError
from cobogo.floor.language import tr

Column = tuple[NDArray[np.int32], tuple[Label, ...]]
"""A coded column: each row's code, and the label of each code."""


def _numbers(column: Any, missing: int) -> NDArray[np.int32]:
    """An Arrow array of whole numbers with one of our own for NULL. Arrow's functions would take longer to load than a
    small table takes to read."""
    found = column.to_numpy(zero_copy_only=False)  # of floating point where something is NULL
    return (np.where(np.isnan(found), missing, found) if column.null_count else found).astype(np.int32)


class Coder:
    """Codes of a column whose batches come one by one.

    >>> import pyarrow as pa
    >>> coder = Coder()
    >>> coder.add(pa.array(["b", None]))
    >>> coder.add(pa.array(["a", "b"]))
    >>> codes, labels = coder.column()
    >>> codes.tolist(), labels
    ([1, 2, 0, 1], ('a', 'b', None))
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[NDArray[Any]] = []

    def add(self, column: Any) -> None:
        """The next batch: an Arrow array of text, or of codes of texts (not all of which need occur)."""
        import pyarrow as pa

        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        words: list[str] = encoded.dictionary.to_pylist()
        places = _numbers(encoded.indices, len(words))
        there = np.unique(places[places < len(words)]).tolist()
        numbers = np.full(len(words) + 1, -1, dtype=np.int32)
        numbers[there] = [self._numbers.setdefault(words[place], len(self._numbers)) for place in there]
        self._parts.append(numbers[places].astype(_narrowest(len(self._numbers))))

    def column(self, *, narrow: bool = False) -> Column:
        """All of them, as codes into the sorted distinct values, NULL last.

        ``narrow``: codes of a byte or two, where they fit, for whoever computes nothing with them in their own type.
        """
        codes = np.concatenate([*self._parts, np.zeros(0, dtype=np.int8)])
        self._parts.clear()
        words = sorted(self._numbers)
        labels: list[Label] = [*words]
        rank = np.empty(len(words) + 1, dtype=np.int32)
        rank[[self._numbers[word] for word in words]] = np.arange(len(words), dtype=np.int32)
        rank[-1] = len(words)
        if (codes < 0).any():
            labels.append(None)
        return (rank.astype(codes.dtype) if narrow else rank)[codes], tuple(labels)


def _narrowest(values: int) -> np.dtype[Any]:
    """The type of codes below a number; −1 is one, and so is the number itself."""
    return np.min_scalar_type(-values - 1)


Codes = NDArray[np.int64]


def stream_columns(table: Table, columns: Sequence[str], texts: Collection[str] = ()) -> Iterator[Any]:
    """Some columns of a table as Arrow batches; those of ``texts`` as text (or codes of texts), others as they are."""
    refuse_apart(table)
    yield from table.engine.batches(choose_columns(table, columns, texts))


def choose_columns(table: Table, columns: Sequence[str], texts: Collection[str] = ()) -> Expression:
    """Some columns of a table; those of ``texts`` as text, others as they are."""
    rows = table.expression
    return rows.select(**{name: table.text(name) if name in texts else rows[name] for name in columns})


def refuse_apart(table: Table) -> None:
    """Refuse to bring the records of an engine here that keeps them where they are."""
    if table.engine.keeps_records:
        raise DataError(
            tr(
                "this needs all records in one process, and {engine} keeps them where they are",
                engine=table.engine.name,
            ),
            where=table.name,
            remedy=tr("Export the table to a file, and use DuckDB: docs/engines.md lists what each engine does."),
            code="COBOGO-ENGINE",
        )


def count_values(table: Table, name: str) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
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


def encode_column(column: Any, places: Mapping[Label, int]) -> Codes:
    """A batch's column of text as the places of its values; −1 for a value that has none."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    known = [places.get(word, -1) for word in encoded.dictionary.to_pylist()]
    lookup = np.array([*known, places.get(None, -1)], dtype=np.int64)
    indices = encoded.indices.cast(pa.int64()).fill_null(len(known)).to_numpy(zero_copy_only=False)
    return np.asarray(lookup[indices])


def arrow_type(table: Table, name: str) -> Any:
    """The Arrow type of a column that is not text; None of one that is."""
    only = table.expression.select(name)
    return None if only.schema()[name].is_string() else table.engine.arrow_schema(only).field(0).type


def decode_column(codes: NDArray[Any], labels: Sequence[Label], kind: Any = None) -> Any:
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


def replace_columns(batch: Any, columns: Mapping[str, Any]) -> Any:
    """A batch with some of its columns exchanged."""
    import pyarrow as pa

    names = batch.schema.names
    return pa.RecordBatch.from_arrays([columns.get(name, batch.column(name)) for name in names], names=names)


def load_coded_columns(
    table: Table, columns: Sequence[str]
) -> tuple[dict[str, NDArray[np.int32]], dict[str, tuple[Label, ...]]]:
    """Some columns of a table in memory, as codes into the sorted distinct values of each, in one order of rows."""
    coders = {name: Coder() for name in columns}
    for batch in stream_columns(table, columns, texts=columns):
        for name, coder in coders.items():
            coder.add(batch.column(name))
    found = {name: coder.column() for name, coder in coders.items()}
    return {name: column[0] for name, column in found.items()}, {name: column[1] for name, column in found.items()}


def replace_values(engine: Engine, rows: Expression, attribute: str, recoding: Mapping[Label, Label]) -> Expression:
    """The rows with one column's values replaced; a value that is not among them becomes NULL."""
    import pyarrow as pa

    before, after = unused_names(rows.columns, 2)
    text = pa.string()
    mapping = engine.lookup(
        pa.table({before: pa.array(list(recoding), type=text), after: pa.array(list(recoding.values()), type=text)})
    )
    joined = rows.left_join(mapping, engine.same(engine.text(rows[attribute]), mapping[before]))
    return joined.select(**{name: joined[after] if name == attribute else joined[name] for name in rows.columns})


def unused_names(columns: Sequence[str], count: int) -> list[str]:
    """Names for columns of our own that no column of the data has, in any case of letters."""
    taken = {name.casefold() for name in columns}
    names = (f"cobogo_{number}" for number in itertools.count())
    return list(itertools.islice((name for name in names if name not in taken), count))


def read_times(texts: Sequence[Any], form: str) -> NDArray[np.datetime64]:
    """Texts as times; NaT for a text that is not in the format.

    >>> read_times(["01/02/2020", "30/02/2020", None], "%d/%m/%Y").tolist()[0].isoformat()
    '2020-02-01T00:00:00'
    """
    import pandas as pd

    times = pd.to_datetime(pd.Series(list(texts), dtype=object), format=form, errors="coerce", exact=True)
    return times.to_numpy().astype("datetime64[us]")


def write_times(times: NDArray[np.datetime64], form: str) -> NDArray[np.object_]:
    """Times as texts in the format, None for NaT."""
    import pandas as pd

    codes, distinct = pd.factorize(times)
    texts = np.array([*pd.DatetimeIndex(distinct).strftime(form), None], dtype=object)
    return np.asarray(texts[codes])


def shortest_texts(values: Any) -> Any:
    """An Arrow array (or a chunked one) of floats as one of text. Each distinct value is written once.

    >>> import pyarrow as pa
    >>> shortest_texts(pa.array([1.0, 1e16, None, float("nan")])).to_pylist()
    ['1.0', '1e+16', None, 'nan']
    >>> shortest_texts(pa.array([0.1, 4025499.75], pa.float32())).to_pylist()
    ['0.1', '4025499.8']
    """
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    coded = whole.dictionary_encode()
    narrow = values.type != pa.float64()
    known = coded.dictionary.to_numpy(zero_copy_only=False)
    words = [repr(float(str(value)) if narrow else float(value)) for value in known]
    return pa.array(words, pa.string()).take(coded.indices)
