"""A declared column: its intervals are public, and have names of their own."""

from __future__ import annotations

import pytest

from cobogo.promises.declared_columns import DeclaredColumn

WEEKS = [20240101, 20240108, 20240115, 20240122, 20240201]


@pytest.mark.parametrize(
    "edges", [WEEKS, [1704067200 + n for n in range(100)], [0, 0.1 + 0.2, 0.3000001], [0, 2**53, 2**53 + 1]]
)
def test_intervals_between_edges_have_names_of_their_own(edges: list[float]) -> None:
    column = DeclaredColumn.model_validate({"type": "number", "edges": edges})
    assert len(set(column.intervals)) == len(edges) - 1
    assert column.intervals[0].startswith(f"[{edges[0]}, {edges[1]})")
