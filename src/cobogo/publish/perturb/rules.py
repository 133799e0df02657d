"""Combinations of values that a policy forbids, counted by the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cobogo.data.table.read import Table


def violations(table: Table, rules: Sequence[Mapping[str, str]]) -> list[int]:
    """How many records hold each combination."""
    found = []
    for rule in rules:
        rows = table.expression
        for name, value in rule.items():
            rows = rows.filter(table.text(name) == value)
        counted = rows.aggregate(found=rows.count())
        found.append(int(table.engine.fetch(counted)["found"][0].as_py()))
    return found
