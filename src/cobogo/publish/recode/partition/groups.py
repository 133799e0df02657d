"""Groups of records, and what the models and the hierarchies say of them.

Every partitioning algorithm returns groups. `generalize_groups` releases a group as the lowest values of the
hierarchies that cover all its records; other modules aggregate.
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
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints, Mask, Small, Texts
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.promises.models.base import Monotone, Scope
from cobogo.promises.models.check import check, failing_classes
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Levels, Problem, refuse_beyond_classes, sum_by_group, tally
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import no_solution
from cobogo.publish.recode.lattice.search import better_node


@dataclass(frozen=True, eq=False, repr=False)
class Parcels:
    """Records in parcels of equal ones: ``counts[p]`` records of the original tuple ``tuples[p]`` and, where parcels
    may be divided, of the combination ``values[p]`` of sensitive values (and label), if there are any.

    ``attribute_codes[name][v]`` is an attribute's value in combination ``v``.
    """

    problem: Problem
    tuples: Ints
    counts: Ints
    values: Small | None = None
    attribute_codes: Mapping[str, Small] = field(default_factory=dict)
    divisible: bool = False

    def __len__(self) -> int:
        return len(self.tuples)

    @cached_property
    def leaves(self) -> Small:
        """Each parcel's quasi-identifiers, as leaves of the hierarchies."""
        return np.ascontiguousarray(leaf_tuples(self.problem)[self.tuples])

    def regions(self) -> Ints:
        """The region of each parcel: parcels that differ at the highest levels allowed cannot share a group."""
        highest = list(zip(self.problem.hierarchies, self.problem.highest, strict=True))
        columns = [h.maps[level][self.leaves[:, column]] for column, (h, level) in enumerate(highest)]
        return self.number_values(columns, [len(h.labels[level]) for h, level in highest])

    def number_values(self, columns: Sequence[Small], sizes: Sequence[int]) -> Ints:
        """Number the parcels by their values of some columns; parcels that are kept apart get numbers of their own."""
        apart = np.zeros(len(self), dtype=np.bool_) if self.problem.apart is None else self.problem.apart[self.tuples]
        return number_tuples([*columns, apart], [*sizes, 2], len(self))[0]

    def classes(self, chosen: Ints, ids: Ints, groups: int, counts: Ints | None = None) -> Classes:
        """Some parcels as classes, as the models see them; ``counts`` takes only a part of each parcel."""
        needed = self.problem.histograms_needed
        if not self.divisible:
            return tally(self.problem, self.tuples[chosen], ids, groups, needed)
        counts = self.counts[chosen] if counts is None else counts
        sizes = sum_by_group(ids, counts, groups)
        histograms: dict[str, Histogram] = {}
        values = None if self.values is None else self.values[chosen]
        for name in needed if values is not None else ():
            known, own = self.problem.table.histograms[name], self.attribute_codes[name][values]
            pairs, first = number_tuples([ids, own], [groups, len(known.domain)], len(ids))
            offsets = np.searchsorted(ids[first], np.arange(groups + 1)).astype(np.int64)
            found = sum_by_group(pairs, counts, len(first))
            histograms[name] = replace(known, offsets=offsets, values=own[first], counts=found)
        return Classes(sizes, histograms, self.problem.scale.records)

    def fit(self, chosen: Ints, ids: Ints, groups: int, least: int = 1, counts: Ints | None = None) -> Mask:
        """Which groups of some parcels satisfy every model that is a condition on classes, and have enough records."""
        enough = sum_by_group(ids, self.counts[chosen] if counts is None else counts, groups) >= least
        return enough & ~failing_classes(self.problem.models, self.classes(chosen, ids, groups, counts))

    def divide(self, places: Ints, taken: Ints) -> Parcels:
        """Split ``taken`` records off some parcels, as new parcels at the end."""
        counts = self.counts.copy()
        counts[places] -= taken
        return replace(
            self,
            tuples=np.concatenate([self.tuples, self.tuples[places]]),
            counts=np.concatenate([counts, taken]),
            values=None if self.values is None else np.concatenate([self.values, self.values[places]]),
        )


def can_divide(problem: Problem) -> bool:
    """Whether it is known which sensitive values go with some of a tuple's records."""
    table = problem.table
    return table.people is None and (table.joint is not None or len(table.histograms) <= 1)


def parcels(problem: Problem, *, divisible: bool = False) -> Parcels:
    """The table's records. With ``divisible``, records of one tuple may go to different groups, where their sensitive
    values are known; where people have several records, records of equal tuples stay together."""
    table = problem.table
    there = np.flatnonzero(table.counts > 0)
    if not divisible or not can_divide(problem):
        return Parcels(problem, there, table.counts[there])
    joint = table.joint
    if joint is not None:
        known = joint.histogram
        codes = dict(zip(joint.labels, joint.codes.T, strict=True))
        return Parcels(problem, known.owners, known.counts, known.values, codes, divisible=True)
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
    """The group of each parcel; −1 for those that are to be suppressed. ``checked``: how many groups were tried."""

    parcels: Parcels
    owners: Ints
    count: int
    checked: int = 0

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


def generalize_groups(groups: RecordGroups, *, joined: bool = True) -> Assignment:
    """Release each group as the lowest values of the hierarchies that cover all its records. With ``joined``, groups
    with equal released values become one class, as they are to a reader of the release."""
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


def name_groups(count: int) -> Texts:
    """A name for each group: a number, in random order."""
    order = np.argsort(randomness.keys(count))
    return np.array([*(str(number + 1) for number in order.tolist()), None], dtype=object)[:-1]


SECONDS = 5.0
"""For finding the records to suppress, where the policy has no time limit: a hint for a second try, so it may not take
longer than most first tries."""


class Partition(Protocol):
    """An algorithm that puts records in groups."""

    def __call__(self, problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
        """The groups, published."""
        ...


Grouping = Callable[[int], RecordGroups]
"""An algorithm: makes groups of at least so many records, whatever the models ask for."""


def solve_by_groups(
    problem: Problem,
    algorithm: str,
    grouping: Grouping,
    *,
    publish: Callable[[RecordGroups], Assignment] = generalize_groups,
    measured: tuple[str, Callable[[Assignment], float]] | None = None,
    notes: tuple[str, ...] = (),
) -> Assigned:
    """Make groups and release them, if every model holds by its plain definition.

    ``publish`` turns groups into an assignment; ``measured`` names and computes the algorithm's own measure, where that
    is not the policy's metric. Models of the whole table cannot be checked group by group: where one fails, groups are
    made larger.
    """
    refuse_beyond_classes(problem, algorithm)
    least, checked = 1, 0
    while True:
        groups = grouping(least)
        checked += groups.checked
        if groups.suppressed > problem.limit or not groups.count:
            raise _no_partition(algorithm)
        assignment = publish(groups)
        if unbroken(assignment):
            break
        least = max(2 * least, int(assignment.sizes.min(initial=1)) + 1)
        if least > problem.scale.records:
            raise _no_partition(algorithm)
    metric, value = assignment.metric_value() if measured is None else (measured[0], measured[1](assignment))
    return Assigned(
        algorithm=algorithm,
        assignment=assignment,
        value=value,
        nodes=checked,
        checked=checked,
        metric=metric,
        notes=notes,
    )


def unbroken(assignment: Assignment) -> bool:
    """Whether every model holds, by the plain reference, and nothing is wrong with the assignment itself."""
    problem = assignment.problem
    if assignment.faults():  # values that have nothing to do with each other share a name
        return False
    return all(verdict.satisfied for verdict in check(problem.models, assignment.classes(problem.histograms_needed)))


def _no_partition(algorithm: str) -> NoSolution:
    return NoSolution(
        tr(
            "{algorithm} found no partition that satisfies the policy within the suppression limit", algorithm=algorithm
        ),
        remedy=tr('Try another algorithm (algorithm = "local" or "optimal"), or raise suppression-limit.'),
    )


def retry_with_suppression(algorithm: Partition) -> Partition:
    """Let an algorithm try twice. Where it finds no groups for all records, the records that the best node of the
    lattice suppresses are kept apart; they are suppressed unless they make groups of their own."""

    @wraps(algorithm)
    def retry(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
        try:
            return algorithm(problem, time_limit=time_limit, progress=progress)
        except NoSolution as none:
            node = better_node(problem, None, time_limit=SECONDS if time_limit is None else time_limit)
            if node is None:
                raise _explain(problem, none) from None
            apart = _suppressed_tuples(problem, node.levels)
        return algorithm(replace(problem, apart=apart), time_limit=time_limit, progress=progress)

    return retry


def _explain(problem: Problem, none: NoSolution) -> NoSolution:
    """The reason for no groups: one that holds for every algorithm, or else this algorithm's own error."""
    evaluator = Evaluator(problem)
    top = evaluator.check(problem.highest)
    if not top.satisfied and all(m.monotone is not Monotone.NO and m.scope is Scope.CLASS for m in problem.models):
        return no_solution(problem, evaluator)
    return none


def _suppressed_tuples(problem: Problem, levels: Levels) -> Mask:
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
