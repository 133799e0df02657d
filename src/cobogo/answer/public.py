"""Public tables: what everybody may know about the values of a column; questions group and filter by it.

A public table has one row a key, so that a join with it leaves every person as many rows as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cobogo.answer.query import CuratorQuery, Lookup
from cobogo.data.table.read import read
from cobogo.errors import DataError, QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import DeclaredDataset, PublicTablePolicy
from cobogo.promises.declared_columns import DeclaredColumn

MOST_ROWS = 10_000
"""Rows are written into each statement that joins the table."""


@dataclass(frozen=True)
class PublicTable:
    """A public table in memory: its key, its other columns, and its rows, the key first."""

    name: str
    key: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def load_public_table(name: str, data: Any, declared: PublicTablePolicy) -> PublicTable:
    """Read a public table, in which each key appears once."""
    table = read(data, declared)
    wanted = (declared.key, *declared.columns)
    for column in wanted:
        if column not in table.columns:
            raise DataError(
                tr('there is no column "{name}", although it is declared', name=column),
                where=name,
                remedy=tr("Correct the declared name, or add the column to the data."),
            )
    texts = table.expression.select(**{column: table.text(column) for column in wanted})
    found = table.engine.fetch(texts.limit(MOST_ROWS + 1))
    rows = tuple(row for row in zip(*(found[column].to_pylist() for column in wanted), strict=True) if None not in row)
    if len(rows) > MOST_ROWS:
        raise DataError(
            tr("a public table has at most {most:,} rows, and this one has more", most=MOST_ROWS),
            where=name,
            remedy=tr("Keep only the keys that the data set uses."),
        )
    if len({row[0] for row in rows}) < len(rows):
        raise DataError(
            tr('a value of the key "{key}" appears twice', key=declared.key),
            where=name,
            remedy=tr("Keep one row for each key, so that a join does not multiply the rows of a person."),
        )
    if not rows:
        raise DataError(
            tr("there is no row without a missing value"), where=name, remedy=tr("Fill in the key and the columns.")
        )
    return PublicTable(name, declared.key, declared.columns, rows)


def plan_join(
    name: str,
    key: str | None,
    dataset: DeclaredDataset,
    public: Mapping[str, PublicTable],
    *,
    where: str,
    column: str | None = None,
) -> Lookup:
    """Plan the join of a data set with a public table, by the table's key, which is a column of both. Of two tables
    that are joined both may have it: ``column`` is the one that is meant."""
    table = next((table for known, table in public.items() if known.casefold() == name.casefold()), None)
    if table is None:
        known = tr("Public tables: {known}.", known=", ".join(public)) if public else tr("There is no public table.")
        raise QueryRefused(tr('there is no public table "{name}"', name=name), where=where, remedy=known)
    if key is not None and key.casefold() != table.key.casefold():
        raise QueryRefused(
            tr('the public table "{name}" has another key', name=name),
            where=where,
            remedy=tr("Write USING ({key}).", key=table.key),
        )
    column = column or dataset.find_column(table.key, quoted=True, where=where)
    if dataset.columns[column].type != "text":
        raise QueryRefused(
            tr('"{column}" is not a text, and only a text can be the key of a join', column=column),
            where=where,
            remedy=tr("Ask the data holder to declare it as a text."),
        )
    twice = [one for one in table.columns if one.casefold() in {known.casefold() for known in dataset.columns}]
    if twice:
        raise QueryRefused(
            tr('the data set and the public table both have a column "{name}"', name=twice[0]),
            where=where,
            remedy=tr("Ask the data holder to rename one of the two."),
        )
    return Lookup(column, table.columns, table.rows)


def extend_dataset(query: CuratorQuery, dataset: DeclaredDataset) -> DeclaredDataset:
    """The declaration of what a query asks about: that of a table, or of two that it combines.

    Add the columns of a query's join to a data set (texts whose values are public), and those that it derives."""
    dataset = dataset if query.combined is None else query.combined.declared
    added = {one.name: one.declared for one in query.derived}
    if query.lookup is not None:
        added = {**_columns(query.lookup.names, query.lookup.rows), **added}
    if added.keys() <= dataset.columns.keys():
        return dataset
    return dataset.model_copy(update={"columns": {**dataset.columns, **added}})


def _columns(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> dict[str, DeclaredColumn]:
    return {
        name: DeclaredColumn(type="text", keys=tuple(dict.fromkeys(row[at] for row in rows)))
        for at, name in enumerate(names, 1)
    }
