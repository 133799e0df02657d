"""The optimal search: the best node of the generalization lattice, and the proof that it is the best.

Nodes are visited from the lowest bound of their cost up, so the search may stop when the next bound is worse than
the best node found. Where the models allow it, a failing node rules out everything below it; a node of unknown state
is therefore approached from above, by halving a path from it to the top.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.recode import lattice
from cobogo.recode.evaluate import Checked, Evaluator
from cobogo.recode.explain import why_none
from cobogo.recode.lattice import DENSE_AT_MOST, DenseWalk, SparseWalk, Walk
from cobogo.recode.problem import Levels, Problem
from cobogo.recode.solution import Solution, cost, ranked, slack

Progress = Callable[[int, int], None]
"""Called now and then with the nodes settled and the nodes there are."""

KEPT = 64
RUNNERS_UP = 10


def optimal(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Solution:
    """Searches the generalization lattice for the full-domain recoding that is best by the metric, and proves it.

    With a time limit, the best found by then, and whether it is proven.
    """
    nodes = lattice.size(problem.lowest, problem.highest)
    if nodes > DENSE_AT_MOST and time_limit is None:
        raise SearchTooLarge(
            f"the lattice has {nodes:,} nodes, more than the optimal search goes through ({DENSE_AT_MOST:,})",
            where="recoding.algorithm",
            remedy="Fix levels with min-level and max-level, give fewer quasi-identifiers or coarser hierarchies, "
            "or set time-limit for the best that can be found in that time.",
        )
    return _Search(problem, nodes, time_limit, progress).run()


class _Search:
    """One search: the walk, the evaluator, and the satisfied nodes worth remembering."""

    def __init__(self, problem: Problem, nodes: int, time_limit: float | None, progress: Progress | None) -> None:
        self.problem = problem
        self.nodes = nodes
        self.deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self.progress = progress or (lambda *_: None)
        self.maximize = problem.metric.maximize
        self.evaluator = Evaluator(problem)
        self.walk: Walk = DenseWalk(problem) if nodes <= DENSE_AT_MOST else SparseWalk(problem)
        self.found: list[Checked] = []
        self.best = math.inf
        self.cut_short = False
        # Where every suppression is allowed, nodes fail only by suppressing all: nothing to gain from above.
        self.from_above = self.evaluator.can_prune and problem.limit < problem.scale.records

    def run(self) -> Solution:
        for settled, (bound, levels) in enumerate(self.walk.cheapest_first(self._out_of_time)):
            if self.cut_short or bound > self.best + slack(self.best):
                break
            self.progress(min(settled, self.nodes), self.nodes)
            if self.from_above and self.walk.state(levels) == lattice.UNKNOWN:
                self._halve(self._path(levels))
            else:
                self._check(levels)
        self.progress(self.nodes, self.nodes)
        if not self.found:
            if self.cut_short:
                raise NoSolution("no solution was found within the time limit", remedy="Raise time-limit.")
            raise why_none(self.problem, self.evaluator)
        best, *rest = ranked(self.found, maximize=self.maximize)
        return Solution(
            algorithm="optimal",
            chosen=best,
            optimal=not self.cut_short,
            nodes=self.nodes,
            checked=self.evaluator.checked,
            runners_up=tuple(rest[:RUNNERS_UP]),
        )

    def _out_of_time(self) -> bool:
        """Whether the time is up; from then on nothing that is still open counts as settled."""
        self.cut_short = self.cut_short or time.monotonic() > self.deadline
        return self.cut_short

    def _check(self, levels: Levels) -> bool:
        """Check a node and note what follows. True when the prunable models leave it hope."""
        checked = self.evaluator.check(levels)
        if checked.satisfied:
            self.walk.admit(levels, all_above=self.evaluator.can_prune)
            self.found.append(checked)
            self.best = min(self.best, cost(checked, maximize=self.maximize))
            if len(self.found) > 2 * KEPT:
                self.found = ranked(self.found, maximize=self.maximize)[:KEPT]
        else:
            self.walk.rule_out(levels, all_below=checked.hopeless)
        return not checked.hopeless

    def _path(self, levels: Levels) -> list[Levels]:
        """From a node upwards, by the cheapest step each time, through nodes of unknown state."""
        path = [levels]
        while True:
            steps = self.walk.unknown(list(lattice.successors(path[-1], self.problem.highest)))
            if not steps:
                return path
            path.append(self.walk.cheapest(steps))

    def _halve(self, path: list[Levels]) -> None:
        """Settle the lowest node of a path by halving: fails come from above, solutions on the way."""
        low, high = 0, len(path)
        best = self.best
        while low < high and not self._out_of_time():
            middle = (low + high) // 2
            if self._check(path[middle]):
                high = middle
            else:
                low = middle + 1
        if self.best < best and isinstance(self.walk, SparseWalk):
            self._descend(ranked(self.found, maximize=self.maximize)[0].levels)

    def _descend(self, levels: Levels) -> None:
        """From a solution down, by the cheapest step that still is one: where a proof is out of reach, it pays."""
        while not self._out_of_time():
            steps = self.walk.unknown(list(lattice.predecessors(levels, self.problem.lowest)))
            while steps and not self._out_of_time():
                node = self.walk.cheapest(steps)
                if self._check(node) and self.walk.state(node) == lattice.DONE:
                    levels = node
                    break
                steps.remove(node)
            else:
                return
