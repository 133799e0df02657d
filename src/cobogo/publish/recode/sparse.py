"""A lattice too large to hold: its nodes are reached one by one, and what is known of them lies in a few corners."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode import walks
from cobogo.publish.recode.bounds import Yardstick
from cobogo.publish.recode.lattice import Stop, successors
from cobogo.publish.recode.problem import Levels, Problem

CORNERS = 4096
"""Checked nodes that are remembered for what those below them cost at least."""

LEVELS_HELD = 20_000_000
"""Of all nodes that wait for their turn: more would not fit into memory."""

STEPS_AT_ONCE = 16
"""Of a path, between two looks at the clock."""


class SparseWalk:
    """Nodes come from a heap as they are reached, from the bottom up. See `cobogo.publish.recode.lattice.Walk`."""

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
        """The lowest nodes above that may be worth a visit: one step up, or out from below a corner at once, since
        whatever lies between a node and the corner that settles it is settled too."""
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
        place = walks.corner_above(node, self._hopeless, self._hopeless_count)
        if place >= 0:
            return np.asarray(self._hopeless[place])
        if self._corner_count and self.ceiling < math.inf:
            count = min(self._corner_count, CORNERS)
            place = walks.dear_corner_above(node, self._corners, self._terms, count, self.ceiling)
        return np.asarray(self._corners[place]) if place >= 0 else None

    def settled(self, levels: Levels) -> bool:
        """See `Walk`."""
        return levels in self._closed or self._corner(levels) is not None

    def _is_open(self, levels: Levels) -> bool:
        node = np.array(levels, dtype=np.int64)
        return levels not in self._closed and walks.corner_above(node, self._hopeless, self._hopeless_count) < 0

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:
        """See `Walk`."""
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
        """See `Walk`."""
        if not nodes:
            return None
        costs = self._yardstick.bounds(np.array(nodes, dtype=np.int64)).tolist()
        return next((node for _, node in sorted(zip(costs, nodes, strict=True)) if not self.settled(node)), None)

    def close(self, levels: Levels) -> None:
        """See `Walk`."""
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
        """Not remembered: a path is short where it is known."""

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """See `Walk`. The oldest corner gives way."""
        place = self._corner_count % CORNERS
        self._corners[place], self._terms[place] = levels, terms
        self._corner_count += 1
