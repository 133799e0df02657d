"""Blocks of nodes that differ only in a few attributes of few values, all counted in one pass.

Where k-anonymity is all that is asked for, and a metric looks only at how many classes are kept, how many records are
lost and which label is most frequent, a node needs no table of its own. The classes of the other attributes are
numbered once; then the records of each class and value of the few attributes (and label) fill a matrix, and raising one
of those attributes adds up its rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.examine.metrics.base import Bracketed, Floor, Outcome
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked
from cobogo.publish.recode.lattice.sums import NO_SUMS
from cobogo.publish.recode.lattice.tables import Tables

CELLS = 160
"""Values of the few attributes together, times the labels: with more there are more nodes in a block, and a larger and
emptier matrix. On a lattice of 45,000 nodes, 80 values took less time than 10 and, with 14 labels, 140 less than 28."""

NUMBERS = 1 << 24
"""Numbers of the matrix at most: 64 MiB. Of a table with many rows, blocks have fewer nodes."""

STRIP = 512
"""Classes that are gone through at once: the rows of a block's nodes stay in the processor's nearer memory."""


ROWS = 4096
"""Rows of a table whose blocks are counted: a smaller one is searched before the kernel is loaded."""


def can_be_counted(problem: Problem) -> bool:
    """Whether sizes of classes decide everything: which are kept, and the metric."""
    metric = problem.metric
    alone = isinstance(metric, Bracketed) and metric.counts_alone
    alone = alone and ("majority" not in metric.needs or problem.table.label is not None)
    sizes = problem.scale.small_only and problem.scale.k is not None and problem.scale.records <= np.iinfo(np.int32).max
    return alone and sizes and len(problem.table.counts) >= ROWS


def inner_columns(problem: Problem) -> list[int]:
    """The attributes that tell the nodes of a block apart: those with most levels for their values."""
    shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
    sizes = [len(leaf) for leaf in problem.leaf_codes]
    worth = [-math.log(levels) / math.log(max(size, 2)) for levels, size in zip(shape, sizes, strict=True)]
    chosen: list[int] = []
    label, labels = problem.table.label, max(_label_count(problem), 1)
    rows = len(problem.table.counts) if labels == 1 or label is None else len(label.counts)
    room = min(CELLS, NUMBERS // (rows + 1))
    for column in sorted(range(len(shape)), key=worth.__getitem__):
        if shape[column] > 1 and labels * sizes[column] * math.prod(sizes[n] for n in chosen) <= room:
            chosen.append(column)
    return sorted(chosen)


def _label_count(problem: Problem) -> int:
    """How many labels there are; 0 where the metric asks for none."""
    label = problem.table.label
    return len(label.domain) if label is not None and "majority" in problem.metric.needs else 0


def _split_by_label(problem: Problem) -> Problem:
    """The problem with the label as a last attribute that is never generalized."""
    table, label = problem.table, problem.table.label
    assert label is not None
    name = "".join(table.quasi_identifiers) + "label"  # of no other
    numbers = [str(number) for number in range(len(label.domain))]
    return replace(
        problem,
        table=FrequencyTable(
            quasi_identifiers=(*table.quasi_identifiers, name),
            values={**table.values, name: tuple(numbers)},
            codes=np.column_stack([table.codes[label.owners], label.values]).astype(np.int32),
            counts=label.counts,
            histograms={},
        ),
        hierarchies=(*problem.hierarchies, Hierarchy.from_columns(name, [numbers])),
        lowest=(*problem.lowest, 0),
        highest=(*problem.highest, 0),
        weights=(*problem.weights, 1.0),
    )


class Shape:
    """The nodes of a block from one of them up, as levels of the inner columns, and how each follows from another."""

    def __init__(self, problem: Problem, inner: Sequence[int], base: Levels, *, labels: int) -> None:
        ranges = [range(low, problem.highest[column] + 1) for column, low in zip(inner, base, strict=True)]
        self.columns = np.array(inner, dtype=np.int64)
        self.nodes = list(itertools.product(*ranges))
        self.levels = np.array(self.nodes, dtype=np.int64).reshape(len(self.nodes), len(inner))
        self.numbers = {levels: number for number, levels in enumerate(self.nodes)}
        codes = [np.add.outer(_codes(problem, inner, n) * labels, np.arange(labels)).reshape(-1) for n in self.nodes]
        widths = [int(there.max(initial=0)) + 1 for there in codes]
        self.starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self.before = np.array([self.numbers[_step_down(ranges, levels)] for levels in self.nodes], dtype=np.int64)
        self.merged = np.zeros((len(codes), max(widths)), dtype=np.int64)
        for number, before in enumerate(self.before.tolist()):
            self.merged[number, codes[before]] = codes[number]
        self.values = codes[0]


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Nodes that have the same levels outside the inner columns, and of each the kept classes and the records in
    classes of fewer than k, which are suppressed; and of both, the records with the most frequent label."""

    problem: Problem
    shape: Shape
    kept: Ints
    lost: Ints
    kept_majority: Ints
    lost_majority: Ints

    @cached_property
    def hopeless(self) -> Mask:
        """The nodes that lose more records than the limit allows, or all of them."""
        return np.asarray((self.lost > self.problem.limit) | (self.kept == 0))

    @property
    def outcome(self) -> Outcome:
        """Those of the nodes, as far as they are counted."""
        return _outcome(self.kept, self.lost, self.kept_majority)

    @cached_property
    def values(self) -> Floats:
        """The metric of each node."""
        return np.asarray(self.problem.metric.value(self.outcome, self.problem.scale))

    @property
    def costs(self) -> Floats:
        """The same, negated where more is better."""
        return -self.values if self.problem.metric.maximize else self.values

    @property
    def spread(self) -> Outcome:
        """For each node an outcome no worse than those above it; see `sums.spread`."""
        k = self.problem.scale.k or 1
        return _outcome((self.kept * k + self.lost) / k, 0, self.kept_majority + self.lost_majority)

    @property
    def floor(self) -> Floor:
        """What all nodes below each lose at least."""
        return Floor(self.lost, classes=self.lost / (self.problem.scale.k or 1), majority=self.lost_majority)


def _outcome(classes: Any, suppressed: Any, majority: Any) -> Outcome:
    return Outcome(suppressed, classes, squares=NO_SUMS, leaf_sums=NO_SUMS, level_sums=NO_SUMS, majority=majority)


class Blocks:
    """Counts the blocks of one problem."""

    def __init__(self, problem: Problem, inner: Sequence[int]) -> None:
        self._problem = problem
        self._columns = list(inner)
        self._labels = _label_count(problem)
        counted = _split_by_label(problem) if self._labels else problem
        more = range(len(problem.hierarchies), len(counted.hierarchies))
        self._label_levels = (0,) * len(more)
        self._tables = Tables(counted, (), label=False, apart=[*inner, *more])
        self._lowest = tuple(problem.lowest[column] for column in inner)
        self._shapes: dict[Levels, Shape] = {}
        whole = self.shape(self._lowest)
        self._cells = np.empty(int(whole.starts[1]) * (len(counted.table.counts) + 1), dtype=np.int32)
        self._strip = np.empty((int(whole.starts[-1]) + 2, STRIP), dtype=np.int32)

    def shape(self, base: Levels | None = None) -> Shape:
        """The nodes of a block from one of them up; all of them by default."""
        base = self._lowest if base is None else base
        if base not in self._shapes:
            self._shapes[base] = Shape(self._problem, self._columns, base, labels=max(self._labels, 1))
        return self._shapes[base]

    def inner_levels(self, levels: Levels) -> Levels:
        """The levels of a node in the inner columns."""
        return tuple(levels[column] for column in self._columns)

    def replace(self, levels: Levels, inner: Levels) -> Levels:
        """The node of the same block with other levels in the inner columns."""
        found = list(levels)
        for column, level in zip(self._columns, inner, strict=True):
            found[column] = level
        return tuple(found)

    def lowest(self, levels: Levels) -> Levels:
        """The lowest node of a node's block."""
        return self.replace(levels, self._lowest)

    def count(self, levels: Levels, base: Levels | None = None) -> Block:
        """The figures of a node's block, from a node up that has these levels in the inner columns: the lowest by
        default."""
        base = self._lowest if base is None else base
        shape, table = self.shape(base), self._tables.table(self.replace(levels, base) + self._label_levels)
        ids, totals = self._tables.number_without_last(table)
        found = np.zeros((4, len(shape.nodes)), dtype=np.int64)
        tally(
            ids, table.digits, table.records, totals, shape.values, self._problem.scale.k or 1, shape.before,
            shape.starts, shape.merged, self._cells, self._strip, self._labels, found,
        )  # fmt: skip
        return Block(self._problem, shape, *found)

    def checked(self, block: Block, levels: Levels, number: int) -> Checked:
        """A node of a block."""
        levels = self.replace(levels, block.shape.nodes[number])
        kept, lost = int(block.kept[number]), int(block.lost[number])
        if block.hopeless[number]:
            return Checked(levels, True, False, None, np.nan, lost)
        outcome = _outcome(kept, lost, int(block.kept_majority[number]))
        return Checked(levels, False, True, outcome, float(block.values[number]), lost)


def _codes(problem: Problem, columns: Sequence[int], levels: Levels) -> Ints:
    """What each tuple of values of some columns becomes, numbered."""
    found = np.zeros(1, dtype=np.int64)
    for column, level in zip(columns, levels, strict=True):
        there = problem.hierarchies[column].maps[level][problem.leaf_codes[column]]
        known, numbers = np.unique(there, return_inverse=True)
        found = np.add.outer(found * len(known), numbers).reshape(-1)
    return found


def _step_down(ranges: Sequence[range], levels: Levels) -> Levels:
    """The node with the last attribute that is raised one level lower; the lowest node itself."""
    for place in reversed(range(len(levels))):
        if levels[place] > ranges[place].start:
            return (*levels[:place], levels[place] - 1, *levels[place + 1 :])
    return levels


@kernel(small_in_python=True)
def tally(ids, digits, records, totals, values, k, before, starts, merged, cells, strip, labels, found):  # type: ignore[no-untyped-def]
    """For each node of a block: its classes of k records and more, the records of its other classes, and of both the
    records with the most frequent of the ``labels``, where there are any.

    ``ids`` are the classes of the rows by the other attributes, ``totals`` their records; the last digit says which of
    the ``values`` a row has. A class of one row is the same at every node; so is one of fewer than k records, but for
    its labels. Of all others the first node's cells are filled; those of the other nodes are sums of the cells of the
    node ``before``.
    """
    last = digits.shape[1] - 1
    places = np.zeros(len(totals), np.int32)
    for row in range(len(ids)):
        places[ids[row]] += 1
    groups = 0
    sure = 0
    sure_records = 0
    doomed = 0
    for group in range(len(totals)):
        few = totals[group] < k
        settled = places[group] == 1 or (few and not labels)
        doomed += totals[group] if settled and few else 0
        sure_records += totals[group] if settled and not few else 0
        sure += settled and not few
        places[group] = -1 if settled else groups
        groups += not settled
    found[0], found[1], found[2], found[3] = sure, doomed, sure_records, doomed
    width = groups + 1  # the last place takes what is settled
    cells[: starts[1] * width] = 0
    for row in range(len(ids)):
        place = places[ids[row]]
        cells[values[digits[row, last]] * width + (place if place >= 0 else groups)] += records[row]
    for begin in range(0, groups, strip.shape[1]):
        size = min(strip.shape[1], groups - begin)
        for cell in range(starts[1]):
            place = cell * width + begin
            row = strip[cell]
            for group in range(size):
                row[group] = cells[place + group]
        for node in range(len(before)):
            if node > 0:
                _merge_cells(node, size, before, starts, merged, strip)
            if labels == 0:
                _count_cells(node, size, k, starts, strip, found)
            else:
                _count_labels(node, size, k, starts, strip, labels, found)


@kernel(small_in_python=True)
def _merge_cells(node, size, before, starts, merged, strip):  # type: ignore[no-untyped-def]
    """Add up the cells of the node before, for some of the classes."""
    first = starts[node]
    source = starts[before[node]]
    strip[first : starts[node + 1]] = 0
    for cell in range(starts[before[node] + 1] - source):
        row = strip[first + merged[node, cell]]
        added = strip[source + cell]
        for group in range(size):
            row[group] += added[group]


@kernel(small_in_python=True)
def _count_cells(node, size, k, starts, strip, found):  # type: ignore[no-untyped-def]
    """`tally` of some classes at one node, without labels. Sums of 32 bits: twice as many fit into a register."""
    enough = np.int32(k)
    for cell in range(starts[node], starts[node + 1]):
        row = strip[cell]
        many = np.int32(0)
        few = np.int32(0)
        for group in range(size):
            number = row[group]
            many = np.int32(many + np.int32(number >= enough))
            few = np.int32(few + (number if number < enough else np.int32(0)))
        found[0, node] += many
        found[1, node] += few


@kernel(small_in_python=True)
def _count_labels(node, size, k, starts, strip, labels, found):  # type: ignore[no-untyped-def]
    """The same with labels: so many cells after one another are of one value."""
    enough = np.int32(k)
    sizes = strip[len(strip) - 2]
    most = strip[len(strip) - 1]
    for cell in range(starts[node], starts[node + 1], labels):
        sizes[:] = 0
        most[:] = 0
        for label in range(labels):
            row = strip[cell + label]
            for group in range(size):
                sizes[group] += row[group]
                most[group] = max(most[group], row[group])
        many = np.int32(0)
        few = np.int32(0)
        kept = np.int32(0)
        lost = np.int32(0)
        for group in range(size):
            keep = sizes[group] >= enough
            many = np.int32(many + np.int32(keep))
            few = np.int32(few + (np.int32(0) if keep else sizes[group]))
            kept = np.int32(kept + (most[group] if keep else np.int32(0)))
            lost = np.int32(lost + (np.int32(0) if keep else most[group]))
        found[0, node] += many
        found[1, node] += few
        found[2, node] += kept
        found[3, node] += lost
