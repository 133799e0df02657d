"""μ-Argus (Hundepool and Willenborg 1996; Sweeney 2002): recode, then suppress cells of rare combinations.

It looks at combinations of up to three attributes, so it does not by itself give k-anonymity on four or more, and it
knows nothing of sensitive values. Here it is completed: more cells are suppressed until every model holds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import number_tuples
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.progress import Steps
from cobogo.publish.recode.cells.recovery import hide_recoverable
from cobogo.publish.recode.contract.assignment import Assignment, coarsest_values, leaf_tuples
from cobogo.publish.recode.contract.problem import Levels, Problem, label_numbers, refuse_beyond_classes, required_k
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.cuts.cut import Judgement, judge
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import node_count
from cobogo.publish.recode.partition.groups import unbroken

TOGETHER, SETS_AT_MOST, CELLS_AT_MOST = 3, 10_000, 1_000_000_000
"""The largest combinations (three, as in the original), and the most sets of attributes, and sets times tuples, that
are looked at: where there would be more, combinations are smaller. The last bounds memory, a few bytes for each."""

RARE = 2
"""A combination that fewer records have is rare, where the policy does not ask for k-anonymity."""


@card("mu-argus", title="μ-Argus", group="cells", guide="algorithms-lattice")
def mu_argus(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
    r"""Recodes whole attributes, and suppresses cells in combinations of up to three values that fewer than k records
    share. Because this is not yet k-anonymity, it then suppresses more cells until every model holds.

    A suppressed cell gets the highest level that the policy allows. The algorithm tries step by step how far to recode
    attributes before it suppresses cells; the policy's metric chooses.

    Formula: a combination $S$ of at most 3 values is rare if $\lvert\{r : S \subseteq r\}\rvert < k$; every rare
        combination of a record must lose a cell
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> classes(anonymize_patients("mu-argus"))
        {('*', 'f'): 2, ('*', 'm'): 2, ('40-59', 'f'): 2, ('40-59', 'm'): 2}

    Guarantee: Every model of the policy holds, and is checked again on the written release; the original μ-Argus looks
        at no more than three columns together, and is completed here. Cells that a reader could fill in are suppressed
        as well.
    Limits: The result is not proven to be the best. A warning states how many records the original μ-Argus would have
        left exposed.
    Cost: $O(a^3 n)$ for each recoding that is tried, with a attributes and n distinct tuples.
    Paper: A. Hundepool and L. Willenborg, μ- and τ-Argus: software for statistical disclosure control, 1996; as L.
        Sweeney 2002 describes it.
    """
    refuse_beyond_classes(problem, "mu-argus")
    if "cross_nats" in problem.metric.needs:
        raise PolicyError(
            tr(
                "{name} cannot be computed where classes overlap, as classes with suppressed cells do",
                name=problem.metric.name,
            ),
            where="recoding.metric",
            remedy=tr("Choose another metric, or an algorithm that does not suppress cells."),
        )
    return _Search(problem, time_limit, progress).run()


@dataclass(frozen=True, eq=False, repr=False)
class _Attempt:
    """The result of recoding to one node and suppressing cells."""

    assignment: Assignment
    cost: float
    left: int  # records in classes that fail when only rare combinations were dealt with
    cells: int  # suppressed beyond those
    notes: tuple[str, ...] = ()


class _Search:
    """One search: nodes from the lowest up, and the result of each."""

    def __init__(self, problem: Problem, time_limit: float | None, progress: Steps | None) -> None:
        self.problem = problem
        self.leaves = leaf_tuples(problem)
        self.names = [np.stack(label_numbers(h)[1]) for h in problem.hierarchies]  # each: levels × leaves
        self.highest = np.array(problem.highest, dtype=np.int32)
        self.weights = np.array(problem.weights)
        self.least = required_k(problem.models) or RARE
        width = range(len(problem.hierarchies))
        self.together = _together(len(problem.hierarchies), len(self.leaves))
        self.sets = [one for size in range(1, self.together + 1) for one in combinations(width, size)]
        self.member = np.array([[column in one for column in width] for one in self.sets], dtype=np.float32)
        self.checked = 0
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress or (lambda *_: None)

    def run(self) -> Assigned:
        best: _Attempt | None = None
        steps = sum(self.problem.highest) - sum(self.problem.lowest)
        for number, levels in enumerate(self._nodes_upwards()):
            self._progress(number, steps + 1)
            for attempt in self._attempts(levels, self._rare):
                if best is None or attempt.cost < best.cost:
                    best = attempt
        if best is None:
            raise search_failure(self.problem, Evaluator(self.problem), "mu-argus")
        value = float(self.problem.metric.value(best.assignment.outcome(), self.problem.scale))
        nodes = node_count(self.problem.lowest, self.problem.highest)
        return Assigned("mu-argus", best.assignment, value, nodes, self.checked, notes=tuple(self._notes(best)))

    def _notes(self, best: _Attempt) -> Iterator[str]:
        if best.left:
            yield tr(
                "μ-Argus examines only combinations of up to {together} attributes and would leave {left} in "
                "classes that break a model; {cells} and {suppressed} more had to be suppressed so that every model "
                "holds",
                together=self.together,
                left=trn("{n:,} record", "{n:,} records", n=best.left),
                cells=trn("{n:,} cell", "{n:,} cells", n=best.cells),
                suppressed=trn("{n:,} record", "{n:,} records", n=best.assignment.suppressed),
            )
        yield from best.notes

    def _nodes_upwards(self) -> Iterator[Levels]:
        """The nodes from the lowest up, each time by the attribute that is in most rare combinations."""
        levels = self.problem.lowest
        while True:
            self._rare = self._minimal_rare(levels)
            yield levels
            counts = self.problem.table.counts
            records = np.array([counts[there > 0].sum() for there in self._rare], dtype=float)
            blame = _multiply(records, self.member) / self.weights
            blame[np.array(levels) >= self.highest] = -1.0
            if time.monotonic() > self._deadline:
                if levels != self.problem.highest:
                    levels = self.problem.highest
                    self._rare = self._minimal_rare(levels)
                    yield levels
                return
            if blame.max() <= 0:
                return
            chosen = int(blame.argmax())
            levels = tuple(level + (column == chosen) for column, level in enumerate(levels))

    def _minimal_rare(self, levels: Levels) -> NDArray[np.float32]:
        """Sets × tuples: whether too few records share a tuple's values of a set, while enough share every part of
        it."""
        counts = self.problem.table.counts
        columns = [self.names[column][level][self.leaves[:, column]] for column, level in enumerate(levels)]
        spans = [int(names.max()) + 1 for names in self.names]
        index = {one: number for number, one in enumerate(self.sets)}
        found = np.zeros((len(self.sets), len(counts)), dtype=np.bool_)
        any_part = np.zeros_like(found)
        for number, one in enumerate(self.sets):
            ids, first = number_tuples([columns[c] for c in one], [spans[c] for c in one], len(counts))
            sizes = np.zeros(len(first), dtype=np.int64)
            np.add.at(sizes, ids, counts)
            for absent in range(len(one) if len(one) > 1 else 0):
                part = index[one[:absent] + one[absent + 1 :]]
                any_part[number] |= found[part] | any_part[part]
            found[number] = (sizes[ids] < self.least) & ~any_part[number]
        return found.astype(np.float32)

    def _attempts(self, levels: Levels, rare: NDArray[np.float32]) -> Iterator[_Attempt]:
        """With as many records suppressed as the limit allows, and with cells suppressed in their place."""
        covered = np.tile(np.array(levels, dtype=np.int32), (len(self.leaves), 1))
        self._cover(covered, rare)
        judged = self._judge(covered)
        left = judged.suppressed
        for most in sorted({self.problem.limit, 0}, reverse=True):
            cells = covered.copy()
            reached = self._suppress_more(cells, judged, levels, most)
            if reached.satisfied:
                assignment, notes = hide_recoverable(self._assignment(cells, reached))
                if not unbroken(assignment):
                    continue  # values that have nothing to do with each other share a name, or a model minds the repair
                value = float(self.problem.metric.value(assignment.outcome(), self.problem.scale))
                more = int(((cells != covered) * self.problem.table.counts[:, None]).sum())
                yield _Attempt(assignment, -value if self.problem.metric.maximize else value, left, more, notes)

    def _cover(self, cells: Small, rare: NDArray[np.float32]) -> None:
        """Suppress cells until each rare combination of a tuple has one: first the cell that is in most of them."""
        rest = rare.copy()
        for _ in range(cells.shape[1]):
            blame = _multiply(rest.T, self.member) / self.weights
            blame[cells >= self.highest] = 0.0
            rows = np.flatnonzero(blame.max(axis=1, initial=0.0) > 0)
            if not len(rows):
                return
            if time.monotonic() > self._deadline:  # more than had to go, and all at once
                np.copyto(cells, self.highest, where=blame > 0)
                return
            chosen = blame[rows].argmax(axis=1)
            cells[rows, chosen] = self.highest[chosen]
            rest[:, rows] *= 1 - self.member[:, chosen]

    def _suppress_more(self, cells: Small, judged: Judgement, levels: Levels, most: int) -> Judgement:
        """Suppress more cells of what fails, those of the attribute with most values first, until all models hold and
        no more records than ``most`` fail.

        Records that fail with every cell suppressed take the smallest classes with them until they hold together.
        """
        distinct = [self.problem.distinct[c][level] / self.weights[c] for c, level in enumerate(levels)]
        order = np.argsort(-np.array(distinct), kind="stable")
        company = 1
        while not judged.satisfied or judged.suppressed > most:
            owners = self._owners(cells)[0]
            failed = judged.failed[owners]
            movable = failed[:, None] & (cells < self.highest)[:, order]
            rows = np.flatnonzero(movable.any(axis=1))
            if len(rows) and time.monotonic() > self._deadline:  # more than had to go, and all at once
                cells[rows] = self.highest
            elif len(rows):
                chosen = order[movable[rows].argmax(axis=1)]
                cells[rows, chosen] = self.highest[chosen]
            else:
                lower = (cells < self.highest).any(axis=1)
                free = np.unique(owners[lower & ~failed])
                if not len(free) or not failed.any():
                    return judged
                joining = free[np.argsort(judged.sizes[free], kind="stable")[:company]]
                cells[np.isin(owners, joining)] = self.highest
                company *= 2
            judged = self._judge(cells)
        return judged

    def _owners(self, cells: Small) -> tuple[Ints, Ints]:
        """The class of each tuple, by the labels that are released, and a tuple of each class."""
        columns = [names[cells[:, c], self.leaves[:, c]] for c, names in enumerate(self.names)]
        owners, first = number_tuples(columns, [int(names.max()) + 1 for names in self.names], len(cells))
        return owners, first.astype(np.int64)

    def _judge(self, cells: Small) -> Judgement:
        self.checked += 1
        owners, first = self._owners(cells)
        return judge(self.problem, owners, len(first))

    def _assignment(self, cells: Small, judged: Judgement) -> Assignment:
        owners, first = self._owners(cells)
        kept: Mask = ~judged.failed
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        high, under = coarsest_values(cells, self.leaves, owners, len(first))
        return Assignment(
            self.problem, high[kept], under[kept], np.arange(len(cells)), numbers[owners], self.problem.table.counts
        )


def _together(width: int, tuples: int) -> int:
    """How many attributes are looked at together: fewer where there are so many sets of them that it would not end.

    >>> _together(8, 30_000), _together(120, 400), _together(120, 1_000_000)
    (3, 2, 1)
    """
    found = 1
    while found < TOGETHER:
        sets = sum(math.comb(width, size) for size in range(1, found + 2))
        if sets > SETS_AT_MOST or sets * tuples > CELLS_AT_MOST:
            break
        found += 1
    return found


def _multiply(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """The matrix product of small whole numbers, without warnings: some BLAS kernels read past the end of an array and
    discard what they read, but raise the processor's flags, of which NumPy warns."""
    with np.errstate(all="ignore"):
        return np.asarray(one @ other)
