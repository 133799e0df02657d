"""A genetic search, for lattices that are too large to go through: nodes are crossed, mutated and selected."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from cobogo.floor.catalogue import card
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import RUNNERS_UP, Checked, Solution, cost, rank_nodes
from cobogo.publish.recode.lattice.classic.datafly import raise_most_distinct
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import node_count, predecessors

POPULATION = 40
"""Nodes of a generation, and those of them that have children. Small, since a node is dear to check and the lattice has
few attributes; not tuned on any one data set."""
PARENTS = 10
PATIENCE = 12
"""Generations without a better node after which the search ends."""

SEED = 2010
"""The same data and policy give the same levels; nothing private rests on these draws."""


@card("genetic", group="lattice", guide="algorithms-lattice", recodings=("full-domain",))
def genetic(
    problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
) -> Solution:
    r"""Combines and mutates nodes of the lattice and keeps the best ones, for lattices that are too large to search
    completely.

    It begins with the path of Datafly, so its result is never worse than Datafly's. It ends with a descent, so no
    single step down from its node is better. Where time is short, the result is the best node found by then. The random
    draws are fixed: the same data and policy give the same levels.

    Formula: $\text{child}_A \in \{g_A, g'_A\}$ for parents $g$ and $g'$, then $\pm 1$ on some attribute; the nodes with
        the least $m(g)$ live on
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("genetic").levels
        {'age': 3, 'sex': 0}

    Guarantee: Every model of the policy holds, and is checked again on the written release. By the metric, the result
        is no worse than that of datafly; it is not proven to be the best.
    Limits: It is a heuristic: for lattices that can be searched completely, use optimal.
    Cost: $O(g \cdot p)$ roll-ups of n distinct tuples, for g generations of p = 40 nodes.
    Paper: V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002, for the idea of a genetic search;
        the steps are our own.
    """
    search = _Search(problem, time_limit, progress)
    return search.run()


class _Search:
    """One search: every node that was checked, and the best of them."""

    def __init__(self, problem: Problem, time_limit: float | None, progress: Callable[[int, int], None] | None) -> None:
        self.problem = problem
        self.evaluator = Evaluator(problem)
        self.known: dict[Levels, Checked] = {}
        self.nodes = node_count(problem.lowest, problem.highest)
        self.draws = np.random.default_rng(SEED)
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress or (lambda *_: None)

    def run(self) -> Solution:
        self._check(self.problem.highest)  # however short the time: coarse is better than none
        population = [self.problem.lowest, self.problem.highest, *self._datafly_nodes()]
        population += [self._random_node() for _ in range(POPULATION - len(population))]
        waited, best = 0, math.inf
        while waited < PATIENCE and len(self.known) < self.nodes and not self._late():
            ordered = self._fittest(population)
            least = self._fitness(ordered[0])[1] if self.known[ordered[0]].satisfied else math.inf
            waited, best = (0, least) if least < best else (waited + 1, best)
            population = ordered[:PARENTS] + self._children(ordered[:PARENTS])
        self._fittest(population)
        found = self._solutions()
        while found and self._check_below(found[0].levels):
            found = self._solutions()
        if not found:
            raise search_failure(self.problem, self.evaluator, "genetic", cut_short=self._late())
        best_node, *rest = found
        everything = len(self.known) == self.nodes
        return Solution("genetic", best_node, everything, self.nodes, self.evaluator.checked, tuple(rest[:RUNNERS_UP]))

    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    def _solutions(self) -> list[Checked]:
        return rank_nodes(
            [node for node in self.known.values() if node.satisfied], maximize=self.problem.metric.maximize
        )

    def _check(self, levels: Levels) -> Checked:
        if levels not in self.known:
            self.known[levels] = self.evaluator.check(levels)
            self._progress(len(self.known), self.nodes)
        return self.known[levels]

    def _datafly_nodes(self) -> list[Levels]:
        """Datafly's way up to the first node that satisfies the policy; the highest at the latest."""
        levels = self.problem.lowest
        way = [levels]
        while not self._check(levels).satisfied and levels != self.problem.highest and not self._late():
            levels = raise_most_distinct(self.problem, levels)
            way.append(levels)
        return way[-PARENTS:]

    def _fitness(self, levels: Levels) -> tuple[bool, float]:
        """Less is fitter: what satisfies the policy by its cost, what does not by the records that fail."""
        node = self.known[levels]
        if node.satisfied:
            return False, cost(node, maximize=self.problem.metric.maximize)
        return True, float(node.failing_records)

    def _fittest(self, population: list[Levels]) -> list[Levels]:
        checked, late = [], False
        for levels in dict.fromkeys(population):
            late = late or (levels not in self.known and self._late())
            if late and levels not in self.known:
                continue
            self._check(levels)
            checked.append(levels)
        return sorted(checked, key=lambda levels: (*self._fitness(levels), sum(levels), levels))

    def _children(self, parents: list[Levels]) -> list[Levels]:
        """Each attribute's level comes from one of two parents; one or more then go a step up or down."""
        pairs = self.draws.integers(len(parents), size=(POPULATION - len(parents), 2))
        width = len(self.problem.lowest)
        children = []
        for one, other in pairs.tolist():
            mixed = np.where(self.draws.random(width) < 0.5, parents[one], parents[other])
            # On average one and a half attributes of a child are mutated by at most a step: most children differ.
            stepped = mixed + self.draws.integers(-1, 2, size=width) * (self.draws.random(width) < 1.5 / max(width, 1))
            children.append(self._clip(stepped))
        return children

    def _random_node(self) -> Levels:
        return self._clip(self.draws.integers(np.array(self.problem.lowest), np.array(self.problem.highest) + 1))

    def _clip(self, levels: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Levels:
        return tuple(np.clip(levels, self.problem.lowest, self.problem.highest).astype(int).tolist())

    def _check_below(self, levels: Levels) -> bool:
        """Look at the nodes one step below the best; whether one of them was new."""
        steps = [step for step in predecessors(levels, self.problem.lowest) if step not in self.known]
        for step in steps:
            if self._late():
                return False
            self._check(step)
        return bool(steps)
