"""From a table to its rows as codes of declared values, with as many rows of a person as count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.coder import Coder
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import keys
from cobogo.publish.synthesize.domains import LEFT_OUT, AttributeDomain
from cobogo.release.columns import streamed


@dataclass(frozen=True, eq=False, repr=False)
class CodedRows:
    """Rows as codes, one array an attribute. How many were left out, and of how many values nothing was declared, is
    known to the data holder only."""

    codes: tuple[NDArray[np.int32], ...]
    left_out: int
    beyond: dict[str, int]  # by attribute, rows that hold what is no declared value, NULL aside


def coded_rows(
    table: Table, domains: Sequence[AttributeDomain], decimal: str, *, unit: str | None = None, max_rows: int = 1
) -> CodedRows:
    """The rows of a table. Where a unit tells people apart, at most ``max_rows`` rows of each, drawn at random, count;
    rows of nobody do not."""
    names = [domain.attribute for domain in domains]
    looked_at = names if unit is None else [*names, unit]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in names]
    beyond = dict.fromkeys(names, 0)
    people = Coder()
    for batch in streamed(table, looked_at, texts=looked_at):
        for place, domain in enumerate(domains):
            column = batch.column(domain.attribute)
            codes = domain.coded(column, decimal)
            beyond[domain.attribute] += int((codes == domain.other).sum()) - column.null_count
            parts[place].append(codes.astype(np.int32))
        if unit is not None:
            people.add(batch.column(unit))
    columns = [np.concatenate([*own, np.zeros(0, dtype=np.int32)]) for own in parts]
    there = np.all([column != LEFT_OUT for column in columns], axis=0) if columns else np.zeros(0, dtype=np.bool_)
    kept = np.flatnonzero(there)
    if unit is not None:
        who, labels = people.column()
        nobody = len(labels) - 1 if labels and labels[-1] is None else -1
        kept = kept[who[kept] != nobody]
        kept = kept[bounded(who[kept].astype(np.int64), max_rows)]
    return CodedRows(tuple(column[kept] for column in columns), len(there) - len(kept), beyond)


def bounded(people: Ints, most: int) -> Ints:
    """The places of at most so many rows of each person, drawn at random.

    >>> len(bounded(np.array([3, 3, 3, 5]), 2))
    3
    """
    order = np.lexsort((keys(len(people)), people))
    ordered = people[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    return np.sort(order[np.arange(len(people)) - starts < most])
