"""Whether a suppressed cell can be recovered from the rest of the release."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cobogo.hierarchy import SUPPRESSED, Label
from cobogo.models.base import Ints, Mask
from cobogo.recode.assignment import Assignment, Small, leaf_tuples

Tuple = tuple[Label, ...]


def recoverable(assignment: Assignment) -> dict[str, int]:
    """For each quasi-identifier, the suppressed cells that a reader would rightly fill in, where there are any.

    A cell is given away where it is the only value that is ever suppressed; and where all records that are released
    like it in everything else show one and the same value, which is its own.
    """
    problem = assignment.problem
    kept = assignment.owners >= 0
    tuples, owners, counts = assignment.tuples[kept], assignment.owners[kept], assignment.counts[kept]
    rows = [assignment.released(number) for number in range(len(assignment))]
    leaves = leaf_tuples(problem)
    found = {}
    for column, h in enumerate(problem.hierarchies):
        starred = np.array([row[column] == SUPPRESSED for row in rows], dtype=np.bool_)
        if not starred.any():
            continue
        hidden = starred[owners]
        own = leaves[tuples, column]
        given_away = np.zeros(len(own), dtype=np.bool_)
        if len(np.unique(own[hidden])) == 1 and len(h.leaves) > 1:
            seen = set(np.unique(own[~hidden]).tolist())
            everything = set(np.unique(problem.leaf_codes[column]).tolist())
            given_away = hidden & (len(everything - seen) == 1)
        given_away |= hidden & _guessed(assignment, rows, column, starred, owners, own)
        cells = int(counts[given_away].sum())
        if cells:
            found[h.attribute] = cells
    return found


def _guessed(assignment: Assignment, rows: list[Tuple], column: int, starred: Mask, owners: Ints, own: Small) -> Mask:
    """The records whose value is the one that all others show that are released like them in everything else."""
    h = assignment.problem.hierarchies[column]
    shown: dict[Tuple, set[tuple[int, int]]] = defaultdict(set)
    for number, row in enumerate(rows):
        if not starred[number]:
            level = int(assignment.levels[number, column])
            code = int(h.maps[level][assignment.leaves[number, column]])
            shown[row[:column] + row[column + 1 :]].add((level, code))
    guess = np.full((len(rows), 2), -1, dtype=np.int64)
    for number, row in enumerate(rows):
        values = shown.get(row[:column] + row[column + 1 :], set())
        if starred[number] and len(values) == 1:
            guess[number] = next(iter(values))
    maps = np.stack(h.maps)
    levels, codes = guess[owners].T
    return np.asarray((levels >= 0) & (maps[np.maximum(levels, 0), own] == codes))
