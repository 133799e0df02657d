"""Groups of records, and what the models and the hierarchies say of them.

Every partitioning algorithm answers with groups. What a group is released as is another question: here it is the lowest
values of the hierarchies that stand for all its records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Protocol

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import NoSolution
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.progress import Steps
from cobogo.promises.models.base import Monotone, Scope
from cobogo.promises.models.check import check, failing_classes
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Levels, Problem, refuse_beyond_classes, tally
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import why_none
from cobogo.publish.recode.lattice.search import better_node


@dataclass(frozen=True, eq=False, repr=False)
class Parcels:
    """Records that nothing tells apart: ``counts[p]`` of the original tuple ``tuples[p]`` and, where parcels may be
    divided, of the combination of sensitive values (and label) ``values[p]``, if there are any. ``told[name][v]`` is
    the attribute's own value in combination ``v``."""

    problem: Problem
    tuples: Ints
    counts: Ints
    values: Small | None = None
    told: Mapping[str, Small] = field(default_factory=dict)
    divisible: bool = False

    def __len__(self) -> int:
        return len(self.tuples)

    @cached_property
    def leaves(self) -> Small:
        """Each parcel's quasi-identifiers, as leaves of the hierarchies."""
        return np.ascontiguousarray(leaf_tuples(self.problem)[self.tuples])

    def regions(self) -> Ints:
        """Parcels that the highest levels allowed do not release alike can be in no group together."""
        highest = list(zip(self.problem.hierarchies, self.problem.highest, strict=True))
        columns = [h.maps[level][self.leaves[:, column]] for column, (h, level) in enumerate(highest)]
        return self.numbered(columns, [len(h.labels[level]) for h, level in highest])

    def numbered(self, columns: Sequence[Small], sizes: Sequence[int]) -> Ints:
        """The number of each parcel's values of some columns; those that are kept apart have others."""
        apart = np.zeros(len(self), dtype=np.bool_) if self.problem.apart is None else self.problem.apart[self.tuples]
        return number_tuples([*columns, apart], [*sizes, 2], len(self))[0]

    def classes(self, chosen: Ints, ids: Ints, groups: int, counts: Ints | None = None) -> Classes:
        """Some parcels as classes, as the models see them; ``counts``: where not all of each is meant."""
        needed = self.problem.histograms_needed
        if not self.divisible:
            return tally(self.problem, self.tuples[chosen], ids, groups, needed)
        counts = self.counts[chosen] if counts is None else counts
        sizes = sums(ids, counts, groups)
        histograms: dict[str, Histogram] = {}
        values = None if self.values is None else self.values[chosen]
        for name in needed if values is not None else ():
            known, own = self.problem.table.histograms[name], self.told[name][values]
            pairs, first = number_tuples([ids, own], [groups, len(known.domain)], len(ids))
            offsets = np.searchsorted(ids[first], np.arange(groups + 1)).astype(np.int64)
            found = sums(pairs, counts, len(first))
            histograms[name] = replace(known, offsets=offsets, values=own[first], counts=found)
        return Classes(sizes, histograms, self.problem.scale.records)

    def fit(self, chosen: Ints, ids: Ints, groups: int, least: int = 1, counts: Ints | None = None) -> Mask:
        """Which groups of some parcels satisfy every model that is a condition on classes, and have enough records."""
        enough = sums(ids, self.counts[chosen] if counts is None else counts, groups) >= least
        return enough & ~failing_classes(self.problem.models, self.classes(chosen, ids, groups, counts))

    def divided(self, places: Ints, taken: Ints) -> Parcels:
        """The same with so many records of some parcels taken out, as new parcels at the end."""
        counts = self.counts.copy()
        counts[places] -= taken
        return replace(
            self,
            tuples=np.concatenate([self.tuples, self.tuples[places]]),
            counts=np.concatenate([counts, taken]),
            values=None if self.values is None else np.concatenate([self.values, self.values[places]]),
        )


def sums(ids: Ints, counts: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group."""
    total = np.zeros(groups, dtype=np.int64)
    np.add.at(total, ids, counts)
    return total


def can_divide(problem: Problem) -> bool:
    """Whether it is known which sensitive values go with some of a tuple's records."""
    table = problem.table
    return table.people is None and (table.joint is not None or len(table.histograms) <= 1)


def parcels(problem: Problem, *, divisible: bool = False) -> Parcels:
    """The table's records. ``divisible``: those of one tuple may go different ways, where it is known which sensitive
    values they have; where people have several records, records of equal tuples stay together."""
    table = problem.table
    there = np.flatnonzero(table.counts > 0)
    if not divisible or not can_divide(problem):
        return Parcels(problem, there, table.counts[there])
    joint = table.joint
    if joint is not None:
        known = joint.histogram
        told = dict(zip(joint.labels, joint.codes.T, strict=True))
        return Parcels(problem, known.owners, known.counts, known.values, told, divisible=True)
    if table.histograms:
        return parcels_by_value(problem)
    return Parcels(problem, there, table.counts[there], divisible=True)


def parcels_by_value(problem: Problem) -> Parcels:
    """The table's records by their tuple and the value of the one sensitive attribute."""
    ((name, known),) = problem.table.histograms.items()
    own = np.arange(len(known.domain), dtype=np.int32)
    return Parcels(problem, known.owners, known.counts, known.values, {name: own}, divisible=True)


@dataclass(frozen=True, eq=False, repr=False)
class RecordGroups:
    """The group of each parcel; −1 for those that are to be suppressed. ``looked_at``: groups that were tried."""

    parcels: Parcels
    owners: Ints
    count: int
    looked_at: int = 0

    @property
    def suppressed(self) -> int:
        """How many records are in no group."""
        return int(self.parcels.counts[self.owners < 0].sum())


def common_levels(found: Parcels, chosen: Ints, ids: Ints, groups: int) -> Small:
    """For each group and quasi-identifier, the lowest level allowed at which all its records are released alike."""
    problem = found.problem
    levels = np.empty((groups, len(problem.hierarchies)), dtype=np.int32)
    for column, h in enumerate(problem.hierarchies):
        leaf = found.leaves[chosen, column]
        level = np.full(groups, problem.highest[column], dtype=np.int32)
        for lower in range(problem.highest[column] - 1, problem.lowest[column] - 1, -1):
            codes = h.maps[lower][leaf]
            some = np.zeros(groups, dtype=np.int32)
            some[ids] = codes
            apart = np.zeros(groups, dtype=np.bool_)
            apart[ids[codes != some[ids]]] = True
            level[~apart] = lower
        levels[:, column] = level
    return levels


def generalized(groups: RecordGroups, *, joined: bool = True) -> Assignment:
    """Each group released as the lowest values that stand for all its records; ``joined``: groups that are released
    alike are one class, as whoever reads the release sees them."""
    found = groups.parcels
    kept = np.flatnonzero(groups.owners >= 0)
    ids = groups.owners[kept]
    first = np.zeros(groups.count, dtype=np.int64)
    first[ids] = kept
    levels = common_levels(found, kept, ids, groups.count)
    assignment = Assignment(
        found.problem, levels, found.leaves[first], found.tuples, groups.owners, found.counts, found.values
    )
    return assignment.canonical() if joined else assignment


SECONDS = 5.0
"""For finding the records to suppress, where the policy gives no time limit."""


class Partition(Protocol):
    """An algorithm that puts records in groups."""

    def __call__(self, problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
        """The groups, published."""
        ...


Grouping = Callable[[int], RecordGroups]
"""An algorithm, given the fewest records that a group may have beside what the models say."""


def solved(
    problem: Problem,
    algorithm: str,
    grouping: Grouping,
    *,
    publish: Callable[[RecordGroups], Assignment] = generalized,
    measured: tuple[str, Callable[[Assignment], float]] | None = None,
    notes: tuple[str, ...] = (),
) -> Assigned:
    """The groups of an algorithm, published, if the plain reference finds that every model holds.

    ``publish`` says what groups are released as; ``measured``, what the algorithm goes by, if not the metric asked for.

    Models of the whole table cannot be looked at group by group: where one fails, groups are made larger.
    """
    refuse_beyond_classes(problem, algorithm)
    least, looked_at = 1, 0
    while True:
        groups = grouping(least)
        looked_at += groups.looked_at
        if groups.suppressed > problem.limit or not groups.count:
            raise _none(algorithm)
        assignment = publish(groups)
        if unbroken(assignment):
            break
        least = max(2 * least, int(assignment.sizes.min(initial=1)) + 1)
        if least > problem.scale.records:
            raise _none(algorithm)
    metric, value = assignment.valued() if measured is None else (measured[0], measured[1](assignment))
    return Assigned(
        algorithm=algorithm,
        assignment=assignment,
        value=value,
        nodes=looked_at,
        checked=looked_at,
        metric=metric,
        notes=notes,
    )


def unbroken(assignment: Assignment) -> bool:
    """Whether every model holds, by the plain reference, and nothing is wrong with the assignment itself."""
    problem = assignment.problem
    if assignment.faults():  # values that have nothing to do with each other share a name
        return False
    return all(verdict.satisfied for verdict in check(problem.models, assignment.classes(problem.histograms_needed)))


def _none(algorithm: str) -> NoSolution:
    return NoSolution(
        f"{algorithm} found no partition that satisfies the policy within the suppression limit",
        remedy='Another algorithm may: say algorithm = "local" or "optimal". Or raise suppression-limit.',
    )


def suppressing(algorithm: Partition) -> Partition:
    """The algorithm, tried once more where all records together cannot be put in groups: those that the best node of
    the lattice suppresses are then kept apart from the others, and suppressed unless they make groups of their own."""

    @wraps(algorithm)
    def tried(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
        try:
            return algorithm(problem, time_limit=time_limit, progress=progress)
        except NoSolution as none:
            node = better_node(problem, None, time_limit=SECONDS if time_limit is None else time_limit)
            if node is None:
                raise _explained(problem, none) from None
            apart = _suppressed(problem, node.levels)
        return algorithm(replace(problem, apart=apart), time_limit=time_limit, progress=progress)

    return tried


def _explained(problem: Problem, none: NoSolution) -> NoSolution:
    """Why there are no groups: what stands in the way of every algorithm, or the limits of this one."""
    evaluator = Evaluator(problem)
    top = evaluator.check(problem.highest)
    if not top.satisfied and all(m.monotone is not Monotone.NO and m.scope is Scope.CLASS for m in problem.models):
        return why_none(problem, evaluator)
    return none


def _suppressed(problem: Problem, levels: Levels) -> Mask:
    """The tuples whose class at a node fails."""
    evaluator = Evaluator(problem)
    rolled = evaluator.table(levels)
    leaves = leaf_tuples(problem)
    steps = [(h.maps[level], len(h.labels[level])) for h, level in zip(problem.hierarchies, levels, strict=True)]
    columns = [
        np.concatenate([codes, step[leaves[:, column]]])
        for column, (codes, (step, _)) in enumerate(zip(rolled.codes.T, steps, strict=True))
    ]
    ids = number_tuples(columns, [size for _, size in steps], len(rolled) + len(leaves))[0]
    failed = np.zeros(int(ids.max(initial=-1)) + 1, dtype=np.bool_)
    failed[ids[: len(rolled)]] = evaluator.failing(rolled)
    return np.asarray(failed[ids[len(rolled) :]])


LARGEST_LOOKED_AT = 1 << 20
"""Records of a group up to which it is asked whether its size suffices: bounds the array of sizes. A model
that asks for more is taken to ask for as many, and is checked like any other in the end."""


def least_size(problem: Problem) -> int:
    """The size from which on a group satisfies every model that looks at sizes alone; 1 where there is none."""
    alone = [m for m in problem.models if m.scope is Scope.CLASS and not m.attributes and not m.needs_people]
    if not alone or problem.table.people is not None:
        return 1
    sizes = np.arange(1, min(problem.scale.records, LARGEST_LOOKED_AT) + 1)
    bad = failing_classes(alone, Classes(sizes, {}, problem.scale.records))
    return int(np.flatnonzero(bad)[-1]) + 2 if bad.any() else 1
