"""Looking at a file before there is a policy: what its columns are, and which roles they might have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cobogo.data.policy import Data, Role
from cobogo.data.schema.profile import MOST_VALUES, ColumnProfile, profile
from cobogo.data.schema.suggest import Suggestion, suggest
from cobogo.data.table.formats import ValueLabels
from cobogo.data.table.read import Table, read
from cobogo.data.table.settle import label_tree, settle


@dataclass(frozen=True, eq=False)
class Inspection:
    """A file, how it is read, its columns, and the role that each suggests."""

    data: Data
    table: Table
    columns: list[ColumnProfile]
    suggestions: list[Suggestion]


def inspect(path: Path, options: Data) -> Inspection:
    """Profile every column of a file and suggest a role for it. What the options leave out is detected."""
    data = settle(path, options)
    table = read(path, data)
    found = profiles(table)
    labels = table.labels if data.labels == "hierarchy" else {}
    data = data.settle((), **table.keys)
    return Inspection(data, table, found, [_with_labels(suggest(column), column, labels) for column in found])


def _with_labels(suggestion: Suggestion, column: ColumnProfile, labels: ValueLabels) -> Suggestion:
    """A suggestion; where codes have labels that are to be a hierarchy, with that."""
    if column.name not in labels or suggestion.role is not Role.QUASI_IDENTIFIER:
        return suggestion
    tree = label_tree(labels[column.name], [value for value, _ in column.values])
    return replace(suggestion, hierarchy=tree.model_dump(exclude_unset=True))


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
