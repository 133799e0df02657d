"""Which combinations of quasi-identifiers tell people apart: distinction and separation of each (Motwani and Xu 2007).

Distinction is the share of distinct combinations of values among the people, separation the share of the pairs of
people that a combination tells apart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import FrequencyTable, PeopleSets
from cobogo.data.table.kernels import roll_up
from cobogo.floor.arrays import Ints, Mask

WORK = 300_000_000
"""Tuples that may be visited in all where no size of combinations is asked for: a few seconds."""

Names = tuple[str, ...]


@dataclass(frozen=True)
class Combination:
    """One combination of quasi-identifiers; ``uniques`` are the people that it singles out."""

    attributes: Names
    distinct: int
    distinction: float
    separation: float
    uniques: int


@dataclass(frozen=True, eq=False, repr=False)
class Projection:
    """A combination's classes: that of each tuple of the table, and the people of each."""

    columns: tuple[int, ...]
    ids: NDArray[np.int32]
    sizes: Ints

    @property
    def singled_out(self) -> Mask:
        """Whether a tuple stands for one person whom the combination singles out."""
        return np.asarray((self.sizes == 1)[self.ids])


def largest_size(table: FrequencyTable, *, work: int = WORK) -> int:
    """The size up to which all combinations can be gone through."""
    width, visits = len(table.quasi_identifiers), _rows(table)
    for size in range(1, width + 1):
        visits += math.comb(width, size) * _rows(table)
        if visits > work:
            return max(size - 1, 1)
    return width


def _rows(table: FrequencyTable) -> int:
    return max(len(table.counts) if table.people is None else 4 * len(table.people.sets.values), 1)


def count(width: int, size: int) -> int:
    """How many combinations of up to so many of the attributes there are.

    >>> count(8, 8)
    255
    """
    return sum(math.comb(width, part) for part in range(1, size + 1))


def combination(projection: Projection, names: Names, people: int) -> Combination:
    """What a combination tells apart among so many people; one person is told from nobody."""
    sizes = projection.sizes.astype(np.float64)
    appearances = float(sizes.sum())  # as many as people, unless somebody has records of several classes
    pairs = appearances * (appearances - 1)
    alike = float((sizes * (sizes - 1)).sum())
    return Combination(
        attributes=tuple(names[column] for column in projection.columns),
        distinct=len(sizes),
        distinction=len(sizes) / people,
        separation=1 - alike / pairs if pairs else 0.0,
        uniques=int((projection.sizes == 1).sum()),
    )


def projections(table: FrequencyTable, size: int) -> Iterator[Projection]:
    """Every combination of up to so many quasi-identifiers, the small ones first."""
    width = len(table.quasi_identifiers)
    project = _projector(table)
    for part in range(1, size + 1):
        for columns in itertools.combinations(range(width), part):
            yield project(columns)


def _projector(table: FrequencyTable) -> Callable[[tuple[int, ...]], Projection]:
    """Counts a combination's classes with the search's kernel, at whose nodes only the columns chosen are left."""
    rows = len(table.counts)
    spans = np.array([max(len(table.values[name]), 1) for name in table.quasi_identifiers], dtype=np.int64)
    slots = np.full(1 << max(4, (2 * max(rows, 1) - 1).bit_length()), -1, dtype=np.int32)
    places, keys, counts = (np.empty(rows, dtype=np.int64) for _ in range(3))

    def project(columns: tuple[int, ...]) -> Projection:
        chosen = list(columns)
        digits = np.ascontiguousarray(table.codes[:, chosen])
        maps = np.concatenate([np.arange(span) for span in spans[chosen]])
        starts = np.concatenate([[0], np.cumsum(spans[chosen])])
        ids = np.empty(rows, dtype=np.int32)
        groups = roll_up(
            digits, table.counts, maps, starts, spans[chosen], slots, places, keys, ids, np.empty_like(digits), counts
        )
        sizes = counts[:groups].copy() if table.people is None else _people_of(ids, groups, table.people)
        return Projection(columns, ids, sizes)

    return project


def _people_of(ids: NDArray[np.int32], groups: int, people: PeopleSets) -> Ints:
    """The people of each class: somebody with several tuples in it is one."""
    persons = len(people.names)
    pairs = np.unique(ids[people.sets.owners].astype(np.int64) * persons + people.sets.values)
    return np.bincount(pairs // persons, minlength=groups).astype(np.int64)
