"""A table in memory while it is perturbed: the columns that steps need as codes, the others as they were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import Label
from cobogo.data.table.columns import Coder, decode_column, stream_columns
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Floats, Ints

ROWS_AT_ONCE = 1 << 17

DIGITS_AT_MOST = 6
"""Digits after the decimal mark that numbers are written with; fewer where the data has fewer."""


@dataclass(repr=False)
class CodedColumn:
    """A column: each row's code, and the label of each code."""

    codes: NDArray[np.int32]
    labels: tuple[Label, ...]

    def counts(self) -> Ints:
        """How many rows have each label."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64)

    def numbers(self, decimal: str) -> Floats:
        """Each row's value as a number; NaN for NULL and for other texts."""
        return np.array([parse_number(label, decimal) for label in self.labels] or [np.nan])[self.codes]

    def ranks(self, decimal: str) -> Ints:
        """The rank of each row's value: as numbers where all values are numbers, otherwise as texts.

        NULL ranks last, and equal values have equal ranks.
        """
        values = np.array([parse_number(label, decimal) for label in self.labels] or [np.nan])
        known = np.array([label is not None for label in self.labels], dtype=np.bool_)
        if np.isnan(values[known]).any():
            return self.codes.astype(np.int64)
        distinct = np.unique(values)  # NaN, which stands for NULL, is the largest
        return np.searchsorted(distinct, values)[self.codes].astype(np.int64)


@dataclass(repr=False)
class CodedTable:
    """The whole table. Columns that no step needs stay Arrow arrays."""

    rows: int
    coded: dict[str, CodedColumn]
    others: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, table: Table, columns: Sequence[str], needed: Sequence[str]) -> CodedTable:
        """Read a table once, so that the rows of all columns have the same order."""
        import pyarrow as pa

        coders = {name: Coder() for name in needed}
        others: dict[str, list[Any]] = {name: [] for name in columns if name not in coders}
        rows = 0
        for batch in stream_columns(table, [*columns], texts=needed):
            rows += batch.num_rows
            for name, coder in coders.items():
                coder.add(batch.column(name))
            for name, parts in others.items():
                parts.append(batch.column(name))
        coded = {name: CodedColumn(*coder.column()) for name, coder in coders.items()}
        return cls(rows, coded, {name: pa.chunked_array(parts) for name, parts in others.items()})

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as Arrow batches."""
        import pyarrow as pa

        whole = {
            name: self.others[name]
            if name in self.others
            else decode_column(self.coded[name].codes, self.coded[name].labels)
            for name in columns
        }
        table = pa.table({name: pa.chunked_array([column]) if isinstance(column, pa.Array) else column
                          for name, column in whole.items()})  # fmt: skip
        yield from table.to_batches(max_chunksize=ROWS_AT_ONCE)


def decimal_places(labels: Sequence[Label], decimal: str) -> int:
    """The largest number of digits after the decimal mark in a column.

    >>> decimal_places(("1.25", "3", None), "."), decimal_places(("1,5",), ",")
    (2, 1)
    """
    found = (len(label.partition(decimal)[2]) for label in labels if label is not None and "e" not in label.lower())
    return min(max(found, default=0), DIGITS_AT_MOST)


def write_numbers(values: Floats, places: int, decimal: str) -> CodedColumn:
    """Write numbers with ``places`` digits after the decimal mark, each distinct number once; NaN becomes NULL.

    >>> column = write_numbers(np.array([1.25, -0.004, np.nan]), 2, ",")
    >>> [column.labels[code] for code in column.codes]
    ['1,25', '0,00', None]
    """
    known = ~np.isnan(values)
    rounded = np.round(values[known], places) + 0.0  # no negative zero
    distinct, codes = np.unique(rounded, return_inverse=True)
    texts = np.char.mod(f"%.{places}f", distinct).tolist() if len(distinct) else []
    whole = np.full(len(values), len(texts), dtype=np.int32)
    whole[known] = codes
    labels: tuple[Label, ...] = tuple(text.replace(".", decimal) for text in texts)
    return CodedColumn(whole, labels if known.all() else (*labels, None))
