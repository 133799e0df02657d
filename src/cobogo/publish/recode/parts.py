"""A lattice whose finest table does not fit in memory, searched in parts that do.

A part (`LevelBox`) is counted by the engine at its own lowest levels, and is then a problem like any other. It is ruled
out where too many records of its highest node are in classes of fewer than k: the classes of all its other nodes are
parts of those, so at least as many records fail there. So the best node of all parts is the best of the lattice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.rollup import LevelBox, RollUp
from cobogo.errors import NoSolution, TableTooLarge
from cobogo.floor.language import Text, tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.algorithms import Algorithm
from cobogo.publish.recode.contract.problem import Problem, required_k
from cobogo.publish.recode.contract.solution import RUNNERS_UP, Solution, rank_nodes

MOST_COUNTS = 100
"""How often the table is counted at most: each count reads the whole table. It trades time for proofs, and was chosen,
not tuned."""


@dataclass(frozen=True, eq=False, repr=False)
class LatticeParts:
    """The parts of a lattice beside the one that was counted first. None of them fits at its lowest levels.

    ``complete`` adds to a counted table what the problem's has beside counts.
    """

    rolled: RollUp
    aside: tuple[LevelBox, ...]
    complete: Callable[[FrequencyTable], FrequencyTable]

    def search(
        self, first: Problem, algorithm: Algorithm, *, time_limit: float | None, progress: Steps
    ) -> tuple[Problem, Solution]:
        """The best node of all parts, with the problem of its part. An algorithm that does not prove its node the best
        of the first part is not asked about the others."""
        return _Search(self, first, algorithm, time_limit, progress).run()


class _Search:
    def __init__(
        self, parts: LatticeParts, first: Problem, algorithm: Algorithm, time_limit: float | None, progress: Steps
    ) -> None:
        self._parts, self._first, self._algorithm, self._progress = parts, first, algorithm, progress
        self._ends = math.inf if time_limit is None else time.monotonic() + time_limit
        self._solutions: list[tuple[Solution, LevelBox]] = []
        self._failure: NoSolution | None = None
        self._counted = 1
        self._ruled_out = 0  # nodes that cannot satisfy the policy
        self._left = 0  # nodes that nothing is known of

    def run(self) -> tuple[Problem, Solution]:
        self._solve(self._first)
        if all(solution.optimal for solution, _ in self._solutions):
            for problem in self._others():
                self._solve(problem)
        else:
            self._left = sum(box.nodes for box in self._parts.aside)
        if not self._solutions:
            assert self._failure is not None
            raise self._failure
        best, box = self._best()
        return replace(self._problem(box), highest=self._first.highest), self._summary(best, box)

    def _solve(self, problem: Problem) -> None:
        """Search one part."""
        seconds = None if self._ends == math.inf else max(self._ends - time.monotonic(), 0.0)
        try:
            found = self._algorithm(problem, time_limit=seconds, progress=self._progress)
        except NoSolution as error:
            self._failure = self._failure or error
            return
        assert isinstance(found, Solution)
        self._solutions.append((found, LevelBox(problem.lowest, problem.highest)))

    def _others(self) -> Iterator[Problem]:
        """The parts that were left aside, divided until each fits, is ruled out, or is a single node."""
        pending = [box for box in self._parts.aside if box.nodes]
        while pending:
            box = pending.pop()
            if self._is_ruled_out(box):
                self._ruled_out += box.nodes
            elif not box.divisible or self._counted >= MOST_COUNTS or time.monotonic() > self._ends:
                self._left += box.nodes
            else:
                upper, lower = self._parts.rolled.split(box)
                pending.append(lower)
                self._counted += 1
                try:
                    yield self._problem(upper)
                except TableTooLarge:
                    pending.append(upper)

    def _is_ruled_out(self, box: LevelBox) -> bool:
        """Whether more records than may be suppressed are in classes below k, at every node of a part."""
        k = required_k(self._first.models)
        return k is not None and self._parts.rolled.records_in_small_classes(box.highest, k) > self._first.limit

    def _problem(self, box: LevelBox) -> Problem:
        """The problem of a part. Only that of the first is at hand: the others are counted again, and take memory one
        at a time."""
        if box == LevelBox(self._first.lowest, self._first.highest):
            return self._first
        counted = self._parts.complete(self._parts.rolled.count(box.lowest))
        return replace(self._first, table=counted, lowest=box.lowest, highest=box.highest)

    def _best(self) -> tuple[Solution, LevelBox]:
        best = rank_nodes([solution.chosen for solution, _ in self._solutions], maximize=self._first.metric.maximize)[0]
        return next(pair for pair in self._solutions if pair[0].chosen is best)

    def _summary(self, best: Solution, box: LevelBox) -> Solution:
        """What was found in all parts together."""
        solutions = [solution for solution, _ in self._solutions]
        nodes = [node for solution in solutions for node in (solution.chosen, *solution.runners_up)]
        others = [node for node in rank_nodes(nodes, maximize=self._first.metric.maximize) if node is not best.chosen]
        proven = not self._left and all(solution.optimal for solution in solutions)
        return replace(
            best,
            optimal=proven,
            nodes=LevelBox(self._first.lowest, self._first.highest).nodes + sum(box.nodes for box in self._parts.aside),
            checked=sum(solution.checked for solution in solutions),
            runners_up=tuple(others[:RUNNERS_UP]),
            bound=best.value if proven else None,
            notes=(*best.notes, *self._notes(box)),
        )

    def _notes(self, box: LevelBox) -> Iterator[Text]:
        names = [h.attribute for h in self._first.hierarchies]
        raised = [f"{name} {level}" for name, level in zip(names, box.lowest, strict=True) if level]
        yield tr("the risk before the recoding is the risk at the levels {levels}", levels=", ".join(raised))
        if self._ruled_out:
            yield tr(
                "{nodes:,} nodes were ruled out without counting all their combinations: each has more than {limit:,} "
                "records in classes of fewer than {k}",
                nodes=self._ruled_out,
                limit=self._first.limit,
                k=required_k(self._first.models),
            )
        if self._left:
            yield tr(
                "{nodes:,} nodes with too many distinct combinations were not searched; one of them may be better",
                nodes=self._left,
            )
