"""The generalization lattice, as the search walks it: cheapest nodes first, with what is known of each.

A lattice of moderate size is held whole (`DenseWalk`). Of a larger one the nodes are reached one by one, and what is
known of them is kept in a few corners (`SparseWalk`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice import kernels
from cobogo.publish.recode.lattice.bounds import LARGEST, Yardstick

DENSE_AT_MOST = 1 << 24
"""Nodes of a lattice that is held in memory whole; a larger one is walked without a map."""

NODES_AT_ONCE = 1 << 18
"""Nodes whose bounds are computed together: limits the memory of intermediate results, a few numbers for each node and
attribute."""

Stop = Callable[[], bool]


class Walk(Protocol):
    """What is known of the nodes, and the order to visit them in. A node is open unless it was checked or ruled out."""

    ceiling: float  # a node with a bound above it cannot be best

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """Open nodes that may be best, lowest bound first, each with the number of those settled before it.

        Ends early when ``stop`` says so.
        """
        ...

    def settled(self, levels: Levels) -> bool:
        """Whether a node was checked, was ruled out, or cannot be best any more."""
        ...

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:
        """From a node upwards, by the cheapest step each time, through open nodes."""
        ...

    def cheapest(self, nodes: list[Levels]) -> Levels | None:
        """The unsettled node with the lowest bound; of those that tie, the smallest."""
        ...

    def close(self, levels: Levels) -> None:
        """Note that a node was checked."""
        ...

    def rule_out(self, levels: Levels) -> None:
        """Note that a node fails, and everything below it."""
        ...

    def leave_hope(self, levels: Levels) -> None:
        """Note that a node is not hopeless; so no node above it is."""
        ...

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """Note what every attribute contributes at least, at each level, to the cost of this node and all below it."""
        ...

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        """Note a bound of this node and all above it, and by how much all below it exceed theirs."""
        ...


def node_count(lowest: Levels, highest: Levels) -> int:
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


class DenseWalk:
    """A lattice held whole: a bound for every node, infinite once it is closed."""

    def __init__(self, problem: Problem, yardstick: Yardstick) -> None:
        self.ceiling = math.inf
        # A node that is not hopeless can be settled from above only by its bound, and that rises with what is lost.
        self._bracketed = yardstick.bracketed
        self._through_hopeful = yardstick.bracketed or (
            yardstick.separable and 10 * problem.limit > problem.scale.records
        )
        self._lowest = np.array(problem.lowest, dtype=np.int64)
        shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
        self._shape = np.array(shape or [1], dtype=np.int64)  # of one node where there is nothing to recode
        self._strides = np.append(np.cumprod(self._shape[:0:-1])[::-1], 1).astype(np.int64)
        self._bottom, self._top = np.zeros_like(self._shape), self._shape - 1
        self._bounds = np.minimum(self._first_bounds(yardstick), LARGEST)  # infinite only when closed
        self._surplus = np.zeros(len(self._bounds))
        self._hopeful = np.zeros(len(self._bounds), dtype=np.bool_)
        self._path = np.empty(int(self._shape.sum()), dtype=np.int64)

    def _first_bounds(self, yardstick: Yardstick) -> Floats:
        if yardstick.separable and len(self._lowest):
            terms = yardstick.terms()
            found = np.zeros(1)
            for column, low in enumerate(self._lowest.tolist()):
                found = np.add.outer(found, terms[column, low : low + int(self._shape[column])]).reshape(-1)
            return found
        total = int(self._shape.prod())
        found = np.empty(total)
        for begin in range(0, total, NODES_AT_ONCE):
            end = min(begin + NODES_AT_ONCE, total)
            found[begin:end] = yardstick.bounds(self._places(np.arange(begin, end)) + self._lowest)
        return found

    def _places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.stack(np.unravel_index(numbers, tuple(self._shape.tolist())), axis=1).astype(np.int64)
        return places[:, : len(self._lowest)]

    def _levels(self, number: int) -> Levels:
        found = []
        for low, stride in zip(self._lowest.tolist(), self._strides.tolist(), strict=False):
            step, number = divmod(number, stride)
            found.append(low + step)
        return tuple(found)

    def _place(self, levels: Levels) -> Ints:
        return np.array(levels, dtype=np.int64) - self._lowest if levels else np.zeros(1, dtype=np.int64)

    def _number(self, levels: Levels) -> int:
        return int(self._place(levels) @ self._strides)

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        order = np.argsort(self._bounds, kind="stable").astype(np.int32)
        position = 0
        while not stop():
            position = kernels.next_open(order, position, self._bounds, self._surplus, self.ceiling)
            if position >= len(order):
                return
            yield position, self._levels(int(order[position]))
            position += 1

    def settled(self, levels: Levels) -> bool:
        number = self._number(levels)
        bound = self._bounds[number] + self._surplus[number]
        return bool(bound > self.ceiling or bound == math.inf)

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:  # noqa: ARG002
        length = kernels.climb(
            self._number(levels), self._shape, self._strides, self._bounds, self._surplus, self._hopeful,
            self._through_hopeful, self.ceiling if self._bracketed else math.inf, self._path,
        )  # fmt: skip
        steps = self._path[:length, None] // self._strides % self._shape
        return [tuple(levels) for levels in (steps[:, : len(self._lowest)] + self._lowest).tolist()]

    def cheapest(self, nodes: list[Levels]) -> Levels | None:
        found = [(float(self._bounds[self._number(node)]), node) for node in nodes if not self.settled(node)]
        return min(found)[1] if found else None

    def close(self, levels: Levels) -> None:
        self._bounds[self._number(levels)] = math.inf

    def rule_out(self, levels: Levels) -> None:
        kernels.raise_box(self._bottom, self._place(levels), self._strides, math.inf, self._bounds)

    def leave_hope(self, levels: Levels) -> None:
        if not self._through_hopeful:
            kernels.raise_box(self._place(levels), self._top, self._strides, True, self._hopeful)

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        if levels:
            kernels.raise_below(self._place(levels), self._lowest, self._strides, terms, self._bounds)

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        place = self._place(levels)
        kernels.raise_box(place, self._top, self._strides, bound, self._bounds)
        if surplus > 0:
            kernels.raise_box(self._bottom, place, self._strides, surplus, self._surplus)


CORNERS = 4096
"""Checked nodes that are remembered for what those below them cost at least. Each new node is compared with all of
them, so more settle more nodes and cost more; the oldest give way."""

LEVELS_HELD = 20_000_000
"""Levels of all nodes that were reached: bounds the memory of the heap and of the set of nodes."""

STEPS_AT_ONCE = 16
"""Steps of a path between two looks at the clock, which would otherwise cost as much as a step."""


class SparseWalk:
    """A lattice too large to hold: a heap yields nodes as they are reached, from the bottom up."""

    def __init__(self, problem: Problem, yardstick: Yardstick) -> None:
        self.ceiling = math.inf
        self.overflowed = False  # there were more nodes to visit than could be held
        self._problem = problem
        self._yardstick = yardstick
        width = len(problem.highest)
        self._highest = np.array(problem.highest, dtype=np.int64)
        self._hopeless = np.empty((16, width), dtype=np.int64)
        self._hopeless_count = 0
        self._corners = np.empty((CORNERS, width), dtype=np.int64)
        self._terms = np.empty((CORNERS, width, max(problem.highest, default=0) + 1))
        self._corner_count = 0
        self._closed: set[Levels] = set()

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """Bounds never fall on the way up, so the heap gives nodes in their order."""
        start = self._problem.lowest
        heap = [(-math.inf, start)]
        reached = {start}
        while heap and not stop():
            bound, levels = heapq.heappop(heap)
            if bound > self.ceiling:
                return
            if levels not in self._closed and self._corner(levels) is None:
                yield len(reached) - len(heap), levels
            fresh = [node for node in self._onwards(levels) if node not in reached]
            if not fresh:
                continue
            if (len(reached) + len(fresh)) * len(start) > LEVELS_HELD:
                self.overflowed = True
                return
            reached.update(fresh)
            costs = self._yardstick.bounds(np.array(fresh, dtype=np.int64)).tolist()
            for entry in zip(costs, fresh, strict=True):
                heapq.heappush(heap, entry)

    def _onwards(self, levels: Levels) -> list[Levels]:
        """The next nodes above to visit: one step up or, below a corner that settles the node, the first nodes outside
        that corner's box, since the corner settles everything in between."""
        corner = self._corner(levels)
        if corner is None:
            return list(successors(levels, self._problem.highest))
        outside = corner + 1
        return [
            (*levels[:column], int(outside[column]), *levels[column + 1 :])
            for column in np.flatnonzero(outside <= self._highest).tolist()
        ]

    def _corner(self, levels: Levels) -> Ints | None:
        """A corner that a node lies below (or at) and is settled by."""
        node = np.array(levels, dtype=np.int64)
        place = kernels.corner_above(node, self._hopeless, self._hopeless_count)
        if place >= 0:
            return np.asarray(self._hopeless[place])
        if self._corner_count and self.ceiling < math.inf:
            count = min(self._corner_count, CORNERS)
            place = kernels.dear_corner_above(node, self._corners, self._terms, count, self.ceiling)
        return np.asarray(self._corners[place]) if place >= 0 else None

    def settled(self, levels: Levels) -> bool:
        return levels in self._closed or self._corner(levels) is not None

    def _is_open(self, levels: Levels) -> bool:
        node = np.array(levels, dtype=np.int64)
        return levels not in self._closed and kernels.corner_above(node, self._hopeless, self._hopeless_count) < 0

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:
        path = [levels]
        while len(path) % STEPS_AT_ONCE or not stop():
            steps = list(successors(path[-1], self._problem.highest))
            if not steps:
                break
            costs = self._yardstick.bounds(np.array(steps, dtype=np.int64)).tolist()
            upwards = (node for _, node in sorted(zip(costs, steps, strict=True)) if self._is_open(node))
            if (step := next(upwards, None)) is None:
                break
            path.append(step)
        return path

    def cheapest(self, nodes: list[Levels]) -> Levels | None:
        if not nodes:
            return None
        costs = self._yardstick.bounds(np.array(nodes, dtype=np.int64)).tolist()
        return next((node for _, node in sorted(zip(costs, nodes, strict=True)) if not self.settled(node)), None)

    def close(self, levels: Levels) -> None:
        self._closed.add(levels)

    def rule_out(self, levels: Levels) -> None:
        """Corners that lie below the new one say nothing more."""
        known = self._hopeless[: self._hopeless_count]
        rest = known[~(known <= np.array(levels)).all(axis=1)]
        if len(rest) == len(self._hopeless):
            self._hopeless = np.vstack([self._hopeless, np.empty_like(self._hopeless)])
        self._hopeless[: len(rest)] = rest
        self._hopeless[len(rest)] = levels
        self._hopeless_count = len(rest) + 1

    def leave_hope(self, levels: Levels) -> None:
        """Not remembered: paths through a lattice of this size end early anyway."""

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """See `Walk`. The oldest corner gives way."""
        place = self._corner_count % CORNERS
        self._corners[place], self._terms[place] = levels, terms
        self._corner_count += 1

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        """Not remembered."""
