"""The risk of each record, by row number; values are never shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.data.table.rows import tuple_of_each_row
from cobogo.errors import OutputError
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
