"""The server's own copy of a data set's rows: entered anywhere, in any order, and counted; never read as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import Engine, Expression, connect, literal, quote
from cobogo.floor.files import stage_file

PAGES = "rows.parquet"
NUMBER = "cobogo row"

Counted = list[tuple[str | None, int]]
"""Values with how many rows have each."""


GROUP = 20_480
"""Rows that are unpacked together: few, since a page of a sorted table has rows of everywhere."""


MEMORY = "2 GiB"
"""Memory that one look at a data set may take; what does not fit goes to disk."""


def connect_bounded() -> Engine:
    """An engine for a look at a data set: several people's looks must not add up to the machine's memory."""
    found = connect()
    found.rows(f"SET memory_limit = '{MEMORY}'")
    return found


@dataclass(frozen=True)
class RowOrder:
    """Rows sorted by a column: by the SQL expression ``meant`` of its texts, or by the texts themselves."""

    column: int
    meant: str | None = None
    descending: bool = False


def write(engine: Engine, table: Expression, folder: Path) -> None:
    """Make the copy of a table whose values are text."""
    numbered = table.mutate(**{NUMBER: engine.row_number()})
    numbered.to_parquet(folder / PAGES, compression="zstd", row_group_size=GROUP)


def source(folder: Path) -> str:
    """The copy, as a statement names it."""
    return f"read_parquet({literal(str(folder / PAGES))})"


def page(
    folder: Path,
    columns: list[str],
    rows: int,
    offset: int,
    limit: int,
    order: RowOrder | None = None,
    part: slice | None = None,
) -> Any:
    """Some rows, as text, each with its number; of all columns, or of a part of them."""
    first, last = min(offset, rows), min(offset + limit, rows)
    engine = connect_bounded()
    with engine.guard("reading"):
        names = ", ".join(map(quote, columns[part or slice(None)]))
        if order is None:
            wanted = f"{quote(NUMBER)} >= {first} AND {quote(NUMBER)} < {last}"
            return engine.rows(f"SELECT {quote(NUMBER)}, {names} FROM {source(folder)} WHERE {wanted} ORDER BY 1")
        numbers = _numbers(engine, folder, columns, rows, first, last, order)
        if not numbers:
            return []
        listed = ", ".join(map(str, numbers))
        found = engine.rows(
            f"SELECT {quote(NUMBER)}, {names} FROM {source(folder)} WHERE {quote(NUMBER)} IN ({listed})"
        )
    return sorted(found, key=lambda row: numbers.index(row[0]))


def _numbers(
    engine: Engine, folder: Path, columns: list[str], rows: int, first: int, last: int, order: RowOrder
) -> list[int]:
    """The numbers of the rows between two places of an order. An order is computed once, and kept in a file."""
    file = folder / f"order-{order.column}.parquet"
    if not file.exists():
        name = quote(columns[order.column])
        key = f"{order.meant.format(name)} NULLS LAST, {name}" if order.meant else name
        ranked = f"row_number() OVER (ORDER BY {key} NULLS LAST, {quote(NUMBER)}) - 1"
        with stage_file(file) as stage:
            statement = f"SELECT {ranked} AS place, {quote(NUMBER)} AS row FROM {source(folder)} ORDER BY place"
            engine.rows(f"COPY ({statement}) TO {literal(str(stage))} (FORMAT parquet)")
    if order.descending:
        first, last = rows - last, rows - first
    kept = f"read_parquet({literal(str(file))})"
    found = engine.rows(f"SELECT row FROM {kept} WHERE place >= {first} AND place < {last} ORDER BY place")
    numbers = [int(row) for (row,) in found]
    return numbers[::-1] if order.descending else numbers


def counts(folder: Path, column: str, most: int) -> tuple[Counted, int]:
    """The most frequent values of a column, and how many there are: for its steward's eyes."""
    engine = connect_bounded()
    with engine.guard("reading"):
        name = quote(column)
        grouped = f"SELECT {name} AS value, count(*) AS records FROM {source(folder)} GROUP BY 1"
        found = engine.rows(
            f"SELECT value, records, count(*) OVER () FROM ({grouped}) ORDER BY records DESC, value LIMIT {most}"
        )
    return [(value, int(records)) for value, records, _ in found], int(found[0][2]) if found else 0
