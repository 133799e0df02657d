"""An assignment: what a local recoding does. Records of one original tuple may be released as different tuples."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Histogram
from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.metrics import Outcome, measure
from cobogo.floor.arrays import Ints, Small
from cobogo.floor.language import tr
from cobogo.publish.recode.contract.problem import Levels, Problem, label_numbers, merge_rows, sum_by_group, tally


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """Classes, and which records are released as each.

    Class ``c`` is what the leaves ``leaves[c]`` become at the levels ``levels[c]``, one per quasi-identifier. A
    *parcel* is ``counts[p]`` records of the original tuple ``tuples[p]`` that are released as class ``owners[p]``; the
    owner of suppressed records is −1. ``values[p]`` is the combination of sensitive values (and label) of a parcel's
    records, where it distinguishes the parcels of a tuple. ``hides``: no suppressed cell may follow from the rest of
    the release.
    """

    problem: Problem
    levels: Small  # classes × quasi-identifiers
    leaves: Small
    tuples: Ints
    owners: Ints
    counts: Ints
    values: Small | None = None
    hides: bool = field(default=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.levels)

    @cached_property
    def sizes(self) -> Ints:
        """The records of each class."""
        return sum_by_group(self.owners, self.counts, len(self))

    @property
    def suppressed(self) -> int:
        """How many records are released nowhere."""
        return int(self.counts[self.owners < 0].sum())

    @property
    def split(self) -> bool:
        """Whether some tuple's records are released as different tuples."""
        return len(np.unique(self.tuples)) < len(self.tuples)

    @cached_property
    def _cells(self) -> tuple[tuple[tuple[Label, ...], Ints, Ints], ...]:
        """For each quasi-identifier: its labels of all levels, the number of each class's label among them, and how
        many leaves each label covers in this release. A label that is released at several levels covers what it does at
        any.
        """
        found = []
        for column, h in enumerate(self.problem.hierarchies):
            labels, by_level = label_numbers(h)
            numbers = np.zeros(len(self), dtype=np.int64)
            pairs = [np.zeros(0, dtype=np.int64)]
            for level, of_leaves in enumerate(by_level):
                there = self.levels[:, column] == level
                numbers[there] = of_leaves[self.leaves[there, column]]
                used = np.zeros(len(h.labels[level]), dtype=np.bool_)
                used[h.maps[level][self.leaves[there, column]]] = True
                leaves = np.flatnonzero(used[h.maps[level]])
                pairs.append(of_leaves[leaves] * len(h.leaves) + leaves)
            under = np.bincount(np.unique(np.concatenate(pairs)) // max(len(h.leaves), 1), minlength=len(labels))
            found.append((labels, numbers, under.astype(np.int64)))
        return tuple(found)

    @cached_property
    def names(self) -> tuple[NDArray[np.object_], ...]:
        """For each quasi-identifier, the value that each class is released with."""
        return self._hierarchy_values()

    def _hierarchy_values(self) -> tuple[NDArray[np.object_], ...]:
        return tuple(np.array([*labels, None], dtype=object)[numbers] for labels, numbers, _ in self._cells)

    def value_numbers(self) -> list[Ints]:
        """For each quasi-identifier, a number for each class's value; equal values have equal numbers."""
        return [numbers for _, numbers, _ in self._cells]

    def released_tuple(self, number: int) -> tuple[Label, ...]:
        """What a class is released as."""
        return tuple(names[number] for names in self.names)

    @cached_property
    def leaf_counts(self) -> Ints:
        """For each class and quasi-identifier, how many leaves its value covers in this release."""
        columns = [under[numbers] for _, numbers, under in self._cells]
        return np.array(columns, dtype=np.int64).reshape(len(columns), len(self)).T

    def canonical(self) -> Assignment:
        """The same assignment with equal classes merged, empty ones left out and equal parcels joined."""
        full = np.flatnonzero(self.sizes > 0)
        columns = [numbers[full] for numbers in self.value_numbers()]
        classes, first = number_tuples(columns, [int(c.max(initial=0)) + 1 for c in columns], len(full))
        renumbered = np.full(len(self) + 1, -1, dtype=np.int64)
        renumbered[full] = classes
        there = self.counts > 0
        parcels = [self.tuples[there], renumbered[self.owners[there]] + 1]
        if self.values is not None:
            parcels.append(self.values[there].astype(np.int64))
        spans = [int(column.max(initial=0)) + 1 for column in parcels]
        ids, kept = number_tuples(parcels, spans, int(there.sum()))
        high, under = coarsest_values(self.levels[full], self.leaves[full], classes, len(first))
        return replace(
            self,
            **self._class_fields(full[first]) | {"levels": high, "leaves": under},
            tuples=parcels[0][kept],
            owners=parcels[1][kept] - 1,
            counts=sum_by_group(ids, self.counts[there], len(kept)),
            values=None if self.values is None else parcels[2][kept].astype(np.int32),
        )

    def _class_fields(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        """The fields that have a row per class, for some classes."""
        return {"levels": self.levels[chosen], "leaves": self.leaves[chosen]}

    @property
    def aggregated(self) -> Mapping[str, str]:
        """The quasi-identifiers whose released values are not true of single records, and how they were made."""
        return {}

    @property
    def ranged(self) -> tuple[str, ...]:
        """The quasi-identifiers that are released as ranges of numbers, and not as values of a hierarchy."""
        return ()

    def classes(self, attributes: Collection[str] | None = None) -> Classes:
        """The classes as the models see them. ``attributes``: the sensitive ones to count, all if not given."""
        wanted = self.problem.table.histograms if attributes is None else attributes
        kept = self.owners >= 0
        if not self.split:
            return tally(self.problem, self.tuples[kept], self.owners[kept], len(self), wanted)
        if not wanted:
            return Classes(self.sizes, {}, self.problem.scale.records)
        return Classes(self.sizes, {name: self._count_values(name) for name in wanted}, self.problem.scale.records)

    def _count_values(self, name: str) -> Histogram:
        """How often each value of an attribute occurs in each class, from the parcels' combinations."""
        joint, table = self.problem.table.joint, self.problem.table
        known = table.histograms.get(name, table.label)
        assert joint is not None, "a split tuple's sensitive values are not known"
        assert self.values is not None, "a split tuple's sensitive values were not dealt out"
        assert known is not None
        kept = self.owners >= 0
        codes = joint.codes[self.values[kept], list(joint.labels).index(name)]
        ids, first = number_tuples([self.owners[kept], codes], [len(self), len(known.domain)], int(kept.sum()))
        offsets = np.searchsorted(self.owners[kept][first], np.arange(len(self) + 1)).astype(np.int64)
        counts = sum_by_group(ids, self.counts[kept], len(first))
        return replace(known, offsets=offsets, values=codes[first], counts=counts)

    def outcome(self) -> Outcome:
        """The sums that metrics are made of; those of labels only where they are known."""
        sizes, leaves = self.sizes, self.leaf_counts
        with np.errstate(over="ignore"):
            products = float((sizes * leaves.astype(float).prod(axis=1)).sum())
        return Outcome(
            suppressed=self.suppressed,
            classes=int((sizes > 0).sum()),
            squares=int((sizes * sizes).sum()),
            leaf_sums=(sizes[:, None] * leaves).sum(axis=0),
            level_sums=(sizes[:, None] * self.levels).sum(axis=0),
            majority=self._majority(),
            products=products,
            bits=self._bits(),
        )

    def metric_value(self) -> tuple[str, float]:
        """The policy's metric and its value; the loss, where that metric is not defined for records that each have
        their own levels."""
        found = measure(self.outcome(), self.problem.scale)
        for name in (self.problem.metric.name, "loss"):
            if (value := found[name]) is not None:
                return name, value
        raise AssertionError(found)

    def _majority(self) -> int | None:
        """The records with the label that most of their class have; None where no label is known."""
        label, kept = self.problem.table.label, self.owners >= 0
        if label is None or (self.split and self.values is None):
            return None
        if self.split:
            return int(self._count_values(label.domain.attribute).majorities.sum())
        return int(merge_rows(label, self.tuples[kept], self.owners[kept], len(self)).majorities.sum())

    def _bits(self) -> NDArray[np.float64]:
        """Per attribute, over all records, the bits that the release leaves open about the original value."""
        found = []
        kept = self.owners >= 0
        for column, h in enumerate(self.problem.hierarchies):
            sharing = self.problem.sharing[column]
            leaf = self.problem.leaf_codes[column][self.problem.table.codes[self.tuples, column]]
            now = np.full(len(self.tuples), float(self.problem.scale.records))
            levels = self.levels[self.owners, column] if len(self) else np.zeros(len(self.tuples), dtype=np.int32)
            for level in range(h.height + 1):
                there = kept & (levels == level)
                now[there] = sharing[level][h.maps[level][leaf[there]]]
            found.append(float((self.counts * np.log2(now / np.maximum(sharing[0][leaf], 1))).sum()))
        return np.array(found, dtype=float)

    def allot_values(self) -> Assignment:
        """Divide each parcel by its records' combinations of sensitive values, where those are known.

        A tuple's combinations are dealt out in turn, so that each class gets its share of them.
        """
        joint = self.problem.table.joint
        if self.values is not None or joint is None or not self.split:
            return self
        known = joint.histogram
        order = np.argsort(self.tuples, kind="stable")
        tuples, counts = self.tuples[order], self.counts[order]
        records = np.repeat(np.arange(len(order)), counts)  # the parcel of each record, tuple after tuple
        tuples_present = np.unique(tuples)
        entries = np.flatnonzero(np.isin(known.owners, tuples_present))
        values = np.repeat(known.values[entries], known.counts[entries])
        dealt = _deal_places(tuples[records])
        parcels = np.empty_like(records)
        parcels[dealt] = records  # so that the records of a value are spread over the parcels
        ids, first = number_tuples([parcels, values], [len(order), len(known.domain)], len(records))
        return replace(
            self,
            tuples=tuples[parcels[first]],
            owners=self.owners[order][parcels[first]],
            counts=np.bincount(ids, minlength=len(first)).astype(np.int64),
            values=values[first].astype(np.int32),
        )

    def level_shares(self) -> dict[str, list[float]]:
        """For each quasi-identifier, the share of the kept records whose value is released at each level."""
        sizes = self.sizes
        kept = max(int(sizes.sum()), 1)
        return {
            h.attribute: (np.bincount(self.levels[:, column], sizes, h.height + 1) / kept).tolist()
            for column, h in enumerate(self.problem.hierarchies)
        }

    def faults(self) -> list[str]:
        """Errors of the assignment, found the plain way: lost or invented records, values that do not generalize."""
        table, problem = self.problem.table, self.problem
        found = self._count_faults()
        kept = self.owners >= 0
        for column, h in enumerate(problem.hierarchies):
            leaf = problem.leaf_codes[column][table.codes[self.tuples[kept], column]]
            levels, own = self.levels[self.owners[kept], column], self.leaves[self.owners[kept], column]
            if not problem.lowest[column] <= levels.min(initial=problem.highest[column]):
                found.append(tr('"{attribute}" is released below its lowest level', attribute=h.attribute))
            if not levels.max(initial=problem.lowest[column]) <= problem.highest[column]:
                found.append(tr('"{attribute}" is released above its highest level', attribute=h.attribute))
            for level in np.unique(levels).tolist():
                there = levels == level
                if (h.maps[level][leaf[there]] != h.maps[level][own[there]]).any():
                    what = tr(
                        '"{attribute}" is released as a value that does not cover the original', attribute=h.attribute
                    )
                    found.append(what)
        return found

    def _count_faults(self) -> list[str]:
        counts = self.problem.table.counts
        if (sum_by_group(self.tuples, self.counts, len(counts)) != counts).any() or (self.counts < 0).any():
            return [tr("records were lost or invented")]
        return []


def node_assignment(problem: Problem, levels: Levels, failing: NDArray[np.bool_], owners: Ints) -> Assignment:
    """A full-domain recoding as an assignment: each tuple's class at a node, and the classes that are suppressed."""
    codes = leaf_tuples(problem)
    there = problem.table.counts > 0
    kept = np.where(failing[owners], -1, owners)
    first = np.zeros(len(failing), dtype=np.int64)
    first[owners[::-1]] = np.arange(len(owners))[::-1]
    return Assignment(
        problem,
        np.tile(np.array(levels, dtype=np.int32), (len(failing), 1)),
        codes[first],
        np.flatnonzero(there),
        kept[there],
        problem.table.counts[there],
    ).canonical()


def coarsest_values(levels: Small, leaves: Small, owners: Ints, groups: int) -> tuple[Small, Small]:
    """For classes of tuples with equal released values: the highest level of each value, and a leaf that has it there.

    A value may have the name of one below it; then it covers both.
    """
    high, under = np.empty((2, groups, levels.shape[1]), dtype=np.int32)
    for column in range(levels.shape[1]):
        order = np.lexsort((levels[:, column], owners))
        last = order[np.searchsorted(owners[order], np.arange(groups), side="right") - 1]
        high[:, column], under[:, column] = levels[last, column], leaves[last, column]
    return high, under


def leaf_tuples(problem: Problem) -> Small:
    """The table's distinct tuples as leaves of the hierarchies."""
    table = problem.table
    columns = [leaf[table.codes[:, column]] for column, leaf in enumerate(problem.leaf_codes)]
    return np.ascontiguousarray(np.array(columns, dtype=np.int32).reshape(len(columns), len(table.counts)).T)


def _deal_places(groups: Ints) -> Ints:
    """For records sorted by group, a place within the group for each, such that neighbours get distant places.

    Multiples of the golden ratio, modulo 1, spread the ranks evenly however many there are.
    """
    start = np.searchsorted(groups, groups)
    size = np.searchsorted(groups, groups, side="right") - start
    rank = np.arange(len(groups)) - start
    order = np.lexsort(((rank * 0.6180339887498949) % 1.0, groups))
    place = np.empty(len(groups), dtype=np.int64)
    place[order] = np.arange(len(groups))
    assert (place - start < size).all()
    return place
