"""Tables as attacks read them: every column as codes, rows in the order of the file."""

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
    def read(cls, table: Table) -> Rows:
        """Read and code all rows of a table."""
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

    def value_counts(self, name: str) -> Ints:
        """How many rows have each of a column's distinct values, by code."""
        return np.bincount(self.codes(name), minlength=len(self.labels(name))).astype(np.int64)

    def group(self, names: Sequence[str]) -> RowGroups:
        """Group the rows by their values in some columns; without columns, all rows are one group."""
        sizes = [len(self.labels(name)) for name in names]
        ids, first = number_tuples([self.codes(name) for name in names], sizes, self.count)
        codes = np.array([self.codes(name)[first] for name in names], dtype=np.int32).reshape(len(names), len(first))
        return RowGroups(tuple(names), ids, np.ascontiguousarray(codes.T), np.bincount(ids, minlength=len(first)))

    def recode(self, numbers: Mapping[str, Ints]) -> Rows:
        """Some columns, with other codes: for each, the new code of each code. The new codes have no labels."""
        columns: dict[str, Column] = {
            name: (new[self.codes(name)].astype(np.int32), (None,) * (int(new.max(initial=-1)) + 1))
            for name, new in numbers.items()
        }
        return Rows(self.name, columns, self.count)

    def where(self, chosen: NDArray[np.bool_]) -> Rows:
        """The chosen rows."""
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


def code_alike(columns: Sequence[Column]) -> tuple[list[Ints], tuple[Label, ...]]:
    """Code several columns by one list of labels: the codes of each column, and the labels.

    >>> code_alike([(np.array([0, 1]), ("a", "b")), (np.array([0, 0]), ("b",))])
    ([array([0, 1]), array([1, 1])], ('a', 'b'))
    """
    index = {
        label: code for code, label in enumerate(dict.fromkeys(label for _, labels in columns for label in labels))
    }
    codes = [np.array([index[label] for label in labels], dtype=np.int64)[own] for own, labels in columns]
    return codes, tuple(index)


def concatenate_ranges(begins: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The numbers of several ranges one after another: for each number its range, and the number.

    >>> concatenate_ranges(np.array([5, 0]), np.array([2, 3]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 0, 1, 2]))
    """
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners, np.arange(len(owners)) - (np.cumsum(lengths) - lengths - begins)[owners]


@dataclass(frozen=True, eq=False, repr=False)
class RowGroups:
    """Groups of equal rows: ``ids`` is each row's group, ``codes`` are each group's values, ``sizes`` its rows."""

    names: tuple[str, ...]
    ids: Ints
    codes: NDArray[np.int32]
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    def first_rows(self) -> Ints:
        """The number of the first row of each group; the first row of data is 1."""
        numbers = np.zeros(len(self), dtype=np.int64)
        numbers[self.ids[::-1]] = np.arange(len(self.ids), 0, -1)
        return numbers
