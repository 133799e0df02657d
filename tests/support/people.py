"""People that a curator answers about."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

PEOPLE = 4000


COLUMNS: dict[str, Any] = {
    "city": {"type": "text", "keys": ["Crato", "Sobral", "Quixadá"]},
    "job": {"type": "text"},
    "age": {"type": "integer", "bounds": [0, 100]},
    "income": {"type": "number", "bounds": [0, 2000], "decimals": 2},
}


def people() -> pa.Table:
    """Two rows a person: one in each of two cities."""
    ids = [n // 2 for n in range(2 * PEOPLE)]
    return pa.table(
        {
            "person": ids,
            "city": [["Crato", "Sobral"][n % 2] for n in range(2 * PEOPLE)],
            "job": [["nurse", "cook", "judge"][min(2, p % 1500 % 3)] if p else "astronaut" for p in ids],
            "age": [p % 100 for p in ids],
            "income": [500.25 + p % 1000 for p in ids],
        }
    )
