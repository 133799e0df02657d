"""Top-down specialization (Fung, Wang and Yu 2005): from the most general values down, by what a label gains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cobogo.errors import PolicyError
from cobogo.metrics import igpl, information_gain
from cobogo.models.base import Ints
from cobogo.recode import lattice
from cobogo.recode.assignment import Small, leaf_tuples
from cobogo.recode.classic.survey import none_found
from cobogo.recode.cuts.cut import Judged, assigned, judge
from cobogo.recode.evaluate import Evaluator
from cobogo.recode.local.search import refuse
from cobogo.recode.problem import Problem
from cobogo.recode.solution import Assigned
from cobogo.recode.tally import merged
from cobogo.table.frequency import number_tuples

Progress = Callable[[int, int], None]


def top_down(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:
    """Starts with the most general values and specializes one at a time, by what it tells of the label for what it
    costs in privacy; needs recoding.label.

    A value is specialized in all records or in none (subtree recoding). What says nothing of the label is specialized
    last, by how much detail it gives back. The policy's metric is measured, but steers nothing.
    """
    if problem.table.label is None:
        raise PolicyError(
            "top-down specializes values by what they tell of a label, and the policy names none",
            where="recoding.label",
            remedy="Name a sensitive or non-sensitive attribute as label, or choose another algorithm.",
        )
    refuse(problem)
    return _Search(problem, time_limit, progress).run()


@dataclass(eq=False)
class _Value:
    """A value of the cut that could be specialized: its tuples, and which of its children each of them has."""

    column: int
    level: int
    code: int
    rows: Ints
    children: Ints
    labels: list[list[int]]  # of each child, the records with each label
    gain: float
    detail: float  # given back by specializing it


class _Search:
    """One search: the cut, its classes, and the values that may still be specialized."""

    def __init__(self, problem: Problem, time_limit: float | None, progress: Progress | None) -> None:
        self.problem = problem
        self.leaves = leaf_tuples(problem)
        self.cut: tuple[Small, ...] = tuple(
            np.full(len(h.leaves), high, dtype=np.int32)
            for h, high in zip(problem.hierarchies, problem.highest, strict=True)
        )
        top = [h.maps[high] for h, high in zip(problem.hierarchies, problem.highest, strict=True)]
        columns = [codes[self.leaves[:, column]] for column, codes in enumerate(top)]
        self.owners, first = number_tuples(columns, [int(codes.max()) + 1 for codes in top], len(self.leaves))
        self.judged = judge(problem, self.owners, len(first))
        self.evaluator = Evaluator(problem)
        self.checked = 1
        self.values = [
            value
            for column, codes in enumerate(columns)
            for code in np.unique(codes).tolist()
            if (value := self._value(column, problem.highest[column], code, np.flatnonzero(codes == code)))
        ]
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress or (lambda *_: None)

    def run(self) -> Assigned:
        if not self.judged.satisfied:
            raise none_found(self.problem, self.evaluator, "top-down")
        steps = 0
        while self.values and time.monotonic() < self._deadline:
            chosen = self._best()
            if chosen is None:
                break
            self._specialize(*chosen)
            steps += 1
            self._progress(steps, steps + len(self.values))
        assignment, satisfied = assigned(self.problem, self.cut)
        if not satisfied:  # values of different branches that share a name, and a model that merging can break
            raise none_found(self.problem, self.evaluator, "top-down")
        value = float(self.problem.metric.value(assignment.outcome(), self.problem.scale))
        nodes = lattice.size(self.problem.lowest, self.problem.highest)
        return Assigned("top-down", assignment, value, nodes, self.checked)

    def _value(self, column: int, level: int, code: int, rows: Ints) -> _Value | None:
        """A value of the cut; None where the policy allows none below it."""
        problem = self.problem
        if level <= problem.lowest[column]:
            return None
        h = problem.hierarchies[column]
        codes, children = np.unique(h.maps[level - 1][self.leaves[rows, column]], return_inverse=True)
        assert problem.table.label is not None
        matrix = np.zeros((len(codes), len(problem.table.label.domain)), dtype=np.int64)
        found = merged(problem.table.label, rows, children.astype(np.int64), len(codes))
        matrix[found.owners, found.values] = found.counts
        counts = np.bincount(children, weights=problem.table.counts[rows])
        fewer = h.leaf_counts[level][code] - h.leaf_counts[level - 1][codes]
        detail = problem.weights[column] * float((counts * fewer).sum()) / len(h.leaves)
        labels = matrix.tolist()
        return _Value(column, level, code, rows, children.astype(np.int64), labels, information_gain(labels), detail)

    def _best(self) -> tuple[_Value, Ints, int] | None:
        """The specialization with most IGPL of those that leave the models true, and the classes that follow."""
        best: tuple[_Value, Ints, int] | None = None
        score = (-1.0, -1.0)
        for value in sorted(self.values, key=lambda value: (-value.gain, -value.detail)):
            if best is not None and (value.gain, math.inf) < score:
                break  # no privacy lost would still be worth less
            if (value.gain, value.detail) <= score:
                continue
            owners, groups = self._split(value)
            after = judge(self.problem, owners, groups)
            self.checked += 1
            if not after.satisfied:
                if self.evaluator.closed_upwards:  # it will not do later either
                    self.values.remove(value)
                continue
            worth = igpl(value.labels, smallest_before=self.judged.smallest, smallest_after=after.smallest)
            if (worth, value.detail) > score:
                best, score = (value, owners, groups), (worth, value.detail)
                self._after = after
        return best

    def _split(self, value: _Value) -> tuple[Ints, int]:
        """The classes with a value specialized."""
        owners = self.owners.copy()
        pairs = self.owners[value.rows] * len(value.labels) + value.children
        _, parts = np.unique(pairs, return_inverse=True)
        owners[value.rows] = len(self.judged.sizes) + parts
        used = np.zeros(len(self.judged.sizes) + int(parts.max()) + 1, dtype=np.bool_)
        used[owners] = True
        return (np.cumsum(used) - 1)[owners], int(used.sum())

    def _specialize(self, value: _Value, owners: Ints, groups: int) -> None:
        h = self.problem.hierarchies[value.column]
        self.cut[value.column][h.maps[value.level] == value.code] = value.level - 1
        self.values.remove(value)
        self.owners = owners
        self.judged = self._after
        assert len(self.judged.sizes) == groups
        codes = h.maps[value.level - 1][self.leaves[value.rows, value.column]]
        for code in np.unique(codes).tolist():
            child = self._value(value.column, value.level - 1, code, value.rows[codes == code])
            if child is not None:
                self.values.append(child)

    _after: Judged
