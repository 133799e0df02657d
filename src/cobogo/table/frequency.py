"""The frequency table: the distinct quasi-identifier tuples of a table, coded, counted, with their sensitive values.

Everything the recoding algorithms see of the data. The engine makes it with one GROUP BY.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.hierarchy import Label
from cobogo.models.base import Classes, Histogram, Ints
from cobogo.table.read import Table


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """``codes[i]`` is a distinct tuple (as codes into ``values``), ``counts[i]`` the number of its records."""

    quasi_identifiers: tuple[str, ...]
    values: Mapping[
        str, tuple[Label, ...]
    ]  # of quasi-identifiers and sensitive attributes, in the order of their codes
    codes: NDArray[np.int32]  # tuples × quasi-identifiers
    counts: Ints
    histograms: Mapping[str, Histogram]

    @property
    def records(self) -> int:
        """How many records the table has."""
        return int(self.counts.sum())

    def classes(self) -> Classes:
        """Each distinct tuple as an equivalence class: the table as it stands."""
        return Classes(self.counts, self.histograms)

    def tuple_labels(self, number: int) -> tuple[Label, ...]:
        """The values of one distinct tuple."""
        return tuple(
            self.values[name][code] for name, code in zip(self.quasi_identifiers, self.codes[number], strict=True)
        )

    def marginal(self, position: int) -> Ints:
        """How many records hold each value of one quasi-identifier."""
        name = self.quasi_identifiers[position]
        total = np.zeros(len(self.values[name]), dtype=np.int64)
        np.add.at(total, self.codes[:, position], self.counts)
        return total


def frequency_table(table: Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> FrequencyTable:
    """Count a table in its engine. Deterministic: values and tuples come sorted, whatever the engine's order."""
    names = [*quasi_identifiers, *sensitive]
    keys = {f"c{number}": table.text(name) for number, name in enumerate(names)}
    keyed = table.expression.select(**keys) if keys else table.expression
    counted = keyed.group_by(list(keys)).aggregate(records=keyed.count()).to_pyarrow()
    columns = [_encode(counted.column(key)) for key in keys]
    counts = counted.column("records").to_numpy().astype(np.int64)
    values = dict(zip(names, (labels for _, labels in columns), strict=True))
    width = len(quasi_identifiers)
    quasi = [codes for codes, _ in columns[:width]]
    ids, representatives = number_tuples(quasi, [len(labels) for _, labels in columns[:width]], len(counts))
    codes = (
        np.column_stack([column[representatives] for column in quasi]) if quasi else np.zeros((len(representatives), 0))
    )
    return FrequencyTable(
        quasi_identifiers=tuple(quasi_identifiers),
        values=values,
        codes=np.ascontiguousarray(codes, dtype=np.int32),
        counts=_sums(ids, counts, len(representatives)),
        histograms={
            name: _histogram(ids, columns[width + number], counts, len(representatives))
            for number, name in enumerate(sensitive)
        },
    )


def number_tuples(
    columns: Sequence[NDArray[np.int32]], sizes: Sequence[int], rows: int
) -> tuple[Ints, NDArray[np.intp]]:
    """Number the distinct tuples of coded columns in lexicographic order: each row's number, and a row for each number.

    Columns are folded into one 64-bit key; where that would overflow, the key so far is numbered first.
    """
    key = np.zeros(rows, dtype=np.int64)
    span = 1
    for column, size in zip(columns, sizes, strict=True):
        if span * max(size, 1) >= 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key = key * max(size, 1) + column
        span *= max(size, 1)
    _, representatives, ids = np.unique(key, return_index=True, return_inverse=True)
    return ids.astype(np.int64), representatives


def _encode(column: Any) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """A column of text as codes into its sorted distinct values, NULL last."""
    encoded = column.combine_chunks().dictionary_encode()
    words: list[str] = encoded.dictionary.to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words) + 1, dtype=np.int32)
    rank[order] = np.arange(len(words), dtype=np.int32)
    rank[-1] = len(words)
    labels: list[Label] = [words[number] for number in order]
    if encoded.null_count:
        labels.append(None)
    found = encoded.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)
    return rank[found], tuple(labels)


def _sums(ids: NDArray[Any], counts: Ints, groups: int) -> Ints:
    """Sum of the counts of each group, in whole numbers."""
    total = np.zeros(groups, dtype=np.int64)
    np.add.at(total, ids, counts)
    return total


def _histogram(ids: Ints, column: tuple[NDArray[np.int32], tuple[Label, ...]], counts: Ints, groups: int) -> Histogram:
    codes, labels = column
    pairs, inverse = np.unique(ids * max(len(labels), 1) + codes, return_inverse=True)
    owners = pairs // max(len(labels), 1)
    return Histogram(
        offsets=np.searchsorted(owners, np.arange(groups + 1)).astype(np.int64),
        values=(pairs % max(len(labels), 1)).astype(np.int32),
        counts=_sums(inverse, counts, len(pairs)),
        total=_sums(codes, counts, len(labels)),
    )
