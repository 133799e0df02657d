"""Equivalence classes written down by hand: for examples, and for tables small enough to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram, Members
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label

Held = Sequence[Sequence[Label]]


def classes(
    *,
    quasi: Held | None = None,
    populations: Mapping[str, Sequence[int]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    **values: Held,
) -> Classes:
    """The classes of a table, given the sensitive values that each holds; every attribute has as many in each.

    ``quasi`` are the original values of one quasi-identifier, person by person, for models that look at them.

    >>> classes(disease=[["flu", "flu"], ["flu", "cough", "fever"]]).sizes.tolist()
    [2, 3]
    """
    sizes = [len(held) for held in next(iter(values.values()))]
    trees = hierarchies or {}
    return Classes(
        np.array(sizes),
        {name: _histogram(name, held, trees.get(name)) for name, held in values.items()},
        sum(sizes),
        {name: np.array(matching) for name, matching in (populations or {}).items()},
        None if quasi is None else _members(quasi, values, trees),
    )


def _histogram(name: str, held: Held, hierarchy: Hierarchy | None) -> Histogram:
    labels = tuple(dict.fromkeys(label for group in held for label in group))
    code = {label: number for number, label in enumerate(labels)}
    rows = [np.bincount([code[label] for label in group], minlength=len(labels)) for group in held]
    present = [np.flatnonzero(row) for row in rows]
    return Histogram(
        np.concatenate([[0], np.cumsum([len(codes) for codes in present])]),
        np.concatenate(present).astype(np.int32),
        np.concatenate([row[codes] for row, codes in zip(rows, present, strict=True)]),
        Domain(name, labels, np.sum(rows, axis=0, dtype=np.int64), hierarchy),
    )


def _members(quasi: Held, values: Mapping[str, Held], trees: Mapping[str, Hierarchy]) -> Members:
    leaves = list(dict.fromkeys(label for group in quasi for label in group))
    tuples = list(dict.fromkeys((owner, label) for owner, group in enumerate(quasi) for label in group))
    own = {
        name: [
            [value for label, value in zip(quasi[owner], held[owner], strict=True) if label == mine]
            for owner, mine in tuples
        ]
        for name, held in values.items()
    }
    return Members(
        np.array([owner for owner, _ in tuples]),
        np.array([[leaves.index(label)] for _, label in tuples], dtype=np.int32),
        np.array([quasi[owner].count(label) for owner, label in tuples]),
        {name: _histogram(name, held, trees.get(name)) for name, held in own.items()},
        (Hierarchy.from_columns("quasi", [leaves, [SUPPRESSED] * len(leaves)]),),
    )
