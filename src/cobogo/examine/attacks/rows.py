"""Tables as attacks see them: every column coded, row after row, in the order in which they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain, Histogram
from cobogo.data.hierarchy import Label
from cobogo.data.table.columns import Coder, Column
from cobogo.data.table.frequency import number_tuples
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """The rows of a table as codes into each column's sorted distinct values, NULL last."""

    name: str  # what messages call the table
    columns: Mapping[str, Column]
    count: int

    @classmethod
    def of(cls, table: Table) -> Rows:
        """All rows of a table."""
        names = list(table.columns)
        keyed = table.expression.select(**{f"c{number}": table.text(name) for number, name in enumerate(names)})
        coders, count = [Coder() for _ in names], 0
        for batch in table.engine.batches(keyed):
            count += batch.num_rows
            for number, coder in enumerate(coders):
                coder.add(batch.column(f"c{number}"))
        return cls(table.name, {name: coder.column() for name, coder in zip(names, coders, strict=True)}, count)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.columns)

    def codes(self, name: str) -> NDArray[np.int32]:
        """A column's codes."""
        return self.columns[name][0]

    def labels(self, name: str) -> tuple[Label, ...]:
        """A column's distinct values, by code."""
        return self.columns[name][1]

    def grouped(self, names: Sequence[str]) -> RowGroups:
        """The rows that are alike in some columns; without columns all are."""
        sizes = [len(self.labels(name)) for name in names]
        ids, first = number_tuples([self.codes(name) for name in names], sizes, self.count)
        codes = np.array([self.codes(name)[first] for name in names], dtype=np.int32).reshape(len(names), len(first))
        return RowGroups(tuple(names), ids, np.ascontiguousarray(codes.T), np.bincount(ids, minlength=len(first)))

    def where(self, chosen: NDArray[np.bool_]) -> Rows:
        """Some of the rows."""
        columns = {name: (codes[chosen], labels) for name, (codes, labels) in self.columns.items()}
        return Rows(self.name, columns, int(chosen.sum()))

    def histogram(self, name: str, groups: RowGroups) -> Histogram:
        """How often each value of a column occurs in each group."""
        codes, labels = self.columns[name]
        width = max(len(labels), 1)
        pairs, counts = np.unique(groups.ids * width + codes, return_counts=True)
        offsets = np.searchsorted(pairs // width, np.arange(len(groups) + 1)).astype(np.int64)
        domain = Domain(name, labels, np.bincount(codes, minlength=len(labels)).astype(np.int64))
        return Histogram(offsets, (pairs % width).astype(np.int32), counts.astype(np.int64), domain)


@dataclass(frozen=True, eq=False, repr=False)
class RowGroups:
    """Rows alike: ``ids`` tells each row's group, ``codes`` each group's values, ``sizes`` its number of rows."""

    names: tuple[str, ...]
    ids: Ints
    codes: NDArray[np.int32]
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    def first_rows(self) -> Ints:
        """The number of one row of each group; the first row of data is 1."""
        found = np.zeros(len(self), dtype=np.int64)
        found[self.ids[::-1]] = np.arange(len(self.ids), 0, -1)
        return found
