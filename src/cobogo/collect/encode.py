"""Reports of a whole column at once: for simulations, pilots and gateways. Whoever does this sees the values."""

from __future__ import annotations

import numpy as np

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.collect.protocol import UnknownValue
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.randomness import Source, source


def encode_column(
    collection: Collection,
    data: str,
    column: str,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    seed: int | None = None,
) -> Rows:
    """One report for each row of a column, in a random order: not even their order tells whose they are."""
    if encoding not in ("utf-8", "latin-1"):
        raise PolicyError(f"must be utf-8 or latin-1. Got {encoding!r} instead", where="--encoding")
    table = read(data, Data(separator=separator, encoding=encoding))  # type: ignore[arg-type]
    if column not in table.columns:
        raise DataError(f'has no column "{column}"', where=data, remedy=f"Its columns: {', '.join(table.columns)}.")
    values = table.engine.fetch(table.expression.select(value=table.text(column)))["value"]
    try:
        return shuffled_reports(collection, values, source(seed))
    except UnknownValue as error:
        raise DataError(
            f"values that cannot be answered for: {error.what}",
            where=f"{data}, column {column}, row {error.place + 1}",
            remedy="Leave those rows out, or list what they hold in the collection.",
        ) from None


def paired_reports(
    first: Collection, first_values: object, second: Collection, second_values: object, drawn_from: Source
) -> tuple[Rows, Rows]:
    """One report to each of two questions for each client, in the same random order: for `cobogo.collect.associate`."""
    both = [
        protocol.reports(protocol.permanent(held, protocol.standing(len(held), drawn_from), drawn_from), drawn_from)
        for protocol, held in (
            (first.protocol, first.protocol.read(first_values)),  # type: ignore[arg-type]
            (second.protocol, second.protocol.read(second_values)),  # type: ignore[arg-type]
        )
    ]
    order = np.argsort(drawn_from.words(len(both[0])))
    return both[0][order], both[1][order]


def shuffled_reports(collection: Collection, values: object, drawn_from: Source) -> Rows:
    """One report for each value, in a random order."""
    protocol = collection.protocol
    held = protocol.read(values)  # type: ignore[arg-type]
    standing = protocol.standing(len(held), drawn_from)
    rows = protocol.reports(protocol.permanent(held, standing, drawn_from), drawn_from)
    return np.ascontiguousarray(rows[np.argsort(drawn_from.words(len(rows)))])
