"""A survey of the generalization lattice: what every node would release, not only the best.

The search proves that a node is best and looks at few others. Whoever wants to choose for themselves has to see those,
too. A lattice that is too large to be seen whole is seen around one node.
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

NEAR = 500
"""Nodes around the one in the middle that are looked at first: what a picture shows."""


class Standing(IntEnum):
    """What is known of a node."""

    UNKNOWN = 0
    FAILS = 1
    SATISFIES = 2


class Survey:
    """The nodes of a problem's lattice, and what was found at each. Those not looked at yet are unknown.

    ``around`` is the node in the middle. The nodes nearest to it are looked at first. A step is one level of one
    attribute.
    """

    def __init__(self, problem: Problem, around: Levels, *, most: int = MOST) -> None:
        self.problem = problem
        self.around = around
        self.total = node_count(problem.lowest, problem.highest)
        self.nodes = _every(problem) if self.total <= most else _nearest(problem, around, most)
        count = len(self.nodes)
        self.standing: NDArray[np.int8] = np.zeros(count, dtype=np.int8)
        self.values: Floats = np.full(count, np.nan)  # by the metric, with what fails suppressed, whatever the limit
        self.suppressed: Ints = np.zeros(count, dtype=np.int64)
        self.failing: Ints = np.zeros(count, dtype=np.int64)  # suppressed, or withheld in part
        self.classes: Ints = np.zeros(count, dtype=np.int64)  # kept
        self.smallest: Ints = np.zeros(count, dtype=np.int64)  # of the kept classes, in records
        self.looked_at = 0
        self._passed = 0  # of the order
        self._wanted: list[int] = []
        self._numbers = {levels: number for number, levels in enumerate(map(tuple, self.nodes.tolist()))}
        self._order = _order(self.distance(around))
        self._evaluator = Evaluator(problem)
        self._looking = threading.Lock()

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def whole(self) -> bool:
        """Whether all nodes of the lattice are among these."""
        return len(self) == self.total

    @property
    def finished(self) -> bool:
        """Whether all of these were looked at."""
        return self.looked_at == len(self)

    def number(self, levels: Levels) -> int | None:
        """A node's place among these; None where it is none of them."""
        return self._numbers.get(levels)

    def levels(self, number: int) -> Levels:
        """The levels of a node."""
        return tuple(self.nodes[number].tolist())

    def distance(self, levels: Levels) -> Ints:
        """How many steps each node is away from one."""
        return np.asarray(np.abs(self.nodes - np.array(levels, dtype=np.int64)).sum(axis=1))

    def below(self, levels: Levels) -> Mask:
        """The nodes at or below one: nothing in them is coarser."""
        return np.asarray((self.nodes <= np.array(levels, dtype=np.int64)).all(axis=1))

    def above(self, levels: Levels) -> Mask:
        """The nodes at or above one."""
        return np.asarray((self.nodes >= np.array(levels, dtype=np.int64)).all(axis=1))

    def want(self, numbers: Ints) -> None:
        """Have these nodes looked at next."""
        self._wanted = numbers[self.standing[numbers] == Standing.UNKNOWN].tolist()

    def look(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Look at the nodes that are unknown, until there are none or ``stop`` says so.

        What is known so far may be read meanwhile from another thread.
        """
        with self._looking:
            while not self.finished and not stop():
                self._look_at(self._next())
                self.looked_at += 1

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

    def _look_at(self, number: int) -> None:
        found = self._evaluator.look(self.levels(number))
        kept = found.rolled.records[found.kept]
        self.values[number] = found.value
        self.suppressed[number] = found.outcome.suppressed
        self.failing[number] = found.failing_records
        self.classes[number] = found.outcome.classes
        self.smallest[number] = kept.min() if len(kept) else 0
        self.standing[number] = Standing.SATISFIES if found.satisfied else Standing.FAILS

    def ranked(self) -> Ints:
        """The nodes known to satisfy the policy, best first; nodes that tie stand in the order of the search."""
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
        found = self.ranked()
        return self.levels(int(found[0])) if len(found) else None

    def _tie_keys(self, numbers: Ints) -> tuple[Ints, ...]:
        """By which ties are resolved, the last first, as `numpy.lexsort` wants them. See `publish.recode.solution`."""
        nodes = self.nodes[numbers]
        withheld = self.failing[numbers] - self.suppressed[numbers]
        return (*nodes.T[::-1], nodes.sum(axis=1), withheld, self.suppressed[numbers], -self.classes[numbers])


def _every(problem: Problem) -> NDArray[np.int64]:
    """All nodes, the last level running fastest, so that each can be counted from one just before it."""
    shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
    places = np.indices(shape).reshape(len(shape), math.prod(shape)).T
    return np.ascontiguousarray(places + np.array(problem.lowest, dtype=np.int64))


def _nearest(problem: Problem, around: Levels, most: int) -> NDArray[np.int64]:
    """The nodes fewest steps away from one."""
    lowest, highest = np.array(problem.lowest), np.array(problem.highest)
    steps = np.concatenate([np.eye(len(lowest), dtype=np.int64), -np.eye(len(lowest), dtype=np.int64)])
    middle = np.array(around, dtype=np.int64)
    found, shell, count = [middle[None]], middle[None], 1
    while count < most:
        grown = (shell[:, None] + steps[None]).reshape(-1, len(lowest))
        away = np.abs(grown - middle).sum(axis=1) == len(found)
        inside = ((grown >= lowest) & (grown <= highest)).all(axis=1)
        shell = np.unique(grown[away & inside], axis=0)[: most - count]
        if not len(shell):
            break
        found.append(shell)
        count += len(shell)
    nodes = np.concatenate(found)
    return nodes[np.lexsort(nodes.T[::-1])]


def _order(distance: Ints) -> Ints:
    """The nearest first, so that they can be shown at once; then all others in the order in which counting is fast."""
    near = np.sort(np.argsort(distance, kind="stable")[:NEAR])
    rest = np.ones(len(distance), dtype=np.bool_)
    rest[near] = False
    return np.concatenate([near, np.flatnonzero(rest)])
