"""Text columns of few values, kept by DuckDB as codes: a tenth of the memory, and faster to count, sort and join.

The values are looked up in enumerations while the file is read. They are made of the values of its beginning; a row
with a value that does not stand there keeps its texts beside it, until the enumerations are made complete.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from cobogo.data.engines.engine import quote

SAMPLE = 50_000
"""Rows that tell which columns have few values. A table that is not larger is kept as it is."""

VALUES_AT_MOST = 1 << 16
UNLISTED = "cobogo_unlisted"

_numbers = itertools.count()


def store(connection: Any, name: str, source: str) -> None:
    """Make a table, of the full name given, of a source (something to select from). Whoever reads its columns of text
    gets texts; columns of other types stay as they are.

    Enumerations are in the order of their texts; NULL stays NULL.
    """
    run = connection.execute
    (sampled,) = run(f"{_create(name)} AS SELECT * FROM {source} LIMIT {SAMPLE}").fetchone()
    if sampled < SAMPLE:
        return
    types = {column: kind for column, kind, *_ in run(f"DESCRIBE {name}").fetchall()}
    columns, texts = list(types), [column for column, kind in types.items() if kind == "VARCHAR"]
    listed = {column: kind for column in texts if (kind := _first_values(connection, name, column)) is not None}
    if not listed:
        run(f"{_create(name)} AS SELECT * FROM {source}")
        return
    coded = ", ".join(
        f"TRY_CAST({quote(column)} AS {listed[column]}) AS {quote(column)}" if column in listed else quote(column)
        for column in columns
    )
    listed_texts = ", ".join(map(quote, listed))
    strange = " OR ".join(
        f"(TRY_CAST({quote(column)} AS {kind}) IS NULL AND {quote(column)} IS NOT NULL)"
        for column, kind in listed.items()
    )
    run(f"{_create(name)} AS SELECT {coded}, CASE WHEN {strange} THEN [{listed_texts}] END AS {UNLISTED} FROM {source}")
    _complete(connection, name, columns, list(listed))


def _first_values(connection: Any, name: str, column: str) -> str | None:
    """A type of the values at the beginning; None where they are many."""
    values = f"SELECT DISTINCT {quote(column)} AS value FROM {name} WHERE {quote(column)} IS NOT NULL"
    (found,) = connection.execute(f"SELECT count(*) FROM ({values})").fetchone()
    return _enumeration(connection, values) if 0 < found <= SAMPLE // 10 else None


def _complete(connection: Any, name: str, columns: Sequence[str], listed: Sequence[str]) -> None:
    """Admit the values that were not listed, and do without the texts that were kept for them."""
    run = connection.execute
    missing = ", ".join(
        f"count(DISTINCT {UNLISTED}[{place}]) FILTER ({quote(column)} IS NULL)"
        for place, column in enumerate(listed, 1)
    )
    found = dict(zip(listed, run(f"SELECT {missing} FROM {name} WHERE {UNLISTED} IS NOT NULL").fetchone(), strict=True))
    chosen = []
    for column in columns:
        quoted, place = quote(column), listed.index(column) + 1 if column in listed else 0
        if not found.get(column):
            chosen.append(quoted)
            continue
        text = f"coalesce({quoted}::VARCHAR, {UNLISTED}[{place}])"
        values = f"SELECT DISTINCT {text} AS value FROM {name} WHERE {text} IS NOT NULL"
        if found[column] <= VALUES_AT_MOST:
            text = f"({text})::{_enumeration(connection, values)}"
        chosen.append(f"{text} AS {quoted}")
    if any(found.values()):
        run(f"{_create(name)} AS SELECT {', '.join(chosen)} FROM {name}")
    else:
        run(f"ALTER TABLE {name} DROP COLUMN {UNLISTED}")


def _enumeration(connection: Any, values: str) -> str:
    kind = f"cobogo_values_{next(_numbers)}"
    connection.execute(f"CREATE TYPE {kind} AS ENUM (SELECT value FROM ({values}) ORDER BY value)")
    return kind


def _create(name: str) -> str:
    return f"CREATE OR REPLACE {'TEMP TABLE' if name.startswith('temp.') else 'TABLE'} {name}"
