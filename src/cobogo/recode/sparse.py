"""A lattice too large to hold: its nodes are reached one by one, and what is known of them lies in a few corners."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np

from cobogo.models.base import Floats
from cobogo.recode import walks
from cobogo.recode.bounds import Yardstick
from cobogo.recode.lattice import Stop, successors
from cobogo.recode.problem import Levels, Problem

CORNERS = 4096
"""Checked nodes that are remembered for what those below them cost at least."""

STEPS_AT_ONCE = 16
"""Of a path, between two looks at the clock."""


class SparseWalk:
    """Nodes come from a heap as they are reached, from the bottom up. See `cobogo.recode.lattice.Walk`."""

    def __init__(self, problem: Problem, yardstick: Yardstick) -> None:
        self.ceiling = math.inf
        self._problem = problem
        self._yardstick = yardstick
        width = len(problem.highest)
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
            if not self.settled(levels):
                yield len(reached) - len(heap), levels
            fresh = [node for node in successors(levels, self._problem.highest) if node not in reached]
            if fresh:
                reached.update(fresh)
                costs = self._yardstick.bounds(np.array(fresh, dtype=np.int64)).tolist()
                for entry in zip(costs, fresh, strict=True):
                    heapq.heappush(heap, entry)

    def settled(self, levels: Levels) -> bool:
        """See `Walk`."""
        return not self._is_open(levels) or (
            self._corner_count > 0
            and bool(
                walks.too_dear(
                    np.array(levels, dtype=np.int64),
                    self._corners,
                    self._terms,
                    min(self._corner_count, CORNERS),
                    min(self.ceiling, np.finfo(float).max),
                )
            )
        )

    def _is_open(self, levels: Levels) -> bool:
        return levels not in self._closed and not walks.below_any(
            np.array(levels, dtype=np.int64), self._hopeless, self._hopeless_count
        )

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
        found = [node for node in nodes if not self.settled(node)]
        if not found:
            return None
        return min(zip(self._yardstick.bounds(np.array(found, dtype=np.int64)).tolist(), found, strict=True))[1]

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
