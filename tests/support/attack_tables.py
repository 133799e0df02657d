"""Small tables, and policies for them, that several tests of attacks use."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def table(columns: str, *rows: str) -> pa.Table:
    """Rows written with spaces between their fields; - is NULL."""
    names = columns.split()
    fields = [row.split() for row in rows]
    return pa.table(
        {
            name: pa.array([None if row[place] == "-" else row[place] for row in fields], pa.string())
            for place, name in enumerate(names)
        }
    )


def policy(quasi: dict[str, Any] | str, sensitive: dict[str, Any] | str = "", **parts: Any) -> dict[str, Any]:
    """A policy for attributes with hierarchies, or (names alone) without."""
    quasi = dict.fromkeys(quasi.split()) if isinstance(quasi, str) else quasi
    sensitive = dict.fromkeys(sensitive.split()) if isinstance(sensitive, str) else sensitive
    roles = {"quasi-identifier": quasi, "sensitive": sensitive}
    return {
        "attributes": {
            name: {"role": role} | ({"hierarchy": tree} if tree else {})
            for role, names in roles.items()
            for name, tree in names.items()
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        **parts,
    }
