"""Combinations of quasi-identifiers: how well each distinguishes people, and the minimal ones that single a person out.

Distinction is the number of distinct combinations of values divided by the number of people; separation is the share of
the pairs of people whose values differ (Motwani and Xu 2007).

A minimal sample unique is a combination of attributes that singles a person out while none of its parts does (Elliot,
Manning and Ford 2002; Manning and others 2008). The fewer attributes it has, and the more of them a person has, the
less likely another person of the population has the same values: such people are special uniques.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import FrequencyTable, PeopleSets
from cobogo.data.table.kernels import roll_up
from cobogo.floor.arrays import Floats, Ints, Mask

WORK = 300_000_000
"""Tuples that are visited at most where no size of combinations is asked for: that takes a few seconds."""

Names = tuple[str, ...]


@dataclass(frozen=True)
class Combination:
    """What one combination of quasi-identifiers distinguishes; ``uniques`` people have values of their own."""

    attributes: Names
    distinct: int
    distinction: float
    separation: float
    uniques: int


@dataclass(frozen=True, eq=False, repr=False)
class Projection:
    """The classes of a combination: the class of each tuple of the table, and the people of each class."""

    columns: tuple[int, ...]
    ids: NDArray[np.int32]
    sizes: Ints

    @property
    def singled_out(self) -> Mask:
        """The tuples that are of a single person by the combination's values."""
        return np.asarray((self.sizes == 1)[self.ids])


def largest_size(table: FrequencyTable, *, work: int = WORK) -> int:
    """The size up to which all combinations can be visited."""
    width, visits = len(table.quasi_identifiers), _rows(table)
    for size in range(1, width + 1):
        visits += math.comb(width, size) * _rows(table)
        if visits > work:
            return max(size - 1, 1)
    return width


def _rows(table: FrequencyTable) -> int:
    return max(len(table.counts) if table.people is None else 4 * len(table.people.sets.values), 1)


def count(width: int, size: int) -> int:
    """The number of combinations of up to ``size`` of ``width`` attributes.

    >>> count(8, 8)
    255
    """
    return sum(math.comb(width, part) for part in range(1, size + 1))


def combination(projection: Projection, names: Names, people: int) -> Combination:
    """Measure what a combination distinguishes among so many people; the separation of one person is 0."""
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
    """The classes of every combination of up to ``size`` quasi-identifiers, in the order of their sizes."""
    width = len(table.quasi_identifiers)
    project = _projector(table)
    for part in range(1, size + 1):
        for columns in itertools.combinations(range(width), part):
            yield project(columns)


def _projector(table: FrequencyTable) -> Callable[[tuple[int, ...]], Projection]:
    """A function that counts a combination's classes, with the kernel and the buffers of the search."""
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
    """The people of each class; a person with several tuples in a class counts once."""
    persons = len(people.names)
    pairs = np.unique(ids[people.sets.owners].astype(np.int64) * persons + people.sets.values)
    return np.bincount(pairs // persons, minlength=groups).astype(np.int64)


Bits = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, repr=False)
class SpecialUniques:
    """Minimal sample uniques of up to ``size`` attributes; ``suda`` and ``dis_suda`` are scores of the table's tuples.

    ``dis`` is the probability that a unique match with the table is right (Skinner and Elliot 2002); it and
    ``dis_suda`` need the sampling fraction.
    """

    size: int
    uniques: int  # people
    found: Mapping[int, int]  # minimal sample uniques by their number of attributes
    smallest: Mapping[int, int]  # people by the number of attributes of their smallest minimal sample unique
    attributes: Mapping[str, float]  # the share of all minimal sample uniques that an attribute is part of
    suda: Floats
    dis: float | None = None
    dis_suda: Floats | None = None


class Suda:
    """Collects minimal sample uniques from combinations that are added in the order of their sizes."""

    def __init__(self, table: FrequencyTable, sizes: Ints, size: int) -> None:
        self._names: Names = table.quasi_identifiers
        self._size = size
        self._unique = np.flatnonzero(sizes == 1)
        self._tuples = len(sizes)
        self._pairs = int((sizes == 2).sum())
        self._score = np.zeros(len(self._unique))
        self._smallest = np.zeros(len(self._unique), dtype=np.int64)
        self._found = dict.fromkeys(range(1, size + 1), 0)
        self._part_of = np.zeros(len(self._names), dtype=np.int64)
        self._below: dict[tuple[int, ...], Bits] = {}
        self._here: dict[tuple[int, ...], Bits] = {}
        self._level = 1

    def add(self, projection: Projection) -> None:
        """Add a combination: find the people whom it singles out and none of its parts does."""
        columns = projection.columns
        if len(columns) > self._level:
            self._below, self._here, self._level = self._here, {}, len(columns)
        out: Bits = np.packbits(projection.singled_out[self._unique])
        self._here[columns] = out
        already = np.zeros_like(out)
        for part in itertools.combinations(columns, len(columns) - 1):
            if part:
                already |= self._below[part]
        minimal = np.unpackbits(out & ~already, count=len(self._unique)).astype(np.bool_)
        number = int(minimal.sum())
        self._found[len(columns)] += number
        self._part_of[list(columns)] += number
        self._score[minimal] += score_of(len(columns), len(self._names), self._size)
        self._smallest[minimal & (self._smallest == 0)] = len(columns)

    def result(self, fraction: float | None) -> SpecialUniques:
        """The special uniques; with the sampling fraction, also the scores that need it."""
        suda = np.zeros(self._tuples)
        suda[self._unique] = self._score
        dis, dis_suda = None, None
        if fraction is not None:
            dis = right_match(len(self._unique), self._pairs, fraction)
            dis_suda = np.zeros(self._tuples)
            dis_suda[self._unique] = _spread(self._score, dis, len(self._names))
        total = sum(self._found.values())
        return SpecialUniques(
            size=self._size,
            uniques=len(self._unique),
            found=self._found,
            smallest={size: int((self._smallest == size).sum()) for size in range(1, self._size + 1)},
            attributes={
                name: number / max(total, 1) for name, number in zip(self._names, self._part_of.tolist(), strict=True)
            },
            suda=suda,
            dis=dis,
            dis_suda=dis_suda,
        )


def score_of(size: int, attributes: int, largest: int) -> float:
    """What a minimal sample unique adds to a person's SUDA score: ∏_{i=size}^{largest} (attributes − i), without the
    factor 0.

    >>> [score_of(size, 4, 4) for size in (1, 2, 3, 4)], score_of(1, 4, 2)
    ([6.0, 2.0, 1.0, 1.0], 6.0)
    """
    return float(math.prod(attributes - i for i in range(size, min(largest, attributes - 1) + 1)))


def right_match(uniques: int, pairs: int, fraction: float) -> float:
    """The probability that a match with a unique record is right: πs₁ / (πs₁ + 2(1−π)s₂).

    >>> right_match(10, 5, 0.5)
    0.5
    """
    right = fraction * uniques
    return right / (right + 2 * (1 - fraction) * pairs) if uniques else 0.0


def _spread(scores: Floats, dis: float, attributes: int) -> Floats:
    """Spread the table's probability DIS over its unique people by their scores S, as the reference implementation
    does: 1 / (1 + U(1/DIS − 1)/(S^q·Σ S^−q)), with U people and q = 1 + (8 − attributes)/20."""
    some = scores > 0
    found = np.zeros_like(scores)
    if some.any() and dis > 0:
        raised = scores[some] ** max(1 + (8 - attributes) / 20, 0.05)
        found[some] = 1 / (1 + len(scores) * (1 / dis - 1) / (raised * (1 / raised).sum()))
    return found
