"""A plan that the registry keeps (`Plan.to_json`), done to other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import NoSolution, RegistryError
from cobogo.floor.arrays import Floats, Ints
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import AnySolution, Assigned, Solution
from cobogo.publish.recode.lattice.evaluate import Evaluator

NAME = "reused"
"""What the report calls the algorithm."""


@dataclass(frozen=True)
class Reuse:
    """A recorded plan as an algorithm: it does to the records what was done before, and suppresses what fails."""

    plan: Mapping[str, Any]
    identity: str

    def __post_init__(self) -> None:
        if self.plan["kind"] not in ("full-domain", "local"):
            raise RegistryError(
                f"{self.identity} was made from its own rows ({self.plan['kind']}), and nothing can be done with it to "
                "others",
                remedy="Anonymize the new rows with a policy.",
            )

    def __call__(
        self, problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
    ) -> AnySolution:
        """As any algorithm answers; there is nothing to search."""
        del time_limit, progress
        names = [tree.attribute for tree in problem.hierarchies]
        known = self.plan["levels"] if self.plan["kind"] == "full-domain" else self.plan["attributes"]
        if set(names) != set(known):
            raise RegistryError(f"{self.identity} has other quasi-identifiers: {', '.join(known)}")
        if self.plan["kind"] == "full-domain":
            return self._node(problem, tuple(self.plan["levels"][name] for name in names))
        return self._classes(problem, [self.plan["attributes"].index(name) for name in names])

    def _node(self, problem: Problem, levels: Levels) -> Solution:
        for tree, level in zip(problem.hierarchies, levels, strict=True):
            if level > tree.height:
                raise RegistryError(f'the hierarchy of "{tree.attribute}" has no level {level} any more')
        checked = Evaluator(replace(problem, limit=problem.scale.records)).check(levels)
        if not checked.satisfied:
            raise _nothing(self.identity)
        return Solution(NAME, checked, False, 1, 1, ())

    def _classes(self, problem: Problem, order: Sequence[int]) -> Assigned:
        levels = np.array(self.plan["levels"], dtype=np.int32)[:, order]
        values = [self.plan["values"][place] for place in order]
        owners, leaves = _placed(problem, levels, values)
        there = problem.table.counts > 0
        assignment = Assignment(
            problem, levels, leaves, np.flatnonzero(there), owners[there], problem.table.counts[there]
        ).canonical()
        failed = failing_classes(problem.models, assignment.classes(problem.histograms_needed))
        kept = np.where(failed[assignment.owners], -1, assignment.owners)
        assignment = replace(assignment, owners=kept).canonical()
        if not len(assignment):
            raise _nothing(self.identity)
        value = float(problem.metric.value(assignment.outcome(), problem.scale))
        return Assigned(NAME, assignment, value, 1, 1)


def _placed(
    problem: Problem, levels: NDArray[np.int32], values: Sequence[Sequence[Label]]
) -> tuple[Ints, NDArray[np.int32]]:
    """For each tuple the class, of those that it fits into, whose values stand for least; −1 where there is none. And
    for each class a leaf under each of its values, of a tuple that is in it."""
    tuples = leaf_tuples(problem)
    owners = np.full(len(tuples), -1, dtype=np.int64)
    least: Floats = np.full(len(tuples), np.inf)
    steps, which = np.unique(levels, axis=0, return_inverse=True)
    for number, step in enumerate(steps.tolist()):
        classes = np.flatnonzero(which == number)
        nodes, wanted, under = [], [], np.ones(len(tuples))
        for column, (tree, level) in enumerate(zip(problem.hierarchies, step, strict=True)):
            index = {label: code for code, label in enumerate(tree.labels[level])}
            node = tree.maps[level][tuples[:, column]]
            nodes.append(node)
            wanted.append(
                np.array([index.get(values[column][c], len(index)) for c in classes.tolist()], dtype=np.int32)
            )
            under *= tree.leaf_counts[level][node] / len(tree.leaves)
        sizes = [len(tree.labels[level]) + 1 for tree, level in zip(problem.hierarchies, step, strict=True)]
        together = [np.concatenate(pair) for pair in zip(nodes, wanted, strict=True)]
        ids, first = number_tuples(together, sizes, len(tuples) + len(classes))
        owner = np.full(len(first), -1, dtype=np.int64)
        owner[ids[len(tuples) :]] = classes
        found = owner[ids[: len(tuples)]]
        better = (found >= 0) & (under < least)
        owners[better], least[better] = found[better], under[better]
    leaves = np.zeros(levels.shape, dtype=np.int32)
    placed = owners >= 0
    leaves[owners[placed]] = tuples[placed]
    return owners, leaves


def _nothing(identity: str) -> NoSolution:
    return NoSolution(
        f"of the new rows none fits into what was done for {identity}",
        remedy="They are few, or another sort of records: anonymize them with a policy of their own.",
    )
