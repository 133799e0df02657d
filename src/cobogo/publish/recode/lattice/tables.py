"""Frequency tables at nodes of the lattice: each is rolled up from the smallest one below it that is at hand.

Quasi-identifier tuples are packed into few digits (`Packing`), so that recoding a tuple takes few look-ups. The
original digits of one member represent a class: what they become at a node above depends on that node alone, so a table
(`RolledTable`) can be rolled up from any table below it (`Tables`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import le

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import number_tuples
from cobogo.data.table.kernels import merge_histograms, new_cells, roll_up, sum_by
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.promises.models import Histogram
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice import kernels
from cobogo.publish.recode.lattice.packing import Packing

Codes = NDArray[np.int32]

TABLES_KEPT = 2048
"""Tables that later ones can start from. Every roll-up looks through all of them for the smallest below: some
microseconds, and a sixth to a third of the rows less to roll up than with 256 (45,000 nodes, 60,000 records)."""
FAR = 4
"""How many times as many rows the source of a table has when the table is distant from it: from 2 to 8 the rows that
all roll-ups read change by less than a tenth."""
NEAR = 0.5
"""The part of the way, in steps, that a stopover takes off: one that takes off less is large itself, and few nodes lie
above one that takes off more. On lattices of 4,320 and 45,000 nodes, 0.5 reads half of the rows that no stopover reads,
and up to a third less than 0.75."""
ENTRIES_KEPT = 8_000_000
"""Rows and histogram entries of all of them together: bounds their memory, at some 15 bytes each. A table that has more
by itself is made again when it is asked for again."""
UNUSED = np.iinfo(np.int64).max
"""The last use of a place without a table."""


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

    @property
    def has_more(self) -> bool:
        """Whether more is known of its classes than their records."""
        beside = self.people is not None or self.owners is not None or self.label is not None
        return beside or bool(self.histograms) or bool(self.populations)

    @cached_property
    def size(self) -> int:
        """Its rows and the entries of its histograms."""
        if not self.has_more:
            return len(self)
        beside = [histogram for histogram in (self.people, self.label) if histogram is not None]
        return len(self) + sum(len(histogram.values) for histogram in (*self.histograms.values(), *beside))

    @cached_property
    def codes(self) -> Codes:
        """The released tuple of each class, in the codes of the hierarchies' levels."""
        return self.packing.codes(self.digits, self.levels)

    @cached_property
    def tuples(self) -> Floats:
        """How many original tuples each class covers."""
        return self.packing.tuples(self.digits, self.levels)

    @cached_property
    def log_tuples(self) -> Floats:
        """ln of that number."""
        return self.packing.log_tuples(self.digits, self.levels)

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

    def __init__(self, problem: Problem, histograms: Sequence[str], *, label: bool, apart: Sequence[int] = ()) -> None:
        """``apart``: columns that make the last digit of every table."""
        table = problem.table
        self._packing = Packing(problem, apart)
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
        words = len(kernels.pack_levels(self._base.levels))
        self._kept_levels = np.zeros((TABLES_KEPT, words), dtype=np.uint64)
        self._kept_rows = np.full(TABLES_KEPT, -1, dtype=np.int64)
        self._last_use = np.full(TABLES_KEPT, UNUSED)  # when a table was last started from
        self._uses = itertools.count()
        self._free = list(range(TABLES_KEPT - 1, -1, -1))
        self._reach = 0  # places that were ever taken
        self._entries = 0
        self._far: Levels | None = None  # the last node that was rolled up from a much larger table
        rows = len(table.counts)
        places = 1 << max(4, (2 * max(rows, 1) - 1).bit_length())
        self._slots = np.full(places, -1, dtype=np.int32)
        self._cells = new_cells(rows)
        self._places = np.empty(rows, dtype=np.int64)
        self._keys = np.empty(rows, dtype=np.int64)
        self._ids = np.empty(rows, dtype=np.int32)
        self._digits = np.empty_like(self._base.digits)
        self._records = np.empty(rows, dtype=np.int64)

    def table(self, levels: Levels) -> RolledTable:
        """The table at a node."""
        node = np.array(levels, dtype=np.int64)
        packed = kernels.pack_levels(levels)
        number = kernels.smallest_below(self._kept_levels, self._kept_rows, self._reach, packed)
        source = self._base if number < 0 else self._kept[number]
        assert source is not None
        if number >= 0:
            self._last_use[number] = next(self._uses)
            if source.levels == levels:
                return source
        anchor = self._anchor
        lowered = None if anchor is None else anchor.lowered_column(node)
        if anchor is not None and lowered is not None and 2 * len(source) > len(self._base):
            return self._refine(anchor, lowered, levels, node)
        if (stop := self._stopover(source, levels)) is not None:
            before, source = source, self._roll_up(source, stop, np.array(stop, dtype=np.int64))
            self._far = self._far if FAR * len(source) < len(before) else None  # it did not pay
        rolled = self._roll_up(source, levels, node)
        self._far = levels if len(source) > FAR * len(rolled) else self._far
        return rolled

    def _stopover(self, source: RolledTable, levels: Levels) -> Levels | None:
        """A node between a source and a node from which the last distant node could have started too: others in the
        neighbourhood will. None where it is not near enough to be worth its own roll-up."""
        if self._far is None:
            return None
        stop = tuple(map(min, levels, self._far))
        begin, end = sum(source.levels), sum(levels)
        near = begin < sum(stop) < end and sum(stop) - begin >= NEAR * (end - begin)
        return stop if near and all(map(le, source.levels, stop)) else None

    def number_without_last(self, table: RolledTable) -> tuple[Codes, Ints]:
        """The class of each row of a table without its last digit, and the records of each class, until the next
        roll-up."""
        maps, starts, spans = self._packing.recode(np.array(table.levels, dtype=np.int64))
        maps[starts[-2] :], spans[-1] = 0, 1
        ids = self._ids[: len(table)]
        groups = roll_up(
            table.digits, table.records, maps, starts, spans, self._slots, self._cells, self._places, self._keys, True,
            ids, self._digits, self._records,
        )  # fmt: skip
        return ids, self._records[:groups]

    def stand_on(self, levels: Levels) -> None:
        """Remember which class each tuple of the problem's table is in at a node. Where only one attribute is lower
        than there, tables are then made from the classes and that attribute alone."""
        if self._anchor is None or self._anchor.levels != levels:
            node = np.array(levels, dtype=np.int64)
            rolled = self._roll_up(self._base, levels, node, numbered=True)
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
            np.array([0, known, known + end - begin]), np.array([known, spans[digit]]), self._slots, self._cells,
            self._places, self._keys, True, ids, reduced, self._records,
        )  # fmt: skip
        digits = anchor.digits[reduced[:groups, 0]]
        digits[:, digit] = reduced[:groups, 1]
        rolled = self._base._merge_rows(ids, groups, levels, digits, self._records[:groups].copy())
        self._keep(rolled)
        return rolled

    def _roll_up(self, source: RolledTable, levels: Levels, node: Ints, *, numbered: bool = False) -> RolledTable:
        maps, starts, spans = self._packing.recode(node)
        ids = self._ids[: len(source)]
        groups = roll_up(
            source.digits, source.records, maps, starts, spans, self._slots, self._cells, self._places, self._keys,
            numbered or source.has_more, ids, self._digits, self._records,
        )  # fmt: skip
        digits, records = self._digits[:groups].copy(), self._records[:groups].copy()
        rolled = source._merge_rows(ids, groups, levels, digits, records)
        self._keep(rolled)
        return rolled

    def _keep(self, rolled: RolledTable) -> None:
        """Keep a table, and drop those that were not started from for longest where there are too many."""
        if rolled.size > ENTRIES_KEPT:
            return
        while not self._free or self._entries + rolled.size > ENTRIES_KEPT:
            place = int(self._last_use.argmin())
            dropped = self._kept[place]
            assert dropped is not None
            self._entries -= dropped.size
            self._kept[place], self._kept_rows[place], self._last_use[place] = None, -1, UNUSED
            self._free.append(place)
        place = self._free.pop()
        self._kept[place], self._kept_rows[place] = rolled, len(rolled)
        self._kept_levels[place] = kernels.pack_levels(rolled.levels)
        self._last_use[place] = next(self._uses)
        self._reach = max(self._reach, place + 1)
        self._entries += rolled.size


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
