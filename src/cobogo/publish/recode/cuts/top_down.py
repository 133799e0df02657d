"""Top-down specialization (Fung, Wang and Yu 2005): from the most general values down, by what a label gains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cobogo.data.table.frequency import number_tuples
from cobogo.examine.metrics.classes import igpl, information_gain
from cobogo.floor.arrays import Ints, Small
from cobogo.floor.catalogue import card
from cobogo.publish.recode.contract.assignment import leaf_tuples
from cobogo.publish.recode.contract.problem import Problem, merge_rows, refuse_beyond_classes
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.cuts.cut import CutAssignment, assign_cut, judge, node_numbers
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import node_count


@card("top-down", group="cuts", guide="algorithms-lattice", recodings=("subtree",))
def top_down(
    problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
) -> Assigned:
    r"""Starts with the most general values and specializes one value at a time: the one that says most about
    recoding.label for what it costs in privacy.

    A value is specialized in all records or in none (subtree recoding). Values that say nothing about the label are
    specialized last, in the order of the detail that they restore; without a label, all values are. The policy's metric
    decides where to stop, if more detail costs suppressed records.

    Formula: $\mathrm{IGPL}(v) = \frac{\mathrm{IG}(v)}{\mathrm{PL}(v) + 1}$ with $\mathrm{IG}(v)$ the information gained
        on the label, in bits, and $\mathrm{PL}(v)$ by how much the smallest class shrinks
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> classes(anonymize_patients("top-down"))
        {('30-39', '*'): 2, ('40-49', '*'): 2, ('50-59', '*'): 2, ('60-69', '*'): 2}

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is not proven to
        be the best.
    Limits: It is greedy: a first step that says much about the label may prevent better ones. Models that look at a
        population or at the tuples behind classes are refused.
    Cost: $O(s \cdot n)$ for s specializations and n distinct tuples in the worst case; the scores of values that a step
        does not affect are kept.
    Paper: B. C. M. Fung, K. Wang and P. S. Yu, Top-down specialization for information and privacy preservation, ICDE
        2005.
    """
    refuse_beyond_classes(problem, "top-down")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    top = tuple(
        np.full(len(h.leaves), high, dtype=np.int32)
        for h, high in zip(problem.hierarchies, problem.highest, strict=True)
    )
    search = Specialization(problem, top)
    assignment = search.descend(deadline, progress)
    if assignment is None:
        raise search_failure(problem, Evaluator(problem), "top-down")
    value = float(problem.metric.value(assignment.outcome(), problem.scale))
    return Assigned("top-down", assignment, value, node_count(problem.lowest, problem.highest), search.checked)


@dataclass(eq=False, repr=False)
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


class Specialization:
    """The cut so far, its classes, and the values that may still be specialized.

    The next value to specialize is, of those that leave every model satisfied, the one with most IGPL: information
    gained on the label per privacy lost (Fung, Wang and Yu 2005). Ties, and tables without a label, are decided by the
    detail that specializing gives back.
    """

    def __init__(self, problem: Problem, cut: tuple[Small, ...]) -> None:
        self.problem = problem
        self.cut = tuple(levels.copy() for levels in cut)
        self.checked = 1
        self._leaves = leaf_tuples(problem)
        columns = [
            node_numbers(h, levels)[self._leaves[:, column]]
            for column, (h, levels) in enumerate(zip(problem.hierarchies, cut, strict=True))
        ]
        spans = [sum(map(len, h.labels)) for h in problem.hierarchies]
        self._owners, first = number_tuples(columns, spans, len(self._leaves))
        self.judged = judge(problem, self._owners, len(first))
        self._after = self.judged
        self._lasting = Evaluator(problem).closed_upwards  # what fails now fails later, too
        self._values: list[_Value] = []
        for column, numbers in enumerate(columns):
            for number in np.unique(numbers).tolist():
                self._admit(column, np.flatnonzero(numbers == number))

    def descend(
        self, deadline: float = math.inf, progress: Callable[[int, int], None] | None = None
    ) -> CutAssignment | None:
        """Specialize until nothing more can be, or the time is up.

        Detail may be paid for with suppressed records, so of the cuts on the way the best by the policy's metric is
        returned: the last one where nothing is suppressed. None where not even the first satisfies the policy.
        """
        best = self._better(None)
        steps = 0
        while best is not None and self._values and time.monotonic() < deadline:
            chosen = self._best()
            if chosen is None:
                break
            if self._after.suppressed > self.judged.suppressed:
                best = self._better(best)
            self._specialize(*chosen)
            steps += 1
            if progress is not None:
                progress(steps, steps + len(self._values))
        return best and self._better(best)

    def _better(self, best: CutAssignment | None) -> CutAssignment | None:
        """The better of the present cut, if it satisfies the policy, and the best so far."""
        now, satisfied = assign_cut(self.problem, tuple(levels.copy() for levels in self.cut))
        if not satisfied:  # at first; or values of different branches share a name, and merging them breaks a model
            return best
        metric, scale = self.problem.metric, self.problem.scale
        sign = -1.0 if metric.maximize else 1.0
        cost = sign * float(metric.value(now.outcome(), scale))
        return now if best is None or cost <= sign * float(metric.value(best.outcome(), scale)) else best

    def _admit(self, column: int, rows: Ints) -> None:
        """Remember the value that some tuples share, unless it is at the lowest level allowed."""
        problem, h = self.problem, self.problem.hierarchies[column]
        one = int(self._leaves[rows[0], column])
        level = int(self.cut[column][one])
        if level <= problem.lowest[column]:
            return
        code = int(h.maps[level][one])
        codes, children = np.unique(h.maps[level - 1][self._leaves[rows, column]], return_inverse=True)
        counts = np.bincount(children, weights=problem.table.counts[rows])
        labels = self._labels(rows, children.astype(np.int64), len(codes))
        fewer = h.leaf_counts[level][code] - h.leaf_counts[level - 1][codes]
        detail = problem.weights[column] * float((counts * fewer).sum()) / len(h.leaves)
        gain = information_gain(labels)
        self._values.append(_Value(column, level, code, rows, children.astype(np.int64), labels, gain, detail))

    def _labels(self, rows: Ints, children: Ints, size: int) -> list[list[int]]:
        label = self.problem.table.label
        if label is None:
            return [[1]] * size
        found = merge_rows(label, rows, children, size)
        matrix = np.zeros((size, len(label.domain)), dtype=np.int64)
        matrix[found.owners, found.values] = found.counts
        rows_of: list[list[int]] = matrix.tolist()
        return rows_of

    def _best(self) -> tuple[_Value, Ints] | None:
        """The value to specialize next, and the classes that follow."""
        best: tuple[_Value, Ints] | None = None
        score = (-1.0, -1.0)
        for value in sorted(self._values, key=lambda value: (-value.gain, -value.detail)):
            if (value.gain, math.inf) < score:
                break  # even if no privacy were lost, it would be worth less
            if (value.gain, value.detail) <= score:
                continue
            owners, groups = self._split(value)
            after = judge(self.problem, owners, groups)
            self.checked += 1
            if not after.satisfied:
                if self._lasting:
                    self._values.remove(value)
                continue
            worth = igpl(value.labels, smallest_before=self.judged.smallest, smallest_after=after.smallest)
            if (worth, value.detail) > score:
                best, score = (value, owners), (worth, value.detail)
                self._after = after
        return best

    def _split(self, value: _Value) -> tuple[Ints, int]:
        """The classes with a value specialized."""
        owners, groups = self._owners.copy(), len(self.judged.sizes)
        pairs = self._owners[value.rows] * len(value.labels) + value.children
        _, parts = np.unique(pairs, return_inverse=True)
        owners[value.rows] = groups + parts
        used = np.zeros(groups + int(parts.max()) + 1, dtype=np.bool_)
        used[owners] = True
        return (np.cumsum(used) - 1)[owners], int(used.sum())

    def _specialize(self, value: _Value, owners: Ints) -> None:
        h = self.problem.hierarchies[value.column]
        below = h.maps[value.level] == value.code
        self.cut[value.column][below & (self.cut[value.column] == value.level)] = value.level - 1
        self._values.remove(value)
        self._owners, self.judged = owners, self._after
        for child in range(len(value.labels)):
            self._admit(value.column, value.rows[value.children == child])
