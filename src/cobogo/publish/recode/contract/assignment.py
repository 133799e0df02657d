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
from cobogo.publish.recode.contract.problem import Levels, Problem, merged, tally


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """Classes, and which records are released as each.

    Class ``c`` is what the leaves ``leaves[c]`` become at the levels ``levels[c]``, one a quasi-identifier. A *parcel*
    is ``counts[p]`` records of the original tuple ``tuples[p]`` that are released as class ``owners[p]``; −1 is for
    those that are suppressed. ``values[p]`` is their combination of sensitive values (and label), where a tuple's
    parcels are told apart by it; without, a tuple that has several parcels has no sensitive values to tell. ``hides``:
    no suppressed cell may be told from the rest.
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
        return _sums(self.owners, self.counts, len(self))

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
        """For each quasi-identifier: its labels of all levels, the number of each class's among them, and how many
        leaves each stands for in this release: one that is released at several levels, for what it is at any."""
        found = []
        for column, h in enumerate(self.problem.hierarchies):
            index: dict[Label, int] = {}
            numbers = np.zeros(len(self), dtype=np.int64)
            pairs = [np.zeros(0, dtype=np.int64)]
            for level, labels in enumerate(h.labels):
                known = np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.int64)
                there = self.levels[:, column] == level
                codes = h.maps[level][self.leaves[there, column]]
                numbers[there] = known[codes]
                used = np.zeros(len(labels), dtype=np.bool_)
                used[codes] = True
                leaves = np.flatnonzero(used[h.maps[level]])
                pairs.append(known[h.maps[level][leaves]] * len(h.leaves) + leaves)
            under = np.bincount(np.unique(np.concatenate(pairs)) // max(len(h.leaves), 1), minlength=len(index))
            found.append((tuple(index), numbers, under.astype(np.int64)))
        return tuple(found)

    @cached_property
    def names(self) -> tuple[NDArray[np.object_], ...]:
        """For each quasi-identifier, the value that each class is released with."""
        return self._generalized()

    def _generalized(self) -> tuple[NDArray[np.object_], ...]:
        return tuple(np.array([*labels, None], dtype=object)[numbers] for labels, numbers, _ in self._cells)

    def numbered(self) -> list[Ints]:
        """For each quasi-identifier, a number of each class's value that is the same where the value is."""
        return [numbers for _, numbers, _ in self._cells]

    def released(self, number: int) -> tuple[Label, ...]:
        """What a class is released as."""
        return tuple(names[number] for names in self.names)

    @cached_property
    def stands_for(self) -> Ints:
        """For each class and quasi-identifier, the leaves that its value stands for in this release."""
        columns = [under[numbers] for _, numbers, under in self._cells]
        return np.array(columns, dtype=np.int64).reshape(len(columns), len(self)).T

    def canonical(self) -> Assignment:
        """The same with classes that are released alike taken together, empty ones left out and parcels joined."""
        full = np.flatnonzero(self.sizes > 0)
        columns = [numbers[full] for numbers in self.numbered()]
        classes, first = number_tuples(columns, [int(c.max(initial=0)) + 1 for c in columns], len(full))
        renumbered = np.full(len(self) + 1, -1, dtype=np.int64)
        renumbered[full] = classes
        there = self.counts > 0
        parcels = [self.tuples[there], renumbered[self.owners[there]] + 1]
        if self.values is not None:
            parcels.append(self.values[there].astype(np.int64))
        spans = [int(column.max(initial=0)) + 1 for column in parcels]
        ids, kept = number_tuples(parcels, spans, int(there.sum()))
        high, under = coarsest(self.levels[full], self.leaves[full], classes, len(first))
        return replace(
            self,
            **self._of_classes(full[first]) | {"levels": high, "leaves": under},
            tuples=parcels[0][kept],
            owners=parcels[1][kept] - 1,
            counts=_sums(ids, self.counts[there], len(kept)),
            values=None if self.values is None else parcels[2][kept].astype(np.int32),
        )

    def _of_classes(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        """What is kept of each class, for some of them."""
        return {"levels": self.levels[chosen], "leaves": self.leaves[chosen]}

    @property
    def aggregated(self) -> Mapping[str, str]:
        """The quasi-identifiers that are released as something else than what was collected: how that was made."""
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
        return Classes(self.sizes, {name: self._counted(name) for name in wanted}, self.problem.scale.records)

    def _counted(self, name: str) -> Histogram:
        """How often each class holds each value of an attribute, from the parcels' combinations."""
        joint, table = self.problem.table.joint, self.problem.table
        known = table.histograms.get(name, table.label)
        assert joint is not None, "a split tuple's sensitive values are not known"
        assert self.values is not None, "a split tuple's sensitive values were not dealt out"
        assert known is not None
        kept = self.owners >= 0
        codes = joint.codes[self.values[kept], list(joint.labels).index(name)]
        ids, first = number_tuples([self.owners[kept], codes], [len(self), len(known.domain)], int(kept.sum()))
        offsets = np.searchsorted(self.owners[kept][first], np.arange(len(self) + 1)).astype(np.int64)
        counts = _sums(ids, self.counts[kept], len(first))
        return replace(known, offsets=offsets, values=codes[first], counts=counts)

    def outcome(self) -> Outcome:
        """The sums that metrics are made of; those of labels only where they are known."""
        sizes, leaves = self.sizes, self.stands_for
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

    def valued(self) -> tuple[str, float]:
        """The metric asked for and its value; the loss, where that one says nothing of records that each have their own
        levels."""
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
            return self._counted(label.domain.attribute).majority()
        return merged(label, self.tuples[kept], self.owners[kept], len(self)).majority()

    def _bits(self) -> NDArray[np.float64]:
        """Per attribute, over all records, what the release leaves open about the original value."""
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

    def allotted(self) -> Assignment:
        """The same with each parcel divided by the records' combinations of sensitive values, where they are known.

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
        dealt = _dealt(tuples[records])
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
        """What is wrong with it, found the plain way: records lost or made, values that are no generalization."""
        table, problem = self.problem.table, self.problem
        found = self._miscounted()
        kept = self.owners >= 0
        for column, h in enumerate(problem.hierarchies):
            leaf = problem.leaf_codes[column][table.codes[self.tuples[kept], column]]
            levels, own = self.levels[self.owners[kept], column], self.leaves[self.owners[kept], column]
            if not problem.lowest[column] <= levels.min(initial=problem.highest[column]):
                found.append(f'"{h.attribute}" is released below its lowest level')
            if not levels.max(initial=problem.lowest[column]) <= problem.highest[column]:
                found.append(f'"{h.attribute}" is released above its highest level')
            for level in np.unique(levels).tolist():
                there = levels == level
                if (h.maps[level][leaf[there]] != h.maps[level][own[there]]).any():
                    found.append(f'"{h.attribute}" is released as a value that does not stand for the original')
        return found

    def _miscounted(self) -> list[str]:
        counts = self.problem.table.counts
        if (_sums(self.tuples, self.counts, len(counts)) != counts).any() or (self.counts < 0).any():
            return ["records were lost or made up"]
        return []


def of_node(problem: Problem, levels: Levels, failing: NDArray[np.bool_], owners: Ints) -> Assignment:
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


def coarsest(levels: Small, leaves: Small, owners: Ints, groups: int) -> tuple[Small, Small]:
    """For classes of tuples that are released alike: the highest level of each value, and a leaf that has it there.

    A value may have the name of one that lies under it; then it stands for both.
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


def _dealt(groups: Ints) -> Ints:
    """For records sorted by group, a place within the group for each, so that neighbours come to lie far apart."""
    start = np.searchsorted(groups, groups)
    size = np.searchsorted(groups, groups, side="right") - start
    rank = np.arange(len(groups)) - start
    order = np.lexsort(((rank * 0.6180339887498949) % 1.0, groups))
    place = np.empty(len(groups), dtype=np.int64)
    place[order] = np.arange(len(groups))
    assert (place - start < size).all()
    return place


def _sums(ids: Ints, counts: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group; what is of no group (−1) is left out."""
    total = np.zeros(groups + 1, dtype=np.int64)
    np.add.at(total, ids, counts)
    return total[:groups]
