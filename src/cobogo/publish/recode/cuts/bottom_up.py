"""Bottom-up generalization (Wang, Yu and Chakraborty 2004): from the original values up, by what protects most for what
it costs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from cobogo.data.table.frequency import number_tuples
from cobogo.errors import NoSolution
from cobogo.examine.metrics.classes import information_gain
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.catalogue import card
from cobogo.floor.language import trn
from cobogo.floor.progress import Steps
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.assignment import leaf_tuples
from cobogo.publish.recode.contract.problem import Problem, merge_rows, refuse_beyond_classes, tally
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.cuts.cut import CutAssignment, assign_cut, judge, node_numbers, understatements
from cobogo.publish.recode.cuts.top_down import Specialization
from cobogo.publish.recode.lattice.classic.genetic import genetic
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import node_count

NOTES_SHOWN = 5


@card("bottom-up", group="cuts", guide="algorithms-lattice", recodings=("subtree", "sibling", "value"))
def bottom_up(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
    r"""Starts with the original values and raises one group of siblings at a time: the one that rescues most failing
    records for what it loses.

    Where the policy names a label, the loss is the information about recoding.label that separates the siblings;
    otherwise it is counted in leaves, by the attributes' weights. Whole subtrees rise together. With kind = "sibling",
    only the siblings that fail rise. With kind = "value", if the levels of a column are its values and ``*``, the
    values that fail are suppressed wherever they occur. Values that were raised needlessly are specialized again. The
    same is done to a full-domain recoding, and the better of the two is released.

    Formula: the group of siblings with the largest $\frac{\text{failing records rescued}}{\text{what it loses}}$ is
        raised to its parent
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> classes(anonymize_patients("bottom-up"))
        {('*', 'f'): 4, ('*', 'm'): 4}

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result loses no more
        than the full-domain recoding that genetic finds.
    Limits: It is greedy: the result is not proven to be the best. Under sibling recoding a raised value covers fewer
        leaves than its name says; a warning names such values.
    Cost: $O(r \cdot n)$ for r raises and n distinct tuples in the worst case.
    Paper: K. Wang, P. S. Yu and S. Chakraborty, Bottom-up generalization: a data mining solution to privacy protection,
        ICDM 2004.
    """
    refuse_beyond_classes(problem, "bottom-up")
    return _Search(problem, time_limit, progress).run()


@dataclass(eq=False, repr=False)
class _Rise:
    """Leaves of an attribute that could be raised to a value, and how many failing records that rescues per loss."""

    column: int
    level: int
    code: int
    leaves: Mask
    worth: float = 0.0

    @property
    def to(self) -> tuple[int, int, int]:
        """The value that they would be raised to."""
        return self.column, self.level, self.code


class _Search:
    """One search: the cut, and the class of each tuple."""

    def __init__(self, problem: Problem, time_limit: float | None, progress: Steps | None) -> None:
        self.problem = problem
        self.leaves = leaf_tuples(problem)
        self.cut: tuple[Small, ...] = tuple(
            np.full(len(h.leaves), low, dtype=np.int32)
            for h, low in zip(problem.hierarchies, problem.lowest, strict=True)
        )
        self.present = [np.bincount(self.leaves[:, n], minlength=len(cut)) > 0 for n, cut in enumerate(self.cut)]
        self.nodes = np.array([self._nodes(column) for column in range(len(self.cut))]).T
        self.checked = 0
        self.siblings = problem.kind in ("sibling", "value")
        self.known: dict[tuple[int, int, int], _Rise] = {}  # what is worth as much as when it was looked at
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress or (lambda *_: None)

    def run(self) -> Assigned:
        problem = self.problem
        reached = self._raise_until_satisfied()
        polished = [found for cut in self._cuts(reached) if (found := self._specialize_again(cut)) is not None]
        sign = -1.0 if problem.metric.maximize else 1.0
        values = {  # where they are equal, the first is released: that which says no less than it must
            found: float(problem.metric.value(found.outcome(), problem.scale))
            for found in (*polished, reached)
            if found is not None
        }
        if not values:
            raise search_failure(problem, Evaluator(problem), "bottom-up")
        assignment, value = min(values.items(), key=lambda item: sign * item[1])
        nodes = node_count(problem.lowest, problem.highest)
        notes = understatements(problem, assignment.cut)
        hidden = len(notes) - NOTES_SHOWN
        same = trn("the same is true of {n:,} more value", "the same is true of {n:,} more values", n=hidden)
        more = [same] if hidden > 0 else []
        return Assigned("bottom-up", assignment, value, nodes, self.checked, notes=(*notes[:NOTES_SHOWN], *more))

    def _raise_until_satisfied(self) -> CutAssignment | None:
        """Raise until the models hold; None where they do not, though nothing is left to raise."""
        problem = self.problem
        at_first = None
        while True:
            owners, groups = self._classes()
            judged = judge(problem, owners, groups)
            self.checked += 1
            if judged.satisfied:
                assignment, satisfied = assign_cut(problem, self.cut)
                if satisfied:
                    return assignment
            failed = judged.failed[owners] if judged.failed.any() else np.ones(len(owners), dtype=np.bool_)
            at_first = max(judged.suppressed, 1) if at_first is None else at_first
            self._progress(max(at_first - judged.suppressed, 0), at_first)
            if not (self._climb() if time.monotonic() > self._deadline else self._rise(failed)):
                return None

    def _nodes(self, column: int) -> Ints:
        """For each tuple, a number for the value of the hierarchy that it is released as."""
        return node_numbers(self.problem.hierarchies[column], self.cut[column])[self.leaves[:, column]]

    def _cuts(self, reached: CutAssignment | None) -> Iterator[tuple[Small, ...]]:
        """The cuts to specialize from: the one that was reached, and that of a good full-domain recoding. Where nothing
        was reached, the latter is searched for even if time is up."""
        if reached is not None and not self.siblings:
            yield self.cut
        left = math.inf if reached is None else self._deadline - time.monotonic()
        if left > 0:
            with suppress(NoSolution):
                node = genetic(self.problem, time_limit=None if left == math.inf else left)
                self.checked += node.checked
                yield tuple(
                    np.full(len(h.leaves), level, dtype=np.int32)
                    for h, level in zip(self.problem.hierarchies, node.levels, strict=True)
                )

    def _specialize_again(self, cut: tuple[Small, ...]) -> CutAssignment | None:
        """Specialize what was raised needlessly, as it turned out."""
        search = Specialization(self.problem, cut)
        found = search.descend(self._deadline)
        self.checked += search.checked
        return found

    def _apply(self, rise: _Rise) -> None:
        """Raise, and forget the worth of rises that share a class with the affected tuples."""
        affected = self._affected_tuples(rise)
        for column, h in enumerate(self.problem.hierarchies):
            leaf = np.unique(self.leaves[affected, column])
            for level in range(1, h.height + 1):
                for code in np.unique(h.maps[level][leaf]).tolist():
                    self.known.pop((column, level, code), None)
        self.cut[rise.column][rise.leaves] = rise.level
        self.nodes[:, rise.column] = self._nodes(rise.column)

    def _affected_tuples(self, rise: _Rise) -> Ints:
        """The tuples that would rise, and those that have the value already."""
        h, leaf = self.problem.hierarchies[rise.column], self.leaves[:, rise.column]
        there = (self.cut[rise.column] == rise.level) & (h.maps[rise.level] == rise.code)
        return np.concatenate([np.flatnonzero(rise.leaves[leaf]), np.flatnonzero(there[leaf])])

    def _spans(self) -> list[int]:
        return [sum(len(labels) for labels in h.labels) for h in self.problem.hierarchies]

    def _classes(self) -> tuple[Ints, int]:
        owners, first = number_tuples(list(self.nodes.T), self._spans(), len(self.nodes))
        return owners, len(first)

    def _rise(self, failed: Mask) -> bool:
        """Apply the rise that rescues most failing records for what it loses; whether there is one."""
        best: _Rise | None = None
        for rise in self._rises(failed):
            if rise.to not in self.known:
                rise.worth = self._worth(rise, failed)
                self.known[rise.to] = rise
            if best is None or rise.worth > best.worth:
                best = rise
            if time.monotonic() > self._deadline:
                break
        if best is not None:
            self._apply(best)
        return best is not None

    def _climb(self) -> bool:
        """When time is up: raise the column with most values by one level; whether there is a column to raise."""
        free = [n for n, cut in enumerate(self.cut) if cut.min() < self.problem.highest[n]]
        if not free:
            return False
        column = max(free, key=lambda n: len(np.unique(self.nodes[:, n])))
        np.maximum(self.cut[column], self.cut[column].min() + 1, out=self.cut[column])
        self.nodes[:, column] = self._nodes(column)
        return True

    def _rises(self, failed: Mask) -> Iterator[_Rise]:
        """The possible rises: to each value one level above one that a failing record has. Where siblings rise one by
        one, also to a value that was reached and still fails, since it needs more of them."""
        for column, h in enumerate(self.problem.hierarchies):
            cut, leaf = self.cut[column], self.leaves[:, column]
            of_failing = np.unique(leaf[failed])
            rising = of_failing[cut[of_failing] < self.problem.highest[column]]
            above = {(int(cut[one]) + 1, int(h.maps[cut[one] + 1][one])) for one in rising.tolist()}
            if self.siblings:
                reached = of_failing[cut[of_failing] > self.problem.lowest[column]]
                above |= {(int(cut[one]), int(h.maps[cut[one]][one])) for one in reached.tolist()}
            for level, code in sorted(above):
                if (column, level, code) in self.known:
                    yield self.known[column, level, code]
                    continue
                under = h.maps[level] == code
                raised = (
                    self._siblings_to_raise(column, under, level, leaf[failed])
                    if self.siblings
                    else under & (cut < level)
                )
                if raised.any():
                    yield _Rise(column, level, code, raised)

    def _siblings_to_raise(self, column: int, under: Mask, level: int, of_failing: Small) -> Mask:
        """Which leaves under a value to raise to it, where siblings are raised one by one.

        These are the siblings that failing records have. A sibling must not be raised alone, and where all failing ones
        have been raised already the value needs one more: then the sibling with fewest records is added. Leaves that no
        record has are raised with them.
        """
        h, cut, present = self.problem.hierarchies[column], self.cut[column], self.present[column]
        low = under & (cut < level)
        unit = node_numbers(h, cut)
        fail = np.zeros(len(cut), dtype=np.bool_)
        fail[of_failing] = True
        chosen = set(unit[low & fail].tolist())
        joined = (under & present & (cut == level)).any()
        if not chosen or (len(chosen) == 1 and not joined):
            others = sorted(set(unit[low & present].tolist()) - chosen)
            records = self.problem.sharing[column][0]
            if not others:
                return low if chosen else np.zeros_like(low)
            chosen.add(min(others, key=lambda one: (int(records[unit == one].sum()), one)))
        return np.asarray(low & (np.isin(unit, list(chosen)) | ~present))

    def _worth(self, rise: _Rise, failed: Mask) -> float:
        problem = self.problem
        self.checked += 1
        affected = self._affected_tuples(rise)
        rows = affected[rise.leaves[self.leaves[affected, rise.column]]]
        others = [column for column in range(len(problem.hierarchies)) if column != rise.column]
        spans = self._spans()
        ids, first = number_tuples([self.nodes[affected, n] for n in others], [spans[n] for n in others], len(affected))
        after = failing_classes(problem.models, tally(problem, affected, ids, len(first), problem.histograms_needed))
        counts = problem.table.counts
        before = int(counts[affected][failed[affected]].sum())
        rescued = before - int(counts[affected][after[ids]].sum())
        touched = int(counts[rows][failed[rows]].sum())
        # 1e-9: a rise that loses nothing is worth most, and there is no division by 0.
        return (rescued + touched / (problem.scale.records + 1)) / (self._loss(rise, rows) + 1e-9)

    def _loss(self, rise: _Rise, rows: Ints) -> float:
        problem = self.problem
        h, cut = problem.hierarchies[rise.column], self.cut[rise.column]
        leaf = self.leaves[rows, rise.column]
        if problem.table.label is not None:
            _, ids = np.unique(self.nodes[rows, rise.column], return_inverse=True)
            found = merge_rows(problem.table.label, rows, ids.astype(np.int64), int(ids.max()) + 1)
            matrix = np.zeros((int(ids.max()) + 1, len(found.domain)), dtype=np.int64)
            matrix[found.owners, found.values] = found.counts
            gain = information_gain(matrix.tolist())
            if gain > 0:
                return gain * float(problem.table.counts[rows].sum())
        now = np.concatenate(h.leaf_counts)[node_numbers(h, cut)[leaf]]
        wide = int(h.leaf_counts[rise.level][rise.code])
        lost = float((problem.table.counts[rows] * (wide - now)).sum()) / len(h.leaves)
        return problem.weights[rise.column] * lost
