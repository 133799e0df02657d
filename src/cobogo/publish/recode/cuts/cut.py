"""A cut through the hierarchies: for each attribute, the level at which each of its leaves is released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.language import tr
from cobogo.promises.models import Scope
from cobogo.promises.models.check import check, failing_classes
from cobogo.publish.recode.contract.assignment import Assignment, coarsest_values, leaf_tuples
from cobogo.publish.recode.contract.problem import Problem, sum_by_group, tally


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """The classes of a partition of the table's tuples: which fail, and whether the rest satisfies the policy."""

    sizes: Ints
    failed: Mask
    suppressed: int
    satisfied: bool

    @property
    def smallest(self) -> int:
        """The size of the smallest class that is kept; 0 where none is."""
        return int(self.sizes[~self.failed].min(initial=np.iinfo(np.int64).max)) if not self.failed.all() else 0


def judge(problem: Problem, owners: Ints, groups: int) -> Judgement:
    """Whether the models hold within the limit when each tuple ``i`` is released as class ``owners[i]``."""
    classes = tally(problem, np.arange(len(owners)), owners, groups, problem.histograms_needed)
    failed = failing_classes(problem.models, classes)
    records = sum_by_group(owners, problem.table.counts, groups)
    suppressed = int(records[failed].sum())
    satisfied = suppressed <= problem.limit and not failed.all() and _table_holds(problem, classes, failed)
    return Judgement(records, failed, suppressed, satisfied)


def _table_holds(problem: Problem, classes: Classes, failed: Mask) -> bool:
    if failed.any() and any(model.needs_every_class for model in problem.models):
        return False
    models = [model for model in problem.models if model.scope is Scope.TABLE]
    return not models or all(verdict.satisfied for verdict in check(models, classes.where(~failed)))


@dataclass(frozen=True, eq=False, repr=False)
class CutAssignment(Assignment):
    """An assignment that treats equal values alike. ``cut[column][leaf]`` is the level at which a leaf is released."""

    cut: tuple[Small, ...] = ()

    @cached_property
    def leaf_counts(self) -> Ints:
        """The leaves that are released as each class's value: fewer than lie under it where siblings stay as they
        are."""
        found = np.empty(self.levels.shape, dtype=np.int64)
        for column, (h, cut) in enumerate(zip(self.problem.hierarchies, self.cut, strict=True)):
            released = label_ids(h, cut)
            counts = np.bincount(released)
            found[:, column] = counts[released[self.leaves[:, column]]]
        return found

    def outcome(self) -> Outcome:
        """The sums of every assignment, and ``cross_nats``, which needs classes that do not overlap."""
        sizes = self.sizes
        total = np.log(self.problem.scale.records)
        with np.errstate(divide="ignore"):
            starred = np.log(self.suppressed) - total - np.log(self.problem.scale.leaves).sum()
        own = np.log(sizes) - total - np.log(self.leaf_counts).sum(axis=1)
        nats = -(sizes * np.logaddexp(own, starred)).sum()
        if self.suppressed:
            nats -= self.suppressed * starred
        return replace(super().outcome(), cross_nats=float(nats))

    def _bits(self) -> NDArray[np.float64]:
        found = []
        suppressed = self.owners < 0
        for column, (h, cut) in enumerate(zip(self.problem.hierarchies, self.cut, strict=True)):
            released, alone = label_ids(h, cut), self.problem.sharing[column][0]
            shared = np.bincount(released, weights=alone)
            leaf = leaf_tuples(self.problem)[self.tuples, column]
            now = np.where(suppressed, self.problem.scale.records, shared[released[leaf]])
            found.append(float((self.counts * np.log2(now / np.maximum(alone[leaf], 1))).sum()))
        return np.array(found, dtype=float)


def label_ids(hierarchy: Hierarchy, cut: Small) -> Ints:
    """For each leaf a number for the label that it is released as: the same for equal labels, whatever their level."""
    index: dict[Label, int] = {}
    labels = [hierarchy.labels[level][hierarchy.maps[level][leaf]] for leaf, level in enumerate(cut.tolist())]
    return np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.int64)


def node_numbers(hierarchy: Hierarchy, cut: Small) -> Ints:
    """For each leaf a number for the value of the hierarchy that it is released as."""
    starts = np.cumsum([0, *(len(labels) for labels in hierarchy.labels)])
    codes = np.stack(hierarchy.maps)[cut, np.arange(len(cut))]
    return np.asarray(starts[cut] + codes, dtype=np.int64)


def assign_cut(problem: Problem, cut: tuple[Small, ...]) -> tuple[CutAssignment, bool]:
    """A cut as an assignment with its failing classes suppressed, and whether it satisfies the policy. A cut in which
    unrelated values share a name does not."""
    leaves = leaf_tuples(problem)
    names = [label_ids(h, levels) for h, levels in zip(problem.hierarchies, cut, strict=True)]
    columns = [name[leaves[:, column]] for column, name in enumerate(names)]
    owners, first = number_tuples(columns, [int(name.max()) + 1 for name in names], len(leaves))
    judged = judge(problem, owners, len(first))
    kept = ~judged.failed
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    levels = np.stack([cut[column][leaves[:, column]] for column in range(len(cut))], axis=1)
    high, under = coarsest_values(levels, leaves, owners, len(first))
    assignment = CutAssignment(
        problem, high[kept], under[kept], np.arange(len(leaves)), numbers[owners], problem.table.counts, cut=cut
    )
    return assignment, judged.satisfied and not assignment.faults()


def understatements(problem: Problem, cut: tuple[Small, ...]) -> list[str]:
    """A note for each released value that covers fewer leaves than lie under it, because some siblings stay."""
    found = []
    for h, levels in zip(problem.hierarchies, cut, strict=True):
        released = label_ids(h, levels)
        counts = np.bincount(released)
        raised = np.flatnonzero(levels > 0)
        under = np.array([h.leaf_counts[levels[leaf]][h.maps[levels[leaf]][leaf]] for leaf in raised], dtype=np.int64)
        for leaf, all_of_it in zip(raised.tolist(), under.tolist(), strict=True):
            label = h.labels[levels[leaf]][h.maps[levels[leaf]][leaf]]
            if counts[released[leaf]] < all_of_it:
                found.append(
                    tr(
                        '"{label}" of "{attribute}" stands for {covered} of the {all} values under it, because the '
                        "others are released unchanged",
                        label=label,
                        attribute=h.attribute,
                        covered=int(counts[released[leaf]]),
                        all=all_of_it,
                    )
                )
    return list(dict.fromkeys(found))
