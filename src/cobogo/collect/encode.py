"""Encode a whole column at once: for simulations, pilots and gateways, which see the values."""

from __future__ import annotations

import numpy as np

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.collect.protocol import UnknownValue
from cobogo.data.files.settle import reading_options
from cobogo.data.table.read import read
from cobogo.errors import DataError
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, source


def encode_column(
    collection: Collection,
    data: str,
    column: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    seed: int | None = None,
) -> Rows:
    """One report for each row of a column, in a random order, which reveals nothing about whose they are."""
    table = read(data, reading_options(separator=separator, encoding=encoding))
    if column not in table.columns:
        raise DataError(
            tr('there is no column "{name}"', name=column),
            where=data,
            remedy=tr("Its columns: {columns}.", columns=", ".join(table.columns)),
        )
    values = table.engine.fetch(table.expression.select(value=table.text(column)))["value"]
    try:
        return encode_shuffled(collection, values, source(seed))
    except UnknownValue as error:
        raise DataError(
            tr("the collection has no answer for some values: {what}", what=error.what),
            where=tr("{data}, column {column}, row {place}", data=data, column=column, place=error.place + 1),
            remedy=tr("Leave these rows out, or list their values in the collection."),
        ) from None


def encode_pairs(
    first: Collection, first_values: object, second: Collection, second_values: object, drawn_from: Source
) -> tuple[Rows, Rows]:
    """One report to each of two questions for each client, in the same random order: for `cobogo.collect.associate`."""
    both = [
        protocol.draw_reports(
            protocol.draw_permanent(held, protocol.draw_standing(len(held), drawn_from), drawn_from), drawn_from
        )
        for protocol, held in (
            (first.protocol, first.protocol.read(first_values)),  # type: ignore[arg-type]
            (second.protocol, second.protocol.read(second_values)),  # type: ignore[arg-type]
        )
    ]
    order = np.argsort(drawn_from.words(len(both[0])))
    return both[0][order], both[1][order]


def encode_shuffled(collection: Collection, values: object, drawn_from: Source) -> Rows:
    """One report for each value, in a random order."""
    protocol = collection.protocol
    held = protocol.read(values)  # type: ignore[arg-type]
    standing = protocol.draw_standing(len(held), drawn_from)
    rows = protocol.draw_reports(protocol.draw_permanent(held, standing, drawn_from), drawn_from)
    return np.ascontiguousarray(rows[np.argsort(drawn_from.words(len(rows)))])
