"""A survey of the generalization lattice: what every node would release, not only the best.

The search proves that a node is best and checks few others; a steward who wants to choose has to see those as well. Of
a lattice that is too large, the survey covers the neighbourhood of one node.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import slack
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.walk import node_count

MOST = 100_000
"""Nodes of a lattice that is surveyed whole."""

CELLS = 2_000_000
"""Levels in memory at once, so that a lattice of hundreds of attributes takes little of it. Up to 20 attributes
have as many nodes as are asked for."""
NEAR = 500
"""Nodes that are evaluated first, around the one in the middle: those that a picture shows."""


class Standing(IntEnum):
    """What is known of a node."""

    UNKNOWN = 0
    FAILS = 1
    SATISFIES = 2


class Survey:
    """The nodes of a problem's lattice, and the figures of each. Nodes not evaluated yet are unknown.

    The nodes nearest to ``around`` are evaluated first. A step is one level of one attribute.
    """

    def __init__(self, problem: Problem, around: Levels, *, most: int = MOST) -> None:
        self.problem = problem
        self.around = around
        self.total = node_count(problem.lowest, problem.highest)
        most = min(most, CELLS // len(problem.lowest) + 1)
        self.nodes = _all_nodes(problem) if self.total <= most else _nearest_nodes(problem, around, most)
        count = len(self.nodes)
        self.standing: NDArray[np.int8] = np.zeros(count, dtype=np.int8)
        self.values: Floats = np.full(count, np.nan)  # by the metric, with what fails suppressed, whatever the limit
        self.suppressed: Ints = np.zeros(count, dtype=np.int64)
        self.failing: Ints = np.zeros(count, dtype=np.int64)  # suppressed, or withheld in part
        self.classes: Ints = np.zeros(count, dtype=np.int64)  # kept
        self.smallest: Ints = np.zeros(count, dtype=np.int64)  # of the kept classes, in records
        self.evaluated = 0
        self._passed = 0  # of the order
        self._wanted: list[int] = []
        self._numbers = {levels: number for number, levels in enumerate(map(tuple, self.nodes.tolist()))}
        self._order = _order(self.distance(around))
        self._evaluator = Evaluator(problem)
        self._exploring = threading.Lock()

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def whole(self) -> bool:
        """Whether the survey covers the whole lattice."""
        return len(self) == self.total

    @property
    def finished(self) -> bool:
        """Whether every node was evaluated."""
        return self.evaluated == len(self)

    def number(self, levels: Levels) -> int | None:
        """The number of a node; None where the survey does not cover it."""
        return self._numbers.get(levels)

    def levels(self, number: int) -> Levels:
        """The levels of a node."""
        return tuple(self.nodes[number].tolist())

    def distance(self, levels: Levels) -> Ints:
        """How many steps each node is away from a given one."""
        return np.asarray(np.abs(self.nodes - np.array(levels, dtype=np.int64)).sum(axis=1))

    def below(self, levels: Levels) -> Mask:
        """The nodes at or below a given one."""
        return np.asarray((self.nodes <= np.array(levels, dtype=np.int64)).all(axis=1))

    def above(self, levels: Levels) -> Mask:
        """The nodes at or above a given one."""
        return np.asarray((self.nodes >= np.array(levels, dtype=np.int64)).all(axis=1))

    def want(self, numbers: Ints) -> None:
        """Evaluate these nodes next."""
        self._wanted = numbers[self.standing[numbers] == Standing.UNKNOWN].tolist()

    def explore(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Evaluate unknown nodes until none is left or ``stop`` returns true.

        Another thread may read the results meanwhile.
        """
        with self._exploring:
            while not self.finished and not stop():
                self._evaluate(self._next())
                self.evaluated += 1

    def _next(self) -> int:
        """A node that is unknown."""
        while True:
            try:
                number = self._wanted.pop()
            except IndexError:
                number = int(self._order[self._passed])
                self._passed += 1
            if self.standing[number] == Standing.UNKNOWN:
                return number

    def _evaluate(self, number: int) -> None:
        found = self._evaluator.evaluate(self.levels(number))
        kept = found.rolled.records[found.kept_classes]
        self.values[number] = found.value
        self.suppressed[number] = found.outcome.suppressed
        self.failing[number] = found.failing_records
        self.classes[number] = found.outcome.classes
        self.smallest[number] = kept.min() if len(kept) else 0
        self.standing[number] = Standing.SATISFIES if found.satisfied else Standing.FAILS

    def ranking(self) -> Ints:
        """The nodes known to satisfy the policy, best first; ties are resolved as in the search."""
        found = np.flatnonzero(self.standing == Standing.SATISFIES)
        if not len(found):
            return found
        cost = -self.values if self.problem.metric.maximize else self.values
        order = found[np.lexsort((*self._tie_keys(found), cost[found]))]
        best = float(cost[order[0]])
        tied = int((cost[order] <= best + slack(best)).sum())
        first = order[:tied]
        return np.concatenate([first[np.lexsort(self._tie_keys(first))], order[tied:]])

    @property
    def best(self) -> Levels | None:
        """The best node found; None where none satisfies the policy."""
        found = self.ranking()
        return self.levels(int(found[0])) if len(found) else None

    def _tie_keys(self, numbers: Ints) -> tuple[Ints, ...]:
        """The keys that resolve ties, the last first as `numpy.lexsort` wants them; the order of `rank_nodes`."""
        nodes = self.nodes[numbers]
        withheld = self.failing[numbers] - self.suppressed[numbers]
        return (*nodes.T[::-1], nodes.sum(axis=1), withheld, self.suppressed[numbers], -self.classes[numbers])


def _all_nodes(problem: Problem) -> NDArray[np.int64]:
    """All nodes, the last level running fastest, so that each can be counted from one just before it."""
    shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
    places = np.indices(shape).reshape(len(shape), math.prod(shape)).T
    return np.ascontiguousarray(places + np.array(problem.lowest, dtype=np.int64))


def _nearest_nodes(problem: Problem, around: Levels, most: int) -> NDArray[np.int64]:
    """The nodes fewest steps away from a given one."""
    lowest, highest = np.array(problem.lowest), np.array(problem.highest)
    steps = np.concatenate([np.eye(len(lowest), dtype=np.int64), -np.eye(len(lowest), dtype=np.int64)])
    middle = np.array(around, dtype=np.int64)
    found, shell, count = [middle[None]], middle[None], 1
    at_once = max(CELLS // steps.size, 1)
    while count < most:
        wider = shell[:0]
        for first in range(0, len(shell), at_once):
            grown = (shell[first : first + at_once, None] + steps[None]).reshape(-1, len(lowest))
            away = np.abs(grown - middle).sum(axis=1) == len(found)
            inside = ((grown >= lowest) & (grown <= highest)).all(axis=1)
            wider = np.unique(np.concatenate([wider, grown[away & inside]]), axis=0)
            if len(wider) >= most - count:
                break
        shell = wider[: most - count]
        if not len(shell):
            break
        found.append(shell)
        count += len(shell)
    nodes = np.concatenate(found)
    return nodes[np.lexsort(nodes.T[::-1])]


def _order(distance: Ints) -> Ints:
    """The nearest nodes first, so that they can be shown at once; then all others in an order that is fast to count."""
    near = np.sort(np.argsort(distance, kind="stable")[:NEAR])
    rest = np.ones(len(distance), dtype=np.bool_)
    rest[near] = False
    return np.concatenate([near, np.flatnonzero(rest)])
