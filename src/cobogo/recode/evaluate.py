"""Checking nodes of the lattice: each one's table is rolled up from the smallest one below it that is at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.hierarchy import Hierarchy
from cobogo.metrics import Outcome
from cobogo.models import Classes, Histogram, Model, Monotone
from cobogo.models.base import Ints, Mask
from cobogo.recode import kernels
from cobogo.recode.problem import Levels, Problem
from cobogo.table.frequency import number_tuples

TABLES_KEPT = 256
ROWS_KEPT = 4_000_000


@dataclass(frozen=True, eq=False)
class Rolled:
    """The frequency table at a node: its classes, their released codes, sizes and histograms."""

    levels: Levels
    codes: NDArray[np.int32]
    sizes: Ints
    histograms: Mapping[str, Histogram]

    def classes(self) -> Classes:
        """What the models look at."""
        return Classes(self.sizes, self.histograms)


@dataclass(frozen=True, eq=False)
class Checked:
    """What was found at a node. ``hopeless``: it fails, and so does every node below it."""

    levels: Levels
    hopeless: bool
    satisfied: bool
    outcome: Outcome | None  # of a satisfied node
    value: float
    failing_records: int


class Evaluator:
    """Checks nodes of one problem, keeping the tables that later checks can start from."""

    def __init__(self, problem: Problem, *, histograms: Sequence[str] | None = None) -> None:
        """``histograms``: the sensitive attributes to count; those that some model looks at if not given."""
        self.problem = problem
        counted = problem.histograms_needed if histograms is None else histograms
        table = problem.table
        self._prunable = [m for m in problem.models if m.monotone is Monotone.EVEN_WITH_SUPPRESSION]
        self._others = [m for m in problem.models if m.monotone is not Monotone.EVEN_WITH_SUPPRESSION]
        leaf_codes = [leaf[table.codes[:, column]] for column, leaf in enumerate(problem.leaf_codes)]
        codes = np.column_stack(leaf_codes) if leaf_codes else np.zeros((len(table.counts), 0))
        self._base = Rolled(
            levels=(0,) * len(problem.hierarchies),
            codes=np.ascontiguousarray(codes, dtype=np.int32),
            sizes=table.counts,
            histograms={name: table.histograms[name] for name in counted},
        )
        self._tables: OrderedDict[Levels, Rolled] = OrderedDict()
        self._rows_kept = 0
        rows = len(table.counts)
        self._keys = np.empty(rows, dtype=np.int64)
        self._ids = np.empty(rows, dtype=np.int64)
        self._representatives = np.empty(rows, dtype=np.int64)
        self._slots = np.empty(_places(rows), dtype=np.int64)
        self.checked = 0

    @property
    def can_prune(self) -> bool:
        """Whether a failing node may rule out those below it."""
        return bool(self._prunable)

    def check(self, levels: Levels) -> Checked:
        """Whether a node satisfies the models within the suppression limit, and what it costs."""
        self.checked += 1
        rolled = self.table(levels)
        failing = self._failing(rolled, self._prunable)
        lost = int(rolled.sizes[failing].sum())
        if lost > self.problem.limit or (len(failing) and failing.all()):
            return Checked(levels, True, False, None, np.nan, lost)
        if self._others:
            failing = failing | self._failing(rolled, self._others)
            lost = int(rolled.sizes[failing].sum())
            if lost > self.problem.limit or (len(failing) and failing.all()):
                return Checked(levels, False, False, None, np.nan, lost)
        outcome = self.outcome(rolled, failing)
        value = float(self.problem.metric.value(outcome, self.problem.scale))
        return Checked(levels, False, True, outcome, value, lost)

    def failing(self, rolled: Rolled) -> Mask:
        """The classes that fail any model: those that a release suppresses."""
        return self._failing(rolled, self.problem.models)

    def _failing(self, rolled: Rolled, models: Iterable[Model]) -> Mask:
        failing = np.zeros(len(rolled.sizes), dtype=np.bool_)
        classes = rolled.classes()
        for model in models:
            failing |= ~model.holds(model.measure(classes))
        return failing

    def outcome(self, rolled: Rolled, failing: Mask) -> Outcome:
        """The sums that metrics are made of: those of the whole table less those of the failing classes."""
        problem = self.problem
        leaves, starts = _flat([h.leaf_counts[lv] for h, lv in zip(problem.hierarchies, rolled.levels, strict=True)])
        lost = np.zeros(len(problem.hierarchies), dtype=np.int64)
        suppressed, squares = kernels.sums_where(failing, rolled.sizes, rolled.codes, leaves, starts, lost)
        whole = np.array([t[lv] for t, lv in zip(problem.leaf_totals, rolled.levels, strict=True)], dtype=np.int64)
        kept = problem.scale.records - suppressed
        return Outcome(
            suppressed=int(suppressed),
            classes=int(len(failing) - failing.sum()),
            squares=int((rolled.sizes * rolled.sizes).sum() - squares),
            leaf_sums=whole - lost,
            level_sums=np.array(rolled.levels, dtype=np.int64) * kept,
        )

    def table(self, levels: Levels) -> Rolled:
        """The frequency table at a node."""
        if levels in self._tables:
            return self._tables[levels]
        rolled = self._roll_up(self._source(levels), levels)
        self._keep(rolled)
        return rolled

    def merged(self, rolled: Rolled, keep: list[int]) -> Rolled:
        """A node's table with some attributes left out altogether."""
        sizes = [len(self.problem.hierarchies[column].labels[rolled.levels[column]]) for column in keep]
        ids, representatives = number_tuples([rolled.codes[:, column] for column in keep], sizes, len(rolled.sizes))
        groups = len(representatives)
        merged = np.zeros(groups, dtype=np.int64)
        kernels.sum_by(ids, rolled.sizes, merged)
        histograms = {name: _merged(histogram, ids, groups) for name, histogram in rolled.histograms.items()}
        return Rolled(rolled.levels, rolled.codes[representatives], merged, histograms)

    def _source(self, levels: Levels) -> Rolled:
        """The smallest table at hand from which a node can be rolled up."""
        best = self._base
        for table in self._tables.values():
            if len(table.sizes) < len(best.sizes) and all(a <= b for a, b in zip(table.levels, levels, strict=True)):
                best = table
        return best

    def _keep(self, rolled: Rolled) -> None:
        self._tables[rolled.levels] = rolled
        self._rows_kept += len(rolled.sizes)
        while len(self._tables) > TABLES_KEPT or (self._rows_kept > ROWS_KEPT and len(self._tables) > 1):
            _, dropped = self._tables.popitem(last=False)
            self._rows_kept -= len(dropped.sizes)

    def _roll_up(self, source: Rolled, levels: Levels) -> Rolled:
        hierarchies = self.problem.hierarchies
        steps = zip(hierarchies, source.levels, levels, strict=True)
        maps, starts = _flat([_climb(h, low, high) for h, low, high in steps])
        radices = np.array([len(h.labels[lv]) for h, lv in zip(hierarchies, levels, strict=True)], dtype=np.int64)
        ids, representatives = self._group(source, maps, starts, radices)
        groups = len(representatives)
        codes = np.empty((groups, len(hierarchies)), dtype=np.int32)
        kernels.gather(source.codes, maps, starts, representatives, codes)
        sizes = np.zeros(groups, dtype=np.int64)
        kernels.sum_by(ids, source.sizes, sizes)
        histograms = {name: _merged(histogram, ids, groups) for name, histogram in source.histograms.items()}
        return Rolled(levels, codes, sizes, histograms)

    def _group(self, source: Rolled, maps: NDArray[np.int32], starts: Ints, radices: Ints) -> tuple[Ints, Ints]:
        """Number the source's rows by their class at the new node. Keys that would overflow are numbered in between."""
        rows = len(source.sizes)
        keys, ids = self._keys[:rows], self._ids[:rows]
        slots = self._slots[: _places(rows)]
        keys[:] = 0
        span, first = 1, 0
        for column, radix in enumerate(radices.tolist()):
            if span * radix >= 2**62:
                kernels.fold(source.codes, maps, starts, radices, first, column, keys)
                slots[:] = -1
                span = kernels.number(keys, slots, ids, self._representatives)
                keys[:] = ids
                first = column
            span *= radix
        kernels.fold(source.codes, maps, starts, radices, first, len(radices), keys)
        slots[:] = -1
        groups = kernels.number(keys, slots, ids, self._representatives)
        return ids, self._representatives[:groups]


def _places(rows: int) -> int:
    """The size of a hash table for so many rows: a power of two, at most half full."""
    return 1 << max(4, (2 * max(rows, 1) - 1).bit_length())


def _merged(histogram: Histogram, ids: Ints, groups: int) -> Histogram:
    """The histogram of classes, from that of the rows that fall into them."""
    offsets, values, counts = kernels.merge_histograms(
        ids, groups, histogram.offsets, histogram.values, histogram.counts, histogram.domain
    )
    return Histogram(offsets, values, counts, histogram.total)


def _climb(hierarchy: Hierarchy, low: int, high: int) -> NDArray[np.int32]:
    """The map from the codes of one level to those of a higher one."""
    step = np.arange(len(hierarchy.labels[low]), dtype=np.int32)
    for level in range(low, high):
        step = hierarchy.parents[level][step]
    return step


def _flat(arrays: list[NDArray[Any]]) -> tuple[NDArray[Any], Ints]:
    """Arrays end to end, and where each begins: what a kernel takes instead of a list."""
    starts = np.zeros(len(arrays), dtype=np.int64)
    if not arrays:
        return np.zeros(0, dtype=np.int32), starts
    np.cumsum([len(array) for array in arrays[:-1]], out=starts[1:])
    return np.concatenate(arrays), starts
