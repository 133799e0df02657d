"""The tables of the k-anonymity paper's attacks over several releases (notes: tables 7 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

COLUMNS = ("race", "birth", "sex", "zip", "problem")
Row = tuple[str, ...]

PRIVATE: list[Row] = [
    ("black", "09/20/65", "male", "02141", "short of breath"),
    ("black", "02/14/65", "male", "02141", "chest pain"),
    ("black", "10/23/65", "female", "02138", "painful eye"),
    ("black", "08/24/65", "female", "02138", "wheezing"),
    ("black", "11/07/64", "female", "02138", "obesity"),
    ("black", "12/01/64", "female", "02138", "chest pain"),
    ("white", "10/23/64", "male", "02138", "short of breath"),
    ("white", "03/15/65", "female", "02139", "hypertension"),
    ("white", "08/13/64", "male", "02139", "obesity"),
    ("white", "05/05/64", "male", "02139", "fever"),
    ("white", "02/13/67", "male", "02138", "vomiting"),
    ("white", "03/21/67", "male", "02138", "back pain"),
]
NEW: list[Row] = [
    ("black", "09/07/65", "male", "02139", "headache"),
    ("black", "11/04/65", "male", "02139", "rash"),
]
NEW_RELEASED = [("black", "1965", "male", "02139")] * 2

_PERSON = ("person", "1965", "female", "0213*")
_WHITE = ("white", "1964", "male", "0213*")
GT1_QI = [
    *[("black", "1965", "male", "02141")] * 2, *[_PERSON] * 2, *[("black", "1964", "female", "02138")] * 2,
    _WHITE, _PERSON, _WHITE, _WHITE, *[("white", "1967", "male", "02138")] * 2,
]  # fmt: skip
_SIXTIES = ("white", "1960-69", "male", "02138")
GT3_QI = [
    *[("black", "1965", "male", "02141")] * 2, *[("black", "1965", "female", "02138")] * 2,
    *[("black", "1964", "female", "02138")] * 2, _SIXTIES, *[("white", "1960-69", "human", "02139")] * 3,
    *[_SIXTIES] * 2,
]  # fmt: skip


def released(quasi: Sequence[Row], private: Sequence[Row] = PRIVATE) -> list[Row]:
    return [(*values, row[-1]) for values, row in zip(quasi, private, strict=True)]


GT1, GT3 = released(GT1_QI), released(GT3_QI)
GT1_AND_NEW = GT1 + released(NEW_RELEASED, NEW)
GT3_AND_NEW = GT3 + released(NEW_RELEASED, NEW)

TREES: dict[str, dict[str, Any]] = {
    "race": {"tree": {"person": ["black", "white"]}},
    "birth": {"tree": {"1960-69": ["1964", "1965", "1967"]}},
    "sex": {"tree": {"human": ["male", "female"]}},
    "zip": {"mask": "right", "keep": 4},
}
POLICY: dict[str, Any] = {
    "attributes": {
        **{name: {"role": "quasi-identifier", "hierarchy": tree} for name, tree in TREES.items()},
        "problem": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
}


def frame(rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(columns)})
