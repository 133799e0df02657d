"""Combinations of quasi-identifiers: how well each distinguishes people, which single a person out, and whom.

Distinction is the number of distinct combinations of values divided by the number of people; separation is the share of
the pairs of people whose values differ (Motwani and Xu 2007).

A minimal sample unique is a combination of attributes that singles a person out while none of its parts does (Elliot,
Manning and Ford 2002; Manning and others 2008). The fewer attributes it has, and the more of them a person has, the
less likely another person of the population has the same values: such people are special uniques. Records are named by
row number; values are never shown.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import FrequencyTable, PeopleSets
from cobogo.data.table.kernels import new_cells, roll_up
from cobogo.data.table.read import Table
from cobogo.errors import DataError, OutputError
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.files import stage_file
from cobogo.floor.language import tr

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
    """The classes of a combination of quasi-identifiers: the people of each, and the tuples of the table that are of a
    single person by the combination's values."""

    columns: tuple[int, ...]
    sizes: Ints
    singled_out: Ints


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
    """The classes of every combination of up to ``size`` quasi-identifiers, each once, a larger one before its parts.

    Those of the largest combinations are counted in the table; those of any other in the classes of the combination
    that has one quasi-identifier more, the one with the fewest values. They are much fewer than the tuples.
    """
    classes = _CombinationClasses(table)
    for columns in itertools.combinations(range(len(table.quasi_identifiers)), size):
        yield from classes.project(classes.tuples, columns)


@dataclass(frozen=True, eq=False, repr=False)
class _Counted:
    """The classes of a combination: their values and records, the first tuple of each, and the class of each tuple
    where people are counted."""

    columns: tuple[int, ...]
    digits: NDArray[np.int32]
    counts: Ints
    first: Ints
    ids: NDArray[np.int32] | None


class _CombinationClasses:
    """Counts the classes of combinations, with the kernel and the buffers of the search."""

    def __init__(self, table: FrequencyTable) -> None:
        rows, width = table.codes.shape
        self._people = table.people
        self._spans = np.array([max(len(table.values[name]), 1) for name in table.quasi_identifiers], dtype=np.int64)
        self._rank = np.argsort(np.argsort(-self._spans, kind="stable"))  # the fewer values, the higher
        self._slots = np.full(1 << max(4, (2 * max(rows, 1) - 1).bit_length()), -1, dtype=np.int32)
        self._cells = new_cells(rows)
        self._places, self._keys = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
        numbers = np.arange(rows, dtype=np.int64)
        ids = None if table.people is None else numbers.astype(np.int32)
        self.tuples = _Counted(tuple(range(width)), table.codes, table.counts, numbers, ids)

    def project(self, above: _Counted, columns: tuple[int, ...]) -> Iterator[Projection]:
        """A combination, counted in the classes of a larger one, and those that are counted in its own classes."""
        here = above if columns == above.columns else self._count(above, columns)
        yield self._projection(here)
        others = [self._rank[column] for column in range(len(self._spans)) if column not in columns]
        for column in columns if len(columns) > 1 else ():
            if self._rank[column] > max(others, default=-1):
                yield from self.project(here, tuple(one for one in columns if one != column))

    def _count(self, above: _Counted, columns: tuple[int, ...]) -> _Counted:
        chosen = list(columns)
        digits = np.ascontiguousarray(above.digits[:, [above.columns.index(column) for column in columns]])
        maps = np.concatenate([np.arange(span) for span in self._spans[chosen]])
        starts = np.concatenate([[0], np.cumsum(self._spans[chosen])])
        ids, values, counts = np.empty(len(digits), dtype=np.int32), np.empty_like(digits), np.empty_like(above.counts)
        keyed = maps, starts, self._spans[chosen], self._slots, self._cells, self._places, self._keys
        groups = roll_up(digits, above.counts, *keyed, True, ids, values, counts)
        first = np.empty(groups, dtype=np.int64)
        first[ids[::-1]] = above.first[::-1]
        return _Counted(columns, values[:groups], counts[:groups], first, None if above.ids is None else ids[above.ids])

    def _projection(self, here: _Counted) -> Projection:
        if here.ids is None or self._people is None:
            return Projection(here.columns, here.counts, here.first[here.counts == 1])
        sizes = _people_of(here.ids, len(here.counts), self._people)
        return Projection(here.columns, sizes, np.flatnonzero((sizes == 1)[here.ids]))


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
    """Collects minimal sample uniques from combinations that are added in any order, each before `result`."""

    def __init__(self, table: FrequencyTable, sizes: Ints, size: int) -> None:
        self._names: Names = table.quasi_identifiers
        self._size = size
        self._unique = np.flatnonzero(sizes == 1)
        self._tuples = len(sizes)
        self._pairs = int((sizes == 2).sum())
        self._singled_out: dict[tuple[int, ...], Bits] = {}

    def add(self, projection: Projection) -> None:
        """Add a combination: whom it singles out."""
        singled_out = np.zeros(self._tuples, dtype=np.bool_)
        singled_out[projection.singled_out] = True
        self._singled_out[projection.columns] = np.packbits(singled_out[self._unique])

    def _minimal(self, columns: tuple[int, ...]) -> Mask:
        """The unique tuples that a combination singles out and none of its parts does."""
        already = np.zeros_like(self._singled_out[columns])
        for part in itertools.combinations(columns, len(columns) - 1):
            if part:
                already |= self._singled_out[part]
        fresh = self._singled_out[columns] & ~already
        return np.unpackbits(fresh, count=len(self._unique)).astype(np.bool_)

    def result(self, fraction: float | None) -> SpecialUniques:
        """The special uniques; with the sampling fraction, also the scores that need it."""
        scores, smallest = np.zeros(len(self._unique)), np.zeros(len(self._unique), dtype=np.int64)
        found, part_of = dict.fromkeys(range(1, self._size + 1), 0), np.zeros(len(self._names), dtype=np.int64)
        for columns in sorted(self._singled_out, key=len):
            minimal = np.flatnonzero(self._minimal(columns))
            found[len(columns)] += len(minimal)
            part_of[list(columns)] += len(minimal)
            scores[minimal] += score_of(len(columns), len(self._names), self._size)
            smallest[minimal] = np.where(smallest[minimal] == 0, len(columns), smallest[minimal])
        suda = np.zeros(self._tuples)
        suda[self._unique] = scores
        dis, dis_suda = None, None
        if fraction is not None:
            dis = right_match(len(self._unique), self._pairs, fraction)
            dis_suda = np.zeros(self._tuples)
            dis_suda[self._unique] = _spread(scores, dis, len(self._names))
        total = sum(found.values())
        return SpecialUniques(
            size=self._size,
            uniques=len(self._unique),
            found=found,
            smallest={size: int((smallest == size).sum()) for size in range(1, self._size + 1)},
            attributes={
                name: number / max(total, 1) for name, number in zip(self._names, part_of.tolist(), strict=True)
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


@dataclass(frozen=True, eq=False, repr=False)
class RecordBasis:
    """A table, its tuples, and for each tuple its people and the journalist's probability, if it is known."""

    table: Table
    counted: FrequencyTable
    sizes: Ints
    journalist: Floats | None


@dataclass(frozen=True, eq=False, repr=False)
class RecordRisks:
    """One entry a row: the people with equal quasi-identifiers, the risks by two attackers, and SUDA scores."""

    people: Ints
    prosecutor: Floats
    journalist: Floats | None
    suda: Floats
    dis_suda: Floats | None

    def __len__(self) -> int:
        return len(self.people)


def record_risks(known: RecordBasis, special: SpecialUniques) -> RecordRisks:
    """The risks of the tuples for the rows that have them."""
    rows = tuple_of_each_row(known.table, known.counted)
    return RecordRisks(
        people=known.sizes[rows],
        prosecutor=1.0 / known.sizes[rows],
        journalist=None if known.journalist is None else known.journalist[rows],
        suda=special.suda[rows],
        dis_suda=None if special.dis_suda is None else special.dis_suda[rows],
    )


def write_records(risks: RecordRisks, path: Path) -> None:
    """Write the risks to a new CSV file, whole or not at all."""
    import pyarrow as pa
    from pyarrow import csv

    columns = {
        "row": np.arange(1, len(risks) + 1),
        "people": risks.people,
        "prosecutor": risks.prosecutor,
        "journalist": risks.journalist,
        "suda": risks.suda,
        "dis_suda": risks.dis_suda,
    }
    table = pa.table({name: values for name, values in columns.items() if values is not None})
    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --records."))
    with stage_file(path) as stage, stage.open("wb") as file:
        file.write(f"{','.join(table.column_names)}\n".encode())
        csv.write_csv(table, file, csv.WriteOptions(include_header=False))


ROOM = 2**62


def tuple_of_each_row(table: Table, counted: FrequencyTable) -> Ints:
    """The number of each row's tuple in a table's frequency table, in the order of the rows."""
    if not table.engine.numbers_rows:
        raise DataError(
            tr("the rows of {engine} have no order, and so no numbers", engine=table.engine.name),
            where=table.name,
            remedy=tr("Export the table to a file, and use that."),
            code="COBOGO-ENGINE",
        )
    names = counted.quasi_identifiers
    keys = {f"c{number}": table.text(name) for number, name in enumerate(names)}
    numbered = table.expression.select(**keys, row=table.engine.row_number())
    places = [{label: code for code, label in enumerate(counted.values[name])} for name in names]
    index = _Index(counted.codes, [len(counted.values[name]) for name in names])
    found = np.empty(counted.records, dtype=np.int64)
    for batch in table.engine.batches(numbered):
        columns = [_codes(batch.column(key), place) for key, place in zip(keys, places, strict=True)]
        found[batch.column("row").to_numpy(zero_copy_only=False)] = index.find(columns)
    return found


def _codes(column: Any, places: dict[Label, int]) -> Ints:
    """An Arrow column as codes; of each distinct text of a batch the code is looked up once."""
    import pyarrow as pa

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    labels: list[Label] = [*encoded.dictionary.to_pylist(), None]
    numbers = np.array([places.get(label, 0) for label in labels], dtype=np.int64)
    rows = encoded.indices.cast(pa.int32()).fill_null(len(labels) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(numbers[rows])


class _Index:
    """The tuples' places by one 64-bit key each; where that would overflow, the key so far is numbered first."""

    def __init__(self, codes: NDArray[np.int32], sizes: Sequence[int]) -> None:
        self._sizes = [max(size, 1) for size in sizes]
        self._numbered: dict[int, Ints] = {}
        key, span = np.zeros(len(codes), dtype=np.int64), 1
        for column, size in enumerate(self._sizes):
            if span * size >= ROOM:
                self._numbered[column] = np.unique(key)
                key = np.searchsorted(self._numbered[column], key).astype(np.int64)
                span = len(self._numbered[column])
            key = key * size + codes[:, column]
            span *= size
        self._order = np.argsort(key, kind="stable")
        self._keys = key[self._order]

    def find(self, columns: Sequence[Ints]) -> Ints:
        """The places of tuples that are all there."""
        key = np.zeros(len(columns[0]), dtype=np.int64)
        for number, (column, size) in enumerate(zip(columns, self._sizes, strict=True)):
            if number in self._numbered:
                key = np.searchsorted(self._numbered[number], key).astype(np.int64)
            key = key * size + column
        return np.asarray(self._order[np.searchsorted(self._keys, key)], dtype=np.int64)
