"""The risk of each record, by row number; values are never shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import DataError, OutputError
from cobogo.examine.risk.combinations import SpecialUniques
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.files import stage_file
from cobogo.floor.language import tr


@dataclass(frozen=True, eq=False, repr=False)
class RecordBasis:
    """A table, its tuples, and for each tuple its people and the journalist's probability, if it is known."""

    table: Table
    counted: FrequencyTable
    sizes: Ints
    journalist: Floats | None


@dataclass(frozen=True, eq=False, repr=False)
class RecordRisks:
    """One entry a row: the people with equal quasi-identifiers, the risks by two attackers, and SUDA scores."""

    people: Ints
    prosecutor: Floats
    journalist: Floats | None
    suda: Floats
    dis_suda: Floats | None

    def __len__(self) -> int:
        return len(self.people)


def record_risks(known: RecordBasis, special: SpecialUniques) -> RecordRisks:
    """The risks of the tuples for the rows that have them."""
    rows = tuple_of_each_row(known.table, known.counted)
    return RecordRisks(
        people=known.sizes[rows],
        prosecutor=1.0 / known.sizes[rows],
        journalist=None if known.journalist is None else known.journalist[rows],
        suda=special.suda[rows],
        dis_suda=None if special.dis_suda is None else special.dis_suda[rows],
    )


def write_records(risks: RecordRisks, path: Path) -> None:
    """Write the risks to a new CSV file, whole or not at all."""
    import pyarrow as pa
    from pyarrow import csv

    columns = {
        "row": np.arange(1, len(risks) + 1),
        "people": risks.people,
        "prosecutor": risks.prosecutor,
        "journalist": risks.journalist,
        "suda": risks.suda,
        "dis_suda": risks.dis_suda,
    }
    table = pa.table({name: values for name, values in columns.items() if values is not None})
    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --records."))
    with stage_file(path) as stage, stage.open("wb") as file:
        file.write(f"{','.join(table.column_names)}\n".encode())
        csv.write_csv(table, file, csv.WriteOptions(include_header=False))


ROOM = 2**62


def tuple_of_each_row(table: Table, counted: FrequencyTable) -> Ints:
    """The number of each row's tuple in a table's frequency table, in the order of the rows."""
    if not table.engine.numbers_rows:
        raise DataError(
            tr("the rows of {engine} have no order, and so no numbers", engine=table.engine.name),
            where=table.name,
            remedy=tr("Export the table to a file, and use that."),
            code="COBOGO-ENGINE",
        )
    names = counted.quasi_identifiers
    keys = {f"c{number}": table.text(name) for number, name in enumerate(names)}
    numbered = table.expression.select(**keys, row=table.engine.row_number())
    places = [{label: code for code, label in enumerate(counted.values[name])} for name in names]
    index = _Index(counted.codes, [len(counted.values[name]) for name in names])
    found = np.empty(counted.records, dtype=np.int64)
    for batch in table.engine.batches(numbered):
        columns = [_codes(batch.column(key), place) for key, place in zip(keys, places, strict=True)]
        found[batch.column("row").to_numpy(zero_copy_only=False)] = index.find(columns)
    return found


def _codes(column: Any, places: dict[Label, int]) -> Ints:
    """An Arrow column as codes; of each distinct text of a batch the code is looked up once."""
    import pyarrow as pa

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    labels: list[Label] = [*encoded.dictionary.to_pylist(), None]
    numbers = np.array([places.get(label, 0) for label in labels], dtype=np.int64)
    rows = encoded.indices.cast(pa.int32()).fill_null(len(labels) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(numbers[rows])


class _Index:
    """The tuples' places by one 64-bit key each; where that would overflow, the key so far is numbered first."""

    def __init__(self, codes: NDArray[np.int32], sizes: Sequence[int]) -> None:
        self._sizes = [max(size, 1) for size in sizes]
        self._numbered: dict[int, Ints] = {}
        key, span = np.zeros(len(codes), dtype=np.int64), 1
        for column, size in enumerate(self._sizes):
            if span * size >= ROOM:
                self._numbered[column] = np.unique(key)
                key = np.searchsorted(self._numbered[column], key).astype(np.int64)
                span = len(self._numbered[column])
            key = key * size + codes[:, column]
            span *= size
        self._order = np.argsort(key, kind="stable")
        self._keys = key[self._order]

    def find(self, columns: Sequence[Ints]) -> Ints:
        """The places of tuples that are all there."""
        key = np.zeros(len(columns[0]), dtype=np.int64)
        for number, (column, size) in enumerate(zip(columns, self._sizes, strict=True)):
            if number in self._numbered:
                key = np.searchsorted(self._numbered[number], key).astype(np.int64)
            key = key * size + column
        return np.asarray(self._order[np.searchsorted(self._keys, key)], dtype=np.int64)
