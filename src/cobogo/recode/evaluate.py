"""Checking nodes of the lattice: each one's table is rolled up from the smallest one below it that is at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.hierarchy import Hierarchy
from cobogo.metrics import Outcome
from cobogo.models import Classes, Histogram, Monotone, Scope
from cobogo.models.base import Ints, Mask, Members
from cobogo.models.check import failing
from cobogo.recode import kernels
from cobogo.recode.outcome import flat, outcome
from cobogo.recode.problem import Levels, Problem
from cobogo.table.frequency import People, number_tuples

TABLES_KEPT = 256
ROWS_KEPT = 4_000_000


@dataclass(frozen=True, eq=False)
class Rolled:
    """The frequency table at a node: its classes, their released codes, records and whatever models look at."""

    levels: Levels
    codes: NDArray[np.int32]
    records: Ints
    histograms: Mapping[str, Histogram]
    populations: Mapping[str, Ints]
    people: Histogram | None = None
    owners: Ints | None = None  # the class of each tuple of the problem's table, where some model asks; -1 for none
    label: Histogram | None = None  # records of each label, where they are asked for

    def __len__(self) -> int:
        return len(self.records)


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

    def __init__(
        self, problem: Problem, *, histograms: Sequence[str] | None = None, needs: Collection[str] | None = None
    ) -> None:
        """``histograms``: the sensitive attributes to count; those that some model looks at if not given.

        ``needs``: the fields of an outcome to fill beside those that are always there; the metric's if not given.
        """
        self.problem = problem
        self._needs = problem.metric.needs if needs is None else needs
        table = problem.table
        wanted = problem.histograms_needed if histograms is None else histograms
        self._strict = problem.limit == 0 or any(model.needs_every_class for model in problem.models)
        enough = (
            (Monotone.EVEN_WITH_SUPPRESSION, Monotone.WITHOUT_SUPPRESSION)
            if self._strict and table.people is None  # people of two classes may be the same: counts do not add up
            else (Monotone.EVEN_WITH_SUPPRESSION,)
        )
        self._prunable = [model for model in problem.models if model.monotone in enough]
        self._others = [model for model in problem.models if model.monotone not in enough]
        leaf_codes = [leaf[table.codes[:, column]] for column, leaf in enumerate(problem.leaf_codes)]
        codes = np.array(leaf_codes, dtype=np.int32).reshape(len(leaf_codes), len(table.counts))
        self._base = Rolled(
            levels=(0,) * len(problem.hierarchies),
            codes=np.ascontiguousarray(codes.T),
            records=table.counts,
            histograms={name: table.histograms[name] for name in wanted},
            populations=table.populations,
            people=None if table.people is None else table.people.sets,
            owners=np.arange(len(table.counts)) if any(m.needs_members for m in problem.models) else None,
            label=table.label if "majority" in self._needs else None,
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
        classes = self.classes(rolled)
        failed = failing(self._prunable, classes)
        if not self._within_limits(rolled, failed) or not self._table_holds(self._prunable, classes, failed):
            return self._failed(rolled, failed, hopeless=True)
        if self._others:
            failed = failed | failing(self._others, classes)
            if not self._within_limits(rolled, failed) or not self._table_holds(self._others, classes, failed):
                return self._failed(rolled, failed, hopeless=False)
        found = self.outcome(rolled, failed)
        value = float(self.problem.metric.value(found, self.problem.scale))
        return Checked(levels, False, True, found, value, int(found.suppressed))

    def _failed(self, rolled: Rolled, failed: Mask, *, hopeless: bool) -> Checked:
        return Checked(rolled.levels, hopeless, False, None, np.nan, int(rolled.records[failed].sum()))

    def _within_limits(self, rolled: Rolled, failed: Mask) -> bool:
        """Few enough records suppressed, something left, and no class lost that may not be."""
        if self._strict and failed.any():
            return False
        return int(rolled.records[failed].sum()) <= self.problem.limit and bool(rolled.records[~failed].any())

    def _table_holds(self, models: Sequence[Any], classes: Classes, failed: Mask) -> bool:
        """Whether the models on the whole table hold of what is left after suppression."""
        wanted = [model for model in models if model.scope is Scope.TABLE]
        if not wanted:
            return True
        kept = classes.where(~failed & (classes.sizes > 0))
        return all(bool(model.holds(kept, model.measure(kept)).all()) for model in wanted)

    def classes(self, rolled: Rolled) -> Classes:
        """What the models look at: people where they are told apart, records otherwise."""
        total = self.problem.scale.records
        members = None if rolled.owners is None else members_of(self.problem, rolled.owners)
        if rolled.people is None:
            return Classes(rolled.records, rolled.histograms, total, rolled.populations, members)
        counted = self._people.classes(rolled.people, rolled.histograms)
        return replace(counted, populations=rolled.populations, members=members)

    @property
    def _people(self) -> People:
        assert self.problem.table.people is not None
        return self.problem.table.people

    def failing(self, rolled: Rolled) -> Mask:
        """The classes that fail any model: those that a release suppresses. An empty class is none of them."""
        return failing(self.problem.models, self.classes(rolled)) & (rolled.records > 0)

    def outcome(self, rolled: Rolled, failed: Mask) -> Outcome:
        """The sums that metrics are made of."""
        return outcome(self.problem, rolled, failed, self._needs)

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
        ids, representatives = number_tuples([rolled.codes[:, column] for column in keep], sizes, len(rolled))
        return _summed(rolled, ids, len(representatives), rolled.levels, rolled.codes[representatives])

    def together(self, rolled: Rolled, chosen: Mask) -> Rolled:
        """Some of a node's classes as one."""
        part = Rolled(
            rolled.levels,
            rolled.codes[chosen],
            rolled.records[chosen],
            {name: histogram.where(chosen) for name, histogram in rolled.histograms.items()},
            {name: counts[chosen] for name, counts in rolled.populations.items()},
            None if rolled.people is None else rolled.people.where(chosen),
            None if rolled.owners is None else _renumbered(rolled.owners, chosen),
            None if rolled.label is None else rolled.label.where(chosen),
        )
        return _summed(part, np.zeros(len(part), dtype=np.int64), 1, rolled.levels, part.codes[:1])

    def _source(self, levels: Levels) -> Rolled:
        """The smallest table at hand from which a node can be rolled up."""
        best = self._base
        for table in self._tables.values():
            if len(table) < len(best) and all(a <= b for a, b in zip(table.levels, levels, strict=True)):
                best = table
        return best

    def _keep(self, rolled: Rolled) -> None:
        self._tables[rolled.levels] = rolled
        self._rows_kept += len(rolled)
        while len(self._tables) > TABLES_KEPT or (self._rows_kept > ROWS_KEPT and len(self._tables) > 1):
            _, dropped = self._tables.popitem(last=False)
            self._rows_kept -= len(dropped)

    def _roll_up(self, source: Rolled, levels: Levels) -> Rolled:
        hierarchies = self.problem.hierarchies
        steps = zip(hierarchies, source.levels, levels, strict=True)
        maps, starts = flat([_climb(h, low, high) for h, low, high in steps])
        radices = np.array([len(h.labels[lv]) for h, lv in zip(hierarchies, levels, strict=True)], dtype=np.int64)
        ids, representatives = self._group(source, maps, starts, radices)
        codes = np.empty((len(representatives), len(hierarchies)), dtype=np.int32)
        kernels.gather(source.codes, maps, starts, representatives, codes)
        return _summed(source, ids, len(representatives), levels, codes)

    def _group(self, source: Rolled, maps: NDArray[np.int32], starts: Ints, radices: Ints) -> tuple[Ints, Ints]:
        """Number the source's rows by their class at the new node. Keys that would overflow are numbered in between."""
        rows = len(source)
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


def _summed(source: Rolled, ids: Ints, groups: int, levels: Levels, codes: NDArray[np.int32]) -> Rolled:
    """The table of classes, from the one whose rows fall into them."""
    return Rolled(
        levels=levels,
        codes=codes,
        records=_sum(ids, source.records, groups),
        histograms={name: _merged(histogram, ids, groups) for name, histogram in source.histograms.items()},
        populations={name: _sum(ids, counts, groups) for name, counts in source.populations.items()},
        people=None if source.people is None else _merged(source.people, ids, groups),
        owners=None if source.owners is None else np.where(source.owners < 0, -1, ids[source.owners]),
        label=None if source.label is None else _merged(source.label, ids, groups),
    )


def _renumbered(owners: Ints, chosen: Mask) -> Ints:
    """The classes of tuples when only some classes are left."""
    numbers = np.where(chosen, np.cumsum(chosen) - 1, -1)
    return np.where(owners < 0, -1, numbers[owners])


def members_of(problem: Problem, owners: Ints) -> Members:
    """The tuples of a problem's table as members of classes; those of no class have the owner −1."""
    table = problem.table
    codes = [leaf[table.codes[:, column]] for column, leaf in enumerate(problem.leaf_codes)]
    return Members(owners, np.array(codes, dtype=np.int32).T, table.counts, table.histograms, problem.hierarchies)


def _sum(ids: Ints, counts: Ints, groups: int) -> Ints:
    total = np.zeros(groups, dtype=np.int64)
    kernels.sum_by(ids, counts, total)
    return total


def _merged(histogram: Histogram, ids: Ints, groups: int) -> Histogram:
    """The histogram of classes, from that of the rows that fall into them."""
    offsets, values, counts = kernels.merge_histograms(
        ids, groups, histogram.offsets, histogram.values, histogram.counts, len(histogram.domain)
    )
    return Histogram(offsets, values, counts, histogram.domain)


def _places(rows: int) -> int:
    """The size of a hash table for so many rows: a power of two, at most half full."""
    return 1 << max(4, (2 * max(rows, 1) - 1).bit_length())


def _climb(hierarchy: Hierarchy, low: int, high: int) -> NDArray[np.int32]:
    """The map from the codes of one level to those of a higher one."""
    step = np.arange(len(hierarchy.labels[low]), dtype=np.int32)
    for level in range(low, high):
        step = hierarchy.parents[level][step]
    return step
