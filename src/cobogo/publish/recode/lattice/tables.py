"""Frequency tables at nodes of the lattice: each is rolled up from the smallest one below it that is at hand.

Quasi-identifier tuples are packed into few digits (`Packing`), so that recoding a tuple takes few look-ups. The
original digits of one member represent a class: what they become at a node above depends on that node alone, so a table
(`RolledTable`) can be rolled up from any table below it (`Tables`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import number_tuples
from cobogo.data.table.kernels import merge_histograms, roll_up, sum_by
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Histogram
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice import kernels

DIGIT_AT_MOST = 1024
"""Values of a digit of several columns: the look-up tables of a node stay in the processor's nearest memory."""


class Packing:
    """The digits of one problem's table, and what they become at a node."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        width = len(problem.hierarchies)
        self.sizes = np.array([len(leaf) for leaf in problem.leaf_codes], dtype=np.int64)
        groups = _group_columns(self.sizes.tolist())
        self.columns = np.array([column for group in groups for column in group], dtype=np.int64)
        self.firsts = _ends([len(group) for group in groups])
        self.starts = _ends([int(self.sizes[group].prod()) for group in groups])
        tops = [h.height for h in problem.hierarchies]
        self.distinct = np.ones((width, max(tops, default=0) + 1), dtype=np.int64)
        self._code_starts = np.zeros_like(self.distinct)
        codes, leaves, place = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)], 0
        for column, (h, leaf) in enumerate(zip(problem.hierarchies, problem.leaf_codes, strict=True)):
            for level in range(h.height + 1):
                there = h.maps[level][leaf]
                known, numbers = np.unique(there, return_inverse=True)
                codes.append(numbers.astype(np.int32))
                leaves.append(h.leaf_counts[level][there])
                self.distinct[column, level] = max(len(known), 1)
                self._code_starts[column, level] = place
                place += len(leaf)
        self._codes, self._leaves = np.concatenate(codes), np.concatenate(leaves)
        self._maps = np.zeros(int(self.starts[-1]), dtype=np.int64)
        self._spans = np.ones(len(groups), dtype=np.int64)

    @property
    def values(self) -> int:
        """How many values all digits have together."""
        return int(self.starts[-1])

    def digits(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Tuples as digits; ``codes`` are those of the table's values."""
        packed = np.zeros((len(codes), len(self._spans)), dtype=np.int32)
        for digit, (first, last) in enumerate(zip(self.firsts[:-1], self.firsts[1:], strict=True)):
            for column in self.columns[first:last].tolist():
                packed[:, digit] *= np.int32(self.sizes[column])
                packed[:, digit] += codes[:, column]
        return packed

    def codes(self, digits: NDArray[np.int32], levels: Levels) -> NDArray[np.int32]:
        """What tuples become at a node, in the codes of the hierarchies."""
        found = np.empty((len(digits), len(levels)), dtype=np.int32)
        for digit, (first, last) in enumerate(zip(self.firsts[:-1], self.firsts[1:], strict=True)):
            rest = digits[:, digit]
            for column in self.columns[first:last][::-1].tolist():
                rest, values = np.divmod(rest, np.int32(self.sizes[column]))
                leaf = self.problem.leaf_codes[column][values]
                found[:, column] = self.problem.hierarchies[column].maps[levels[column]][leaf]
        return found

    def digit_of(self, column: int) -> int:
        """The digit that a column is part of."""
        place = int(np.flatnonzero(self.columns == column)[0])
        return int(np.searchsorted(self.firsts, place, side="right")) - 1

    def recode(self, levels: Ints) -> tuple[Ints, Ints, Ints]:
        """What the digits' values become at a node, where each digit's begin, and how many it has there."""
        kernels.recode_digits(
            levels, self.columns, self.firsts, self.sizes, self._codes, self._code_starts, self.distinct,
            self._maps, self.starts, self._spans,
        )  # fmt: skip
        return self._maps, self.starts, self._spans

    def leaf_sums(self, weights: Ints, levels: Ints) -> Ints:
        """Per column, the leaves under the released values, summed by the weight of each digit's values."""
        found = np.zeros(len(levels), dtype=np.int64)
        kernels.leaf_sums(
            weights, levels, self.columns, self.firsts, self.sizes, self.starts, self._leaves, self._code_starts, found
        )
        return found


def _group_columns(sizes: Sequence[int]) -> list[list[int]]:
    """Columns that make a digit together: the largest first, each where it still fits."""
    groups: list[list[int]] = []
    products: list[int] = []
    for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
        for number, product in enumerate(products):
            if product * sizes[column] <= DIGIT_AT_MOST:
                groups[number].append(column)
                products[number] *= sizes[column]
                break
        else:
            groups.append([column])
            products.append(sizes[column])
    return groups


def _ends(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


Codes = NDArray[np.int32]

TABLES_KEPT = 256
"""RolledTable-up tables that later ones can start from. Every roll-up looks through all of them for the smallest
below."""
ROWS_KEPT = 4_000_000
"""Rows of all of them together: bounds their memory."""


@dataclass(frozen=True, eq=False, repr=False)
class RolledTable:
    """The frequency table at a node: its classes, their records and whatever models look at.

    ``digits`` are those of an original tuple of each class, or of one that becomes the same here.
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

    def drop_columns(self, columns: Sequence[int]) -> RolledTable:
        """The table without some of its attributes."""
        keep = [column for column in range(len(self.levels)) if column not in columns]
        sizes = [len(self.packing.problem.hierarchies[column].labels[self.levels[column]]) for column in keep]
        numbers, representatives = number_tuples([self.codes[:, column] for column in keep], sizes, len(self))
        ids, groups = numbers.astype(np.int32), len(representatives)
        return self._merge_rows(
            ids, groups, self.levels, self.digits[representatives], _sum_by_class(ids, self.records, groups)
        )

    def merge_classes(self, chosen: Mask) -> RolledTable:
        """A table of one class, made of some of this table's."""
        part = RolledTable(
            self.packing,
            self.levels,
            self.digits[chosen],
            self.records[chosen],
            {name: histogram.where(chosen) for name, histogram in self.histograms.items()},
            {name: counts[chosen] for name, counts in self.populations.items()},
            None if self.people is None else self.people.where(chosen),
            None if self.owners is None else _renumber(self.owners, chosen),
            None if self.label is None else self.label.where(chosen),
        )
        ids = np.zeros(len(part), dtype=np.int32)
        return part._merge_rows(ids, 1, self.levels, part.digits[:1], part.records.sum(keepdims=True))

    def _merge_rows(self, ids: Codes, groups: int, levels: Levels, digits: Codes, records: Ints) -> RolledTable:
        """The table whose class ``ids[row]`` takes each row of this one."""
        return RolledTable(
            packing=self.packing,
            levels=levels,
            digits=digits,
            records=records,
            histograms={name: _merge_histogram(histogram, ids, groups) for name, histogram in self.histograms.items()},
            populations={name: _sum_by_class(ids, counts, groups) for name, counts in self.populations.items()},
            people=None if self.people is None else _merge_histogram(self.people, ids, groups),
            owners=None if self.owners is None else np.where(self.owners < 0, -1, ids[self.owners]),
            label=None if self.label is None else _merge_histogram(self.label, ids, groups),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Anchor:
    """A node, and the class that each tuple of the problem's table is in there. ``digits``: those of the classes."""

    levels: Levels
    node: Ints
    ids: Codes
    digits: Codes

    def lowered_column(self, node: Ints) -> int | None:
        """The attribute that is lower at another node, where no other is different; None where there is no such
        attribute."""
        different = np.flatnonzero(node != self.node)
        return int(different[0]) if len(different) == 1 and node[different[0]] < self.node[different[0]] else None


class Tables:
    """The tables of one problem, rolled up on demand; recent ones are kept, for others to start from."""

    def __init__(self, problem: Problem, histograms: Sequence[str], *, label: bool) -> None:
        table = problem.table
        self._packing = Packing(problem)
        self._base = RolledTable(
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
        self._anchor: Anchor | None = None
        self._kept: list[RolledTable | None] = [None] * TABLES_KEPT
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

    def table(self, levels: Levels) -> RolledTable:
        """The table at a node."""
        node = np.array(levels, dtype=np.int64)
        number = kernels.smallest_below(self._kept_levels, self._kept_rows, TABLES_KEPT, node)
        source = self._base if number < 0 else self._kept[number]
        assert source is not None
        if number >= 0 and source.levels == levels:
            return source
        anchor = self._anchor
        lowered = None if anchor is None else anchor.lowered_column(node)
        if anchor is not None and lowered is not None and 2 * len(source) > len(self._base):
            rolled = self._refine(anchor, lowered, levels, node)
        else:
            rolled = self._roll_up(source, levels, node)
        self._keep(rolled, node)
        return rolled

    def stand_on(self, levels: Levels) -> None:
        """Remember which class each tuple of the problem's table is in at a node. Where only one attribute is lower
        than there, tables are then made from the classes and that attribute alone."""
        if self._anchor is None or self._anchor.levels != levels:
            node = np.array(levels, dtype=np.int64)
            rolled = self._roll_up(self._base, levels, node)
            self._anchor = Anchor(levels, node, self._ids.copy(), rolled.digits)

    def _refine(self, anchor: Anchor, column: int, levels: Levels, node: Ints) -> RolledTable:
        """The table at a node where one attribute is lower than at the anchor: its classes are parts of the anchor's,
        and differ from them only in the digit of that attribute."""
        maps, starts, spans = self._packing.recode(node)
        digit = self._packing.digit_of(column)
        known, begin, end = len(anchor.digits), starts[digit], starts[digit + 1]
        pairs = np.stack([anchor.ids, self._base.digits[:, digit]], axis=1)
        reduced, ids = np.empty_like(pairs), self._ids
        groups = roll_up(
            pairs, self._base.records, np.concatenate([np.arange(known), maps[begin:end]]),
            np.array([0, known, known + end - begin]), np.array([known, spans[digit]]), self._slots, self._places,
            self._keys, ids, reduced, self._records,
        )  # fmt: skip
        digits = anchor.digits[reduced[:groups, 0]]
        digits[:, digit] = reduced[:groups, 1]
        return self._base._merge_rows(ids, groups, levels, digits, self._records[:groups].copy())

    def _roll_up(self, source: RolledTable, levels: Levels, node: Ints) -> RolledTable:
        maps, starts, spans = self._packing.recode(node)
        ids = self._ids[: len(source)]
        groups = roll_up(
            source.digits, source.records, maps, starts, spans, self._slots, self._places, self._keys, ids,
            self._digits, self._records,
        )  # fmt: skip
        return source._merge_rows(ids, groups, levels, self._digits[:groups].copy(), self._records[:groups].copy())

    def _keep(self, rolled: RolledTable, node: Ints) -> None:
        """Keep a table in the place of the oldest, and drop more of the oldest where rows are too many."""
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


def _renumber(owners: Ints, chosen: Mask) -> Ints:
    """The classes of tuples when only the chosen classes are left."""
    numbers = np.where(chosen, np.cumsum(chosen) - 1, -1)
    return np.where(owners < 0, -1, numbers[owners])


def _sum_by_class(ids: Codes, counts: Ints, groups: int) -> Ints:
    total = np.zeros(groups, dtype=np.int64)
    sum_by(ids, counts, total)
    return total


def _merge_histogram(histogram: Histogram, ids: Codes, groups: int) -> Histogram:
    """The histogram of classes, from that of the rows that fall into them."""
    offsets, values, counts = merge_histograms(
        ids, groups, histogram.offsets, histogram.values, histogram.counts, len(histogram.domain)
    )
    return Histogram(offsets, values, counts, histogram.domain)
