"""Frequency tables at nodes of the lattice: each is rolled up from the smallest one below it that is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import number_tuples
from cobogo.data.table.kernels import roll_up
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Histogram
from cobogo.publish.recode import kernels
from cobogo.publish.recode.packing import Packing
from cobogo.publish.recode.problem import Levels, Problem

Codes = NDArray[np.int32]

TABLES_KEPT = 256
ROWS_KEPT = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Rolled:
    """The frequency table at a node: its classes, their records and whatever models look at.

    ``digits`` are those of an original tuple of each class.
    """

    packing: Packing
    levels: Levels
    digits: Codes
    records: Ints
    histograms: Mapping[str, Histogram]
    populations: Mapping[str, Ints]
    people: Histogram | None = None
    owners: Ints | None = None  # the class of each tuple of the problem's table, where some model asks; -1 for none
    label: Histogram | None = None  # records of each label, where they are asked for

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def codes(self) -> Codes:
        """The released tuple of each class, in the codes of the hierarchies' levels."""
        return self.packing.codes(self.digits, self.levels)

    def without(self, columns: Sequence[int]) -> Rolled:
        """The table with some attributes left out altogether."""
        keep = [column for column in range(len(self.levels)) if column not in columns]
        sizes = [len(self.packing.problem.hierarchies[column].labels[self.levels[column]]) for column in keep]
        numbers, representatives = number_tuples([self.codes[:, column] for column in keep], sizes, len(self))
        ids, groups = numbers.astype(np.int32), len(representatives)
        return self._summed(ids, groups, self.levels, self.digits[representatives], _sum(ids, self.records, groups))

    def together(self, chosen: Mask) -> Rolled:
        """Some of the classes as one."""
        part = Rolled(
            self.packing,
            self.levels,
            self.digits[chosen],
            self.records[chosen],
            {name: histogram.where(chosen) for name, histogram in self.histograms.items()},
            {name: counts[chosen] for name, counts in self.populations.items()},
            None if self.people is None else self.people.where(chosen),
            None if self.owners is None else _renumbered(self.owners, chosen),
            None if self.label is None else self.label.where(chosen),
        )
        ids = np.zeros(len(part), dtype=np.int32)
        return part._summed(ids, 1, self.levels, part.digits[:1], part.records.sum(keepdims=True))

    def _summed(self, ids: Codes, groups: int, levels: Levels, digits: Codes, records: Ints) -> Rolled:
        """The table of classes that this one's rows fall into."""
        return Rolled(
            packing=self.packing,
            levels=levels,
            digits=digits,
            records=records,
            histograms={name: _merged(histogram, ids, groups) for name, histogram in self.histograms.items()},
            populations={name: _sum(ids, counts, groups) for name, counts in self.populations.items()},
            people=None if self.people is None else _merged(self.people, ids, groups),
            owners=None if self.owners is None else np.where(self.owners < 0, -1, ids[self.owners]),
            label=None if self.label is None else _merged(self.label, ids, groups),
        )


class Tables:
    """The tables of one problem, made when they are asked for; those that later ones can start from are kept."""

    def __init__(self, problem: Problem, histograms: Sequence[str], *, label: bool) -> None:
        table = problem.table
        self._packing = Packing(problem)
        self._base = Rolled(
            packing=self._packing,
            levels=(0,) * len(problem.hierarchies),
            digits=self._packing.digits(table.codes),
            records=table.counts,
            histograms={name: table.histograms[name] for name in histograms},
            populations=table.populations,
            people=None if table.people is None else table.people.sets,
            owners=np.arange(len(table.counts)) if any(m.needs_members for m in problem.models) else None,
            label=table.label if label else None,
        )
        self._kept: list[Rolled | None] = [None] * TABLES_KEPT
        self._kept_levels = np.zeros((TABLES_KEPT, len(problem.hierarchies)), dtype=np.int64)
        self._kept_rows = np.full(TABLES_KEPT, -1, dtype=np.int64)
        self._next, self._oldest = 0, 0
        self._rows = 0
        rows = len(table.counts)
        places = 1 << max(4, (2 * max(rows, 1) - 1).bit_length())
        self._slots = np.full(places, -1, dtype=np.int32)
        self._places = np.empty(rows, dtype=np.int64)
        self._keys = np.empty(rows, dtype=np.int64)
        self._ids = np.empty(rows, dtype=np.int32)
        self._digits = np.empty_like(self._base.digits)
        self._records = np.empty(rows, dtype=np.int64)

    def at(self, levels: Levels) -> Rolled:
        """The table at a node."""
        node = np.array(levels, dtype=np.int64)
        number = kernels.smallest_below(self._kept_levels, self._kept_rows, TABLES_KEPT, node)
        source = self._base if number < 0 else self._kept[number]
        assert source is not None
        if number >= 0 and source.levels == levels:
            return source
        rolled = self._roll_up(source, levels, node)
        self._keep(rolled, node)
        return rolled

    def _roll_up(self, source: Rolled, levels: Levels, node: Ints) -> Rolled:
        maps, starts, spans = self._packing.recode(node)
        ids = self._ids[: len(source)]
        groups = roll_up(
            source.digits, source.records, maps, starts, spans, self._slots, self._places, self._keys, ids,
            self._digits, self._records,
        )  # fmt: skip
        return source._summed(ids, groups, levels, self._digits[:groups].copy(), self._records[:groups].copy())

    def _keep(self, rolled: Rolled, node: Ints) -> None:
        """In the place of the oldest; as many as there is room for."""
        while self._next - self._oldest >= TABLES_KEPT or (
            self._rows + len(rolled) > ROWS_KEPT and self._oldest < self._next
        ):
            place = self._oldest % TABLES_KEPT
            self._rows -= int(self._kept_rows[place])
            self._kept[place], self._kept_rows[place] = None, -1
            self._oldest += 1
        place = self._next % TABLES_KEPT
        self._kept[place], self._kept_rows[place], self._kept_levels[place] = rolled, len(rolled), node
        self._rows += len(rolled)
        self._next += 1


def _renumbered(owners: Ints, chosen: Mask) -> Ints:
    """The classes of tuples when only some classes are left."""
    numbers = np.where(chosen, np.cumsum(chosen) - 1, -1)
    return np.where(owners < 0, -1, numbers[owners])


def _sum(ids: Codes, counts: Ints, groups: int) -> Ints:
    total = np.zeros(groups, dtype=np.int64)
    kernels.sum_by(ids, counts, total)
    return total


def _merged(histogram: Histogram, ids: Codes, groups: int) -> Histogram:
    """The histogram of classes, from that of the rows that fall into them."""
    offsets, values, counts = kernels.merge_histograms(
        ids, groups, histogram.offsets, histogram.values, histogram.counts, len(histogram.domain)
    )
    return Histogram(offsets, values, counts, histogram.domain)
