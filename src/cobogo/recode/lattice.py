"""The generalization lattice, as the search walks it: cheapest nodes first, with what is known of each."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.models.base import Mask
from cobogo.recode.outcome import ideal
from cobogo.recode.problem import Levels, Problem

DENSE_AT_MOST = 1 << 24
"""Nodes of a lattice that is held in memory whole; a larger one is walked without a map."""

UNKNOWN, FAILS, PASSES, DONE = 0, 1, 2, 3


class Walk(Protocol):
    """What is known of the nodes, and the order to visit them in."""

    def cheapest_first(self, stop: Callable[[], bool]) -> Iterator[tuple[float, Levels]]:
        """Nodes that are not known to fail and not done, with a lower bound of their cost, in its order.

        Ends early when ``stop`` says so.
        """
        ...

    def cheapest(self, nodes: list[Levels]) -> Levels:
        """The node of the lowest bound; the smallest of those that tie."""
        ...

    def state(self, levels: Levels) -> int:
        """UNKNOWN, FAILS (or is below a hopeless node), PASSES (is above one that passes) or DONE (was checked)."""
        ...

    def unknown(self, nodes: list[Levels]) -> list[Levels]:
        """Those of the nodes whose state is UNKNOWN."""
        ...

    def rule_out(self, levels: Levels, *, all_below: bool) -> None:
        """Note that a node fails, and everything below it if so."""
        ...

    def admit(self, levels: Levels, *, all_above: bool) -> None:
        """Note that a node was checked and satisfies, and that what lies above passes if so."""
        ...


def size(lowest: Levels, highest: Levels) -> int:
    """How many nodes there are."""
    total = 1
    for low, high in zip(lowest, highest, strict=True):
        total *= high - low + 1
    return total


def successors(levels: Levels, highest: Levels) -> Iterator[Levels]:
    """The nodes one step up."""
    for column, level in enumerate(levels):
        if level < highest[column]:
            yield (*levels[:column], level + 1, *levels[column + 1 :])


def predecessors(levels: Levels, lowest: Levels) -> Iterator[Levels]:
    """The nodes one step down."""
    for column, level in enumerate(levels):
        if level > lowest[column]:
            yield (*levels[:column], level - 1, *levels[column + 1 :])


def bounds(problem: Problem, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Lower bounds of the cost of many nodes (one a row), from the attributes' own marginal counts.

    The cost is the metric, negated where more is better.
    """
    best = ideal(problem, nodes)
    values = np.asarray(problem.metric.bound(best, problem.scale, problem.limit), dtype=float)
    return np.broadcast_to(-values if problem.metric.maximize else values, (len(nodes),))


class DenseWalk:
    """A lattice held whole: a bound and a state for every node."""

    def __init__(self, problem: Problem) -> None:
        self._lowest = np.array(problem.lowest, dtype=np.int64)
        self._shape = tuple(high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True))
        self._states = np.zeros(self._shape, dtype=np.uint8)
        total = self._states.size
        self._bounds = np.empty(total, dtype=float)
        for begin in range(0, total, 1 << 18):
            end = min(begin + (1 << 18), total)
            self._bounds[begin:end] = bounds(problem, self._levels(np.arange(begin, end)))

    def _levels(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self._shape:
            return np.zeros((len(numbers), 0), dtype=np.int64)
        return np.stack(np.unravel_index(numbers, self._shape), axis=1).astype(np.int64) + self._lowest

    def _place(self, levels: Levels) -> tuple[int, ...]:
        return tuple(level - low for level, low in zip(levels, self._lowest.tolist(), strict=True))

    def cheapest_first(self, stop: Callable[[], bool]) -> Iterator[tuple[float, Levels]]:
        """See `Walk`."""
        order = np.argsort(self._bounds, kind="stable")
        states = self._states.reshape(-1)
        for begin in range(0, len(order), 4096):
            if stop():
                return
            block = order[begin : begin + 4096]
            block = block[(states[block] == UNKNOWN) | (states[block] == PASSES)]
            for number, row in zip(block.tolist(), self._levels(block).tolist(), strict=True):
                if states[number] in (UNKNOWN, PASSES):
                    yield float(self._bounds[number]), tuple(row)

    def cheapest(self, nodes: list[Levels]) -> Levels:
        """See `Walk`."""
        bounds = self._bounds.reshape(self._shape)
        return min(nodes, key=lambda node: (bounds[self._place(node)], node))

    def state(self, levels: Levels) -> int:
        """See `Walk`."""
        return int(self._states[self._place(levels)])

    def unknown(self, nodes: list[Levels]) -> list[Levels]:
        """See `Walk`."""
        return [node for node in nodes if self._states[self._place(node)] == UNKNOWN]

    def rule_out(self, levels: Levels, *, all_below: bool) -> None:
        """See `Walk`."""
        place = self._place(levels)
        self._states[tuple(slice(0, step + 1) for step in place) if all_below else place] = FAILS

    def admit(self, levels: Levels, *, all_above: bool) -> None:
        """See `Walk`."""
        place = self._place(levels)
        if all_above:
            above = self._states[tuple(slice(step, None) for step in place)]
            above[above == UNKNOWN] = PASSES
        self._states[place] = DONE


class SparseWalk:
    """A lattice too large to hold: nodes come from a heap as they are reached, from the bottom up."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._hopeless = np.empty((0, len(problem.highest)), dtype=np.int64)
        self._states: dict[Levels, int] = {}

    def cheapest_first(self, stop: Callable[[], bool]) -> Iterator[tuple[float, Levels]]:
        """See `Walk`. Bounds never fall on the way up, so the heap gives nodes in their order."""
        start = self._problem.lowest
        heap = [(-math.inf, start)]
        reached = {start}
        while heap and not stop():
            bound, levels = heapq.heappop(heap)
            if self.state(levels) in (UNKNOWN, PASSES):
                yield bound, levels
            fresh = [node for node in successors(levels, self._problem.highest) if node not in reached]
            if fresh:
                reached.update(fresh)
                costs = bounds(self._problem, np.array(fresh, dtype=np.int64)).tolist()
                for entry in zip(costs, fresh, strict=True):
                    heapq.heappush(heap, entry)

    def cheapest(self, nodes: list[Levels]) -> Levels:
        """See `Walk`."""
        return min(zip(bounds(self._problem, np.array(nodes, dtype=np.int64)).tolist(), nodes, strict=True))[1]

    def state(self, levels: Levels) -> int:
        """See `Walk`."""
        if levels in self._states:
            return self._states[levels]
        return FAILS if self._below_a_hopeless_one([levels])[0] else UNKNOWN

    def unknown(self, nodes: list[Levels]) -> list[Levels]:
        """See `Walk`."""
        below = self._below_a_hopeless_one(nodes)
        return [node for node, fails in zip(nodes, below, strict=True) if not fails and node not in self._states]

    def _below_a_hopeless_one(self, nodes: list[Levels]) -> list[bool]:
        steps = np.array(nodes, dtype=np.int64).reshape(len(nodes), 1, self._hopeless.shape[1])
        below: Mask = np.logical_and.reduce(self._hopeless >= steps, axis=2)
        return [bool(row.any()) for row in below]

    def rule_out(self, levels: Levels, *, all_below: bool) -> None:
        """See `Walk`."""
        self._states[levels] = FAILS
        if all_below:
            covered = (self._hopeless <= np.array(levels)).all(axis=1)
            self._hopeless = np.vstack([self._hopeless[~covered], np.array([levels], dtype=np.int64)])

    def admit(self, levels: Levels, *, all_above: bool) -> None:  # noqa: ARG002
        """See `Walk`."""
        self._states[levels] = DONE
