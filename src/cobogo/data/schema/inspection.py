"""Looking at a file before there is a policy: what its columns are, and which roles they might have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.data.policy import Data
from cobogo.data.schema.profile import MOST_VALUES, ColumnProfile, profile
from cobogo.data.schema.suggest import Suggestion, suggest
from cobogo.data.table.files import guess_separator
from cobogo.data.table.read import Table, read
from cobogo.data.table.sources import local_source


def inspect(path: Path, separator: str | None, encoding: str) -> tuple[Data, list[ColumnProfile], list[Suggestion]]:
    """Profile every column of a file and suggest a role for it."""
    with local_source(path) as source:
        guessed = separator or guess_separator(source.path, encoding)
        options = Data.model_validate({"separator": guessed, "encoding": encoding})
        found = profiles(read(source.path, options))
    return options, found, [suggest(column) for column in found]


def profiles(table: Table) -> list[ColumnProfile]:
    """The profile of every column of a table."""
    records = table.rows()
    return [_profile(table, name, records) for name in table.columns]


def _profile(table: Table, name: str, records: int) -> ColumnProfile:
    counts = table.value_counts(name, MOST_VALUES)
    return profile(name, records, counts.missing, counts.distinct, counts.unique, counts.most_frequent)


def as_json(columns: list[ColumnProfile], suggestions: list[Suggestion]) -> list[dict[str, Any]]:
    """For programs: the same. Types and reasons are texts, for pages that translate them."""
    return [
        {
            "column": column.name,
            "type": column.kind.words,
            "records": column.records,
            "missing": column.missing,
            "distinct": column.distinct,
            "unique": column.unique,
            "role": str(found.role),
            "confidence": found.confidence,
            "reason": found.reason,
            "hierarchy": found.hierarchy,
        }
        for column, found in zip(columns, suggestions, strict=True)
    ]
