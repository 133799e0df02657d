"""The distinct values of a column."""

from __future__ import annotations

from cobogo.data.table.read import Table


def distinct(table: Table, name: str) -> list[str]:
    """Each value of a column once, as text, in any order; NULL is none."""
    found = table.expression.select(value=table.text(name)).distinct()
    return [
        value
        for batch in table.engine.counts(found)
        for value in batch.column("value").to_pylist()
        if value is not None
    ]
