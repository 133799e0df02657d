"""The optimal search: the best node of the generalization lattice, and the proof that it is the best.

Nodes are visited from the lowest bound of their cost up, so the search may stop when no bound is left that is not worse
than the best node found. A node is approached from above, by halving a path from it to the top: what must fail at a
node must fail below it, so the node either rules out everything below it or raises the bounds there.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.examine.metrics import Outcome
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import RUNNERS_UP, Checked, Solution, rank_nodes
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import no_solution
from cobogo.publish.recode.lattice.walk import DENSE_AT_MOST, DenseWalk, SparseWalk, Walk, node_count, predecessors

KEPT = 64
"""Satisfied nodes that are remembered: enough for the runners-up (10), whatever ties are found later."""


@card("optimal", group="lattice", guide="search", recodings=("full-domain",))
def optimal(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Searches the generalization lattice for the full-domain recoding that is best by the metric, and proves that it
    is.

    A node is one level for each quasi-identifier. Nodes are visited from the best bound to the worst. A node that fails
    rules out the nodes below it that must fail too, and raises the bounds there. With a time limit, the result is the
    best node found by then, with a statement of whether it is proven.

    Formula: $\arg\min_{g} m(g)$ over the nodes $g \in \prod_A \{0, \ldots, H_A\}$ whose failing records are at most
        $\lfloor \ell N \rfloor$, for the metric $m$ and the suppression limit $\ell$
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> release = anonymize_patients("optimal")
        >>> release.levels, classes(release)
        ({'age': 3, 'sex': 0}, {('*', 'f'): 4, ('*', 'm'): 4})

    Guarantee: Every model of the policy holds, and is checked again on the written release. No other node within the
        allowed levels is better by the metric.
    Limits: It is the best of the full-domain recodings with these hierarchies, by this metric; local recodings often
        lose less. A lattice of more than 16,777,216 nodes needs a time limit.
    Cost: $O(\prod_A (H_A + 1))$ nodes in the worst case, few of which are examined; each examination is a roll-up of n
        distinct tuples.
    Paper: None for the whole, which is our own; the lattice is that of P. Samarati 2001, pruning by monotone models as
        in F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper and K. A. Kuhn, Flash: efficient, stable and optimal
        k-anonymity, 2012.
    """
    nodes = node_count(problem.lowest, problem.highest)
    if nodes > DENSE_AT_MOST and time_limit is None:
        raise SearchTooLarge(
            tr(
                "the lattice has {nodes:,} nodes, more than the optimal search can examine ({most:,})",
                nodes=nodes,
                most=DENSE_AT_MOST,
            ),
            where="recoding.algorithm",
            remedy=tr(
                "Fix levels with min-level and max-level, use fewer quasi-identifiers or coarser "
                "hierarchies, or set time-limit to get the best recoding that is found in that time."
            ),
        )
    return _Search(problem, nodes, time_limit, progress).run()


def better_node(problem: Problem, than: Outcome | None, *, time_limit: float) -> Checked | None:
    """The best node that is found in the time and is no worse than an outcome; None where there is none."""
    search = _Search(problem, node_count(problem.lowest, problem.highest), time_limit, None)
    if than is not None:
        search.walk.ceiling = search.yardstick.ceiling(than)
    return next(iter(search.find_nodes()), None)


class _Search:
    """One search: the walk, the evaluator, and the satisfied nodes worth remembering."""

    def __init__(self, problem: Problem, nodes: int, time_limit: float | None, progress: Steps | None) -> None:
        self.problem = problem
        self.nodes = nodes
        self.deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self.progress = progress or (lambda *_: None)
        self.evaluator = Evaluator(problem)
        self.yardstick = Yardstick(problem)
        walk = DenseWalk if nodes <= DENSE_AT_MOST else SparseWalk
        self.walk: Walk = walk(problem, self.yardstick)
        self.found: list[Checked] = []
        self.cut_short = False
        # Where every suppression is allowed, nodes fail only by suppressing all, and only bounds can be raised.
        self.from_above = self.evaluator.can_prune and (
            self.yardstick.separable
            or (self.yardstick.bracketed and isinstance(self.walk, DenseWalk))
            or problem.limit < problem.scale.records
        )

    def find_nodes(self) -> list[Checked]:
        """Search, and return the satisfied nodes worth remembering, best first."""
        if isinstance(self.walk, SparseWalk) and self.from_above:
            self._improve_best(raised=1)
        for settled, levels in self.walk.cheapest_first(self._out_of_time):
            self.progress(min(settled, self.nodes), self.nodes)
            if self.from_above:
                self._halve(self.walk.path(levels, self._out_of_time))
            else:
                self._check(levels)
        if isinstance(self.walk, SparseWalk) and self.walk.overflowed:
            self._improve_best(raised=len(self.problem.highest))
            self.cut_short = True
        self.progress(self.nodes, self.nodes)
        return self._rank()

    def run(self) -> Solution:
        found = self.find_nodes()
        if not found and self.cut_short and self._check(self.problem.highest).satisfied:  # coarse, and better than none
            found = self._rank()
        if not found:
            if self.cut_short:
                raise NoSolution(
                    tr("no solution was found within the time limit"),
                    remedy=tr("Raise time-limit, or make the policy easier to satisfy."),
                )
            raise no_solution(self.problem, self.evaluator)
        best, *rest = found
        return Solution(
            algorithm="optimal",
            chosen=best,
            optimal=not self.cut_short,
            nodes=self.nodes,
            checked=self.evaluator.checked,
            runners_up=tuple(rest[:RUNNERS_UP]),
        )

    def _rank(self) -> list[Checked]:
        return rank_nodes(self.found, maximize=self.problem.metric.maximize)

    def _out_of_time(self) -> bool:
        """Whether the time is up; from then on no open node counts as settled."""
        self.cut_short = self.cut_short or time.monotonic() > self.deadline
        return self.cut_short

    def _check(self, levels: Levels) -> Checked:
        """Check a node and note what follows."""
        checked = self.evaluator.check(levels)
        self.walk.close(levels)
        if checked.hopeless:
            self.walk.rule_out(levels)
        elif self.evaluator.can_prune:
            self.walk.leave_hope(levels)
        self._raise_bounds(checked)
        if checked.outcome is not None:
            self.found.append(checked)
            self.walk.ceiling = min(self.walk.ceiling, self.yardstick.ceiling(checked.outcome))
            if len(self.found) > 2 * KEPT:
                self.found = self._rank()[:KEPT]
        return checked

    def _raise_bounds(self, checked: Checked) -> None:
        """Note what a node says about the cost of those below it and above it."""
        if self.yardstick.bracketed and checked.spread is not None:
            self.walk.bracket(checked.levels, *self.yardstick.bracket(checked.spread, checked.floor))
        elif self.yardstick.separable and checked.floor is not None and checked.floor.suppressed:
            self.walk.raise_below(checked.levels, self.yardstick.terms(checked.floor))

    def _halve(self, path: list[Levels]) -> None:
        """Settle the lowest node of a path by halving the path: a failing node above rules it out."""
        low, high = 0, len(path)
        while low < high and not self._out_of_time():
            middle = (low + high) // 2
            if self._check(path[middle]).hopeless:
                low = middle + 1
            elif middle and self.walk.settled(path[0]):
                break
            else:
                high = middle

    def _improve_best(self, raised: int) -> None:
        """Improve the best solution where a proof may be out of reach: descend from it, then from the nodes above it in
        which up to ``raised`` attributes are a step higher, as long as that finds better ones."""
        if not self.found:
            self._halve(self.walk.path(self.problem.lowest, self._out_of_time))
        steps = 0
        while self.found and steps <= raised and not self._out_of_time():
            ceiling = self.walk.ceiling
            best = self._rank()[0].levels
            for node in self._raised_nodes(best, steps):
                if self._out_of_time():
                    return
                if node == best or (not self.walk.settled(node) and self._check(node).satisfied):
                    self._descend(node)
                if self.walk.ceiling < ceiling:
                    break
            steps = 0 if self.walk.ceiling < ceiling else steps + 1

    def _raised_nodes(self, levels: Levels, steps: int) -> Iterator[Levels]:
        """The nodes in which ``steps`` attributes are a step higher."""
        free = [column for column, level in enumerate(levels) if level < self.problem.highest[column]]
        for columns in itertools.combinations(free, steps):
            yield tuple(level + (column in columns) for column, level in enumerate(levels))

    def _descend(self, levels: Levels) -> None:
        """Go down from a solution by the cheapest step that is a solution too, as long as there is one."""
        while not self._out_of_time():
            steps = list(predecessors(levels, self.problem.lowest))
            while not self._out_of_time():
                node = self.walk.cheapest(steps)
                if node is None:
                    return
                if self._check(node).satisfied:
                    levels = node
                    break
                steps.remove(node)
