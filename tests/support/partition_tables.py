"""Random small tables for algorithms that put records together, and plain Python that judges what was released.

Each record has a number of its own that is released (``publish-unique``), so that a released row can be told to be that
of its original.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

Label = str | None
Row = dict[str, Label]

PLACES = {
    "Meireles": ("Meireles", "Fortaleza", "CE", "*"),
    "Centro": ("Centro", "Fortaleza", "CE", "*"),
    "Junco": ("Junco", "Sobral", "CE", "*"),
    "Olinda": ("Olinda", "Recife", "PE", "*"),
    "Pina": ("Pina", "Recife", "PE", "*"),
    None: (None, None, None, "*"),
}
TREE = {"CE": {"Fortaleza": ["Meireles", "Centro"], "Sobral": ["Junco"]}, "PE": {"Recife": ["Olinda", "Pina"]}}
AGES: dict[Label, tuple[Label, ...]] = {
    str(age): (str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 50)
} | {None: (None, None, "*")}
SEXES: dict[Label, tuple[Label, ...]] = {sex: (sex, "*") for sex in ("f", "m", None)}
LADDERS: dict[str, dict[Any, tuple[Label, ...]]] = {"place": PLACES, "age": AGES, "sex": SEXES}
"""What each value may be released as, from the lowest level up."""

ATTRIBUTES: dict[str, Any] = {
    "number": {"role": "non-sensitive", "publish-unique": True},
    "place": {"role": "quasi-identifier", "hierarchy": {"tree": TREE, "top": True}},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10], "top": True}},
    "sex": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}

K = {"model": "k-anonymity", "k": 3}
MODELS = {
    "k": [K],
    "l": [K, {"model": "l-diversity", "kind": "distinct", "l": 2}],
    "entropy": [{"model": "l-diversity", "kind": "entropy", "l": 1.8}],
    "t": [K, {"model": "t-closeness", "distance": "equal", "t": 0.35}],
}


def tables(least: int = 3, most: int = 30) -> st.SearchStrategy[list[Row]]:
    """Records that often repeat; NULL is among every attribute's values."""
    row = st.fixed_dictionaries(
        {
            "place": st.sampled_from(list(PLACES)),
            "age": st.sampled_from(["20", "21", "25", "33", "39", "40", None]),
            "sex": st.sampled_from(["f", "m", None]),
            "disease": st.sampled_from(["flu", "flu", "cold", "asthma", None]),
        }
    )
    return st.lists(row, min_size=least, max_size=most).map(
        lambda rows: [{"number": str(number), **row} for number, row in enumerate(rows)]
    )


def arrow(rows: list[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in ATTRIBUTES})


def policy(algorithm: str, models: list[dict[str, Any]], limit: float = 0.0, **more: Any) -> dict[str, Any]:
    attributes = {name: {**about, **more.get(name, {})} for name, about in ATTRIBUTES.items()}
    return {
        "attributes": attributes,
        "privacy": {"models": models},
        "recoding": {"algorithm": algorithm, "suppression-limit": limit},
    }


def classes(rows: list[Row]) -> dict[tuple[Label, ...], list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in LADDERS)].append(row)
    return dict(found)


def broken(kind: str, before: list[Row], released: list[Row]) -> list[str]:
    """What the released rows break of a set of models, counted by hand."""
    problems = []
    whole = Counter(row["disease"] for row in before if row["disease"] is not None)
    for key, members in classes(released).items():
        here = Counter(row["disease"] for row in members if row["disease"] is not None)
        there = sum(here.values())
        if kind != "entropy" and len(members) < 3:
            problems.append(f"{key} has {len(members)} records")
        if kind == "l" and len(here) < 2:
            problems.append(f"{key} has one disease")
        if kind == "entropy":
            effective = 1.0
            for count in here.values():
                effective *= (there / count) ** (count / there)
            if effective < 1.8 - 1e-6:
                problems.append(f"{key} is worth {effective} diseases")
        if kind == "t" and there:
            distance = sum(abs(here[d] / there - whole[d] / sum(whole.values())) for d in whole) / 2
            if distance > 0.35 + 1e-9:
                problems.append(f"{key} is {distance} away")
    return problems


def untrue(before: list[Row], released: list[Row]) -> list[str]:
    """Released values that do not stand for the original's, and records that are not in the original."""
    originals = {row["number"]: row for row in before}
    problems = [] if len({row["number"] for row in released}) == len(released) else ["a record twice"]
    for row in released:
        own = originals[row["number"]]
        problems += [f"{own} as {row}" for name, ladder in LADDERS.items() if row[name] not in ladder[own[name]]]
        if row["disease"] != own["disease"]:
            problems.append(f"{own} now has {row['disease']}")
    return problems
