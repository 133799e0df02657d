"""Blocks of nodes that differ only in a few attributes of few values, all counted in one pass.

Where k-anonymity is all that is asked for, and a metric looks only at how many classes are kept and how many records
are lost, a node needs no table of its own. The classes of the other attributes are numbered once; then the records of
each class and value of the few attributes fill a matrix, and raising one of those attributes adds up its rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.examine.metrics.base import Bracketed, Floor, Outcome
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked
from cobogo.publish.recode.lattice.sums import NO_SUMS
from cobogo.publish.recode.lattice.tables import Tables

CELLS = 100
"""Values of the few attributes together. More of them make more nodes a block, and a larger and emptier matrix."""

STRIP = 512
"""Classes that are gone through at once: the rows of a block's nodes stay in the processor's nearer memory."""


ROWS = 4096
"""Rows of a table whose blocks are counted: a smaller one is searched before the kernel is loaded."""


def can_be_counted(problem: Problem) -> bool:
    """Whether sizes of classes decide everything: which are kept, and the metric."""
    metric = problem.metric
    alone = isinstance(metric, Bracketed) and metric.counts_alone
    sizes = problem.scale.small_only and problem.scale.k is not None and problem.scale.records <= np.iinfo(np.int32).max
    return alone and sizes and len(problem.table.counts) >= ROWS


def inner_columns(problem: Problem) -> list[int]:
    """The attributes that tell the nodes of a block apart: those with most levels for their values."""
    shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
    sizes = [len(leaf) for leaf in problem.leaf_codes]
    worth = [-math.log(levels) / math.log(max(size, 2)) for levels, size in zip(shape, sizes, strict=True)]
    chosen: list[int] = []
    for column in sorted(range(len(shape)), key=worth.__getitem__):
        if shape[column] > 1 and sizes[column] * math.prod(sizes[n] for n in chosen) <= CELLS:
            chosen.append(column)
    return sorted(chosen)


class Shape:
    """The nodes of a block from one of them up, as levels of the inner columns, and how each follows from another."""

    def __init__(self, problem: Problem, inner: Sequence[int], base: Levels) -> None:
        ranges = [range(low, problem.highest[column] + 1) for column, low in zip(inner, base, strict=True)]
        self.columns = np.array(inner, dtype=np.int64)
        self.nodes = list(itertools.product(*ranges))
        self.levels = np.array(self.nodes, dtype=np.int64).reshape(len(self.nodes), len(inner))
        self.numbers = {levels: number for number, levels in enumerate(self.nodes)}
        codes = [_codes(problem, inner, levels) for levels in self.nodes]
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
    classes of fewer than k, which are suppressed."""

    problem: Problem
    shape: Shape
    kept: Ints
    lost: Ints

    @cached_property
    def hopeless(self) -> Mask:
        """The nodes that lose more records than the limit allows, or all of them."""
        return np.asarray((self.lost > self.problem.limit) | (self.kept == 0))

    @cached_property
    def values(self) -> Floats:
        """The metric of each node."""
        return np.asarray(self.problem.metric.value(_outcome(self.kept, self.lost), self.problem.scale))

    @property
    def costs(self) -> Floats:
        """The same, negated where more is better."""
        return -self.values if self.problem.metric.maximize else self.values

    @property
    def spread(self) -> Outcome:
        """For each node an outcome no worse than those above it; see `sums.spread`."""
        return _outcome(self.kept + self.lost / (self.problem.scale.k or 1), 0)

    @property
    def floor(self) -> Floor:
        """What all nodes below each lose at least."""
        return Floor(self.lost, classes=self.lost / (self.problem.scale.k or 1))


def _outcome(classes: Any, suppressed: Any) -> Outcome:
    return Outcome(suppressed, classes, squares=NO_SUMS, leaf_sums=NO_SUMS, level_sums=NO_SUMS)


class Blocks:
    """Counts the blocks of one problem, on tables that keep the inner columns in a last digit of their own."""

    def __init__(self, problem: Problem, tables: Tables, inner: Sequence[int]) -> None:
        self._problem = problem
        self._tables = tables
        self._columns = list(inner)
        self._lowest = tuple(problem.lowest[column] for column in inner)
        self._shapes: dict[Levels, Shape] = {}
        whole = self.shape(self._lowest)
        self._cells = np.empty(int(whole.starts[1]) * (len(problem.table.counts) + 1), dtype=np.int32)
        self._strip = np.empty((int(whole.starts[-1]), STRIP), dtype=np.int32)

    def shape(self, base: Levels | None = None) -> Shape:
        """The nodes of a block from one of them up; all of them by default."""
        base = self._lowest if base is None else base
        if base not in self._shapes:
            self._shapes[base] = Shape(self._problem, self._columns, base)
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
        shape, table = self.shape(base), self._tables.table(self.replace(levels, base))
        ids, totals = self._tables.number_without_last(table)
        kept, lost = np.zeros((2, len(shape.nodes)), dtype=np.int64)
        tally(
            ids, table.digits, table.records, totals, shape.values, self._problem.scale.k or 1, shape.before,
            shape.starts, shape.merged, self._cells, self._strip, kept, lost,
        )  # fmt: skip
        return Block(self._problem, shape, kept, lost)

    def checked(self, block: Block, levels: Levels, number: int) -> Checked:
        """A node of a block."""
        levels = self.replace(levels, block.shape.nodes[number])
        kept, lost = int(block.kept[number]), int(block.lost[number])
        if block.hopeless[number]:
            return Checked(levels, True, False, None, np.nan, lost)
        return Checked(levels, False, True, _outcome(kept, lost), float(block.values[number]), lost)


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
def tally(ids, digits, records, totals, values, k, before, starts, merged, cells, strip, kept, lost):  # type: ignore[no-untyped-def]
    """For each node of a block, its classes of k records and more, and the records of its other classes.

    ``ids`` are the classes of the rows by the other attributes, ``totals`` their records; the last digit says which of
    the ``values`` a row has. A class of one row, or of fewer than k records, is the same at every node. Of all others
    the first node's cells are filled; those of the other nodes are sums of the cells of the node ``before``.
    """
    last = digits.shape[1] - 1
    places = np.zeros(len(totals), np.int32)
    for row in range(len(ids)):
        places[ids[row]] += 1
    groups = 0
    sure = 0
    doomed = 0
    for group in range(len(totals)):
        single = places[group] == 1
        few = totals[group] < k
        doomed += totals[group] if few else 0
        sure += single and not few
        places[group] = -1 if few or single else groups
        groups += not (few or single)
    kept[:], lost[:] = sure, doomed
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
            _count_node(node, size, k, before, starts, merged, strip, kept, lost)


@kernel(small_in_python=True)
def _count_node(node, size, k, before, starts, merged, strip, kept, lost):  # type: ignore[no-untyped-def]
    """The same for some of the classes at one node. Sums of 32 bits: twice as many fit into a register."""
    first = starts[node]
    source = starts[before[node]]
    if node > 0:
        strip[first : starts[node + 1]] = 0
        for cell in range(starts[before[node] + 1] - source):
            row = strip[first + merged[node, cell]]
            added = strip[source + cell]
            for group in range(size):
                row[group] += added[group]
    enough = np.int32(k)
    for cell in range(first, starts[node + 1]):
        row = strip[cell]
        many = np.int32(0)
        few = np.int32(0)
        for group in range(size):
            number = row[group]
            many = np.int32(many + np.int32(number >= enough))
            few = np.int32(few + (number if number < enough else np.int32(0)))
        kept[node] += many
        lost[node] += few
